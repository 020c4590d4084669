r"""One run of the perceptron through all scales, and the peeling of one neuron: the devices of `ours-theorem-e`.

*Run* (`ours-perceptron-cover`). Let f(x) = <w, x> on points of norm at most b, ||w|| <= a, M = a b. From v = 0, while
some |f(x_i) - <v, x_i>| > e, the perceptron adds (e/b^2) times the sign of that gap times x_i to v. Each step lowers
||w - v||^2 by more than e^2/b^2. With e = gamma_1, then gamma_2 from where the first scale ended, and so on, the T_l
steps of the scales share one budget, sum T_l gamma_l^2 < M^2. The result depends only on how often each letter, an
index with a sign and a scale, occurs in the word of the steps.

*Peeling.* With v_l the result at the scale gamma_l = M 2^(-l/2), the active set {f > 0} falls into layers A_1, ...,
A_L, where f is at most 2 gamma_(l-1), and a rest where f is at most 2 gamma_L. Each A_l is fixed by the word.

Paper: section 5. The covering number of one scale is a form of Zhang's (2002).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparse_core import checks
from sparse_core._arrays import Array

__all__ = ["Cover", "Peeling", "homogeneous", "peel", "perceptron"]


# Runs are finer than gamma_l by this factor: at the farthest point <v, x> is a sum of multiples of e, never gamma_l.
SHADE = 1 - 2.0**-30
# The largest M/e, for which there are fewer than 10^6 steps.
RATIO = 1000


class Cover(NamedTuple):
    """What the perceptron did.

    word : its steps, +(i+1) or -(i+1) for the point i with that sign.
    values : <v, x_i> at the end, within e of f(x_i).
    distances : ||w - v||^2 at the start and after each step.
    gap : w - v at the end.
    """

    word: list[int]
    values: Array
    distances: Array
    gap: Array


class Peeling(NamedTuple):
    """Layers A_1, ..., A_L of {f > 0} as rows of truth values, what is left, and the steps of each scale."""

    layers: NDArray[np.bool_]
    rest: NDArray[np.bool_]
    words: list[list[int]]


def homogeneous(X: ArrayLike, w: ArrayLike, c: float, W: float, B: float) -> tuple[Array, Array]:
    """(x, l) and (w, -c/l) with l^2 = BR/W: the bias as one more weight, and then ||w~|| ||x~|| <= WR + B.

    R is the largest norm of a row of X, ||w|| <= W and |c| <= B, W and B positive.

    >>> X, w = homogeneous([[3.0, 4.0]], [1.0, 0.0], c=2.0, W=1.0, B=5.0)
    >>> X, w
    (array([[3., 4., 5.]]), array([ 1. ,  0. , -0.4]))
    """
    points, weights, R = _arguments(X, w)
    if not points.any():
        raise ValueError("Argument 'X' must have a row other than 0.")
    height = (checks.positive("B", B) * R / checks.positive("W", W)) ** 0.5
    return np.column_stack([points, np.full(len(points), height)]), np.append(weights, -checks.real("c", c) / height)


def perceptron(X: ArrayLike, w: ArrayLike, e: float) -> Cover:
    """|<v, x_i> - <w, x_i>| <= e at all m points, by fewer than (M/e)^2 steps, M = ||w|| max ||x_i||.

    f has the weights w, the m points are the rows of X, and e is at least M/1000.

    >>> cover = perceptron([[1.0, 0.0], [0.0, 1.0]], [1.0, -0.4], e=0.5)
    >>> cover.word, cover.values, cover.distances.round(2), cover.gap
    ([1], array([0.5, 0. ]), array([1.16, 0.41]), array([ 0.5, -0.4]))
    """
    points, weights, b = _arguments(X, w)
    e = checks.real("e", e, math.hypot(*weights) * b / RATIO, math.inf, above=0)
    step = e / b / b
    rest = weights.copy()  # w - v
    word: list[int] = []
    distances = [float(weights @ weights)]
    while True:
        gap = points @ rest
        i = int(np.argmax(np.abs(gap)))
        if abs(gap[i]) <= e:
            return Cover(word, points @ (weights - rest), np.array(distances), rest)
        sign = 1 if gap[i] > 0 else -1
        rest = rest - sign * step * points[i]
        word.append(sign * (i + 1))
        distances.append(float(rest @ rest))


def peel(X: ArrayLike, w: ArrayLike, M: float, L: int) -> Peeling:
    """A_l = {<v_l, .> > gamma_l} without A_1, ..., A_(l-1), for f = <w, .> and l = 1, ..., L, gamma_l = M 2^(-l/2).

    v_l is where one run of the perceptron stands after the scale l. The finest scale asks for gamma_L of at least
    ||w|| max ||x_i|| / 1000.

    >>> peel([[0.9], [0.3], [-0.5]], [1.0], M=1.0, L=3)
    Peeling(layers=array([[False, False, False],
           [ True, False, False],
           [False, False, False]]), rest=array([False,  True, False]), words=[[1], [], []])
    """
    points, weights, b = _arguments(X, w)
    L = checks.integer("L", L, 1, 60)
    M = checks.real("M", M, math.hypot(*weights) * b / RATIO / SHADE * 2.0 ** (L / 2), math.inf, above=0)
    left = weights  # w - v
    rest = points @ weights > 0
    layers = []
    words = []
    for scale in (M * 2.0 ** (-np.arange(1, L + 1) / 2)).tolist():
        run = perceptron(points, left, SHADE * scale)
        left = run.gap
        layers.append(rest & (points @ (weights - left) > scale))
        rest = rest & ~layers[-1]
        words.append(run.word)
    return Peeling(np.array(layers), rest, words)


def _arguments(X: ArrayLike, w: ArrayLike) -> tuple[Array, Array, float]:
    """The points, the weights and b = max ||x_i||, which no square overflows; 1 if all points are 0."""
    points = checks.real_array("X", X, 2).astype(np.float64)
    checks.integer("the number of points", len(points), 1)
    weights = checks.real_array("w", w, 1, shape=(points.shape[1],)).astype(np.float64)
    return points, weights, max(math.hypot(*x) for x in points) or 1.0
