"""The claims by id: what each says, on what it rests, and how its evidence is computed again.

The claims of a chapter stand in one file, ``claims/CHAPTER.yml``; one without a statement of its own has that of the
box (``{prf:theorem}`` and its like) whose label is its id or its ``box``. A site has them all in one file, with the
evidence of its build: ``find("lemma-9", "claims.json")``.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from .record import EXERCISE, MIME, LedgerError, Record
from .settings import Settings

__all__ = ["Claim", "find", "in_line", "machine_checked", "read", "read_yaml", "statements"]

Entry = dict[str, Any]

# The keys of a claim that hold lists of ids.
LISTS = ("uses", "errata", "about", "follows")
# What is known of a claim from elsewhere than its own entry.
FOUND = ("chapter", "page", "number", "place", "proof", "digest", "changed", "recipe", "evidence", "around", "settings")
# How the label of a claim of ours ends.
OURS = " (ours)"
# A statement on a page: the fence, its kind, its options, its text.
BOX = re.compile(r"^(`{3,}|:{3,})\{prf:(\w+)\}[^\n]*\n((?::[^\n]*\n)*)(.*?)^\1\s*$", re.M | re.S)
# The id in a call that checks or refutes a claim.
CALL = re.compile(r"\b(?:check|refute)\(\s*[\"']([\w.-]+)[\"']")
# A code cell of a page.
CELL = re.compile(r"^```\{code-cell\}.*?^```", re.M | re.S)
NO_PAGES = "there are no pages here to run: name the folder that has them, or run this in a clone"


@dataclass(frozen=True)
class Claim:
    """A statement with its verdict.

    id, label, kind, source, section : its name for programs, its name for readers, what it is and where it stands.
    statement : in the words of the project, as Markdown with formulas.
    verdict : on the form that is printed.
    required : the evidence that there must be for it, or why it needs none; then ``reason`` says more.
    uses, errata : the ids of the claims on which it rests, and of what is wrong with its printed form.
    follows : the ids of claims that are run and of which it is a consequence; then no cell of its own checks it.
    proved : the theorem that a proof assistant accepts for it.
    printed_at : the page of the paper, and the place on it, "407, Lemma 9".
    about, printed, witness, corrected, consequence, artefact, withdrawn : of an erratum.
    chapter, page, number, place : the chapter to which it belongs, the page and the number of its box, its address.
    proof : the theorem, its file, line, and the part of the claim that it proves; None without one.
    evidence : what each check found in the build of the site; known from the file claims.json alone.
    """

    id: str
    label: str = ""
    section: str = ""
    kind: str = ""
    source: str = ""
    verdict: str = ""
    required: str = ""
    statement: str = ""
    note: str = ""
    reason: str = ""
    arxiv: str = ""
    printed_at: str = ""
    stands_in: str = ""
    box: str = ""
    proved: str = ""
    uses: tuple[str, ...] = ()
    errata: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    printed: str = ""
    witness: str = ""
    corrected: str = ""
    consequence: str = ""
    artefact: str = ""
    withdrawn: str = ""
    chapter: str = ""
    page: str = ""
    number: str = ""
    place: str = ""
    proof: Mapping[str, Any] | None = None
    digest: str = ""
    changed: str = ""
    recipe: str | None = None
    evidence: tuple[dict[str, Any], ...] = ()
    around: Mapping[str, Claim] = field(default_factory=dict, repr=False, compare=False)
    settings: Settings | None = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The name for readers: "Lemma 9" or, of what is numbered, "Theorem 2.4 (Fourier tail)"."""
        if self.number:
            return f"{self.number} ({self.short})"
        return self.label

    @property
    def short(self) -> str:
        return self.label.removesuffix(OURS)

    @property
    def sections(self) -> list[str]:
        """The sections of the paper in which it stands, without their parts."""
        return re.findall(r"(?:^|,) *([^.,]+)", self.section)

    @property
    def is_erratum(self) -> bool:
        return self.kind == "erratum"

    @property
    def part(self) -> str:
        """Of which part of it the proof speaks, where it is not all."""
        return str((self.proof or {}).get("part", ""))

    def rests_on(self) -> list[Claim]:
        """The claims that this one uses, in their order; not those on which they rest in turn."""
        return [self.around[name] for name in self.uses]

    def command(self) -> str | None:
        """The command that computes the evidence again, or else runs the proof; None if there is neither."""
        return self.recipe

    def reproduce(self) -> list[Record]:
        """What the checks of this claim and of its errata find now: its pages are run up to the last of them.

        That is in a new kernel, which imports from where this process does. A check that fails raises what it raised
        there. Where no cell checks a claim, as when it is cited, a ValueError says so.
        """
        if self.settings is None:
            raise LedgerError(f"{self.id}: {NO_PAGES}.")
        names = {self.id, *self.errata}
        texts = _sources(self.settings, pages_of(self.settings, self.chapter))
        last = {page: number + 1 for page, number, ids in checking(texts) if names & ids}
        if not last:
            raise ValueError(f"Argument 'id' must name a claim that a cell checks, not {self.id} ({self.required}).")
        found = []
        for page, number in last.items():
            outputs = outputs_of(self.settings.root / f"{page}.md", number)
            found += [record for record in records(outputs, page) if record.claim in names]
        return found


