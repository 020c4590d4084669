r"""Which neurons are active where: [<w_j, x> - b_j > 0], strictly, for weight vectors W (s, n) in rows, biases b (s,).

One rule holds in the whole package. The numbers are those stored, so that 0.1 + 0.2 - 0.3 is more than 0.

* At points with integer entries, such as those of the cube, the sign is that of the exact sum, for all float64 weights:
  [W, b] is a sum of parts, each with so few binary digits that its sums over the points are not rounded.
* At other points, in layers after the first, and in other types than float64, it is the sign of the z that is computed,
  which is uncertain when |z| <= ``round_off``.

A value h(x) is computed in float64: a neuron within round-off of 0 contributes round-off to it, active or not.

Paper: section 3, the sets R_x; `definition-1` bounds their size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Array, each, slices
from ..cube.hypercube import MAX_POINTS_N, points

__all__ = ["active", "count", "dead", "integral", "keys", "round_off", "union"]

Points = NDArray[Any] | None  # rows; None is the whole cube

# Entries of a block of float64: 2 MB. From half to eight times as many the dense pass takes the same time up to 5 %;
# an eighth of it takes up to 1.5 times as long.
BLOCK_ENTRIES = 1 << 18
# Multiply-adds of a pass from which threads are started: about 4 milliseconds of matrix products in one thread.
THREAD_MULTIPLY_ADDS = 1 << 26
# (point, neuron) pairs in one enumeration of the cube: half a minute in one thread.
MAX_PAIRS = 1 << 33
# Integers up to this size count as exact inputs: 2^20 leaves 33 of 53 bits for a part of the weights.
MAX_INTEGER = 1 << 20


def neurons(W: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
    """W and b as arrays of float64, checked.

    >>> neurons([[1, 2]], [3])
    (array([[1., 2.]]), array([3.]))
    """
    W = checks.real_array("W", W, 2).astype(np.float64, copy=False)
    b = checks.real_array("b", b, 1, shape=(len(W),)).astype(np.float64, copy=False)
    return W, b


def _rows(X: ArrayLike, n: int) -> NDArray[Any]:
    return checks.real_array("X", X, 2, shape=(None, n), convert=False)


def size(X: Points, n: int, s: int) -> int:
    """len(X), or 2^n for the cube, if so many points can be visited with s neurons each.

    >>> size(None, n=16, s=8)
    65536
    """
    if X is None and (n > MAX_POINTS_N or s << n > MAX_PAIRS):
        raise ValueError(
            f"2**{n} points with {s} neurons are too many to enumerate: give the points wanted as 'X', "
            "or bound the count with sparsity(method='pairs') or sparsity(method='milp')."
        )
    return 1 << n if X is None else len(X)


def blocks(X: Points, n: int, s: int) -> Iterator[tuple[slice, Array]]:
    """The rows of X, or of the cube, a block at a time: (rows, n) and (rows, s) arrays have BLOCK_ENTRIES at most.

    >>> [(rows.start, x.shape) for rows, x in blocks(None, n=16, s=8)]
    [(0, (16384, 16)), (16384, (16384, 16)), (32768, (16384, 16)), (49152, (16384, 16))]
    """
    for rows in slices(size(X, n, s), max(1, BLOCK_ENTRIES // max(n, s, 1))):
        block = points(n, rows.start, rows.stop) if X is None else X[rows]
        yield rows, block.astype(np.float64, copy=False)


def active(W: Array, b: Array, X: NDArray[Any]) -> NDArray[np.bool_]:
    """[<w_j, x> - b_j > 0] for each row x of X and each neuron j: a (rows, s) array.

    >>> active(np.array([[0.1, 0.2, 0.3]]), np.array([0.0]), np.array([[1, 1, -1], [1, 1, 1]]))[:, 0]
    array([ True,  True])

    The first is not a rounding error: as stored, 0.1 + 0.2 exceeds 0.3.
    """
    W, b = neurons(W, b)
    X = _rows(X, W.shape[1])
    return _each(W, b, X, np.zeros((len(X), len(b)), dtype=np.bool_), np.asarray)


def count(W: Array, b: Array, X: Points = None) -> NDArray[np.int32]:
    """|R_x| for each row x of X, or for every point of the cube.

    >>> count(np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([-1.0, 1.0]))
    array([1, 1, 2, 0], dtype=int32)
    """
    W, b = neurons(W, b)
    X = None if X is None else _rows(X, W.shape[1])
    result = np.zeros(size(X, W.shape[1], len(b)), dtype=np.int32)
    return _each(W, b, X, result, lambda active: np.count_nonzero(active, axis=1))


def dead(W: Array, b: Array) -> NDArray[np.bool_]:
    """||w_j||_1 <= b_j for each neuron j: whether it is active at no point of the cube, exactly.

    >>> dead(np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([2.0, 1.5]))
    array([ True, False])
    """
    W, b = neurons(W, b)
    rows = np.column_stack([np.abs(W), -b])
    total = rows.sum(axis=1, dtype=np.float64)
    for j in np.flatnonzero(~(np.abs(total) > round_off(W, b, np.ones((1, 1))))):  # where round-off may decide
        total[j] = math.fsum(rows[j].tolist())  # which rounds once, so that the sign is right
    return np.asarray(total <= 0)


def keys(W: Array, b: Array) -> NDArray[np.bool_]:
    """[2 |w_jc| >= ||w_j||_1 - b_j > 0] for each neuron j and coordinate c: where one wrong sign makes it inactive.

    Exactly, like ``dead``. The values of <w_j, x> - b_j at points x with the wrong sign at c are at most
    ||w_j||_1 - b_j - 2 |w_jc|, and this one is attained (`ours-one-wrong-bit`).

    >>> keys(np.array([[1, 1, 0], [3, 1, 1], [1, 1, 1]]), np.array([1, 0, 3]))
    array([[ True,  True, False],
           [ True, False, False],
           [False, False, False]])

    The third neuron is dead: it is active nowhere, whatever the signs.
    """
    W, b = neurons(W, b)
    reach = 2 * np.abs(W)
    margin = np.abs(W).sum(axis=1) - b
    rest = np.zeros(len(margin))  # what rounding took from the margin
    error = round_off(W, b, np.ones((1, 1)))
    distance = np.abs(np.column_stack([reach - margin[:, None], margin])).min(axis=1)
    for j in np.flatnonzero(~(distance > error)):  # where round-off may decide
        terms = [*np.abs(W[j]).tolist(), -float(b[j])]
        margin[j] = math.fsum(terms)
        rest[j] = math.fsum([*terms, -margin[j]])
    m = margin[:, None]
    return np.asarray((m > 0) & ((reach > m) | ((reach == m) & (rest[:, None] <= 0))))


def union(counts: ArrayLike, inputs: int, m: int) -> float:
    """sum_j (1 - C(M - c_j, m) / C(M, m)): of M inputs, m are drawn without replacement; how many neurons use one.

    counts, inputs : at how many of the M inputs each neuron is active, c_j, and M.

    That is the expected size of the union of the active sets (`ours-union`). A kernel that skips inactive neurons must
    read the weights of so many for a batch of m inputs.

    >>> union([1, 1, 1, 1], inputs=4, m=1), union([1, 1, 1, 1], inputs=4, m=2), union([4, 0, 0, 0], inputs=4, m=2)
    (1.0, 2.0, 1.0)
    """
    inputs = checks.integer("inputs", inputs, 1)
    m = checks.integer("m", m, 1, inputs)
    c = checks.integer_array("counts", counts, 1)
    checks.entries("counts", c, (c >= 0) & (c <= inputs), f"must lie between 0 and inputs = {inputs}")
    different, times = np.unique(c, return_counts=True)
    # C(M - c, m) / C(M, m) is the product over i < m of 1 - c/(M - i), and does not change when m and c are exchanged.
    factors = np.minimum(different, m)
    larger = np.maximum(different, m)
    used = np.zeros(len(different))
    for i in range(int(factors.max(initial=0))):
        more = (i < factors) & (used < 1)
        if not more.any():
            break
        used[more] += (1 - used[more]) * (larger[more] / (inputs - i))  # of positive terms, so that nothing cancels
    return float(times @ used)


def integral(X: Points) -> bool:
    """Whether all entries of X are integers of size up to 2^20, so that activity is decided exactly.

    >>> integral(np.array([[1.0, -1.0]])), integral(np.array([[0.5]]))
    (True, False)
    """
    if X is None:
        return True
    X = checks.real_array("X", X, None, convert=False)
    return X.dtype == np.int8 or (_largest(X) <= MAX_INTEGER and bool((X == np.rint(X)).all()))


def round_off(W: Array, b: Array, X: NDArray[Any]) -> Array:
    """(n + 2) 2^-52 (||w_j||_1 max |X| + |b_j|) for each neuron j: a bound on the error of <w_j, x> - b_j in float64.

    >>> round_off(np.ones((1, 2)), np.ones(1), np.ones((1, 2))) / 2.0**-52
    array([12.])
    """
    W, b = neurons(W, b)
    terms = np.abs(W).sum(axis=1) * _largest(checks.real_array("X", X, None, convert=False)) + np.abs(b)
    return np.asarray((W.shape[1] + 2) * 2.0**-52 * terms)


def _largest(X: NDArray[Any]) -> float:
    """max |X|, computed in Python's numbers: half precision has no 2^20, and -2^63 has no absolute value in int64."""
    return max(float(X.max(initial=0)), -float(X.min(initial=0)))


