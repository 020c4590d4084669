"""The claims of the book by id: what each says, on what it rests, and how its evidence is computed again.

>>> tail = find("ours-tail")
>>> tail.verdict
'true'
>>> [claim.label for claim in find("lemma-9").rests_on()][2:4]
['Equation (U)', 'Equation (V)']

The claims stand in a clone of the repository, in ``book/claims``; a claim without a statement of its own has that of
the box in the chapter (``{prf:theorem}`` and its like) whose label is its id or its ``box``. The site of the book has
them all, with the evidence of its build, in one file: ``find("lemma-9", "claims.json")``.

In a clone, ``python -m sparse_book.claims lemma-9`` shows a claim and runs its checks.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from .ledger import MIME, LedgerError, Record

__all__ = ["Claim", "find", "in_line", "machine_checked", "proof", "read", "read_yaml", "statements"]

Entry = dict[str, Any]

# Where this package and sparse_core lie, and in a clone the folder of the book beside them.
PACKAGES = Path(__file__).resolve().parents[1]
BOOK = PACKAGES / "book"
# How the label of a claim of ours ends.
OURS = " (ours)"
# The keys of a claim that hold lists of ids.
LISTS = ("uses", "errata", "about", "follows")
# A statement in a chapter: the fence, its kind, its options, its text.
BOX = re.compile(r"^(`{3,}|:{3,})\{prf:(\w+)\}[^\n]*\n((?::[^\n]*\n)*)(.*?)^\1\s*$", re.M | re.S)
# The id in a call that checks or refutes a claim.
CALL = re.compile(r"ledger\.(?:check|refute)\(\s*[\"']([\w.-]+)[\"']")
# A code cell of a chapter.
CELL = re.compile(r"^```\{code-cell\}.*?^```", re.M | re.S)
NO_BOOK = (
    "the claims stand in the repository of the book, not in the installed package: run this in a clone, or give the "
    "file claims.json of the site as the second argument"
)


@dataclass(frozen=True)
class Claim:
    """A statement with its verdict. ``evidence`` is known from the file claims.json alone, else it is empty.

    id, label, kind, source, section : its name for programs, its name for readers, what it is and where it stands.
    statement : in the words of the book, as Markdown with formulas.
    verdict : on the form that is printed.
    chapter : the chapter to which it belongs, on one of whose pages its box stands and its cells check it.
    required : the evidence that the book must have for it, or why it needs none.
    uses, errata : the ids of the claims on which it rests, and of what is wrong with its printed form.
    follows : the ids of claims that are run and of which it is a consequence; then no cell of its own checks it.
    proof : the theorem that Coq accepts, its file, line, and the part of the claim that it proves; None without one.
    evidence : what each check found in the build of the site.
    """

    id: str
    label: str
    kind: str
    source: str
    section: str
    statement: str
    verdict: str
    chapter: str
    required: str
    uses: tuple[str, ...] = ()
    errata: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    proof: dict[str, Any] | None = None
    evidence: tuple[dict[str, Any], ...] = ()
    origin: Path | None = field(default=None, repr=False)

    @classmethod
    def of(cls, entry: Entry, origin: Path) -> Claim:
        """The claim of an entry of the ledger, or of claims.json."""
        names = {one.name for one in fields(cls)} - {"origin"}
        kept: Entry = {key: tuple(v) if isinstance(v, list) else v for key, v in entry.items() if key in names}
        return cls(**kept, origin=origin)

    def rests_on(self) -> list[Claim]:
        """The claims that this one uses, in their order; not those on which they rest in turn.

        >>> [claim.label for claim in find("lemma-9").rests_on()][:1]
        ['Definition 2']
        """
        return [find(name, self.origin) for name in self.uses]

    def command(self) -> str | None:
        """The command that computes the evidence again in a clone, or else runs the proof; None if there is neither.

        >>> find("lemma-9").command()
        'python -m sparse_book.claims lemma-9'
        """
        if self.evidence or self._checks():
            return f"python -m sparse_book.claims {self.id}"
        return "python3 make.py prove" if self.proof else None

    def reproduce(self) -> list[Record]:
        """What the checks of this claim and of its errata find now: the chapter's cells up to the last of them are run.

        They run in a new kernel. It needs a clone, and the packages of requirements.txt. A check that fails raises what
        it raised there. Where no cell checks a claim, as when it is cited, a ValueError says so.
        """
        book = self._book()
        if not book.is_dir():
            raise LedgerError(f"{self.id}: {NO_BOOK}.")
        if not (checks := self._checks()):
            raise ValueError(f"Argument 'id' must name a claim that a cell checks, not {self.id} ({self.required}).")
        import jupytext
        from nbclient import NotebookClient

        outputs = []
        for page, numbers in checks.items():
            notebook = jupytext.read(page, fmt="md:myst")
            cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
            notebook.cells = cells[: max(numbers) + 1]
            client = NotebookClient(notebook, timeout=None, kernel_name="python3")
            path = os.pathsep.join([str(book.parent), str(PACKAGES)])
            client.execute(cwd=str(book), env={**os.environ, "PYTHONPATH": path})
            outputs += [output for number in numbers for output in notebook.cells[number].outputs]
        records = [output["data"][MIME] for output in outputs if MIME in output.get("data", {})]
        return [Record.of(data) for data in records if data["claim"] in (self.id, *self.errata)]

    def _checks(self) -> dict[Path, list[int]]:
        """By page of the chapter the numbers of the code cells that check or refute this claim or one of its errata."""
        names = {self.id, *self.errata}
        pages = [self._book() / f"{page}.md" for page in pages_of(self.chapter, self._book())]
        cells = {page: CELL.findall(_text(page)) for page in pages if page.is_file()}
        found = {page: [i for i, cell in enumerate(on) if names & {*CALL.findall(cell)}] for page, on in cells.items()}
        return {page: numbers for page, numbers in found.items() if numbers}

    def _book(self) -> Path:
        """The folder of the chapters: of the clone to which this package belongs, if the claim is from a file."""
        return self.origin if self.origin is not None and self.origin.is_dir() else BOOK


def find(claim_id: str, origin: str | Path | None = None) -> Claim:
    """The claim of this id, from the folder ``book`` of a clone or from the file claims.json of a site.

    origin : the folder or the file; by default the folder of the clone to which this package belongs.

    >>> find("lemma-9").statement.startswith("Every")
    True
    >>> find("lemma-99")
    Traceback (most recent call last):
    ValueError: Argument 'claim_id' must be the id of a claim such as 'lemma-9', not 'lemma-99'.
    """
    origin = Path(origin) if origin is not None else BOOK
    claims = _known(origin.resolve(), _changed(origin))
    if claim_id not in claims:
        raise ValueError(f"Argument 'claim_id' must be the id of a claim such as 'lemma-9', not {claim_id!r}.")
    return claims[claim_id]


def _changed(origin: Path) -> tuple[tuple[Path, int], ...]:
    """The files from which claims are read, each with its time, so that they are read again after an edit."""
    beside = [*origin.parent.glob("_toc.yml"), *origin.parent.glob("proofs/statements.*")]
    files = [origin] if origin.is_file() else [*origin.glob("claims/*.yml"), *origin.glob("*.md"), *beside]
    return tuple((path, path.stat().st_mtime_ns) for path in sorted(files))


@lru_cache(maxsize=8)
def _known(origin: Path, changed: tuple[tuple[Path, int], ...]) -> dict[str, Claim]:
    """The claims of a folder or file, by id; ``changed`` tells one state of its files from another."""
    if origin.is_dir() and (origin / "claims").is_dir():
        entries = [{**entry, "proof": proof(origin, entry)} for entry in read(origin)]
    elif origin.is_file():
        entries = json.loads(origin.read_text(encoding="utf-8"))["claims"]
    else:
        raise LedgerError(f"{origin} has no claims: {NO_BOOK}.")
    return {entry["id"]: Claim.of(entry, origin) for entry in entries}


# What stands in the repository


def read(book: Path) -> list[Entry]:
    """All claims in the order of the chapters, each with its ``chapter`` and its ``statement``; or a LedgerError.

    >>> read(BOOK)[0]["id"], read(BOOK)[0]["chapter"]
    ('definition-1', '01-definitions')
    """
    claims = []
    for path in sorted((book / "claims").glob("*.yml")):
        if path.name == "published.yml":
            continue
        pages = pages_of(path.stem, book)
        if path.stem not in pages:
            raise LedgerError(f"claims/{path.name}: there is no chapter {path.stem} in _toc.yml.")
        sources = {page: book / f"{page}.md" for page in pages}
        texts = {page: _text(source) for page, source in sources.items() if source.is_file()}
        entries = _entries(path)
        claims += [_completed(entry, path.stem, texts, _boxes(texts, entries)) for entry in entries]
    theorems = machine_checked(book)["theorems"]
    for claim in claims:
        if "proved" in claim and claim["proved"] not in theorems:
            raise LedgerError(f"{claim['id']}: proved names {claim['proved']}, which is not in proofs/statements.json.")
    return claims


def pages_of(chapter: str, book: Path = BOOK) -> list[str]:
    """The pages of a chapter in their order: those that begin with its number.

    >>> pages_of("02-uniform")[0]
    '02-uniform'
    """
    return re.findall(rf"file: book/({chapter[:2]}[\w-]+)", _text(book.parent / "_toc.yml"))


def proof(book: Path, entry: Entry) -> Entry | None:
    """Where the theorem of a claim stands, and of which part of the claim it speaks where it is not all of it.

    >>> found = proof(BOOK, {"proved": "ours_tail", "verdict": "true", "kind": "theorem"})
    >>> found["file"], found["part"]
    ('proofs/statements.v', '')
    """
    if "proved" not in entry:
        return None
    theorem = entry["proved"]
    corrected = entry["verdict"] in ("false as printed", "settled") and entry["kind"] != "erratum"
    source = book.parent / "proofs/statements.v"
    lines = _text(source).splitlines() if source.is_file() else []
    numbers = [number for number, line in enumerate(lines, start=1) if re.match(rf"Theorem {theorem}\b", line)]
    return {
        "theorem": theorem,
        "file": "proofs/statements.v",
        "line": numbers[0] if numbers else None,
        "part": machine_checked(book)["theorems"][theorem].get("part", "the corrected form" if corrected else ""),
    }


def machine_checked(book: Path) -> dict[str, dict[str, Entry]]:
    """The definitions and the theorems of proofs/statements.json by name, each with its note and what Coq prints.

    >>> "ours_tail" in machine_checked(BOOK)["theorems"]
    True
    """
    path = book.parent / "proofs/statements.json"
    proved: dict[str, dict[str, Entry]] = {"definitions": {}, "theorems": {}}
    if path.is_file():
        proved = json.loads(path.read_text(encoding="utf-8"))
    return proved


def _entries(path: Path) -> list[Entry]:
    """The entries of one file: a list of mappings with texts, and lists of ids where those belong."""
    entries: list[Entry] = read_yaml(path, list)
    for number, entry in enumerate(entries, start=1):
        if not (isinstance(entry, dict) and isinstance(entry.get("id"), str)):
            raise LedgerError(f"claims/{path.name}: entry {number} must be a mapping with an id, not {entry!r:.60}.")
        for key, value in entry.items():
            texts = value if key in LISTS and isinstance(value, list) else [value]
            if (key in LISTS) != isinstance(value, list) or not all(isinstance(text, str) for text in texts):
                form = "a list of ids" if key in LISTS else "text (in quotes, if YAML reads something else)"
                raise LedgerError(f"claims/{path.name}: {entry['id']}: {key} must be {form}, not {value!r:.60}.")
    return entries


def _boxes(texts: dict[str, str], entries: list[Entry]) -> dict[str, Entry]:
    """The boxes on the pages of a chapter by label: page, text and, of ours, the number in the order of the pages."""
    ours = {entry.get("box", entry["id"]) for entry in entries if entry.get("source") == "ours"}
    boxes: dict[str, Entry] = {}
    count = 0
    for page, text in texts.items():
        for label, (kind, statement) in statements(text).items():
            boxes[label] = {"page": page, "statement": statement}
            if label in ours:
                count += 1
                boxes[label]["number"] = f"{kind} {int(page[:2])}.{count}"
    return boxes


def _completed(entry: Entry, chapter: str, texts: dict[str, str], boxes: dict[str, Entry]) -> Entry:
    """The claim with its chapter and page and, if it stands in a box, the box, its text and, of ours, its number."""
    box = entry.get("box", entry["id"])
    if box in boxes:
        if "statement" in entry:
            page = boxes[box]["page"]
            raise LedgerError(f"{entry['id']}: its statement stands in a box of {page}.md; it must not stand twice.")
        return {**entry, "chapter": chapter, "box": box, **boxes[box]}
    if "box" in entry:
        raise LedgerError(f"{entry['id']}: there is no box {box} in {chapter}.md.")
    label = f"({entry['stands_in']})=" if "stands_in" in entry else ""
    page = next((page for page, text in texts.items() if label and label in text), chapter)
    return {**entry, "chapter": chapter, "page": page}


def statements(source: str) -> dict[str, tuple[str, str]]:
    """By its label the kind of each box, "Lemma", and its text, on one line, displayed formulas in line.

    >>> statements('''````{prf:lemma} Half
    ... :label: half
    ...
    ... Twice a half is
    ... $$1 .$$
    ... ````
    ... ''')
    {'half': ('Lemma', 'Twice a half is $1 .$')}
    """
    boxes = {}
    for _, kind, options, text in BOX.findall(source):
        if label := re.search(r":label: *(\S+)", options):
            boxes[label[1]] = kind.capitalize(), in_line(text)
    return boxes


def in_line(text: str) -> str:
    """A text on one line, its displayed formulas in line.

    >>> in_line("It is\\n$$\\n1 < 2\\n$$\\nsmall.")
    'It is $1 < 2$ small.'
    """
    return " ".join(re.sub(r"\$\$(.*?)\$\$", _in_line, text, flags=re.S).split())


def _in_line(displayed: re.Match[str]) -> str:
    """A displayed formula as one in the text, whose lines are broken when there is need, not where it was aligned."""
    formula = displayed[1]
    if r"\begin{aligned}" in formula:
        formula = re.sub(r"\\(?:begin|end)\{aligned\}|&|\\\\", " ", formula)
    return f"${formula.strip()}$"


def _text(path: Path) -> str:
    """The text of a file in UTF-8, the only encoding of the book."""
    try:
        return path.read_text(encoding="utf-8")
    except ValueError as error:
        raise LedgerError(f"{path.name} cannot be read: {error}") from None


def read_yaml(path: Path, kind: type) -> Any:
    """The contents of a YAML file as plain data of one kind; a broken file is a problem of the ledger. So is a key that
    stands twice in one mapping: of its two values YAML would keep the last one without a word.

    >>> "lemma-9" in read_yaml(BOOK / "claims/published.yml", dict)
    True
    """
    import yaml

    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(path.read_text(encoding="utf-8"))
        node = loader.get_single_node()
        for key in _repeated(node):
            raise ValueError(f"line {key.start_mark.line + 1}: the key '{key.value}' stands twice")
        content = loader.construct_document(node) if node else None
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise LedgerError(f"{path.name} cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(content, kind):
        raise LedgerError(f"{path.name} cannot be read: it must hold a {kind.__name__}, not {content!r:.60}")
    return content


def _repeated(node: Any) -> Iterator[Any]:
    """The keys below a node of YAML that stand twice in one mapping."""
    below = node.value if node is not None and node.id != "scalar" else []
    if node is not None and node.id == "mapping":
        keys = [key.value for key, _ in below]
        yield from (key for i, (key, _) in enumerate(below) if key.value in keys[:i])
        below = [value for _, value in below]
    for child in below:
        yield from _repeated(child)


# The command


def _main(arguments: Sequence[str] | None = None) -> int:
    """Show the claims that are named, and run their checks."""
    parser = argparse.ArgumentParser(prog="python -m sparse_book.claims", description=_main.__doc__)
    parser.add_argument("ids", nargs="+", metavar="ID", help="such as lemma-9")
    parser.add_argument("--show", action="store_true", help="without running anything")
    options = parser.parse_args(arguments)
    try:
        for name in options.ids:
            claim = find(name)
            print(f"{claim.label} ({claim.verdict}): {claim.statement}")
            for below in claim.rests_on():
                print(f"  rests on {below.label} ({below.verdict})")
            if claim.proof:
                print(f"  proved in Coq: {claim.proof['file']}, line {claim.proof['line']}, {claim.proof['theorem']}")
            for record in [] if options.show else claim.reproduce():
                print(record)
    except (LedgerError, ValueError) as error:
        print(f"claims: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_main())
