r"""The two algorithms of the paper on the same targets under four distributions of the inputs, on n = 64 bits.

*Polynomial*: regression of a validated degree, 1 or 2. *Minimiser*: the network with the least empirical risk among
256 networks, one of which is the target; the minimiser over the whole class nobody can compute at this size. *Network*:
64 neurons trained by Adam. *Nearest*: the mean label at the nearest points, which on repeated inputs is a table. On
lifted inputs, of which there are 256, also *degree 3*: a polynomial of that degree.

The targets are a lifted parity of 6 of 8 bits, among those of all sets; and Appendix A's network of 4 neurons with
2 address bits, among 256 of its kind. The inputs are uniform, biased (independent, 1 with probability 0.8), clusters
(8 random centres, each bit flipped with probability 0.1), or lifted (the 256 images of 8 bits).

Labels have Gaussian noise, half of the target's standard deviation. A cell is (target, inputs, run). The risks of
the LEARNERS, for each of SIZES, are relative to the variance of the target under these inputs.

Paper: Theorem 8 (low degree, uniform), Theorem 17 (minimiser, all distributions), section 4 (lifted parities).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from sparse_core.hardness import reductions
from sparse_core.network import SparseNetwork, constructions

from . import learners, seed_of
from .learners import Predictor, Row

__all__ = ["CELLS", "INPUTS", "LEARNERS", "SIZES", "TARGETS", "draw", "measure"]

Points = NDArray[np.int8]

BITS = 8
N = BITS * BITS
ADDRESS = 2
PARITY = 6
CANDIDATES = 1 << BITS
NOISE = 0.5
RUNS = 10
SIZES = (128, 512, 2048, 8192)
FRESH = 4000
TARGETS = ("Appendix A", "lifted parity")
INPUTS = ("uniform", "biased", "clusters", "lifted")
LEARNERS = ("polynomial", "minimiser", "network", "nearest")
CELLS = [(target, inputs, run) for run in range(RUNS) for target in TARGETS for inputs in INPUTS]


def draw(inputs: str, count: int, rng: np.random.Generator) -> Points:
    """So many points; the eight centres of the clusters are drawn anew in each call.

    >>> draw("lifted", 2, np.random.default_rng(0)).shape
    (2, 64)
    """
    if inputs == "lifted":
        return reductions.lift(rng.choice(np.array([-1, 1], np.int8), (count, BITS)))
    if inputs == "clusters":
        centres = rng.choice(np.array([-1, 1], np.int8), (8, N))
        points = centres[rng.integers(0, 8, count)]
        return np.where(rng.random((count, N)) < 0.1, -points, points).astype(np.int8)
    ones = {"uniform": 0.5, "biased": 0.8}[inputs]
    return np.where(rng.random((count, N)) < ones, 1, -1).astype(np.int8)


@cache
def candidates(target: str) -> tuple[SparseNetwork, ...]:
    """The 256 networks of the finite class."""
    if target == "lifted parity":
        return tuple(reductions.parity(S, BITS, values="signs", tent="wide") for S in range(CANDIDATES))
    rng = np.random.default_rng(seed_of(target))
    length = N - ADDRESS
    return tuple(constructions.appendix_a(ADDRESS, length, gamma=length**0.5 / 2, rng=rng) for _ in range(CANDIDATES))


def measure(target: str, inputs: str, run: int) -> Row:
    rng = np.random.default_rng(seed_of("inputs", target, inputs, run))
    nets = candidates(target)
    if target == "lifted parity":
        planted = nets[sum(1 << int(i) for i in rng.choice(BITS, PARITY, replace=False))]
    else:
        planted = nets[int(rng.integers(len(nets)))]
    X = draw(inputs, max(SIZES) + FRESH, rng)
    h = planted(X)
    y = h + NOISE * h.std() * rng.standard_normal(len(h))
    sample, fresh = X[: max(SIZES)], X[max(SIZES) :]
    truth = h[max(SIZES) :]

    def risk(f: Predictor) -> float:
        return float(np.mean((f(fresh) - truth) ** 2) / truth.var())

    losses = (np.array([net(sample) for net in nets]) - y[: len(sample)]) ** 2
    least = [risk(nets[losses[:, :m].sum(axis=1).argmin()]) for m in SIZES]
    row = learners.risks(sample, y, SIZES, risk, rng=rng, degrees=(1, 2)) | {"minimiser": least}
    row["nearest"] = [risk(learners.nearest(sample[:m], y[:m])) for m in SIZES]
    if inputs == "lifted":
        row["degree 3"] = [risk(learners.cubic(sample[:m], y[:m])) for m in SIZES]
    return row
