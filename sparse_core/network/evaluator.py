r"""Sparse inference on the cube: h(x) = sum_{j in R_x} u_j (<w_j, x> - b_j), touching few neurons outside R_x, exactly.

<w_j, x> - b_j is at most ||w_j||_1 - b_j, and less by 2 |w_jc| if x disagrees with the sign of w_jc. So a coordinate c
with 2 |w_jc| >= ||w_j||_1 - b_j is a *key*: one disagreement there silences j (`ours-one-wrong-bit`). Neurons with the
same keys make a group; x reads its signs there as an address, and only neurons filed under it can be active.

For neurons without keys, x is read up to some coordinate c, in single precision and largest weights first: one whose
partial sum, with all that the other weights could add and the round-off, stays below b_j is silent for certain
(`ours-early-exit`). Where neither pays, the dense pass is taken.

Paper: sections 1 and 6, on exploiting activation sparsity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Array, Integers, parallel, slices
from . import activity
from .evaluation import dense_pass

__all__ = ["SparseEvaluator", "gathered", "keys"]

Indices = NDArray[np.intp]
Neurons = tuple[Array, Array, Array]  # u, W, b

GROUP = 64  # neurons below which looking up an address costs more than it saves
SHARE = 25  # a gathered neuron costs about as much as 15 to 20 in a matrix product
WORTH = 1 << 17  # multiply-adds that take as long as opening a part of the evaluator
LOOK, LEAST = 64, 16  # how far to read is tried on one row in LOOK, if these are LEAST at least
READ, BOUND = 0.5, 0.2  # what it costs to read a neuron in single precision and to compare it, the dense one being 1
BLOCK = 1 << 18  # entries of a gathered block: 2 MB
INPUTS = 1 << 19  # entries of the inputs at a time


def keys(W: Array, b: Array) -> NDArray[np.bool_]:
    """[2 |w_jc| >= ||w_j||_1 - b_j > 0] for each neuron j and each coordinate c: where one wrong sign silences it.

    >>> keys(np.array([[1, 1, 0], [3, 1, 1], [1, 1, 1]]), np.array([1, 0, 3]))
    array([[ True,  True, False],
           [ True, False, False],
           [False, False, False]])

    The third neuron is dead: it has nothing left to silence.
    """
    size = np.abs(W)
    margin = (size.sum(axis=1) - b)[:, None]
    return np.asarray((2 * size >= margin) & (margin > 0))


def gathered(u: Array, W: Array, b: Array, X: NDArray[Any], rows: Indices, neurons: Indices) -> Array:
    """sum over the pairs (i, j) listed of u_j relu(<w_j, x_i> - b_j), for each row x_i of X.

    With the pairs of the active sets R_x this is h, for n multiply-adds a pair.

    >>> u, W, b, X = np.array([1, 2]), np.array([[1, 1], [-1, 1]]), np.array([0, 1]), np.array([[1, 1], [-1, 1]])
    >>> gathered(u, W, b, X, *np.nonzero(X @ W.T > b)), np.maximum(X @ W.T - b, 0) @ u
    (array([2., 2.]), array([2, 2]))
    """
    result = np.zeros(len(X))
    for pairs in slices(len(rows), max(1, BLOCK // max(W.shape[1], 1))):
        i, j = rows[pairs], neurons[pairs]
        z = np.einsum("pc,pc->p", X[i].astype(np.float64, copy=False), W[j]) - b[j]
        result += np.bincount(i, weights=u[j] * np.maximum(z, 0), minlength=len(X))
    return result


class _Candidates(NamedTuple):
    """Pairs of a row and a neuron, among them all active ones, and the multiply-adds per row that finding them took."""

    rows: Indices
    neurons: Indices
    found_by: int


@dataclass(frozen=True, eq=False)
class _Group:
    """Neurons with common keys, in the order of their addresses: those at address a are start[a], ..., start[a+1]-1."""

    neurons: Neurons
    keys: Indices
    weights: Array
    start: Indices

    @classmethod
    def of(cls, neurons: Neurons, common: Indices) -> _Group:
        signs = np.sign(neurons[1][:, common])
        bits = min(len(common), len(signs).bit_length() + 4)
        chosen = np.sort(np.argsort(np.abs(signs.mean(axis=0)), kind="stable")[:bits])  # those that divide best
        weights = np.ldexp(0.5, np.arange(bits))
        address = _address(signs[:, chosen], weights)
        start = np.concatenate([[0], np.cumsum(np.bincount(address, minlength=1 << bits))])
        return cls(_some(neurons, np.argsort(address, kind="stable")), common[chosen], weights, start)

    def candidates(self, X: NDArray[Any]) -> _Candidates | None:
        address = _address(X[:, self.keys], self.weights)
        first = self.start[address]
        count = self.start[address + 1] - first
        if count.sum() * SHARE > len(X) * len(self.neurons[0]):
            return None
        rows = np.arange(len(X)).repeat(count)
        neurons = (first + count - count.cumsum()).repeat(count)
        neurons += np.arange(len(rows))
        return _Candidates(rows, neurons, len(self.keys))


@dataclass(frozen=True, eq=False)
class _Prefixes:
    """Neurons without keys, to be read up to some coordinate c.

    W holds their weights in single precision, largest columns first, each neuron scaled by a power of two to the order
    of 1. Where its sum over the first c columns is at most below[c], it is silent for certain.
    """

    neurons: Neurons
    order: Indices
    W: NDArray[np.float32]
    below: dict[int, NDArray[np.float32]]

    @classmethod
    def of(cls, neurons: Neurons) -> _Prefixes:
        _, W, b = neurons
        n = W.shape[1]
        order = np.argsort(-np.abs(W).sum(axis=0), kind="stable")
        exponent = -np.frexp(np.abs(W).sum(axis=1) + np.abs(b))[1]
        W, b = np.ldexp(W[:, order], exponent[:, None]), np.ldexp(b, exponent)
        reach = np.cumsum(np.abs(W), axis=1)
        below = {}
        for c in {n // 4, n // 2, 3 * n // 4, n} - {0}:
            error = 2.0**-23 * (c + 4) * (reach[:, -1] + np.abs(b))  # twice what c + 2 roundings to 24 digits can do
            below[c] = (b - (reach[:, -1] - reach[:, c - 1]) - error).astype(np.float32)
        return cls(neurons, order, W.T.astype(np.float32, order="C"), below)

    def candidates(self, X: NDArray[Any]) -> _Candidates | None:
        s, n = self.neurons[1].shape
        cost = {n: 1.0}
        if len(X) >= LEAST * LOOK and X.size * s > 1 << 24:
            shares = parallel(lambda c: self._alive(X[::LOOK], c).mean(), self.below, large=False)
            cost = {c: READ * c / n + BOUND + SHARE * share for c, share in zip(self.below, shares, strict=True)}
        c = min(cost, key=cost.__getitem__)
        if cost[c] > 0.9:
            return None

        def alive(rows: slice) -> Indices:
            return np.asarray(np.flatnonzero(self._alive(X[rows], c)) + rows.start * s)

        found = parallel(alive, slices(len(X), max(1, activity.BLOCK // s)), X.size * s >= activity.LARGE)
        return _Candidates(*np.divmod(np.concatenate(list(found)), s), found_by=s * c)

    def _alive(self, X: NDArray[Any], c: int) -> NDArray[np.bool_]:
        return np.asarray(X[:, self.order[:c]].astype(np.float32) @ self.W[:c] > self.below[c])


class SparseEvaluator:
    """h(x) = sum_{j in C_x} u_j relu(<w_j, x> - b_j), where C_x contains R_x and is found by keys or bounds.

    The values are those of the network up to round-off. Where neither keys nor bounds pay, because the inputs are few
    or too many neurons stay, it is the dense pass. `ours-one-wrong-bit` and `ours-early-exit` say why C_x contains R_x.

    >>> from sparse_core.cube import hypercube
    >>> from sparse_core.network import constructions
    >>> net, X = constructions.junta(np.arange(1024)), hypercube.points(10)
    >>> fast = net.evaluator()
    >>> bool(np.array_equal(fast(X), net(X))), net.s * net.n, int(fast.multiply_adds(X).max())
    (True, 10240, 20)
    """

    def __init__(self, u: Array, W: Array, b: Array) -> None:
        self._whole: Neurons = u, W, b
        self._parts: list[_Group | _Prefixes] = []
        live = np.flatnonzero(np.not_equal(u, 0) & ~activity.dead(W, b))
        patterns, label = np.unique(np.packbits(keys(W, b)[live], axis=1), axis=0, return_inverse=True)
        loose = [np.zeros(0, dtype=np.intp)]
        for i, pattern in enumerate(patterns):
            members, common = live[label == i], np.flatnonzero(np.unpackbits(pattern, count=W.shape[1]))
            if 1 << len(common) > max(SHARE, 1) and len(members) >= GROUP:
                self._parts.append(_Group.of(_some(self._whole, members), common))
            else:
                loose.append(members)
        if sum(map(len, loose)):
            self._parts.append(_Prefixes.of(_some(self._whole, np.concatenate(loose))))

    def __call__(self, X: ArrayLike) -> Array:
        """h(x) for each row x of X: on the cube by the quickest way, at other real points by the dense pass."""

        def values(x: NDArray[Any]) -> Array:
            return sum(
                (
                    gathered(*part.neurons, x, found.rows, found.neurons) if found else dense_pass(*part.neurons, x)
                    for part, found in self._found(x)
                ),
                np.zeros(len(x)),
            )

        X = self._points(X)
        if not self._pays(X):
            return dense_pass(*self._whole, X)
        blocks = self._blocks(X)
        return np.concatenate(list(parallel(values, blocks) if len(blocks) > 7 else map(values, blocks)))

    def multiply_adds(self, X: ArrayLike) -> Integers:
        """The multiply-adds that each row of X takes, the search included; the dense pass takes s n.

        >>> SparseEvaluator(np.ones(4), np.eye(4) * 3 - 1, np.zeros(4)).multiply_adds([[1, 1, 1, 1]])    # dense
        array([16])
        """

        def touched(x: NDArray[Any]) -> Integers:
            result = np.zeros(len(x), dtype=np.int64)
            for part, found in self._found(x):
                pairs = np.bincount(found.rows, minlength=len(x)) * x.shape[1] if found else 0
                result += pairs + (found.found_by if found else part.neurons[1].size)
            return result

        X = self._points(X)
        if not self._pays(X):
            return np.full(len(X), self._whole[1].size)
        return np.concatenate([touched(x) for x in self._blocks(X)])

    def _found(self, X: NDArray[Any]) -> list[tuple[_Group | _Prefixes, _Candidates | None]]:
        return [(part, part.candidates(X)) for part in self._parts]

    def _blocks(self, X: NDArray[Any]) -> list[NDArray[Any]]:
        return [X[rows] for rows in slices(len(X), max(1, INPUTS // max(X.shape[1], 1)))]

    def _points(self, X: ArrayLike) -> NDArray[Any]:
        return checks.real_array("X", X, 2, shape=(None, self._whole[1].shape[1]), convert=False)

    def _pays(self, X: NDArray[Any]) -> bool:
        return len(X) * self._whole[1].size > WORTH * len(self._parts) and bool((np.abs(X) == 1).all())


def _some(neurons: Neurons, chosen: Indices) -> Neurons:
    u, W, b = neurons
    return u[chosen], W[chosen], b[chosen]


def _address(signs: NDArray[Any], weights: Array) -> Indices:
    """The number whose bit i is set iff sign i is -1, for each row; weight i is 2^(i-1)."""
    return np.asarray((weights.sum() - signs @ weights).astype(np.intp))
