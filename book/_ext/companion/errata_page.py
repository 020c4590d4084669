"""The errata page: a pure function of claims.yml and of the records in the executed notebooks."""

from __future__ import annotations

from typing import Any

from companion.audit import status
from companion.markup import address, badge, finding, link, plain, with_links, without_tags

CONSEQUENCES = {
    "consequential": "a statement, as printed, is false or means something else, or a step loses more than a constant",
    "gap": "a hypothesis, a quantifier or an argument is missing, and is supplied here",
    "harmless": "a constant, a sign or a symbol; the statements around it stand",
    "degenerate": "only the smallest cases fail, such as one neuron or one bit",
}
ARTEFACT = {
    "no": "Hardly: it does not look like a slip that the extraction of text could make.",
    "possible": "Possibly. We worked with text extracted from the paper; please look at the print.",
}
INTRODUCTION = """\
# Errata

The theorems of the paper mostly stand. While we ran it line by line we met {count} places where the printed form fails
or needs a word more, and this page lists them for those who build on it: the printed form, the smallest witness that
we know, the corrected form, what else changes, and whether the slip may have come from the text extraction that we
worked with. Each witness is executed unless its entry says why not. *Run* leads to its cell, and the label of the
record there leads back here.

We may be wrong ourselves. If you find that an entry misreads the paper, or that its witness does not show what it says,
please open an issue in the repository of this book, or a pull request that changes the witness's cell: an entry is
withdrawn in the open, and its number is not used again.

The entries stand in the order of their consequence. What the words mean:

"""


def incomplete(claims: list[dict[str, Any]]) -> list[str]:
    """Errata that lack a part of their entry, as sentences."""
    needed = {"about": None, "printed": None, "witness": None, "corrected": None,
              "consequence": CONSEQUENCES, "artefact": ARTEFACT}  # fmt: skip
    return [
        f"{claim['id']}: an erratum needs {key}" + (f", one of {', '.join(words)}." if words else ".")
        for claim in claims
        if claim.get("kind") == "erratum"
        for key, words in needed.items()
        if not claim.get(key) or words and claim[key] not in words
    ]


def page(claims: list[dict[str, Any]], records: list[dict[str, Any]], only: str | None = None) -> str:
    """The errata as MyST Markdown, by consequence: a table of all of them, then one section for each."""
    order = list(CONSEQUENCES)
    errata = sorted((c for c in claims if c["kind"] == "erratum"), key=lambda c: order.index(c["consequence"]))
    standing = {name: word for name, (word, _) in status(claims, records).items()}
    known = {c["id"]: c for c in claims}
    lines = INTRODUCTION.format(count=len(errata)).splitlines()
    for word, meaning in CONSEQUENCES.items():
        number = sum(c["consequence"] == word for c in errata)
        lines.append(f"- {pill(word)} ({number}): {meaning}.")
    lines.append("")
    if only:
        lines += [f":::{{warning}}\nPreview: only the chapter `{only}` was executed for this page.\n:::", ""]
    lines += ["## All of them", "", "::::{list-table}", ":class: errata sortable", ":header-rows: 1"]
    lines += [":widths: 10 22 42 26", "", "* - No.", "  - Concerns", "  - What is wrong", "  - Consequence"]
    for erratum in errata:
        name, words = erratum["id"], f"{pill(erratum['consequence'])} {badge(standing[erratum['id']])}"
        says = with_links(erratum["statement"], known, "errata")
        words += "".join(f" {run(r)}" for r in records if r["claim"] == name)
        lines += [f"* - {link(f'#{name}', name)}", f"  - {about(erratum, known)}", f"  - {says}", f"  - {words}"]
    lines += ["::::", ""]
    for word in order:
        mine = [c for c in errata if c["consequence"] == word]
        lines += [f"## {word.capitalize()}", ""] if mine else []
        for erratum in mine:
            lines += entry(erratum, [r for r in records if r["claim"] == erratum["id"]], standing, claims)
    return "\n".join(lines)


