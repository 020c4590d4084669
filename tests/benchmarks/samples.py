"""Labelled samples: coefficients, polynomial regression, shards."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np

from tests.benchmarks.harness import Case, Run
from tests.benchmarks.peers import expansion, order, samples


def coefficients(n: int, d: int, m: int, labels: str = "real") -> Run:
    from sparse_core.learning.moments import Moments

    X, y = samples(n, d, m, labels)
    return Run(lambda: Moments(n, d).update(X, y).coefficients, lambda result: result[order(n, d)])


def by_features(n: int, d: int, m: int, labels: str = "real") -> Any:
    X, y = samples(n, d, m, labels)
    return lambda: expansion(d).fit_transform(X.astype(float)).T @ y / m


def pypuf(n: int, d: int, m: int, labels: str = "real") -> Any:
    from pypuf.attack import LMNAttack
    from pypuf.io import ChallengeResponseSet

    X, y = samples(n, d, m, labels)
    data = ChallengeResponseSet(X, y)
    return Run(lambda: LMNAttack(data, deg=d).fit(), view=None)  # it divides by another number


def regression(n: int, d: int, m: int) -> Run:
    from sparse_core.learning.lowdegree import LowDegreeRegressor

    X, y = samples(n, d, m)
    model = LowDegreeRegressor(d, method="least_squares")
    return Run(lambda: model.fit(X, y).coef_, lambda result: result[order(n, d)])


def linear(n: int, d: int, m: int) -> Any:
    from sklearn.linear_model import LinearRegression

    return _fitted(LinearRegression(fit_intercept=False), n, d, m)


def cholesky(n: int, d: int, m: int) -> Any:
    from sklearn.linear_model import Ridge

    return _fitted(Ridge(alpha=1e-9, solver="cholesky", fit_intercept=False), n, d, m)


def sparse_cg(n: int, d: int, m: int) -> Any:
    from sklearn.linear_model import Ridge

    return _fitted(Ridge(alpha=1e-9, solver="sparse_cg", tol=1e-6, fit_intercept=False), n, d, m)


def _fitted(model: Any, n: int, d: int, m: int) -> Any:
    X, y = samples(n, d, m)
    return lambda: model.fit(expansion(d).fit_transform(X.astype(float)), y).coef_


def pieces(n: int, d: int, m: int) -> Any:
    """One Moments, fed a block at a time."""
    from sparse_core.learning.moments import Moments

    X, y = samples(n, d, m)

    def run() -> np.ndarray:
        total = Moments(n, d)
        for i in range(0, m, total.block):
            total.update(X[i : i + total.block], y[i : i + total.block])
        return total.coefficients

    return run


def files(n: int, d: int, m: int) -> Any:
    """Sixteen shards in files, a Moments each, added along a tree."""
    from sparse_core.learning import shards

    X, y = samples(n, d, m)
    folder = tempfile.TemporaryDirectory()
    rows = m // 16
    found = shards.save(folder.name, [(X[i : i + rows], y[i : i + rows]) for i in range(0, m, rows)])
    return lambda: (folder, shards.moments(found, d).coefficients)[1]  # the folder lives as long as this does


def one(n: int, d: int, m: int) -> Any:
    from sparse_core.learning.moments import Moments

    X, y = samples(n, d, m)
    return lambda: Moments(n, d).update(X, y).coefficients


def size(n: int, d: int, m: int) -> dict[str, int]:
    return {"n": n, "d": d, "m": m}


FEATURES = {"sparse_core": coefficients, "scikit-learn": by_features}
FITS = {
    "sparse_core": regression,
    "Ridge, sparse_cg": sparse_cg,
    "Ridge, cholesky": cholesky,
    "LinearRegression": linear,
}
CASES = (
    Case("coefficients", FEATURES, size(16, 3, 10_000), quick=True),
    Case("coefficients", {**FEATURES, "pypuf": pypuf}, size(32, 3, 100_000)),
    Case("coefficients", FEATURES, size(32, 3, 100_000) | {"labels": "single"}),
    Case("coefficients", FEATURES, size(32, 3, 100_000) | {"labels": "signs"}),
    Case("coefficients", FEATURES, size(64, 2, 100_000)),
    Case("coefficients", FEATURES, size(64, 3, 100_000)),
    Case("coefficients", FEATURES, size(64, 3, 100_000) | {"labels": "single"}),
    Case("coefficients", FEATURES, size(24, 5, 100_000)),
    Case("coefficients", FEATURES, size(128, 2, 1_000_000)),
    Case("regression", FITS, size(16, 2, 5_000), quick=True),
    Case("regression", FITS, size(20, 3, 20_000)),
    Case("regression", FITS, size(64, 2, 100_000)),
    Case("regression", FITS, size(32, 3, 50_000)),
    Case("regression", FITS, size(64, 3, 100_000)),
    Case("regression", FITS, size(20, 5, 1_000_000)),
    Case("shards", {"one array": one, "blocks": pieces, "16 files": files}, size(16, 3, 16_384), quick=True),
    Case("shards", {"one array": one, "blocks": pieces, "16 files": files}, size(32, 3, 131_072)),
)
