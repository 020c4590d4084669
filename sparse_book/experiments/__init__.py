r"""Measurements on trained learners that take minutes: made once by a command, stored, and repeated in part.

``python -m sparse_book.experiments NAME ...`` measures the experiments that are named, or all, and writes a table of
each into ``sparse_book/experiments/results``. A table has a row for each *cell*, which is a choice of parameters and a
number of the run, and the cell is also the seed: any row can be measured again without the others. The chapters read
the tables with ``stored`` and measure some rows of each again, with ``deviation``.

An experiment is a module with ``CELLS``, the list of its cells, and ``measure(*cell)``, which gives a list of numbers.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["NAMES", "deviation", "experiment", "generate", "seed_of", "stored"]

NAMES = ("sparsity", "correlation", "inputs", "systems", "depth")
RESULTS = Path(__file__).parent / "results"
# The digits of a stored number: enough to compare the numbers again, whatever the processor made of the last ones.
DIGITS = 6

Cell = tuple[Any, ...]


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


def stored(name: str) -> dict[Cell, list[float]]:
    """What was measured, by the cell."""
    rows = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return {tuple(cell): values for cell, values in rows}


def deviation(name: str, cells: Iterable[Cell]) -> float:
    """The largest |measured again - stored| over these cells, relative to the larger one of the two numbers."""
    table = stored(name)
    found = []
    for cell in cells:
        now = np.array(experiment(name).measure(*cell))
        then = np.array(table[cell])
        size = np.maximum(np.maximum(np.abs(now), np.abs(then)), 1e-12)  # two zeros agree
        found.append(float((np.abs(now - then) / size).max()))
    return max(found)


def generate(name: str) -> None:
    """Measure every cell and replace the stored table."""
    module = experiment(name)
    rows = []
    for cell in module.CELLS:
        values = [float(f"{value:.{DIGITS}g}") for value in module.measure(*cell)]
        rows.append(json.dumps([cell, values]))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")
