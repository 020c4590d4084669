r"""Gradients along the edges of the cube, and what they say about average sensitivity.

With v_j = u_j w_j, R_x the set of active neurons at x (``activity``) and x' the point x with bit i flipped, let
d_i h(x) = sum_{j in R_x} v_ji, the i-th entry of the gradient. For every network with one hidden layer

    sqrt(AS(h)) <= sqrt(J(h)) <= sqrt(E |grad h|^2) + (1/2) sqrt(E sum_i (sum_{j in R_x ^ R_x'} |v_ji|)^2),

where J(h) = E sum_i avg_t (d_i h(x with x_i = t))^2, t in [-1, 1], is the mean squared slope along the edges
(`ours-gradient`). With several layers the same holds without J, and the second term becomes

    (1/4) sqrt(E sum_i (sum_l sum_{j in R_x^l ^ R_x'^l} |g_j^l(x')| |z_j^l(x)| + |g_j^l(x)| |z_j^l(x')|)^2),

where z_j^l is the pre-activation of neuron j of layer l and g_j^l the derivative of h by its output
(`ours-gradient-depth`). If all u_j >= 0, then AS(h) <= 2 E sum_i (x_i d_i h(x))_+^2 (`ours-gradient-nonnegative`).

All of these are means over x of quantities that one forward and one backward pass at x and at its n neighbours give, so
a sample of points estimates them. At all points of the cube the largest array may have 2^26 numbers, 512 MB: n <= 21
for 32 neurons. The costs in the docstrings are those of n = 18 with 32 neurons.

``signs`` needs no neighbours: with h_+ and h_- the neurons with u_j > 0 and u_j < 0

    sqrt(AS(h)) <= sqrt(2) (sqrt(E |grad h_+|^2) + sqrt(E |grad h_-|^2))                      (`ours-gradient-signs`),

and with variances in place of second moments the right side bounds sqrt(G(h)), where G(h) = sum_i Var(D_i h) is made of
the ``differences`` D_i h(x) = (h(x with x_i = 1) - h(x with x_i = -1)) / 2 (`ours-differences`, `ours-covariance`).
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Array, slices
from ..cube.hypercube import points
from . import activity
from .activity import BLOCK_ENTRIES
from .network import SparseNetwork
from .training import Layered

__all__ = ["Edges", "Signs", "active_norms", "differences", "edges", "gradients", "signs"]

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
        checks.integer("the number of points", len(self.gradient), 1)
        return (sqrt(self.gradient.mean()) + sqrt(self.boundary.mean()) / 2) ** 2


class Signs(NamedTuple):
    """The gradients of h_+ and h_-, with h = h_+ - h_-, at each point x: (points, n) arrays.

    positive, negative : grad h_+(x) and grad h_-(x), the neurons with u_j > 0 and with u_j < 0.
    """

    positive: Array
    negative: Array

    @property
    def bound(self) -> float:
        """2 (sqrt(E |grad h_+|^2) + sqrt(E |grad h_-|^2))^2 >= AS(h), from the means over the points.

        >>> net = SparseNetwork([1, -1], [[1], [-1]], [-1, -1])       # h(x) = 2 x: AS = 4
        >>> round(signs(net).bound, 12)
        4.0
        """
        checks.integer("the number of points", len(self.positive), 1)
        return 2 * (sqrt((self.positive**2).sum(1).mean()) + sqrt((self.negative**2).sum(1).mean())) ** 2

    @property
    def covariance_bound(self) -> float:
        """2 (sqrt(tr Cov grad h_+) + sqrt(tr Cov grad h_-))^2 >= G(h), from the variances over the points.

        tr Cov grad h_+ = sum C_jl <v_j, v_l> over pairs with u_j, u_l > 0, C_jl = Cov(1[j active], 1[l active]).

        >>> net = SparseNetwork([1, -1], [[1], [-1]], [-1, -1])       # each neuron active at one of two points
        >>> round(signs(net).covariance_bound, 12)
        2.0
        """
        checks.integer("the number of points", len(self.positive), 1)
        return 2 * (sqrt(self.positive.var(0).sum()) + sqrt(self.negative.var(0).sum())) ** 2


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

    Cost: n times that of the values; on the cube 4 s and 60 MB.

    >>> quantities = edges(SparseNetwork([1, 1], [[1, 1], [-1, -1]], [0, 0]))  # |x_1 + x_2|
    >>> [float(part.mean()) for part in quantities]
    [2.0, 2.0, 1.0, 2.0, 2.0]
    """
    layers, u = _layers(net, output)
    x = _cube(layers, X)
    n = x.shape[1]
    if len(layers) == 1:
        parts = [_one_layer(*layers[0], u, x[rows]) for rows in slices(len(x), max(1, BLOCK_ENTRIES // max(1, len(u))))]
        return Edges(*map(np.concatenate, zip(*parts, strict=True)))
    here = _passes(layers, u, x)
    sensitivity = np.zeros(len(x))
    boundary = np.zeros(len(x))
    for i in range(n):
        flipped = x.copy()
        flipped[:, i] *= -1
        near = _passes(layers, u, flipped)
        sensitivity += (here.value - near.value) ** 2 / 4
        boundary += _switched(here, near) ** 2
    return _edges_of(x, here.backward[0], sensitivity, np.full(len(x), np.nan), boundary)


def signs(net: SparseNetwork | Layered, X: ArrayLike | None = None, output: int = 0) -> Signs:
    """grad h_+ and grad h_- at every point of the cube, or at the rows of X: networks with one hidden layer.

    Cost: on the cube 0.2 s and 170 MB.

    >>> parts = signs(SparseNetwork([1, -2], [[1, 0], [1, 1]], [0, 1]), [[1, 1], [-1, 1]])
    >>> parts.positive.tolist(), parts.negative.tolist()
    ([[1.0, 0.0], [0.0, 0.0]], [[2.0, 2.0], [0.0, 0.0]])
    """
    active, v, u = _active(net, X, output)
    up = u > 0
    return Signs(active[:, up] @ v[up], active[:, ~up] @ -v[~up])


def active_norms(net: SparseNetwork | Layered, X: ArrayLike | None = None, output: int = 0) -> Array:
    """||(v_j)_{j in R_x}||_op, the operator norm of the active rows, at each point: one hidden layer.

    4 E |R_x| ||.||^2 bounds AS(h), and contains 4 W^2 E |R_x|^2 (`ours-gradient-signs`).

    Cost: a singular value decomposition for each set of active neurons; on the cube 6 s and 170 MB.

    >>> active_norms(SparseNetwork([1, 1], [[3, 0], [0, 4]], [-4, -5])).tolist()
    [4.0, 4.0, 4.0, 4.0]
    """
    active, v, _ = _active(net, X, output)
    sets, which = np.unique(active, axis=0, return_inverse=True)
    norms = np.array([np.linalg.norm(v[rows], 2) if rows.any() else 0.0 for rows in sets])
    return norms[which.ravel()]


def differences(net: SparseNetwork | Layered, X: ArrayLike | None = None, output: int = 0) -> Array:
    """D_i h(x) = (h(x with x_i = 1) - h(x with x_i = -1)) / 2 at every point of the cube, or at the rows of X.

    A (points, n) array. The sum of the variances of its columns over the cube is G(h) (`ours-differences`), that of
    their squares AS(h).

    Cost: n times that of the values; on the cube 0.4 s and 115 MB.

    >>> differences(SparseNetwork([1, 1], [[1, 1], [-1, -1]], [0, 0])).tolist()        # |x_1 + x_2|
    [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]
    """
    layers, u = _layers(net, output)
    x = _cube(layers, X)
    first, b = layers[0]
    parts = []
    for rows in slices(len(x), max(1, BLOCK_ENTRIES // max(1, *(len(b) for _, b in layers)))):
        z = x[rows] @ first.T - b
        here = _above(z, layers[1:], u)
        D = np.empty((len(z), x.shape[1]))
        for i in range(x.shape[1]):
            sign = x[rows, i]
            near = _above(z - np.outer(sign, 2 * first[:, i]), layers[1:], u)
            D[:, i] = sign * (here - near) / 2
        parts.append(D)
    return np.concatenate(parts)


def _above(z: Array, layers: list[tuple[Array, Array]], u: Array) -> Array:
    """h from the pre-activations of the first layer."""
    y = np.maximum(z, 0)
    for W, b in layers:
        y = np.maximum(y @ W.T - b, 0)
    return np.asarray(y @ u)


def _cube(layers: list[tuple[Array, Array]], X: ArrayLike | None) -> Array:
    """The rows of X, which are points of the cube, or all points of it."""
    n = layers[0][0].shape[1]
    widest = max(len(b) for _, b in layers)
    if X is not None:
        x = checks.signs("X", X, n).astype(np.float64)
        checks.integer("the number of rows of X", len(x), 1)
        return x
    if n > 62 or max(widest, n) << n > MAX_NUMBERS:
        raise ValueError(f"Argument 'X' must be given for n = {n}: 2**{n} points are too many to enumerate.")
    return points(n).astype(np.float64)


def _active(net: SparseNetwork | Layered, X: ArrayLike | None, output: int) -> tuple[NDArray[np.bool_], Array, Array]:
    """Who is active at each point, the v_j = u_j w_j, and u."""
    layers, u = _layers(net, output)
    if len(layers) > 1:
        raise ValueError(f"Argument 'net' must have one hidden layer, not {len(layers)}.")
    ((W, b),) = layers
    return activity.active(W, b, _cube(layers, X)), u[:, None] * W, u


def _one_layer(W: Array, b: Array, u: Array, x: Array) -> Edges:
    """``edges`` of one hidden layer: a flip of x_i changes the z_j by 2 x_i w_ji, so no neighbour needs a pass.

    h(x') - h(x) is -2 x_i d_i h(x), the change of the linear piece at x, plus u_j |z_j(x')| for each neuron that the
    flip switches.
    """
    N = len(x)
    s = len(b)
    z = x @ W.T - b
    terms = activity.parts(W, b, x)
    error = 4 * activity.round_off(W, b, x)  # of z, here and after a flip
    active = activity.settled(z, terms, x, error)
    distance = np.abs(z)
    v = u[:, None] * W
    partial = active @ v
    sensitivity = np.zeros(N)
    slope = np.zeros(N)
    boundary = np.zeros(N)
    rows = np.arange(N)
    for i in range(x.shape[1]):
        # a flip can switch only what lies so near to 0: to look at these alone takes a fifth of the time
        near_0 = np.flatnonzero(distance <= 2 * np.abs(W[:, i]) + 2 * error)
        row = rows.repeat(np.diff(near_0.searchsorted(np.arange(N + 1) * s)))
        j = near_0 - row * s
        before = z.ravel().take(near_0)
        step = x[:, i].take(row) * (2 * W[:, i]).take(j)
        after = before - step
        x[:, i] *= -1  # there and back: a copy of x for each flip would be n^2 numbers for each point
        on_after = activity.settled_pairs(after, row, j, terms, x, error)
        x[:, i] *= -1
        switched = np.flatnonzero(active.ravel().take(near_0) != on_after)
        row, j = row[switched], j[switched]
        before, step, after = (part.take(switched) for part in (before, step, after))
        change = np.bincount(row, u[j] * np.abs(after), N) - 2 * x[:, i] * partial[:, i]
        sensitivity += change**2 / 4
        boundary += np.bincount(row, np.abs(v[j, i]), N) ** 2
        slope += _mean_squared_slope(partial[:, i], row, before, step, v[j, i])
    return _edges_of(x, partial, sensitivity, slope, boundary)


def _edges_of(x: Array, partial: Array, sensitivity: Array, slope: Array, boundary: Array) -> Edges:
    """The ``Edges`` of these quantities and of the gradients at the points, the rows of ``partial``."""
    increasing = 2 * (np.maximum(x * partial, 0) ** 2).sum(axis=1)
    return Edges(sensitivity, slope, (partial**2).sum(axis=1), boundary, increasing)


class _Passes(NamedTuple):
    """Forward and backward passes: h, z and who is active, and the derivatives of h by x and by each layer's output."""

    value: Array
    z: list[Array]
    active: list[NDArray[np.bool_]]
    backward: list[Array]


def _passes(layers: list[tuple[Array, Array]], u: Array, x: Array) -> _Passes:
    zs = []
    y = x
    for W, b in layers:
        zs.append(y @ W.T - b)
        y = np.maximum(zs[-1], 0)
    active = [activity.active(*layers[0], x), *(z > 0 for z in zs[1:])]
    value = y @ u
    backward = [np.broadcast_to(u, zs[-1].shape)]
    for (W, _), on in zip(reversed(layers), reversed(active), strict=True):
        backward.insert(0, (backward[0] * on) @ W)
    return _Passes(value, zs, active, backward)


def _switched(here: _Passes, near: _Passes) -> Array:
    """(1/2) sum over the neurons that are active at one end only of |g(x')| |z(x)| + |g(x)| |z(x')|."""
    total = np.zeros(len(here.value))
    ends = (here.z, near.z, here.active, near.active, here.backward[1:], near.backward[1:])
    for z, z_near, on, on_near, g, g_near in zip(*ends, strict=True):
        terms = np.abs(g_near) * np.abs(z) + np.abs(g) * np.abs(z_near)
        total += np.where(on != on_near, terms, 0).sum(axis=1) / 2
    return total


def _mean_squared_slope(start: Array, row: NDArray[np.intp], before: Array, step: Array, v: Array) -> Array:
    """avg_t (d_i h)^2 along the edges from the points x to their neighbours x'; t in [0, 1] on the way.

    start : d_i h(x). It jumps by v_j, up or down, where a neuron that the flip switches has z_j = 0; with the break
        points t_1 <= ... <= t_p, and the slopes S_0 = start, S_1, ..., S_p, the mean of the squares is
        S_p^2 - sum_q t_q (S_q^2 - S_(q-1)^2).
    row, before, step, v : of each pair of a point and a neuron that is switched, by points: the point, z_j(x),
        z_j(x) - z_j(x') and v_j.
    """
    place = np.clip(before / step, 0, 1)
    jump = np.where(step > 0, -v, v)
    order = np.argsort(row + place / 2)  # by row, then by place: one sort of floats is five times as fast as two
    row = row[order]
    place = place[order]
    jump = jump[order]
    total = np.append(0.0, np.cumsum(jump))
    first = np.searchsorted(row, np.arange(len(start)))
    slope = start[row] + total[1:] - total[first][row]
    steps = place * (slope**2 - (slope - jump) ** 2)
    end = start + np.bincount(row, jump, len(start))
    return np.asarray(end**2 - np.bincount(row, steps, len(start)))


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
