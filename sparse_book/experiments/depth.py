r"""Networks with one, two and three hidden layers of 64 neurons, trained on digits and on planted deep sparse targets.

The planted target on 12 bits has as many hidden layers, of 16 neurons each; rows have length 1, and each neuron is
active at a quarter of the cube, as far as its inputs are not constant. It is learned from 2048 uniform samples by
networks of each depth and by polynomials of degree at most 3.

A cell is (training, depth, run), the training "SGD" or "both noises" on digits, or "planted". Of the trained network,
here the one that is as deep as the target, *active* are the shares of active neurons, layer by layer, on test digits or
on the cube; AS and its bounds are those of the score of the class 0, or of the output, on uniform points.

Paper: Definition 1 has one hidden layer; what is said about more of them is ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core._arrays import Array
from sparse_core.cube import fourier, hypercube
from sparse_core.network import gradients, training

from ..runs import digits
from . import seed_of
from .learners import HELD_OUT, Row, polynomial

__all__ = ["CELLS", "DEPTHS", "TRAININGS", "measure", "planted"]

DEPTHS = (1, 2, 3)
TRAININGS = {"SGD": (0.0, 0.0), "both noises": (0.1, 0.2)}  # the shares of flipped pixels and of wrong labels
RUNS = 10
WIDTH = 64
# Points at which the gradients along all edges are taken: their means are then known to about 5 %.
POINTS = 200
# Points from which the variance of a score is known to about 2 %.
MANY = 4000
N = 12
NEURONS = 16
SAMPLES = 2048
CELLS = [(name, depth, run) for run in range(RUNS) for name in (*TRAININGS, "planted") for depth in DEPTHS]


def planted(depth: int, rng: np.random.Generator) -> tuple[Array, Array, float]:
    """The values on the cube of a random network with so many sparse layers, its shares of active neurons, its bound.

    The values have mean 0 and variance 1. The bound on AS is that by the layers, 2 k_D prod 2 k_l W_l^2.

    >>> values, active, bound = planted(2, np.random.default_rng(0))
    >>> values.shape, active.round(2).tolist(), bool(bound > fourier.average_sensitivity(values))
    ((4096,), [0.25, 0.25], True)
    """
    y = hypercube.points(N).astype(float)
    active = []
    bound = 1.0
    for _ in range(depth):
        W = rng.standard_normal((NEURONS, y.shape[1]))
        z = y @ (W / np.linalg.norm(W, axis=1, keepdims=True)).T
        y = np.maximum(z - np.quantile(z, 0.75, axis=0), 0)
        active.append((y > 0).mean())
        k = (y > 0).sum(axis=1).max()
        bound *= 2 * k
    values = y @ rng.choice([-1.0, 1.0], NEURONS)
    return (values - values.mean()) / values.std(), np.array(active), 2 * k * bound / values.var()


def measure(name: str, depth: int, run: int) -> Row:
    rng = np.random.default_rng(seed_of("depth", name, depth, run))
    if name == "planted":
        return _on_planted(depth, rng)
    X, y, test, classes = digits(0, run)
    flip, relabel = TRAININGS[name]
    net = training.classify(X, y, (WIDTH,) * depth, rate=0.02, epochs=60, rng=rng, flip=flip, relabel=relabel)
    return {"accuracy": np.mean(net.predict(test) == classes), **_described(net, test, rng)}


def _described(net: training.Layered, X: NDArray[Any], rng: np.random.Generator) -> Row:
    """The shares of active neurons on X, and n Var and the bound by gradients in units of AS, for the first output."""
    points, many = (rng.choice(np.array([-1.0, 1.0]), (count, X.shape[1])) for count in (POINTS, MANY))
    edges = gradients.edges(net, points)
    AS = edges.sensitivity.mean()
    return {
        "active": [(h > 0).mean() for h in net.activations(X)],
        "gradients / AS": edges.bound / AS,
        "n Var / AS": X.shape[1] * net(many)[:, 0].var() / AS,
    }


def _on_planted(depth: int, rng: np.random.Generator) -> Row:
    values, _, bound = planted(depth, rng)
    cube = hypercube.points(N)
    rows = rng.integers(0, len(values), SAMPLES)
    nets = [_trained(cube[rows], values[rows], d, rng) for d in DEPTHS]
    f = polynomial(cube[rows], values[rows])
    AS = fourier.average_sensitivity(values)
    return {
        "AS": AS,
        "layers / AS": bound / AS,
        "above degree 3": fourier.weight_by_degree(values)[4:].sum(),
        "networks": [np.mean((net(cube)[:, 0] - values) ** 2) for net in nets],
        "polynomial": np.mean((f(cube) - values) ** 2),
        **_described(nets[DEPTHS.index(depth)], cube, rng),
    }


def _trained(X: NDArray[Any], y: Array, depth: int, rng: np.random.Generator) -> training.Layered:
    """The network that was best on the fifth of the sample that is held out, trained by Adam."""
    from sklearn.neural_network import MLPRegressor  # its import changes the filters of warnings

    model = MLPRegressor(
        hidden_layer_sizes=(WIDTH,) * depth, batch_size=64, learning_rate_init=0.003, max_iter=1000,
        early_stopping=True, validation_fraction=1 / HELD_OUT, random_state=int(rng.integers(1 << 31)),
    ).fit(X, y)  # fmt: skip
    return training.Layered(tuple(W.T for W in model.coefs_), tuple(-b for b in model.intercepts_))
