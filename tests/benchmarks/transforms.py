"""Functions on the whole cube: the Walsh-Hadamard transform, statistics of the spectrum, Boolean influences."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from tests.benchmarks.harness import Case, Run


def values(n: int, precision: str = "float64") -> np.ndarray:
    return np.random.default_rng(n).standard_normal(1 << n).astype(precision)


def signs(n: int) -> np.ndarray:
    return np.where(np.random.default_rng(n).standard_normal(1 << n) > 0, -1, 1).astype(np.int8)


def sample(result: Any) -> np.ndarray:
    """Every so many entries: enough to compare two transforms of many."""
    return np.asarray(result, dtype=np.float64)[:: max(1, len(result) >> 16)]


def transform(n: int, precision: str = "float64") -> Run:
    from sparse_core.cube import fourier

    x = values(n, precision)
    return Run(lambda: fourier.walsh_transform(x), sample)


def pyfwht(n: int, precision: str = "float64") -> Run:
    import pyfwht

    x = values(n)  # it has no single precision
    return Run(lambda: pyfwht.compute(x), lambda result: sample(result) / len(x))


def ffht(n: int, precision: str = "float64") -> Run:
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


def statistics(n: int) -> Run:
    from sparse_core.cube import fourier

    x = values(n)
    return Run(lambda: fourier.statistics(x), np.concatenate)


def alone(n: int) -> Run:
    return transform(n)._replace(view=None)


def influences(n: int) -> Any:
    from sparse_core.cube import fourier

    x = signs(n)
    return lambda: fourier.influences(x)


def boofun(n: int) -> Any:
    import boofun

    f = boofun.create(signs(n) < 0, storage="dense")
    return lambda: f.influences(force_recompute=True)


def boolforge(n: int) -> Run:
    import boolforge

    f = boolforge.BooleanFunction((signs(n) < 0).astype(int))
    return Run(lambda: f.get_activities(exact=True), lambda result: result[::-1])  # its first variable is our last


PEERS = {"float64": "pyfwht", "float32": "pyfwht (float64)"}
CUBES = {"sparse_core": influences, "boofun": boofun, "boolforge": boolforge}
CASES = (
    *(
        Case(
            "walsh",
            {"sparse_core": transform, peer: pyfwht, "FFHT": ffht},
            {"precision": precision, "n": n},
            quick=n in (10, 16, 20),
            twice=("sparse_core", peer) if n in (20, 22, 24) else (),
        )
        for precision, peer in PEERS.items()
        for n in range(10, 27, 2)
    ),
    *(
        Case("spectrum", {"statistics": statistics, "transform alone": alone}, {"n": n}, n == 16, twice)
        for n, twice in ((16, ()), (20, ()), (22, ("statistics",)), (24, ("statistics",)))
    ),
    *(Case("influences", CUBES, {"n": n}, quick=n == 16) for n in (12, 16, 20)),
)
