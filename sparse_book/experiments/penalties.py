r"""Penalties on activations and on squared weights, each chosen by validation, on four kinds of targets on 16 bits.

Three targets are sparse: an Appendix A network with three address bits, a decision tree of depth 3 with a neuron at
each leaf, and a packing of 32 half-spaces of which no more than k = 4 have a point in common. The fourth is dense:
eight Gaussian neurons without biases. All four are of this book's choice.

Each sample has 768 points for training and 256 that choose the penalty and when to stop. The learner has 64 neurons.
Target, sample and initial network are the same for all penalties of a run.

A cell is (target, run). *Error* is that on the whole cube, relative to the variance of the target; *found* the share of
planted neurons to one of which a learned one is 80 % similar. Both have an entry for each kind of PENALTIES.

Paper: section 6, which asks for practical algorithms.
"""

from __future__ import annotations

import numpy as np

from sparse_core.network import SparseNetwork, constructions, training

from . import seed_of
from .learners import Row

__all__ = ["CELLS", "PENALTIES", "TARGETS", "measure", "planted"]

N = 16
WIDTH = 64
STEPS = 1500
SAMPLES = 1024
VALIDATED = 256
RUNS = 10
# The pairs (on activations, on squared weights) from which validation chooses one of each kind.
PENALTIES = {
    "no penalty": [(0.0, 0.0)],
    "penalty on squared weights": [(0.0, v) for v in (0.001, 0.005, 0.02, 0.1)],
    "penalty on activations": [(v, 0.0) for v in (0.003, 0.01, 0.03, 0.1)],
}
TARGETS = ("address", "decision tree", "packing", "dense")
CELLS = [(name, run) for run in range(RUNS) for name in TARGETS]
# The share of points where both are active, among those where one is, from which two neurons count as similar, and the
# points on which it is measured.
SIMILAR = 0.8
POINTS = 4000


def planted(name: str, rng: np.random.Generator) -> SparseNetwork:
    """A target.

    >>> int(planted("packing", np.random.default_rng(0)).active_count().max())
    4
    """
    if name == "address":
        return constructions.appendix_a(3, N - 3, gamma=(N - 3) ** 0.5 / 2, rng=rng)
    if name == "decision tree":
        paths = constructions.random_paths(N, 3, rng=rng)
        return constructions.tree(paths, weights=rng.standard_normal((8, N)))
    if name == "packing":
        return constructions.random_sparse(N, 32, 4, rng=rng)
    W = rng.standard_normal((8, N)) / N**0.5
    return SparseNetwork(rng.choice([-1, 1], 8), W, np.zeros(8))


def found_share(target: SparseNetwork, learned: SparseNetwork) -> float:
    """The share of planted neurons to one of which a learned neuron is similar."""
    X = np.random.default_rng([0, 9]).choice([-1.0, 1.0], (POINTS, N))
    A, B = (net.active(X).astype(float) for net in (target, learned))
    both = A.T @ B
    either = A.sum(axis=0)[:, None] + B.sum(axis=0) - both
    return float(np.mean((both >= SIMILAR * np.maximum(either, 1)).any(axis=1)))


def measure(name: str, run: int) -> Row:
    rng = np.random.default_rng(seed_of("penalties", name, run))
    target = planted(name, rng)
    X = rng.choice([-1.0, 1.0], (SAMPLES, N))
    h = target.values()
    truth, y = ((values - h.mean()) / h.std() for values in (h, target(X)))
    pairs = [pair for grid in PENALTIES.values() for pair in grid]
    nets = training.fit_each(
        X[VALIDATED:].astype(np.float32),
        y[VALIDATED:],
        WIDTH,
        pairs,
        steps=STEPS,
        validation=(X[:VALIDATED], y[:VALIDATED]),
        rng=rng,
    )
    held_out = dict(zip(pairs, [np.mean((net(X[:VALIDATED]) - y[:VALIDATED]) ** 2) for net in nets], strict=True))
    chosen = [nets[pairs.index(min(grid, key=lambda pair: held_out[pair]))] for grid in PENALTIES.values()]
    return {
        "error": [np.mean((net.values() - truth) ** 2) for net in chosen],
        "found": [found_share(target, net) for net in chosen],
    }
