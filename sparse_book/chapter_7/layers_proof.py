r"""What the proofs of chapter 7 compare for networks of several layers: identities, extremal networks, sums on edges.

Paper: section 3, of which chapter 7 is a continuation, and section 6 (sparsity that holds with high probability).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod, sqrt

import numpy as np

from sparse_core._arrays import Array
from sparse_core.cube import fourier, hypercube
from sparse_core.network import SparseNetwork, gradients
from sparse_core.network.training import Layered

__all__ = [
    "along_edges",
    "convex_sides",
    "corner",
    "random_layers",
    "soft",
    "solid",
    "solid_formula",
    "steepest",
    "trapezoid",
]


def random_layers(rng: np.random.Generator, sizes: Sequence[int]) -> Layered:
    """A network with hidden layers and one output, from the numbers of its inputs and neurons.

    >>> random_layers(np.random.default_rng(0), (3, 4, 2))
    Layered(3-4-2-1)
    """
    W = [rng.standard_normal((t, s)) for s, t in zip(sizes, (*sizes[1:], 1), strict=True)]
    return Layered(tuple(W), tuple(rng.uniform(-0.5, 1, len(w)) for w in W))


def trapezoid(net: Layered, x: Array, y: Array) -> tuple[float, float, float]:
    """h(x) - h(y); the right side of `ours-trapezoid`, from forward and backward passes; and that without switches.

    >>> absolute = Layered((np.array([[1.0], [-1.0]]), np.ones((1, 2))), (np.zeros(2), np.zeros(1)))
    >>> [float(side) for side in trapezoid(absolute, np.array([2.0]), np.array([-1.0]))]
    [1.0, 1.0, 0.0]
    """
    sides = []
    for at in (x, y):
        z: list[Array] = []
        value = at
        for W, b in zip(net.W[:-1], net.b[:-1], strict=True):
            z.append(W @ value - b)
            value = np.maximum(z[-1], 0)
        g = [net.W[-1][0]]
        for W, pre in zip(net.W[-2::-1], z[::-1], strict=True):
            g.insert(0, (g[0] * (pre > 0)) @ W)
        sides.append((float(net.W[-1][0] @ value), z, g))
    (h, z, g), (h_, z_, g_) = sides
    switches = 0.0
    for a, b, p, q in zip(z, z_, g[1:], g_[1:], strict=True):
        switches += float(np.sum(((a > 0) != (b > 0)) * (q * np.abs(a) - p * np.abs(b))))
    smooth = float((g[0] + g_[0]) @ (x - y)) / 2
    return h - h_, smooth + switches / 2, smooth


def steepest(k: Sequence[int], s: Sequence[int], W: Sequence[float]) -> Layered:
    """The network on one bit that attains `ours-depth-supremum`, with output weights 1 and -1.

    >>> (np.diff(steepest([1, 2], [2, 4], [1.0, 1.0])(hypercube.points(1))[:, 0]) ** 2 / 4).round(9)     # 4 (2)(4)
    array([32.])
    """
    ends = [np.array([-1.0]), np.array([1.0])]
    rows = []
    biases = []
    for active, size, norm in zip(k, s, W, strict=True):
        delta = ends[1] - ends[0]
        r = norm * delta / np.linalg.norm(delta)
        opposite = min(active, size - active)
        rows.append(np.concatenate([np.tile(r, (active, 1)), np.tile(-r, (opposite, 1))]))
        biases.append(np.repeat([r @ ends[0], -(r @ ends[1])], [active, opposite]))
        ends = [np.maximum(rows[-1] @ end - biases[-1], 0) for end in ends]
    return Layered((*rows, np.sign(ends[1] - ends[0])[None]), (*biases, np.zeros(1)))


def solid(sizes: Sequence[int], epsilon: float) -> SparseNetwork:
    """The network of `ours-depth-solid`, 1-sparse on the whole solid cube, with W = 1, for blocks of these sizes.

    >>> solid((1, 2), 0.1)
    SparseNetwork(n=3, s=3, W=1, B=1.00983)
    """
    rows = []
    biases = []
    before: list[tuple[int, ...]] = [()]
    start = 0
    for size in sizes:
        block = [tuple(row) for row in hypercube.points(size).tolist()]
        steep = (1 - epsilon) / epsilon
        omega = (size + start * steep**2) ** -0.5
        scale = omega * np.repeat([steep, 1.0], [start, size])
        for y in (y + z for y in before for z in block if prod(z) == 1):
            rows.append(np.pad(scale * y, (0, sum(sizes) - len(y))))
            biases.append(scale.sum() - 2 * (1 - epsilon) * omega)
        before = [y + z for y in before for z in block if prod(z) == -1]
        start += size
    return SparseNetwork(np.ones(len(rows)), rows, biases)


def solid_formula(sizes: Sequence[float], epsilon: float) -> float:
    """AS of ``solid``, by the formula of the proof.

    >>> solid_formula((1, 2), 0.1) - fourier.average_sensitivity(solid((1, 2), 0.1).values()) < 1e-12
    True
    """
    before = np.cumsum([0, *sizes[:-1]])
    omega = (np.array(sizes) + before * ((1 - epsilon) / epsilon) ** 2) ** -0.5
    last = len(sizes) - 1
    total = 0.0
    for q, size in enumerate(sizes):
        after = sum((1 - omega[r] / omega[q]) ** 2 * 2.0 ** (q - r) for r in range(q + 1, last + 1))
        total += 2.0**-q * size * omega[q] ** 2 * (after + 2.0 ** (q - last))
    return float((1 - epsilon) ** 2 * total)


def along_edges(net: Layered, points: int = 41) -> tuple[float, float, float]:
    """J(h) by sums over points of the edges, and the bound of `ours-depth-solid` with the numbers active there.

    The third number has those that are active at the corners only.

    >>> [round(x, 2) for x in along_edges(steepest([1], [2], [1.0]))]           # J = 4 with all points of the edge
    [3.85, 8.0, 2.0]
    """
    n = net.W[0].shape[1]
    corners = hypercube.points(n).astype(float)

    def count(X: Array) -> list[int]:
        return [int((H > 1e-9).sum(axis=1).max()) for H in net.activations(X)]

    slope = 0.0
    most = ends = count(corners)
    for i in range(n):
        for t in np.linspace(-1, 1, points):
            X = corners.copy()
            X[:, i] = t
            slope += float(np.mean(gradients.gradients(net, X)[:, i] ** 2)) / points
            most = [max(pair) for pair in zip(most, count(X), strict=True)]
    norms = prod(float((W**2).sum(axis=1).max()) for W in net.W[:-1]) * float(np.abs(net.W[-1]).max()) ** 2
    within, outside = (2 * norms * counts[-1] * prod(counts) for counts in (most, ends))
    return slope, within, outside


def convex_sides(rng: np.random.Generator, sizes: Sequence[int]) -> tuple[float, float, float]:
    """AS, 2 E|grad h|^2 and the bound by sparsity, of a random network with nonnegative weights above the first layer.

    >>> AS, middle, last = convex_sides(np.random.default_rng(0), (2, 3, 2))
    >>> AS <= middle <= last
    True
    """
    W, b = (net := random_layers(rng, sizes)).W, net.b
    convex = Layered((W[0], *(np.abs(rows) for rows in W[1:])), b)
    found = gradients.edges(convex)
    active = [(H > 0).sum(axis=1).max() for H in convex.activations(hypercube.points(sizes[0]))]
    norms = [(rows**2).sum(axis=1).max() for rows in convex.W[:-1]]
    last = 2 * np.abs(convex.W[-1]).max() ** 2 * active[-1] * np.prod(active) * np.prod(norms)
    return float(found.sensitivity.mean()), 2 * float(found.gradient.mean()), float(last)


def corner(n: int, s: Sequence[int], W: Sequence[float]) -> Layered:
    """The network of `ours-soft-sparsity` that is active at one corner only.

    >>> corner(2, [3], [1.0])(hypercube.points(2))[:, 0].round(9).tolist()
    [4.242640687, 0.0, 0.0, 0.0]
    """
    rows = [np.full((s[0], n), W[0] / sqrt(n))]
    rows += [np.full((b, a), norm / sqrt(a)) for a, b, norm in zip(s, s[1:], W[1:], strict=False)]
    biases = [np.full(s[0], W[0] * (n - 2) / sqrt(n)), *(np.zeros(b) for b in s[1:])]
    return Layered((*rows, np.ones((1, s[-1]))), (*biases, np.zeros(1)))


def soft(net: Layered) -> tuple[float, float, float]:
    """AS; the least of the bounds of `ours-soft-sparsity` over four thresholds k; and the least of their first terms.

    >>> [round(x, 9) for x in soft(corner(2, [3], [1.0]))]
    [4.5, 4.5, 0.0]
    """
    X = hypercube.points(net.W[0].shape[1])
    K = np.array([(H > 0).sum(axis=1) for H in net.activations(X)])
    s = [len(W) for W in net.W[:-1]]
    norms = prod(float((W**2).sum(axis=1).max()) for W in net.W[:-1]) * float(np.abs(net.W[-1]).max()) ** 2
    terms = []
    for quantile in (0.5, 0.75, 0.9, 1.0):
        k = np.ceil(np.quantile(K, quantile, axis=1))
        eta = np.mean((K > k[:, None]).any(axis=0))
        terms.append((2 * k[-1] * np.prod(2 * k), 2 * eta * s[-1] * prod(s)))
    first, second = norms * np.array(terms).T
    AS = fourier.average_sensitivity(net(X)[:, 0])
    return AS, float((first + second).min()), float(first.min())
