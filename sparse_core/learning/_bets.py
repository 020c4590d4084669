"""Bets against the mean of a game: the least parameter at which they make rich bounds the one at which it is fair."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, log, log2

import numpy as np

from .._arrays import Array

__all__ = ["high", "low", "smallest"]

# The bets halve from 0.99 / b on, so many times: the best is about E Z / E Z^2, which is small if large Z are rare.
FEWEST_BETS = 12
# Bisections of [0, 1]: the error is below 1e-7.
STEPS = 24


def low(T: Array, V: Array, p: float, most: float, confidence: float) -> float:
    """The lower end that T and V certify, where E T >= p W and E V = Var f; T is at most ``most``.

    >>> low(np.zeros(1000), np.ones(1000), 0.5, 1.0, 0.95) > 0.98
    True
    """

    def game(s: float) -> Array:
        return T / p - s * V

    def loss(s: float) -> float:
        return most / p

    return 1 - smallest(game, loss, confidence)


def high(T: Array, V: Array, least: float, most: float, confidence: float) -> float:
    """The upper end, where E T <= W; T is at least ``least``, and V at most ``most``.

    >>> high(np.ones(1000), np.ones(1000), -0.5, 1.0, 0.95) < 0.02
    True
    """

    def game(s: float) -> Array:
        return (1 - s) * V - T

    def loss(s: float) -> float:
        return (1 - s) * most - least

    return smallest(game, loss, confidence)


def smallest(Z: Callable[[float], Array], most: Callable[[float], float], confidence: float) -> float:
    """The least s at which bets against E Z(s) >= 0 multiply the stake by 2 / (1 - confidence); else 1.

    Z(s) and most(s), which it does not exceed, decrease. A bet that could lose more than the stake at s counts as lost.

    >>> won = np.array([0.0, 1.0] * 500)
    >>> 0.5 < smallest(lambda s: won - s, lambda s: 1.0, 0.95) < 0.6
    True
    """
    count = FEWEST_BETS + ceil(log2(most(0) / most(1)))
    bets = 0.99 / most(1) * 0.5 ** np.arange(count)
    enough = log(2 / (1 - confidence))
    poor = 0.0
    rich = 1.0
    for _ in range(STEPS):
        s = (poor + rich) / 2
        logs = [np.log1p(-bet * Z(s)).sum() for bet in bets[bets * most(s) < 1]]
        if np.logaddexp.reduce(logs) - log(count) >= enough:
            rich = s
        else:
            poor = s
    return rich
