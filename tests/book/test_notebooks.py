"""The stored notebooks: what a run of their sources shows, to rounding, and nothing that a diff cannot show."""

import json
import re
import statistics
from itertools import pairwise

import nbformat
import pytest
from companion import Stop, build, chapters, pairs
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from sparse_book import ledger

SOURCES = chapters.sources(build.BOOK)
every_chapter = pytest.mark.parametrize("name", SOURCES)


def stored(name):
    return json.loads((build.BOOK / f"{name}.ipynb").read_text(encoding="utf-8"))


@every_chapter
def test_the_stored_outputs_are_those_of_a_run(name):
    with build.build_lock():
        run = build.executed({name: chapters.read(SOURCES[name])})[name]
    assert chapters.same_source(run, stored(name)), "run `python3 make.py refresh`"
    assert stored(name)["metadata"] == pairs.stored_metadata(run), "run `python3 make.py refresh`"
    assert not list(chapters.disagreements(run, stored(name)))


@every_chapter
def test_is_executed_and_holds_text_only_and_no_errors(name):
    cells = chapters.code_cells(stored(name))
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        assert cell["outputs"] == chapters.text_only(cell["outputs"])
        assert "error" not in [output["output_type"] for output in cell["outputs"]]
    assert (build.BOOK / f"{name}.ipynb").stat().st_size < 300_000


def test_there_is_a_source_for_each_notebook():
    assert sorted(path.stem for path in build.BOOK.glob("*.ipynb")) == list(SOURCES)


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


@every_chapter
def test_no_line_of_a_stored_notebook_holds_more_than_a_line_of_its_source(name):
    for cell in stored(name)["cells"]:
        assert isinstance(cell["source"], list) and not any("\n" in line[:-1] for line in cell["source"])


def test_a_record_in_the_outputs_of_a_stored_notebook_is_not_read(pair):
    path = pair.with_suffix(".ipynb")
    forged = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}
    forged["data"] = {ledger.MIME: {"claim": "lemma-9", "count": 123456}, "text/plain": "Lemma 9 · exhaustive"}
    edit(pair, lambda cells: cells[1].update(outputs=[forged]))
    assert "123456" in path.read_text() and pairs.carried(pair) == {}
    (cell,) = chapters.code_cells(chapters.execute(chapters.read(pair)))
    assert cell.outputs == []


# The two files of a chapter

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
def pair(tmp_path):
    """A chapter whose two files agree."""
    source = tmp_path / "chapter.md"
    source.write_text(SOURCE)
    notebook = chapters.read(source)
    notebook.metadata = pairs.stored_metadata(notebook)
    source.with_suffix(".ipynb").write_text(chapters.dump(notebook))
    return source


def edit(source, change):
    """Let ``change`` alter the cells of the notebook, as JupyterLab does: their ids stay."""
    path = source.with_suffix(".ipynb")
    notebook = json.loads(path.read_text())
    change(notebook["cells"])
    path.write_text(json.dumps(notebook))


EDITS = {
    "a command in a code cell": lambda cells: cells[1].update(source=["import os\n", "os.system('id')"]),
    "other Markdown": lambda cells: cells[0].update(source="# Defaced"),
    "one more cell": lambda cells: cells.append(new_code_cell("y = 2")),
    "one cell less": lambda cells: cells.pop(),
    "another kind": lambda cells: cells[1].update(new_markdown_cell("x = 1", id=cells[1]["id"])),
    "another tag": lambda cells: cells[1]["metadata"].update(tags=["hide-output"]),
}


@pytest.mark.parametrize("change", EDITS.values(), ids=EDITS)
def test_an_edited_notebook_is_told_from_its_source_and_carried_into_it(pair, change):
    edit(pair, change)
    path = pair.with_suffix(".ipynb")
    edited = json.loads(path.read_text())
    assert not chapters.same_source(chapters.read(pair), edited)  # so that continuous integration fails
    texts = pairs.carried(pair)
    for one, text in texts.items():
        one.write_text(text)
    assert list(texts) == [pair, path]
    assert pairs.cells_of(chapters.read(pair)) == pairs.cells_of(edited)
    assert pair.read_text().startswith(SOURCE.partition("\n\n")[0])
    assert json.loads(path.read_text())["metadata"] != pairs.stored_metadata(chapters.read(pair))  # until a refresh
    assert pairs.carried(pair) == {}
    pair.write_text(pair.read_text() + "\nMore.\n")  # the source is free to change again
    assert pairs.carried(pair) == {}


def test_what_was_not_edited_keeps_its_words(pair):
    edit(pair, EDITS["one more cell"])
    assert pairs.carried(pair)[pair] == SOURCE + "\n```{code-cell} ipython3\ny = 2\n```\n"


def test_outputs_and_how_jupyterlab_shows_a_cell_are_no_edit(pair):
    shown = {"outputs": [out("1")], "execution_count": 7, "metadata": {"tags": ["hide-input"], "collapsed": True}}
    shown["metadata"]["mystnb"] = chapters.read(pair).cells[1].metadata["mystnb"]
    edit(pair, lambda cells: cells[1].update(shown))
    assert pairs.carried(pair) == {}


def test_where_both_were_edited_one_line_names_them(pair):
    edit(pair, EDITS["other Markdown"])
    pair.write_text(SOURCE.replace("Its text", "Another text"))
    with pytest.raises(Stop, match=r"^book/chapter.ipynb and book/chapter.md were both edited: undo .*git checkout.*$"):
        pairs.carried(pair)


def test_what_markdown_cannot_hold_is_refused(pair):
    edit(pair, lambda cells: cells[0].update(source="A\n\n+++\n\nB"))
    with pytest.raises(Stop, match="differ in a cell that Markdown cannot hold: make this edit in book/chapter.md"):
        pairs.carried(pair)


@pytest.mark.parametrize("text", ["", "{}", '{"cells": 7}'])
def test_a_broken_notebook_is_left_to_refresh(pair, text):
    pair.with_suffix(".ipynb").write_text(text)
    assert pairs.carried(pair) == {}
