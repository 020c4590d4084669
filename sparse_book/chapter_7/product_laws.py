r"""What the bounds for independent coordinates compare, for one hidden layer and finite laws, by enumeration.

A law is an array of values, in order, and one of their chances.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

import numpy as np

from sparse_core._arrays import Array
from sparse_core.network import SparseNetwork

from .exchange_proof import variances

__all__ = ["first_rare_bit", "one_bit", "rare_bits", "sides"]

Law = tuple[Array, Array]
Case = tuple[SparseNetwork, Sequence[Law]]


def sides(cases: Iterable[Case]) -> dict[str, Array]:
    """I, G and their bounds, by name, with a number for each network under its laws.

    ranges, signs, covariance, uncorrelated, zero bias : (a) to (d) of `ours-product-laws`; inf where (c) asks for more.
    deviations : (a) with s_i for r_i.
    gradient, boundary : E |grad h|^2, and the bound of `ours-gradient-product`.

    >>> sides([one_bit(1, 1)])["I"].tolist()                                                                  # h = 2 x
    [4.0]
    """
    rows = [_sides(net, laws) for net, laws in cases]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def one_bit(a: int, c: int) -> Case:
    """c neurons that are active at x = 1, a at x = -1, and a bit that is 1 with probability a / (a + c).

    >>> one_bit(1, 3)[1][0][1].tolist()
    [0.75, 0.25]
    """
    ends = np.repeat([1.0, -1.0], [c, a])
    law = np.array([-1.0, 1.0]), np.array([c, a]) / (a + c)
    return SparseNetwork(ends, ends[:, None], -np.ones(a + c)), [law]


def first_rare_bit(signs: Sequence[float]) -> SparseNetwork:
    """Neuron i has the height 2 / sqrt(i), and this sign, where bit i is the first that is 1; else it is silent.

    >>> first_rare_bit([1, -1])([[1, 1], [-1, 1], [-1, -1]]).round(3).tolist()
    [2.0, -1.414, 0.0]
    """
    i = np.arange(1, len(signs) + 1)
    rows = 2 * np.eye(len(i)) - np.tri(len(i))
    return SparseNetwork(signs, rows / np.sqrt(i)[:, None], (i - 2) / np.sqrt(i))


def rare_bits(n: int, p: float) -> float:
    """The mean over all signs of I / 4, for ``first_rare_bit`` on n bits that are 1 with probability p.

    >>> rare_bits(1, 0.5)
    0.25
    """
    t = np.arange(1, n + 1)
    return float(p * np.sum(((1 - p) ** t + p * (t - 1) * (1 - p) ** (t - 1)) / t))


def _sides(net: SparseNetwork, laws: Sequence[Law]) -> dict[str, float]:
    values, chances = zip(*laws, strict=True)
    X, chance = _points(laws)
    terms = variances(net(X).reshape([len(law) for law in chances]), chances)
    mean = chance @ X
    variance = chance @ (X - mean) ** 2
    rho = (X - mean) ** 2 + variance
    half = np.array([np.ptp(law) for law in values]) / 2
    active = net.active(X).astype(np.float64)
    count = active.sum(axis=1)
    v = net.u[:, None] * net.W
    parts = [active @ np.where(sign * net.u[:, None] > 0, v, 0) for sign in (1, -1)]
    lengths = np.array([chance @ (part**2 * rho) for part in parts])
    means = np.array([chance @ (part * rho) for part in parts])
    spreads = np.maximum(lengths - means**2 / (2 * variance), 0).sum(axis=1)
    alone = chance @ ((rho @ (v**2).T) * active).sum(axis=1)
    gradient = chance @ ((active @ v) ** 2).sum(axis=1)
    return {
        "I": sum(len(T) * term for T, term in terms.items()),
        "G": sum(len(T) * term for T, term in terms.items() if len(T) > 1),
        "ranges": 4 * chance @ (count * (active @ v**2 @ half**2)),
        "deviations": 4 * chance @ (count * (active @ v**2 @ variance)),
        "signs": np.sqrt(lengths.sum(axis=1)).sum() ** 2,
        "covariance": np.sqrt(spreads).sum() ** 2,
        "uncorrelated": 2 * alone if spreads.sum() <= alone * (1 + 1e-12) else np.inf,
        "zero bias": _zero_bias(net, laws),
        "gradient": gradient,
        "boundary": (np.sqrt(gradient) + np.sqrt(_switches(net, laws) / 8)) ** 2,
    }


def _points(laws: Sequence[Law]) -> tuple[Array, Array]:
    """All points, in rows, and their chances."""
    values, chances = zip(*laws, strict=True)
    grid = np.stack(np.meshgrid(*values, indexing="ij"), axis=-1)
    return grid.reshape(-1, len(laws)), reduce(np.multiply.outer, chances).ravel()


def _others(net: SparseNetwork, laws: Sequence[Law], i: int) -> tuple[Array, Array]:
    """z at all points with 0 for coordinate i, and their chances."""
    X, chance = _points([*laws[:i], (np.zeros(1), np.ones(1)), *laws[i + 1 :]])
    return X @ net.W.T - net.b, chance


def _zero_bias(net: SparseNetwork, laws: Sequence[Law]) -> float:
    """sum_i int E (d_i h)^2 tau_i(u) du, in pieces: between two values tau_i is constant, between kinks d_i h is."""
    total = 0.0
    for i, (values, chances) in enumerate(laws):
        z, chance = _others(net, laws, i)
        row = net.W[:, i]
        kinks = -z / np.where(row, row, np.inf)
        tau = -np.cumsum(chances * (values - chances @ values))
        for low, high, height in zip(values, values[1:], tau, strict=False):
            ends = np.sort(np.clip(np.pad(kinks, [(0, 0), (1, 1)], constant_values=(low, high)), low, high), axis=1)
            middle = (ends[:, 1:] + ends[:, :-1]) / 2
            slopes = (z[:, None] + middle[..., None] * row > 0) @ (net.u * row)
            total += height * chance @ (slopes**2 * np.diff(ends)).sum(axis=1)
    return float(total)


def _switches(net: SparseNetwork, laws: Sequence[Law]) -> float:
    """sum_i E (t_i - t_i')^2 (sum |v_ji| over the neurons that are active at one of x and x')^2."""
    total = 0.0
    for i, (values, chances) in enumerate(laws):
        z, chance = _others(net, laws, i)
        active = z + np.multiply.outer(values, net.W[:, i])[:, None] > 0
        changed = (active[:, None] != active) @ np.abs(net.u * net.W[:, i])
        weight = np.subtract.outer(values, values) ** 2 * np.multiply.outer(chances, chances)
        total += np.einsum("ab,abx,x->", weight, changed**2, chance)
    return float(total)
