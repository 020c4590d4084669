"""Independent inputs of a function: uniform bits, shuffled columns of a table, or masks between two rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checks
from .._arrays import Array, Integers, slices

__all__ = ["Inputs", "inputs"]

# Points of a block, and numbers in them: 32 MB.
MOST_POINTS, MOST_NUMBERS = 1 << 10, 1 << 22


@dataclass(frozen=True)
class Inputs:
    """A law of points: columns with one label are one input, and inputs are independent."""

    words: str
    label: Integers
    spans: Array  # the largest difference of two entries of a column
    draw: Callable[[np.random.Generator, int], Array]  # so many pairs of independent points: (2, size, columns)

    @property
    def count(self) -> int:
        return int(self.label.max()) + 1

    def pairs(self, size: int, rng: np.random.Generator) -> Iterator[Array]:
        """So many pairs of independent points, in blocks that are not empty."""
        most = max(1, min(MOST_POINTS, MOST_NUMBERS // len(self.label)))
        return (self.draw(rng, block.stop - block.start) for block in slices(size, most))

    def widest(self) -> Integers:
        """One column of each input, of those with the largest span."""
        order = np.argsort(-self.spans, kind="stable")
        return order[np.unique(self.label[order], return_index=True)[1]]


def inputs(X: Any, n: Any, pair: Any, groups: Any) -> Inputs:
    """The law that the arguments of ``interactions`` describe, of which one column varies at least.

    >>> inputs(None, 4, None, [0, 0, 1, 1]).words
    '2 uniform bits'
    """
    given = [name for name, value in (("X", X), ("n", n), ("pair", pair)) if value is not None]
    if len(given) != 1:
        raise ValueError(f"One of the arguments 'X', 'n', 'pair' must be given, not {' and '.join(given) or 'none'}.")
    if n is not None:
        columns = checks.integer("n", n, 2, MOST_NUMBERS)
        bits = np.multiply.outer([-1.0, 1.0], np.ones(columns))
        return _shuffled("uniform bits", bits, np.arange(columns), _labels("n", columns, groups))
    if X is not None:
        table = _table("X", X)
        _varying("X", table)
        label = _labels("X", table.shape[1], groups)
        return _shuffled("shuffled columns", table, label, label)
    tables = [_table("pair", part) for part in checks.listed("pair", pair)]
    shapes = [table.shape for table in tables]
    if len(tables) != 2 or shapes[0][1] != shapes[1][1]:
        raise ValueError(f"Argument 'pair' must be two rows, or tables, with the same columns, not {shapes}.")
    _varying("pair", np.concatenate(tables))
    return _masked(tables, _labels("pair", len(tables[0].T), groups))


def _table(name: str, value: Any) -> Array:
    """A row, or a table, as a table."""
    table = checks.real_array(name, np.atleast_2d(checks.rectangular(name, value)), 2)
    if not len(table):
        raise ValueError(f"Argument '{name}' must have at least 1 row, not 0.")
    return table


def _varying(name: str, table: Array) -> None:
    """Where all rows are the same, so are all values of f."""
    if (table == table[0]).all():
        raise ValueError(f"Argument '{name}' must have two rows that differ, not {len(table)} times the same.")


def _labels(name: str, columns: int, groups: Any) -> Integers:
    """The input of each column, as a number from 0 on; one input has no interactions."""
    label = np.arange(columns)
    if groups is not None:
        name = "groups"
        words = checks.rectangular(name, groups)
        given = f"{words.shape} of type {words.dtype}"
        if words.shape != (columns,) or words.dtype.kind not in "biufSU":
            raise ValueError(
                f"Argument 'groups' must have a number or a word for each of {columns} columns, not {given}."
            )
        label = np.unique(words, return_inverse=True)[1]
    if len(set(label)) < 2:
        raise ValueError(f"Argument '{name}' must have at least 2 inputs, columns or groups of them, not 1.")
    return label


def _shuffled(words: str, table: Array, drawn: Integers, label: Integers) -> Inputs:
    """Columns that are drawn together come from one random row, others from others."""

    def draw(rng: np.random.Generator, size: int) -> Array:
        rows = rng.integers(len(table), size=(2, size, drawn.max() + 1))
        return table[rows[:, :, drawn], np.arange(len(drawn))]

    return Inputs(f"{label.max() + 1} {words}", label, np.ptp(table, axis=0), draw)


def _masked(tables: list[Array], label: Integers) -> Inputs:
    """Two independent masks for one pair of random rows."""

    def draw(rng: np.random.Generator, size: int) -> Array:
        a, b = (table[rng.integers(len(table), size=size)] for table in tables)
        mask = rng.integers(2, size=(2, size, label.max() + 1))
        return np.where(mask[:, :, label], b, a)

    return Inputs(f"{label.max() + 1} masks", label, np.ptp(np.concatenate(tables), axis=0), draw)
