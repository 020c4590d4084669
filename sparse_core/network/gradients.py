r"""Gradients along the edges of the cube, and what they say about average sensitivity.

With v_j = u_j w_j, R_x the set of active neurons at x and x' the point x with bit i flipped, let
d_i h(x) = sum_{j in R_x} v_ji, the i-th entry of the gradient. For every network with one hidden layer

    sqrt(AS(h)) <= sqrt(J(h)) <= sqrt(E |grad h|^2) + (1/2) sqrt(E sum_i (sum_{j in R_x ^ R_x'} |v_ji|)^2),

where J(h) = E sum_i avg_t (d_i h(x with x_i = t))^2, t in [-1, 1], is the mean squared slope along the edges
(`ours-edge-form`, `ours-gradient`). With several layers the same holds without J, and the second term becomes

    (1/4) sqrt(E sum_i (sum_l sum_{j in R_x^l ^ R_x'^l} |g_j^l(x')| |z_j^l(x)| + |g_j^l(x)| |z_j^l(x')|)^2),

where z_j^l is the pre-activation of neuron j of layer l and g_j^l the derivative of h by its output
(`ours-gradient-depth`). If all u_j >= 0, then AS(h) <= 2 E sum_i (x_i d_i h(x))_+^2 (`ours-gradient-nonnegative`).

All of these are means over x of quantities that one forward and one backward pass at x and at its n neighbours give, so
a sample of points estimates them.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Array
from ..cube.hypercube import points
from .network import SparseNetwork
from .training import Layered

__all__ = ["Edges", "edges", "gradients"]

# Numbers of the largest array that an enumeration of the cube may make: 2^26 doubles are 512 MB.
MAX_NUMBERS = 1 << 26


class Edges(NamedTuple):
    """What a network does along the n edges at each point x: arrays with an entry for each point.

    sensitivity : sum_i (h(x) - h(x'))^2 / 4, with mean AS(h).
    slope : sum_i avg_t (d_i h(x with x_i = t))^2, with mean J(h); NaN for more than one hidden layer.
    gradient : |grad h(x)|^2.
    boundary : sum_i of the squared half sum over the neurons that the edge switches (one layer: (sum |v_ji|)^2).
    increasing : sum_i 2 (x_i d_i h(x))_+^2, whose mean bounds AS(h) where h is convex.
    """

    sensitivity: Array
    slope: Array
    gradient: Array
    boundary: Array
    increasing: Array

    @property
    def bound(self) -> float:
        """(sqrt(E gradient) + sqrt(E boundary) / 2)^2 >= AS(h), from the means over the points.

        >>> net = SparseNetwork([1, -1], [[1], [-1]], [-1, -1])       # h(x) = 2 x: affine on its edge
        >>> edges(net).bound
        4.0
        """
        return (sqrt(self.gradient.mean()) + sqrt(self.boundary.mean()) / 2) ** 2


def gradients(net: SparseNetwork | Layered, X: ArrayLike, output: int = 0) -> Array:
    """grad h(x) at each row x of X: a (rows, n) array; at a kink, the derivative with 0 for relu'(0).

    output : which output, for a ``Layered`` network.

    >>> gradients(SparseNetwork([1, -2], [[1, 0], [1, 1]], [0, 1]), [[1, 1], [1, -1], [-1, 1]])
    array([[-1., -2.],
           [ 1.,  0.],
           [ 0.,  0.]])
    """
    layers, u = _layers(net, output)
    X = checks.real_array("X", X, 2, shape=(None, layers[0][0].shape[1])).astype(np.float64)
    return _passes(layers, u, X).backward[0]


def edges(net: SparseNetwork | Layered, X: ArrayLike | None = None, output: int = 0) -> Edges:
    """The quantities of ``Edges`` at every point of the cube, in its order, or at the rows of X, points of the cube.

    output : which output, for a ``Layered`` network; its constant does not matter.

    >>> found = edges(SparseNetwork([1, 1], [[1, 1], [-1, -1]], [0, 0]))       # |x_1 + x_2|
    >>> [float(part.mean()) for part in found]
    [2.0, 2.0, 1.0, 2.0, 2.0]
    """
    layers, u = _layers(net, output)
    n = layers[0][0].shape[1]
    widest = max(len(b) for _, b in layers)
    if X is None:
        if n > 62 or max(widest, n) << n > MAX_NUMBERS:
            raise ValueError(f"Argument 'X' must be given for n = {n}: 2**{n} points are too many to enumerate.")
        x = points(n).astype(np.float64)
    else:
        x = checks.signs("X", X, n).astype(np.float64)
    here = _passes(layers, u, x)
    sensitivity = np.zeros(len(x))
    slope = np.zeros(len(x)) if len(layers) == 1 else np.full(len(x), np.nan)
    boundary = np.zeros(len(x))
    for i in range(n):
        if X is None:
            near = here.at(np.arange(len(x)) ^ (1 << i))
        else:
            flipped = x.copy()
            flipped[:, i] *= -1
            near = _passes(layers, u, flipped)
        sensitivity += (here.value - near.value) ** 2 / 4
        boundary += _switched(here, near) ** 2
        if len(layers) == 1:
            slope += _mean_squared_slope(here.z[0], near.z[0], u * layers[0][0][:, i])
    partial = here.backward[0]
    increasing = 2 * (np.maximum(x * partial, 0) ** 2).sum(axis=1)
    return Edges(sensitivity, slope, (partial**2).sum(axis=1), boundary, increasing)


class _Passes(NamedTuple):
    """Forward and backward passes: h, the z of each layer, and the derivatives of h by x and by each layer's output."""

    value: Array
    z: list[Array]
    backward: list[Array]

    def at(self, rows: NDArray[Any]) -> _Passes:
        return _Passes(self.value[rows], [z[rows] for z in self.z], [g[rows] for g in self.backward])


def _passes(layers: list[tuple[Array, Array]], u: Array, x: Array) -> _Passes:
    zs = []
    y = x
    for W, b in layers:
        zs.append(y @ W.T - b)
        y = np.maximum(zs[-1], 0)
    value = y @ u
    backward = [np.broadcast_to(u, zs[-1].shape)]
    for (W, _), z in zip(reversed(layers), reversed(zs), strict=True):
        backward.insert(0, (backward[0] * (z > 0)) @ W)
    return _Passes(value, zs, backward)


def _switched(here: _Passes, near: _Passes) -> Array:
    """(1/2) sum over the neurons that are active at one end only of |g(x')| |z(x)| + |g(x)| |z(x')|."""
    total = np.zeros(len(here.value))
    for z, other, g, g_other in zip(here.z, near.z, here.backward[1:], near.backward[1:], strict=True):
        switched = (z > 0) != (other > 0)
        terms = np.abs(g_other) * np.abs(z) + np.abs(g) * np.abs(other)
        total += np.where(switched, terms, 0).sum(axis=1) / 2
    return total


def _mean_squared_slope(z: Array, other: Array, v: Array) -> Array:
    """avg_t (sum_j v_j [z_j > 0 at t])^2 along the edge from x, where z_j is z, to x', where it is other.

    Neuron j is active for t in [0, 1] from its end up to a break point; between two break points the slope is constant.
    """
    change = other - z
    with np.errstate(divide="ignore", invalid="ignore"):
        place = np.clip(-z / change, 0, 1)  # where z_j is 0 on the way from x to x'
    begins = z > 0
    ends = other > 0
    place = np.where(begins == ends, 1.0, place)  # active all the way, or never: no break before the end
    jump = np.where(begins == ends, 0.0, np.where(ends, v, -v))
    order = np.argsort(place, axis=1)
    place = np.take_along_axis(place, order, axis=1)
    jump = np.take_along_axis(jump, order, axis=1)
    start = np.where(begins, v, 0).sum(axis=1)
    slopes = np.column_stack([start, start[:, None] + np.cumsum(jump, axis=1)])
    lengths = np.diff(np.column_stack([np.zeros(len(z)), place, np.ones(len(z))]), axis=1)
    return np.asarray((slopes**2 * lengths).sum(axis=1))


def _layers(net: SparseNetwork | Layered, output: int) -> tuple[list[tuple[Array, Array]], Array]:
    """The hidden layers (W, b), and the weights of the output."""
    if isinstance(net, Layered):
        which = checks.integer("output", output, 0, len(net.b[-1]) - 1)
        hidden = list(zip(net.W[:-1], net.b[:-1], strict=True))
        u = net.W[-1][which]
    else:
        checks.having("net", net, "u", "W", "b")
        hidden = [(net.W, net.b)]
        u = net.u
    return [(W.astype(np.float64), b.astype(np.float64)) for W, b in hidden], np.asarray(u, dtype=np.float64)
