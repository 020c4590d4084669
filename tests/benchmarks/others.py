"""Elimination modulo a prime; and one pass of a network with one hidden layer through labelled points, by Adam."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.harness import Case, Run


def matrix(rows: int, columns: int, p: int) -> np.ndarray:
    return np.random.default_rng(p).integers(0, p, (rows, columns))


def rank(rows: int, columns: int, p: int) -> Any:
    from sparse_core.hardness import modular

    A = matrix(rows, columns, p)
    return lambda: modular.rank(A, p)


def flint(rows: int, columns: int, p: int) -> Any:
    import flint

    A = flint.nmod_mat(rows, columns, matrix(rows, columns, p).ravel().tolist(), p)
    return lambda: A.rank()


def digits(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], (m, n))
    return X, (X @ rng.standard_normal((n, 10))).argmax(axis=1)


def epoch(n: int, width: int, m: int, batch: int) -> Run:
    from sparse_core.network.training import classify

    X, y = digits(n, m)
    settings: dict[str, Any] = {"optimiser": "adam", "rate": 1e-3, "epochs": 1, "batch": batch}
    return Run(lambda: classify(X, y, (width,), rng=np.random.default_rng(0), **settings), view=None)


def sklearn(n: int, width: int, m: int, batch: int) -> Run:
    from sklearn.neural_network import MLPClassifier

    X, y = digits(n, m)
    model = MLPClassifier((width,), alpha=0, batch_size=batch, learning_rate_init=1e-3, random_state=0)
    return Run(lambda: model.partial_fit(X, y, classes=np.arange(10)), view=None)


CASES = (
    *(
        Case("rank", {"sparse_core": rank, "python-flint": flint}, {"rows": 600, "columns": 512, "p": p}, quick=p == 2)
        for p in (2, 5)
    ),
    *(
        Case(
            "epoch", {"sparse_core": epoch, "MLPClassifier": sklearn}, dict(n=64, width=w, m=10_000, batch=64), w == 64
        )
        for w in (64, 512)
    ),
)
