r"""Seven networks on 64 bits for sparse inference, with keys and without, and what reading bit by bit costs.

The *keys* of a neuron are the coordinates at which one wrong sign makes it inactive (`ours-one-wrong-bit`).

Paper: section 6, which asks for algorithms that use sparsity; Appendix A, whose networks have keys.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core.network import SparseNetwork, constructions

__all__ = ["bits_read", "blocks", "planted"]

N = 64
POINTS = 2000
# Of the bits of a centre, the share that is flipped in an input of the Hamming balls.
FLIPPED = 0.05
# What rounding may leave of a bound that is exactly 0.
ROUNDING = 1e-9


def blocks(count: int, b: int, rng: np.random.Generator) -> SparseNetwork:
    """A sum of Appendix A networks, each with its own b address bits among 64.

    >>> blocks(2, 3, np.random.default_rng(0)).s
    16
    """
    parts = []
    for _ in range(count):
        net = constructions.appendix_a(b, N - b, gamma=np.sqrt(N - b), rng=rng)
        parts.append(SparseNetwork(net.u, net.W[:, rng.permutation(N)], net.b))
    return sum(parts[1:], parts[0])


def unstructured(s: int, rng: np.random.Generator) -> SparseNetwork:
    """Gaussian neurons, of which about 3 % are active at a uniform point."""
    return SparseNetwork(rng.standard_normal(s), rng.standard_normal((s, N)) / np.sqrt(N), np.full(s, 1.9))


def planted(uniform: NDArray[Any], rng: np.random.Generator) -> dict[str, tuple[SparseNetwork, NDArray[Any]]]:
    """The networks and their inputs: the first of the uniform points, but points near the centres for Hamming balls.

    >>> uniform = np.ones((2000, 64), dtype=np.int8)
    >>> [net.s for net, _ in planted(uniform, np.random.default_rng(0)).values()]
    [4096, 4096, 4096, 4096, 4352, 4096, 4096]
    """
    junta = constructions.junta(rng.standard_normal(4096), n=N)
    appendix_a = blocks(1, 12, rng)
    centres = rng.choice([-1, 1], (4096, N))
    nets = {
        "junta of 12 bits": junta,
        "Appendix A": appendix_a,
        "Appendix A, 4 blocks": blocks(4, 10, rng),
        "Appendix A, 16 blocks": blocks(16, 8, rng),
        "Appendix A and 6 % unstructured": appendix_a + unstructured(256, rng),
        "Hamming balls of radius 8": constructions.code_caps(centres, bias=48),
        "unstructured": unstructured(4096, rng),
    }
    near = np.where(rng.random((POINTS, N)) < FLIPPED, -centres[:POINTS], centres[:POINTS])
    return {name: (net, near if "balls" in name else uniform[:POINTS]) for name, net in nets.items()}


def bits_read(net: SparseNetwork, X: NDArray[Any]) -> tuple[float, bool]:
    """The mean share of the bits read until each neuron is certain (`ours-early-exit`); whether just the active stay.

    The bits with the largest weights are read first.

    >>> bits_read(SparseNetwork([1], [[1.0, 1.0]], [1.0]), np.array([[1, 1], [-1, 1]]))
    (0.75, True)
    """
    bound = np.tile(np.abs(net.W).sum(axis=1) - net.b, (len(X), 1))
    bits = 0.0
    for c in np.argsort(-np.abs(net.W).sum(axis=0), kind="stable"):
        bits += float(np.mean(bound > ROUNDING))
        bound -= np.abs(net.W[:, c]) - X[:, c, None] * net.W[:, c]
    return bits / net.n, np.array_equal(bound > ROUNDING, net.active(X))
