"""One pass of a network with one hidden layer through labelled points, by Adam."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.harness import Case, Run


def digits(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], (m, n))
    return X, (X @ rng.standard_normal((n, 10))).argmax(axis=1)


def ours(n: int, width: int, m: int, batch: int) -> Run:
    from sparse_core.network.training import classify

    X, y = digits(n, m)
    settings: dict[str, Any] = {"optimiser": "adam", "rate": 1e-3, "epochs": 1, "batch": batch}
    return Run(lambda: classify(X, y, (width,), rng=np.random.default_rng(0), **settings), view=None)


def sklearn(n: int, width: int, m: int, batch: int) -> Run:
    from sklearn.neural_network import MLPClassifier

    X, y = digits(n, m)
    model = MLPClassifier((width,), alpha=0, batch_size=batch, learning_rate_init=1e-3, random_state=0)
    return Run(lambda: model.partial_fit(X, y, classes=np.arange(10)), view=None)


CASES = tuple(
    Case("epoch", {"sparse_core": ours, "MLPClassifier": sklearn}, dict(n=64, width=width, m=10_000, batch=64), quick)
    for width, quick in ((64, True), (512, False))
)
