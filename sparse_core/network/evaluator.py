r"""Sparse inference on the cube: h(x) = sum_{j in R_x} u_j (<w_j, x> - b_j), touching few neurons outside R_x, exactly.

<w_j, x> - b_j is at most ||w_j||_1 - b_j, and less by 2 |w_jc| if x disagrees with the sign of w_jc. So a coordinate c
with 2 |w_jc| >= ||w_j||_1 - b_j > 0 is a *key*: one disagreement there makes j inactive (`ours-one-wrong-bit`). Neurons
with the same keys make a group. The signs of x at these keys are an address, and only the neurons stored at that
address can be active. Neurons without keys are computed by the dense pass.

Paper: sections 1 and 6, on exploiting activation sparsity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Array, Integers, map_blocks, slices
from . import activity
from .evaluation import dense_pass

__all__ = ["SparseEvaluator"]

Indices = NDArray[np.intp]
Neurons = tuple[Array, Array, Array]  # u, W, b

# Neurons below which a group is computed with those without keys: an address then costs about what it saves.
MIN_GROUP_NEURONS = 64
# What a neuron found by its address costs, in neurons of a matrix product: 15 to 20 measured, and some reserve. Two
# keys divide a group by four at best, so a group needs more than log2 of this number of keys to gain anything.
GATHER_COST_NEURONS = 25
# Multiply-adds of the dense pass that take as long as the calls of NumPy that one group needs: about 25 microseconds,
# measured for one input, where a matrix product waits for the memory.
GROUP_COST_MULTIPLY_ADDS = 1 << 17
# Entries of a block of gathered weights, float64: 2 MB.
GATHER_BLOCK_ENTRIES = 1 << 18
# Entries of the inputs that are taken at a time: 512 kB of int8, 4 MB of float64.
INPUT_BLOCK_ENTRIES = 1 << 19
# Blocks of inputs from which threads are started; one block takes about a millisecond.
MIN_THREADED_BLOCKS = 8


def _gathered(neurons: Neurons, X: NDArray[Any], rows: Indices, chosen: Indices) -> Array:
    """sum over the pairs (i, j) listed of u_j relu(<w_j, x_i> - b_j), for each row x_i of X: n multiply-adds a pair."""
    result = np.zeros(len(X))
    for pairs in slices(len(rows), max(1, GATHER_BLOCK_ENTRIES // max(X.shape[1], 1))):
        i = rows[pairs]
        u, W, b = _take(neurons, chosen[pairs])
        z = np.einsum("pc,pc->p", X[i].astype(np.float64, copy=False), W) - b
        result += np.bincount(i, weights=u * np.maximum(z, 0), minlength=len(X))
    return result


@dataclass(frozen=True, eq=False)
class _KeyedGroup:
    """Neurons with common keys, in the order of their addresses: those at address a are start[a], ..., start[a+1]-1."""

    neurons: Neurons
    keys: Indices
    start: Indices

    @classmethod
    def of(cls, neurons: Neurons, common: Indices) -> _KeyedGroup:
        """The group with an address of so many keys that most addresses are empty, those keys that divide it best."""
        signs = np.sign(neurons[1][:, common])
        bits = min(len(common), len(signs).bit_length() + 4)
        balanced = np.argsort(np.abs(signs.mean(axis=0)), kind="stable")
        chosen = np.sort(balanced[:bits])
        address = _address(signs[:, chosen])
        start = np.concatenate([[0], np.cumsum(np.bincount(address, minlength=1 << bits))])
        return cls(_take(neurons, np.argsort(address, kind="stable")), common[chosen], start)

    def candidates(self, X: NDArray[Any]) -> tuple[Indices, Indices] | None:
        """Pairs (row of X, neuron) with all active ones among them; None if they cost more than the dense pass."""
        address = _address(X[:, self.keys])
        first = self.start[address]
        count = self.start[address + 1] - first
        if count.sum() * GATHER_COST_NEURONS > len(X) * len(self.neurons[0]):
            return None
        rows = np.arange(len(X)).repeat(count)
        neurons = np.arange(len(rows)) + (first + count - count.cumsum()).repeat(count)
        return rows, neurons


class SparseEvaluator:
    """h(x) = sum_{j in C_x} u_j relu(<w_j, x> - b_j), where C_x contains R_x and is found by keys.

    `ours-one-wrong-bit` says why C_x contains R_x. The values are those of the network up to round-off. Where keys save
    no time, because the inputs are few or most neurons have none, it is the dense pass.

    >>> from sparse_core.cube import hypercube
    >>> from sparse_core.network import constructions
    >>> net, X = constructions.junta(np.arange(1024)), hypercube.points(10)
    >>> fast = net.evaluator()
    >>> bool(np.array_equal(fast(X), net(X))), net.s * net.n, int(fast.multiply_adds(X).max())
    (True, 10240, 20)
    """

    def __init__(self, u: Array, W: Array, b: Array) -> None:
        W, b = activity.neurons(W, b)
        u = checks.real_array("u", u, 1, shape=b.shape).astype(np.float64, copy=False)
        self._whole: Neurons = u, W, b
        self._groups: list[_KeyedGroup] = []
        unkeyed = [np.zeros(0, dtype=np.intp)]
        useful = np.flatnonzero(np.not_equal(u, 0) & ~activity.dead(W, b))
        patterns, label = np.unique(np.packbits(activity.keys(W, b)[useful], axis=1), axis=0, return_inverse=True)
        for i, pattern in enumerate(patterns):
            members = useful[label == i]
            common = np.flatnonzero(np.unpackbits(pattern, count=W.shape[1]))
            if len(members) >= MIN_GROUP_NEURONS and 1 << len(common) > max(GATHER_COST_NEURONS, 1):
                self._groups.append(_KeyedGroup.of(_take(self._whole, members), common))
            else:
                unkeyed.append(members)
        self._unkeyed = _take(self._whole, np.concatenate(unkeyed))

    def __call__(self, X: ArrayLike) -> Array:
        """h(x) for each row x of X: on the cube by the quickest way, at other real points by the dense pass."""

        inputs = self._points(X)
        if not self._worthwhile(inputs):
            return dense_pass(*self._whole, inputs)

        def values(rows: slice) -> Array:
            x = inputs[rows]
            result = dense_pass(*self._unkeyed, x)
            for group in self._groups:
                pairs = group.candidates(x)
                result += _gathered(group.neurons, x, *pairs) if pairs else dense_pass(*group.neurons, x)
            return result

        blocks = self._blocks(inputs)
        return np.concatenate(map_blocks(values, blocks, large=len(blocks) >= MIN_THREADED_BLOCKS))

    def multiply_adds(self, X: ArrayLike) -> Integers:
        """The multiply-adds that each row of X takes, the search included; the dense pass takes s n.

        >>> SparseEvaluator(np.ones(4), np.eye(4) * 3 - 1, np.zeros(4)).multiply_adds([[1, 1, 1, 1]])    # dense
        array([16])
        """
        X = self._points(X)
        if not self._worthwhile(X):
            return np.full(len(X), self._whole[1].size)
        result = np.full(len(X), self._unkeyed[1].size)
        for rows in self._blocks(X):
            for group in self._groups:
                pairs = group.candidates(X[rows])
                if pairs:
                    candidates = np.bincount(pairs[0], minlength=rows.stop - rows.start)
                    result[rows] += candidates * X.shape[1] + len(group.keys)
                else:
                    result[rows] += group.neurons[1].size
        return result

    def _points(self, X: ArrayLike) -> NDArray[Any]:
        return checks.real_array("X", X, 2, shape=(None, self._whole[1].shape[1]), convert=False)

    def _worthwhile(self, X: NDArray[Any]) -> bool:
        enough = len(X) * self._whole[1].size > GROUP_COST_MULTIPLY_ADDS * len(self._groups)
        return enough and bool(self._groups) and bool((np.abs(X) == 1).all())

    def _blocks(self, X: NDArray[Any]) -> list[slice]:
        return list(slices(len(X), max(1, INPUT_BLOCK_ENTRIES // max(X.shape[1], 1))))


def _take(neurons: Neurons, chosen: Indices) -> Neurons:
    u, W, b = neurons
    return u[chosen], W[chosen], b[chosen]


def _address(signs: NDArray[Any]) -> Indices:
    """The number whose bit i is set iff sign i is -1, for each row."""
    weights = np.ldexp(0.5, np.arange(signs.shape[1]))
    return np.asarray((weights.sum() - signs @ weights).astype(np.intp))
