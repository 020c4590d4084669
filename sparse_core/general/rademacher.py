r"""The empirical Rademacher complexity of networks with one hidden layer, exactly, on few points.

R(S) = E max_h (1/m) sum_i zeta_i h(x_i) over independent uniform signs zeta_i (`rademacher-definition`). Output weights
are moved into their neurons: h = sum_j e_j relu(<v_j, x> - c_j) with e_j = 1 or -1, ||v_j|| <= W and |c_j| <= B is
exactly the class of `definition-2`. The maximum over h splits in two.

1. *One neuron that is active on I.* On the cone of (v, c) with <v, x_i> >= c for i in I and <= c for the others, the
   neuron is linear on the sample, and its best value is the norm of a projection onto the cone: nonnegative least
   squares (NNLS). The cone is closed where activity is strict. That changes no maximum: a neuron on its boundary has a
   smaller active set, the same values, and fits wherever the larger set does.
2. *Which neurons together.* The k-sparse networks are the choices of at most s sets that cover no point more than k
   times: set packing, by dynamic programming.

NNLS maximises over an ellipsoid ||v||^2/W^2 + c^2/B^2 <= 1. The box ||v|| <= W, |c| <= B is an intersection of those
of (W/sqrt(mu), B/sqrt(1-mu)), 0 < mu < 1, and its value is the least of theirs, a convex problem in mu.

Sets of points are bit masks, bit i for the row x_i. The exact routes go through all 2^m sets of m <= 14 points; the
costs in the docstrings were measured in one thread.

Paper: section 5.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq, nnls
from scipy.special import expit

from .. import checks
from .._arrays import Array
from .._interval import Interval, exactly

__all__ = [
    "active_sets", "ascents", "dense", "empirical", "expected", "maximum_packing", "neuron_values", "profile",
]  # fmt: skip


# Points of a sample in the exact routes, which go through all 2^14 sets of them.
MAX_POINTS = 14

# Numbers in the array of the dynamic programme of ``maximum_packing``: 128 MB.
MAX_STATES = 1 << 24

# The residual of NNLS, for points of norm 1, below which no hyperplane is taken to separate two sets of points. On 200
# random samples it was at most 6e-14 where none does, and at least 5e-7 where one does.
SEPARATED_RESIDUAL = 1e-9

# How far the conditions that make a point the nearest may be violated, relative to the lengths of the vectors; in the
# tests rounding takes less than 1e-15.
ROUND_OFF = 1e-14

# The largest |ln(mu / (1 - mu))| in the search for mu: e^-23 = 1e-10, the relative distance of the value there from its
# minimum.
LOGIT_MU = 23.0

# How well the best mu is found, in its logit: the value is flat there, and changes by the square of that.
LOGIT_TOLERANCE = 1e-7

# Steps of one ascent, and the relative gain below which it ends.
ASCENT_STEPS = 60
ASCENT_GAIN = 1e-9

TERMS = ("both", "weights", "biases")


# --- One neuron ---


def active_sets(X: ArrayLike, bias: bool = True) -> NDArray[np.int64]:
    """All I = {i : <v, x_i> - c > 0}, as bit masks in increasing order; c = 0 without bias (`activation-sets`).

    Any bound B > 0 on |c| gives the same sets as none, since (v, c) may be scaled; B = 0 gives
    fewer. I is *not* such a set iff some weights l_i >= 0, of sum 1 on I, have the same sum of l_i (x_i, -1) on I and
    off I (Motzkin); NNLS finds them or leaves a residual.

    Cost: one NNLS for each of the 2^m sets; m = 10 takes 0.2 s, and each further point doubles it.

    >>> active_sets([[0.0], [1.0], [2.0]])           # all but the middle alone and the two ends
    array([0, 1, 3, 4, 6, 7])
    >>> active_sets([[0.0], [1.0], [2.0]], bias=False)
    array([0, 6])
    """
    X = _points(X)
    points = np.column_stack([X, np.full(len(X), -1.0 if checks.flag("bias", bias) else 0.0)])
    points /= np.maximum(np.linalg.norm(points, axis=1, keepdims=True), np.finfo(float).tiny)
    target = np.append(np.zeros(points.shape[1]), 1.0)
    masks = [0]
    for mask in range(1, 1 << len(X)):
        inside = _inside(mask, len(X))
        rows = np.column_stack([np.where(inside[:, None], points, -points), inside])
        if np.linalg.norm(_nearest(rows, target)) > SEPARATED_RESIDUAL:
            masks.append(mask)
    return np.array(masks)


def _nearest(rows: Array, target: Array) -> Array:
    """target - p for the point p = sum_i x_i rows_i, x >= 0, of the cone of the rows that is nearest to the target.

    SciPy's NNLS can return a wrong x without a warning: version 1.15 in general position, 1.17 where rows are
    orthogonal to the target, and 1.14 may raise an error. So what makes p the nearest point is verified: all x_i >= 0,
    and <target - p, rows_i> <= 0, with equality where x_i > 0. Where that fails, p is found by least squares on every
    subset of the rows, since some subset has the x.
    """
    with suppress(RuntimeError, np.linalg.LinAlgError):
        x = nnls(rows.T, target)[0]
        rest: Array = target - x @ rows
        slopes = rows @ rest
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        error = ROUND_OFF * (sqrt(target @ target) + x @ lengths)
        if x.min() >= 0 and (slopes - error * lengths).max() <= 0 and abs(x @ slopes) <= error**2 / ROUND_OFF:
            return rest
    subsets = (rows[_inside(mask, len(rows))] for mask in range(1 << len(rows)))
    fitted = ((face, np.linalg.lstsq(face.T, target)[0]) for face in subsets)
    return min((target - x @ face for face, x in fitted if (x >= 0).all()), key=np.linalg.norm)


class _Neuron:
    """max of sum_I zeta_i (<v, x_i> - c) over the neurons that are active on I; no value is computed twice."""

    def __init__(self, X: Array, W: float, B: float, terms: str = "both") -> None:
        W = checks.real("W", W, 0)
        B = checks.real("B", B, 0)
        self.scale = 2.0 ** np.frexp(max(W, B))[1]  # without which the squares of small W and B would be 0
        # Their products with (v/W, c/B) are <v, x> - c, in units of the scale.
        self.points = np.column_stack([W / self.scale * X, np.full(len(X), -B / self.scale)])
        self.best = _box if W > 0 and B > 0 else _ball
        weight = np.arange(X.shape[1] + 1) < X.shape[1]
        self.counted = {"both": 1, "weights": weight, "biases": ~weight}[checks.one_of("terms", terms, TERMS)]
        self.sets = active_sets(X, bias=B > 0).tolist()
        self.value = cache(self._value)

    def _value(self, mask: int, positive: int) -> float:
        """The best value on the set ``mask`` for an output weight of 1, if the signs of ``positive`` in it are 1."""
        inside = _inside(mask, len(self.points))
        rows = np.where(inside[:, None], self.points, -self.points)
        target = np.where(_inside(positive, len(self.points)), 1.0, -1.0) * inside @ self.points * self.counted
        return float(self.scale * self.best(rows, target))

    def values(self, signs: Array) -> Array:
        """The better of the two output weights, for every set; 0 for a set that is the active set of no neuron."""
        plus = sum(1 << i for i in np.flatnonzero(signs > 0).tolist())
        result = np.zeros(1 << len(signs))
        for mask in self.sets:
            result[mask] = max(self.value(mask, mask & plus), self.value(mask, mask & ~plus))
        return result


def _ball(rows: Array, target: Array) -> float:
    """max <target, r> over rows r >= 0, ||r|| <= 1: the distance of -target from the cone of the rows."""
    return float(np.linalg.norm(_nearest(rows, -target)))


def _box(rows: Array, target: Array) -> float:
    """max <target, r> over rows r >= 0, ||r[:-1]|| <= 1, |r[-1]| <= 1: the least over mu of ``_ball``, stretched."""

    def parts(logit: float) -> tuple[float, float]:
        stretch = np.full(len(target), expit(logit) ** -0.5)
        stretch[-1] = expit(-logit) ** -0.5
        rest = _nearest(rows * stretch, -target * stretch) / stretch
        return float(np.linalg.norm(rest[:-1])), abs(float(rest[-1]))

    def slope(logit: float) -> float:
        p, q = parts(logit)
        return float(q * expit(logit) - p * expit(-logit))  # has the sign of the derivative in mu

    if slope(LOGIT_MU) <= 0:
        return sum(parts(LOGIT_MU))
    if slope(-LOGIT_MU) >= 0:
        return sum(parts(-LOGIT_MU))
    return sum(parts(brentq(slope, -LOGIT_MU, LOGIT_MU, xtol=LOGIT_TOLERANCE)))


def neuron_values(X: ArrayLike, signs: ArrayLike, W: float = 1.0, B: float = 0.0, terms: str = "both") -> Array:
    """max |sum_I zeta_i (<v, x_i> - c)| over the neurons active on I, for each of the 2^m sets I; not divided by m.

    Cost: two NNLS for each of the sets, more where both W and B are positive, beside ``active_sets``. With B = 0 and
    m = 10 this takes 0.3 s; each further point doubles it.

    Parameters
    ----------
    X, signs : (m, n) points as rows, m <= 14, and (m,) entries -1 and 1.
    W, B : the scale of Definition 2.
    terms : "weights" counts only <v, x_i>, and "biases" only c, as in (4) of the paper; both decide who is active.

    Returns
    -------
    (2^m,) values, 0 for the sets on which no neuron is active.

    >>> neuron_values([[1.0], [0.9]], [1, -1]).round(3)       # without bias, both points are active or none
    array([0. , 0. , 0. , 0.1])
    >>> neuron_values([[1.0], [0.9]], [1, -1], B=1.0).round(3)
    array([0. , 0.1, 0.1, 0.1])
    """
    X, signs = _sample(X, signs)
    return _Neuron(X, W, B, terms).values(signs)


# --- Networks ---


def empirical(X: ArrayLike, signs: ArrayLike, s: int, k: int, W: float = 1.0, B: float = 0.0) -> float:
    """max (1/m) sum_i zeta_i h(x_i) over the networks with s neurons, at most k of them active at each x_i.

    Exact. Sparsity is required on the sample only, as Definition 1 does for a distribution with this support.

    Cost: that of ``neuron_values`` and ``maximum_packing``; m = 10, s = 4, k = 2 and B = 0 take 0.4 s.

    >>> X = [[1, 1, 1, 1, 1, 1], [-1, -1, 1, 1, 1, 1], [-1, 1, -1, -1, 1, 1]]
    >>> round(empirical(X, [1, 1, 1], s=2, k=1, W=6**-0.5), 4)           # (4 + sqrt 6) / (3 sqrt 6)
    0.8777
    """
    X, signs = _sample(X, signs)
    return float(_best(_Neuron(X, W, B).values(signs), s, k)[-1] / len(X))


def dense(X: ArrayLike, signs: ArrayLike, s: int, W: float = 1.0, B: float = 0.0) -> float:
    """max (1/m) sum_i zeta_i h(x_i) over all networks with s neurons: s times the best one (`ours-dense-decouples`).

    >>> dense([[1.0], [-1.0]], [1, -1], s=3)
    1.5
    """
    return empirical(X, signs, s, s, W, B)


def expected(X: ArrayLike, s: int, k: int, W: float = 1.0, B: float = 0.0) -> Interval:
    """R(S) = E max_h (1/m) sum_i zeta_i h(x_i), over all signs.

    >>> expected([[1.0], [-1.0]], s=2, k=1)
    Interval(value=1.0, low=1.0, high=1.0)
    """
    return exactly(profile(X, s, k, W, B)[-1])


def profile(X: ArrayLike, s: int, k: int, W: float = 1.0, B: float = 0.0) -> Array:
    """R(S) with 1, 2, ..., s neurons, at most k of them active at each point: one dynamic programme for all of them.

    zeta and -zeta have the same maximum, since the class contains -h with h, so 2^(m-1) signs are all.

    Cost: 3^m NNLS at most, since a set and the signs on it decide, and 2^(m-1) packings; m = 6 and B = 0 take 0.2 s.

    >>> profile([[1.0], [-1.0]], s=3, k=1)
    array([0.5, 1. , 1. ])
    """
    X = _points(X)
    m = len(X)
    neuron = _Neuron(X, W, B)
    signs = np.where(np.arange(1 << (m - 1))[:, None] >> np.arange(m) & 1, -1.0, 1.0)
    return np.asarray(np.mean([_best(neuron.values(zeta), s, k) / m for zeta in signs], axis=0))


def _best(values: Array, s: int, k: int) -> Array:
    """The best network of 1, 2, ..., s neurons, from the values of one; if k = s, it has copies of the best neuron."""
    s = checks.size("s", s)
    k = checks.integer("k", k, 1, s)
    return np.arange(1, s + 1) * values.max() if k == s else maximum_packing(values, s, k)[1:]


def maximum_packing(values: ArrayLike, s: int, k: int) -> Array:
    """max of values[I_1] + ... + values[I_t] over t sets that cover no point more than k times, for t = 0, ..., s.

    ``values`` has the value of each set of the points 0, ..., m-1, a bit mask; a set may be taken more than once.
    f(t, capacities) = max over I of f(t - 1, capacities less one on I) + values[I]: an exact dynamic programme over an
    array of (s+1) (k+1)^m numbers, with k passes for each set, which may be taken k times. A set whose value is at
    most that of one of its subsets is left out, since the subset fits wherever it does.

    Cost: k 2^m passes over that array, of at most 2^24 numbers; m = 10, s = 4 and k = 2 take 0.1 s and 5 MB.

    >>> maximum_packing([0, 3, 3, 5], s=2, k=1)                 # both points at once, or one by one
    array([0., 5., 6.])
    >>> maximum_packing([0, 3, 3, 5], s=4, k=2)
    array([ 0.,  5., 10., 11., 12.])
    """
    array, m = checks.length_2n("values", values)
    s = checks.size("s", s, 0)
    k = checks.size("k", k)
    used = min(s, k * m)  # every set of value takes a point, so more sets than that do not fit
    if (used + 1) * (k + 1) ** m > MAX_STATES:
        raise ValueError(f"{m} points with k = {k} and s = {s} need an array of more than {MAX_STATES} numbers.")
    best = np.zeros((used + 1, *(k + 1,) * m))  # the axes: t, then the capacity of each point
    masks = np.arange(1 << m)
    subset = np.append(0, np.maximum(array[1:], 0))
    for i in range(m):
        subset = np.maximum(subset, subset[masks & ~(1 << i)])  # the best subset of each set
    proper = np.zeros(1 << m)
    for i in range(m):
        proper = np.maximum(proper, np.where(masks >> i & 1, subset[masks & ~(1 << i)], 0))  # other than itself
    for mask in np.flatnonzero((array > proper) & (masks > 0)):
        inside = (mask >> np.arange(m) & 1).tolist()
        after = (slice(1, None), *(slice(1, None) if i else slice(None) for i in inside))
        before = (slice(-1), *(slice(-1) if i else slice(None) for i in inside))
        for _ in range(k):
            best[after] = np.maximum(best[after], best[before] + array[mask])
    return np.append(best.reshape(used + 1, -1)[:, -1], np.full(s - used, best.flat[-1]))


# --- Lower bounds for any number of points ---


def ascents(X: ArrayLike, signs: ArrayLike, W: float = 1.0, B: float = 0.0) -> Array:
    """A lower bound on ``dense(X, zeta, 1, W, B)`` for each row zeta of signs: the best neuron of an ascent.

    Each step goes half-way to the best (v, c) for the set that is active now. Every neuron on the way is in the class,
    so the value is attained; it need not be the maximum.

    >>> ascents([[1.0], [-1.0]], [[1, -1], [-1, 1]])
    array([0.5, 0.5])
    """
    X = _points(X, None)
    zeta = checks.signs("signs", checks.real_array("signs", signs, 2, shape=(None, len(X)))).astype(np.float64)
    W = checks.real("W", W, 0)
    B = checks.real("B", B, 0)
    targets = np.concatenate([zeta, -zeta])
    best = np.zeros(len(targets))
    climbing = np.arange(len(targets))  # together, since products of matrices are several times as fast as of vectors
    Z = _highest(targets, X, W, B)
    for _ in range(ASCENT_STEPS):
        weights = targets * (Z > 0)
        gain = (weights * Z).sum(axis=1)
        best[climbing] = np.maximum(best[climbing], gain)
        towards = _highest(weights, X, W, B)
        rising = (weights * towards).sum(axis=1) > gain * (1 + ASCENT_GAIN)
        if not rising.any():
            break
        climbing = climbing[rising]
        targets = targets[rising]
        Z = (Z[rising] + towards[rising]) / 2
    return np.asarray(best.reshape(2, -1).max(axis=0) / len(X))


def _highest(weights: Array, X: Array, W: float, B: float) -> Array:
    """<v, x_i> - c at the points, for the maximiser of sum_i weights_i (<v, x_i> - c) over ||v|| <= W, |c| <= B."""
    G = weights @ X
    length = np.maximum(np.linalg.norm(G, axis=1, keepdims=True), np.finfo(float).tiny)
    return np.asarray((W * G / length) @ X.T + B * np.sign(weights.sum(axis=1, keepdims=True)))


# --- Arguments ---


def _inside(mask: int, m: int) -> NDArray[np.bool_]:
    return (mask >> np.arange(m) & 1).astype(np.bool_)


def _points(X: ArrayLike, most: int | None = MAX_POINTS) -> Array:
    X = np.asarray(checks.real_array("X", X, 2), dtype=np.float64)
    checks.entries("X", X, np.abs(X) <= checks.LARGEST_NUMBER, "must be at most 1e60 in size")  # it is squared
    largest = np.abs(X).max(axis=1, initial=0)[:, None]
    sound = np.broadcast_to((largest == 0) | (largest >= 1 / checks.LARGEST_NUMBER), X.shape)
    checks.entries("X", X, sound, "must have an entry of at least 1e-60 in size in each row that is not 0")
    checks.integer("the number of points X", len(X), 1, most)
    return X


def _sample(X: ArrayLike, signs: ArrayLike) -> tuple[Array, Array]:
    X = _points(X, None)
    zeta = checks.real_array("signs", signs, 1, shape=(len(X),))
    return X, checks.signs("signs", zeta[None])[0].astype(np.float64)
