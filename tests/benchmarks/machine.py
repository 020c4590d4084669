"""What this machine does at most: bytes copied, multiplications, and the other steps that the methods are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.harness import Case, Run

ORDER = 2048  # of the matrices
CACHED = 1 << 15  # numbers that stay in the cache: 256 KB


def kernel() -> str | None:
    """The processor family whose routines NumPy's BLAS runs with, where it tells: it need not be that of the processor.

    >>> kernel() is None or isinstance(kernel(), str)
    True
    """
    from threadpoolctl import threadpool_info

    found = {library.get("architecture") for library in threadpool_info() if library["user_api"] == "blas"}
    return ", ".join(sorted(name for name in found if name)) or None


def copy(bits: int) -> Run:
    """From one place to another, in bytes: each is read and written."""
    x = np.ones(1 << bits, dtype=np.uint8)
    y = np.zeros_like(x)
    return Run(lambda: np.copyto(y, x), None, {"amount": len(x)})


def product(precision: str) -> Run:
    """The additions and multiplications of one large matrix product."""
    A = np.random.default_rng(0).standard_normal((ORDER, ORDER)).astype(precision)
    out = np.empty_like(A)
    return Run(lambda: np.matmul(A, A, out=out), None, {"amount": 2 * ORDER**3, "kernel": kernel()})


def step(name: str) -> Run:
    """Simple steps on numbers that stay in the cache."""
    rng = np.random.default_rng(0)
    words, counts = rng.integers(1 << 62, size=(2, CACHED // 8), dtype=np.uint64), np.empty(CACHED // 8, np.uint8)
    table, places = np.zeros(CACHED), rng.permutation(CACHED)
    rows, sums = rng.standard_normal((2, CACHED // 64, 64)), np.empty(CACHED // 64)
    small, out = np.ones((2, 2)), np.empty((2, 2))

    def count() -> None:
        np.bitwise_count(np.bitwise_xor(*words, out=words[1]), out=counts)

    def scatter() -> None:
        table[places] += 1.0

    steps: dict[str, tuple[Any, int]] = {
        "words of 64 bits compared": (count, len(counts)),
        "numbers added at given places": (scatter, CACHED),
        "multiply-adds of two rows": (lambda: np.einsum("ij,ij->i", *rows, out=sums), CACHED),
        "calls of NumPy": (lambda: np.matmul(small, small, out=out), 1),
    }
    call, amount = steps[name]
    return Run(call, None, {"amount": amount})


NAMES = ("words of 64 bits compared", "numbers added at given places", "multiply-adds of two rows", "calls of NumPy")
CASES = (
    *(Case("copy", {"numpy": copy}, {"bits": bits}, quick=True) for bits in range(12, 31, 3)),
    *(Case("product", {"numpy": product}, {"precision": p}, True, ("numpy",)) for p in ("float32", "float64")),
    *(Case("step", {"numpy": step}, {"name": name}, quick=True) for name in NAMES),
)
