r"""All networks with small integers: u_j = -1 or 1, weights and biases up to a bound, up to the order of the neurons.

A statement about every network of a family is checked on the whole family at once: each quantity is an array with one
entry per network. The neurons are tabulated once; a network is a multiset of them, and its tables are sums of theirs.
Output weights other than -1 and 1 are no loss: they can be moved into the neuron (`definition-2`).

Paper: section 3, where `lemma-9` and its steps are about all networks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import comb, sqrt
from typing import Any, NamedTuple

import numpy as np

from sparse_core import checks
from sparse_core._arrays import Array, Integers
from sparse_core.cube.hypercube import points
from sparse_core.learning.lemma_9 import split
from sparse_core.network.network import SparseNetwork

__all__ = ["Networks", "Survey", "multisets", "networks", "neurons", "survey"]

# Networks of a family: with s = 3 on 8 points its tables take 130 MB.
MAX_NETWORKS = 1 << 21


class Networks(NamedTuple):
    """A family: M networks with s neurons on n bits. Row i of each array belongs to network i.

    u, W, b : (M, s), (M, s, n) and (M, s), the networks themselves.
    values : (M, 2^n), the tables of h.
    pattern : (M, 2^n), the active sets R_x as bit masks of the neurons.
    k : (M,), max_x |R_x|.
    square : (M,), max_j ||w_j||^2 = W^2; it is an integer.
    bias : (M,), max_j |b_j| = B.
    """

    u: Integers
    W: Integers
    b: Integers
    values: Integers
    pattern: Integers
    k: Integers
    square: Integers
    bias: Integers

    def network(self, i: int) -> SparseNetwork:
        """Network i by itself.

        >>> networks(1, 2, weight=1, bias=0).network(0)
        SparseNetwork(n=1, s=2, W=1, B=0)
        """
        return SparseNetwork(self.u[i], self.W[i], self.b[i])


def neurons(n: int, weight: int, bias: int) -> tuple[Integers, Integers]:
    """All (w, b), in order, with |w_i| <= weight, |b| <= bias that are active at some point of the cube: ||w||_1 > b.

    >>> w, b = neurons(1, 1, 1)
    >>> np.column_stack([w, b]).tolist()
    [[-1, -1], [-1, 0], [0, -1], [1, -1], [1, 0]]
    """
    n = checks.integer("n", n, 0, 5)
    weight = checks.integer("weight", weight, 0, 99)
    bias = checks.integer("bias", bias, 0, 99)
    axes = [np.arange(-weight, weight + 1)] * n + [np.arange(-bias, bias + 1)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, n + 1)
    alive = np.abs(grid[:, :n]).sum(axis=1) > grid[:, n]
    return grid[alive, :n], grid[alive, n]


def multisets(count: int, size: int) -> Integers:
    """The C(count + size - 1, size) multisets of ``size`` elements of 0, ..., count - 1, as increasing rows.

    >>> multisets(2, 3).tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    """
    count = checks.integer("count", count, 0, 10**4)
    size = checks.integer("size", size, 0, 62)
    rows = np.zeros((1, 0), dtype=np.int64)
    if count == 0 and size > 0:
        return np.zeros((0, size), dtype=np.int64)
    for i in range(size):
        prefixes = [comb(last + i, i) for last in range(count)]  # the multisets of i elements up to ``last``
        rows = np.column_stack([
            np.concatenate([rows[:prefix] for prefix in prefixes]), np.repeat(np.arange(count), prefixes)
        ])  # fmt: skip
    return rows


def networks(n: int, s: int, weight: int, bias: int) -> Networks:
    """All h(x) = sum_j u_j relu(<w_j, x> - b_j) of s <= 62 neurons from ``neurons``, u_j = -1 or 1.

    >>> family = networks(2, 2, weight=1, bias=1)
    >>> len(family.k), np.bincount(family.k)[1:].tolist()               # how many are 1-sparse and 2-sparse
    (903, [288, 615])
    """
    s = checks.integer("s", s, 1, 62)
    w, b = neurons(n, weight, bias)
    if not len(b):
        rule = "must allow a neuron that is active at some point"
        raise ValueError(f"Arguments 'n', 'weight' and 'bias' {rule}; with {n}, {weight} and {bias} there is none.")
    if comb(2 * len(b) + s - 1, s) > MAX_NETWORKS:
        many = f"{s} of {len(b)} neurons make more than {MAX_NETWORKS} networks"
        raise ValueError(f"Argument 's' must be smaller: {many}.")
    z = w @ points(n).T.astype(np.int64) - b[:, None]
    sign, chosen = np.divmod(multisets(2 * len(b), s), len(b))
    u = 1 - 2 * sign
    M = len(chosen)
    values, mask, k = np.zeros((3, M, 1 << n), dtype=np.int64)
    for j in range(s):
        row = z[chosen[:, j]]
        values += u[:, j, None] * np.maximum(row, 0)
        mask += (row > 0).astype(np.int64) << j
        k += row > 0
    square = np.sum(w**2, axis=1)[chosen].max(axis=1)
    return Networks(u, w[chosen], b[chosen], values, mask, k.max(axis=1), square, np.abs(b)[chosen].max(axis=1))


class Survey(NamedTuple):
    """What is known of each network of several families, one entry per network.

    n, s, k, W2, B : its class; W2 is W^2, an integer.
    AS, U, V : its average sensitivity and the two parts of it (``lemma_9.split``).
    weighted, square : E abs(R_x) sum_{j in R_x} ||w_j||^2 and E abs(R_x)^2.
    """

    n: Integers
    s: Integers
    k: Integers
    W2: Integers
    B: Integers
    AS: Array
    U: Array
    V: Array
    weighted: Array
    square: Array

    def evaluate(self, bound: Callable[[int, int, int, float, float], float]) -> Array:
        """bound(n, s, k, W, B) for each network; each class is computed once.

        >>> survey([(1, 1, 1, 0)]).evaluate(lambda n, s, k, W, B: 4 * k**2 * W**2)
        array([4., 4., 4., 4.])
        """
        classes, member = np.unique(np.column_stack(self[:5]), axis=0, return_inverse=True)
        values = [bound(n, s, k, sqrt(W2), float(B)) for n, s, k, W2, B in classes.tolist()]
        return np.array(values, dtype=np.float64)[member.reshape(-1)]


def survey(sizes: Iterable[tuple[int, int, int, int]]) -> Survey:
    """The ``Survey`` of the families networks(n, s, weight, bias), one after the other.

    >>> found = survey([(1, 2, 1, 1), (2, 1, 1, 1)])
    >>> len(found.AS), float(found.AS.max())                    # the second is attained by relu(x + 1) - relu(-x + 1)
    (97, 4.0)
    """
    return Survey(*(np.concatenate(column) for column in zip(*map(_survey, sizes), strict=True)))


def _survey(size: tuple[int, int, int, int]) -> tuple[Any, ...]:
    n, s, *_ = size
    family = networks(*size)
    parts = split(family.values, family.pattern)
    active = [family.pattern >> j & 1 for j in range(s)]
    count = sum(active)
    norms = np.sum(family.W**2, axis=2)
    weighted = np.mean(count * sum(a * norms[:, j, None] for j, a in enumerate(active)), axis=1)
    constant = (np.full(len(family.k), value) for value in (n, s))
    return (
        *constant, family.k, family.square, family.bias,
        parts.U + parts.V, parts.U, parts.V, weighted, np.mean(count**2, axis=1),
    )  # fmt: skip
