"""A number with its doubt: exact, or the mean of a sample with a 95 % interval."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

__all__ = ["Interval", "exactly", "normal"]


class Interval(NamedTuple):
    """A number that lies between low and high; with high = inf only a lower bound is known."""

    value: float
    low: float
    high: float

    def scaled(self, factor: float) -> Interval:
        """factor x, for a factor of at least 0.

        >>> Interval(1.0, 0.5, 2.0).scaled(2)
        Interval(value=2.0, low=1.0, high=4.0)
        """
        return Interval(*(factor * x for x in self))


def exactly(value: float) -> Interval:
    """A number without doubt.

    >>> exactly(2)
    Interval(value=2.0, low=2.0, high=2.0)
    """
    return Interval(float(value), float(value), float(value))


def normal(values: Any, level: float = 0.05) -> Interval:
    """The mean of independent values, with an interval (Student) that errs with probability about ``level``.

    >>> [round(x, 4) for x in normal([1.0, 2.0, 3.0, 2.0])]
    [2.0, 0.7008, 3.2992]
    """
    x = np.asarray(values)
    mean, error = float(x.mean()), float(x.std(ddof=1)) / sqrt(len(x))
    half = float(stdtrit(len(x) - 1, 1 - level / 2)) * error
    return Interval(mean, mean - half, mean + half)
