"""Claims, errata and records to try the pages of the ledger with."""

import shutil
from dataclasses import replace
from pathlib import Path

import yaml
from companion.site import project

from sphinx_claims import record as ledger
from sphinx_claims.claims import LISTS, Claim, read
from sphinx_claims.ledger import Ledger

BOOK = Path(__file__).parents[2] / "book"
SETTINGS = project.settings()
CLAIMS = read(SETTINGS)
CHAPTER = "02-uniform"


def claim(name="lemma-9", **changes):
    base = {"label": name.title(), "section": "3", "kind": "lemma", "source": "paper", "statement": "$a$"}
    base |= {"verdict": "true", "chapter": CHAPTER, "page": CHAPTER, "required": "exhaustive", **changes}
    return Claim(name, **{key: tuple(value) if key in LISTS else value for key, value in base.items()})


def erratum(name, about, **changes):
    parts = {"printed": "$1 < 1$.", "witness": "{claim}`base`: 1.", "corrected": "$1 \\le 1$.", "artefact": "no"}
    base = {"kind": "erratum", "verdict": "false as printed", "required": "refuted", "about": about, "label": name}
    return claim(name, **{**base, "consequence": "constant", **parts, **changes})


def passing(name="lemma-9", **changes):
    arguments = {"evidence": "exhaustive", "over": "networks", "control": {"4 becomes 1": 1.0}, **changes}
    return ledger.check(name, arguments.pop("lhs", [1.0, 2.0]), 4.0, **arguments)


def record(made, page=CHAPTER):
    """A record as it is read from the notebook of a page."""
    return replace(made, page=page)


def ledgered(claims, records=(), settings=SETTINGS):
    return Ledger.of(settings, claims, list(records))


def small_book(root, page, claims):
    """The folder of a book with one chapter: its page, and its claims as they stand in their file."""
    folder = root / "book"
    (folder / "claims").mkdir(parents=True)
    (root / "_toc.yml").write_text(f"root: book/index\nchapters:\n  - file: book/{CHAPTER}\n")
    (folder / f"{CHAPTER}.md").write_text(page)
    (folder / f"claims/{CHAPTER}.yml").write_text(yaml.safe_dump(claims))
    (folder / "claims/published.yml").write_text("# A comment.\n{}\n")
    shutil.copy(BOOK / "claims.toml", folder)
    return folder


def notebook(*records):
    """An executed notebook of one cell, which has left these records."""
    return {"cells": [{"cell_type": "code", "outputs": [{"data": r._repr_mimebundle_()} for r in records]}]}


def entry(made):
    """A claim as it stands in its file."""
    found = {key: value for key, value in vars(made).items() if isinstance(value, (str, tuple)) and value}
    found = {key: list(value) if key in LISTS else value for key, value in found.items()}
    return {key: value for key, value in found.items() if key not in ("chapter", "page", "number", "place")}
