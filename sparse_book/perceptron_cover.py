r"""The perceptron cover and the peeling of one neuron: the two devices in the proof of `ours-theorem-e`.

*Cover* (`ours-perceptron-cover`). Let f(x) = <w, x> on points of norm at most b, ||w|| <= a, M = a b. From v = 0, while
some |f(x_i) - <v, x_i>| > e, the perceptron adds (e/b^2) times the sign of that gap times x_i to v. Each step lowers
||w - v||^2 by more than e^2/b^2, so that there are fewer than (M/e)^2 steps. The result depends only on how often each
of the 2m letters occurs in the word of its at most T steps: the cover has at most C(2m + T, T) functions.

*Peeling.* With the covers fhat_l of the scales gamma_l = M 2^-l the active set {f > 0} falls into layers A_1, ..., A_L,
where f is at most 4 gamma_l, and a rest where f is at most 2 gamma_L. Each A_l is one of few sets.

Paper: section 5. The covering number is a form of Zhang's (2002).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparse_core import checks
from sparse_core._arrays import Array

__all__ = ["Cover", "Peeling", "homogeneous", "peel", "perceptron"]


# Covers are finer than gamma_l by this factor: at the farthest point fhat_l is a multiple of e, and so never gamma_l.
SHADE = 1 - 2.0**-30
# The largest M/e, for which there are fewer than 10^6 steps.
RATIO = 1000


class Cover(NamedTuple):
    """What the perceptron did.

    word : its steps, +(i+1) or -(i+1) for the point i with that sign.
    values : <v, x_i> at the end, within e of f(x_i).
    distances : ||w - v||^2 at the start and after each step.
    """

    word: list[int]
    values: Array
    distances: Array


class Peeling(NamedTuple):
    """Layers A_1, ..., A_L of {f > 0} as rows of truth values, what is left, and the words that fix the layers."""

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
    >>> cover.word, cover.values, cover.distances.round(2)
    ([1], array([0.5, 0. ]), array([1.16, 0.41]))
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
            return Cover(word, points @ (weights - rest), np.array(distances))
        sign = 1 if gap[i] > 0 else -1
        rest = rest - sign * step * points[i]
        word.append(sign * (i + 1))
        distances.append(float(rest @ rest))


def peel(X: ArrayLike, w: ArrayLike, M: float, L: int) -> Peeling:
    """A_l = {fhat_l > gamma_l} without A_1, ..., A_(l-1), for f = <w, .> and l = 1, ..., L, gamma_l = M 2^-l.

    The finest cover asks for gamma_L of at least ||w|| max ||x_i|| / 1000.

    >>> peel([[0.9], [0.3], [-0.5]], [1.0], M=1.0, L=2)
    Peeling(layers=array([[False, False, False],
           [ True, False, False]]), rest=array([False,  True, False]), words=[[1], [1, 1, 1]])
    """
    points, weights, b = _arguments(X, w)
    L = checks.integer("L", L, 1, 60)
    M = checks.real("M", M, math.hypot(*weights) * b / RATIO / SHADE * 2.0**L, math.inf, above=0)
    scales = M / 2.0 ** np.arange(1, L + 1)
    covers = [perceptron(points, weights, SHADE * scale) for scale in scales.tolist()]
    rest = points @ weights > 0
    layers = []
    for scale, cover in zip(scales, covers, strict=True):
        layers.append(rest & (cover.values > scale))
        rest = rest & ~layers[-1]
    return Peeling(np.array(layers), rest, [cover.word for cover in covers])


def _arguments(X: ArrayLike, w: ArrayLike) -> tuple[Array, Array, float]:
    """The points, the weights and b = max ||x_i||, which no square overflows; 1 if all points are 0."""
    points = checks.real_array("X", X, 2).astype(np.float64)
    weights = checks.real_array("w", w, 1, shape=(points.shape[1],)).astype(np.float64)
    return points, weights, max((math.hypot(*x) for x in points), default=0.0) or 1.0