def find(claim_id: str, origin: str | Path = ".") -> Claim:
    """The claim of this id, from the folder of the pages, or from the file claims.json of a site."""
    path = Path(origin)
    known: dict[str, Claim] = {}
    if path.is_file():
        for entry in json.loads(_text(path))["claims"]:
            known[entry["id"]] = of_data(entry, known)
    else:
        settings = Settings.read(path)
        if not (settings.root / settings.claims).is_dir():
            raise LedgerError(f"{settings.root} has no folder {settings.claims}: {NO_PAGES}, or a file claims.json.")
        known = by_id(read(settings))
    if claim_id not in known:
        raise ValueError(f"Argument 'claim_id' must be the id of a claim such as 'lemma-9', not {claim_id!r}.")
    return known[claim_id]


def of_data(entry: Entry, around: Mapping[str, Claim]) -> Claim:
    """The claim of an entry of claims.json, and those around it."""
    names = {one.name for one in fields(Claim)}
    kept: Entry = {}
    for key, value in entry.items():
        if key in names and value is not None:
            kept[key] = tuple(value) if isinstance(value, list) else value
    return Claim(**kept, recipe=entry.get("command"), around=around)


def outputs_of(page: Path, last: int | None = None) -> list[Entry]:
    """What the code cells of a page show when they are run, the first ``last`` of them."""
    import jupytext
    from nbclient import NotebookClient

    notebook = jupytext.read(page, fmt="md:myst")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    notebook.cells = code[:last]
    if notebook.cells:
        path = os.pathsep.join(map(os.path.abspath, sys.path))
        client = NotebookClient(notebook, timeout=None, kernel_name="python3")
        client.execute(cwd=str(page.parent), env={**os.environ, "PYTHONPATH": path})
    return [output for cell in notebook.cells for output in cell.outputs]


def records(outputs: Iterable[Entry], page: str) -> Iterator[Record]:
    """The records among what the cells of a page have shown; not those of exercises."""
    for output in outputs:
        if MIME in output.get("data", {}):
            record = Record.of(output["data"][MIME], page)
            if not record.claim.startswith(EXERCISE):
                yield record


def by_id(claims: Iterator[Claim] | list[Claim]) -> dict[str, Claim]:
    return {claim.id: claim for claim in claims}


# What stands in the files


