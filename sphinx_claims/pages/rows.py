"""The tables of the ledger: every claim with its verdict, and the evidence that the executed notebooks bear for it."""

from collections import Counter
from collections.abc import Callable

from ..claims import Claim
from ..ledger import Ledger
from ..record import Record
from ..settings import STANDINGS
from .words import badge, in_print, link, one_line, order, plain, proved, roles, titled, to_records

TABLES: tuple[tuple[str, Callable[[Claim], bool]], ...] = (
    ("The paper's statements", lambda claim: claim.source == "paper" and not claim.is_erratum),
    ("Errata", lambda claim: claim.is_erratum),
    ("Results of this project", lambda claim: claim.source == "ours" and not claim.is_erratum),
    ("Results of others", lambda claim: claim.source == "other"),
)


def standings(ledger: Ledger) -> str:
    """The words for how a claim stands, those that are used, with their meanings."""
    counts = Counter(map(ledger.standing, ledger.claims))
    meanings = {**STANDINGS, **ledger.settings.standings}
    return "\n".join(f"- {badge(word)} ({counts[word]}): {meanings[word]}." for word in meanings if counts[word])


def tables(ledger: Ledger) -> str:
    """All claims: a table for each section, in four parts."""
    anchored: set[str] = set()
    lines: list[str] = []
    for title, belongs in TABLES:
        mine = sorted(filter(belongs, ledger.claims), key=order)
        if mine:
            lines += [f"## {title}", ""]
        for section, topic in ledger.sections.items():
            here = [claim for claim in mine if claim.sections[0] == section]
            if not here:
                continue
            lines.append(f":::::{{dropdown}} {titled(section)}{topic and f'. {topic}'} ({len(here)})")
            if section not in anchored:
                lines += [f'<span id="section-{section.lower()}"></span>', ""]
            anchored.add(section)
            lines += ["::::{list-table}", ":class: ledger", ":header-rows: 1", ":widths: 24 44 32", ""]
            lines += ["* - Statement", "  - In our words", "  - Evidence"]
            for claim in here:
                lines += row(ledger, claim)
            lines += ["::::", ":::::", ""]
    return "\n".join(lines)


def row(ledger: Ledger, claim: Claim) -> list[str]:
    """The three cells of a claim."""
    what = plain(kind(ledger, claim))
    if claim.id != claim.label:
        what += f"; `{claim.id}`"
    mark = badge(ledger.standing(claim))
    if claim.proved:
        mark += f"<br>{proved(ledger, claim)}"
    label = f'<span id="{claim.id}">**{plain(claim.name)}**</span><br>{mark}<br><small>{what}</small>'
    first, *rest = says(ledger, claim)
    found = "<br>".join([*evidence(ledger, claim), *ledger.settings.notes.get(claim.id, [])])
    return [f"* - {label}", f"  - {first}", *(f"    {line}" for line in rest), f"  - {found}"]


def kind(ledger: Ledger, claim: Claim) -> str:
    """What a claim is and where it stands in the paper."""
    words = claim.kind
    if claim.is_erratum:
        words = f"to {', '.join(ledger.known[about].name for about in claim.about)}"
    elif claim.source == "paper":
        words = f"{claim.kind}, §{claim.section}"
    if claim.printed_at:
        words += f"; p. {claim.printed_at}"
    if claim.arxiv:
        words += f"; arXiv: {claim.arxiv}"
    return words


def says(ledger: Ledger, claim: Claim) -> list[str]:
    """The statement and the verdict; then, folded, what it rests on and what rests on it."""
    lines = [one_line(claim.statement)]
    if claim.is_erratum:
        text = "Why it is withdrawn"
        consequence = ""
        if not claim.withdrawn:
            text = "Printed form, witness, correction"
            consequence = f"; {claim.consequence}"
        full = link(f"errata.html#{claim.id}", text, f"{text}, {claim.label}")
        lines.append(f"<small>{full}{consequence}.</small>")
    elif claim.verdict not in ("definition", "cited"):
        what = "Printed form" if claim.source == "paper" else "Verdict"
        lines.append(f"<small>{what}: {claim.verdict}.</small>")
    if claim.note:
        lines.append(f"*Note:* {one_line(claim.note)}")
    if claim.errata:
        lines.append(f"<small>Errata: {roles(claim.errata)}.</small>")
    said = ["<br>".join(lines)]
    above = ledger.used_for[claim.id]
    if claim.uses or above:
        of = f'<span class="visually-hidden">: {plain(claim.name)}</span>'
        said += ["", f"<details><summary>Rests on {len(claim.uses)}, used for {len(above)}{of}</summary>"]
        fallen = ledger.upstream(claim)
        parts = {"Rests on": claim.uses, "In the end on a statement that fails as printed": fallen, "Used for": above}
        for before, names in parts.items():
            if names:
                said += ["", f"{before}: {roles(names)}."]
        drawing = link(f"map.html#{claim.id}", "In the drawing", f"{claim.name} in the drawing")
        said += ["", f"{drawing}.", "", "</details>"]
    return said


def evidence(ledger: Ledger, claim: Claim) -> list[str]:
    """What was found, with its smallest slack as a word; or why nothing was run."""
    records = ledger.evidence[claim.id]
    shown = []
    for record, cell in zip(records, to_records(records, "", claim.name), strict=True):
        shown.append(f"{cell}: {found(ledger, record)}")
    if claim.follows and not records:
        shown = [f"Follows from {roles(claim.follows)}."]
    elif not records:
        required = f"Required: {claim.required}, in chapter `{claim.chapter}`."
        shown = [one_line(claim.reason or claim.withdrawn or required)]
    if claim.recipe:
        shown.append(f"<small>To run it again: <code>{claim.recipe}</code></small>")
    return shown


def found(ledger: Ledger, record: Record) -> str:
    """What one check found, and its controls."""
    text = in_print(ledger, record.finding)
    if record.tightness and record.slack:
        text += f" · {record.tightness}"
    if record.pairs < record.count:
        text += in_print(ledger, f" · different pairs: {record.pairs}")
    return text + "".join(f"<br><small>Control: {in_print(ledger, one)}</small>" for one in record.controls)
