"""Functions on the whole cube: the Walsh-Hadamard transform, Boolean influences."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from sparse_core.cube import fourier
from tests.benchmarks.cases import Case, Run


def values(n: int, precision: str = "float64") -> np.ndarray:
    return np.random.default_rng(n).standard_normal(1 << n).astype(precision)


def signs(n: int) -> np.ndarray:
    return np.where(values(n) > 0, -1, 1).astype(np.int8)


def sample(result: Any) -> np.ndarray:
    """Every so many entries: enough to compare two transforms of many."""
    return np.array(result[:: max(1, len(result) >> 16)], dtype=np.float64)


def transform(n: int, precision: str = "float64") -> Run:
    x = values(n, precision)
    return Run(lambda: fourier.walsh_transform(x), sample)


def pyfwht(n: int, precision: str) -> Run:
    library, x = pytest.importorskip("pyfwht"), values(n)  # it has no single precision
    return Run(lambda: library.compute(x), lambda result: sample(result) / len(x))


def ffht(n: int, precision: str) -> Run:
    from tests.benchmarks.ffht import CHUNK, aligned, library

    x = values(n, precision)
    y = aligned(x)
    compute = library().FHTFloat if precision == "float32" else library().FHTDouble
    place = ctypes.c_void_p(y.ctypes.data)

    def call() -> np.ndarray:
        y[:] = x
        compute(place, len(y), min(CHUNK, len(y)))
        return y

    return Run(call, lambda result: sample(result) / len(x) ** 0.5)


def influences(n: int) -> Any:
    x = signs(n)
    return lambda: fourier.influences(x)


def boofun(n: int) -> Any:
    f = pytest.importorskip("boofun").create(signs(n) < 0, storage="dense")
    return lambda: f.influences(force_recompute=True)


def boolforge(n: int) -> Run:
    f = pytest.importorskip("boolforge").BooleanFunction((signs(n) < 0).astype(int))
    return Run(lambda: f.get_activities(exact=True), lambda result: result[::-1])  # its first variable is our last


PEERS = {"float64": "pyfwht", "float32": "pyfwht (float64)"}
WALSH = [
    ({"sparse_core": transform, peer: pyfwht, "FFHT": ffht}, {"precision": precision, "n": n})
    for precision, peer in PEERS.items()
    for n in (10, 12, 14, 16, 18, 20, 22, 24, 26)
]
CUBES = {"sparse_core": influences, "boofun": boofun, "boolforge": boolforge}
CASES = (
    *(Case("walsh", sides, args, args["n"] in (10, 16), args["n"] in (20, 24)) for sides, args in WALSH),
    *(Case("influences", CUBES, {"n": n}, n == 12) for n in (12, 16, 20)),
)
