r"""The proof of `lemma-9` in numbers: its steps on given networks, and networks of the sum of the bits for large n.

If all weight vectors are multiples of (1, ..., 1), h(x) depends only on the number a of ones of x, and a table over the
layers a = 0, ..., n of the cube, with n + 1 entries, replaces one with 2^n.

Paper: section 3, the proof of Lemma 9.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom

from sparse_core import checks
from sparse_core._arrays import Array, Integers
from sparse_core.learning.lemma_9 import Split, edge_terms, flips
from sparse_core.network.network import SparseNetwork

__all__ = ["Steps", "layers", "split_layers", "steps"]


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


def layers(n: int, u: ArrayLike, c: ArrayLike, b: ArrayLike) -> tuple[Array, Integers]:
    """The tables over a = 0, ..., n of h(x) = sum_j u_j relu(c_j t - b_j), t = sum_i x_i = 2a - n, and of its pattern.

    >>> layers(2, [1, -1], [1, -1], [0, 0])                 # h(x) = t
    (array([-2.,  0.,  2.]), array([1, 0, 2]))
    """
    n = checks.size("n", n)
    u = checks.real_array("u", u, 1)
    c = checks.real_array("c", c, 1, shape=u.shape)
    b = checks.real_array("b", b, 1, shape=u.shape)
    z = np.outer(2 * np.arange(n + 1) - n, c) - b
    pattern = np.unique(z > 0, axis=0, return_inverse=True)[1].reshape(-1)
    return np.maximum(z, 0) @ u, pattern


def split_layers(values: ArrayLike, pattern: ArrayLike) -> Split:
    """``split`` from tables over the layers a = 0, ..., n of the cube.

    An edge joins the layers a - 1 and a; there are a C(n, a) of them, and each is counted from both ends.

    >>> parts = split_layers(*layers(10**4, [1], [0.01], [0]))          # relu(sum_i x_i / sqrt(n))
    >>> round(float(parts.U + parts.V), 3), round(float(parts.boundary), 1)
    (0.5, 79.8)
    """
    h = checks.real_array("values", values, 1)
    R = checks.rectangular("pattern", pattern)
    if R.shape != h.shape:
        raise ValueError(f"Argument 'pattern' must have shape {h.shape}, not {R.shape}.")
    a = np.arange(1, len(h))
    edges = a * binom.pmf(a, len(a), 0.5)
    terms = edge_terms(h[:-1], h[1:], np.not_equal(R[:-1], R[1:]))
    return Split(*(2 * np.sum(edges * term) for term in terms))
