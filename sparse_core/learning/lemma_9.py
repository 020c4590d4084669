r"""AS(h) = (U) + (V): flips of one bit that keep the active set R_x, and flips that change it.

The proof of `lemma-9` splits the average sensitivity by whether R_x and R_x' agree, where x' is x with bit i flipped,
and bounds the second part by the size of h at the boundaries: from a table of h, and a pattern, which is any labelling
of the points by which two labels agree exactly when the active sets do.

A table lists values on the cube, in the order of ``hypercube.points``.

Paper: section 3, the proof of Lemma 9.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..cube.hypercube import points
from ..network import activity
from ..network.network import SparseNetwork

__all__ = ["Flips", "Split", "edge_terms", "flips", "pattern", "split"]


class Split(NamedTuple):
    """The two parts of AS(h) = U + V, and what the proof puts in place of the second.

    U : (1/4) E sum_i (h(x) - h(x'))^2 [R_x = R_x'] (`eq-U`).
    V : the same over R_x != R_x' (`eq-V`).
    boundary : E sum_i [R_x != R_x'], which is n Pr_{x,i}[R_x != R_x'].
    jump : E sum_i h(x)^2 [R_x != R_x'], the upper estimate of V (`lemma-9-jump`).
    """

    U: Any
    V: Any
    boundary: Any
    jump: Any


def pattern(net: SparseNetwork) -> NDArray[np.int64]:
    """A label of R_x at every point x of the cube: equal labels mean equal active sets.

    Cost: 2^n sets are sorted; n = 18 and 32 neurons take 0.4 s and 21 MB.

    >>> pattern(SparseNetwork([1, 1], [[1, 0], [1, 1]], [0, 1])).tolist()       # both, none, the first alone, none
    [2, 0, 1, 0]
    """
    checks.having("net", net, "n", "active")
    words = np.packbits(net.active(points(net.n)), axis=1)
    labels: NDArray[np.int64] = np.unique(words, axis=0, return_inverse=True)[1].reshape(-1)
    return labels


def split(values: ArrayLike, pattern: ArrayLike) -> Split:
    """(U), (V) and what bounds (V), from the tables of h and of R_x on the cube, (..., 2^n) arrays.

    The leading axes run over networks. Integers are added exactly while 2^n times the sum of their squares is < 2^53.

    Cost: n passes over the tables; n = 18 takes 0.02 s and 8 MB.

    >>> parts = split([[3, 1], [1, 0]], [[1, 1], [1, 0]])               # relu(x + 2) and relu(x)
    >>> parts.U, parts.V, parts.boundary, parts.jump
    (array([1., 0.]), array([0.  , 0.25]), array([0., 1.]), array([0. , 0.5]))
    """
    h = checks.real_array("values", values, None).astype(np.float64)
    R = checks.rectangular("pattern", pattern)
    n = (h.shape or (0,))[-1].bit_length() - 1
    if n < 0 or h.shape[-1] != 1 << n or R.shape != h.shape:
        raise ValueError(
            f"Arguments 'values' and 'pattern' must both have shape (..., 2**n), not {h.shape}, {R.shape}."
        )
    total = np.zeros((4, *h.shape[:-1]))
    for i in range(n):
        (h0, h1), (R0, R1) = (np.moveaxis(t.reshape(*t.shape[:-1], -1, 2, 1 << i), -2, 0) for t in (h, R))
        total += [np.mean(term, axis=(-2, -1)) for term in edge_terms(h0, h1, R0 != R1)]
    return Split(*total)


class Flips(NamedTuple):
    """A network at points x and at their neighbours x', in which one bit is flipped: one entry, or row, for each x.

    h, active : h(x), and R_x as a row of truth values.
    same, other : (1/4) sum_i (h(x) - h(x'))^2 over the flips with R_x = R_x', and over the others.
    changes : the number of flips that change whether a neuron is active, for each neuron, in the shortest type for n.
    crossings : the number of flips with R_x != R_x'.
    """

    h: NDArray[np.float64]
    active: NDArray[np.bool_]
    same: NDArray[np.float64]
    other: NDArray[np.float64]
    changes: NDArray[Any]
    crossings: NDArray[np.int64]


def flips(net: SparseNetwork, X: ArrayLike | None = None) -> Flips:
    """What the n flips of one bit, x_i -> -x_i, change at each point: of the cube, in its order, or of the rows of X.

    Cost: n passes over the points and neurons; on the cube n = 18 and 32 neurons take 0.3 s and 62 MB.

    >>> changes = flips(SparseNetwork([2], [[1, 1]], [1]))              # 2 relu(x_1 + x_2 - 1)
    >>> changes.h, changes.other, changes.crossings
    (array([2., 0., 0., 0.]), array([2., 1., 1., 0.]), array([2, 1, 1, 0]))
    """
    checks.having("net", net, "n", "active", "W", "b", "u")
    at = points(net.n) if X is None else checks.real_array("X", X, 2, shape=(None, net.n))
    h = net(at)
    active = net.active(at)
    same = np.zeros(len(h))
    other = np.zeros(len(h))
    changes = np.zeros(active.shape, dtype=np.min_scalar_type(net.n))
    crossings = np.zeros(len(h), dtype=np.int64)
    if X is not None:
        x = at.astype(np.float64)
        z = x @ net.W.T - net.b
        terms = activity.parts(net.W, net.b, x)
        error = 4 * activity.round_off(net.W, net.b, x)
    for i in range(net.n):
        if X is None:
            neighbour = np.arange(len(h)) ^ (1 << i)
            h_near = h[neighbour]
            active_near = active[neighbour]
        else:
            z_near = z - 2 * x[:, [i]] * net.W[:, i]
            h_near = np.maximum(z_near, 0) @ net.u
            x[:, i] *= -1  # there and back: a copy of x for each flip would be n^2 numbers for each point
            active_near = activity.settled(z_near, terms, x, error)
            x[:, i] *= -1
        square = (h - h_near) ** 2 / 4
        changed = active != active_near
        crosses = changed.any(axis=1)
        same += square * ~crosses
        other += square * crosses
        changes += changed
        crossings += crosses
    return Flips(h, active, same, other, changes, crossings)


def edge_terms(h0: Any, h1: Any, changes: Any) -> Split:
    """The summands of a ``Split`` at edges with the values h0 and h1 at their ends, averaged over the two ends.

    >>> edge_terms(3.0, 1.0, np.bool_(True))
    Split(U=np.float64(0.0), V=np.float64(1.0), boundary=np.True_, jump=np.float64(5.0))
    """
    h0, h1 = (checks.real_array(name, value, None) for name, value in (("h0", h0), ("h1", h1)))
    changes = checks.rectangular("changes", changes)
    if changes.dtype != bool:
        raise TypeError(f"Argument 'changes' must be an array of truth values, not of type {changes.dtype}.")
    square = (h0 - h1) ** 2 / 4
    return Split(square * ~changes, square * changes, changes[()], (h0**2 + h1**2) / 2 * changes)
