r"""Sparse inference on the cube: h(x) = sum_{j in R_x} u_j (<w_j, x> - b_j), touching few neurons outside R_x, exactly.

How does one find R_x without computing every <w_j, x>? The slack of neuron j is ||w_j||_1 - b_j, its largest
pre-activation. If x disagrees with the sign of w_jc, this falls by 2 |w_jc|. So each coordinate c with
2 |w_jc| >= ||w_j||_1 - b_j is a *key* of neuron j: one disagreement there silences it (`ours-one-wrong-bit`). Neurons
with the same keys make a group; x reads its signs at the keys as an address, and only the neurons that are filed there
can be active. Neurons without keys, and groups too small or too full to gain, are evaluated densely.

Paper: sections 1 and 6, on exploiting activation sparsity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import activity, checks
from .network import SparseNetwork

__all__ = ["SparseEvaluator", "gathered", "keys"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

GROUP = 64  # neurons below which looking up an address costs more than it saves
SHARE = 25  # a gathered neuron costs about as much as 15 to 20 in a matrix product
WORTH = 1 << 20  # multiply-adds that take as long as opening a group
BLOCK = 1 << 18  # entries of a gathered block: 2 MB


def keys(net: SparseNetwork) -> NDArray[np.bool_]:
    """[2 |w_jc| >= ||w_j||_1 - b_j > 0] for each neuron j and each coordinate c: where one wrong sign silences it.

    >>> keys(SparseNetwork([1, 1, 1], [[1, 1, 0], [3, 1, 1], [1, 1, 1]], [1, 0, 3]))
    array([[ True,  True, False],
           [ True, False, False],
           [False, False, False]])

    The third neuron is dead: it has nothing left to silence.
    """
    size = np.abs(net.W)
    slack = (size.sum(axis=1) - net.b)[:, None]
    return np.asarray((2 * size >= slack) & (slack > 0))


def gathered(net: SparseNetwork, X: NDArray[Any], rows: Indices, neurons: Indices) -> Array:
    """sum over the pairs (i, j) listed of u_j relu(<w_j, x_i> - b_j), for each row x_i of X.

    With the pairs of the active sets R_x this is h, for n multiply-adds a pair.

    >>> net, X = SparseNetwork([1, 2], [[1, 1], [-1, 1]], [0, 1]), np.array([[1, 1], [-1, 1]])
    >>> gathered(net, X, *np.nonzero(net.active(X))), net(X)
    (array([2., 2.]), array([2., 2.]))
    """
    result = np.zeros(len(X))
    step = max(1, BLOCK // max(net.n, 1))
    for start in range(0, len(rows), step):
        i, j = rows[start : start + step], neurons[start : start + step]
        z = np.einsum("pc,pc->p", X[i].astype(np.float64, copy=False), net.W[j]) - net.b[j]
        result += np.bincount(i, weights=net.u[j] * np.maximum(z, 0), minlength=len(X))
    return result


@dataclass(frozen=True, eq=False)
class _Group:
    """Neurons with common keys, in the order of their addresses: those at address a are start[a], ..., start[a+1]-1."""

    keys: Indices
    start: Indices
    net: SparseNetwork

    @classmethod
    def of(cls, net: SparseNetwork, common: Indices) -> _Group:
        signs = np.sign(net.W[:, common])
        bits = min(len(common), net.s.bit_length() + 4)
        chosen = np.sort(np.argsort(np.abs(signs.mean(axis=0)), kind="stable")[:bits])  # those that divide best
        address = _address(signs[:, chosen])
        start = np.concatenate([[0], np.cumsum(np.bincount(address, minlength=1 << bits))])
        return cls(common[chosen], start, _part(net, np.argsort(address, kind="stable")))

    def find(self, X: NDArray[Any]) -> tuple[Indices, Indices, bool]:
        """For each row of X its first candidate and their number; and whether they are too many to gather."""
        address = _address(X[:, self.keys])
        first = self.start[address]
        count = self.start[address + 1] - first
        return first, count, bool(count.sum() * SHARE > len(X) * self.net.s)


class SparseEvaluator:
    """h(x) = sum_{j in C_x} u_j relu(<w_j, x> - b_j) on the cube, where C_x contains R_x and is found by addresses.

    Parameters
    ----------
    net : the network; dead neurons and those with u_j = 0 are dropped.

    Notes
    -----
    The values are those of the network up to round-off: the same products are summed in another order. Where addresses
    do not pay, because keys are missing or the inputs crowd at few addresses or are few, the dense pass is taken.
    `ours-one-wrong-bit` says why C_x contains R_x.

    Examples
    --------
    >>> from sparse_core import constructions, hypercube
    >>> net, X = constructions.junta(np.arange(1024)), hypercube.points(10)
    >>> fast = SparseEvaluator(net)
    >>> bool(np.array_equal(fast(X), net(X))), net.s * net.n, int(fast.multiply_adds(X).max())
    (True, 10240, 20)
    """

    def __init__(self, net: SparseNetwork) -> None:
        self.net = net
        live = np.flatnonzero(net.matters())
        patterns, label = np.unique(np.packbits(keys(net)[live], axis=1), axis=0, return_inverse=True)
        self._groups: list[_Group] = []
        dense = [np.zeros(0, dtype=np.intp)]
        for i, pattern in enumerate(patterns):
            members, common = live[label == i], np.flatnonzero(np.unpackbits(pattern, count=net.n))
            if 1 << len(common) > max(SHARE, 1) and len(members) >= GROUP:
                self._groups.append(_Group.of(_part(net, members), common))
            else:
                dense.append(members)
        self._dense = _part(net, np.concatenate(dense))

    def __call__(self, X: ArrayLike) -> Array:
        """h(x) for each row x of X, points of the cube."""
        X = checks.signs("X", X, self.net.n)
        if not self._pays(len(X)):
            return self.net(X)
        result = self._dense(X)
        for rows, x in activity.blocks(X, self.net.n, 1):
            for group in self._groups:
                first, count, full = group.find(x)
                result[rows] += group.net(x) if full else gathered(group.net, x, *_pairs(first, count))
        return result

    def multiply_adds(self, X: ArrayLike) -> NDArray[np.int64]:
        """The multiply-adds that each row of X takes, one for each key read included; the dense pass takes s n.

        >>> net = SparseNetwork([1.0] * 4, np.eye(4) * 3 - 1, [0] * 4)          # no keys: dense
        >>> SparseEvaluator(net).multiply_adds([[1, 1, 1, 1]])
        array([16])
        """
        X = checks.signs("X", X, self.net.n)
        if not self._pays(len(X)):
            return np.full(len(X), self.net.s * self.net.n)
        touched = np.full(len(X), self._dense.s * self.net.n)
        for rows, x in activity.blocks(X, self.net.n, 1):
            for group in self._groups:
                _, count, full = group.find(x)
                touched[rows] += len(group.keys) + (group.net.s if full else count) * self.net.n
        return touched

    def _pays(self, m: int) -> bool:
        filed = sum(group.net.s for group in self._groups)
        return m * filed * self.net.n > WORTH * len(self._groups)


def _part(net: SparseNetwork, neurons: Indices) -> SparseNetwork:
    return SparseNetwork(net.u[neurons], net.W[neurons], net.b[neurons])


def _address(signs: NDArray[Any]) -> Indices:
    """The number whose bit i is set iff sign i is -1, for each row."""
    weights = np.ldexp(1.0, np.arange(signs.shape[1]))
    return np.asarray((weights.sum() - signs @ weights) / 2, dtype=np.intp)


def _pairs(first: Indices, count: Indices) -> tuple[Indices, Indices]:
    """All pairs of a row i and a neuron first[i], ..., first[i] + count[i] - 1."""
    rows = np.repeat(np.arange(len(count)), count)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count)
    return rows, first[rows] + within
