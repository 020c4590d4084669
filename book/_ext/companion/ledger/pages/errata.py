"""The errata page: the printed form, the witness and the correction of each, by consequence."""

from itertools import groupby

from companion.ledger.audit import ARTEFACTS, CONSEQUENCES, rests_on_false, status
from companion.ledger.claims import (
    SECTIONS,
    Claim,
    Claims,
    Records,
    badge,
    by_id,
    in_print,
    link,
    one_line,
    proved,
    roles,
    sections,
    titled,
    to_records,
)
from companion.site import links
from sparse_book.ledger import Record

INTRODUCTION = """\
# Errata

Checking the paper line by line, we found {count} passages whose printed form is wrong or incomplete. This page lists
them for those who build on the paper: the printed form, the smallest witness that we know, the corrected form, what
else changes, and whether the error may be an artefact of the text extraction that we worked with. Each witness is
executed unless its entry says why not. *Run* leads to its cell, and the label of the record there leads back here.
{{doc}}`One sheet of paper <errata-sheet>` has them all in short. The authors of the paper have not seen this list.

How the numbered theorems, lemmas and conjectures of the paper stand, from the verdicts of the [ledger](ledger):

{stand}

(report)=
We may be wrong ourselves. If you find that an entry misreads the paper, that a witness does not show what it says, or
that a statement of ours is false, please open an issue in {repository}, or a pull request that changes the cell in
question: an entry is withdrawn in the open, and its number is not used again. What is withdrawn stands at the end,
with the reason, and is not counted above.

The entries stand in the order of their consequence. What the words mean:

"""

# Of these the sheet gives the correction, for which it has no room otherwise.
AT_LENGTH = ("consequential", "gap")
HEADINGS = {"gap": "Gaps", "constant": "Constants", "corner": "Corners"}
NUMBERED = ("theorem", "lemma", "conjecture", "remark")
VERDICTS = {
    "true": "true as printed",
    "true, proof repaired": "true after repair: of the proof, or of the smallest cases",
    "open": "open as printed",
    "settled": "settled: conjectures that are false as printed, with the form that is true",
    "false as printed": "false as printed, with a corrected form",
}


SHEET = """\
# Errata on one sheet

To P. Awasthi, N. Dikkala, P. Kamath and R. Meka, “Learning Neural Networks with Sparse Activations”, COLT 2024 (PMLR
247, 406–425). {count} entries, from a line-by-line check in the book “Sparse Activations, Executable”; the authors have
not seen them. Behind each number stand the printed form, a witness that is run, and the correction in full. The main
results survive in substance.

:::{{container}} errata-sheet
{entries}
:::
"""


def sheet(claims: Claims) -> str:
    """The standing errata on a sheet of A4: what is wrong, and for those that matter most what is right."""
    standing = [c for c in claims if c["kind"] == "erratum" and c["verdict"] != "withdrawn"]
    entries = []
    for erratum in sorted(standing, key=lambda c: (list(SECTIONS).index(sections(c)[0]), int(c["id"][1:]))):
        place = ", ".join(map(titled, sections(erratum)))
        said = f"{{claim}}`{erratum['id']}` ({place}). {one_line(erratum['statement'])}"
        if erratum["consequence"] in AT_LENGTH:
            said += f" *Correct:* {one_line(erratum['corrected'])}"
        entries.append(f"- {said}")
    return SHEET.format(count=len(entries), entries="\n".join(entries))


def page(claims: Claims, records: Records) -> str:
    """The errata as MyST Markdown, by consequence, each in a box of its own that opens."""
    withdrawn = [c for c in claims if c["kind"] == "erratum" and c["verdict"] == "withdrawn"]
    errata = [c for c in claims if c["kind"] == "erratum" and c not in withdrawn]
    errata.sort(key=lambda c: list(CONSEQUENCES).index(c["consequence"]))
    standing = status(claims, records)
    here = "the repository of this book"
    place = f"[{here}]({links.repository()}/issues)" if links.repository() else here
    lines = INTRODUCTION.format(count=len(errata), stand="\n".join(stand(claims)), repository=place).splitlines()
    for word, meaning in CONSEQUENCES.items():
        number = sum(c["consequence"] == word for c in errata)
        lines.append(f'- <span class="standing consequence-{word}">{word}</span> ({number}): {meaning}.')
    lines.append("")
    for word, mine in groupby(errata, key=lambda c: c["consequence"]):
        lines += [f"## {HEADINGS.get(word, word.capitalize())}", ""]
        for erratum in mine:
            found = [record for record in records if record["claim"] == erratum["id"]]
            lines += entry(erratum, found, standing[erratum["id"]][0], claims)
    lines += ["## Withdrawn", ""] if withdrawn else []
    for erratum in withdrawn:
        said = one_line(erratum["statement"]).rstrip(".")
        parts = [("It said", [one_line(erratum["printed"])]), ("Withdrawn, because", [one_line(erratum["withdrawn"])])]
        lines += box(erratum, f"Withdrawn: {said}", "withdrawn", parts)
    return "\n".join(lines)


