"""The stored notebooks: what a run of their sources shows, to rounding, and nothing that a diff cannot show."""

import json
import re
import statistics
from itertools import pairwise

import nbformat
import pytest
from companion import places
from companion.building import chapters, commands, kept
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from sparse_book import ledger

SOURCES = chapters.sources(places.BOOK)
every_chapter = pytest.mark.parametrize("name", SOURCES)


def stored(name):
    return json.loads((places.BOOK / f"{name}.ipynb").read_text(encoding="utf-8"))


@every_chapter
def test_the_stored_outputs_are_those_of_a_run(name):
    with kept.build_lock():
        run = commands.executed({name: chapters.read(SOURCES[name])})[name]
    assert chapters.source_cells(run) == chapters.source_cells(stored(name)), "run `python3 make.py refresh`"
    assert stored(name)["metadata"] == chapters.METADATA, "run `python3 make.py refresh`"
    assert not list(chapters.disagreements(run, stored(name)))


@every_chapter
def test_is_executed_and_holds_text_only_and_no_errors(name):
    cells = chapters.code_cells(stored(name))
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        assert cell["outputs"] == chapters.text_only(cell["outputs"])
        assert "error" not in [output["output_type"] for output in cell["outputs"]]
    assert (places.BOOK / f"{name}.ipynb").stat().st_size < 300_000


def test_there_is_a_source_for_each_notebook():
    assert sorted(path.stem for path in places.BOOK.glob("*.ipynb")) == list(SOURCES)


@pytest.mark.parametrize("name", [name for name in SOURCES if name[0].isdigit()])
def test_what_teaches_is_short_and_no_hidden_code_follows_hidden_code_without_a_word(name):
    cells = chapters.read(SOURCES[name]).cells
    hidden = ["hide-input" in cell.metadata.get("tags", []) if cell.cell_type == "code" else None for cell in cells]
    shown = [cell.source.split("\n") for cell, unseen in zip(cells, hidden, strict=True) if unseen is False]
    lines = [sum(bool(line.strip()) for line in source) for source in shown] or [0]  # an audit may show no code
    assert statistics.median(lines) <= 5 and max(lines) <= 15, [source[0] for source in shown if len(source) > 15]
    assert not [cells[i].source for i, two in enumerate(pairwise(hidden), start=1) if all(two)]


# At 1280 px a cell shows this many letters of the font of code; of a longer line the end is hidden.
LONGEST_LINE = 84
# How Python shows a dictionary, a tuple, an array or an object: a reader should get a sentence or a table.
RAW = re.compile(r"[{(\[].*[})\]]|array\(.*|\w+\(\w+=.*", re.S)
# This page is about the package, and shows what its functions return.
SHOWS_VALUES = {"scaling"}


@every_chapter
def test_no_visible_line_of_code_is_cut_at_the_right(name):
    cells = chapters.code_cells(stored(name))
    shown = [cell for cell in cells if "hide-input" not in cell["metadata"].get("tags", [])]
    lines = [line for cell in shown for line in "".join(cell["source"]).splitlines()]
    assert not [line for line in lines if len(line) > LONGEST_LINE]


@every_chapter
def test_outputs_are_sentences_and_tables_and_not_the_notation_of_python(name):
    for cell in chapters.code_cells(stored(name)):
        for output in cell["outputs"] if name not in SHOWS_VALUES else ():
            if output["output_type"] == "execute_result":
                assert not RAW.fullmatch("".join(output["data"]["text/plain"])), "".join(cell["source"])


def out(text, **more):
    return new_output("stream", text=text) if not more else new_output(data={"text/plain": text, **more}, **KIND)


KIND = {"output_type": "execute_result", "execution_count": 1}


@pytest.mark.parametrize(
    "run, kept, agree",
    [
        ([out("slack 1.0000001\n")], [out("slack  1.0")], True),
        ([out("slack 1.00001\n")], [out("slack 1.0\n")], False),
        ([out("1e-12")], [out("-3e-11")], True),
        ([out("5 words")], [out("5 works")], False),
        ([out("1 2")], [out("1")], False),
        ([out("a\n"), out("b\n")], [out("a\nb\n")], True),
        ([out("a", **{"text/html": "<b>a</b>"})], [out("a", **{"text/html": "<i>a</i>"})], True),
        ([out("a", **{"text/html": "<b>a</b>"})], [out("a")], False),
        ([out("a")], [], False),
        ([new_output("error", ename="ValueError", evalue="x")], [], False),
    ],
)
def test_outputs_agree_where_words_do_and_numbers_to_rounding(run, kept, agree):
    assert (not chapters.differences(run, kept)) == agree


