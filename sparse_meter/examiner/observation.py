r"""Quantities of one network under a distribution, with uncertainty: exact on all its points, or from a sample.

``observe`` reads a network and chooses the points; ``visit`` visits them and, on the cube, the neighbours x' that
differ from x in one bit. ``Observation`` then gives means, noise sensitivity and Fourier tails as ``Interval``, a
number between two bounds. ``table`` and ``ladder`` compare them.

Paper: sections 2 and 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from sparse_core import checks
from sparse_core._arrays import Array
from sparse_core._interval import Interval, exactly, student
from sparse_core.cube import fourier
from sparse_core.cube.hypercube import points
from sparse_core.learning.lemma_9 import Flips, flips
from sparse_core.network import gradients
from sparse_core.network.gradients import Edges, Signs
from sparse_core.network.network import SparseNetwork
from sparse_core.network.sparsity import AUTO_PAIRS, Sparsity, digest

from ..networks import last_step, numbers
from .outputs import WithConstant, as_network

__all__: list[str] = []  # called by ``explain`` and ``examine``

# A Fourier tail is estimated on this many parts of a sample, whose spread gives the interval: enough that the quantile
# of Student's distribution is within 5 % of the normal one.
PARTS = 32
# The dimension of the largest cube that is visited point by point.
EXACT_N = 20
# (point, neuron) pairs up to which the flips are tried at every point of the cube: a few seconds.
EXACT_PAIRS = 1 << 24
# (point, neuron, flip) triples in a sample of the cube, which sets its size between MIN_SAMPLE and MAX_SAMPLE points:
# some ten seconds.
SAMPLED_TRIPLES = 1 << 28
MIN_SAMPLE = 256
MAX_SAMPLE = 4096
# (point, neuron, flip) triples along whose edges the slope is followed: two to three seconds, at some 40 nanoseconds
# each. It sets the number of points that are used, at least MIN_EDGE_POINTS.
EDGE_TRIPLES = 1 << 26
MIN_EDGE_POINTS = 16
# (point, input) pairs in a sample: the gradients at its points are that many numbers, 128 MB, and some six such arrays
# are held at once, less than a gigabyte.
SAMPLED_ENTRIES = 1 << 24
# Inputs up to which the flips of a sample are tried, one after the other: a quarter of a minute for one neuron. There
# SAMPLED_ENTRIES still allows 512 points.
MAX_INPUTS = 1 << 15
# s^2 n up to which pairs of neurons are compared: a second.
PAIR_GRAPH = 1 << 26
# The largest W and B of a network, and coordinate of a point: squares of sums of them stay below the 1e60 that bounds
# accept.
MAX_SCALE = 1e20
# The least loss for which bounds are computed: the least positive number that they accept.
MIN_LOSS = 1e-150


@dataclass(frozen=True)
class Observation:
    """A network at the points x of a distribution.

    h, active, K : h(x), R_x as a row of truth values, and |R_x|.
    cube : whether the distribution is uniform on the cube; only then there are ``flips`` and ``edges``.
    weights : sum_{|T| = d} hhat(T)^2 for d = 0, ..., n; None unless the whole cube was visited.
    exact : whether the points are all that the distribution has.
    evidence : where the numbers come from, in words.
    """

    net: SparseNetwork
    X: NDArray[Any]
    h: Array
    active: NDArray[np.bool_]
    K: Array
    cube: bool
    weights: Array | None
    exact: bool
    evidence: str

    def mean(self, values: Any, level: float = 0.05) -> Interval:
        """The mean over the distribution of a quantity that is given at all points, or at a sample of them."""
        whole = self.exact and len(values) == len(self.X)
        return exactly(np.mean(values)) if whole else student(values, level)

    def share(self, flags: Any) -> Interval:
        """The probability of an event; from a sample, with the interval of Clopper and Pearson at 95 %."""
        N = len(flags)
        hits = int(np.count_nonzero(flags))
        if self.exact:
            return exactly(hits / N)
        low = float(betaincinv(hits, N - hits + 1, 0.025)) if hits else 0.0
        high = float(betaincinv(hits + 1, N - hits, 0.975)) if hits < N else 1.0
        return Interval(hits / N, low, high)

    def largest(self, values: Any) -> Interval:
        """The maximum over the distribution, for which a sample gives only a lower bound."""
        value = float(np.max(values))
        return Interval(value, value, value if self.exact else inf)

    @cached_property
    def flips(self) -> Flips:
        """What the flips of one bit change at each point."""
        return flips(self.net, None if self.exact else self.X)

    @cached_property
    def edges(self) -> Edges:
        """What the network does along the edges at the points ``edge_rows``: uniform bits only."""
        return gradients.edges(self.net, self.X[self.edge_rows])

    @cached_property
    def bends(self) -> Array:
        """|D h(x) - E D h|^2 at the points ``edge_rows``, D h the vector of the D_i h: the mean is G(h)."""
        D = gradients.differences(self.net, self.X[self.edge_rows])
        return np.asarray(((D - D.mean(axis=0)) ** 2).sum(axis=1))

    @cached_property
    def signs(self) -> Signs:
        """The gradients of the neurons of either sign at the points ``edge_rows``."""
        return gradients.signs(self.net, self.X[self.edge_rows])

    @cached_property
    def edge_rows(self) -> NDArray[np.intp]:
        """All points, or as many at random as the work allows."""
        count = max(MIN_EDGE_POINTS, EDGE_TRIPLES // self.net.W.size)
        if count >= len(self.X):
            return np.arange(len(self.X))
        return np.random.default_rng(0).choice(len(self.X), count, replace=False)

    @property
    def edge_evidence(self) -> str:
        """Where the numbers about edges come from, in words."""
        N = len(self.edge_rows)
        return self.evidence if N == len(self.X) else f"sampled, {N} points"

    def with_boundary(self, gradient: Any) -> Interval:
        """(sqrt(E gradient) + sqrt(E boundary) / 2)^2, which increases in both means."""
        return self.of_roots(gradient, self.edges.boundary / 4)

    def of_roots(self, first: Any, second: Any) -> Interval:
        """(sqrt(E first) + sqrt(E second))^2, which increases in both means."""
        terms = zip(self.mean(first, 0.025), self.mean(second, 0.025), strict=True)
        return Interval(*((sqrt(max(a, 0.0)) + sqrt(max(b, 0.0))) ** 2 for a, b in terms))

    @property
    def inputs(self) -> str:
        """Which points the numbers are about, in a sentence."""
        if not self.cube:
            return (
                f"Inputs: uniform on {len(self.X)} given points, which are inputs of the network itself, so that the "
                "statements about the uniform distribution on the cube are left out."
            )
        where = f"all {len(self.X)} points of the cube" if self.exact else f"a sample of {len(self.X)} of its points"
        return f"Inputs: uniform on the cube {{-1, 1}}^{self.net.n}, assumed since no X was given; {where}."

    def loss(self, eps: float | None) -> float:
        """The eps that was asked for, or Var h / 20, a tenth of the loss of the best constant; 0.1 for a constant h."""
        if eps is None:
            eps = self.variance / 20 if self.variance > self.round_off else 0.1
            if eps < MIN_LOSS:
                raise ValueError(
                    "Argument 'network' must be larger, or argument 'eps' be given: its variance is "
                    f"{self.variance:.3g}, a twentieth of which is less than {MIN_LOSS:g}."
                )
        return checks.real("eps", eps, 0)

    @property
    def variance(self) -> float:
        """Var h, or its estimate."""
        return float(self.h.var())

    @property
    def round_off(self) -> float:
        """A bound on the rounding errors of sums of squares of h."""
        return 1e-13 * float(np.mean(self.h**2))

    def noise(self, rho: float, rng: np.random.Generator) -> Interval:
        """NS_rho(h) under the uniform distribution: by the noise operator on the table, or by pairs (x, y)."""
        if not self.exact:
            y = np.where(rng.random(self.X.shape) < (1 - rho) / 2, -self.X, self.X)
            return self.mean((self.h - self.net(y)) ** 2 / 4)
        smooth = self.h
        for i in range(self.net.n):
            pair = smooth.reshape(-1, 2, 1 << i)
            smooth = ((1 + rho) / 2 * pair + (1 - rho) / 2 * pair[:, ::-1]).ravel()
        return exactly(max(0.0, float(np.mean(self.h * (self.h - smooth))) / 2))

    def tail(self, degree: int) -> Interval | None:
        """sum_{|T| > d} hhat(T)^2 under the uniform distribution; an unbiased estimate for d <= 1 from a sample."""
        if self.weights is not None:
            return exactly(self.weights[degree + 1 :].sum())
        if degree > 1:
            return None
        found = []
        for part in np.array_split(np.arange(len(self.h)), PARTS):
            h = self.h[part]
            m = len(part)
            terms = np.column_stack([np.ones(m), self.X[part]][: degree + 1]) * h[:, None]
            pairs = (terms.sum(axis=0) ** 2).sum() - (terms**2).sum()
            found.append(np.mean(h**2) - pairs / (m * (m - 1)))
        return student(found)

    def degree(self, eps: float) -> int | None:
        """The least d with sum_{|T| > d} hhat(T)^2 <= eps, if the whole cube was visited."""
        if self.weights is None:
            return None
        tails = np.append(self.weights[::-1].cumsum()[-2::-1], 0.0)
        return int(np.argmax(tails <= eps))


def visit(net: SparseNetwork, X: NDArray[Any], *, exact: bool, cube: bool, evidence: str = "exact") -> Observation:
    """The ``Observation`` of a network at the rows of X: the whole cube in its order if exact and cube.

    >>> from sparse_core.cube.hypercube import points
    >>> found = visit(SparseNetwork([1], [[1]], [0]), points(1), exact=True, cube=True)
    >>> found.h, found.tail(0).value, found.degree(0.1)                             # relu(x) = (1 + x) / 2
    (array([1., 0.]), 0.25, 1)
    """
    h = net(X)
    active = net.active(X)
    weights = fourier.weight_by_degree(h) if exact and cube else None
    K = active.sum(axis=1).astype(np.float64)
    return Observation(net, X, h, active, K, cube, weights, exact, evidence)


def observe(
    network: Any, X: Any, *, output: int | None = None, k: int | None = None, seed: int = 0
) -> tuple[WithConstant, Observation, Sparsity]:
    """The network as it was read; its measurements, on uniform bits or on the rows of X; and max |R_x| there.

    The arguments are those of ``examine``. The measurements are of the same function with n, s >= 1.

    >>> known, found, k = observe(([1, -1], [[1], [-1]], [0, 0]), None)            # h(x) = x
    >>> found.edges.sensitivity, k
    (array([1., 1.]), 1, exact by enumeration of 2 points)
    """
    if X is not None:
        network, X = last_step(network, X)
    known = as_network(network, output)
    if isinstance(k, Sparsity) and k.of != digest(known.net.W, known.net.b):
        raise ValueError(
            "Argument 'k' must be an integer, which is assumed, or the 'sparsity()' of this network; "
            f"it is that of another one: {k!r}."
        )
    net = _padded(known.net)
    with np.errstate(over="ignore", invalid="ignore"):
        scale = max(net.scale)
    if not scale <= MAX_SCALE:
        raise ValueError(f"Argument 'network' must have a scale (W, B) of at most {MAX_SCALE:g}, not {scale:g}.")
    seed = checks.integer("seed", seed, 0)
    if X is not None:
        X = numbers("X", X, 2, (None, known.net.n)).astype(np.float64)
        checks.integer("the number of rows of X", len(X), 1)
        checks.entries("X", X, np.abs(X) <= MAX_SCALE, f"must be at most {MAX_SCALE:g} in size")
        X = np.pad(X, ((0, 0), (0, net.n - X.shape[1])), constant_values=1.0)
    found = _visited(net, X, seed)
    return known, found, _sparsity(found, k)


def _padded(net: SparseNetwork) -> SparseNetwork:
    """The same function with n, s >= 1, for which the paper's bounds are stated."""
    u, b = (net.u, net.b) if net.s else (np.zeros(1), np.zeros(1))
    W = np.zeros((len(u), max(net.n, 1)))
    W[: net.s, : net.n] = net.W
    return SparseNetwork(u, W, b)


