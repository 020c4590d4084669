"""What a project says of its ledger: the file ``claims.toml`` beside its pages, in which every key may be left out.

What no file can hold, a project gives in Python: how plain text is set, where an error is reported, and what else is
said in a row of the ledger.
"""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from .record import LedgerError

FILE = "claims.toml"
# What a row of the ledger may say of a claim, and what that means.
STANDINGS = {
    "checked": "every instance that the evidence names was computed and agrees",
    "sampled": "no counterexample among random instances; not a proof",
    "refuted": "a witness shows that the printed form fails; the corrected form stands beside it",
    "open": "stated, neither proved nor refuted",
    "follows": "a consequence of statements that are proved and run here, which it names",
    "cited": "a result of others, taken from the literature; nothing to run",
    "not runnable": "about all algorithms or an unproved assumption; only its reductions can be run",
    "withdrawn": "reported as an erratum, and not one; it stands among the errata with the reason",
    "not yet run": "its page has not been run",
}
# The mark of each verdict, and what it means. One that is "true, proof repaired" passes no error on.
MARKS = {
    "true": "✓",
    "true, proof repaired": "✓*",
    "false as printed": "✗",
    "settled": "✗*",
    "open": "?",
    "cited": "↗",
    "definition": "≔",
}
MEANINGS = {
    "true": "true as printed",
    "true, proof repaired": "true, with the proof repaired",
    "false as printed": "false as printed; corrected here",
    "settled": "a conjecture that is false as printed; a form that is true is known",
    "open": "stated, neither proved nor refuted",
    "cited": "from the literature, not checked",
    "definition": "a definition",
}
# How serious an erratum is, the most serious first. Of the last kind a reader sees the error; nothing is computed.
CONSEQUENCES = {
    "consequential": "a statement, as printed, is false or means something else, or a step loses more than a constant",
    "gap": "a hypothesis, a quantifier or an argument is missing, and is supplied here",
    "constant": "a constant, a sign or a symbol; the statements around it stand",
    "corner": "only extreme cases fail",
    "typography": "a letter or a word is misprinted",
}


@dataclass(frozen=True)
class Prover:
    """Where a proof assistant's statements are: a JSON file of theorems and definitions, its source, and a page."""

    name: str = "a proof assistant"
    statements: str = ""
    source: str = ""
    page: str = ""  # the address of a theorem in the site, with {} for its name
    command: str = ""


def nowhere(subject: str) -> str:
    """The address at which an error in a statement is reported, if there is one."""
    return ""


@dataclass(frozen=True)
class Settings:
    """The keys of ``claims.toml``, and ``root``, its folder, in which the pages are."""

    root: Path
    title: str = "The ledger"
    claims: str = "claims"  # the folder with a file for each chapter, and published.yml
    toc: str = ""  # a file that names the pages in their order; without it they stand in the order of the alphabet
    folder: str = ""  # of these pages in the site, such as "book/"
    chapter: str = ".*"  # pages whose names begin with the same match are one chapter
    appendices: Mapping[str, str] = field(default_factory=dict)  # page -> its letter: "Theorem A.1" in place of 6.14
    packages: str = ""  # those of the project, with spaces between them: no cell may use their private names
    checks: str = ""  # their functions that compare by ``check`` or ``refute``
    run: str = "sphinx-claims run {}"  # the command that runs the checks of a claim again
    publish: str = "sphinx-claims publish"
    sections: Mapping[str, str] = field(default_factory=dict)  # of the paper, with their titles
    standings: Mapping[str, str] = field(default_factory=dict)
    meanings: Mapping[str, str] = field(default_factory=dict)
    numbered: Mapping[str, str] = field(default_factory=dict)  # the verdicts on numbered statements, on the errata page
    consequences: Mapping[str, str] = field(default_factory=lambda: CONSEQUENCES)  # a file may word some otherwise
    headings: Mapping[str, str] = field(default_factory=dict)  # of the consequences
    artefacts: Mapping[str, str] = field(default_factory=dict)  # may an erratum be one of the text that was read?
    example: str = "Lemma 1, …"  # what one may look for in the drawing
    prover: Prover = Prover()
    typeset: Callable[[str], str] = str  # of text in which & and < are written as HTML has them
    report: Callable[[str], str] = nowhere
    notes: Mapping[str, list[str]] = field(default_factory=dict)  # HTML in the row of a claim, by its id

    @classmethod
    def read(cls, folder: Path, **hooks: Any) -> Settings:
        """The settings of a folder; one without ``claims.toml`` has the defaults."""
        path = folder / FILE
        found: dict[str, Any] = {}
        if path.is_file():
            try:
                found = tomllib.loads(path.read_text(encoding="utf-8"))
            except (ValueError, OSError) as error:
                raise LedgerError(f"{FILE} cannot be read: {error}") from None
        prover = _known("prover", found.pop("prover", {}), Prover)
        known = _known("", found, cls)
        known["consequences"] = CONSEQUENCES | known.get("consequences", {})
        return cls(folder, prover=Prover(**prover), **known, **hooks)

    def chapter_of(self, page: str) -> str:
        """What the pages of a chapter have in common."""
        found = re.match(self.chapter, page)
        return found[0] if found else page

    def numbered_as(self, page: str) -> str:
        """What stands before the number of a statement: "6." in a chapter, "A." in an appendix."""
        if page in self.appendices:
            return f"{self.appendices[page]}."
        if chapter := re.match(r"0*(\d+)", page):
            return f"{chapter[1]}."
        return ""

    def printed(self, text: str) -> str:
        """Plain text that a program made, as HTML."""
        return self.typeset(html.escape(text, quote=False))


def _known(table: str, found: dict[str, Any], kind: type) -> dict[str, Any]:
    """The keys of a table, each of which must have the type of its default."""
    allowed = {one.name: one for one in fields(kind)}
    for key, value in found.items():
        place = f"{table}.{key}".strip(".")
        if key not in allowed or key in ("root", "typeset", "report", "notes"):
            raise LedgerError(f"{FILE}: there is no key {place}.")
        wanted = dict if "Mapping" in str(allowed[key].type) else str
        if not isinstance(value, wanted):
            form = {dict: "a table", str: "text"}[wanted]
            raise LedgerError(f"{FILE}: {place} must be {form}, not {value!r}.")
    return found
