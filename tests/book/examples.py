"""Claims, errata and records to try the pages of the ledger with."""

from pathlib import Path

from sparse_book import ledger
from sparse_book.claims import read

BOOK = Path(__file__).parents[2] / "book"
CLAIMS = read(BOOK)
CHAPTER = "02-uniform"


def claim(name="lemma-9", **changes):
    base = {"label": name.title(), "section": "3", "kind": "lemma", "source": "paper", "statement": "$a$"}
    return {
        "id": name,
        **base,
        "verdict": "true",
        "chapter": CHAPTER,
        "page": CHAPTER,
        "required": "exhaustive",
        **changes,
    }


def erratum(name, about, **changes):
    parts = {"printed": "$1 < 1$.", "witness": "{claim}`base`: 1.", "corrected": "$1 \\le 1$.", "artefact": "no"}
    base = {"kind": "erratum", "verdict": "false as printed", "required": "refuted", "about": about, "label": name}
    return claim(name, **{**base, "consequence": "constant", **parts, **changes})


def passing(name="lemma-9", **changes):
    arguments = {"evidence": "exhaustive", "over": "networks", "control": {"4 becomes 1": 1.0}, **changes}
    return ledger.check(name, arguments.pop("lhs", [1.0, 2.0]), 4.0, **arguments)


def record(made):
    return {**made._repr_mimebundle_()[ledger.MIME], "chapter": CHAPTER}
