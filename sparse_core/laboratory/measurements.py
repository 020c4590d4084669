r"""Quantities of one network under a distribution, with uncertainty: exact on all its points, or from a sample.

``measure`` visits points x and, on the cube, the neighbours x' that differ from x in one bit. ``Measurements`` then
gives means, noise sensitivity and Fourier tails as ``Interval``, a number between two bounds. ``table`` compares them.

Paper: sections 2 and 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from .._arrays import Array
from .._interval import Interval, exactly, normal
from ..cube import fourier
from ..learning.lemma_9 import Flips, flips
from ..network.network import SparseNetwork

__all__ = ["Measurements", "measure"]

# A Fourier tail is estimated on this many parts of a sample, whose spread gives the interval: enough that the quantile
# of Student's distribution is within 5 % of the normal one.
PARTS = 32


@dataclass(frozen=True)
class Measurements:
    """A network at the points x of a distribution.

    h, active, K : h(x), R_x as a row of truth values, and |R_x|.
    flips : what the flips of one bit change; None if the distribution is not uniform on the cube.
    weights : sum_{|T| = d} hhat(T)^2 for d = 0, ..., n; None unless the whole cube was visited.
    exact : whether the points are all that the distribution has.
    evidence : where the numbers come from, in words.
    """

    net: SparseNetwork
    X: NDArray[Any]
    h: Array
    active: NDArray[np.bool_]
    K: Array
    flips: Flips | None
    weights: Array | None
    exact: bool
    evidence: str

    def mean(self, values: Any, level: float = 0.05) -> Interval:
        """The mean over the distribution of a quantity that is given at the points."""
        return exactly(np.mean(values)) if self.exact else normal(values, level)

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
        return normal(found)

    def degree(self, eps: float) -> int | None:
        """The least d with sum_{|T| > d} hhat(T)^2 <= eps, if the whole cube was visited."""
        if self.weights is None:
            return None
        tails = np.append(self.weights[::-1].cumsum()[-2::-1], 0.0)
        return int(np.argmax(tails <= eps))


def measure(net: SparseNetwork, X: NDArray[Any], *, exact: bool, cube: bool, evidence: str = "exact") -> Measurements:
    """The ``Measurements`` of a network at the rows of X: the whole cube in its order if exact and cube.

    >>> from sparse_core.cube.hypercube import points
    >>> found = measure(SparseNetwork([1], [[1]], [0]), points(1), exact=True, cube=True)
    >>> found.h, found.tail(0).value, found.degree(0.1)                             # relu(x) = (1 + x) / 2
    (array([1., 0.]), 0.25, 1)
    """
    neighbours = flips(net, None if exact else X) if cube else None
    h = net(X) if neighbours is None else neighbours.h
    active = net.active(X) if neighbours is None else neighbours.active
    weights = fourier.weight_by_degree(h) if exact and cube else None
    K = active.sum(axis=1).astype(np.float64)
    return Measurements(net, X, h, active, K, neighbours, weights, exact, evidence)
