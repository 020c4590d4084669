r"""Training networks with one hidden layer by gradient steps, with a price on activations.

The objective is E (1/2)(h(x) - y)^2 + l1 E sum_j relu(z_j(x)) + (decay/2)(||u||^2 + ||W||^2), averaged over
minibatches, and the steps are Adam's with a cosine schedule. Nothing is promised about the minimum: this is the
optimiser of practice, the same with and without the price.

Paper: the question of section 6 about practical algorithms.
"""

from __future__ import annotations

from math import cos, inf, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import checks
from .network import SparseNetwork

__all__ = ["fit"]

Array = NDArray[np.float64]
MEMORY = (0.9, 0.999)  # how much of the running means of the gradient and of its square a step keeps
LOOK = 200  # steps between two looks at the validation set


def fit(
    X: ArrayLike,
    y: ArrayLike,
    width: int,
    *,
    rng: np.random.Generator,
    validation: tuple[ArrayLike, ArrayLike] | None = None,
    l1: float = 0.0,
    decay: float = 0.0,
    steps: int = 2000,
    rate: float = 0.005,
    batch: int = 64,
) -> SparseNetwork:
    """min E (1/2)(h(x) - y)^2 + l1 E sum_j relu(z_j(x)) + (decay/2)(||u||^2 + ||W||^2), by ``steps`` steps of Adam.

    Parameters
    ----------
    X, y : (m, n) points as rows and their (m,) labels.
    width : the number of neurons.
    validation : points and labels; of the networks met every 200 steps, the best on them is returned, else the last.
    l1 : the price of activation. A neuron that is silent costs nothing, so the price favours sparse activity.
    decay : the price of the squared weights; biases are free.
    rate : the largest step; it falls along a cosine to 0.
    batch : points in a step, at most m.

    Returns
    -------
    A ``SparseNetwork`` in float64. The same generator gives the same network on one machine, and on others up to
    round-off.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 50)[:, None]
    >>> h = fit(X, np.abs(X[:, 0]), 8, rng=np.random.default_rng(0), steps=600)
    >>> float(np.mean((h(X) - np.abs(X[:, 0])) ** 2)) < 0.01
    True
    """
    X, y = _labelled("X", X, "y", y)
    held_out = _labelled("validation", validation[0], "validation", validation[1], X.shape[1]) if validation else None
    width, rng = checks.integer("width", width, 1), checks.generator("rng", rng)
    l1, decay, rate = checks.real("l1", l1, 0), checks.real("decay", decay, 0), checks.real("rate", rate, 0)
    steps, batch = checks.integer("steps", steps, 1), min(checks.integer("batch", batch, 1), len(X))
    u = rng.standard_normal(width) / sqrt(width)
    W = rng.standard_normal((width, X.shape[1])) * sqrt(2 / X.shape[1])
    parameters = [u, W, np.zeros(width)]
    mean, square = ([np.zeros_like(p) for p in parameters] for _ in MEMORY)
    best, least, order = parameters, inf, np.zeros(0, dtype=int)
    for t in range(1, steps + 1):
        if len(order) < batch:
            order = rng.permutation(len(X))
        rows, order = order[:batch], order[batch:]
        step = rate * (1 + cos(pi * t / steps)) / 2 * sqrt(1 - MEMORY[1] ** t) / (1 - MEMORY[0] ** t)
        for i, g in enumerate(_gradient(parameters, X[rows], y[rows], l1, decay)):
            mean[i] += (1 - MEMORY[0]) * (g - mean[i])
            square[i] += (1 - MEMORY[1]) * (g**2 - square[i])
            parameters[i] = parameters[i] - step * mean[i] / (np.sqrt(square[i]) + 1e-8)
        if held_out and (t % LOOK == 0 or t == steps):
            error = float(np.mean((SparseNetwork(*parameters)(held_out[0]) - held_out[1]) ** 2))
            if error < least:
                best, least = list(parameters), error
    return SparseNetwork(*(best if held_out else parameters))


def _gradient(parameters: list[Array], x: Array, y: Array, l1: float, decay: float) -> tuple[Array, Array, Array]:
    """The gradient of the objective in u, W and b on one minibatch; relu has the slope 0 at 0."""
    u, W, b = parameters
    H = np.maximum(x @ W.T - b, 0)
    error = (H @ u - y) / len(x)
    D = (np.outer(error, u) + l1 / len(x)) * (H > 0)
    return error @ H + decay * u, D.T @ x + decay * W, -D.sum(axis=0)


def _labelled(name_x: str, X: ArrayLike, name_y: str, y: ArrayLike, n: int | None = None) -> tuple[Array, Array]:
    X = np.asarray(checks.real_array(name_x, X, 2, shape=(None, n)), dtype=np.float64)
    checks.integer(f"the number of points {name_x}", len(X), 1)
    return X, np.asarray(checks.real_array(name_y, y, 1, shape=(len(X),)), dtype=np.float64)
