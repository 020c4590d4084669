r"""Certificates of sparsity: which neurons are never active together, and how many can be.

Neurons are the rows of W (s, n), with biases b (s,). If multipliers c_j >= 0, not all zero, satisfy
||sum_j c_j w_j||_1 <= sum_j c_j b_j, then sum_j c_j (<w_j, x> - b_j) <= 0 in the whole solid cube [-1, 1]^n: nowhere
are all neurons with c_j > 0 active, and by duality such multipliers exist wherever that is so. The corners alone ask
for less: there a single key may tell two neurons apart (``activity.keys``), and an integer programme decides the rest.

The paper promises sparsity (`definition-1`) and does not say how to verify it; these certificates are ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .. import checks
from .._arrays import Array
from .activity import keys, neurons

__all__ = ["excluded"]  # the rest is called by ``sparsity``, with arrays that were checked

Graph = NDArray[np.bool_]

# By how much a normalised neuron may violate the constraints of the integer programme and still count as active: ten
# times the feasibility tolerance of HiGHS, 1e-6, so that its tolerance never hides an active neuron.
CONSTRAINT_SLACK = 1e-5
# What the dual bound of HiGHS may lie above an integer that it has reached; its tolerance for the gap is 1e-6, too.
BOUND_TOLERANCE = 1e-6


def excluded(W: Array, b: Array, multipliers: Iterable[float | Fraction]) -> bool:
    """||sum_j c_j w_j||_1 <= sum_j c_j b_j in rational arithmetic: proof that not all with c_j > 0 are active at once.

    >>> excluded(np.array([[1.0, 0.1], [-1.0, 0.1]]), np.array([0.1, 0.1]), [1, 1])
    True
    """
    W, b = neurons(W, b)
    multipliers = checks.listed("multipliers", multipliers)
    c = [x if isinstance(x, Fraction) else Fraction(checks.real("multipliers", x)) for x in multipliers]
    if len(c) != len(b):
        raise ValueError(f"Argument 'multipliers' must have one for each neuron, {len(b)}, not {len(c)}.")
    if not any(c) or min(c) < 0:
        return False
    columns = [*W.T[W.any(axis=0)].tolist(), b.tolist()]
    *sums, bias = (sum((x * Fraction(y) for x, y in zip(c, column, strict=True)), Fraction(0)) for column in columns)
    return sum(abs(x) for x in sums) <= bias


def normalised(W: Array, b: Array) -> tuple[Array, Array]:
    """2^-e_j (w_j, b_j) with largest entry in [1/2, 1): the same activity, and no product over- or underflows later.

    Nothing is rounded: entries so far below the largest of their row that they would be are refused.

    >>> normalised(np.array([[6.0, 1.0]]), np.array([-2.0]))
    (array([[0.75 , 0.125]]), array([-0.25]))
    """
    rows = np.column_stack([W, b])
    exponent = np.frexp(np.abs(rows).max(axis=1))[1][:, None]
    scaled = np.ldexp(rows, -exponent)
    exact = np.ldexp(scaled, exponent) == rows
    checks.entries("[W, b]", rows, exact, "must be 0 or at least 2^-1000 times the largest entry of its row")
    return scaled[:, :-1].copy(), scaled[:, -1].copy()


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


def compatible(W: Array, b: Array) -> Graph:
    """[no proof was found that j and l are never active together]: the pairs that may meet, as a symmetric matrix.

    For normalised neurons, none of them dead. False is proved, on the cube by a common key of opposite signs, or on the
    solid cube by multipliers c, d >= 0 with ||c w_j + d w_l||_1 <= c b_j + d b_l.

    >>> compatible(np.array([[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [-1.0, -1.0, -1.0]]), np.zeros(3))
    array([[False,  True, False],
           [ True, False,  True],
           [False,  True, False]])
    """
    s, n = W.shape
    signs = np.where(keys(W, b), np.sign(W), 0)
    no_common_key_differs = signs @ signs.T == np.abs(signs) @ np.abs(signs).T
    graph: Graph = no_common_key_differs & ~np.eye(s, dtype=np.bool_)
    for j in range(s if n else 0):
        later = j + 1 + np.flatnonzero(graph[j, j + 1 :])
        graph[j, later] = graph[later, j] = ~_excluded_pairs(W[j], b[j], W[later], b[later])
    return graph


def _excluded_pairs(w: Array, bias: float, V: Array, biases: Array) -> NDArray[np.bool_]:
    """[||c w + d v||_1 <= c bias + d bias_v for some c, d >= 0], for each row v of V.

    The function t -> ||t w + v||_1 - t bias - bias_v is convex and piecewise linear. It is least at the bend, a zero of
    some t w_i + v_i, where its slope, which grows there by 2 |w_i|, ceases to be negative: c = |v_i|, d = |w_i|.
    """
    n, norm = len(w), np.abs(w).sum()
    bends = w * V < 0
    place = np.divide(np.abs(V), np.abs(w), out=np.full(V.shape, np.inf), where=bends)
    order = np.argsort(place, axis=1)
    growth = 2 * np.where(bends, np.abs(w), 0)
    grown = np.take_along_axis(growth, order, axis=1).cumsum(axis=1)
    slope = norm - bias - growth.sum(axis=1)[:, None] + grown
    row = np.arange(len(V))
    best = order[row, (slope >= 0).argmax(axis=1)]
    c = np.abs(V[row, best])
    d = np.abs(w[best])
    value = np.abs(c[:, None] * w + d[:, None] * V).sum(axis=1) - c * bias - d * biases
    error = (n + 4) * 2.0**-52 * (c * (norm + np.abs(bias)) + d * (np.abs(V).sum(axis=1) + np.abs(biases)))
    possible = bends[row, best]
    proved = possible & (value <= -error)
    for i in np.flatnonzero(possible & (np.abs(value) <= error)).tolist():  # where round-off may decide
        proved[i] = excluded(np.stack([w, V[i]]), np.array([bias, biases[i]]), (c[i], d[i]))
    return np.asarray(proved)


def exclusive_groups(graph: Graph) -> list[list[int]]:
    """A partition into groups of pairwise incompatible neurons: at most one of each is active, max_x |R_x| <= #groups.

    >>> exclusive_groups(np.array([[False, True, False], [True, False, True], [False, True, False]]))
    [[1], [0, 2]]
    """
    groups: list[list[int]] = []
    meets = np.zeros_like(graph)  # whether a neuron of group g may be active together with neuron j
    for j in np.argsort(-graph.sum(axis=1), kind="stable").tolist():
        g = int(np.argmin(meets[:, j]))  # the first that has none; the groups not begun have none
        if g == len(groups):
            groups.append([])
        groups[g].append(j)
        meets[g] |= graph[j]
    return groups


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
    from scipy.optimize import Bounds, LinearConstraint, milp  # slow to load, and wanted here only

    s, n = W.shape
    norm = np.abs(W).sum(axis=1)
    half = granularity(np.column_stack([W, b])) / 2
    g = np.where(half > CONSTRAINT_SLACK, half, -CONSTRAINT_SLACK)
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
    upper = s
    if best.mip_dual_bound is not None and np.isfinite(best.mip_dual_bound):
        upper = min(s, int(np.floor(BOUND_TOLERANCE - best.mip_dual_bound)))
    corner = np.empty((0, n)) if best.x is None else np.where(best.x[None, :n] > 0.5, 1.0, -1.0)
    return upper, corner
