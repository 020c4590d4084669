"""Networks that are sparsely active: the truth table, and exact inference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tests.benchmarks.harness import Case, Run
from tests.benchmarks.transforms import sample

if TYPE_CHECKING:
    from sparse_core.network import SparseNetwork


def network(kind: str, n: int, s: int, k: int = 1) -> SparseNetwork:
    """A network of s neurons on n bits.

    "appendix A" has one address of log2 s bits, "hidden" the same with the coordinates in random order, or k such
    networks side by side, "6 % unstructured" some neurons without keys beside it. "balls" are Hamming balls of radius
    k. "unstructured" are Gaussian unit vectors with the bias at k standard deviations.
    """
    from sparse_core.cube.hypercube import points
    from sparse_core.network import SparseNetwork
    from sparse_core.network.constructions import code_caps

    rng = np.random.default_rng([n, s, k])
    if kind == "balls":
        return code_caps(rng.choice([-1, 1], (s, n)), n - 2 * k)
    if kind == "unstructured":
        W = rng.standard_normal((s, n))
        return SparseNetwork(np.ones(s), W / np.linalg.norm(W, axis=1, keepdims=True), np.full(s, float(k)))
    if kind == "6 % unstructured":
        return network("appendix A", n, s) + network("unstructured", n, s // 16, 2)
    if k > 1:
        blocks = [network("hidden", n, s // k) for _ in range(k)]
        blocks = [SparseNetwork(h.u, h.W[:, rng.permutation(n)], h.b) for h in blocks]
        return sum(blocks[1:], blocks[0])
    bits = s.bit_length() - 1
    w = rng.standard_normal((s, n - bits))
    gamma = (n - bits) ** 0.5
    W = np.hstack([gamma * points(bits), w / np.linalg.norm(w, axis=1, keepdims=True)])
    return SparseNetwork(np.ones(s), W[:, rng.permutation(n)] if kind == "hidden" else W, np.full(s, gamma * bits))


def inputs(kind: str, n: int, s: int, m: int, k: int) -> np.ndarray:
    """Uniform points; near the centres, with one bit in twenty flipped, where otherwise no ball would be met."""
    rng = np.random.default_rng([n, m])
    if kind == "balls":
        return np.where(rng.random((m, n)) < 0.05, -1, 1).astype(np.int8) * network(kind, n, s, k).W[:m].astype(np.int8)
    return rng.choice(np.array([-1, 1], dtype=np.int8), (m, n))


# The truth table


def values(kind: str, n: int, s: int, k: int = 1) -> Run:
    net = network(kind, n, s, k)
    return Run(net.values, sample, {"active": float(net.active(inputs(kind, n, s, 4000, k)).mean())})


def all_points(kind: str, n: int, s: int, k: int = 1) -> Run:
    from sparse_core.network.evaluation import dense_pass

    net = network(kind, n, s, k)
    return Run(lambda: dense_pass(net.u, net.W, net.b, None), sample)


# Inference


def evaluator(kind: str, n: int, s: int, m: int, k: int = 1) -> Run:
    net, X = network(kind, n, s, k), inputs(kind, n, s, m, k)
    fast = net.evaluator()
    facts = {"active": float(net.active(X[:1000]).mean()), "touched": float(fast.multiply_adds(X).mean() / net.W.size)}
    return Run(lambda: fast(X), facts=facts)


def dense(kind: str, n: int, s: int, m: int, k: int = 1) -> Any:
    """The matrix products, block by block."""
    from sparse_core.network.evaluation import dense_pass

    net, X = network(kind, n, s, k), inputs(kind, n, s, m, k)
    return lambda: dense_pass(net.u, net.W, net.b, X)


TABLES = {"sparse_core": values, "BLAS": all_points}
PASSES = {"sparse_core": evaluator, "BLAS": dense}


def case(group: str, sides: dict[str, Any], quick: bool = False, both: bool = False, **args: Any) -> Case:
    return Case(group, sides, args, quick, tuple(sides) if both else ())


CASES = (
    case("truth-table", TABLES, quick=True, kind="appendix A", n=16, s=256),
    case("truth-table", TABLES, kind="hidden", n=16, s=4096),
    case("truth-table", TABLES, kind="unstructured", n=16, s=256, k=0),
    case("truth-table", TABLES, kind="appendix A", n=20, s=4096),
    case("truth-table", TABLES, both=True, kind="hidden", n=20, s=4096),
    case("truth-table", TABLES, both=True, kind="unstructured", n=20, s=4096, k=3),
    case("truth-table", TABLES, both=True, kind="appendix A", n=24, s=256),
    case("inference", PASSES, quick=True, kind="appendix A", n=64, s=1024, m=1000),
    case("inference", PASSES, both=True, kind="appendix A", n=64, s=4096, m=4000),
    case("inference", PASSES, kind="appendix A", n=64, s=4096, m=1),
    case("inference", {"sparse_core": evaluator}, both=True, kind="appendix A", n=64, s=4096, m=1_000_000),
    case("inference", PASSES, both=True, kind="appendix A", n=64, s=65536, m=1000),
    case("inference", PASSES, kind="appendix A", n=512, s=4096, m=1000),
    case("inference", PASSES, both=True, kind="hidden", n=64, s=4096, m=4000, k=4),
    case("inference", PASSES, kind="6 % unstructured", n=64, s=4096, m=4000),
    case("inference", PASSES, both=True, kind="balls", n=64, s=4096, m=4000, k=8),
    case("inference", PASSES, kind="unstructured", n=64, s=4096, m=4000, k=3),
    case("inference", PASSES, both=True, kind="unstructured", n=64, s=4096, m=4000, k=1),
    case("inference", PASSES, quick=True, kind="unstructured", n=16, s=64, m=1, k=1),
)
