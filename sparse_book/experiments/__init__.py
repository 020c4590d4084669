r"""Measurements on trained learners that take minutes: made once by a command, stored, and repeated in part.

``python -m sparse_book.experiments NAME ...`` measures the experiments that are named, or all, and writes a table of
each into ``sparse_book/experiments/results``. A table has a row for each *cell*, which is a choice of parameters and
then the number of a run. The cell is also the seed: any row can be measured again without the others. The chapters read
the tables with ``stored`` and measure a row of each again, with ``deviation``.

An experiment is a module with ``CELLS``, the list of its cells, and ``measure(*cell)``, which gives its numbers, or
lists of numbers, by name. Times depend on the machine and are no such table: the modules ``timing`` and ``skipping``
measure them, and ``times`` reads them with the machine and the day; so are scores of a network of other people, by
``photographs``.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from sparse_core._arrays import Array

__all__ = ["NAMES", "deviation", "experiment", "generate", "seed_of", "stored", "times"]

NAMES = (
    "sparsity",
    "minimiser",
    "curves",
    "inputs",
    "correlation",
    "systems",
    "depth",
    "emergence",
    "signatures",
    "penalties",
    "simplicity",
)
# What is timed, or needs packages that the book does not, and the module that does it.
TIMED = {"times": "timing", "skipping": "skipping", "photographs": "photographs"}
RESULTS = Path(__file__).parent / "results"
# The digits of a stored number: enough to compare the numbers again, whatever the processor made of the last ones.
DIGITS = 6


def experiment(name: str) -> Any:
    """The module of an experiment.

    >>> experiment("sparsity").CELLS[0]
    (1, 16, 0)
    """
    if name not in NAMES:
        raise ValueError(f"Argument 'name' must be one of {', '.join(NAMES)}, not {name!r}.")
    return importlib.import_module(f"{__name__}.{name}")


def seed_of(*cell: Any) -> list[int]:
    """Numbers that differ from cell to cell, as a seed for ``numpy.random.default_rng``.

    >>> seed_of(2, "uniform") != seed_of(3, "uniform")
    True
    """
    return list(json.dumps(cell).encode())


def stored(name: str, *parameters: Any) -> dict[str, Array]:
    """What was measured with these parameters, by name: arrays whose first axis are the runs.

    >>> stored("sparsity", 1, 16)["network"].shape          # ten runs, six sizes of the sample
    (10, 6)
    """
    rows = [row for cell, row in _table(name).items() if cell[:-1] == parameters]
    return {column: np.array([row[column] for row in rows]) for column in rows[0]}


def deviation(name: str, *cell: Any) -> float:
    """The largest |measured again - stored| in a cell, relative to the larger one of the two numbers."""
    then = _table(name)[cell]
    largest = 0.0
    for column, value in experiment(name).measure(*cell).items():
        now, before = np.array(value), np.array(then[column])
        size = np.maximum(np.maximum(np.abs(now), np.abs(before)), 1e-12)  # two zeros agree
        largest = max(largest, float((np.abs(now - before) / size).max()))
    return largest


def times(name: str = "times") -> dict[str, Any]:
    """What was timed, with machine and day: a predictor ("times"), "skipping", "skipping_gpu" or "stockfish_times".

    >>> sorted(times())
    ['all', 'date', 'gathered', 'machine', 'predicted and gathered']
    >>> [card["device"] for card in times("skipping_gpu")["cards"]]
    ['NVIDIA H200', 'NVIDIA H100 80GB HBM3']
    """
    table: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return table


def generate(name: str) -> None:
    """Measure every cell, or the times, and replace what is stored."""
    RESULTS.mkdir(exist_ok=True)
    if name in TIMED:
        measured = importlib.import_module(f"{__name__}.{TIMED[name]}").measure()
        (RESULTS / f"{name}.json").write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
        return
    module = experiment(name)
    rows = [json.dumps([cell, {column: _short(v) for column, v in module.measure(*cell).items()}])
            for cell in module.CELLS]  # fmt: skip
    (RESULTS / f"{name}.json").write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


def _table(name: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    rows = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return {tuple(cell): row for cell, row in rows}


def _short(value: Any) -> Any:
    """A number, or each number of a list, to DIGITS digits."""
    return [_short(v) for v in value] if isinstance(value, list) else float(f"{value:.{DIGITS}g}")
