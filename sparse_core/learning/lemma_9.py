r"""AS(h) = (U) + (V): flips of one bit that keep the active set R_x, and flips that change it.

The proof of `lemma-9` splits the average sensitivity by whether R_x and R_x' agree, where x' is x with bit i flipped,
and bounds the second part by the size of h at the boundaries: from a table of h, and a pattern, which is any labelling
of the points by which two labels agree exactly when the active sets do.

A table lists values on the cube, in the order of ``hypercube.points``, or on its layers: if all weight vectors are
multiples of (1, ..., 1), h(x) depends only on the number a of ones of x, and n + 1 entries replace 2^n.

Paper: section 3, the proof of Lemma 9.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..cube.hypercube import points
from ..network.activity import round_off
from ..network.network import SparseNetwork

__all__ = [
    "Flips", "Split", "Steps", "flips", "layers", "noise_sensitivity_layers", "pattern", "split", "split_layers",
    "steps",
]  # fmt: skip


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

    >>> pattern(SparseNetwork([1, 1], [[1, 0], [1, 1]], [0, 1])).tolist()       # both, none, the first alone, none
    [2, 0, 1, 0]
    """
    return _labels(net.active(points(net.n)))


def _labels(active: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The number of each row among the different rows, however many columns there are."""
    labels: NDArray[np.int64] = np.unique(np.packbits(active, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
    return labels


def split(values: ArrayLike, pattern: ArrayLike) -> Split:
    """(U), (V) and what bounds (V), from the tables of h and of R_x on the cube, (..., 2^n) arrays.

    The leading axes run over networks. Integers are added exactly while 2^n times the sum of their squares is < 2^53.

    >>> parts = split([[3, 1], [1, 0]], [[1, 1], [1, 0]])               # relu(x + 2) and relu(x)
    >>> parts.U, parts.V, parts.boundary, parts.jump
    (array([1., 0.]), array([0.  , 0.25]), array([0., 1.]), array([0. , 0.5]))
    """
    h, R = checks.real_array("values", values, None).astype(np.float64), checks.rectangular("pattern", pattern)
    n = (h.shape or (0,))[-1].bit_length() - 1
    if n < 0 or h.shape[-1] != 1 << n or R.shape != h.shape:
        raise ValueError(
            f"Arguments 'values' and 'pattern' must both have shape (..., 2**n), not {h.shape}, {R.shape}."
        )
    total = np.zeros((4, *h.shape[:-1]))
    for i in range(n):
        (h0, h1), (R0, R1) = (np.moveaxis(t.reshape(*t.shape[:-1], -1, 2, 1 << i), -2, 0) for t in (h, R))
        total += [np.mean(term, axis=(-2, -1)) for term in _terms(h0, h1, R0 != R1)]
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

    >>> found = flips(SparseNetwork([2], [[1, 1]], [1]))                # 2 relu(x_1 + x_2 - 1)
    >>> found.h, found.other, found.crossings
    (array([2., 0., 0., 0.]), array([2., 1., 1., 0.]), array([2, 1, 1, 0]))
    """
    at = points(net.n) if X is None else checks.real_array("X", X, 2, shape=(None, net.n))
    h = net(at)
    active = net.active(at)
    same, other = np.zeros((2, len(h)))
    changes = np.zeros(active.shape, dtype=np.min_scalar_type(net.n))
    crossings = np.zeros(len(h), dtype=np.int64)
    if X is not None:
        x = at.astype(np.float64)
        z = x @ net.W.T - net.b
        error = 4 * round_off(net.W, net.b, x)
    for i in range(net.n):
        if X is None:
            neighbour = np.arange(len(h)) ^ (1 << i)
            h_near = h[neighbour]
            active_near = active[neighbour]
        else:
            flipped = z - 2 * x[:, [i]] * net.W[:, i]
            h_near = np.maximum(flipped, 0) @ net.u
            active_near = flipped > error
        square = (h - h_near) ** 2 / 4
        changed = active != active_near
        crosses = changed.any(axis=1)
        same += square * ~crosses
        other += square * crosses
        changes += changed
        crossings += crosses
    return Flips(h, active, same, other, changes, crossings)


class Steps(
    namedtuple("Steps", "n s k W B AS U V boundary jump norm offset piece single budget largest weighted square")
):
    """What the lines of the proof of `lemma-9` compare: numbers of one network, or arrays with an entry for each.

    n, s, k, W, B : the class H_{n,s,k}^{W,B}.
    AS, U, V, boundary, jump : the average sensitivity and its ``Split``.
    norm, offset, piece : max ||w^R||, max |b^R| and E ||w^R||^2 of the pieces R = R_x (`lemma-9-decomposition`).
    single, budget : sum_j AS(g_j) and sum_j E g_j for the indicators g_j of the neurons (`lemma-9-boundary`).
    largest : max abs(h) (`lemma-9-range`).
    weighted, square : E abs(R_x) sum_{R_x} u_j^2 ||w_j||^2 and E abs(R_x)^2 (`ours-average-sensitivity`).
    """


def steps(nets: Iterable[SparseNetwork]) -> Steps:
    """The ``Steps`` of each network, on its whole cube, as arrays.

    >>> table = steps([SparseNetwork([1], [[1]], [-2]), SparseNetwork([1, -1], [[1], [-1]], [-1, -1])])
    >>> table.U, table.V, table.square                              # relu(x + 2), and 2 x
    (array([1., 0.]), array([0., 4.]), array([1., 1.]))
    """
    return Steps(*map(np.array, zip(*map(_steps, nets), strict=True)))


def _steps(net: SparseNetwork) -> Steps:
    f = flips(net)
    v = net.u[:, None] * net.W
    count = f.active.sum(axis=1)
    norms = np.linalg.norm(f.active @ v, axis=1)
    return Steps(
        net.n, net.s, int(count.max()), *net.scale,
        np.mean(f.same + f.other), f.same.mean(), f.other.mean(), f.crossings.mean(), np.mean(f.h**2 * f.crossings),
        norms.max(), np.abs(f.active @ (net.u * net.b)).max(), np.mean(norms**2),
        f.changes.mean(axis=0).sum() / 4, f.active.mean(axis=0).sum(),
        np.abs(f.h).max(), np.mean(count * (f.active @ np.sum(v**2, axis=1))), np.mean(count**2.0),
    )  # fmt: skip


def layers(n: int, u: ArrayLike, c: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The tables over a = 0, ..., n of h(x) = sum_j u_j relu(c_j t - b_j), t = sum_i x_i = 2a - n, and of its pattern.

    >>> layers(2, [1, -1], [1, -1], [0, 0])                 # h(x) = t
    (array([-2.,  0.,  2.]), array([1, 0, 2]))
    """
    n, u = checks.size("n", n), checks.real_array("u", u, 1)
    c, b = (checks.real_array(name, value, 1, shape=u.shape) for name, value in (("c", c), ("b", b)))
    z = np.outer(2 * np.arange(n + 1) - n, c) - b
    return np.maximum(z, 0) @ u, _labels(z > 0)


def split_layers(values: ArrayLike, pattern: ArrayLike) -> Split:
    """``split`` from tables over the layers a = 0, ..., n of the cube.

    An edge joins the layers a - 1 and a; there are a C(n, a) of them, and each is counted from both ends.

    >>> parts = split_layers(*layers(10**4, [1], [0.01], [0]))          # relu(sum_i x_i / sqrt(n))
    >>> round(float(parts.U + parts.V), 3), round(float(parts.boundary), 1)
    (0.5, 79.8)
    """
    h, R = checks.real_array("values", values, 1), checks.rectangular("pattern", pattern)
    if R.shape != h.shape:
        raise ValueError(f"Argument 'pattern' must have shape {h.shape}, not {R.shape}.")
    a = np.arange(1, len(h))
    edges = a * _binomial(a, len(a), 0.5)
    return Split(*(2 * np.sum(edges * term) for term in _terms(h[:-1], h[1:], np.not_equal(R[:-1], R[1:]))))


def noise_sensitivity_layers(values: ArrayLike, rho: float) -> float:
    """NS_rho(h) = (1/4) E (h(x) - h(y))^2 from the table of h over the layers a = 0, ..., n of the cube.

    With q = (1 - rho)/2, from a point with a ones y keeps Binomial(a, 1 - q) of them and gains Binomial(n - a, q).

    >>> h, _ = layers(100, [1], [0.1], [0])                 # relu(sum_i x_i / 10), where it is nearly linear
    >>> [round(noise_sensitivity_layers(h, rho), 4) for rho in (0.9, 0.99)]
    [0.0228, 0.0025]
    """
    h, rho = checks.real_array("values", values, 1), checks.real("rho", rho, -1, 1)
    n = len(h) - 1
    q = (1 - rho) / 2
    total = 0.0
    for a, share in enumerate(_binomial(np.arange(n + 1), n, 0.5)):
        kept = _binomial(np.arange(a + 1), a, 1 - q)
        gained = _binomial(np.arange(n - a + 1), n - a, q)
        total += share * float(np.convolve(kept, gained) @ (h - h[a]) ** 2)
    return float(total) / 4


def _binomial(k: NDArray[Any], n: int, p: float) -> Any:
    from scipy.stats import binom  # slow to load

    return binom.pmf(k, n, p)


def _terms(h0: Any, h1: Any, changes: Any) -> tuple[Any, Any, Any, Any]:
    """The summands of a ``Split`` at the edges with ends h0, h1, averaged over the two ends."""
    square = (h0 - h1) ** 2 / 4
    return square * ~changes, square * changes, changes, (h0**2 + h1**2) / 2 * changes
