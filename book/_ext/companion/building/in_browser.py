"""The cells of a page, run one by one without IPython, and compared with what is printed: what Python does in the
reader's browser, where this file lies beside the packages."""

import ast
import builtins
import contextlib
import csv
import io
import json
import traceback
from collections.abc import Sequence
from math import isclose
from typing import Any

from companion.site.colours import themed
from sparse_book.figure_svg import MIME
from sparse_meter import files

# An output: its kind, and what it shows by MIME type. What is printed: the kind of each output, its text, its data.
Output = tuple[str, dict[str, Any]]
Printed = tuple[str, str, str | None]

# What measures the files of a reader.
MEASURED = """from sparse_meter import files, measure

measure(files.load("{}"))"""
NETWORK = """import numpy as np
from sparse_core import interactions
from sparse_meter import as_network, examine, files, measure

network = files.load("{}")
f = as_network(network, output=0)
X = {}

measure(network, X)"""
BITS = "np.random.default_rng(0).choice([-1, 1], ({}, f.net.n))"
SUMS = "print(interactions(f, {}, evaluations={}, random_state=0))"
IN_PYTHON = 'print("For so many weights this takes minutes in a browser. In Python: sparse-meter examine net.npz")'
# How many products a cell may need, in 20 seconds: three times 256 x 1024 by 1024 x 4096 took 14 of one processor.
PRODUCTS = 2**32
# How many inputs are counted, and how often the network is evaluated, at most and at least.
INPUTS, EVALUATIONS = (2**6, 2**12), (2**9, 2**16)
# How many weights ``examine`` is given, which reads them more often: 2^19 took more than a minute.
EXAMINED = 2**17

# Numbers of a figure's data are equal up to these: other versions of NumPy and SciPy change the last of ten digits.
RTOL, ATOL = 1e-6, 1e-9


class Cells:
    """The cells of one page, which share their names as in a notebook."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.shown: list[Output] = []

    def run(self, source: str) -> list[Output]:
        """What one cell prints, shows and returns; an exception of the cell is raised."""
        self.shown = []
        vars(builtins)["display"] = self.display
        tree = ast.parse(source, "<cell>")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(_Stream(self)):
            exec(compile(tree, "<cell>", "exec"), self.names)  # noqa: S102  (it is the cell that is to run)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), self.names)  # noqa: S307
                if value is not None and not source.rstrip().endswith(";"):
                    self.shown.append(("execute_result", _bundle(value)))
        return self.shown

    def display(self, *values: Any) -> None:
        self.shown += [("display_data", _bundle(value)) for value in values]

    def answer(self, source: str, printed: str) -> str:
        """What the page is told of a cell, as JSON: its outputs, and whether they are those printed, in words."""
        try:
            wanted = json.loads(printed)
            same, words = compared(self.run(source), wanted)
            kind = "differs" if not same else "same" if wanted else "silent"
        except BaseException as error:  # a cell may do anything, and the page goes on
            kind, words = "failed", _told(error)
        outputs = [{key: bundle.get(key) for key in ("text/plain", "text/html")} for _, bundle in self.shown]
        return json.dumps({"outputs": outputs, "kind": kind, "words": words})


def sources(network: str, inputs: str = "") -> str:
    """The cells that measure a reader's files, a name and the source of each, as JSON; a file that cannot be read is
    left to the first of them, which says why."""
    try:
        arrays = files.load(network)
    except Exception:
        arrays = None
    found = {"who is active": MEASURED.format(network)}
    if isinstance(arrays, tuple):
        most = PRODUCTS // max(arrays[1].size, 1)
        rows, evaluations = (min(high, max(low, most)) for low, high in (INPUTS, EVALUATIONS))
        first = f", at the first {rows} inputs" if inputs and rows < INPUTS[1] else ""
        cut = f"[:{rows}]" if first else ""
        X = f'files.load("{inputs}"){cut}' if inputs else BITS.format(rows)
        found = {f"who is active{first}": NETWORK.format(network, X)}
        if arrays[1].size <= EXAMINED:  # this report begins with what sums explain
            found["every statement"] = f"examine(network, {'X, ' if inputs else ''}output=0)"
        else:
            found["what sums explain"] = SUMS.format("X" if inputs else "n=f.net.n", evaluations)
            found["every statement"] = IN_PYTHON
    return json.dumps([*found.items()])


class _Stream(io.TextIOBase):
    """What a cell prints: one output, as long as nothing else is shown."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells

    def write(self, text: str) -> int:
        shown = self.cells.shown
        if not (shown and shown[-1][0] == "stream"):
            shown.append(("stream", {"text/plain": ""}))
        shown[-1][1]["text/plain"] += text
        return len(text)


def _bundle(value: Any) -> dict[str, Any]:
    """A value by MIME type, in the colours of the page."""
    bundle = dict(value._repr_mimebundle_()) if hasattr(value, "_repr_mimebundle_") else {}
    if "text/html" not in bundle and hasattr(value, "_repr_html_"):
        bundle["text/html"] = value._repr_html_()
    if "text/html" in bundle:
        bundle["text/html"] = themed(bundle["text/html"])
    return {"text/plain": repr(value), **bundle}


def _told(error: BaseException) -> str:
    """The line of the cell, if an error has one, and what it says."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<cell>"]
    said = traceback.format_exception_only(error)[-1].strip()
    return f"line {lines[0]}: {said}" if lines else said


def compared(outputs: Sequence[Output], printed: Sequence[Printed]) -> tuple[bool, str]:
    """Whether the outputs of a cell are those printed, by their text and by the data of figures; and what was compared
    or, if they differ, what does."""
    if len(outputs) != len(printed):
        return False, f"outputs: {len(outputs)}, not {len(printed)}"
    rows = 0
    for (kind, bundle), (wanted_kind, text, table) in zip(outputs, printed, strict=True):
        if (kind, bundle["text/plain"]) != (wanted_kind, text):
            return False, "the text"
        if table is not None:
            found, wanted = (list(csv.reader(io.StringIO(one))) for one in (bundle[MIME]["csv"], table))
            if len(found) != len(wanted):
                return False, f"{len(found) - 1} rows of data, not {len(wanted) - 1}"
            if other := sum(not _same_row(*pair) for pair in zip(found, wanted, strict=True)):
                return False, f"{other} of {len(wanted) - 1} rows of data"
            rows += len(wanted) - 1
    return True, f"text and {rows} rows of data" if rows else "text"


def _same_row(found: Sequence[str], wanted: Sequence[str]) -> bool:
    return len(found) == len(wanted) and all(map(_same, found, wanted))


def _same(found: str, wanted: str) -> bool:
    """Whether two entries are the same word, or numbers that only the last digits tell apart."""
    try:
        return found == wanted or isclose(float(found), float(wanted), rel_tol=RTOL, abs_tol=ATOL)
    except ValueError:
        return False
