"""The ledger page: every claim with its verdict, and the evidence that the executed notebooks bear for it."""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from companion.ledger.audit import status
from companion.ledger.claims import (
    SECTIONS,
    Claim,
    Claims,
    Records,
    badge,
    by_id,
    in_print,
    link,
    name,
    one_line,
    order,
    plain,
    proved,
    roles,
    sections,
    titled,
    to_records,
)
from sparse_book.ledger import Record

Code = Mapping[str, list[str]]
# No line begins with the mark after it.
JOINER = "\N{WORD JOINER}"
STANDING = {
    "checked": "every instance that the evidence names was computed and agrees",
    "sampled": "no counterexample among random instances; not a proof",
    "refuted": "a witness shows that the printed form fails; the corrected form stands beside it",
    "open": "stated, neither proved nor refuted",
    "follows": "a consequence of statements that the book proves and runs, which it names",
    "cited": "a result of others, taken from the literature; nothing to run",
    "not runnable": "about all algorithms or an unproved assumption; only its reductions can be run",
    "withdrawn": "reported as an erratum, and not one; it stands on the errata page with the reason",
    "not yet run": "its chapter is not in the book yet",
}
TABLES: tuple[tuple[str, Callable[[Claim], bool]], ...] = (
    ("The paper's statements", lambda c: c["source"] == "paper" and c["kind"] != "erratum"),
    ("Errata", lambda c: c["kind"] == "erratum"),
    ("Results of this project", lambda c: c["source"] == "ours" and c["kind"] != "erratum"),
    ("Results of others", lambda c: c["source"] == "other"),
)
INTRODUCTION = """\
# Statements and evidence

<form class="ledger-filter" role="search" aria-label="Rows of the ledger"></form>

This ledger has every statement of the paper, every erratum, every result of this project, and later results of
others that the book runs, with verdict and evidence. The evidence is read from the outputs of the executed chapters,
and the build refuses a verdict that it does not bear out.

:::{{dropdown}} What the words, the slack and the controls mean
{words}

A verdict is on the printed form. *Settled* is one on a conjecture: it is false as printed, and the note says in which
form it is true.

*Slack* is the right side of an inequality divided by its left side: 1× is equality. The smallest slack of a check has
a word: *tight* (at most 1.5×), *within 10×*, or *loose* (more than 10× everywhere, so that this check would also pass
for a much smaller bound). A *control* is the same comparison with a mutated constant or a dropped hypothesis; it must
fail, which shows that the check could have failed. Where instances have both sides in common, the number of *different
pairs* of sides is given too. What is *machine-checked* is also {{doc}}`proved in Coq <proofs>`.

Statements are in the words of the chapters. In all of them $h(x)=\\sum_ju_j\\,\\sigma(\\langle w_j,x\\rangle-b_j)$ with
$\\sigma(z)=\\mathrm{{relu}}(z)=\\max(0,z)$, $R_x$ is the set of neurons that are active at $x$, $\\mathcal U$ is the
uniform distribution on the cube, $M=WR+B$, and $\\ln$ is the natural logarithm.
:::

"""


def page(claims: Claims, records: Records, code: Code = MappingProxyType({})) -> str:
    """The ledger as MyST Markdown; ``code`` maps a claim to what is about it in the package."""
    standing = status(claims, records)
    known = by_id(claims)
    above: dict[str, list[str]] = {claim["id"]: [] for claim in claims}
    for claim in claims:
        for used in claim.get("uses", []) if claim["kind"] != "erratum" else ():
            above[used].append(claim["id"])
    anchored: set[str] = set()
    counts = Counter(word for word, _ in standing.values())
    words = [f"- {badge(word)} ({counts[word]}): {STANDING[word]}." for word in STANDING if counts[word]]
    lines = INTRODUCTION.format(words="\n".join(words)).splitlines()
    for title, belongs in TABLES:
        mine = sorted((c for c in claims if belongs(c)), key=order)
        lines += [f"## {title}", ""] if mine else []
        for section, topic in SECTIONS.items():
            if here := [claim for claim in mine if sections(claim)[0] == section]:
                lines += [f":::::{{dropdown}} {titled(section)}. {topic} ({len(here)})"]
                lines += [f'<span id="section-{section.lower()}"></span>', ""] * (section not in anchored)
                anchored.add(section)
                lines += ["::::{list-table}"]
                lines += [":class: ledger", ":header-rows: 1", ":widths: 24 44 32", "", "* - Statement"]
                lines += ["  - In our words", "  - Evidence"]
                for claim in here:
                    about = [record for record in records if record["claim"] == claim["id"]]
                    word, fallen = standing[claim["id"]]
                    lines += row(claim, word, says(claim, fallen, above[claim["id"]]), about, code, known)
                lines += ["::::", ":::::", ""]
    return "\n".join(lines)


def as_data(text: str) -> str:
    """The end of the page: the ledger as data, folded."""
    return (
        f"\n\n## The ledger as data\n\n::::::{{dropdown}} One file, its keys, and its use from Python\n{text}\n::::::\n"
    )


