r"""The inequalities of the longer proofs about Rademacher complexity, both sides of each, on a random instance.

``increments`` is for `ours-theorem-e`, ``stages`` and ``on_a_line`` for `ours-theorem-d`, ``two_layers`` for
`ours-two-layers` and ``caps`` for `ours-whole-ball`. Each draws an instance and returns the left and the right sides,
in the order of the proof's steps.

Paper: section 5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, nnls

from sparse_core import checks
from sparse_core._arrays import Array
from sparse_core.cube.hypercube import points

from .perceptron_cover import peel, perceptron

__all__ = ["Sides", "caps", "increments", "on_a_line", "slice_numbers", "stages", "two_layers"]


class Sides(NamedTuple):
    """left[i] <= right[i] is what the proof says."""

    left: Array
    right: Array


def increments(rng: np.random.Generator) -> Sides:
    """Steps 3 and 5: E Delta_l <= b^2 |A_l| / 2 eta, a flip changes Delta_l by 2 c_l at most, and the sum over l.

    One neuron on nine points of dimension three with its layers A_l; all signs on A_l, random ones elsewhere.

    >>> left, right = increments(np.random.default_rng(0))
    >>> bool((left <= right + 1e-9).all())
    True
    """
    m, n, L = 9, 3, 6
    X = checks.generator("rng", rng).standard_normal((m, n))
    w = rng.standard_normal(n)
    b = np.linalg.norm(X, axis=1).max()
    length = float(np.linalg.norm(w))
    eta = rng.uniform(0.5, 4) * b / length
    zeta = rng.choice([-1.0, 1.0], m)
    layers = peel(X, w, b * length, L).layers
    c = 2 * b * length * 2.0 ** (-np.arange(L) / 2)
    left: list[float] = []
    right: list[float] = []
    total = 0.0
    for level in np.flatnonzero(layers.any(axis=1)):
        own = layers[level]
        before = layers[:level].any(axis=0)
        limits = c[: level + 1] @ layers[: level + 1]
        there = own | before
        signs = points(int(own.sum())).astype(float)
        start = zeta[before] @ X[before]
        values = [_potential(start + z @ X[own], X[there], limits[there], length, eta) for z in signs]
        delta = np.array(values) - _potential(start, X[there], limits[there], length, eta)
        order = np.arange(len(signs))
        left.append(float(delta.mean()))
        right.append(float(b**2 * own.sum() / (2 * eta)))
        for i in range(int(own.sum())):
            left.append(np.abs(delta - delta[order ^ (1 << i)]).max())
            right.append(2 * c[level])
        total += delta[(signs == zeta[own]).all(axis=1)][0]
    inside = layers.any(axis=0)
    left.append(float(zeta[inside] @ X[inside] @ w))
    right.append(total + eta / 2 * length**2)
    return Sides(np.array(left), np.array(right))


def _potential(y: Array, X: Array, c: Array, reach: float, eta: float) -> float:
    """max <w, y> - eta/2 |w|^2 over |<w, x_i>| <= c_i and |w| <= reach: the nearest point to y / (eta + multiplier)."""

    def at(multiplier: float) -> Array:
        return _nearest(y / (eta + multiplier), X, c)

    def excess(multiplier: float) -> float:
        return float(np.linalg.norm(at(multiplier))) - reach

    w = at(brentq(excess, 0, np.linalg.norm(y) / reach) if excess(0) > 0 else 0.0)
    return float(w @ y - eta / 2 * w @ w)


def _nearest(p: Array, X: Array, c: Array) -> Array:
    """The point nearest to p with |<w, x_i>| <= c_i, by nonnegative least squares (least distance programming)."""
    G = np.vstack([X, -X])
    E = np.vstack([-G.T, G @ p - np.tile(c, 2)])
    goal = np.append(np.zeros(len(p)), 1.0)
    residual = E @ nnls(E, goal)[0] - goal
    nearest: Array = p - residual[:-1] / residual[-1]
    return nearest


def stages(rng: np.random.Generator) -> Sides:
    """Steps 1 to 3: sums of f^2 over added and removed points, energy, price, their numbers, and the rest.

    One neuron on 200 points, five stages of the random run, p = 1/10.

    >>> left, right = stages(np.random.default_rng(0))
    >>> bool((left <= right).all())
    True
    """
    m, n, L, p = 200, 6, 5, 0.1
    X = checks.generator("rng", rng).standard_normal((m, n))
    w = rng.standard_normal(n)
    f = X @ w
    b2 = (X**2).sum(axis=1).max()
    M = (w @ w * b2) ** 0.5
    gap = w.copy()
    before = np.zeros(m, dtype=bool)
    left: list[float] = []
    right: list[float] = []
    energy = price = spent = added = removed = 0.0
    for stage in range(1, L + 1):
        scales = M / 2.0 ** np.arange(1, stage + 1)
        allowed = p / L * m * 8.0 ** (np.arange(1, stage + 1) - stage)
        while (over := (far := np.abs(X @ gap) > scales[:, None]).sum(axis=1) > allowed).any():
            r = int(over.argmax())
            i = rng.choice(np.flatnonzero(far[r]))
            gap -= np.sign(X[i] @ gap) * scales[r] / b2 * X[i]
            energy += scales[r] ** 2
            price += np.log(8 * L / p) + (stage - 1 - r) * np.log(16)
        price += np.log(2)
        spent += M**2 / 4.0**stage * price
        v = X @ (w - gap)
        now = (v > scales[-1]) | (np.abs(v) <= scales[-1]) & before
        for A in (now & ~before, before & ~now):
            left.append((f[A] ** 2).sum())
            right.append(16 * scales[-1] ** 2 * A.sum() + 144 * scales[-1] ** 2 * p * m / L)
        added += (now & ~before).sum()
        removed += (before & ~now).sum()
        before = now
    active = (f > 0).sum()
    rest = np.abs(np.maximum(f, 0) - f * before).sum()
    left += [energy, spent, added, removed, rest]
    right += [M**2, M**2 * (4 / 9 * np.log(2) + 4 / 3 * np.log(8 * L / p)), active + p * m, p * m]
    right.append(M / 2**L * (2 * active + 7.4 * p * m))
    return Sides(np.array(left), np.array(right))


def on_a_line(rng: np.random.Generator) -> Sides:
    """Step 4: E Delta_n <= b^2 |A^+| / 2 eta and E exp(D_n^2/5) <= 5, where K_n is an interval: all signs on A_n.

    Twelve points on a line, five in A_n^+, four in A_n^-, three in the other sets.

    >>> left, right = on_a_line(np.random.default_rng(0))
    >>> bool((left <= right).all())
    True
    """
    plus, minus = 5, 4
    t = checks.generator("rng", rng).uniform(0.2, 1, plus + minus + 3)
    removed = slice(plus, plus + minus)
    sigma = rng.uniform(0.2, 2, 2)
    reach = min(sigma[0] / np.linalg.norm(t[:plus]), sigma[1] / np.linalg.norm(t[removed]))
    eta = rng.uniform(1, 5)
    start = rng.choice([-1, 1], 3) @ t[plus + minus :]
    z = points(plus + minus).astype(float)

    def potential(y: Array) -> Array:
        w = np.clip(y / eta, -reach, reach)
        maximum: Array = w * y - eta / 2 * w**2
        return maximum

    maximiser = np.clip(start / eta, -reach, reach)
    delta = potential(start + z[:, :plus] @ t[:plus]) - potential(start) - maximiser * (z[:, removed] @ t[removed])
    mean = plus * t[: plus + minus].max() ** 2 / (2 * eta)
    D = np.maximum(delta - mean, 0) / np.linalg.norm(sigma)
    return Sides(np.array([delta.mean(), np.exp(D**2 / 5).mean()]), np.array([mean, 5.0]))


def two_layers(rng: np.random.Generator) -> Sides:
    """Steps 1 to 3: the lowered first layer, the increments of the second, what is missing, and both energies.

    A network without biases, of 4 inputs and layers of 6 and 4 neurons, on 40 points; three scales.

    >>> left, right = two_layers(np.random.default_rng(0))
    >>> bool((left <= right + 1e-9).all())
    True
    """
    X = checks.generator("rng", rng).standard_normal((40, 4))
    V = _unit(rng.standard_normal((6, 4)))
    U = _unit(rng.standard_normal((4, 6)))
    y = np.maximum(X @ V.T, 0)
    g = y @ U.T
    k1 = (y > 0).sum(axis=1).max()
    M2 = k1**0.5 * np.linalg.norm(X, axis=1).max()
    gaps = V.copy()
    rests = U.copy()
    first = np.zeros(len(V))
    second = np.zeros(len(U))
    before = np.zeros_like(g)
    left: list[float] = []
    right: list[float] = []
    for scale in M2 / 2.0 ** np.arange(1, 4):
        fine = scale / (4 * k1**0.5)
        for i, gap in enumerate(gaps):
            run = perceptron(X, gap, fine)
            gaps[i] = run.gap
            first[i] += len(run.word) * scale**2
        low = np.maximum(X @ (V - gaps).T - fine, 0)
        for j, rest in enumerate(rests):  # in place; the norm of the points is at most M2, not their own largest
            while np.abs(low @ rest).max() > scale / 2:
                i = int(np.abs(low @ rest).argmax())
                rest -= scale / 2 / M2**2 * np.sign(low[i] @ rest) * low[i]
                second[j] += scale**2
        now = np.maximum(low @ (U - rests).T - scale, 0)
        left += [np.linalg.norm(low - y, axis=1).max(), (low - y).max(), np.abs(now - before).max()]
        left += [(np.abs(now) * (g <= 0)).max(), (np.maximum(g, 0) - now).max()]
        right += [scale / 2, 0, 4 * scale, 0, 2 * scale]
        before = now
    left += [first.max(), second.max()]
    right += [16 * M2**2, 4 * M2**2]
    return Sides(np.array(left), np.array(right))


def caps(rng: np.random.Generator, e: float, n: int, tau: float, same: bool = False) -> Sides:
    """Steps 3 and 4: how many neurons meet a reference, references a point, points a neuron at the end; references.

    Disjoint caps of the level e in dimension n, on 600 points; inner slices of height tau e, or for tau = 0 the bottom
    ones. With ``same`` 500 copies of one cap, which are not disjoint, and for which the inequalities need not hold.

    >>> left, right = caps(np.random.default_rng(0), 0.3, 4, 0.0)
    >>> bool((left <= right).all())
    True
    """
    m, mu = 600, 3
    t, eta, nu_N, nu_D, D, N, width = slice_numbers(e, tau)
    v, c = _packed(checks.generator("rng", rng), e, n)
    if same:
        v = np.repeat(v[:1], 500, axis=0)
        c = np.repeat(c[:1], 500)
    X = _unit(rng.standard_normal((m, n)))
    U = np.vstack([v, _unit(rng.standard_normal((200, n)))])
    level = np.floor((c - (1 - e) ** 0.5) / width)
    inside = U @ X.T
    used = np.zeros(m)
    chosen: list[tuple[Array, NDArray[np.bool_], float]] = []
    for p in sorted(set(level), reverse=True):  # classes in the order of their radii
        top = (1 - e) ** 0.5 + p * width + t
        free = inside > top
        for g, A, other in chosen:
            free &= ~np.outer(U @ g >= other * (top + width) - nu_N, A)
        while free.sum(axis=1).max() >= mu:
            best = free.sum(axis=1).argmax()
            chosen.append((U[best], free[best].copy(), top))
            free &= ~np.outer(U @ U[best] >= top * (top + width) - nu_N, free[best])
            used += chosen[-1][1]
    slices = np.minimum(v @ X.T - (c + t)[:, None], eta)
    left: list[float] = []
    for g, A, top in chosen:  # a neuron meets those of no smaller radius class
        mine = (level + 0.5) * width + (1 - e) ** 0.5 + t < top + width
        limit = eta / (nu_D - nu_N) * (top * (c + t) - nu_N - v @ g)
        lower = np.where(np.outer(mine, A), np.minimum(slices, limit[:, None]), slices)
        left.append((np.maximum(slices, 0) > np.maximum(lower, 0)).any(axis=1).sum())
        slices = lower
    right = [*[D] * len(chosen), N, mu - 1, N * m / mu]
    left += [used.max(), (slices > 0).sum(axis=1).max(), len(chosen)]
    return Sides(np.array(left, dtype=float), np.array(right, dtype=float))


def slice_numbers(e: float, tau: float) -> tuple[float, float, float, float, float, float, float]:
    """t, eta, nu_N, nu_D, D, N, w of an inner slice of the level e, or for tau = 0 of the bottom one (step 1's table).

    >>> slice_numbers(0.5, 0.0)[:2]
    (0.0, 0.0625)
    """
    if tau:
        return tau * e, tau * e, tau * e / 3, 2 * tau * e / 3, 3.02 / tau, 3.68 / tau, tau * e / 1000
    return 0.0, e**2 / 4, e**2 / 24, e**2 / 12, 12.4 / e, 25.4 / e, e**2 / 1000


def _packed(rng: np.random.Generator, e: float, n: int) -> tuple[Array, Array]:
    """Directions and thresholds of neurons of the level e, 1-sparse on the whole ball: greedily from 1500 caps."""
    v = _unit(rng.standard_normal((1500, n)))
    alpha = np.arcsin(np.sqrt(rng.uniform(e / 2, e, 1500)))
    kept = [0]
    for j in range(1, 1500):
        if np.all(v[kept] @ v[j] <= np.cos(alpha[kept] + alpha[j])):
            kept.append(j)
    return v[kept], np.cos(alpha[kept])


def _unit(rows: Array) -> Array:
    unit: Array = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit
