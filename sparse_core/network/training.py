r"""Training ReLU networks by SGD or Adam, with a penalty on activations.

Paper: section 1, on sparsity that emerges in training; the question of section 6 about practical algorithms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import cos, inf, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Array, one_thread
from .network import SparseNetwork

__all__ = ["Layered", "classify", "fit", "fit_each"]

Layers = list[tuple[Array, Array]]  # (W_l, b_l)

# The share of the running mean of the gradients that a step keeps, in both optimisers: the usual value.
MOMENTUM = 0.9
# The share of the running mean of the squared gradients that a step of Adam keeps: the value of its authors.
SQUARE_MOMENTUM = 0.999
# What Adam adds to the root of that mean, in units of a gradient: the value of its authors.
SMALL_GRADIENT = 1e-8
# Classes of ``classify``, whose identity matrix is made: 128 MB.
MAX_CLASSES = 1 << 12
# Steps of ``fit`` from one evaluation on the validation set to the next.
VALIDATE_EVERY = 200


@dataclass(frozen=True, eq=False, repr=False)
class Layered:
    """h_0(x) = x, h_l(x) = relu(W_l h_(l-1)(x) - b_l), and one score for each class, W_L h_(L-1)(x) - b_L.

    >>> net = Layered((np.array([[1.0], [-1.0]]), np.array([[1.0, 1.0]])), (np.zeros(2), np.zeros(1)))
    >>> net(np.array([[-3.0], [2.0]])).ravel()          # |x|
    array([3., 2.])
    """

    W: tuple[Array, ...]
    b: tuple[Array, ...]

    def __post_init__(self) -> None:
        W = tuple(checks.real_array("W", part, 2) for part in checks.listed("W", self.W))
        b = tuple(checks.real_array("b", part, 1) for part in checks.listed("b", self.b))
        sizes = [*(part.shape[1] for part in W[:1]), *map(len, W)]
        if len(W) < 2 or [part.shape[1] for part in W] != sizes[:-1] or [*map(len, b)] != sizes[1:]:
            shapes = [part.shape for part in W], [part.shape for part in b]
            raise ValueError(
                "Arguments 'W' and 'b' must be layers, two at least, that fit; their shapes are {}, {}.".format(*shapes)
            )
        vars(self).update(W=W, b=b)

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
        return _inputs(list(zip(self.W, self.b, strict=True)), X)[1:]

    def score(self, c: int) -> SparseNetwork:
        """The score of class c up to its bias, for one hidden layer: sum_j (W_2)_cj relu(<w_j, x> - b_j)."""
        if len(self.W) != 2:
            raise ValueError(
                f"Only a network with one hidden layer is a SparseNetwork; this one has {len(self.W) - 1}."
            )
        return SparseNetwork(self.W[1][checks.integer("c", c, 0, len(self.b[1]) - 1)], self.W[0], self.b[0])


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
    machine, on one thread: a batch is too small for more. On another machine round-off differs, and many steps amplify
    it: what then agrees are statistics, roughly.

    >>> X = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    >>> net = classify(X, [0, 1, 1, 0], (16,), rng=np.random.default_rng(0), rate=0.1, epochs=200)
    >>> net.predict(X), net
    (array([0, 1, 1, 0]), Layered(2-16-2))
    """
    X, labels = _labelled("X", X, "y", y)
    y = labels.astype(np.intp)
    if (y != labels).any() or y.min() < 0:
        raise ValueError("Argument 'y' must consist of classes 0, 1, 2, ...")
    checks.integer("y", y.max(), maximum=MAX_CLASSES - 1)
    checks.integer("the number of hidden layers", len(checks.listed("widths", widths)), 1, 3)
    sizes = [X.shape[1], *(checks.size("widths", width) for width in widths), int(y.max()) + 1]
    rng = checks.generator("rng", rng)
    optimiser = checks.one_of("optimiser", optimiser, ("sgd", "adam"))
    rate = checks.real("rate", rate, 0)
    l1 = checks.real("l1", l1, 0)
    decay = checks.real("decay", decay, 0)
    flip = checks.real("flip", flip, 0, 1)
    relabel = checks.real("relabel", relabel, 0, 1)
    epochs = checks.size("epochs", epochs)
    batch = min(checks.integer("batch", batch, 1), len(X))
    watch = None if watch is None else checks.function("watch", watch)
    initial = [rng.standard_normal((t, s)) * sqrt(2 / s) for s, t in pairwise(sizes)]
    layers = [(W.astype(X.dtype), np.zeros(len(W), X.dtype)) for W in initial]
    net = Layered(tuple(W for W, _ in layers), tuple(b for _, b in layers))
    descend(
        [p for layer in layers for p in layer],
        lambda points, truth: _gradient(layers, points, truth, softmax, l1, decay),
        X,
        y,
        rng=rng,
        optimiser=optimiser,
        rate=rate,
        epochs=epochs,
        batch=batch,
        flip=flip,
        relabel=relabel,
        after_pass=(lambda: watch(net)) if watch else None,
    )
    return net


