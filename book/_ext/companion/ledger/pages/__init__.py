"""The generated pages: pure functions of the claims and of the records in the executed notebooks."""

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import Any

import sparse_book
import sparse_core
import sparse_meter
from companion.ledger import audit, claims, published
from companion.ledger.pages import data, errata, graph, ledger, proofs
from companion.site import figures
from sparse_book.claims import Claim, machine_checked, pages_of, proof, read
from sparse_book.ledger import EVIDENCE, EXERCISE, MIME, LedgerError, Record

PACKAGES = [Path(package.__path__[0]) for package in (sparse_core, sparse_meter, sparse_book)]


def collect(executed: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The records in the outputs of executed notebooks, each with the chapter in which it stands; not of exercises."""
    found = [
        {**sound(output["data"][MIME], stem), "chapter": stem}
        for stem, notebook in executed.items()
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        if MIME in output.get("data", {})
    ]
    return [record for record in found if not record["claim"].startswith(EXERCISE)]


def sound(record: dict[str, Any], stem: str) -> dict[str, Any]:
    """The record, if it has the form and the evidence of those that ``check`` and ``refute`` leave."""
    kinds = {"claim": str, "anchor": str, "over": str, "count": int, "pairs": int, "evidence": str}
    whole = isinstance(record, dict) and record.keys() >= {field.name for field in fields(Record)}
    if whole and all(isinstance(record[key], kind) for key, kind in kinds.items()):
        if record["evidence"] in (*EVIDENCE, "refuted"):
            return record
    raise LedgerError(f"{stem}: this is no record of ledger.check or ledger.refute: {record!r:.99}")


def published_anew(book: Path, executed: Mapping[str, dict[str, Any]], today: date) -> tuple[str, list[str]]:
    """The text of claims/published.yml for the claims and the evidence as they are now, and what is other than it was;
    the comment at its top stays."""
    path = book / "claims/published.yml"
    head = re.match(r"(?:#.*\n)*", path.read_text(encoding="utf-8"))
    then = published.read(book)
    now = published.blocks(read(book), collect(executed), book)
    lines = published.moved(now, then) + published.fewer(now, then)
    return (head[0] if head else "") + published.text(published.renewed(now, then, today)), lines


def write(
    book: Path,
    stage: Path,
    executed: Mapping[str, dict[str, Any]],
    only: str | None = None,
    accepted: bool = True,
) -> None:
    """Write the generated pages, what proofs.md leaves open, site/claims.json for readers with its schema, and
    claims.json for the Sphinx extension to stage/book; or raise a LedgerError that gives all reasons.

    ``executed`` maps the stem of each executed chapter to its notebook; ``only`` names the one chapter of a preview,
    which has none of these pages. ``accepted`` says whether the prover was run for this build.
    """
    entries = read(book)
    records = collect(executed)
    then = published.read(book)
    now = published.blocks(entries, records, book)
    moved = published.moved(now, then)
    complete = {entry["chapter"] for entry in entries if executed.keys() >= set(pages_of(entry["chapter"], book))}
    problems = audit.audit(entries, records, complete)
    if only:  # which is to be looked at, whatever else is to be done
        print(*(f"  {line}" for line in moved), sep="\n", end="\n" * bool(moved), flush=True)
    else:
        moved += [] if problems else published.fewer(now, then)  # an error in a cell would be named twice
        problems += [f"{line}; {published.CONFIRM}." for line in moved]
    if problems:
        reasons = "\n".join(f"  - {problem}" for problem in problems)
        raise LedgerError(f"the claims and the evidence disagree ({len(problems)}):\n{reasons}")
    checked: dict[str, Any] = machine_checked(book)
    placed = []
    for entry in entries:
        claim = {**entry, "place": claims.place(entry, records), "proof": proof(book, entry)}
        claim["digest"] = published.digest(published.said(now[entry["id"]]))
        claim["changed"] = str(then[entry["id"]]["changed"]) if entry["id"] in then else ""
        claim["part"] = claim["proof"]["part"] if claim["proof"] else ""
        claim["command"] = Claim.of(claim, book).command()
        placed.append(claim)
    (stage / "book/claims.json").write_text(json.dumps(placed), encoding="utf-8")
    site = stage / "book/site"
    site.mkdir()
    if only:  # a preview has none of these pages
        return
    pages = {
        "ledger.md": ledger.page(placed, records, ledger.cited(PACKAGES)),
        "errata.md": errata.page(placed, records),
        "errata-sheet.md": errata.sheet(placed),
        "map.md": graph.page(placed),
    }
    if shown := figures.slides(book):
        pages["slides.md"] = figures.page_of(shown)
    if (keys := book / "data.md").is_file():
        pages["ledger.md"] += ledger.as_data(keys.read_text(encoding="utf-8"))
    for name, text in pages.items():
        (stage / "book" / name).write_text(text, encoding="utf-8")
    text = json.dumps(data.document(placed, records), ensure_ascii=False, allow_nan=False, indent=1)
    (site / "claims.json").write_text(text + "\n", encoding="utf-8")
    shutil.copy(Path(__file__).with_name("claims.schema.json"), site)
    proofs.fill(stage / "book/proofs.md", placed, **checked)
    for page in (stage / "book/ledger.md", stage / "book/proofs.md"):
        if not accepted and page.is_file():
            page.write_text(proofs.not_run(page.read_text(encoding="utf-8")), encoding="utf-8")
