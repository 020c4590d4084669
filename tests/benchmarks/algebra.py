"""Elimination modulo a prime."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.harness import Case


def matrix(rows: int, columns: int, p: int) -> np.ndarray:
    return np.random.default_rng(p).integers(0, p, (rows, columns))


def rank(rows: int, columns: int, p: int) -> Any:
    from sparse_core.hardness import modular

    A = matrix(rows, columns, p)
    return lambda: modular.rank(A, p)


def galois(rows: int, columns: int, p: int) -> Any:
    import galois

    A = galois.GF(p)(matrix(rows, columns, p))
    return lambda: np.linalg.matrix_rank(A)


CASES = tuple(
    Case("rank", {"sparse_core": rank, "galois": galois}, {"rows": 600, "columns": 512, "p": p}, quick=p == 2)
    for p in (2, 5)
)
