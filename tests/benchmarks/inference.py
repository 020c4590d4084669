"""Networks that are sparsely active: the truth table, exact inference, and where it breaks even with the dense pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tests.benchmarks.harness import Case, Run

if TYPE_CHECKING:
    from sparse_core.network import SparseNetwork

BLOCK, WIDE = 1 << 18, 1 << 12  # entries and neurons of a block of the dense pass: 2 MB


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


def blas(u: np.ndarray, W: np.ndarray, b: np.ndarray, X: np.ndarray) -> np.ndarray:
    """The dense pass: float64 matrix products over blocks that stay in the cache, in place."""
    if len(W) > WIDE:
        return sum(blas(u[j : j + WIDE], W[j : j + WIDE], b[j : j + WIDE], X) for j in range(0, len(W), WIDE))
    step = max(1, BLOCK // max(W.shape))
    buffer, result = np.empty((min(step, len(X)), len(W))), np.empty(len(X))
    for i in range(0, len(X), step):
        z = np.matmul(X[i : i + step].astype(np.float64), W.T, out=buffer[: len(X) - i])
        z -= b
        result[i : i + step] = np.maximum(z, 0, out=z) @ u
    return result


# The truth table


def values(kind: str, n: int, s: int, k: int = 1) -> Any:
    return network(kind, n, s, k).values


def all_points(kind: str, n: int, s: int, k: int = 1) -> Any:
    from sparse_core.cube.hypercube import points

    net, step = network(kind, n, s, k), 1 << min(n, 14)
    return lambda: np.concatenate([blas(net.u, net.W, net.b, points(n, i, i + step)) for i in range(0, 1 << n, step)])


# Inference


def evaluator(kind: str, n: int, s: int, m: int, k: int = 1) -> Run:
    net, X = network(kind, n, s, k), inputs(kind, n, s, m, k)
    fast = net.evaluator()
    facts = {"active": float(net.active(X[:1000]).mean()), "touched": float(fast.multiply_adds(X).mean() / net.W.size)}
    return Run(lambda: fast(X), facts=facts)


def dense(kind: str, n: int, s: int, m: int, k: int = 1) -> Any:
    net, X = network(kind, n, s, k), inputs(kind, n, s, m, k)
    return lambda: blas(net.u, net.W, net.b, X)


# Break-even: what if the active set were known?


def prescribed(n: int, s: int, m: int, share: float) -> tuple[Any, ...]:
    """A network, m inputs, and for each of them a random set of share * s neurons."""
    rng = np.random.default_rng([n, s, m])
    net, active = network("unstructured", n, s, 2), max(1, round(share * s))
    neurons = np.array([rng.choice(s, active, replace=False) for _ in range(m)]).ravel()
    return net, inputs("unstructured", n, s, m, 2), np.repeat(np.arange(m), active), neurons


def known(n: int, s: int, m: int, share: float) -> Run:
    """The neurons of known sets alone: the best that a perfect predictor could make of the share."""
    from sparse_core.network import evaluator

    net, X, rows, neurons = prescribed(n, s, m, share)
    facts = {"share": share, "ideal": 1 / share}
    return Run(lambda: evaluator.gathered(net.u, net.W, net.b, X, rows, neurons), view=None, facts=facts)


def every(n: int, s: int, m: int, share: float) -> Run:
    net, X, *_ = prescribed(n, s, m, share)
    return Run(lambda: blas(net.u, net.W, net.b, X), view=None)


TABLES = {"sparse_core": values, "BLAS": all_points}
PASSES = {"sparse_core": evaluator, "BLAS": dense}


def case(group: str, sides: dict[str, Any], quick: bool = False, **args: Any) -> Case:
    return Case(group, sides, args, quick=quick)


CASES = (
    case("truth-table", TABLES, quick=True, kind="appendix A", n=16, s=256),
    case("truth-table", TABLES, kind="hidden", n=16, s=4096),
    case("truth-table", TABLES, kind="unstructured", n=16, s=256, k=0),
    case("truth-table", TABLES, kind="appendix A", n=20, s=4096),
    case("truth-table", TABLES, kind="hidden", n=20, s=4096),
    case("truth-table", TABLES, kind="unstructured", n=20, s=4096, k=3),
    case("truth-table", TABLES, kind="appendix A", n=24, s=256),
    case("inference", PASSES, quick=True, kind="appendix A", n=64, s=1024, m=1000),
    case("inference", PASSES, kind="appendix A", n=64, s=4096, m=4000),
    case("inference", PASSES, kind="appendix A", n=64, s=4096, m=1),
    case("inference", PASSES, kind="appendix A", n=64, s=65536, m=1000),
    case("inference", PASSES, kind="appendix A", n=512, s=4096, m=1000),
    case("inference", PASSES, kind="hidden", n=64, s=4096, m=4000, k=4),
    case("inference", PASSES, kind="6 % unstructured", n=64, s=4096, m=4000),
    case("inference", PASSES, kind="balls", n=64, s=4096, m=4000, k=8),
    case("inference", PASSES, kind="unstructured", n=64, s=4096, m=4000, k=3),
    case("inference", PASSES, kind="unstructured", n=64, s=4096, m=4000, k=1),
    case("inference", PASSES, quick=True, kind="unstructured", n=16, s=64, m=1, k=1),
    *(
        case("break-even", {"active set known": known, "BLAS": every}, n=1024, s=4096, m=m, share=share)
        for m in (1, 64)
        for share in (0.001, 0.003, 0.01, 0.03, 0.08, 0.2, 0.5)
    ),
)