def stand(claims: Claims) -> list[str]:
    """The numbered statements of the paper by their verdict."""
    lines = []
    for verdict, meaning in VERDICTS.items():
        mine = [c for c in claims if c["source"] == "paper" and c["kind"] in NUMBERED and c["verdict"] == verdict]
        lines += [f"- *{meaning}* ({len(mine)}): {roles(c['id'] for c in mine)}."] if mine else []
    return lines


def box(erratum: Claim, title: str, standing: str, parts: list[tuple[str, list[str]]]) -> list[str]:
    """An erratum as a box that opens: first where it belongs, what it is about, how it stands."""
    name = erratum["id"]
    about = roles(erratum["about"])
    head = f'<span id="{name}" class="erratum">{titled(sections(erratum)[0])}, {about}</span> {badge(standing)}'
    head += f" {proved(erratum)}" if "proved" in erratum else ""
    lines = [f"::::{{dropdown}} {name}. {title}", head, ""]
    for part, texts in parts:
        lines += [part, f": {'<br>'.join(texts)}", ""]
    return [*lines, "::::", ""]


def entry(erratum: Claim, records: Records, standing: str, claims: Claims) -> list[str]:
    """One erratum: its form as printed, the witness, the correction, what follows."""
    name = erratum["id"]
    printed, witness, corrected = ([one_line(erratum[key])] for key in ("printed", "witness", "corrected"))
    for record, run in zip(records, to_records(records, "Run", name), strict=True):
        found = Record.of(record)
        refuted = found.evidence == "refuted"
        where = "On the witness" if refuted else "Control of the check"
        witness.append(f"{run}: {in_print(found.finding)}{'' if refuted else f' ({found.evidence})'}.")
        corrected += [f"{where}, {in_print(control)}." for control in found.controls]
    if not records:
        absent = f"Its chapter, `{erratum['chapter']}`, was not executed for this page."
        witness.append(f"Not run. {one_line(erratum.get('reason', absent))}")
    parts = [("Printed", printed), ("Witness", witness), ("Corrected", corrected)]
    parts.append(("What else changes", downstream_words(erratum, claims)))
    parts.append(("Artefact of text extraction?", [ARTEFACTS[erratum["artefact"]]]))
    return box(erratum, one_line(erratum["statement"]).rstrip("."), standing, parts)


def downstream(erratum: Claim, claims: Claims) -> dict[str, list[str]]:
    """The verdicts of the statements that rest, directly or not, on a statement that the erratum makes false.

    What rests on a statement whose proof has been repaired no longer rests on the erratum's.
    """
    false = rests_on_false(claims)
    found: dict[str, list[str]] = {}
    for claim in claims:
        if claim["kind"] != "erratum" and claim["id"] not in erratum["about"]:
            if false[claim["id"]].intersection(erratum["about"]):
                found.setdefault(claim["verdict"], []).append(claim["id"])
    return found


def downstream_words(erratum: Claim, claims: Claims) -> list[str]:
    """What the erratum does to the statements it concerns and to those that rest on them."""
    known = by_id(claims)
    beyond = {
        "false as printed": "False as printed too, partly or wholly for this reason",
        "settled": "Settled, partly or wholly for this reason",
        "true, proof repaired": "True, with its proof repaired",
        "true": "Rests on it, and is true in the corrected reading",
    }
    direct: dict[str, list[str]] = {}
    for name in erratum["about"]:
        direct.setdefault(known[name]["verdict"], []).append(name)
    here = {"definition": "to be read in the corrected form", "cited": "cited, not checked"}
    texts = [f"{roles(members)}: {here.get(verdict, verdict)}." for verdict, members in direct.items()]
    found = downstream(erratum, claims)
    for verdict, members in found.items():
        texts.append(f"{beyond.get(verdict, f'Rests on it ({verdict})')}: {roles(members)}.")
    texts += [] if found else ["Beyond these, nothing."]
    return [*texts, link(f"map.html#{erratum['id']}", "In the graph", f"{erratum['id']} in the graph") + "."]