@pytest.mark.parametrize("tags, found", [([], ["x"]), (["hide-input", "nbval-ignore-output"], [])])
def test_a_cell_says_that_its_outputs_are_not_compared(tags, found):
    notebooks = [new_notebook(cells=[new_code_cell("x", metadata={"tags": tags}, outputs=[out(o)])]) for o in "ab"]
    assert [source for source, _ in chapters.disagreements(*notebooks)] == found


def test_ids_depend_on_the_cell_alone(tmp_path):
    def ids(*cells):
        header = "---\njupytext: {text_representation: {extension: .md, format_name: myst}}\n---\n"
        (tmp_path / "chapter.md").write_text("\n".join([header, *cells]))
        return [cell.id for cell in chapters.read(tmp_path / "chapter.md").cells]

    code = "```{code-cell}\n1\n```\n"
    one, two = ids("# A\n", code), ids("# B\n", code, code)
    assert one[1] == two[1]
    assert len({*one, *two}) == 4


def test_a_stored_notebook_has_the_lines_of_its_cells(tmp_path):
    cells = [new_markdown_cell("One.\n\nTwo."), new_code_cell("a = 1\na", outputs=[out("1\n2\n")])]
    text = chapters.dump(new_notebook(cells=cells, metadata=chapters.METADATA))
    found = json.loads(text)["cells"]
    assert found[0]["source"] == ["One.\n", "\n", "Two."]
    assert found[1]["outputs"][0]["text"] == ["1\n", "2\n"]
    assert text.endswith("}\n") and not text.endswith("\n\n")
    assert chapters.dump(nbformat.reads(text, as_version=4)) == text


# The two files of a chapter: what the book is made from, and what `refresh` writes beside it

SOURCE = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# A chapter

Its text.

```{code-cell} ipython3
---
mystnb:
  figure:
    caption: |
      A caption, "in quotes".
tags: [hide-input]
---
x = 1
```
"""


@pytest.fixture
def source(tmp_path):
    """A chapter whose two files agree."""
    source = tmp_path / "chapter.md"
    source.write_text(SOURCE)
    source.with_suffix(".ipynb").write_text(chapters.dump(chapters.read(source)))
    return source


def edited(source, change):
    """The notebook, after ``change`` has altered its cells as JupyterLab does: their ids stay."""
    path = source.with_suffix(".ipynb")
    notebook = json.loads(path.read_text())
    assert chapters.source_cells(notebook) == chapters.source_cells(chapters.read(source))
    change(notebook["cells"])
    path.write_text(json.dumps(notebook))
    return notebook


EDITS = {
    "a command in a code cell": lambda cells: cells[1].update(source=["import os\n", "os.system('id')"]),
    "other Markdown": lambda cells: cells[0].update(source="# Defaced"),
    "one more cell": lambda cells: cells.append({**new_code_cell("y = 2"), "id": "a"}),
    "one cell less": lambda cells: cells.pop(),
    "another kind": lambda cells: cells[1].update(new_markdown_cell("x = 1", id=cells[1]["id"])),
    "another tag": lambda cells: cells[1]["metadata"].update(tags=["hide-output"]),
}


@pytest.mark.parametrize("change", EDITS.values(), ids=EDITS)
def test_an_edited_notebook_is_told_from_its_source(source, change):
    notebook = edited(source, change)
    assert chapters.source_cells(notebook) != chapters.source_cells(chapters.read(source))


def test_a_record_in_the_outputs_of_a_stored_notebook_is_not_read(source):
    forged = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}
    forged["data"] = {ledger.MIME: {"claim": "lemma-9", "count": 123456}, "text/plain": "Lemma 9 · exhaustive"}
    edited(source, lambda cells: cells[1].update(outputs=[forged]))
    (cell,) = chapters.code_cells(chapters.execute(chapters.read(source)))
    assert cell.outputs == []