@one_thread()  # else BLAS shares each small product among threads, which takes three times as long
def descend(
    parameters: list[Any],
    gradient: Callable[[Any, Any], list[Any]],
    X: NDArray[Any],
    y: NDArray[np.intp],
    *,
    rng: np.random.Generator,
    optimiser: str = "sgd",
    rate: float,
    epochs: int,
    batch: int,
    flip: float = 0.0,
    relabel: float = 0.0,
    after_pass: Callable[[], object] | None = None,
) -> None:
    """The passes of ``classify`` for any classifier: its parameters are moved in place along gradient(points, truth).

    A row of truth is 1 at the class of the point and 0 elsewhere. ``after_pass`` is also called at the start. The
    arguments are not checked.
    """
    descent = _Descent(parameters, optimiser)
    classes = int(y.max()) + 1
    truth = np.eye(classes, dtype=X.dtype)
    if after_pass:
        after_pass()
    for _ in range(epochs):
        points = np.where(rng.random(X.shape) < flip, -X, X) if flip else X
        shown = np.where(rng.random(len(y)) < relabel, rng.integers(0, classes, len(y)), y) if relabel else y
        order = rng.permutation(len(X))
        for start in range(0, len(X) - batch + 1, batch):
            rows = order[start : start + batch]
            descent.step(gradient(points[rows], truth[shown[rows]]), rate)
        if after_pass:
            after_pass()


def _inputs(layers: Layers, X: Array) -> list[Array]:
    """x, h_1(x), ..., h_(L-1)(x): what each layer is given. Axes of the layers before the last two come first."""
    H = [X]
    for W, b in layers[:-1]:
        Z = H[-1] @ W.mT
        Z -= b[..., None, :]
        H.append(np.maximum(Z, 0, out=Z))
    return H


def softmax(scores: Array) -> Array:
    """exp(score) / sum exp(scores) in each row."""
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _gradient(
    layers: Layers, X: Array, y: Array, predicted: Callable[[Array], Array], l1: Any, decay: Any
) -> list[Array]:
    """The gradient in W_1, b_1, W_2, ... of E loss + l1 E sum_l sum_j h_l(x)_j + (decay/2) sum_l ||W_l||^2.

    y, predicted : (rows, classes) targets, and what the scores predict for them. The loss has the slope predicted - y
        in the scores: with softmax it is -ln softmax(scores)_y, with the scores themselves half of the square.

    relu has the slope 0 at 0. Axes of the layers before the last two are those of networks that are trained at once; l1
    and decay have them, too.
    """
    H = _inputs(layers, X)
    W, b = layers[-1]
    D = (predicted(H[-1] @ W.mT - b[..., None, :]) - y) / len(X)
    gradient: list[Array] = []
    for (W, _), h in zip(reversed(layers), reversed(H), strict=True):
        gradient = [D.mT @ h + decay * W, -D.sum(axis=-2), *gradient]
        if h is not X:
            D = D @ W
            D += l1 / len(X)
            D *= h > 0
    return gradient


class _Descent:
    """Steps that move the parameters p in place, from gradients g and a rate.

    "sgd", with momentum: v <- 0.9 v + g, p <- p - rate v.
    "adam", in step t: v <- 0.9 v + 0.1 g, q <- 0.999 q + 0.001 g^2, and
    p <- p - rate sqrt(1 - 0.999^t) / (1 - 0.9^t) v / (sqrt(q) + 1e-8).
    """

    def __init__(self, parameters: list[Array], optimiser: str) -> None:
        self.parameters = parameters
        self.adam = optimiser == "adam"
        self.mean = [np.zeros_like(p) for p in parameters]
        self.square = [np.zeros_like(p) for p in parameters]
        self.taken = 0

    def step(self, gradient: list[Array], rate: float) -> None:
        self.taken += 1
        adam_rate = rate * sqrt(1 - SQUARE_MOMENTUM**self.taken) / (1 - MOMENTUM**self.taken)
        for p, v, q, g in zip(self.parameters, self.mean, self.square, gradient, strict=True):
            if self.adam:
                v += (1 - MOMENTUM) * (g - v)
                q += (1 - SQUARE_MOMENTUM) * (g * g - q)
                p -= adam_rate * v / (np.sqrt(q) + SMALL_GRADIENT)
            else:
                v *= MOMENTUM
                v += g
                p -= rate * v