def entry(
    erratum: dict[str, Any], records: list[dict[str, Any]], standing: dict[str, str], claims: list[dict[str, Any]]
) -> list[str]:
    """One erratum: its form as printed, the witness, the correction, what follows."""
    known, name = {c["id"]: c for c in claims}, erratum["id"]
    section = f"Appendix {erratum['section']}" if erratum["section"].isalpha() else f"§{erratum['section']}"
    here = f"{section}, {about(erratum, known)}"
    lines = [f"### {name}. {without_tags(erratum['statement']).rstrip('.')}", ""]
    lines += [f'<span id="{name}" class="erratum">{here}</span> {badge(standing[name])}', ""]
    printed, witness, corrected = (
        [with_links(erratum[k], known, "errata")] for k in ("printed", "witness", "corrected")
    )
    for record in records:
        refuted = record["evidence"] == "refuted"
        witness.append(f"{run(record)}: {plain(finding(record))}" + ("." if refuted else f" ({record['evidence']})."))
        words = "On the witness, {}." if refuted else "Control of the check, {}."
        corrected += [words.format(plain(control)) for control in record["controls"]]
    if not records:
        reason = erratum.get("reason") or f"Its chapter, `{erratum['chapter']}`, was not executed for this page."
        witness.append(f"Not run. {with_links(reason, known, 'errata')}")
    parts = [("Printed", printed), ("Witness", witness), ("Corrected", corrected)]
    parts += [("What else changes", downstream_words(erratum, claims))]
    parts += [("Slip of the extraction?", [ARTEFACT[erratum["artefact"]]])]
    for title, texts in parts:
        lines += [title, f": {'<br>'.join(texts)}", ""]
    return lines


def downstream(erratum: dict[str, Any], claims: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The verdicts of the statements that rest, directly or not, on a statement that the erratum makes false.

    A statement whose proof has been repaired no longer rests on it, so the walk ends there.
    """
    known = {c["id"]: c for c in claims}
    frontier = [i for i in erratum["about"] if known[i]["verdict"] == "false as printed"]
    found: dict[str, list[str]] = {}
    seen = set(erratum["about"])
    while frontier:
        below = frontier.pop(0)
        for claim in claims:
            if claim["kind"] != "erratum" and below in claim.get("uses", []) and claim["id"] not in seen:
                seen.add(claim["id"])
                found.setdefault(claim["verdict"], []).append(claim["id"])
                if claim["verdict"] != "true, proof repaired":
                    frontier.append(claim["id"])
    return found


def downstream_words(erratum: dict[str, Any], claims: list[dict[str, Any]]) -> list[str]:
    """What the erratum does to the statements it concerns and to those that rest on them."""
    known = {c["id"]: c for c in claims}
    beyond = {
        "false as printed": "False as printed too, partly or wholly for this reason",
        "true, proof repaired": "True, with its proof repaired",
        "true": "Rests on it, and is true in the corrected reading",
    }
    direct: dict[str, list[str]] = {}
    for name in erratum["about"]:
        direct.setdefault(known[name]["verdict"], []).append(name)
    here = {"definition": "to be read in the corrected form", "cited": "cited, not checked"}
    texts = [f"{names(members, known)}: {here.get(verdict, verdict)}." for verdict, members in direct.items()]
    found = downstream(erratum, claims)
    for verdict, members in found.items():
        texts.append(f"{beyond.get(verdict, f'Rests on it ({verdict})')}: {names(members, known)}.")
    return texts if found else [*texts, "Beyond these, nothing."]


def run(record: dict[str, Any]) -> str:
    """A link to the cell of a record."""
    return link(f"{record['chapter']}.html#{record['anchor']}", "Run")


def about(erratum: dict[str, Any], known: dict[str, dict[str, Any]]) -> str:
    return names(erratum["about"], known)


def names(ids: list[str], known: dict[str, dict[str, Any]]) -> str:
    """Links to the rows of the ledger."""
    return ", ".join(link(address(i, known, "errata"), known[i]["label"]) for i in ids)


def pill(consequence: str) -> str:
    """A consequence as a pill, which a sorted table puts in the order of CONSEQUENCES."""
    order = list(CONSEQUENCES).index(consequence)
    return f'<span class="standing consequence-{consequence}" data-order="{order}">{consequence}</span>'
