"""Labelled samples: coefficients, polynomial regression, shards in files, and a cluster of two processes."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from itertools import combinations
from typing import Any

import numpy as np

from tests.benchmarks.harness import Case, Run, peak


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
    from sklearn.preprocessing import PolynomialFeatures

    return PolynomialFeatures(d, interaction_only=True)


def order(n: int, d: int) -> np.ndarray:
    """Where each set of at most d of n coordinates stands in the order of scikit-learn, in that of ``sparse_core``."""
    from sparse_core.cube import hypercube

    place = {T: i for i, T in enumerate(T for size in range(d + 1) for T in combinations(range(n), size))}
    return np.array([place[tuple(sorted(T))] for level in hypercube.supports(n, d) for T in level.tolist()])


def coefficients(n: int, d: int, m: int, labels: str = "real") -> Any:
    from sparse_core.learning.moments import Moments

    X, y = samples(n, d, m, labels)
    return lambda: Moments(n, d).update(X, y).coefficients


def by_features(n: int, d: int, m: int, labels: str = "real") -> Run:
    X, y = samples(n, d, m, labels)
    return Run(lambda: expansion(d).fit_transform(X.astype(float)).T @ y / m, lambda result: result[order(n, d)])


def regression(n: int, d: int, m: int) -> Run:
    from sparse_core.learning.lowdegree import LowDegreeRegressor

    X, y = samples(n, d, m)
    model, facts = LowDegreeRegressor(d, method="least_squares"), {}

    def fit() -> np.ndarray:
        coefficients = model.fit(X, y).coef_
        facts.update(solver=model.solver_, steps=model.n_iter_)
        return coefficients

    return Run(fit, facts=facts)


def linear(n: int, d: int, m: int) -> Any:
    from sklearn.linear_model import LinearRegression

    return _fitted(LinearRegression(fit_intercept=False), n, d, m)


def cholesky(n: int, d: int, m: int) -> Any:
    from sklearn.linear_model import Ridge

    return _fitted(Ridge(alpha=1e-9, solver="cholesky", fit_intercept=False), n, d, m)


def sparse_cg(n: int, d: int, m: int) -> Any:
    from sklearn.linear_model import Ridge

    return _fitted(Ridge(alpha=1e-9, solver="sparse_cg", tol=1e-6, fit_intercept=False), n, d, m)


def _fitted(model: Any, n: int, d: int, m: int) -> Run:
    X, y = samples(n, d, m)
    return Run(
        lambda: model.fit(expansion(d).fit_transform(X.astype(float)), y).coef_, lambda result: result[order(n, d)]
    )


def written(n: int, d: int, m: int, rows: int, labels: str) -> tuple[Any, Any]:
    """The samples in files of so many rows, and the folder, which must be kept as long as they are read."""
    from sparse_core.learning import shards

    X, y = samples(n, d, m, labels)
    folder = tempfile.TemporaryDirectory()
    return folder, shards.save(folder.name, [(X[i : i + rows], y[i : i + rows]) for i in range(0, m, rows)])


def files(n: int, d: int, m: int, rows: int = 0, labels: str = "real") -> Any:
    """Shards in files, sixteen unless told, a Moments each, added along a tree."""
    from sparse_core.learning import shards

    folder, found = written(n, d, m, rows or m // 16, labels)
    return lambda: (folder, shards.moments(found, d).coefficients)[1]


def cluster(n: int, d: int, m: int, rows: int, killed: bool = False) -> Run:
    """The same on two processes of a Dask cluster, one of which may be killed in the middle of each call."""
    import dask
    from distributed import Client, LocalCluster

    from sparse_core.learning import shards

    dask.config.set({f"distributed.nanny.pre-spawn-environ.{name}": size for name, size in KEPT.items()})
    folder, found = written(n, d, m, rows, "real")
    client = Client(LocalCluster(2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, memory_limit=0))
    facts = {"rest_mb": max(client.run(peak).values())}

    def kill() -> None:
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

    def run() -> np.ndarray:
        timer = threading.Timer(0.2, kill)
        if killed:
            timer.start()
        result = (folder, shards.moments(found, d, client).coefficients)[1]
        facts.update(killed=timer.finished.is_set(), worker_mb=max(client.run(peak).values()))
        return result

    return Run(run, facts=facts)


def one_killed(n: int, d: int, m: int, rows: int) -> Run:
    return cluster(n, d, m, rows, killed=True)


def size(n: int, d: int, m: int) -> dict[str, int]:
    return {"n": n, "d": d, "m": m}


KEPT = {"MALLOC_TRIM_THRESHOLD_": 1 << 28, "MALLOC_MMAP_THRESHOLD_": 1 << 25}  # bytes: see "Scaling out"
ROWS = 1 << 18  # of a shard: about a second for n = 64, d = 3
OURS = ("sparse_core",)
FEATURES = {"sparse_core": coefficients, "scikit-learn": by_features}
FITS = {
    "sparse_core": regression,
    "Ridge, sparse_cg": sparse_cg,
    "Ridge, cholesky": cholesky,
    "LinearRegression": linear,
}
SHARDS = {"one array": coefficients, "16 files, one each": files}
PROCESSES = {"one process": files, "two processes": cluster, "one of them killed": one_killed}
FAST = tuple(FITS)[:3]  # LinearRegression takes minutes
CASES = (
    Case("coefficients", FEATURES, size(16, 3, 10_000), quick=True),
    Case("coefficients", FEATURES, size(32, 3, 100_000), twice=tuple(FEATURES)),
    Case("coefficients", FEATURES, size(32, 3, 100_000) | {"labels": "single"}, twice=OURS),
    Case("coefficients", FEATURES, size(32, 3, 100_000) | {"labels": "signs"}, twice=OURS),
    Case("coefficients", FEATURES, size(64, 2, 100_000), twice=tuple(FEATURES)),
    Case("coefficients", FEATURES, size(64, 3, 100_000), twice=OURS),
    Case("coefficients", FEATURES, size(64, 3, 100_000) | {"labels": "single"}, twice=OURS),
    Case("coefficients", FEATURES, size(24, 5, 100_000), twice=OURS),
    Case("coefficients", FEATURES, size(128, 2, 1_000_000), twice=OURS),
    Case("shards", SHARDS, size(16, 3, 16_384), quick=True),
    Case("shards", SHARDS, size(32, 3, 131_072)),
    Case("cluster", PROCESSES, size(32, 3, 1 << 20) | {"rows": 1 << 17}, quick=True, rounds=3),
    Case("cluster", PROCESSES, size(64, 3, 4 * ROWS) | {"rows": ROWS}, rounds=3),
    Case("regression", FITS, size(16, 2, 5_000), quick=True),
    Case("regression", FITS, size(20, 3, 20_000), twice=tuple(FITS)),
    Case("regression", FITS, size(64, 2, 100_000), twice=tuple(FITS)),
    Case("regression", FITS, size(32, 3, 50_000), twice=FAST),
    Case("regression", FITS, size(64, 3, 100_000), twice=OURS),
    Case("regression", FITS, size(20, 5, 1_000_000), twice=OURS),
)