def read(settings: Settings) -> list[Claim]:
    """All claims in the order of the chapters; or a LedgerError."""
    claims: list[Claim] = []
    theorems = machine_checked(settings)["theorems"]
    source = settings.root / settings.prover.source
    program = _text(source) if source.is_file() else ""
    around: dict[str, Claim] = {}
    for path in sorted((settings.root / settings.claims).glob("*.yml")):
        if path.name == "published.yml":
            continue
        pages = pages_of(settings, path.stem)
        if path.stem not in pages:
            place = Path(settings.toc).name or settings.root.name
            raise LedgerError(f"claims/{path.name}: there is no chapter {path.stem} in {place}.")
        texts = _sources(settings, pages)
        entries = _entries(path)
        boxes = _boxes(settings, texts, entries)
        checked = {name for _, _, ids in checking(texts) for name in ids}
        for entry in entries:
            known = _placed(entry, path.stem, texts, boxes)
            known["proof"] = _proof(settings, entry, theorems, program)
            if checked.intersection([entry["id"], *entry.get("errata", ())]):
                known["recipe"] = settings.run.format(entry["id"])
            elif known["proof"]:
                known["recipe"] = settings.prover.command
            claims.append(Claim(**entry | known, around=around, settings=settings))
    around.update(by_id(claims))
    return claims


def pages_of(settings: Settings, chapter: str) -> list[str]:
    """The pages of a chapter in their order: those whose names begin alike."""
    if settings.toc:
        names = re.findall(rf"\b{re.escape(settings.folder)}([\w-]+)", _text(settings.root / settings.toc))
    else:
        names = sorted(path.stem for path in settings.root.glob("*.md"))
    common = settings.chapter_of(chapter)
    return [name for name in names if settings.chapter_of(name) == common]


def checking(texts: Mapping[str, str]) -> Iterator[tuple[str, int, set[str]]]:
    """The page and the number of each code cell, and the ids that it checks or refutes."""
    for page, text in texts.items():
        for number, cell in enumerate(CELL.findall(text)):
            yield page, number, set(CALL.findall(cell))


def machine_checked(settings: Settings) -> dict[str, dict[str, Entry]]:
    """The definitions and the theorems of a proof assistant by name, each with its note and what that prints."""
    path = settings.root / settings.prover.statements
    proved: dict[str, dict[str, Entry]] = {"definitions": {}, "theorems": {}}
    if path.is_file():
        proved |= json.loads(_text(path))
    return proved


def _proof(settings: Settings, entry: Entry, theorems: Mapping[str, Entry], program: str) -> Entry | None:
    """Where the theorem of a claim stands, and of which part of the claim it speaks where it is not all of it."""
    theorem = entry.get("proved", "")
    if not theorem:
        return None
    if theorem not in theorems:
        place = settings.prover.statements.removeprefix("../")
        raise LedgerError(f"{entry['id']}: proved names {theorem}, which is not in {place}.")
    line = None
    if stands := re.search(rf"^Theorem {theorem}\b", program, re.M):
        line = program.count("\n", 0, stands.start()) + 1
    part = ""
    if entry.get("verdict") in ("false as printed", "settled") and entry.get("kind") != "erratum":
        part = "the corrected form"
    return {
        "theorem": theorem,
        "file": settings.prover.source.removeprefix("../"),
        "line": line,
        "part": theorems[theorem].get("part", part),
    }


def _sources(settings: Settings, pages: list[str]) -> dict[str, str]:
    """The Markdown of these pages, of those that there are."""
    texts = {}
    for page in pages:
        path = settings.root / f"{page}.md"
        if path.is_file():
            texts[page] = _text(path)
    return texts


