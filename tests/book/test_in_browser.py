"""What Python does in the reader's browser, here in ours: the cells of a page, and what of them is compared."""

import io
import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from companion.building import commands, in_browser, live
from companion.places import BOOK
from nbformat.v4 import new_code_cell, new_output

from sparse_book import figures
from sparse_book.figure_svg import MIME
from sparse_meter import examine, measure

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


# The files of a reader


def header(shape):
    """The beginning of a .npy file that says that its array has this shape."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return stream.getvalue() + b"0" * 64


ARRAYS = {"u": [1.0, -1.0], "W": [[1.0, 1.0], [-1.0, -1.0]], "b": [1.0, 1.0]}
PICKLED = np.array([{}, None])
HOSTILE = {
    "pickle.npy": (pickle.dumps([1]), "pickle.npy must be a file of NumPy; it does not begin like a .npy."),
    "objects.npy": (PICKLED, "objects.npy cannot be read: Array can't be memory-mapped: Python objects in dtype."),
    "objects.npz": ({**ARRAYS, "u": PICKLED}, "objects.npz cannot be read: Object arrays cannot be loaded when allow"),
    "net.safetensors": (b"", "Argument 'path' must name a file .npy, .npz, .csv, not net.safetensors; others are read"),
    "less.npz": ({"u": [1.0], "W": [[1.0]]}, "less.npz must have the arrays u, W and b; it lacks b."),
    "columns.npz": ({**ARRAYS, "W": np.ones((3, 2))}, "Argument 'W' must have one neuron in each row, not in each col"),
    "nan.npz": ({**ARRAYS, "b": [0.0, np.nan]}, "Argument 'b' must be finite; entry (1,) is nan."),
    "words.csv": (b"1,2\n3,x\n", "words.csv cannot be read: could not convert string 'x' to float64"),
    "ragged.csv": (b"1,2\n3\n", "ragged.csv cannot be read: the number of columns changed from 2 to 1 at row 2"),
    "names.csv": (b"a,b\n", "names.csv cannot be read: it has no rows of numbers"),
    "bytes.csv": (b"\xff\xfe", "bytes.csv cannot be read: 'utf-8' codec can't decode byte 0xff"),
    "long.npy": (header((10**12, 9)), "long.npy cannot be read: mmap length is greater than file size"),
    "wide.npy": (header((10**30,)), "wide.npy cannot be read: "),
    "none.npz": (b"PK\3\4", "none.npz cannot be read: File is not a zip file"),
}


def save(name, content):
    if isinstance(content, bytes):
        Path(name).write_bytes(content)
    elif isinstance(content, dict):
        np.savez(name, **content)
    else:
        np.save(name, content)


def measured(*names):
    """What the cells that measure these files answer."""
    cells = in_browser.Cells()
    return {name: json.loads(cells.answer(source, "[]")) for name, source in json.loads(in_browser.sources(*names))}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_by_the_package_in_one_sentence(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    content, words = HOSTILE[name]
    save(name, content)
    first = next(iter(measured(name).values()))
    assert first["kind"] == "failed" and "\n" not in first["words"]
    assert words in first["words"]


def test_a_network_is_measured_as_the_package_does(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arrays = [np.array(ARRAYS[name]) for name in "uWb"]
    save("net.npz", ARRAYS)
    (tmp_path / "X.csv").write_text("left,right\n0.5,1\n-2,0\n1,1\n")
    X = [[0.5, 1], [-2, 0], [1, 1]]
    reports = [repr(measure(tuple(arrays), X)), repr(examine(tuple(arrays), X, output=0))]
    found = [one["outputs"][0]["text/plain"] for one in measured("net.npz", "X.csv").values()]
    assert found == reports
    assert found[1].startswith("2 shuffled columns: the best sum of functions of single inputs explains")
    without = [one["outputs"][0]["text/plain"] for one in measured("net.npz").values()]
    assert re.search(r"inputs +4096", without[0]) and without[1].startswith("2 uniform bits: ")
    assert without[1] == repr(examine(tuple(arrays), output=0))


@pytest.mark.parametrize("neurons, rows, evaluations", [
    (2, 4096, None), (2**10, 4096, None), (2**11, 4096, 16384), (2**14, 2048, 2048), (2**18, 128, 512),
])  # fmt: skip
def test_a_large_network_is_evaluated_less_often(neurons, rows, evaluations, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save("net.npz", {"u": np.ones(neurons), "W": np.ones((neurons, 128), np.int8), "b": np.ones(neurons)})
    sources = dict(json.loads(in_browser.sources("net.npz")))
    assert f"([-1, 1], ({rows}, f.net.n))" in sources["who is active"]
    if evaluations is None:  # the one report that says what sums explain
        assert "what sums explain" not in sources and sources["every statement"].startswith("examine(")
    else:
        assert f", evaluations={evaluations}," in sources["what sums explain"]
        assert sources["every statement"].startswith('print("For so many weights')
    given = [*dict(json.loads(in_browser.sources("net.npz", "X.csv"))).items()]
    cut = rows < 4096
    assert given[0][0] == (f"who is active, at the first {rows} inputs" if cut else "who is active")
    assert (f'files.load("X.csv")[:{rows}]' in given[0][1]) == cut


@pytest.mark.parametrize("name", ["Z.npy", "Z.npz"])
def test_activations_are_counted(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(name, {"Z": [[1.0, -1.0], [2.0, 3.0]]} if name == "Z.npz" else np.array([[1.0, -1.0], [2.0, 3.0]]))
    (found,) = measured(name).values()
    assert found["outputs"][0]["text/plain"] == repr(measure([[1.0, -1.0], [2.0, 3.0]]))
