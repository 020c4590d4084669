"""The errata: the printed form, the witness and the correction of each, by consequence."""

from ..claims import Claim
from ..ledger import Ledger
from ..settings import MEANINGS
from .words import badge, in_print, link, one_line, proved, roles, titled, to_records

# The kinds of statement that a paper numbers.
NUMBERED = ("theorem", "lemma", "proposition", "corollary", "conjecture", "remark")
# What an erratum does to a statement that rests on what it is about, by its verdict.
BEYOND = {
    "false as printed": "False as printed too, partly or wholly for this reason",
    "settled": "Settled, partly or wholly for this reason",
    "true, proof repaired": "True, with its proof repaired",
    "true": "Rests on it, and is true in the corrected reading",
}
# The same of what it is about, where the verdict does not say it.
HERE = {"definition": "to be read in the corrected form", "cited": "cited, not checked"}


def count(ledger: Ledger) -> str:
    """How many errata stand."""
    return str(len(ledger.errata))


def verdicts(ledger: Ledger) -> str:
    """The numbered statements of the paper by their verdict."""
    lines = []
    for verdict, meaning in (ledger.settings.numbered or MEANINGS).items():
        mine = []
        for claim in ledger.claims:
            if claim.source == "paper" and claim.kind in NUMBERED and claim.verdict == verdict:
                mine.append(claim.id)
        if mine:
            lines.append(f"- *{meaning}* ({len(mine)}): {roles(mine)}.")
    return "\n".join(lines)


def consequences(ledger: Ledger) -> str:
    """The words for consequences, with their meanings."""
    lines = []
    for word, meaning in ledger.settings.consequences.items():
        number = sum(erratum.consequence == word for erratum in ledger.errata)
        lines.append(f'- <span class="standing consequence-{word}">{word}</span> ({number}): {meaning}.')
    return "\n".join(lines)


def sheet(ledger: Ledger) -> str:
    """The standing errata in short: what is wrong, and for those that matter most what is right."""
    sections = list(ledger.sections)
    at_length = list(ledger.settings.consequences)[:2]
    lines = []
    for erratum in sorted(ledger.errata, key=lambda one: (sections.index(one.sections[0]), int(one.id[1:]))):
        place = ", ".join(map(titled, erratum.sections))
        said = f"{{claim}}`{erratum.id}` ({place}). {one_line(erratum.statement)}"
        if erratum.consequence in at_length:
            said += f" *Correct:* {one_line(erratum.corrected)}"
        lines.append(f"- {said}")
    return "\n".join(lines)


def entries(ledger: Ledger) -> str:
    """The errata by consequence, each in a box of its own that opens; those withdrawn last."""
    withdrawn = [claim for claim in ledger.claims if claim.verdict == "withdrawn"]
    lines = []
    for word in ledger.settings.consequences:
        mine = [erratum for erratum in ledger.errata if erratum.consequence == word]
        if mine:
            lines += [f"## {ledger.settings.headings.get(word, word.capitalize())}", ""]
        for erratum in mine:
            lines += entry(ledger, erratum)
    if withdrawn:
        lines += ["## Withdrawn", ""]
    for erratum in withdrawn:
        said = one_line(erratum.statement).rstrip(".")
        parts = [("It said", [one_line(erratum.printed)]), ("Withdrawn, because", [one_line(erratum.withdrawn)])]
        lines += box(ledger, erratum, f"Withdrawn: {said}", parts)
    return "\n".join(lines)


def box(ledger: Ledger, erratum: Claim, title: str, parts: list[tuple[str, list[str]]]) -> list[str]:
    """An erratum as a box that opens: first where it belongs, what it is about, how it stands."""
    about = f"{titled(erratum.sections[0])}, {roles(erratum.about)}"
    head = f'<span id="{erratum.id}" class="erratum">{about}</span> {badge(ledger.standing(erratum))}'
    if erratum.proved:
        head += f" {proved(ledger, erratum)}"
    lines = [f"::::{{dropdown}} {erratum.id}. {title}", head, ""]
    for part, texts in parts:
        lines += [part, f": {'<br>'.join(texts)}", ""]
    return [*lines, "::::", ""]


def entry(ledger: Ledger, erratum: Claim) -> list[str]:
    """One erratum: its form as printed, the witness, the correction, what follows."""
    printed = [one_line(erratum.printed)]
    witness = [one_line(erratum.witness)]
    corrected = [one_line(erratum.corrected)]
    records = ledger.evidence[erratum.id]
    for found, run in zip(records, to_records(records, "Run", erratum.id), strict=True):
        where = "On the witness"
        kind = ""
        if found.evidence != "refuted":
            where = "Control of the check"
            kind = f" ({found.evidence})"
        witness.append(f"{run}: {in_print(ledger, found.finding)}{kind}.")
        corrected += [f"{where}, {in_print(ledger, control)}." for control in found.controls]
    if not records:
        absent = f"Its chapter, `{erratum.chapter}`, was not executed for this page."
        witness.append(f"Not run. {one_line(erratum.reason or absent)}")
    further = changes(ledger, erratum)
    parts = [("Printed", printed), ("Witness", witness), ("Corrected", corrected), ("What else changes", further)]
    if erratum.artefact:
        parts.append(("Artefact of text extraction?", [ledger.settings.artefacts[erratum.artefact]]))
    return box(ledger, erratum, one_line(erratum.statement).rstrip("."), parts)


def changes(ledger: Ledger, erratum: Claim) -> list[str]:
    """What the erratum does to the statements it concerns and to those that rest on them."""
    direct: dict[str, list[str]] = {}
    for name in erratum.about:
        direct.setdefault(ledger.known[name].verdict, []).append(name)
    texts = [f"{roles(members)}: {HERE.get(verdict, verdict)}." for verdict, members in direct.items()]
    beyond = ledger.downstream(erratum)
    for verdict, members in beyond.items():
        texts.append(f"{BEYOND.get(verdict, f'Rests on it ({verdict})')}: {roles(members)}.")
    if not beyond:
        texts.append("Beyond these, nothing.")
    return [*texts, link(f"map.html#{erratum.id}", "In the graph", f"{erratum.id} in the graph") + "."]
