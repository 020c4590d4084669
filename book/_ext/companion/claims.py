"""How the pages name and place the claims of the book, which ``sparse_book.claims`` reads.

Boxes of this project are numbered in the order of their chapter, "Theorem 6.3".
"""

from collections.abc import Iterable
from typing import Any

from sparse_book.claims import OURS

Claim = dict[str, Any]
Claims = list[Claim]
Records = list[dict[str, Any]]


def name(claim: Claim) -> str:
    """The name for readers: "Lemma 9" or, of what is numbered, "Theorem 2.4 (Fourier tail)"."""
    return f"{claim['number']} ({claim['label'].removesuffix(OURS)})" if "number" in claim else claim["label"]


def order(claim: Claim) -> list[int]:
    """Where a numbered claim stands in a list of ours; those without a number come last, and keep their order."""
    return list(map(int, claim.get("number", "_ 99").split(" ")[1].split(".")))


def by_id(claims: Iterable[Claim]) -> dict[str, Claim]:
    return {claim["id"]: claim for claim in claims}


def place(claim: Claim, records: Records) -> str:
    """Where a claim stands: at its box, at its first record (in its own chapter if it can), or in a section."""
    if "box" in claim:
        return f"{claim['page']}.html#{claim['box']}"
    mine = [record for record in records if record["claim"] == claim["id"]]
    if mine:
        first = min(mine, key=lambda record: record["chapter"][:2] != claim["chapter"][:2])
        return f"{first['chapter']}.html#{first['anchor']}"
    return f"{claim['page']}.html#{claim['stands_in']}" if "stands_in" in claim else ""
