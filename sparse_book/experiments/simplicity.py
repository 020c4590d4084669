r"""How much of a model sums of functions of single inputs explain: ``interactions`` and its rivals, with as many
evaluations each.

A cell is (case, run); a run has its own split of the data, training, photograph and sample. The cases: *forest*,
*boosting* and *boosting, log-odds* on the thirty columns of breast cancer, shuffled; *bits ...* the score of the class
0 of the book's networks on uniform bits, with hidden layers of these sizes, trained with noise where it says so; and
the probability (or *logit*) of the class 3 that a network of 64 neurons gives to digits in grey: pixels *shuffled*,
under masks between a 3 and *an 8*, between a 3 and a *blank*, and the same with sixteen *patches* of 2 x 2 pixels.

*low* and *high* are certified together, at 95 %. *linear*, *additive* (a step function of each column, with eight
steps) and *pairs* (linear, and products of two columns) are the R^2 of least squares on half of the evaluations, on
the other half. *pick-freeze* is the sum of the Sobol' indices of first order by Saltelli's estimator, as in
``scipy.stats.sobol_indices``, and the ends of a bootstrap interval of 95 %: right in the limit of many samples.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparse_core._arrays import Array, slices
from sparse_core.learning._inputs import Inputs, inputs
from sparse_core.learning.interactions import interactions
from sparse_core.network import training
from sparse_core.network.training import softmax

from . import seed_of
from .learners import Row

__all__ = ["CASES", "CELLS", "EVALUATIONS", "RUNS", "law_of", "measure"]

Model = Callable[[Array], Array]

RUNS = 5
EVALUATIONS = 1 << 16
# The hidden layers of the book's networks, and the shares of flipped pixels and wrong labels in training.
NETWORKS = {
    "bits, 128": ((128,), 0.0, 0.0),
    "bits, 128, noise": ((128,), 0.1, 0.2),
    "bits, 64-32": ((64, 32), 0.0, 0.0),
    "bits, 32-32-32": ((32, 32, 32), 0.0, 0.0),
}
CASES = (
    "forest",
    "boosting",
    "boosting, log-odds",
    *NETWORKS,
    "shuffled",
    "shuffled, logit",
    "an 8",
    "an 8, logit",
    "blank",
    "patches",
)
CELLS = [(case, run) for run in range(RUNS) for case in CASES]
CLASS = 3
STEPS = 8
# The bootstrap's samples, and the rows of the largest matrices.
RESAMPLES, ROWS = 400, 4096


def law_of(case: str, run: int) -> tuple[Model, dict[str, Any]]:
    """A model, and the law of its inputs as ``interactions`` takes it."""
    if case.startswith(("forest", "boosting")):
        return _on_columns(case, run)
    if case in NETWORKS:
        return _on_bits(case, run)
    return _on_digits(case, run)


def _on_columns(case: str, run: int) -> tuple[Model, dict[str, Any]]:
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

    X, y = load_breast_cancer(return_X_y=True)
    train = np.random.default_rng([run, 0]).permutation(len(X))[: 3 * len(X) // 4]
    kind = RandomForestClassifier if case == "forest" else GradientBoostingClassifier
    model = kind(random_state=run).fit(X[train], y[train])
    if case.endswith("log-odds"):
        return model.decision_function, {"X": X}
    return lambda x: np.asarray(model.predict_proba(x)[:, 1]), {"X": X, "clip": (0, 1)}


def _on_bits(case: str, run: int) -> tuple[Model, dict[str, Any]]:
    from sklearn.datasets import load_digits

    digits = load_digits()
    widths, flip, relabel = NETWORKS[case]
    net = training.classify(
        np.where(digits.data > 7.5, 1, -1).astype(np.float32), digits.target, widths, optimiser="adam", rate=0.002,
        epochs=20, rng=np.random.default_rng(run), flip=flip, relabel=relabel,
    )  # fmt: skip
    return lambda x: net(x)[:, 0], {"n": 64}


def _on_digits(case: str, run: int) -> tuple[Model, dict[str, Any]]:
    from sklearn.datasets import load_digits

    digits = load_digits()
    X = digits.data / 8 - 1
    train, test = np.split(np.random.default_rng([run, 1]).permutation(len(X)), [1437])
    net = training.classify(
        X[train], digits.target[train], (64,), optimiser="adam", rate=0.002, epochs=40, rng=np.random.default_rng(run)
    )
    logit = case.endswith("logit")
    clip = {} if logit else {"clip": (0, 1)}
    three, eight = (X[test][digits.target[test] == digit][run] for digit in (CLASS, 8))
    law: dict[str, Any] = {"X": X[test]}
    if not case.startswith("shuffled"):
        law = {"pair": (three, eight if case.startswith("an 8") else np.full(64, -1.0))}
    if case == "patches":
        law["groups"] = np.kron(np.arange(16).reshape(4, 4), np.ones((2, 2), int)).ravel()
    return lambda x: (net(x) if logit else softmax(net(x)))[:, CLASS], {**law, **clip}


def measure(case: str, run: int) -> Row:
    f, law = law_of(case, run)
    rng = np.random.default_rng(seed_of("simplicity", case, run))
    found = interactions(f, **law, evaluations=EVALUATIONS, random_state=rng)
    points = inputs(law.get("X"), law.get("n"), law.get("pair"), law.get("groups"))
    blocks = [(x[:, points.widest()], f(x)) for x, _ in points.pairs(EVALUATIONS, rng)]
    x, y = (np.concatenate(part) for part in zip(*blocks, strict=True))
    x = (x - x.mean(axis=0)) / np.maximum(x.std(axis=0), 1e-9)  # a column of pixels may be black in all images
    return {
        "low": found.low,
        "high": found.high,
        "estimate": list(found.estimate),
        "colours": found.colours,
        "linear": _held_out(x, y, lambda z: z),
        "additive": _held_out(x, y, _steps(x)),
        "pairs": _held_out(x, y, _products),
        "pick-freeze": _pick_freeze(f, points, rng),
    }


def _steps(x: Array) -> Model:
    """Indicators of the eighths of each column."""
    cuts = np.quantile(x, np.arange(1, STEPS) / STEPS, axis=0)
    return lambda x: np.concatenate([x > cut for cut in cuts], axis=1).astype(float)


def _products(x: Array) -> Array:
    """The columns, and the products of two of them."""
    i, j = np.triu_indices(x.shape[1], 1)
    return np.concatenate([x, x[:, i] * x[:, j]], axis=1)


def _held_out(x: Array, y: Array, features: Model) -> float:
    """R^2 on the second half of least squares on the first half; a small ridge decides what the data do not."""
    half = len(x) // 2
    A = np.column_stack([np.ones(len(x[:1])), features(x[:1])])
    gram, moment = np.zeros((A.shape[1], A.shape[1])), np.zeros(A.shape[1])
    for rows in slices(half, ROWS):
        A = np.column_stack([np.ones(len(x[rows])), features(x[rows])])
        gram += A.T @ A
        moment += A.T @ y[rows]
    slopes = np.linalg.solve(gram + 1e-6 * half * np.eye(len(moment)), moment)
    rest = [y[rows] - slopes[0] - features(x[rows]) @ slopes[1:] for rows in slices(len(x), ROWS) if rows.start >= half]
    return float(1 - np.mean(np.concatenate(rest) ** 2) / y[half:].var())


def _pick_freeze(f: Model, points: Inputs, rng: np.random.Generator) -> list[float]:
    """The sum of the indices of first order, and the ends of a bootstrap interval."""
    samples = EVALUATIONS // (points.count + 2)
    values, sums = [], []
    for x, y in points.pairs(samples, rng):
        mixed = [f(np.where(points.label == i, y, x)) for i in range(points.count)]
        values.append(np.array([f(x), f(y)]))
        sums.append(np.sum(mixed, axis=0) - points.count * values[-1][0])
    a, b = np.concatenate(values, axis=1)
    effects = (b - np.mean([a, b])) * np.concatenate(sums)
    again = rng.integers(samples, size=(RESAMPLES, samples))
    shares = effects[again].mean(axis=1) / np.concatenate([a[again], b[again]], axis=1).var(axis=1)
    low, high = np.quantile(shares, [0.025, 0.975])
    return [float(effects.mean() / np.concatenate([a, b]).var()), float(low), float(high)]
