"""A number with an interval: exact, or the mean of a sample with the 95 % confidence interval of Student."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from ._arrays import Array

__all__ = ["Interval", "exactly", "half_width", "student"]


class Interval(NamedTuple):
    """A number that lies between low and high; with high = inf only a lower bound is known."""

    value: float
    low: float
    high: float

    def scaled(self, factor: float) -> Interval:
        """factor x, for a factor of at least 0.

        >>> Interval(1.0, 0.5, 2.0).scaled(2)
        Interval(value=2.0, low=1.0, high=4.0)
        >>> Interval(1.0, 0.5, np.inf).scaled(0)
        Interval(value=0.0, low=0.0, high=0.0)
        """
        return Interval(*(factor * x if factor else 0.0 for x in self))


def exactly(value: float) -> Interval:
    """An exact number.

    >>> exactly(2)
    Interval(value=2.0, low=2.0, high=2.0)
    """
    return Interval(float(value), float(value), float(value))


def half_width(error: float | Array, count: int, level: float = 0.05) -> Array:
    """Half the width of Student's interval for a mean of ``count`` normal values, from its standard error.

    The interval misses the expectation with probability ``level``.

    >>> float(half_width(0.1, 11).round(4))
    0.2228
    """
    quantile = -stdtrit(count - 1, level / 2)  # from the lower tail, which has no round-off near 1
    return np.asarray(quantile * error)


def student(values: Any, level: float = 0.05) -> Interval:
    """The mean of independent values, with Student's interval, which misses with probability about ``level``.

    >>> [round(x, 4) for x in student([1.0, 2.0, 3.0, 2.0])]
    [2.0, 0.7008, 3.2992]
    """
    x = np.asarray(values)
    mean = float(x.mean())
    half = float(half_width(x.std(ddof=1) / sqrt(len(x)), len(x), level))
    return Interval(mean, mean - half, mean + half)
