r"""Which neurons are active where: [<w_j, x> - b_j > 0], strictly, for weight vectors W (s, n) in rows, biases b (s,).

At points with integer entries, such as those of the cube, this is decided exactly for all float64 weights: [W, b] is
cut into slices so coarse that their sums incur no rounding. At other points z = <w_j, x> - b_j is computed in float64,
and its sign cannot be trusted when |z| <= ``round_off``.

Paper: section 3, the sets R_x; `definition-1` bounds their size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import Array, each, slices
from ..cube.hypercube import MAX_POINTS_N, points

__all__ = ["active", "blocks", "count", "dead", "integral", "round_off", "rows_in_a_block", "size"]

Points = NDArray[Any] | None  # rows; None is the whole cube

BLOCK = 1 << 18  # entries of a block: 2 MB
LARGE = 1 << 26  # multiply-adds from which threads are worth their start
MAX_PAIRS = 1 << 33  # (point, neuron) pairs in a walk over the cube: half a minute


def size(X: Points, n: int, s: int) -> int:
    """len(X), or 2^n for the cube, if so many points can be visited with s neurons each.

    >>> size(None, n=16, s=8)
    65536
    """
    if X is None and (n > MAX_POINTS_N or s << n > MAX_PAIRS):
        raise ValueError(
            f"2**{n} points with {s} neurons are too many to enumerate: give the points wanted as 'X', "
            "or bound the count with sparsity(method='pairs'), 'subsets' or 'milp'."
        )
    return 1 << n if X is None else len(X)


def rows_in_a_block(n: int, s: int) -> int:
    """How many points have (rows, n) and (rows, s) arrays of BLOCK entries at most.

    >>> rows_in_a_block(n=16, s=8)
    16384
    """
    return max(1, BLOCK // max(n, s, 1))


def blocks(X: Points, n: int, s: int) -> Iterator[tuple[slice, Array]]:
    """The rows of X, or of the cube, a block at a time: few enough for (rows, n) and (rows, s) arrays.

    >>> [(rows.start, x.shape) for rows, x in blocks(None, n=16, s=8)]
    [(0, (16384, 16)), (16384, (16384, 16)), (32768, (16384, 16)), (49152, (16384, 16))]
    """
    for rows in slices(size(X, n, s), rows_in_a_block(n, s)):
        block = points(n, rows.start, rows.stop) if X is None else X[rows]
        yield rows, block.astype(np.float64, copy=False)


def active(W: Array, b: Array, X: NDArray[Any]) -> NDArray[np.bool_]:
    """[<w_j, x> - b_j > 0] for each row x of X and each neuron j: a (rows, s) array.

    >>> active(np.array([[0.1, 0.2, 0.3]]), np.array([0.0]), np.array([[1, 1, -1], [1, 1, 1]]))[:, 0]
    array([ True,  True])

    The first is no rounding error: as stored, 0.1 + 0.2 exceeds 0.3.
    """
    return _each(W, b, X, np.zeros((len(X), len(b)), dtype=np.bool_), np.asarray)


def count(W: Array, b: Array, X: Points = None) -> NDArray[np.int32]:
    """|R_x| for each row x of X, or for every point of the cube.

    >>> count(np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([-1.0, 1.0]))
    array([1, 1, 2, 0], dtype=int32)
    """
    result = np.zeros(size(X, W.shape[1], len(b)), dtype=np.int32)
    return _each(W, b, X, result, lambda found: np.count_nonzero(found, axis=1))


def dead(W: Array, b: Array) -> NDArray[np.bool_]:
    """||w_j||_1 <= b_j for each neuron j: whether it is active at no point of the cube, exactly.

    >>> dead(np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([2.0, 1.5]))
    array([ True, False])
    """
    rows = np.column_stack([np.abs(W), -b])
    total = rows.sum(axis=1, dtype=np.float64)
    for j in np.flatnonzero(~(np.abs(total) > round_off(W, b, np.ones((1, 1))))):  # where round-off may decide
        total[j] = math.fsum(rows[j].tolist())  # which rounds once, so that the sign is right
    return np.asarray(total <= 0)


def integral(X: Points) -> bool:
    """Whether all entries of X are integers up to 2^20, so that activity is decided exactly.

    >>> integral(np.array([[1.0, -1.0]])), integral(np.array([[0.5]]))
    (True, False)
    """
    return X is None or X.dtype == np.int8 or bool((np.abs(X) <= 2**20).all() and (X == np.rint(X)).all())


def round_off(W: Array, b: Array, X: NDArray[Any]) -> Array:
    """(n + 2) 2^-52 (||w_j||_1 max |X| + |b_j|) for each neuron j: a bound on the error of <w_j, x> - b_j in float64.

    >>> round_off(np.ones((1, 2)), np.ones(1), np.ones((1, 2))) / 2.0**-52
    array([12.])
    """
    terms = np.abs(W).sum(axis=1) * np.abs(X).max(initial=0) + np.abs(b)
    return np.asarray((W.shape[1] + 2) * 2.0**-52 * terms)


def _parts(W: Array, b: Array, X: Points) -> list[Array]:
    """A_1, A_2, ... with sum [W, b]: rows of multiples of a power of two that no sum over X exceeds 2^53 times."""
    rest = np.column_stack([W, b])
    if not integral(X):
        return [rest]
    reach = 1 if X is None else max(int(X.max(initial=1)), -int(X.min(initial=0)))
    parts: list[Array] = []
    while not parts or rest.any():
        exponent = np.frexp(np.abs(rest).max(axis=1))[1] + rest.shape[1].bit_length() + reach.bit_length() - 53
        unit = np.maximum(np.ldexp(1.0, exponent), np.finfo(float).smallest_subnormal)[:, None]
        parts.append(np.rint(rest / unit) * unit)
        rest = rest - parts[-1]
    return parts


def _each(W: Array, b: Array, X: Points, result: NDArray[Any], view: Callable[[Any], Any]) -> NDArray[Any]:
    """The view of [the parts' sums exceed 0]: from coarse to fine, a sum that is rounded is too large to turn later."""
    parts = _parts(W, b, X)

    def some(block: tuple[slice, Array]) -> None:
        rows, x = block
        result[rows] = view(np.greater(sum(x @ A[:, :-1].T - A[:, -1] for A in parts), 0))

    each(some, blocks(X, W.shape[1], len(b)), len(result) * W.size >= LARGE)
    return result