def _entries(path: Path) -> list[Entry]:
    """The entries of one file: a list of mappings with texts, and lists of ids where those belong."""
    entries: list[Entry] = read_yaml(path, list)
    allowed = {one.name for one in fields(Claim)}.difference(FOUND)
    seen = set()
    for number, entry in enumerate(entries, start=1):
        if not (isinstance(entry, dict) and isinstance(entry.get("id"), str)):
            raise LedgerError(f"claims/{path.name}: entry {number} must be a mapping with an id, not {entry!r:.60}.")
        if entry["id"] in seen:
            raise LedgerError(f"claims/{path.name}: the id {entry['id']} stands twice.")
        seen.add(entry["id"])
        for key, value in entry.items():
            place = f"claims/{path.name}: {entry['id']}:"
            if key not in allowed:
                raise LedgerError(f"{place} a claim has no {key}.")
            form = "text (in quotes, if YAML reads something else)"
            sound = isinstance(value, str)
            if key in LISTS:
                form = "a list of ids"
                sound = isinstance(value, list) and {str}.issuperset(map(type, value))
            if not sound:
                raise LedgerError(f"{place} {key} must be {form}, not {value!r:.60}.")
            if key in LISTS:
                entry[key] = tuple(value)
    return entries


def _boxes(settings: Settings, texts: Mapping[str, str], entries: list[Entry]) -> dict[str, Entry]:
    """The boxes on the pages of a chapter by label: page, text and, of ours, the number in the order of the pages."""
    ours = {entry.get("box", entry["id"]) for entry in entries if entry.get("source") == "ours"}
    boxes: dict[str, Entry] = {}
    counts: Counter[str] = Counter()
    for page, text in texts.items():
        before = settings.numbered_as(page)
        for label, (kind, statement) in statements(text).items():
            boxes[label] = {"box": label, "page": page, "statement": statement}
            if label in ours:
                counts[before] += 1
                boxes[label]["number"] = f"{kind} {before}{counts[before]}"
    return boxes


def _placed(entry: Entry, chapter: str, texts: Mapping[str, str], boxes: Mapping[str, Entry]) -> Entry:
    """The chapter and the page of a claim and, if it stands in a box, the box, its text and, of ours, its number."""
    found: Entry = {"chapter": chapter, "page": chapter}
    name = entry["id"]
    box = str(entry.get("box", name))
    if box in boxes:
        found |= boxes[box]
        if "statement" in entry:
            raise LedgerError(f"{name}: its statement stands in a box of {found['page']}.md; it must not stand twice.")
    elif "box" in entry:
        raise LedgerError(f"{name}: there is no box {box} in {chapter}.md.")
    elif "stands_in" in entry:
        for page, text in texts.items():
            if f"({entry['stands_in']})=" in text:
                found["page"] = page
    return found


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
    """A text on one line, its displayed formulas in line, where lines break by need and not where they were aligned.

    >>> in_line("It is\\n$$\\n1 < 2\\n$$\\nsmall.")
    'It is $1 < 2$ small.'
    """

    def as_text(displayed: re.Match[str]) -> str:
        formula = displayed[1]
        if r"\begin{aligned}" in formula:
            formula = re.sub(r"\\(?:begin|end)\{aligned\}|&|\\\\", " ", formula)
        return f"${formula.strip()}$"

    return " ".join(re.sub(r"\$\$(.*?)\$\$", as_text, text, flags=re.S).split())


def _text(path: Path) -> str:
    """The text of a file in UTF-8, the only encoding of pages and claims."""
    try:
        return path.read_text(encoding="utf-8")
    except ValueError as error:
        raise LedgerError(f"{path.name} cannot be read: {error}") from None


def read_yaml(path: Path, kind: type) -> Any:
    """The contents of a YAML file as plain data of one kind; a broken file is a problem of the ledger. So is a key that
    stands twice in one mapping: of its two values YAML would keep the last one without a word."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            seen = []
            for key, _ in node.value:
                if key.value in seen:
                    raise ValueError(f"line {key.start_mark.line + 1}: the key '{key.value}' stands twice")
                seen.append(key.value)
            return dict(super().construct_mapping(node, deep))

    try:
        content = Loader(path.read_text(encoding="utf-8")).get_single_data()
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise LedgerError(f"{path.name} cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(content, kind):
        raise LedgerError(f"{path.name} cannot be read: it must hold a {kind.__name__}, not {content!r:.60}")
    return content
