"""Inputs in colours: the mixtures of two points at which f is evaluated, and the statistic T of its values there."""

from __future__ import annotations

from itertools import combinations
from math import comb, prod

import numpy as np

from .._arrays import Array

__all__ = ["chance", "corners", "extremes", "number", "statistic"]

# Chance widens the interval by about this many largest T over the samples: 2 (ln(2 / delta) + ln 12) = 12 for the range
# of T, the rest for its variance. On networks, boosted trees and bits, at 2^13 to 2^18 evaluations, the colours that
# follow make it at most a fifth wider than the best.
NOISE = 32
# The least squared sum would be 0. A bound is to be positive, and bets begin at its inverse: a larger one forbids good
# bets against rare large differences, and a smaller one adds bets that are never good.
LEAST_SQUARE = -1 / 32
# Beyond these many colours even a million evaluations are too few.
MOST_COLOURS = 32


def number(inputs: int, order: int, unexplained: float, spread: float, evaluations: int) -> int:
    """The number of colours for which the interval will be about narrowest.

    unexplained, spread : the share of the variance that a line leaves, and the squared range of the rest over it.

    >>> [number(64, 1, 0.3, 20.0, evaluations) for evaluations in (2**12, 2**16, 2**20)]
    [2, 3, 7]
    """
    if order > 1:
        return order + 1

    def expected(colours: int) -> float:
        p = chance(inputs, order, colours)
        gap = unexplained * (1 / p - 1)
        most, _ = extremes(order, colours)
        samples = evaluations / len(corners(order, colours))
        return gap + NOISE * spread * most / samples

    last = min(inputs, MOST_COLOURS)
    return min(range(2, last + 1), key=expected)


def chance(inputs: int, order: int, colours: int) -> float:
    """The chance p that order + 1 inputs have different colours.

    >>> chance(4, 1, 2)
    0.6666666666666666
    """
    sizes = np.bincount(np.arange(inputs) % colours).tolist()
    different = sum(map(prod, combinations(sizes, order + 1)))
    return different / comb(inputs, order + 1)


def corners(order: int, colours: int) -> list[int]:
    """The exchanged colours of each mixture to evaluate, as bits; what stands at the other end is opposite.

    >>> corners(1, 3)
    [0, 1, 2, 4, 3, 5, 6, 7]
    """
    if colours == order + 1:
        return list(range(1 << colours))
    first = [0, *(1 << colour for colour in range(colours))]
    every = (1 << colours) - 1
    return first + [every - corner for corner in reversed(first)]


def statistic(H: Array, order: int, colours: int) -> Array:
    """T from the values at the corners, a row for each.

    >>> statistic(np.array([[3.0], [1.0], [1.0], [0.0]]), 1, 2).tolist()
    [0.25]
    """
    if colours == order + 1:
        signs = [(-1.0) ** corner.bit_count() for corner in range(len(H))]
        alternating = np.array(signs) @ H
        return np.asarray(alternating**2 / len(H))
    x, *u = H[: colours + 1]
    y, *v = H[:colours:-1]
    T = (1 - colours / 4) * (x - y) ** 2 / 2
    for a, b in zip(u, v, strict=True):
        bracket = (a - b) ** 2 / 8 - (x - a) * (b - y) / 2
        T += bracket
    return np.asarray(T)


def extremes(order: int, colours: int) -> tuple[float, float]:
    """T is at most the one and at least the other, if f lies between 0 and 1.

    >>> extremes(1, 3)
    (1.5, -1.0)
    """
    if colours == order + 1:
        return 2.0 ** (colours - 2), LEAST_SQUARE
    return colours / 2, (1 - colours) / 2
