"""A model as it is certified: a line, and a rest that is clipped to its range on a pilot sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from .._arrays import Array
from ._inputs import Inputs

__all__ = ["Score", "pilot"]

# What the line leaves may go beyond its range on the pilot sample by this part of it: little more is then clipped.
MARGIN = 0.1
# The largest value of f whose squares are surely floats.
MOST_VALUE = 1e60
# A function that varies by less has squares that may not be floats.
LEAST_SPREAD = 1e-150


@dataclass
class Score:
    """f as a line and a rest that is clipped to [low, high]; the evaluations so far, and how many were clipped."""

    f: Callable[[Array], ArrayLike]
    slopes: Array
    low: float = -inf
    high: float = inf
    evaluations: int = 0
    clipped: int = 0

    @property
    def width(self) -> float:
        return self.high - self.low

    def range(self, law: Inputs) -> float:
        """The largest difference of two values."""
        return self.width + float(np.abs(self.slopes) @ law.spans)

    def __call__(self, points: Array) -> tuple[Array, Array]:
        """The line and the clipped rest at some points."""
        line = points @ self.slopes  # before f, which may write into what it is given
        rest = self._values(points) - line
        kept = np.clip(rest, self.low, self.high)
        self.evaluations += len(points)
        self.clipped += int((kept != rest).sum())
        return line, kept

    def _values(self, points: Array) -> Array:
        given = checks.rectangular("f", self.f(points))
        if len(points) == 1:  # of one row, a model that squeezes its outputs gives a number
            given = given.reshape(-1)
        if given.shape != (len(points),) or given.dtype.kind not in "biuf":
            found = f"{given.shape} of type {given.dtype}"
            raise ValueError(f"Argument 'f' must give one number for each of {len(points)} rows, not {found}.")
        values = given.astype(np.float64)
        checks.entries("f", values, np.abs(values) <= MOST_VALUE, f"must give numbers of at most {MOST_VALUE} in size")
        return values


def pilot(score: Score, law: Inputs, clip: Any, size: int, rng: np.random.Generator) -> tuple[float, float]:
    """Fix the line, and where what it leaves is clipped; the variance of f, and of what the line leaves.

    >>> from sparse_core.learning._inputs import inputs
    >>> score = Score(lambda x: x[:, 0] + x[:, 1] * x[:, 2], np.zeros(3))
    >>> variance, unexplained = pilot(score, inputs(None, 3, None, None), None, 4000, np.random.default_rng(0))
    >>> round(unexplained / variance, 1)
    0.5
    """
    if clip is not None:
        ends = checks.real_array("clip", clip, 1, shape=(2,))
        score.low = float(ends[0])
        score.high = checks.real("clip[1]", ends[1], above=score.low)
    columns = law.widest()[: size // 8]  # a slope needs some points
    blocks = [(x[:, columns], score(x)[1]) for x, _ in law.pairs(size, rng)]
    x, y = (np.concatenate(part) for part in zip(*blocks, strict=True))
    if np.ptp(y) < LEAST_SPREAD:  # the variance of equal numbers need not be 0
        raise ValueError(f"Argument 'f' must vary; it is {y[0]} at each of {size} points, where clip is {clip}.")
    if clip is not None:
        return float(y.var()), float(y.var())
    rest = y
    slopes, left = _line(x, y)
    if np.ptp(left) < np.ptp(y):
        score.slopes[columns] = slopes
        rest = left
    margin = max(MARGIN * np.ptp(rest), 1e-9 * np.ptp(y))  # a line may leave nothing
    score.low = float(rest.min() - margin)
    score.high = float(rest.max() + margin)
    return float(y.var()), float(rest.var())


def _line(x: Array, y: Array) -> tuple[Array, Array]:
    """The slopes that fit one half of a sample best, and what they leave of the other half."""
    half = len(y) // 2
    scale = x.std(axis=0)
    scale[scale == 0] = 1
    centred = (x - x.mean(axis=0)) / scale
    target = y[:half] - y.mean()
    fitted = np.linalg.lstsq(centred[:half], target, rcond=1e-6)
    slopes = fitted[0] / scale
    return slopes, (y - x @ slopes)[half:]
