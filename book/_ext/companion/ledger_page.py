"""The ledger page: a pure function of the executed notebooks and claims.yml, refused when the two do not balance."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from companion import errata_page, graph, navigation, notation_page
from companion.audit import audit, status
from companion.markup import address, badge, finding, link, plain, with_links
from sparse_core.notebook import ledger

STANDING = {
    "checked": "every instance that the evidence names was computed and agrees",
    "sampled": "no counterexample among random instances; not a proof",
    "refuted": "a witness shows that the printed form fails; the corrected form stands beside it",
    "open": "stated, neither proved nor refuted",
    "cited": "taken from the literature; nothing to run",
    "not runnable": "about all algorithms or an unproved assumption; only its reductions can be run",
    "not yet run": "its chapter is not in the book yet",
}
TABLES = (
    ("The paper's statements", lambda c: c["source"] == "paper" and c["kind"] != "erratum"),
    ("Errata", lambda c: c["kind"] == "erratum"),
    ("Results of this project", lambda c: c["source"] == "ours" and c["kind"] != "erratum"),
    ("Results of others", lambda c: c["source"] == "other"),
)
GRAPH = """\
## What rests on what

The paper's numbered statements, and those of our results with the most connections: {number} in all. A line leads from
a statement to the right, to what rests on it; equations and steps of proofs are passed over, and so are lines that
longer paths imply. A box with square corners is a statement of the paper, a round one in colour a result of this
project, and a dashed frame means that the printed form fails. Each box leads to its row below; the rows name, in
words, what each statement rests on.

<div class="graph-box">{svg}</div>

"""


def read_yaml(path: Path) -> Any:
    """The contents of a YAML file as plain data; a broken file is a problem of the ledger."""
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise ledger.LedgerError(f"{path.name} cannot be read: {' '.join(str(error).split())}") from None


def collect(executed: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The records in the outputs of executed notebooks, each with the chapter in which it stands."""
    return [
        {**output["data"][ledger.MIME], "chapter": stem}
        for stem, notebook in executed.items()
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        if ledger.MIME in output.get("data", {})
    ]


def write(stage: Path, executed: dict[str, dict[str, Any]], only: str | None = None) -> None:
    """Write ledger.md, errata.md, map.md and the names of notation.md in stage/book, or raise a LedgerError that
    gives all reasons.

    ``executed`` maps the stem of each executed chapter to its notebook; ``only`` names the one chapter of a preview.
    """
    book = Path(stage) / "book"
    claims, published = read_yaml(book / "claims.yml"), read_yaml(book / "published.yml")
    records = collect(executed)
    if problems := audit(claims, records, executed, published) + errata_page.incomplete(claims):
        raise ledger.LedgerError(
            f"the ledger does not balance ({len(problems)}):\n" + "\n".join(f"  - {p}" for p in problems)
        )
    package = Path(ledger.__file__).parent
    ledger_md = page(claims, records, only, notation_page.cited(package))
    (book / "ledger.md").write_text(ledger_md, encoding="utf-8")
    (book / "errata.md").write_text(errata_page.page(claims, records, only), encoding="utf-8")
    (book / "map.md").write_text(navigation.page(claims), encoding="utf-8")
    notation_page.fill(book / "notation.md", package)


