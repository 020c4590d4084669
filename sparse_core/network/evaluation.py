r"""h = sum_j u_j relu(<w_j, x> - b_j) from arrays u (s,), W (s, n), b (s,): densely, or all 2^n values sparsely.

A point of the cube is a point z of its first ceil(n/2) coordinates and a point y of the others, and
<w_j, x> - b_j = A_j(y) + B_j(z). With B_j sorted, the points z at which neuron j is active beside y come first, and the
others are not visited.

Paper: the function computed in Definition 1, and the sparsity that makes its truth table cheap.
"""

from __future__ import annotations

from threading import local

import numpy as np

from .._arrays import Array, each, slices
from ..cube.hypercube import MAX_POINTS_N, points
from . import activity

__all__: list[str] = []  # what ``SparseNetwork`` calls, with arrays that were checked

# Multiply-adds of a dense pass that is one matrix product, without blocks: less than a tenth of a millisecond.
UNBLOCKED_MULTIPLY_ADDS = 1 << 20
# Neurons of a dense pass at a time, so that a block of 2 MB has at least 64 rows: with fewer the product is slower.
DENSE_NEURONS = 1 << 12
# Active pairs that are added at a time: arrays of 512 kB.
PAIR_BLOCK = 1 << 16
# What sorting and searching the two halves costs for one neuron, in points of a matrix product: 11 000 measured at
# n = 20 (18 microseconds against 1.6 nanoseconds), rounded up to a power of two.
NEURON_COST_POINTS = 1 << 14
# What adding one active pair costs, in points of a matrix product: 9 measured at n = 24, where memory is slowest.
PAIR_COST_POINTS = 8
# Scattered points of each half; all their pairs are the sample from which the share of active points is estimated.
SHARE_POINTS = 32


def dense_pass(u: Array, W: Array, b: Array, X: activity.Points) -> Array:
    """h(x) for each row x of X, or at all points of the cube, by matrix products.

    >>> dense_pass(np.array([2.0, 1.0]), np.array([[1.0, 1.0], [-1.0, 0.0]]), np.zeros(2), np.array([[1, 1], [-1, 1]]))
    array([4., 1.])
    """
    s, n = W.shape
    if X is not None and 0 < len(X) * W.size <= UNBLOCKED_MULTIPLY_ADDS:
        z = X.astype(np.float64, copy=False) @ W.T
        z -= b
        return np.asarray(np.maximum(z, 0, out=z) @ u)
    result = np.zeros(activity.size(X, n, s))
    if s > DENSE_NEURONS:
        return sum((dense_pass(u[j], W[j], b[j], X) for j in slices(s, DENSE_NEURONS)), result)
    workspace = local()  # one block for each thread

    def write(block: tuple[slice, Array]) -> None:
        rows, x = block
        if len(getattr(workspace, "block", ())) < len(x):
            workspace.block = np.empty((len(x), s))
        z = np.matmul(x, W.T, out=workspace.block[: len(x)])
        z -= b
        np.matmul(np.maximum(z, 0, out=z), u, out=result[rows])

    if s:
        each(write, activity.blocks(X, n, s), len(result) * W.size >= activity.THREAD_MULTIPLY_ADDS)
    return result


def truth_table(u: Array, W: Array, b: Array) -> Array:
    """h(x) at all 2^n points of the cube: neurons that are rarely active cost their active pairs, the others 2^n each.

    Refused for n > 26, and where it would take too long. A neuron is taken sparsely if
    NEURON_COST_POINTS + PAIR_COST_POINTS 2^n (its share of active points) < 2^n, where the share is estimated on a grid
    of SHARE_POINTS x SHARE_POINTS points. Along either way the values are the same up to round-off.

    >>> truth_table(np.ones(1), np.array([[1.0, 0.5]]), np.array([0.25]))
    array([1.25, 0.  , 0.25, 0.  ])
    """
    s, n = W.shape
    if n > MAX_POINTS_N or 1 << n <= 2 * NEURON_COST_POINTS:
        return dense_pass(u, W, b, None)
    low = n - n // 2
    Y = points(n - low).astype(np.float64)
    Z = points(low).astype(np.float64)
    share = _active_share(W, b, Y, Z)
    rare = NEURON_COST_POINTS + PAIR_COST_POINTS * share * 2**n < 2**n
    if max(share[rare].sum(), np.count_nonzero(~rare)) * 2**n > activity.MAX_PAIRS:
        activity.size(None, n, s)  # which refuses
    result = dense_pass(u[~rare], W[~rare], b[~rare], None)
    members = np.flatnonzero(rare)

    def add(block: slice) -> None:
        j = members[block]
        A = W[j, low:] @ Y.T - b[j, None]
        B = W[j, :low] @ Z.T
        for neuron in zip(u[j], A, B, strict=True):
            _add_active_pairs(result, *neuron)

    each(add, slices(len(members), max(1, activity.BLOCK_ENTRIES // len(Z))), large=False)
    return result


def _active_share(W: Array, b: Array, Y: Array, Z: Array) -> Array:
    """Roughly the share of the cube on which each neuron is active, from all pairs of some points of each half.

    The points of each half are scattered by multiples of an odd number near 2^32 / 1.618.
    """
    scattered = np.arange(SHARE_POINTS, dtype=np.int64) * 0x9E3779B1
    high = Y[scattered % len(Y)]
    low = Z[scattered % len(Z)]

    share = np.zeros(len(b))
    for j in slices(len(b), max(1, activity.BLOCK_ENTRIES // SHARE_POINTS**2)):
        A = W[j, Z.shape[1] :] @ high.T - b[j, None]
        B = W[j, : Z.shape[1]] @ low.T
        share[j] = np.count_nonzero(A[:, :, None] > -B[:, None], axis=(1, 2)) / SHARE_POINTS**2
    return share


def _add_active_pairs(values: Array, u: float, A: Array, B: Array) -> None:
    """values[y, z] += u (A(y) + B(z)) wherever that sum is positive, and no other pair (y, z) is touched."""
    (y,) = (A > -B.max()).nonzero()
    (z,) = (B > -A.max()).nonzero()
    z = z[B[z].argsort()[::-1]]
    a = A[y]
    minus_b = -B[z]
    count = minus_b.searchsorted(a)  # the active pairs of y are its pairs with z[0], ..., z[count - 1]
    end = count.cumsum()
    first = 0
    while first < len(y):
        start = end[first] - count[first]
        last = max(first + 1, int(end.searchsorted(start + PAIR_BLOCK, side="right")))
        i = np.arange(first, last).repeat(count[first:last])
        k = np.arange(start, end[last - 1]) - (end - count)[i]
        values[y[i] * len(B) + z[k]] += u * (a[i] - minus_b[k])
        first = last
