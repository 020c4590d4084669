r"""Learning curves on digits: a network, the same with a penalty on activations, and a polynomial of degree 2.

The networks have 128 neurons and take 440 steps of Adam with the rate 0.003, which was chosen by hand, as was the
penalty 0.01; the polynomial is fitted by least squares with a ridge of 100, of the same origin. All see the first m of
the training digits, for each m of SIZES, and are tested on 360 others.

A cell is (learner, run). *Errors* are shares of the test digits; *active* is the share of active neurons at the last m.

Paper: section 6, which asks for practical algorithms.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core._arrays import Array
from sparse_core.learning import moments
from sparse_core.network import training

from ..runs import DIGITS_TRAINED, digits, quadratic
from .learners import Row

__all__ = ["CELLS", "LEARNERS", "SIZES", "measure"]

SIZES = (45, 90, 180, 360, 720, DIGITS_TRAINED)
RUNS = 10
WIDTH = 128
STEPS = 440
RATE = 0.003
BATCH = 64
RIDGE = 100.0
LEARNERS = {"Adam": 0.0, "Adam, penalty on activations": 0.01, "degree 2": None}
CELLS = [(name, run) for run in range(RUNS) for name in LEARNERS]


def by_network(X: NDArray[Any], y: NDArray[Any], run: int, l1: float) -> training.Layered:
    passes = STEPS // max(1, len(X) // BATCH)
    rng = np.random.default_rng([0, run])
    return training.classify(X, y, (WIDTH,), optimiser="adam", rate=RATE, l1=l1, batch=BATCH, epochs=passes, rng=rng)


def by_polynomial(X: NDArray[Any], y: NDArray[Any], test: NDArray[Any]) -> Array:
    """The ten scores of the test digits by the polynomial of degree 2 that fits the classes best."""
    chi = quadratic(X)
    dual = moments.solve((chi @ chi.T).astype(float), np.eye(10)[y], ridge=RIDGE)
    return np.asarray(quadratic(test) @ (chi.T @ dual))


def measure(name: str, run: int) -> Row:
    X, y, test, classes = digits(0, run)
    l1 = LEARNERS[name]
    if l1 is None:
        scores = [by_polynomial(X[:m], y[:m], test) for m in SIZES]
        return {"errors": [np.mean(score.argmax(axis=1) != classes) for score in scores]}
    nets = [by_network(X[:m], y[:m], run, l1) for m in SIZES]
    return {
        "errors": [np.mean(net.predict(test) != classes) for net in nets],
        "active": np.mean(nets[-1].activations(test)[0] > 0),
    }
