"""Networks that are sparsely active: the truth table, and exact inference."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparse_core.cube.hypercube import points
from sparse_core.network import SparseNetwork
from sparse_core.network.evaluation import dense_pass
from tests.benchmarks.cases import Case, Run
from tests.benchmarks.transforms import sample


def network(kind: str, n: int, s: int, k: int = 1) -> SparseNetwork:
    """A network of s neurons on n bits.

    "appendix A" has one address of log2 s bits, "hidden" the same with the coordinates in random order, or k such
    networks side by side. "unstructured" are Gaussian unit vectors with the bias at k standard deviations.
    """
    rng = np.random.default_rng([n, s, k])
    if kind == "unstructured":
        W = rng.standard_normal((s, n))
        return SparseNetwork(np.ones(s), W / np.linalg.norm(W, axis=1, keepdims=True), np.full(s, float(k)))
    if k > 1:
        blocks = [network("hidden", n, s // k) for _ in range(k)]
        blocks = [SparseNetwork(h.u, h.W[:, rng.permutation(n)], h.b) for h in blocks]
        return sum(blocks[1:], blocks[0])
    bits = s.bit_length() - 1
    w = rng.standard_normal((s, n - bits))
    gamma = (n - bits) ** 0.5
    W = np.hstack([gamma * points(bits), w / np.linalg.norm(w, axis=1, keepdims=True)])
    return SparseNetwork(np.ones(s), W[:, rng.permutation(n)] if kind == "hidden" else W, np.full(s, gamma * bits))


def inputs(n: int, m: int) -> np.ndarray:
    return np.random.default_rng([n, m]).choice(np.array([-1, 1], dtype=np.int8), (m, n))


def table(kind: str, n: int, s: int, k: int = 1) -> Run:
    return Run(network(kind, n, s, k).values, sample)


def all_points(kind: str, n: int, s: int, k: int = 1) -> Run:
    net = network(kind, n, s, k)
    return Run(lambda: dense_pass(net.u, net.W, net.b, None), sample)


def evaluator(kind: str, n: int, s: int, m: int, k: int = 1) -> Run:
    net, X = network(kind, n, s, k), inputs(n, m)
    fast = net.evaluator()
    return Run(lambda: fast(X), facts={"active": float(net.active(X[:1000]).mean())})


def dense(kind: str, n: int, s: int, m: int, k: int = 1) -> Any:
    """The matrix products, block by block."""
    net, X = network(kind, n, s, k), inputs(n, m)
    return lambda: dense_pass(net.u, net.W, net.b, X)


TABLES = {"sparse_core": table, "BLAS": all_points}
PASSES = {"sparse_core": evaluator, "BLAS": dense}
CASES = (
    Case("truth-table", TABLES, {"kind": "appendix A", "n": 16, "s": 256}, quick=True),
    Case("truth-table", TABLES, {"kind": "hidden", "n": 16, "s": 4096}),
    Case("truth-table", TABLES, {"kind": "unstructured", "n": 16, "s": 256, "k": 0}),
    Case("truth-table", TABLES, {"kind": "hidden", "n": 20, "s": 1024}, twice=True),
    Case("truth-table", TABLES, {"kind": "unstructured", "n": 20, "s": 1024, "k": 3}, twice=True),
    Case("inference", PASSES, {"kind": "appendix A", "n": 64, "s": 1024, "m": 1000}, quick=True),
    Case("inference", PASSES, {"kind": "appendix A", "n": 64, "s": 4096, "m": 4000}, twice=True),
    Case("inference", PASSES, {"kind": "appendix A", "n": 64, "s": 4096, "m": 1}),
    Case("inference", PASSES, {"kind": "appendix A", "n": 64, "s": 65536, "m": 1000}),
    Case("inference", PASSES, {"kind": "appendix A", "n": 512, "s": 4096, "m": 1000}),
    Case("inference", PASSES, {"kind": "hidden", "n": 64, "s": 4096, "m": 4000, "k": 4}),
    Case("inference", PASSES, {"kind": "unstructured", "n": 64, "s": 4096, "m": 4000, "k": 3}),
    Case("inference", PASSES, {"kind": "unstructured", "n": 64, "s": 4096, "m": 4000, "k": 1}, twice=True),
    Case("inference", PASSES, {"kind": "unstructured", "n": 16, "s": 64, "m": 1, "k": 1}, quick=True),
)