def _visited(net: SparseNetwork, X: Array | None, seed: int) -> Observation:
    """The measurements on given points, on the whole cube, or on a sample of it."""
    n = net.n
    if X is not None:
        return visit(net, X, exact=True, cube=False)
    if n <= EXACT_N and net.s << n <= EXACT_PAIRS:
        return visit(net, points(n), exact=True, cube=True)
    if n > MAX_INPUTS:
        raise ValueError(
            f"Argument 'network' must have at most {MAX_INPUTS} inputs, not {n}, unless points X are given."
        )
    N = int(np.clip(SAMPLED_TRIPLES // (n * net.s), MIN_SAMPLE, min(MAX_SAMPLE, SAMPLED_ENTRIES // n)))
    sample = np.random.default_rng(seed).choice(np.array([-1, 1], dtype=np.int8), (N, n))
    return visit(net, sample, exact=False, cube=True, evidence=f"sampled, {N} points, seed {seed}")


def _sparsity(found: Observation, k: int | None) -> Sparsity:
    """max |R_x| at the points of the distribution, as far as it can be settled quickly."""
    net = found.net
    seen = int(found.K.max())
    if not found.cube:
        return net.sparsity(found.X)
    if found.exact:
        return Sparsity(seen, seen, "enumeration", f"enumeration of {len(found.X)} points")
    if isinstance(k, Sparsity) and k.method != "sample":  # what holds at given points need not hold on the cube
        return k
    if net.n <= EXACT_N and net.s << net.n <= AUTO_PAIRS:
        return net.sparsity(method="enumeration")
    if net.s**2 * net.n > PAIR_GRAPH:
        return Sparsity(net.s, seen, "pairs", "the number of neurons")
    pairs = net.sparsity(method="pairs")
    return Sparsity(pairs.upper, max(pairs.lower, seen), pairs.method, pairs.how)
