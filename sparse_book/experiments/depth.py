r"""Networks with one, two and three hidden layers of 64 neurons, trained on digits and on planted deep sparse targets.

The planted target on 12 bits has as many hidden layers, of 16 neurons each; rows have length 1, and each neuron is
active at a quarter of the cube, as far as its inputs are not constant. It is learned from 2048 uniform samples by
networks of each depth and by polynomials of degree at most 3.

A cell is (training, depth, run). For the trainings "SGD" and "both noises" on digits the numbers are those of
ON_DIGITS, for "planted" those of PLANTED. Where there is no such layer, its share is 0.

Paper: Definition 1 has one hidden layer; what is said about more of them is ours.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from sparse_core._arrays import Array
from sparse_core.cube import fourier, hypercube
from sparse_core.network import gradients, training

from ..runs import digits
from . import seed_of
from .learners import HELD_OUT, polynomial

__all__ = ["CELLS", "DEPTHS", "ON_DIGITS", "PLANTED", "measure", "planted"]

DEPTHS = (1, 2, 3)
RUNS = 5
WIDTH = 64
# Points at which the gradients along all edges are taken: their means are then known to about 5 %.
POINTS = 200
N = 12
SAMPLES = 2048
ON_DIGITS = ("accuracy", "active 1", "active 2", "active 3", "AS / Var", "gradient bound / AS", "n Var / AS")
PLANTED = (
    "active 1",
    "active 2",
    "active 3",
    "AS / Var",
    "above degree 3",
    *(f"depth {d}" for d in DEPTHS),
    "polynomial",
)
CELLS = [(name, depth, run) for run in range(RUNS) for name in ("SGD", "both noises", "planted") for depth in DEPTHS]


def planted(depth: int, rng: np.random.Generator) -> tuple[Array, list[float]]:
    """The values on the cube of a random network with so many sparse layers, and their shares of active neurons.

    >>> values, active = planted(2, np.random.default_rng(0))
    >>> values.shape, [round(share, 2) for share in active]
    ((4096,), [0.25, 0.25])
    """
    y = hypercube.points(N).astype(float)
    active = []
    for _ in range(depth):
        W = rng.standard_normal((16, y.shape[1]))
        z = y @ (W / np.linalg.norm(W, axis=1, keepdims=True)).T
        y = np.maximum(z - np.quantile(z, 0.75, axis=0), 0)
        active.append(float((y > 0).mean()))
    values = y @ rng.choice([-1.0, 1.0], 16)
    return (values - values.mean()) / values.std(), active


def measure(name: str, depth: int, run: int) -> list[float]:
    rng = np.random.default_rng(seed_of("depth", name, depth, run))
    return _learned(depth, rng) if name == "planted" else _on_digits(name, depth, run, rng)


def _on_digits(name: str, depth: int, run: int, rng: np.random.Generator) -> list[float]:
    X, y, test, classes = digits(0, run)
    flip, relabel = (0.1, 0.2) if name == "both noises" else (0.0, 0.0)
    net = training.classify(X, y, (WIDTH,) * depth, rate=0.02, epochs=60, rng=rng, flip=flip, relabel=relabel)
    active = [float((h > 0).mean()) for h in net.activations(test)]
    points = rng.choice(np.array([-1.0, 1.0]), (POINTS, X.shape[1]))
    found = gradients.edges(net, points)
    AS = float(found.sensitivity.mean())
    variance = float(net(rng.choice(np.array([-1.0, 1.0]), (20 * POINTS, X.shape[1])))[:, 0].var())
    return [
        float(np.mean(net.predict(test) == classes)),
        *(active + [0.0, 0.0])[:3],
        AS / variance,
        found.bound / AS,
        X.shape[1] * variance / AS,
    ]


def _learned(depth: int, rng: np.random.Generator) -> list[float]:
    values, active = planted(depth, rng)
    cube = hypercube.points(N)
    rows = rng.integers(0, len(values), SAMPLES)
    X, y = cube[rows], values[rows]
    spectrum = fourier.weight_by_degree(values)
    risks = [float(np.mean((_deep(X, y, d, rng)(cube) - values) ** 2)) for d in DEPTHS]
    risks.append(float(np.mean((polynomial(X, y)(cube) - values) ** 2)))
    return [*(active + [0.0, 0.0])[:3], fourier.average_sensitivity(values), float(spectrum[4:].sum()), *risks]


class _Regression:
    """A network with several hidden layers and one output, trained by Adam on half of the squared error."""

    def __init__(self, n: int, depth: int, rng: np.random.Generator) -> None:
        sizes = [n, *(WIDTH,) * depth, 1]
        self.layers = [
            (rng.standard_normal((t, s)) * sqrt(2 / s), np.zeros(t)) for s, t in zip(sizes, sizes[1:], strict=False)
        ]

    def __call__(self, X: NDArray[np.int8]) -> Array:
        return np.asarray(training.Layered(*(tuple(p) for p in zip(*self.layers, strict=True)))(X)[:, 0])


def _deep(X: NDArray[np.int8], y: Array, depth: int, rng: np.random.Generator) -> _Regression:
    """The network after 1500 steps of 64 samples, or where it was best on the fifth that is held out."""
    net = _Regression(X.shape[1], depth, rng)
    held = len(X) // HELD_OUT
    descent = training._Descent([p for layer in net.layers for p in layer], "adam")
    best, least = net.layers, np.inf
    for t in range(1500):
        rows = rng.integers(held, len(X), 64)
        batch = X[rows].astype(float), y[rows, None]
        gradient = training._gradient(net.layers, *batch, lambda scores: scores, 0.0, 0.0)
        descent.step(gradient, 0.003 * (1 - t / 1500))
        if t % 100 == 99:
            error = float(np.mean((net(X[:held]) - y[:held]) ** 2))
            if error < least:
                best, least = [(W.copy(), b.copy()) for W, b in net.layers], error
    net.layers = best
    return net