def parts(W: Array, b: Array, X: Points = None) -> list[Array]:
    """A_1, A_2, ... with sum [W, b], so coarse that sums over X are exact; [W, b] itself if X is not ``integral``.

    Each row of each A_i consists of multiples of a power of two, and no sum over X exceeds 2^53 of them.

    >>> len(parts(np.array([[1.0, 2.0]]), np.array([0.5]))), len(parts(np.array([[0.1, 0.2]]), np.array([0.3])))
    (1, 2)
    """
    rest = np.column_stack([W, b])
    if not integral(X):
        return [rest]
    reach = 1 if X is None else max(1, int(_largest(X)))
    summands: list[Array] = []
    while not summands or rest.any():
        exponent = np.frexp(np.abs(rest).max(axis=1))[1] + rest.shape[1].bit_length() + reach.bit_length() - 53
        unit = np.maximum(np.ldexp(1.0, exponent), np.finfo(float).smallest_subnormal)[:, None]
        summands.append(np.rint(rest / unit) * unit)
        rest = rest - summands[-1]
    return summands


def settled(z: Array, A: list[Array], X: NDArray[Any], error: Array) -> NDArray[np.bool_]:
    """[<w_j, x> - b_j > 0] from z, which is that up to ``error``: only entries that close to 0 are summed again.

    z, error : (rows, s) and (s,) arrays.
    A : the ``parts`` of [W, b] for X.

    >>> W, b, X = np.array([[0.1, 0.1, 0.1]]), np.array([0.3]), np.ones((1, 3))
    >>> z = X @ W.T - b
    >>> settled(0 * z, parts(W, b, X), X, round_off(W, b, X))
    array([[ True]])
    """
    rows, j = np.nonzero(np.abs(z) <= error) if len(A) > 1 else (np.arange(0),) * 2  # otherwise z has no error
    active = z > 0
    active[rows, j] = settled_pairs(z[rows, j], rows, j, A, X, error)
    return active


