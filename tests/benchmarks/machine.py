"""What this machine can do at most with one thread: bytes moved, and multiplications in either precision."""

from __future__ import annotations

import numpy as np

from tests.benchmarks.harness import Case, Run

BYTES = 1 << 28  # of the array that is copied; each byte is read and written
ORDER = 2048  # of the matrices


def kernel() -> str | None:
    """The processor family whose routines NumPy's BLAS runs with, where it tells: it need not be that of the processor.

    >>> kernel() is None or isinstance(kernel(), str)
    True
    """
    from threadpoolctl import threadpool_info

    found = {library.get("architecture") for library in threadpool_info() if library["user_api"] == "blas"}
    return ", ".join(sorted(name for name in found if name)) or None


def copy() -> Run:
    x = np.ones(BYTES // 8)
    y = np.zeros_like(x)
    return Run(lambda: np.copyto(y, x), view=None, facts={"bytes": 2 * BYTES})


def product(precision: str) -> Run:
    A = np.random.default_rng(0).standard_normal((ORDER, ORDER)).astype(precision)
    out = np.empty_like(A)
    return Run(lambda: np.matmul(A, A, out=out), view=None, facts={"operations": 2 * ORDER**3})


CASES = (
    Case("copy", {"numpy": copy}, quick=True),
    Case("product", {"numpy": product}, {"precision": "float32"}, quick=True),
    Case("product", {"numpy": product}, {"precision": "float64"}, quick=True),
)
