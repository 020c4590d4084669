r"""What the proofs of chapter 7 compare, for one network: bounds by sign, and covariances of neurons.

Each function computes its numbers from the definitions, on the whole cube.

Paper: section 3, of which chapter 7 is a continuation.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import Any

import numpy as np

from sparse_core._arrays import Array
from sparse_core.bounds import ours
from sparse_core.cube import fourier, hypercube
from sparse_core.network import SparseNetwork, constructions, gradients

__all__ = [
    "blocks_formula",
    "blocks_of_parities",
    "by_sign",
    "classes",
    "covariances",
    "disjoint",
    "failure",
    "one_run",
    "random_network",
    "shares",
    "tails",
]


def disjoint(p: int, blocks: int, copies: int = 1) -> SparseNetwork:
    """Parities of p bits on disjoint blocks of bits, each with copies: k = blocks copies, W^2 = p.

    >>> disjoint(2, 3, 2)
    SparseNetwork(n=6, s=24, W=1.41421, B=0)
    """
    block = constructions.tight(p, copies)
    return SparseNetwork(np.tile(block.u, blocks), np.kron(np.eye(blocks), block.W), np.tile(block.b, blocks))


def random_network(rng: np.random.Generator, n: int, s: int) -> SparseNetwork:
    """A network with weights of mixed sizes and biases between -0.3 and 1 times their l1 norm.

    >>> random_network(np.random.default_rng(0), 3, 4).s
    4
    """
    W = rng.standard_normal((s, n)) * (rng.random((s, n)) < 0.8)
    b = rng.uniform(-0.3, 1, s) * np.abs(W).sum(axis=1)
    return SparseNetwork(rng.choice([-1.0, 1.0], s), W, b)


def blocks_of_parities(sizes: Sequence[int]) -> SparseNetwork:
    """The network of `ours-nonnegative-sharp` for blocks of these sizes: a neuron for each beginning of the bits whose
    last block is the first with parity 1.

    >>> net = blocks_of_parities((1, 4))
    >>> net.s, int(net.active_count().max()), round(fourier.average_sensitivity(net.values()), 4)
    (9, 1, 1.0528)
    """
    patterns: list[tuple[int, ...]] = []
    before: list[tuple[int, ...]] = [()]
    for size in sizes:
        block = [tuple(row) for row in hypercube.points(size).tolist()]
        patterns += [y + z for y in before for z in block if prod(z) == 1]
        before = [y + z for y in before for z in block if prod(z) == -1]
    lengths = np.array([len(y) for y in patterns])
    W = np.array([np.pad(y, (0, sum(sizes) - len(y))) for y in patterns])
    return SparseNetwork(np.ones(len(W)), W / np.sqrt(lengths)[:, None], (lengths - 2) / np.sqrt(lengths))


def blocks_formula(sizes: Sequence[float], power: float = 0.5) -> float:
    """The average sensitivity of ``blocks_of_parities``, in which 1/sqrt(N) may become N^-power.

    >>> round(blocks_formula((1, 4)), 4)
    1.0528
    """
    N = np.cumsum(sizes)
    blocks = len(sizes)
    total = 0.0
    for q in range(blocks):
        after = [(1 - (N[q] / N[r]) ** power) ** 2 * 2.0 ** (q - r) for r in range(q + 1, blocks)]
        total += 2.0**-q * sizes[q] / N[q] ** (2 * power) * (sum(after) + 2.0 ** (q + 1 - blocks))
    return float(total)


def by_sign(net: SparseNetwork) -> list[float]:
    """AS and the four bounds of `ours-gradient-signs`, in their order.

    >>> [round(x, 9) for x in by_sign(disjoint(2, 2))]
    [16.0, 16.0, 16.0, 16.0, 16.0]
    """
    found = gradients.signs(net)
    count = net.active_count()
    norms = gradients.active_norms(net) ** 2
    squares = (found.positive**2).sum(axis=1) + (found.negative**2).sum(axis=1)
    middle = [4 * squares.mean(), 4 * np.mean(count * norms), 4 * count.max() * norms.max()]
    return [fourier.average_sensitivity(net.values()), found.bound, *map(float, middle)]


def tails(net: SparseNetwork) -> Array:
    """For d = 1, ..., n - 1 the weight above d, G / (d + 1), G / (d + 2) and (AS - 2 Var + W^1)/(d - 1), in rows.

    >>> tails(disjoint(2, 1)).tolist()
    [[4.0, 4.0, 2.6666666666666665, inf]]
    """
    weights = fourier.weight_by_degree(net.values())
    t = np.arange(len(weights))
    G = t[2:] @ weights[2:]
    bend = (t[2:] - 2) @ weights[2:]
    rows = [(weights[d + 1 :].sum(), G / (d + 1), G / (d + 2), bend / (d - 1) if d > 1 else inf) for d in t[1:-1]]
    return np.array(rows)


def covariances(net: SparseNetwork) -> list[float]:
    """G and the three bounds of `ours-covariance`, in their order.

    >>> [round(x, 9) for x in covariances(disjoint(2, 2))]
    [16.0, 16.0, 16.0, 24.0]
    """
    p, terms, _, same = _pairs(net)
    weights = fourier.weight_by_degree(net.values())
    G = np.arange(len(weights)) @ weights - weights[1]
    norm = np.linalg.norm(net.u[:, None] * net.W, 2)
    last = 4 * norm**2 * np.sum(p * (1 - p))
    return [float(G), gradients.signs(net).covariance_bound, float(4 * terms[same].sum()), float(last)]


def shares(net: SparseNetwork) -> tuple[float, float]:
    """sum_i sum_jl v_ji v_li Cov(theta_j^i, theta_l^i), and the same with activity at the points instead of shares.

    >>> shares(SparseNetwork([1, 1], [[1], [-1]], [0, 0]))                 # |x|: G = 0, but each end has one active
    (0.0, 1.0)
    """
    X = hypercube.points(net.n).astype(np.float64)
    z = X @ net.W.T - net.b
    v = net.u[:, None] * net.W
    edges = 0.0
    ends = 0.0
    for i in range(net.n):
        other = z - 2 * np.outer(X[:, i], net.W[:, i])
        gap = np.where(z == other, 1, z - other)
        theta = np.where(z == other, z > 0, (np.maximum(z, 0) - np.maximum(other, 0)) / gap)
        edges += (theta @ v[:, i]).var()
        ends += ((z > 0) @ v[:, i]).var()
    return float(edges), float(ends)


def classes(net: SparseNetwork) -> Array:
    """For d = 1, ..., n - 1 the tail, its bounds (b) and (c) of `ours-covariance`, and the bound for rho = 0, in rows.

    rho is the least number for which the network is in the class.

    >>> classes(disjoint(2, 1)).round(9).tolist()
    [[4.0, 8.0, 4.0, 4.0]]
    """
    p, terms, products, same = _pairs(net)
    active = net.active(hypercube.points(net.n))
    different = same & ~np.eye(net.s, dtype=bool)
    W2 = products.diagonal().max()
    chance = np.outer(p, p)
    some = different & (chance > 0)
    b = max(0.0, (terms[some] / chance[some]).max(initial=0) / W2)
    together = active.T.astype(int) @ active > 0
    c = max(0.0, products[different & together].max(initial=0) / W2)
    k = int(active.sum(axis=1).max())
    values = net.values()
    rows = []
    for d in range(1, net.n):
        plain = 4 * k * W2 / (d + 1)
        rows.append((fourier.tail(values, d), plain * (1 + b * k), plain * (1 + c * (k - 1)), plain))
    return np.array(rows)


def one_run(net: SparseNetwork, d: int, m: int, t: float, rng: np.random.Generator) -> tuple[float, float]:
    """The squared error of the coefficients of one least squares fit where no eigenvalue is below 1 - t, and its bound.

    >>> error, bound = one_run(disjoint(2, 1), 1, 50, 0.5, np.random.default_rng(0))
    >>> 0 < error < bound
    True
    """
    h = net.values()
    masks = hypercube.monomials(net.n, d)
    rows = rng.integers(0, len(h), m)
    Phi = 1.0 - 2 * (np.bitwise_count(rows[:, None] & masks) & 1)
    moment = Phi.T @ (h[rows] - Phi @ fourier.walsh_transform(h)[masks]) / m
    gram = Phi.T @ Phi / m
    if np.linalg.eigvalsh(gram)[0] < 1 - t:
        return 0.0, 0.0
    error = np.linalg.solve(gram, moment)
    return float(error @ error), float(moment @ moment / (1 - t) ** 2)


def failure(n: int, d: int, delta: float, share: float = 1.0) -> float:
    """The larger of the two probabilities of `ours-one-run`, over delta/2, at the best t, for a share of its samples.

    >>> 0.999 < failure(64, 1, 0.1) < 1.001
    True
    """
    N = float(hypercube.dimension(n, d))
    m = share * ours.least_squares_samples(n, d, delta, "single")
    t = np.geomspace(0.001, 0.9, 100_000)
    chernoff = N * np.exp(-m / N * (t + (1 - t) * np.log1p(-t)))
    markov = N / ((1 - t) ** 2 * m)
    return float(np.maximum(chernoff, markov).min()) / (delta / 2)


def _pairs(net: SparseNetwork) -> tuple[Array, Array, Array, Any]:
    """p; the C_jl <v_j, v_l>; the <v_j, v_l>; and which pairs of neurons have output weights of one sign."""
    active = net.active(hypercube.points(net.n)).astype(np.float64)
    p = active.mean(axis=0)
    v = net.u[:, None] * net.W
    C = active.T @ active / len(active) - np.outer(p, p)
    return p, C * (v @ v.T), v @ v.T, np.outer(net.u, net.u) > 0
