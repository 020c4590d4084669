r"""Sparsity that emerges in training: a layer of 512 neurons on digits, by SGD and Adam, with noise and without.

The settings are those of chapter 8, three learning rates for each optimiser, and Adam with four penalties on
activations. For the penalties 288 of the 1437 training digits are held out, by which chapter 8 chooses among them.

A cell is (setting, run). *Active* is the share of active neurons on test digits, *start* the same before training,
*dead* the share of neurons that no training digit activates, and *union* the expected share that a batch of so many of
the test digits activates, for each of BATCHES.

Paper: section 1, on sparsity that emerges in training.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core._arrays import Array
from sparse_core.network import activity, training

from ..runs import digits
from . import stored
from .learners import Row

__all__ = [
    "BATCHES",
    "CELLS",
    "HELD_OUT",
    "PENALTIES",
    "SETTINGS",
    "by_rate",
    "measure",
    "shares_of_unions",
    "sparsest_enough",
    "train",
]

WIDTH = 512
EPOCHS = 60
RUNS = 10
HELD_OUT = 288  # a fifth of the training digits
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128)

_ADAM: dict[str, Any] = {"optimiser": "adam", "rate": 0.001}
_NOISE: dict[str, Any] = {"flip": 0.1, "relabel": 0.2}
# The rates 0.03 and 0.001 were chosen by hand, before the sweep by factors of about 3.
SETTINGS: dict[str, dict[str, Any]] = {
    "SGD": {},
    "label noise": {"relabel": 0.2},
    "pixel noise": {"flip": 0.1},
    "both noises": _NOISE,
    "weight decay": {"decay": 0.001},
    "Adam": _ADAM,
    "Adam, both noises": _ADAM | _NOISE,
    "learning rate 0.2": {"rate": 0.2},
}
RATES = {"SGD": (0.01, 0.1), "Adam": (0.0003, 0.003)}
NOISY = {"SGD": "both noises", "Adam": "Adam, both noises"}
for _name, _rates in RATES.items():
    for _rate in _rates:
        SETTINGS[f"{_name}, rate {_rate}"] = SETTINGS[_name] | {"rate": _rate}
        SETTINGS[f"{_name}, both noises, rate {_rate}"] = SETTINGS[NOISY[_name]] | {"rate": _rate}
PENALTIES = (0.0, 0.001, 0.01, 0.1)
SETTINGS |= {f"Adam, penalty {_l1:g}": _ADAM | {"l1": _l1} for _l1 in PENALTIES}
CELLS = [(name, run) for run in range(RUNS) for name in SETTINGS]


def train(
    name: str, run: int, widths: tuple[int, ...] = (WIDTH,), watch: Callable[[training.Layered], object] | None = None
) -> training.Layered:
    """The network of a setting after EPOCHS passes through the training digits of the run that are not held out."""
    X, y, _, _ = digits(0, run)
    held = HELD_OUT if "penalty" in name else 0
    rng = np.random.default_rng([0, run, 1])
    return training.classify(X[held:], y[held:], widths, epochs=EPOCHS, rng=rng, watch=watch, **SETTINGS[name])


def shares_of_unions(active: NDArray[np.bool_]) -> list[float]:
    """The expected share of neurons that a batch of m of the inputs activates, for each m of BATCHES.

    active : (inputs, neurons) truth values.

    >>> shares_of_unions(np.eye(128, dtype=bool))[:3]
    [0.0078125, 0.015625, 0.03125]
    """
    counts = np.count_nonzero(active, axis=0)
    return [activity.union(counts, len(active), m) / active.shape[1] for m in BATCHES]


def by_rate() -> dict[str, list[dict[str, Array]]]:
    """What is stored for SGD and Adam without and with both noises: at a third of the rate, at it, at three times it.

    >>> {name: len(found) for name, found in by_rate().items()}
    {'SGD': 3, 'both noises': 3, 'Adam': 3, 'Adam, both noises': 3}
    """
    tables = {}
    for plain, (slow, fast) in RATES.items():
        for name, long in ((plain, plain), (NOISY[plain], f"{plain}, both noises")):
            tables[name] = [stored("emergence", key) for key in (f"{long}, rate {slow}", name, f"{long}, rate {fast}")]
    return tables


def sparsest_enough(accuracy: Array) -> NDArray[np.intp]:
    """The last column of each row within a standard error of its best: the highest penalty that validation allows.

    >>> sparsest_enough(np.array([[0.9, 0.91, 0.905, 0.7]]))
    array([2])
    """
    best = accuracy.max(axis=1, keepdims=True)
    enough = accuracy >= best - np.sqrt(best * (1 - best) / HELD_OUT)
    return np.asarray(accuracy.shape[1] - 1 - enough[:, ::-1].argmax(axis=1))


def measure(name: str, run: int) -> Row:
    X, y, test, classes = digits(0, run)
    start: list[float] = []

    def watch(net: training.Layered) -> None:
        if not start:
            start.append(float((net.activations(test)[0] > 0).mean()))

    net = train(name, run, watch=watch)
    active = net.activations(test)[0] > 0
    row = {
        "accuracy": np.mean(net.predict(test) == classes),
        "start": start[0],
        "active": active.mean(),
        "dead": np.mean(~(net.activations(X)[0] > 0).any(axis=0)),
        "union": shares_of_unions(active),
    }
    if "penalty" in name:
        row["validation"] = np.mean(net.predict(X[:HELD_OUT]) == y[:HELD_OUT])
    return row
