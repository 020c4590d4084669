r"""Certificates of sparsity: which neurons are never active together, and how many can be.

Neurons are the rows of W (s, n), with biases b (s,). If multipliers c_j >= 0, not all zero, satisfy
||sum_j c_j w_j||_1 <= sum_j c_j b_j, then sum_j c_j (<w_j, x> - b_j) <= 0 in the whole solid cube [-1, 1]^n: nowhere
are all neurons with c_j > 0 active, and by duality such multipliers exist wherever that is so. The corners alone ask
for less: there a single coordinate may tell two neurons apart, and an integer programme has the last word.

The paper promises sparsity (`definition-1`) and does not say how to verify it; these certificates are ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from .._arrays import Array

__all__ = [
    "compatible", "excluded", "exclusive_groups", "granularity", "largest_count", "largest_subset",
    "normalised", "silencers",
]  # fmt: skip

Graph = NDArray[np.bool_]

MAX_SUBSETS = 2000  # linear programmes for subsets of one size: a few seconds
MARGIN = 1e-5  # ten times the feasibility tolerance of HiGHS


def excluded(W: Array, b: Array, multipliers: Iterable[float | Fraction]) -> bool:
    """||sum_j c_j w_j||_1 <= sum_j c_j b_j in rational arithmetic: proof that not all with c_j > 0 are active at once.

    >>> excluded(np.array([[1.0, 0.1], [-1.0, 0.1]]), np.array([0.1, 0.1]), [1, 1])
    True
    """
    c = [Fraction(x) for x in multipliers]
    if min(c) < 0 or max(c) == 0:
        return False
    columns = [*W.T[W.any(axis=0)].tolist(), b.tolist()]
    *sums, bias = (sum((x * Fraction(y) for x, y in zip(c, column, strict=True)), Fraction(0)) for column in columns)
    return sum(abs(x) for x in sums) <= bias


def normalised(W: Array, b: Array) -> tuple[Array, Array]:
    """2^-e_j (w_j, b_j) with largest entry in [1/2, 1): the same activity, and no product over- or underflows later.

    Nothing is rounded, except entries below 2^-1000 times the largest of their row.

    >>> normalised(np.array([[6.0, 1.0]]), np.array([-2.0]))
    (array([[0.75 , 0.125]]), array([-0.25]))
    """
    exponent = np.frexp(np.maximum(np.abs(W).max(axis=1, initial=0), np.abs(b)))[1]
    return np.ldexp(W, -exponent[:, None]), np.ldexp(b, -exponent)


def granularity(A: Array) -> Array:
    """The largest power of two that divides all entries of a row of A, and so all their sums and differences.

    >>> granularity(np.array([[1.5, 2.0], [3.0, 0.125]]))
    array([0.5  , 0.125])
    """
    mantissa, exponent = np.frexp(A)
    digits = (mantissa * 2.0**53).astype(np.int64)
    divisor = np.ldexp((digits & -digits).astype(np.float64), exponent - 53)
    result: Array = np.where(digits == 0, np.inf, divisor).min(axis=1)
    return result


def silencers(W: Array, b: Array) -> NDArray[np.int8]:
    """sgn(w_ji) if ||w_j||_1 - 2 |w_ji| <= b_j, else 0: the coordinates whose wrong sign silences neuron j on the cube.

    >>> silencers(np.array([[1.0, -1.0, 0.25]]), np.array([1.0]))
    array([[ 1, -1,  0]], dtype=int8)
    """
    size = np.abs(W)
    best = size.sum(axis=1, keepdims=True) - 2 * size - b[:, None]  # what is left of <w_j, x> - b_j at most
    error = (W.shape[1] + 4) * 2.0**-52 * (size.sum(axis=1) + np.abs(b))[:, None]
    silent = best <= -error
    for j, i in np.argwhere((np.abs(best) <= error) & (size > 0)).tolist():
        silent[j, i] = math.fsum([*size[j].tolist(), -2 * size[j, i], -b[j]]) <= 0
    return np.where(silent, np.sign(W), 0).astype(np.int8)


def compatible(W: Array, b: Array) -> Graph:
    """[nothing was found that keeps j and l from being active together]: the pairs that may be, as a symmetric matrix.

    For normalised neurons, none of them dead. False is proved, on the cube by a common silencer of opposite signs, or
    on the solid cube by multipliers c, d >= 0 with ||c w_j + d w_l||_1 <= c b_j + d b_l. They are found where the
    convex, piecewise linear t -> ||t w_j + w_l||_1 - t b_j - b_l is least: at the bend, a zero of some t w_ji + w_li,
    where its slope, which grows there by 2 |w_ji|, ceases to be negative.

    >>> compatible(np.array([[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [-1.0, -1.0, -1.0]]), np.zeros(3))
    array([[False,  True, False],
           [ True, False,  True],
           [False,  True, False]])
    """
    s, n = W.shape
    S = silencers(W, b).astype(np.float64)
    graph: Graph = (S @ S.T == np.abs(S) @ np.abs(S).T) & ~np.eye(s, dtype=np.bool_)
    norm = np.abs(W).sum(axis=1)
    for j in range(s if n else 0):
        others = j + 1 + np.flatnonzero(graph[j, j + 1 :])
        w, V, a = W[j], W[others], b[others]
        bends = w * V < 0
        growth = 2 * np.where(bends, np.abs(w), 0)
        place = np.divide(np.abs(V), np.abs(w), out=np.full(V.shape, np.inf), where=bends)
        order = np.argsort(place, axis=1)
        slope = norm[j] - b[j] - growth.sum(axis=1)[:, None] + np.take_along_axis(growth, order, axis=1).cumsum(axis=1)
        row = np.arange(len(V))
        best = order[row, (slope >= 0).argmax(axis=1)]
        c, d = np.abs(V[row, best]), np.abs(w[best])
        value = np.abs(c[:, None] * w + d[:, None] * V).sum(axis=1) - c * b[j] - d * a
        error = (n + 4) * 2.0**-52 * (c * (norm[j] + np.abs(b[j])) + d * (norm[others] + np.abs(a)))
        out = bends[row, best] & (value <= -error)
        for i in np.flatnonzero(bends[row, best] & (np.abs(value) <= error)).tolist():
            out[i] |= excluded(np.stack([w, V[i]]), np.array([b[j], a[i]]), (c[i], d[i]))
        graph[j, others] = graph[others, j] = ~out
    return graph


def exclusive_groups(graph: Graph) -> list[list[int]]:
    """A partition into groups of pairwise incompatible neurons: at most one of each is active, max_x |R_x| <= #groups.

    >>> exclusive_groups(np.array([[False, True, False], [True, False, True], [False, True, False]]))
    [[1], [0, 2]]
    """
    groups: list[list[int]] = []
    for j in np.argsort(-graph.sum(axis=1), kind="stable").tolist():
        home = next((group for group in groups if not graph[j, group].any()), None)
        if home is None:
            groups.append(home := [])
        home.append(j)
    return groups


def largest_subset(W: Array, b: Array, graph: Graph) -> tuple[int, Array]:
    """max |S| over the sets S of neurons that no multipliers exclude: one linear programme for each set, size by size.

    For normalised neurons, none of them dead, and the graph of the compatible pairs. Returns the bound, which is
    proved, and the corners next to the optima. When a size has more than 2000 sets to try, the bound is the trivial s.

    >>> W, b = normalised(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0.5, 0.5, -0.75]))
    >>> largest_subset(W, b, compatible(W, b))[0]
    2
    """
    s, n = W.shape
    size, corners = min(s, 1), [np.ones(n)]
    level = [tuple(pair) for pair in np.argwhere(np.triu(graph)).tolist()]
    while level:
        size, known = size + 1, set(level)
        larger = ((*S, j) for S in level for j in range(S[-1] + 1, s) if graph[j, list(S)].all())
        candidates = [T for T in larger if all(T[:i] + T[i + 1 :] in known for i in range(size))]
        if len(candidates) > MAX_SUBSETS:
            return s, np.array(corners)
        level = []
        for T in candidates:
            w, a = W[list(T)], b[list(T)]
            best = linprog(  # maximise t, subject to <w_j, x> - b_j >= t
                np.r_[np.zeros(n), -1],
                A_ub=np.column_stack([-w, np.ones(size + 1)]),
                b_ub=-a,
                bounds=[(-1, 1)] * n + [(None, None)],
            )
            corners.append(np.where(best.x[:n] < 0, -1.0, 1.0))
            c = [Fraction(max(x, 0)).limit_denominator(10**6) for x in -best.ineqlin.marginals]  # 1/3 becomes exact
            if not excluded(w, a, c):
                level.append(T)
    return size, np.array(corners)


def largest_count(W: Array, b: Array, groups: list[list[int]], time_limit: float) -> tuple[int, Array]:
    """max_x #{j : <w_j, x> > b_j} over the corners of the cube, by an integer programme.

    For normalised neurons, in groups of which at most one neuron is active, and a time limit in seconds. Returns the
    bound, and the best corner as a (1, n) array, or (0, n) if none was found in time.

    With x = 2y - 1 and z_j for activity: <w_j, x> - b_j >= g_j z_j - (||w_j||_1 + b_j)(1 - z_j), y and z binary. An
    active neuron exceeds 0 by its granularity at least; half of it is g_j if that is above 1e-5, otherwise g_j = -1e-5.
    Either way the solver's tolerance, 1e-6, can make the bound larger and not smaller.

    >>> W, b = normalised(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0.5, 0.5, -0.75]))
    >>> largest_count(W, b, [[0], [1], [2]], time_limit=10)
    (2, array([[-1.,  1.]]))
    """
    s, n = W.shape
    half = granularity(np.column_stack([W, b])) / 2
    g, norm = np.where(half > MARGIN, half, -MARGIN), np.abs(W).sum(axis=1)
    member = np.zeros((len(groups), n + s))
    for row, group in zip(member, groups, strict=True):
        row[n + np.array(group)] = 1
    best = milp(
        np.r_[np.zeros(n), -np.ones(s)],
        constraints=[
            LinearConstraint(np.hstack([2 * W, -np.diag(g + norm + b)]), W.sum(axis=1) - norm, np.inf),
            LinearConstraint(member, -np.inf, 1),
        ],
        integrality=np.ones(n + s),
        bounds=Bounds(0, 1),
        options={"time_limit": time_limit},
    )
    known = best.mip_dual_bound is not None and np.isfinite(best.mip_dual_bound)
    upper = min(s, int(np.floor(1e-6 - best.mip_dual_bound))) if known else s
    return upper, np.empty((0, n)) if best.x is None else np.where(best.x[None, :n] > 0.5, 1.0, -1.0)
