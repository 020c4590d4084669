"""What a build asks of a ledger: whether it may be shown, and its files."""

import datetime
import json
import re
import shutil
from collections.abc import Container, Sequence
from dataclasses import replace
from pathlib import Path

from . import audit, export, published
from .claims import pages_of, read
from .ledger import Ledger
from .record import LedgerError, Record
from .settings import Settings


def ledger_of(settings: Settings, records: Sequence[Record]) -> Ledger:
    """The ledger of the claims in the files and of these records."""
    return Ledger.of(settings, read(settings), records)


def dated(ledger: Ledger) -> Ledger:
    """The ledger with the digest of what each claim says, and the day on which it last moved."""
    now = published.blocks(ledger)
    then = published.read(ledger.settings)
    claims = []
    for claim in ledger.claims:
        day = then.get(claim.id, {}).get("changed", "")
        claims.append(replace(claim, digest=published.digest(published.said(now[claim.id])), changed=str(day)))
    return Ledger(ledger.settings, claims, ledger.records)


def moved(ledger: Ledger) -> list[str]:
    """What is said otherwise than was published; nothing where nothing was published yet."""
    return published.moved(published.blocks(ledger), published.read(ledger.settings))


def agree(ledger: Ledger, pages: Container[str]) -> None:
    """Raise a LedgerError that gives every reason why the ledger must not be shown; ``pages`` are those executed."""
    problems = problems_of(ledger, pages)
    then = published.read(ledger.settings)
    lines = moved(ledger)
    if then and not problems:  # an error in a cell would be named twice
        lines += published.lost_evidence(published.blocks(ledger), then)
    disagree([*problems, *(f"{line}; {published.confirmed(ledger.settings)}." for line in lines)])


def problems_of(ledger: Ledger, pages: Container[str]) -> list[str]:
    """What the audit finds, with the evidence of the chapters that were executed in whole."""
    chapters = {claim.chapter for claim in ledger.claims}
    whole = [name for name in chapters if all(page in pages for page in pages_of(ledger.settings, name))]
    return audit.audit(ledger, whole)


def disagree(problems: list[str]) -> None:
    if problems:
        reasons = "\n".join(f"  - {problem}" for problem in problems)
        raise LedgerError(f"the claims and the evidence disagree ({len(problems)}):\n{reasons}")


def published_anew(ledger: Ledger, today: datetime.date) -> tuple[str, list[str]]:
    """The text of published.yml for the claims and the evidence as they are now, and what is other than it was; the
    comment at its top stays."""
    path = ledger.settings.root / ledger.settings.claims / "published.yml"
    head = ""
    if path.is_file():
        head = re.split(r"^(?!#)", path.read_text(encoding="utf-8"), maxsplit=1, flags=re.MULTILINE)[0]
    then = published.read(ledger.settings)
    now = published.blocks(ledger)
    lines = published.moved(now, then) + published.lost_evidence(now, then)
    return head + published.text(published.renewed(now, then, today)), lines


def write_data(ledger: Ledger, folder: Path) -> None:
    """Write claims.json and its schema."""
    text = json.dumps(export.document(dated(ledger)), ensure_ascii=False, allow_nan=False, indent=1)
    (folder / "claims.json").write_text(text + "\n", encoding="utf-8")
    shutil.copy(export.SCHEMA, folder)