def row(claim: Claim, word: str, said: list[str], records: Records, code: Code, known: dict[str, Claim]) -> list[str]:
    """The three cells of a claim."""
    at = claim["id"]
    what = plain(kind(claim, known)) + f"; `{at}`" * (at != claim["label"])
    mark = badge(word) + (f"<br>{proved(claim)}" if "proved" in claim else "")
    label = f'<span id="{at}">**{plain(name(claim))}**</span><br>{mark}<br><small>{what}</small>'
    return [
        f"* - {label}",
        f"  - {said[0]}",
        *(f"    {line}" for line in said[1:]),
        f"  - {'<br>'.join(evidence(claim, records, code.get(at, [])))}",
    ]


def kind(claim: Claim, known: dict[str, Claim]) -> str:
    """What a claim is and where it stands in the paper."""
    words = f"{claim['kind']}, §{claim['section']}" if claim["source"] == "paper" else str(claim["kind"])
    if claim["kind"] == "erratum":
        words = f"to {', '.join(name(known[about]) for about in claim.get('about', []))}"
    return words + (f"; arXiv: {claim['arxiv']}" if claim.get("arxiv") else "")


def says(claim: Claim, fallen: list[str], above: list[str]) -> list[str]:
    """The statement and the verdict; then, folded, what it rests on and what rests on it."""
    lines = [one_line(claim["statement"])]
    if claim["kind"] == "erratum":
        withdrawn = claim["verdict"] == "withdrawn"
        text = "Why it is withdrawn" if withdrawn else "Printed form, witness, correction"
        full = link(f"errata.html#{claim['id']}", text, f"{text}, {claim['label']}")
        consequence = "" if withdrawn else f"; {claim.get('consequence', '')}"
        lines.append(f"<small>{full}{consequence}.</small>")
    elif claim["verdict"] not in ("definition", "cited"):
        what = "Printed form" if claim["source"] == "paper" else "Verdict"
        lines.append(f"<small>{what}: {claim['verdict']}.</small>")
    if claim.get("note"):
        lines.append(f"*Note:* {one_line(claim['note'])}")
    if claim.get("errata"):
        lines.append(f"<small>Errata: {roles(claim['errata'])}.</small>")
    said = ["<br>".join(lines)]
    below = claim.get("uses", [])
    if below or above:
        of = f'<span class="visually-hidden">: {plain(name(claim))}</span>'
        said += ["", f"<details><summary>Rests on {len(below)}, used for {len(above)}{of}</summary>"]
        parts = {"Rests on": below, "In the end on a statement that fails as printed": fallen, "Used for": above}
        for before, names in parts.items():
            said += ["", f"{before}: {roles(names)}."] if names else []
        drawing = link(f"map.html#{claim['id']}", "In the drawing", f"{name(claim)} in the drawing")
        said += ["", f"{drawing}.", "", "</details>"]
    return said


def evidence(claim: Claim, records: Records, code: list[str]) -> list[str]:
    """What was found, with its smallest slack as a word; or why nothing was run; and the code that is about it."""
    shown = []
    for record, cell in zip(records, to_records(records, "", name(claim)), strict=True):
        found = Record.of(record)
        tightness = f" · {found.tightness}" if found.tightness and found.slack else ""
        controls = "".join(f"<br><small>Control: {in_print(control)}</small>" for control in found.controls)
        pairs = in_print(f" · different pairs: {found.pairs}") * (found.pairs < found.count)
        shown.append(f"{cell}: {in_print(found.finding)}{tightness}{pairs}{controls}")
    if not records:
        required = f"Required: {claim['required']}, in chapter `{claim['chapter']}`."
        shown = [one_line(claim.get("reason") or claim.get("withdrawn") or required)]
        if claim.get("follows"):
            shown = [f"Follows from {roles(claim['follows'])}."]
    if claim.get("command"):
        shown.append(f"<small>To run it again: <code>{claim['command']}</code></small>")
    if code:
        packages = sorted({function.removeprefix("sparse_core.").partition(".")[0] for function in code})
        tests = ", ".join(f"`tests/{'' if name.startswith('sparse_') else 'core/'}{name}`" for name in packages)
        links = f"{JOINER}, ".join(map(to_code, code))
        shown.append(f"<small>Code: {links}{JOINER}; tests: {tests}.</small>")
    return shown


def to_code(name: str) -> str:
    """A link to a function or class, "sparse_core.bounds.paper.lemma_9", on the page of its subpackage.

    Lines break after its dots, and so not before the punctuation that follows it."""
    short = name.removeprefix("sparse_core.")
    package = short.partition(".")[0].replace("_", "-")
    return f'<a href="api-{package}.html#{name}">{short.replace(".", ".<wbr>")}</a>'


def cited(packages: Iterable[Path]) -> dict[str, list[str]]:
    """Claim -> the public functions and classes, "sparse_core.bounds.paper.lemma_9", whose docstrings name it `so`."""
    found: dict[str, list[str]] = {}
    for package in packages:
        for path in sorted(package.rglob("[!_]*.py")):
            module = ".".join(path.relative_to(package.parent).with_suffix("").parts)
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                    for claim in sorted(set(re.findall(r"`([\w-]+)`", ast.get_docstring(node) or ""))):
                        found.setdefault(claim, []).append(f"{module}.{node.name}")
    return found
