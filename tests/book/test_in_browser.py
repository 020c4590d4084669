"""What Python does in the reader's browser, here in ours: the cells of a page, and what of them is compared."""

import json

import pytest
from companion.building import commands, in_browser, live
from companion.places import BOOK
from nbformat.v4 import new_code_cell, new_output

from sparse_book import figures
from sparse_book.figure_svg import MIME

SHOWN = """
from sparse_book import figures
print("one")
print("two")
display(figures.Answer("It is 3."))
n = 4
n
"""


def answer(source, printed=()):
    return json.loads(in_browser.Cells().answer(source, json.dumps(printed)))


def test_a_cell_prints_shows_and_returns_as_in_a_notebook():
    printed = [
        ("stream", "one\ntwo\n", None), ("display_data", "It is 3.", None), ("execute_result", "4", None)
    ]  # fmt: skip
    found = answer(SHOWN, printed)
    assert (found["kind"], found["words"]) == ("same", "text")
    assert found["outputs"][1]["text/html"] == '<p class="answer">It is 3.</p>'


def test_cells_share_their_names():
    cells = in_browser.Cells()
    assert cells.run("n = 3") == []
    assert cells.run("n;") == []
    assert cells.run("def twice(x):\n    return 2 * x\ntwice(n)") == [("execute_result", {"text/plain": "6"})]


ERRORS = {
    "n = 1\nm": "line 2: NameError: name 'm' is not defined",
    "def f():\n    1 / 0\n\nf()": "line 4: ZeroDivisionError: division by zero",
    "raise SystemExit('no')": "line 1: SystemExit: no",
    "(": "SyntaxError: '(' was never closed",
}


@pytest.mark.parametrize("source", ERRORS)
def test_an_error_is_told_with_its_line(source):
    found = answer(source)
    assert (found["kind"], found["words"]) == ("failed", ERRORS[source])


def test_what_was_shown_before_an_error_is_kept():
    assert answer("print('before')\nm")["outputs"] == [{"text/plain": "before\n", "text/html": None}]


def test_what_is_not_as_printed_is_named():
    assert answer("1", [("execute_result", "2", None)])["words"] == "the text"
    assert answer("1", [("stream", "1", None)])["words"] == "the text"
    assert answer("1")["words"] == "outputs: 1, not 0"
    assert answer("n = 1")["kind"] == "silent"


def figure(heights):
    fig, ax = figures.canvas()
    ax.plot(range(len(heights)), heights)
    return figures.Figure(fig, "A line.")._repr_mimebundle_()


HEIGHTS = (1, 2, 3e-8)
CHANGES = {
    (1, 2, 3e-8): "text and 3 rows of data",
    (1, 2 + 1e-6, 3.01e-8): "text and 3 rows of data",
    (1, 2 + 1e-5, 3e-8): "1 of 3 rows of data",
    (1, 2, 3e-7): "1 of 3 rows of data",
    (1.1, 2, 4e-6): "2 of 3 rows of data",
    (1, 2): "2 rows of data, not 3",
}


@pytest.mark.parametrize("heights", CHANGES)
def test_the_data_of_a_figure_are_compared_up_to_their_last_digits(heights):
    printed = live.printed([new_output("execute_result", figure(HEIGHTS))])
    same, words = in_browser.compared([("execute_result", figure(heights))], printed)
    assert words == CHANGES[heights]
    assert same == words.startswith("text")


def test_words_in_the_data_of_a_figure_are_compared_by_their_letters():
    bundle = {"text/plain": "Figure", MIME: {"csv": "series,y\nours,1\n"}}
    other = {"text/plain": "Figure", MIME: {"csv": "series,y\ntheirs,1\n"}}
    assert in_browser.compared([("execute_result", other)], live.printed([new_output("execute_result", bundle)])) == (
        False, "1 of 1 rows of data"
    )  # fmt: skip


def test_smaller_parameters_come_after_those_of_the_page():
    cells = [new_code_cell("n = 9", metadata={"tags": ["parameters"]}), new_code_cell("n")]
    assert [cell["source"] for cell in live.cells_of({"cells": cells}, "n = 2")] == ["n = 9\nn = 2", "n"]
    assert [cell["source"] for cell in live.cells_of({"cells": cells}, "")] == ["n = 9", "n"]


def test_a_page_of_the_book_gives_what_is_printed():
    notebooks = commands.read({"ten-minutes": BOOK / "ten-minutes.md"})
    cells = live.cells_of(commands.executed(notebooks)["ten-minutes"], "")
    shared = in_browser.Cells()
    found = [json.loads(shared.answer(cell["source"], json.dumps(cell["printed"]))) for cell in cells]
    assert found and {one["kind"] for one in found} == {"same"}, [one["words"] for one in found]
    assert any("rows of data" in one["words"] for one in found)
