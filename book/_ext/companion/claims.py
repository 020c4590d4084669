"""The claims of the book: what ``book/claims/NN-name.yml`` says about them, with their statements from the chapters.

A statement stands once. It is the text of the chapter's box (``{prf:theorem}`` and its like) whose label is the claim's
id or its ``box``; only a claim without a box has a ``statement`` of its own. Boxes of this project are numbered in the
order of their chapter, "Theorem 6.3".
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from companion import text_of
from sparse_book.ledger import LedgerError

Claim = dict[str, Any]
Claims = list[Claim]
Records = list[dict[str, Any]]

OURS = " (ours)"  # how a label ends
LISTS = ("uses", "errata", "about")
BOX = re.compile(r"^(`{3,}|:{3,})\{prf:(\w+)\}[^\n]*\n((?::[^\n]*\n)*)(.*?)^\1\s*$", re.M | re.S)


def read(book: Path) -> Claims:
    """All claims in the order of the chapters, each with its ``chapter`` and its ``statement``; or a LedgerError."""
    chapters = re.findall(r"file: book/(\d\d-[\w-]+)", text_of(book.parent / "_toc.yml"))
    claims = []
    for path in sorted((book / "claims").glob("*.yml")):
        if path.name == "published.yml":
            continue
        if path.stem not in chapters:
            raise LedgerError(f"claims/{path.name}: there is no chapter {path.stem} in _toc.yml.")
        source = book / f"{path.stem}.md"
        boxes = statements(text_of(source)) if source.is_file() else {}
        found = entries(path)
        ours = {entry.get("box", entry["id"]) for entry in found if entry.get("source") == "ours"}
        order = [label for label in boxes if label in ours]
        numbers = {label: f"{boxes[label][0]} {int(path.stem[:2])}.{i}" for i, label in enumerate(order, start=1)}
        claims += [completed(entry, path.stem, boxes, numbers) for entry in found]
    theorems = machine_checked(book)["theorems"]
    for claim in claims:
        if "proved" in claim and claim["proved"] not in theorems:
            raise LedgerError(f"{claim['id']}: proved names {claim['proved']}, which is not in proofs/statements.json.")
    return claims


def machine_checked(book: Path) -> dict[str, dict[str, Claim]]:
    """The definitions and the theorems of proofs/statements.json by name, each with its note and what Coq prints."""
    path = book.parent / "proofs/statements.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"definitions": {}, "theorems": {}}


def entries(path: Path) -> Claims:
    """The entries of one file: a list of mappings with texts, and lists of ids where those belong."""
    found = read_yaml(path, list)
    for number, entry in enumerate(found, start=1):
        if not (isinstance(entry, dict) and isinstance(entry.get("id"), str)):
            raise LedgerError(f"claims/{path.name}: entry {number} must be a mapping with an id, not {entry!r:.60}.")
        for key, value in entry.items():
            texts = value if key in LISTS and isinstance(value, list) else [value]
            if (key in LISTS) != isinstance(value, list) or not all(isinstance(text, str) for text in texts):
                form = "a list of ids" if key in LISTS else "text (in quotes, if YAML reads something else)"
                raise LedgerError(f"claims/{path.name}: {entry['id']}: {key} must be {form}, not {value!r:.60}.")
    return found


def completed(entry: Claim, chapter: str, boxes: dict[str, tuple[str, str]], numbers: dict[str, str]) -> Claim:
    """The claim with its chapter and, if it stands in a box there, the box, its text and, if it is ours, its number."""
    box = entry.get("box", entry["id"])
    if box in boxes:
        if "statement" in entry:
            raise LedgerError(f"{entry['id']}: its statement stands in a box of {chapter}.md; it must not stand twice.")
        number = {"number": numbers[box]} if box in numbers else {}
        return {**entry, "chapter": chapter, "box": box, "statement": boxes[box][1], **number}
    if "box" in entry:
        raise LedgerError(f"{entry['id']}: there is no box {box} in {chapter}.md.")
    return {**entry, "chapter": chapter}


def statements(source: str) -> dict[str, tuple[str, str]]:
    """By its label the kind of each box, "Lemma", and its text, on one line, displayed formulas in line."""
    found = {}
    for _, kind, options, text in BOX.findall(source):
        if label := re.search(r":label: *(\S+)", options):
            text = " ".join(re.sub(r"\$\$(.*?)\$\$", in_line, text, flags=re.S).split())
            found[label[1]] = kind.capitalize(), text
    return found


def name(claim: Claim) -> str:
    """The name for readers: "Lemma 9" or, of what is numbered, "Theorem 2.4 (Fourier tail)"."""
    return f"{claim['number']} ({claim['label'].removesuffix(OURS)})" if "number" in claim else claim["label"]


def order(claim: Claim) -> list[int]:
    """Where a numbered claim stands in a list of ours; those without a number come last, and keep their order."""
    return list(map(int, claim.get("number", "_ 99").split(" ")[1].split(".")))


def in_line(displayed: re.Match[str]) -> str:
    """A displayed formula as one in the text, whose lines are broken when there is need, not where it was aligned."""
    formula = displayed[1]
    if r"\begin{aligned}" in formula:
        formula = re.sub(r"\\(?:begin|end)\{aligned\}|&|\\\\", " ", formula)
    return f"${formula.strip()}$"


def read_yaml(path: Path, kind: type) -> Any:
    """The contents of a YAML file as plain data of one kind; a broken file is a problem of the ledger."""
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise LedgerError(f"{path.name} cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(found, kind):
        raise LedgerError(f"{path.name} cannot be read: it must hold a {kind.__name__}, not {found!r:.60}")
    return found


def by_id(claims: Iterable[Claim]) -> dict[str, Claim]:
    return {claim["id"]: claim for claim in claims}


def place(claim: Claim, records: Records) -> str:
    """Where a claim stands: at its box, at its first record (in its own chapter if it can), or in a section."""
    if "box" in claim:
        return f"{claim['chapter']}.html#{claim['box']}"
    mine = [record for record in records if record["claim"] == claim["id"]]
    if mine:
        first = min(mine, key=lambda record: record["chapter"] != claim["chapter"])
        return f"{first['chapter']}.html#{first['anchor']}"
    return f"{claim['chapter']}.html#{claim['stands_in']}" if "stands_in" in claim else ""
