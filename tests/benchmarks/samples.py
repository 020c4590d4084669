"""Labelled samples: coefficients, polynomial regression, shards in files, a cluster of two processes; the rank."""

from __future__ import annotations

import tempfile
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparse_core.cube import hypercube
from sparse_core.hardness import modular
from sparse_core.learning.lowdegree import LowDegreeRegressor
from sparse_core.learning.moments import Moments
from tests.benchmarks.cases import Case, Run


def samples(n: int, d: int, m: int, labels: str = "real") -> tuple[np.ndarray, np.ndarray]:
    """m uniform points and the noisy values of a polynomial of degree d with 20 terms, as doubles or otherwise."""
    rng = np.random.default_rng(n)
    X = rng.integers(0, 2, (m, n), dtype=np.int8) * 2 - 1
    y = 0.5 * rng.standard_normal(m)
    for _ in range(20):
        y += rng.standard_normal() * np.prod(X[:, rng.choice(n, d, replace=False)], axis=1)
    return X, np.where(y > 0, 1.0, -1.0) if labels == "signs" else y.astype(np.float32 if labels == "single" else float)


def expansion(d: int) -> Any:
    """scikit-learn's monomials without squares."""
    return pytest.importorskip("sklearn.preprocessing").PolynomialFeatures(d, interaction_only=True)


def order(n: int, d: int) -> np.ndarray:
    """Where each set of at most d of n coordinates stands in the order of scikit-learn, in that of ``sparse_core``."""
    place = {T: i for i, T in enumerate(T for size in range(d + 1) for T in combinations(range(n), size))}
    return np.array([place[tuple(sorted(T))] for level in hypercube.supports(n, d) for T in level.tolist()])


def coefficients(n: int, d: int, m: int, labels: str = "real") -> Any:
    X, y = samples(n, d, m, labels)
    return lambda: Moments(n, d).update(X, y).coefficients


def by_features(n: int, d: int, m: int, labels: str = "real") -> Run:
    X, y = samples(n, d, m, labels)
    return Run(lambda: expansion(d).fit_transform(X.astype(float)).T @ y / m, lambda result: result[order(n, d)])


def regression(n: int, d: int, m: int) -> Any:
    X, y = samples(n, d, m)
    return lambda: LowDegreeRegressor(d, method="least_squares").fit(X, y).coef_


def fitted(name: str, **options: Any) -> Any:
    """The side of a linear model of scikit-learn."""

    def side(n: int, d: int, m: int) -> Run:
        model = getattr(pytest.importorskip("sklearn.linear_model"), name)(fit_intercept=False, **options)
        X, y = samples(n, d, m)
        fit = lambda: model.fit(expansion(d).fit_transform(X.astype(float)), y).coef_  # noqa: E731
        return Run(fit, lambda result: result[order(n, d)])

    return side


def part(paths: tuple[Path, Path], n: int, d: int) -> Moments:
    """The moments of the points and the labels in two files, read through memory maps."""
    return Moments(n, d).update(*(np.load(path, mmap_mode="r") for path in paths))


def files(n: int, d: int, m: int, rows: int, client: Any = None) -> Run:
    """Files of so many rows, a Moments each, added."""
    arrays = samples(n, d, m)
    folder = tempfile.TemporaryDirectory()
    saved = [tuple(Path(folder.name, f"{name}-{i}.npy") for name in "Xy") for i in range(0, m, rows)]
    for i, paths in zip(range(0, m, rows), saved, strict=True):
        for path, array in zip(paths, arrays, strict=True):
            np.save(path, array[i : i + rows])
    one = partial(part, n=n, d=d)
    parts = partial(map, one, saved) if client is None else lambda: client.gather(client.map(one, saved, pure=False))
    return Run(lambda: sum(parts(), Moments(n, d)).coefficients, close=folder.cleanup)


def cluster(n: int, d: int, m: int, rows: int) -> Run:
    """The same on two processes of a Dask cluster."""
    dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")
    dask.config.set({f"distributed.nanny.pre-spawn-environ.{name}": size for name, size in KEPT.items()})
    options = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "memory_limit": 0}  # any free port
    client = distributed.Client(distributed.LocalCluster(2, threads_per_worker=1, **options))
    run = files(n, d, m, rows, client)
    return run._replace(close=lambda: (client.shutdown(), run.close()))


def matrix(rows: int, columns: int, p: int) -> np.ndarray:
    return np.random.default_rng(p).integers(0, p, (rows, columns))


def rank(rows: int, columns: int, p: int) -> Any:
    A = matrix(rows, columns, p)
    return lambda: modular.rank(A, p)


def flint(rows: int, columns: int, p: int) -> Any:
    A = pytest.importorskip("flint").nmod_mat(rows, columns, matrix(rows, columns, p).ravel().tolist(), p)
    return lambda: A.rank()


KEPT = {"MALLOC_TRIM_THRESHOLD_": 1 << 28, "MALLOC_MMAP_THRESHOLD_": 1 << 25}  # bytes: see "Scaling out"
FEATURES = {"sparse_core": coefficients, "scikit-learn": by_features}
OURS = {"sparse_core": coefficients}  # where the monomials of scikit-learn need more memory than the machine has
FITS = {
    "sparse_core": regression,
    "Ridge, sparse_cg": fitted("Ridge", alpha=1e-9, solver="sparse_cg", tol=1e-6),
    "Ridge, cholesky": fitted("Ridge", alpha=1e-9, solver="cholesky"),
    "LinearRegression": fitted("LinearRegression"),
}
RANKS = {"sparse_core": rank, "python-flint": flint}
PROCESSES = {"one process": files, "two processes": cluster}
CASES = (
    Case("coefficients", FEATURES, {"n": 16, "d": 3, "m": 10_000}, quick=True),
    Case("coefficients", FEATURES, {"n": 32, "d": 3, "m": 50_000}, twice=True),
    Case("coefficients", FEATURES, {"n": 32, "d": 3, "m": 50_000, "labels": "single"}),
    Case("coefficients", FEATURES, {"n": 32, "d": 3, "m": 50_000, "labels": "signs"}),
    Case("coefficients", FEATURES, {"n": 64, "d": 2, "m": 100_000}, twice=True),
    Case("coefficients", OURS, {"n": 64, "d": 3, "m": 100_000}, twice=True),
    Case("coefficients", OURS, {"n": 24, "d": 5, "m": 100_000}, twice=True),
    Case("coefficients", OURS, {"n": 128, "d": 2, "m": 1_000_000}, twice=True),
    Case("processes", PROCESSES, {"n": 32, "d": 3, "m": 1 << 20, "rows": 1 << 17}),
    Case("processes", PROCESSES, {"n": 64, "d": 3, "m": 1 << 20, "rows": 1 << 18}),
    Case("regression", FITS, {"n": 16, "d": 2, "m": 5_000}, quick=True),
    Case("regression", FITS, {"n": 20, "d": 3, "m": 20_000}, twice=True),
    Case("regression", FITS, {"n": 64, "d": 2, "m": 20_000}, twice=True),
    Case("regression", {"sparse_core": regression}, {"n": 64, "d": 3, "m": 100_000}, twice=True),
    Case("rank", RANKS, {"rows": 600, "columns": 512, "p": 2}, quick=True),
    Case("rank", RANKS, {"rows": 600, "columns": 512, "p": 5}),
)
