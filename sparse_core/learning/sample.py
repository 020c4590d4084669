r"""A sample: points x_i of the cube with real labels y_i, checked once where it enters and walked in blocks from there.

Every route from samples to coefficients takes one: moments, regression, the estimator, files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import slices

__all__ = ["Sample"]

# Entries of X that are checked at a time: the two arrays of truth values that this takes have 4 MB each.
CHECKED_ENTRIES = 1 << 22


class Sample(NamedTuple):
    """m points of the cube, the rows of X with entries -1 and 1, and m real labels y.

    Make one with ``Sample.checked``; the constructor itself checks nothing. X and y keep the types in which they came,
    so that a memory map is read block by block and never copied as a whole.

    >>> sample = Sample.checked([[1, 1], [-1, 1], [1, -1]], [3, 4, 5])
    >>> [block.y for block in sample.blocks(2)]
    [array([3., 4.]), array([5.])]
    """

    X: NDArray[Any]
    y: NDArray[Any]

    @classmethod
    def checked(cls, X: ArrayLike, y: ArrayLike | None = None) -> Sample:
        """X and y as a sample, once they are known to be one; without y all labels are 1.

        >>> Sample.checked([[1, 1], [-1, 0]])
        Traceback (most recent call last):
        ValueError: Argument 'X' must have entries -1 and 1 only; entry (1, 1) is 0.
        """
        points = checks.rectangular("X", X)
        checks.signs("X", points[:0] if points.ndim else points)  # the type and the number of axes
        m, n = points.shape
        for rows in slices(m, max(1, CHECKED_ENTRIES // max(1, n))):
            checks.signs(f"X[{rows.start}:]" if rows.start else "X", points[rows])
        labels = checks.rectangular("y", np.broadcast_to(np.int8(1), m) if y is None else y)
        # Short integers keep their type, so that a memory map of them is not copied; longer ones may be too large.
        return cls(points, checks.real_array("y", labels, 1, shape=(m,), convert=labels.dtype.itemsize > 4))

    def blocks(self, size: int) -> Iterator[Sample]:
        """Blocks of ``size`` samples, the last one perhaps shorter; their labels are floats."""
        for rows in slices(len(self.y), size):
            y = self.y[rows]
            yield Sample(self.X[rows], y if y.dtype in (np.float32, np.float64) else y.astype(np.float64))
