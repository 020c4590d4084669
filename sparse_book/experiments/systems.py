r"""The systems of section 1.1 in small: one hidden layer on digits, each with its own way to be sparse.

All have 256 neurons (the mixtures: 8 experts of 32), 64 inputs of -1 and 1, 10 scores, and 40 passes of SGD. A layer is
H = relu(X W^T - b) g(X) with a *gate* g >= 0, and the scores are H U^T - c:

* *dense*, *l1*, *noise*: g = 1; a penalty on activations; flipped pixels and wrong labels.
* *dense, 38* and *dense, 16*: g = 1 with so many neurons; the first takes the work of one expert, nearly.
* *predictor*: the network trained with noise; then g is 1 for the 30 % of the neurons whose pre-activations a linear
  map of rank 16 guesses to be the largest.
* *top-k*: g is 1 for the 16 largest pre-activations and 0 elsewhere, in training as after it.
* *experts, top 1* and *top 2*: a linear router picks one or two blocks of 32 neurons; g is the router's softmax there.
* *static*: 7/8 of the entries of W are 0, at random places that never change. *block*: each group of 32 neurons sees
  one row of the image.
* *look-up*: W are keys, U values; g picks the 4 best keys, whose softmax replaces relu.

Chosen by hand: the rate 0.03, and ten times that for the look-up; the penalty, the noise, the balance of the experts
and all sizes.

A cell is (system, run). *Work* counts multiply-adds for one input, with what must be computed to know the active
neurons; *union* is the share of the neurons that a batch activates (``emergence.shares_of_unions``). AS and its bounds
are those of the score of the class 0.

Paper: section 1.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core.network import SparseNetwork, gradients, training
from sparse_core.network.training import softmax

from ..runs import digits
from . import seed_of
from .emergence import shares_of_unions
from .learners import Row

__all__ = ["CELLS", "PLAIN", "SYSTEMS", "System", "largest", "measure", "predictor", "train"]

WIDTH = 256
EXPERTS = 8
KEPT = 16
KEYS = 4
RANK = 16
COMPUTED = 77  # 30 % of the neurons
EPOCHS = 40
BATCH = 64
RATE = 0.03
RUNS = 10
Floats = NDArray[Any]  # single precision

# The penalty on activations and the noise are those of chapter 8.
L1 = 0.01
FLIP, RELABEL = 0.1, 0.2
# The weight of the loss that keeps the experts balanced: that of Switch transformers.
BALANCE = 0.01
# Uniform points, all of whose neighbours are visited, for AS.
SAMPLE = 300
# Those without a gate, to whose scores the bounds on AS apply.
PLAIN = ("dense", "dense, 38", "dense, 16", "l1", "noise", "static", "block")
SYSTEMS = (
    "dense",
    "dense, 38",
    "dense, 16",
    "l1",
    "noise",
    "predictor",
    "top-k",
    "experts, top 1",
    "experts, top 2",
    "static",
    "block",
    "look-up",
)
CELLS = [(name, run) for run in range(RUNS) for name in SYSTEMS]


@dataclass
class System:
    """The parameters of a layer, and how it is gated; ``forward`` gives (scores, H, the router's softmax)."""

    name: str
    W: Floats
    b: Floats
    U: Floats
    c: Floats
    router: Floats
    seen: Floats  # 1 where an entry of W may differ from 0
    guess: Callable[[Floats], Floats] | None = None  # of the pre-activations

    def forward(self, X: Floats) -> tuple[Floats, Floats, Floats]:
        Z = X @ self.W.T - self.b
        H = np.maximum(Z, 0)
        shares = np.ones((len(X), 1), X.dtype)
        if self.guess:
            H = H * largest(self.guess(X), COMPUTED)
        elif self.name == "top-k":
            H = H * largest(Z, KEPT)
        elif self.name == "look-up":
            H = softmax(np.where(largest(Z, KEYS), Z, -np.inf))
        elif self.name.startswith("experts"):
            shares = softmax(X @ self.router.T)
            H = H * np.repeat(self.chosen(shares), WIDTH // EXPERTS, axis=1)
        return H @ self.U.T - self.c, H, shares

    def chosen(self, shares: Floats) -> Floats:
        """The shares of the experts that are chosen, 0 for the others."""
        return np.asarray(shares * largest(shares, int(self.name[-1])))

    def work(self) -> float:
        n: int = self.W.shape[1]
        outputs = len(self.U)
        if self.guess:
            return RANK * (n + WIDTH) + COMPUTED * (n + outputs)
        if self.name == "top-k":
            return WIDTH * n + KEPT * outputs
        if self.name == "look-up":
            return WIDTH * n + KEYS * outputs
        if self.name.startswith("experts"):
            return EXPERTS * n + int(self.name[-1]) * WIDTH // EXPERTS * (n + outputs)
        return float(self.seen.sum()) + self.U.size


def largest(values: Floats, count: int) -> NDArray[np.bool_]:
    """Where the ``count`` largest entries of each row are.

    >>> largest(np.array([[3.0, 1.0, 2.0]]), 2)
    array([[ True, False,  True]])
    """
    return np.asarray(values >= np.partition(values, -count, axis=1)[:, [-count]])


def predictor(net: System, X: Floats, rank: int = RANK) -> Callable[[Floats], Floats]:
    """The guess Z V V^T of the pre-activations Z of a point, V the first right singular vectors of Z on X.

    Z V is an affine map of the point, so the guess takes rank (n + neurons) multiply-adds. It stands for the predictor
    of Liu et al., which is trained to name active neurons.
    """
    V = np.linalg.svd(X @ net.W.T - net.b, full_matrices=False)[2][:rank].T
    A = net.W.T @ V
    a = net.b @ V
    return lambda points: np.asarray((points @ A - a) @ V.T)


def _gradient(net: System, X: Floats, truth: Floats) -> list[Floats]:
    """The gradient of E -ln softmax(scores)_y and the penalties in W, b, U, c and the router."""
    scores, H, shares = net.forward(X)
    D = (softmax(scores) - truth) / len(X)
    back = D @ net.U + (L1 / len(X) if net.name == "l1" else 0) * (H > 0)
    route = np.zeros_like(net.router)
    if net.name == "look-up":
        slope = H * (back - (H * back).sum(axis=1, keepdims=True))
    elif net.name.startswith("experts"):
        chosen = net.chosen(shares)
        gate = np.repeat(chosen, WIDTH // EXPERTS, axis=1)
        slope = back * gate * (H > 0)
        # d loss / d share: what its block contributes, and the penalty on shares of experts that are often chosen.
        contributed = (back * H).reshape(len(X), EXPERTS, -1).sum(axis=2)
        wanted = np.divide(contributed, chosen, out=np.zeros_like(chosen), where=chosen > 0)
        wanted += BALANCE * EXPERTS * (chosen > 0).mean(axis=0) / len(X)
        route = (shares * (wanted - (shares * wanted).sum(axis=1, keepdims=True))).T @ X
    else:
        slope = back * (H > 0)
    return [slope.T @ X * net.seen, -slope.sum(axis=0), D.T @ H, -D.sum(axis=0), route]


def train(name: str, run: int, epochs: int = EPOCHS) -> System:
    """The system after so many passes through the training digits of this run."""
    X, y, _, _ = digits(0, run)
    if name == "predictor":
        net = train("noise", run, epochs)
        net.guess = predictor(net, X)
        return net
    rng = np.random.default_rng(seed_of("systems", name, run))
    n = X.shape[1]
    width = int(name.removeprefix("dense, ")) if name.startswith("dense, ") else WIDTH
    seen: Floats = np.ones((width, n))
    if name == "static":
        seen = np.where(rng.random((WIDTH, n)) < 1 / 8, 1.0, 0.0)
    if name == "block":
        seen = np.kron(np.eye(8), np.ones((WIDTH // 8, n // 8)))
    W: Floats = rng.standard_normal((width, n)) * np.sqrt(2 / seen.sum(axis=1).clip(1))[:, None] * seen
    U: Floats = rng.standard_normal((10, width)) * sqrt(2 / width)
    router: Floats = rng.standard_normal((EXPERTS, n)) / sqrt(n)
    parts = [part.astype(np.float32) for part in (W, np.zeros(width), U, np.zeros(10), router)]
    W, b, U, c, router = parts
    net = System(name, W, b, U, c, router, seen.astype(np.float32))
    # Of a softmax over keys the slopes are small, so that it learns at this multiple of the rate.
    rate = RATE * (10 if name == "look-up" else 1)
    flip, relabel = (FLIP, RELABEL) if name == "noise" else (0.0, 0.0)
    training.descend(
        parts,
        partial(_gradient, net),
        X,
        y,
        rng=rng,
        rate=rate,
        epochs=epochs,
        batch=BATCH,
        flip=flip,
        relabel=relabel,
    )
    return net


def measure(name: str, run: int) -> Row:
    net = train(name, run)
    X, _, test, classes = digits(0, run)
    scores, H, _ = net.forward(test)
    k = (H > 0).sum(axis=1)
    rng = np.random.default_rng(seed_of("points", run))
    points = rng.choice(np.array([-1, 1], np.float32), (SAMPLE, X.shape[1]))
    values, uniform, _ = net.forward(points)
    h = values[:, 0].astype(float)
    AS = 0.0
    for i in range(X.shape[1]):
        flipped = points.copy()
        flipped[:, i] *= -1
        AS += float(np.mean((net.forward(flipped)[0][:, 0] - h) ** 2) / 4)
    row = {
        "accuracy": np.mean(scores.argmax(axis=1) == classes),
        "max k": k.max(),
        "mean k": k.mean(),
        "union": shares_of_unions(H > 0),
        "dead": np.mean(~(net.forward(X)[1] > 0).any(axis=0)),
        "n Var / AS": X.shape[1] * h.var() / AS,
        "work saved": WIDTH * (X.shape[1] + len(net.U)) / net.work(),
    }
    if name in PLAIN:
        score = SparseNetwork(net.U[0], net.W, net.b)
        row["gradients / AS"] = gradients.edges(score, points).bound / AS
        row["4 W^2 E k^2 / AS"] = 4 * score.scale.W**2 * np.mean((uniform > 0).sum(axis=1) ** 2.0) / AS
    return row