def settled_pairs(
    z: Array, rows: NDArray[np.intp], j: NDArray[np.intp], A: list[Array], X: NDArray[Any], error: Array
) -> NDArray[np.bool_]:
    """``settled`` for pairs of a row of X and a neuron j alone, each with its z.

    >>> W, b, X = np.array([[0.1, 0.1, 0.1]]), np.array([0.3]), np.ones((1, 3))
    >>> settled_pairs(np.zeros(1), np.array([0]), np.array([0]), parts(W, b, X), X, round_off(W, b, X))
    array([ True])
    """
    active = z > 0
    if len(A) > 1:
        close = np.flatnonzero(np.abs(z) <= error.take(j))
        for block in slices(len(close), BLOCK_ENTRIES // max(1, X.shape[1]) or 1):
            pairs = close[block]
            x = X[rows[pairs]]
            neurons_of = j[pairs]
            total = sum(np.einsum("ij,ij->i", x, part[neurons_of, :-1]) - part[neurons_of, -1] for part in A)
            active[pairs] = np.greater(total, 0)
    return active


def _each(W: Array, b: Array, X: Points, result: NDArray[Any], view: Callable[[Any], Any]) -> NDArray[Any]:
    """Write ``view`` of the (rows, s) array [<w_j, x> - b_j > 0] of each block into ``result``.

    The parts are added from coarse to fine. A sum that is too large to be exact is too large for the finer parts to
    change its sign.
    """
    terms = parts(W, b, X)

    def write(block: tuple[slice, Array]) -> None:
        rows, x = block
        total = sum(x @ A[:, :-1].T - A[:, -1] for A in terms)
        result[rows] = view(np.greater(total, 0))

    each(write, blocks(X, W.shape[1], len(b)), len(result) * W.size >= THREAD_MULTIPLY_ADDS)
    return result
