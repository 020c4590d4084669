r"""Training ReLU networks by SGD or Adam, with a penalty on activations, and what their hidden layers then do.

__all__ = ["ActivationStatistics", "Layered", "activation_statistics", "classify", "fit", "fit_each"]

Paper: section 1, on sparsity that emerges in training; the question of section 6 about practical algorithms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import cos, inf, pi, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Array
from .network import SparseNetwork

__all__ = ["ActivationStatistics", "Layered", "activation_statistics", "classify", "fit", "fit_each"]

Step = Callable[[Iterable[Array], float], None]  # the gradient and the rate of a step, which moves the parameters
MEMORY = (0.9, 0.999)  # how much of the running means of the gradient and of its square a step keeps
LOOK = 200  # steps between two looks at the validation set


@dataclass(frozen=True, eq=False, repr=False)
class Layered:
    """h_0(x) = x, h_l(x) = relu(W_l h_(l-1)(x) - b_l), and one score for each class, W_L h_(L-1)(x) - b_L.

    >>> net = Layered((np.array([[1.0], [-1.0]]), np.array([[1.0, 1.0]])), (np.zeros(2), np.zeros(1)))
    >>> net(np.array([[-3.0], [2.0]])).ravel()          # |x|
    array([3., 2.])
    """

    W: tuple[Array, ...]
    b: tuple[Array, ...]

    def __call__(self, X: ArrayLike) -> Array:
        """The scores of each row of X: a (rows, classes) array."""
        return np.asarray(self.activations(X)[-1] @ self.W[-1].T - self.b[-1])

    def __repr__(self) -> str:
        return "Layered(" + "-".join(str(W.shape[1]) for W in self.W) + f"-{len(self.b[-1])})"

    def predict(self, X: ArrayLike) -> NDArray[np.intp]:
        """The class with the largest score, for each row of X."""
        return np.asarray(np.argmax(self(X), axis=1))

    def activations(self, X: ArrayLike) -> list[Array]:
        """The values of each hidden layer at the rows of X: (rows, neurons) arrays, positive where active."""
        X = checks.real_array("X", X, 2, shape=(None, self.W[0].shape[1]))
        return _forward(list(zip(self.W, self.b, strict=True)), X)[1:]

    def score(self, c: int) -> SparseNetwork:
        """The score of class c up to its bias, for one hidden layer: sum_j (W_2)_cj relu(<w_j, x> - b_j)."""
        if len(self.W) != 2:
            raise ValueError(
                f"Only a network with one hidden layer is a SparseNetwork; this one has {len(self.W) - 1}."
            )
        return SparseNetwork(self.W[1][checks.integer("c", c, 0, len(self.b[1]) - 1)], self.W[0], self.b[0])


class ActivationStatistics(NamedTuple):
    """How a layer is active on a sample; K is the number of active neurons at a point."""

    active: float  # the share of active pairs of point and neuron
    dead: float  # the share of neurons active at no point
    always: float  # the share of neurons active at every point
    mean: float  # E[K]
    variance: float
    most: int
    spread: float  # Var K / sum_j p_j (1 - p_j), which is 1 for independent neurons
    correlation: float  # the mean |correlation| of two neurons that vary


def activation_statistics(active: ArrayLike) -> ActivationStatistics:
    """Var K / sum_j p_j (1 - p_j) and other statistics of a (rows, neurons) array of activity: True, or a value > 0.

    >>> print(*activation_statistics([[1, 1, 0, 0], [1, 0, 1, 0]])[:7])     # the two in the middle exclude each other
    0.5 0.25 0.25 2.0 0.0 2 0.0
    """
    A = checks.real_array("active", active, 2) > 0
    checks.integer("the number of rows of active", len(A), 1)
    p, K = A.mean(axis=0), A.sum(axis=1)
    variances = p * (1 - p)
    vary = variances > 0
    Z = (A[:, vary] - p[vary]) / np.sqrt(variances[vary])
    C, pairs = np.abs(Z.T @ Z) / len(A), int(vary.sum()) * (int(vary.sum()) - 1)
    return ActivationStatistics(
        active=float(A.mean()),
        dead=float(np.mean(p == 0)),
        always=float(np.mean(p == 1)),
        mean=float(K.mean()),
        variance=float(K.var()),
        most=int(K.max()),
        spread=float(K.var() / variances.sum()) if vary.any() else 1.0,
        correlation=float((C.sum() - np.trace(C)) / pairs) if pairs else 0.0,
    )


def classify(
    X: ArrayLike,
    y: ArrayLike,
    widths: tuple[int, ...],
    *,
    rng: np.random.Generator,
    optimiser: str = "sgd",
    rate: float = 0.03,
    epochs: int = 50,
    batch: int = 64,
    l1: float = 0.0,
    decay: float = 0.0,
    flip: float = 0.0,
    relabel: float = 0.0,
    watch: Callable[[Layered], object] | None = None,
) -> Layered:
    """min E -ln softmax(h(x))_y + l1 E sum_l sum_j h_l(x)_j + (decay/2) sum_l ||W_l||^2, by minibatches.

    X, y : (m, n) points as rows and their (m,) classes 0, 1, ...
    widths : the numbers of neurons of one to three hidden layers.
    optimiser : "sgd", with momentum 0.9, or "adam"; the learning rate is the same throughout.
    flip, relabel : the probabilities with which each entry of a point changes its sign, and each class is replaced by
        a uniform one, anew in every pass.
    watch : called with the network at the start and after each pass; it must not keep it, since the steps change it.

    The network is in single precision if X is (that halves the time). The same generator gives the same network on one
    machine. On another one round-off differs, and many steps amplify it: what then agrees are statistics, roughly.

    >>> X = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    >>> net = classify(X, [0, 1, 1, 0], (16,), rng=np.random.default_rng(0), rate=0.1, epochs=200)
    >>> net.predict(X), net
    (array([0, 1, 1, 0]), Layered(2-16-2))
    """
    X, labels = _labelled("X", X, "y", y)
    y = labels.astype(np.intp)
    if (y != labels).any() or y.min() < 0:
        raise ValueError("Argument 'y' must consist of classes 0, 1, 2, ...")
    checks.integer("the number of hidden layers", len(checks.listed("widths", widths)), 1, 3)
    sizes = [X.shape[1], *(checks.size("widths", width) for width in widths), int(y.max()) + 1]
    rng, optimiser = checks.generator("rng", rng), checks.one_of("optimiser", optimiser, tuple(OPTIMISERS))
    rate, l1, decay = checks.real("rate", rate, 0), checks.real("l1", l1, 0), checks.real("decay", decay, 0)
    flip, relabel = checks.real("flip", flip, 0, 1), checks.real("relabel", relabel, 0, 1)
    epochs, batch = checks.size("epochs", epochs), min(checks.integer("batch", batch, 1), len(X))
    initial = [rng.standard_normal((t, s)) * sqrt(2 / s) for s, t in pairwise(sizes)]
    layers = [(W.astype(X.dtype), np.zeros(len(W), X.dtype)) for W in initial]
    step = OPTIMISERS[optimiser]([p for layer in layers for p in layer])
    net = Layered(tuple(W for W, _ in layers), tuple(b for _, b in layers))
    watch = watch or (lambda net: None)
    watch(net)
    for _ in range(epochs):
        points = np.where(rng.random(X.shape) < flip, -X, X) if flip else X
        shown = np.where(rng.random(len(y)) < relabel, rng.integers(0, sizes[-1], len(y)), y) if relabel else y
        order = rng.permutation(len(X))
        for start in range(0, len(X) - batch + 1, batch):
            rows = order[start : start + batch]
            step(_backward(layers, points[rows], shown[rows], l1, decay), rate)
        watch(net)
    return net


def _forward(layers: list[tuple[Array, Array]], X: Array) -> list[Array]:
    H = [X]
    for W, b in layers[:-1]:
        Z = H[-1] @ W.T
        Z -= b
        H.append(np.maximum(Z, 0, out=Z))
    return H


def _backward(layers: list[tuple[Array, Array]], X: Array, y: NDArray[np.intp], l1: float, decay: float) -> list[Array]:
    """The gradient of the objective of ``classify`` in W_1, b_1, W_2, ... on one minibatch."""
    H = _forward(layers, X)
    Z = H[-1] @ layers[-1][0].T - layers[-1][1]
    D = np.exp(Z - Z.max(axis=1, keepdims=True))
    D /= D.sum(axis=1, keepdims=True)
    D[np.arange(len(y)), y] -= 1
    D /= len(y)
    gradient: list[Array] = []
    for (W, _), h in zip(reversed(layers), reversed(H), strict=True):
        gradient[:0] = [D.T @ h + decay * W if decay else D.T @ h, -D.sum(axis=0)]
        if h is not X:
            D = D @ W
            if l1:
                D += l1 / len(y)
            D *= h > 0
    return gradient


def _sgd(parameters: list[Array]) -> Step:
    """p <- p - rate v, v <- 0.9 v + gradient: descent with momentum, in place."""
    velocity = [np.zeros_like(p) for p in parameters]

    def step(gradient: Iterable[Array], rate: float) -> None:
        for p, v, g in zip(parameters, velocity, gradient, strict=True):
            v *= MEMORY[0]
            v += g
            p -= rate * v

    return step


def _adam(parameters: list[Array]) -> Step:
    """p <- p - rate mean / (sqrt(square) + 1e-8), the running means of the gradient and of its square, in place."""
    mean, square, change = ([np.zeros_like(p) for p in parameters] for _ in range(3))
    taken = 0

    def step(gradient: Iterable[Array], rate: float) -> None:
        nonlocal taken
        taken += 1
        rate = rate * sqrt(1 - MEMORY[1] ** taken) / (1 - MEMORY[0] ** taken)
        for p, m, v, d, g in zip(parameters, mean, square, change, gradient, strict=True):
            m += np.multiply(np.subtract(g, m, out=d), 1 - MEMORY[0], out=d)
            v += np.multiply(np.subtract(np.multiply(g, g, out=d), v, out=d), 1 - MEMORY[1], out=d)
            p -= np.multiply(np.divide(m, np.add(np.sqrt(v, out=d), 1e-8, out=d), out=d), rate, out=d)

    return step


OPTIMISERS: dict[str, Callable[[list[Array]], Step]] = {"sgd": _sgd, "adam": _adam}


def fit(
    X: ArrayLike, y: ArrayLike, width: int, *, l1: float = 0.0, decay: float = 0.0, **options: Any
) -> SparseNetwork:
    """min E (1/2)(h(x) - y)^2 + l1 E sum_j relu(z_j(x)) + (decay/2)(||u||^2 + ||W||^2), by steps of Adam.

    l1, decay : the penalties on activations, which a silent neuron does not pay, and on squared weights.
    options : ``rng``, ``validation``, ``steps``, ``rate`` and ``batch`` of ``fit_each``.

    >>> X = np.linspace(-1, 1, 50)[:, None]
    >>> h = fit(X, np.abs(X[:, 0]), 8, rng=np.random.default_rng(0), steps=600)
    >>> float(np.mean((h(X) - np.abs(X[:, 0])) ** 2)) < 0.01
    True
    """
    prices = [(checks.real("l1", l1, 0), checks.real("decay", decay, 0))]
    return fit_each(X, y, width, prices, **options)[0]


def fit_each(
    X: ArrayLike,
    y: ArrayLike,
    width: int,
    prices: ArrayLike,
    *,
    rng: np.random.Generator,
    validation: tuple[ArrayLike, ArrayLike] | None = None,
    steps: int = 2000,
    rate: float = 0.005,
    batch: int = 64,
) -> list[SparseNetwork]:
    """The network of ``fit`` for each row (l1, decay) of ``prices``, from one start and in the same batches, at once.

    validation : points and labels; of the networks met every 200 steps, the best on them is returned, else the last.
    rate : the largest learning rate; it falls along a cosine to 0.

    Precision and what the generator determines are as for ``classify``.

    >>> X = np.linspace(-1, 1, 50)[:, None]
    >>> nets = fit_each(X, np.abs(X[:, 0]), 8, [(0, 0), (0.1, 0)], rng=np.random.default_rng(0), steps=600)
    >>> [float(net.active_count(X).mean()) for net in nets]
    [5.16, 0.32]
    """
    X, y = _labelled("X", X, "y", y)
    held_out = _labelled("validation", validation[0], "validation", validation[1], X.shape[1]) if validation else None
    width, rng = checks.size("width", width), checks.generator("rng", rng)
    l1, decay = checks.real_array("prices", prices, 2, shape=(None, 2)).T
    checks.real("the least of prices", min(l1.min(), decay.min()), 0)
    rate, steps = checks.real("rate", rate, 0), checks.size("steps", steps)
    batch = min(checks.integer("batch", batch, 1), len(X))
    u = rng.standard_normal(width) / sqrt(width)
    W = rng.standard_normal((width, X.shape[1])) * sqrt(2 / X.shape[1])
    y, l1, decay, u, W, b = (a.astype(X.dtype) for a in (y, l1, decay, u, W, np.zeros(width)))
    parameters = [np.tile(p, (len(l1), *[1] * p.ndim)) for p in (u, W, b)]
    step = _adam(parameters)
    best, least, order = [p.copy() for p in parameters], np.full(len(l1), inf), np.arange(0)
    for t in range(1, steps + 1):
        if len(order) < batch:
            order = rng.permutation(len(X))
        rows, order = order[:batch], order[batch:]
        step(_gradient(parameters, X[rows], y[rows], l1, decay), rate * (1 + cos(pi * t / steps)) / 2)
        if held_out and (t % LOOK == 0 or t == steps):
            nets = [SparseNetwork(*net) for net in zip(*parameters, strict=True)]
            error = np.array([np.mean((net(held_out[0]) - held_out[1]) ** 2) for net in nets])
            better = error < least
            least[better] = error[better]
            for kept, p in zip(best, parameters, strict=True):
                kept[better] = p[better]
    return [SparseNetwork(*net) for net in zip(*(best if held_out else parameters), strict=True)]


def _gradient(
    parameters: list[Array], x: Array, y: Array, l1: ArrayLike, decay: ArrayLike
) -> tuple[Array, Array, Array]:
    """The gradient of the objective in u, W and b on one minibatch; relu has the slope 0 at 0.

    Further axes of the parameters come first and are those of the penalties: one network for each.
    """
    u, W, b = parameters
    l1, decay = np.asarray(l1)[..., None, None], np.asarray(decay)[..., None]
    H = np.maximum(x @ W.mT - b[..., None, :], 0)
    error = ((H @ u[..., None])[..., 0] - y) / len(x)
    D = (error[..., None] * u[..., None, :] + l1 / len(x)) * (H > 0)
    return (error[..., None, :] @ H)[..., 0, :] + decay * u, D.mT @ x + decay[..., None] * W, -D.sum(axis=-2)


def _labelled(name_x: str, X: ArrayLike, name_y: str, y: ArrayLike, n: int | None = None) -> tuple[Array, Array]:
    X = checks.real_array(name_x, X, 2, shape=(None, n))
    checks.integer(f"the number of points {name_x}", len(X), 1)
    return X, checks.real_array(name_y, y, 1, shape=(len(X),))