def page(
    claims: list[dict[str, Any]],
    records: list[dict[str, Any]],
    only: str | None = None,
    code: Mapping[str, list[tuple[str, str]]] = MappingProxyType({}),
) -> str:
    """The ledger as MyST Markdown; ``code`` maps a claim to the (module, name) of what is about it in the package."""
    standing = status(claims, records)
    counts = Counter(word for word, _ in standing.values())
    lines = [
        "# The ledger",
        "",
        "Every statement of the paper, every erratum, every result of this project, and later results of others that",
        "the book runs, with verdict and evidence. The evidence is read from the outputs of the executed chapters, and",
        "the build refuses a verdict that it does not bear out. What the words mean:",
        "",
        *(f"- {badge(word)} ({counts[word]}): {meaning}." for word, meaning in STANDING.items()),
        "",
        "*Slack* is the right side of an inequality divided by its left side: 1× is equality. A *control* is the same",
        "comparison with a mutated constant or a dropped hypothesis; it must fail, which shows that the check could",
        "have failed.",
        "",
    ]
    if only:
        lines += [f":::{{warning}}\nPreview: only the chapter `{only}` was executed for this page.\n:::", ""]
    lines += [GRAPH.format(number=len(graph.nodes(claims)), svg=graph.svg(claims))]
    known = {c["id"]: c for c in claims}
    for title, belongs in TABLES:
        lines += [f"## {title}", "", "::::{list-table}", ":class: ledger sortable", ":header-rows: 1"]
        lines += [":widths: 17 14 40 29", "", "* - Statement", "  - Standing", "  - In our words", "  - Evidence"]
        for claim in filter(belongs, claims):
            mine = [r for r in records if r["claim"] == claim["id"]]
            lines += row(claim, mine, *standing[claim["id"]], known, code.get(claim["id"], []))
        lines += ["::::", ""]
    return "\n".join(lines)


def row(
    claim: dict[str, Any],
    records: list[dict[str, Any]],
    word: str,
    fallen: list[str],
    known: dict[str, dict[str, Any]],
    code: list[tuple[str, str]],
) -> list[str]:
    """One claim as the four cells of a row."""
    place = {"erratum": f"to {', '.join(known[i]['label'] for i in claim.get('about', []))}"}.get(
        claim["kind"], f"{claim['kind']}, §{claim['section']}" if claim["source"] == "paper" else claim["kind"]
    )
    if claim.get("arxiv"):
        place += f"; arXiv: {claim['arxiv']}"
    name = f'<span id="{claim["id"]}">**{plain(claim["label"])}**</span><br><small>{plain(place)}</small>'
    says = [with_links(claim["statement"], known)]
    if claim["kind"] == "erratum":
        full = link(address(claim["id"], known), "Printed form, witness, correction")
        says.append(f"<small>{full}; {claim.get('consequence', '')}.</small>")
    elif claim["verdict"] not in ("definition", "cited"):
        what = "Printed form" if claim["source"] == "paper" else "Verdict"
        says.append(f"<small>{what}: {claim['verdict']}.</small>")
    if claim.get("note"):
        says.append(f"*Note:* {with_links(claim['note'], known)}")
    if claim.get("errata"):
        says.append("<small>Errata: " + ", ".join(link(address(e, known), e) for e in claim["errata"]) + ".</small>")
    if claim.get("uses"):
        below = ", ".join(link(address(i, known), known[i]["label"]) for i in claim["uses"])
        says.append(f"<small>Rests on: {below}.</small>")
    if fallen:
        says.append(
            "<small>In the end on a statement that fails as printed: "
            + ", ".join(link(f"#{i}", known[i]["label"]) for i in fallen)
            + ".</small>"
        )
    shown = []
    for record in records:
        cell = link(f"{record['chapter']}.html#{record['anchor']}", record["evidence"])
        controls = "".join(f"<br><small>Control: {plain(c)}</small>" for c in record["controls"])
        shown.append(f"{cell}: {plain(finding(record))}{controls}")
    if not records:
        shown = [
            with_links(claim["reason"], known)
            if claim.get("reason")
            else f"Owed: {claim['owed']}, in chapter `{claim['chapter']}`."
        ]
    if code:
        places = [link(f"notation.html#{re.sub('[._]', '-', module)}", f"{module}.{it}") for module, it in code]
        tests = sorted({f"tests/core/{module.partition('.')[0]}" for module, _ in code})
        shown.append(f"<small>Code: {', '.join(places)}; tests: {', '.join(f'`{test}`' for test in tests)}.</small>")
    return [f"* - {name}", f"  - {badge(word)}", f"  - {'<br>'.join(says)}", f"  - {'<br>'.join(shown)}"]