def fit(
    X: ArrayLike,
    y: ArrayLike,
    width: int,
    *,
    rng: np.random.Generator,
    l1: float = 0.0,
    decay: float = 0.0,
    validation: tuple[ArrayLike, ArrayLike] | None = None,
    steps: int = 2000,
    rate: float = 0.005,
    batch: int = 64,
) -> SparseNetwork:
    """min E (1/2)(h(x) - y)^2 + l1 E sum_j relu(z_j(x)) + (decay/2)(||u||^2 + ||W||^2), by steps of Adam.

    l1, decay : the penalties on activations, to which an inactive neuron contributes nothing, and on squared weights.
    validation : points and labels; of the networks met every 200 steps, the best on them is returned, else the last.
    rate : the largest learning rate; it falls along a cosine to 0.

    Precision and what the generator determines are as for ``classify``.

    >>> X = np.linspace(-1, 1, 50)[:, None]
    >>> h = fit(X, np.abs(X[:, 0]), 8, rng=np.random.default_rng(0), steps=600)
    >>> float(np.mean((h(X) - np.abs(X[:, 0])) ** 2)) < 0.01
    True
    """
    penalties = [(checks.real("l1", l1, 0), checks.real("decay", decay, 0))]
    return fit_each(X, y, width, penalties, rng=rng, validation=validation, steps=steps, rate=rate, batch=batch)[0]


@one_thread()
def fit_each(
    X: ArrayLike,
    y: ArrayLike,
    width: int,
    penalties: ArrayLike,
    *,
    rng: np.random.Generator,
    validation: tuple[ArrayLike, ArrayLike] | None = None,
    steps: int = 2000,
    rate: float = 0.005,
    batch: int = 64,
) -> list[SparseNetwork]:
    """The network of ``fit`` for each row (l1, decay) of ``penalties``: from one start, in the same batches, at once.

    The other arguments are those of ``fit``.

    >>> X = np.linspace(-1, 1, 50)[:, None]
    >>> nets = fit_each(X, np.abs(X[:, 0]), 8, [(0, 0), (0.1, 0)], rng=np.random.default_rng(0), steps=600)
    >>> [float(net.active_count(X).mean()) for net in nets]
    [5.16, 0.32]
    """
    X, y = _labelled("X", X, "y", y)
    held_out = None
    if validation is not None:
        pair = checks.listed("validation", validation)
        checks.integer("the number of arrays of validation", len(pair), 2, 2)
        held_out = _labelled("validation", pair[0], "validation", pair[1], X.shape[1])
    width = checks.size("width", width)
    rng = checks.generator("rng", rng)
    pairs = checks.real_array("penalties", penalties, 2, shape=(None, 2))
    checks.entries("penalties", pairs, pairs >= 0, "must be at least 0")
    rate = checks.real("rate", rate, 0)
    steps = checks.size("steps", steps)
    batch = min(checks.integer("batch", batch, 1), len(X))
    u = rng.standard_normal(width) / sqrt(width)
    W = rng.standard_normal((width, X.shape[1])) * sqrt(2 / X.shape[1])
    # One network for each penalty along the first axis; the output has one neuron, whose bias is always 0.
    parameters = [np.tile(p, (len(pairs), 1, 1)).astype(X.dtype) for p in (W, u)]
    parameters.insert(1, np.zeros((len(pairs), width), X.dtype))
    hidden, bias, output = parameters
    layers = [(hidden, bias), (output, np.zeros(1, X.dtype))]
    l1, decay = pairs.astype(X.dtype).T[:, :, None, None]
    descent = _Descent(parameters, "adam")

    def networks() -> list[SparseNetwork]:
        return [SparseNetwork(u[0], W, b) for W, b, u in zip(hidden, bias, output, strict=True)]

    y = y.astype(X.dtype)[:, None]
    best = networks()
    least = np.full(len(pairs), inf)
    order = np.arange(0)
    for t in range(1, steps + 1):
        if len(order) < batch:
            order = rng.permutation(len(X))
        rows, order = order[:batch], order[batch:]
        *gradient, _ = _gradient(layers, X[rows], y[rows], lambda scores: scores, l1, decay)
        descent.step(gradient, rate * (1 + cos(pi * t / steps)) / 2)
        if held_out and (t % VALIDATE_EVERY == 0 or t == steps):
            for i, net in enumerate(networks()):
                error = np.mean((net(held_out[0]) - held_out[1]) ** 2)
                if error < least[i]:
                    best[i] = net
                    least[i] = error
    return best if held_out else networks()


def _labelled(name_x: str, X: ArrayLike, name_y: str, y: ArrayLike, n: int | None = None) -> tuple[Array, Array]:
    X = checks.real_array(name_x, X, 2, shape=(None, n))
    checks.integer(f"the number of points {name_x}", len(X), 1)
    checks.integer(f"the number of columns of {name_x}", X.shape[1], 1)
    return X, checks.real_array(name_y, y, 1, shape=(len(X),))
