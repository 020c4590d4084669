r"""h = sum_j u_j relu(<w_j, x> - b_j) from arrays u (s,), W (s, n), b (s,): densely, or all 2^n values sparsely.

A point of the cube is a point z of its first ceil(n/2) coordinates and a point y of the others, and
<w_j, x> - b_j = A_j(y) + B_j(z). With B_j sorted, the points z at which neuron j is active beside y come first, and no
other is looked at.

Paper: the function computed in Definition 1, and the sparsity that makes its table cheap.
"""

from __future__ import annotations

from threading import local

import numpy as np

from .._arrays import Array, each, slices
from ..cube.hypercube import MAX_POINTS_N, points
from . import activity

__all__ = ["dense_pass", "truth_table"]


SMALL = 1 << 20  # multiply-adds of a pass that is left to BLAS as a whole
BLOCK = 1 << 16  # active pairs at a time
WIDE = 1 << 12  # neurons at a time, so that a block of the dense pass has many rows
OPENING = 1 << 14  # points that a matrix product visits while one neuron is sorted and searched
PAIR = 8  # points that it visits while one active pair is added
TOGETHER = 256  # neurons whose share is estimated at a time
PROBES = 32  # points of each half, all of whose pairs say roughly what share of the cube a neuron is active on


def dense_pass(u: Array, W: Array, b: Array, X: activity.Points) -> Array:
    """h(x) for each row x of X, or at all points of the cube, by matrix products.

    >>> dense_pass(np.array([2.0, 1.0]), np.array([[1.0, 1.0], [-1.0, 0.0]]), np.zeros(2), np.array([[1, 1], [-1, 1]]))
    array([4., 1.])
    """
    s, n = W.shape
    if X is not None and len(X) * W.size <= SMALL:
        z = X.astype(np.float64, copy=False) @ W.T
        z -= b
        return np.asarray(np.maximum(z, 0, out=z) @ u)
    result = np.zeros(activity.size(X, n, s))
    if s > WIDE:
        return sum((dense_pass(u[j], W[j], b[j], X) for j in slices(s, WIDE)), result)
    spare = local()  # a buffer for each thread

    def some(block: tuple[slice, Array]) -> None:
        rows, x = block
        if not hasattr(spare, "buffer"):
            spare.buffer = np.empty((min(activity.rows_in_a_block(n, s), len(result)), s))
        z = np.matmul(x, W.T, out=spare.buffer[: len(x)])
        z -= b
        np.matmul(np.maximum(z, 0, out=z), u, out=result[rows])

    each(some, activity.blocks(X, n, s), len(result) * W.size >= activity.LARGE)
    return result


def truth_table(u: Array, W: Array, b: Array) -> Array:
    """h(x) at all 2^n points of the cube: neurons that are rarely active cost their active pairs, the others 2^n each.

    Refused for n > 26, and where it would take too long. A neuron is taken sparsely if OPENING + PAIR 2^n (its share of
    active points) < 2^n, where the share is estimated on a grid of PROBES x PROBES points. Along either way the values
    are the same up to round-off.

    >>> truth_table(np.ones(1), np.array([[1.0, 0.5]]), np.array([0.25]))
    array([1.25, 0.  , 0.25, 0.  ])
    """
    s, n = W.shape
    if n > MAX_POINTS_N or 1 << n <= 2 * OPENING:
        return dense_pass(u, W, b, None)
    low = n - n // 2
    Y, Z = points(n - low).astype(np.float64), points(low).astype(np.float64)
    share = _share(W, b, Y, Z)
    rare = OPENING + PAIR * share * 2**n < 2**n
    if max(share[rare].sum(), np.count_nonzero(~rare)) * 2**n > activity.MAX_PAIRS:
        activity.size(None, n, s)  # which refuses
    result = np.zeros(1 << n) if rare.all() else dense_pass(u[~rare], W[~rare], b[~rare], None)
    members = np.flatnonzero(rare)

    def add(part: slice) -> None:
        j = members[part]
        A, B = W[j, low:] @ Y.T - b[j, None], W[j, :low] @ Z.T
        for neuron in zip(u[j], A, B, strict=True):
            _add(result, *neuron)

    each(add, slices(len(members), max(1, activity.BLOCK // len(Z))), large=False)
    return result


def _share(W: Array, b: Array, Y: Array, Z: Array) -> Array:
    """Roughly the share of the cube on which each neuron is active, from a grid of PROBES x PROBES scattered points."""
    high, low = (half[np.arange(PROBES) * 0x9E3779B1 % len(half)] for half in (Y, Z))
    A, B = W[:, Z.shape[1] :] @ high.T - b[:, None], W[:, : Z.shape[1]] @ low.T
    parts = [np.count_nonzero(A[j, :, None] > -B[j, None], axis=(1, 2)) for j in slices(len(b), TOGETHER)]
    return np.concatenate([np.zeros(0), *parts]) / PROBES**2


def _add(values: Array, u: float, A: Array, B: Array) -> None:
    """values[y, z] += u (A(y) + B(z)) wherever that sum is positive, and no other pair (y, z) is touched."""
    (y,), (z,) = (A > -B.max()).nonzero(), (B > -A.max()).nonzero()
    z = z[B[z].argsort()[::-1]]
    a, minus_b = A[y], -B[z]
    count = minus_b.searchsorted(a)
    end = count.cumsum()
    first = 0
    while first < len(y):
        done = end[first] - count[first]
        last = max(first + 1, int(end.searchsorted(done + BLOCK, side="right")))
        i = np.arange(first, last).repeat(count[first:last])
        k = np.arange(done, end[last - 1]) - (end - count)[i]
        values[y[i] * len(B) + z[k]] += u * (a[i] - minus_b[k])
        first = last
