r"""What one network does under a law, as numbers with their doubt: exact on all points of the law, or from a sample.

``look`` visits points x and the neighbours x' that a flip of one bit leads to. ``Facts`` then gives E h^2, average and
noise sensitivity and Fourier tails as ``Interval``, a number between two bounds. ``table`` compares them.

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
from ..learning.lemma_9 import flips
from ..network.network import SparseNetwork

__all__ = ["Facts", "look"]


BATCHES = 32  # parts of a sample, whose estimates of a Fourier tail are compared


@dataclass(frozen=True)
class Facts:
    """A network at the points x of a law, and at the neighbours x', in which one bit is flipped.

    h, active, same, other, changes, crossings : see ``lemma_9.Flips``.
    K : |R_x|.
    exact : whether the points are all that the law has. cube : whether the law is uniform on the cube.
    evidence : where the numbers come from, in words.
    """

    h: Array
    active: NDArray[np.bool_]
    same: Array
    other: Array
    changes: NDArray[np.int16]
    crossings: NDArray[np.int64]
    net: SparseNetwork
    X: NDArray[Any]
    K: Array
    exact: bool
    cube: bool
    evidence: str
    weights: Array | None

    def mean(self, values: Any, level: float = 0.05) -> Interval:
        """The mean over the law of a quantity that is given at the points."""
        return exactly(np.mean(values)) if self.exact else normal(values, level)

    def share(self, flags: Any) -> Interval:
        """The probability of an event; from a sample, with the interval of Clopper and Pearson at 95 %."""
        hits, N = int(np.count_nonzero(flags)), len(flags)
        if self.exact:
            return exactly(hits / N)
        low = float(betaincinv(hits, N - hits + 1, 0.025)) if hits else 0.0
        return Interval(hits / N, low, float(betaincinv(hits + 1, N - hits, 0.975)) if hits < N else 1.0)

    def largest(self, values: Any) -> Interval:
        """The maximum over the law, of which a sample knows a lower bound only."""
        value = float(np.max(values))
        return Interval(value, value, value if self.exact else inf)

    @property
    def sensitivity(self) -> Interval:
        """AS(h)."""
        return self.mean(self.same + self.other)

    @property
    def variance(self) -> float:
        """Var h, or its estimate."""
        return float(self.h.var())

    @property
    def round_off(self) -> float:
        """What sums of squares of h may be wrong by."""
        return 1e-13 * float(np.mean(self.h**2))

    def noise(self, rho: float, rng: np.random.Generator) -> Interval | None:
        """NS_rho(h) under the uniform law: by the noise operator on the table, or by pairs (x, y)."""
        if not self.cube:
            return None
        if not self.exact:
            y = np.where(rng.random(self.X.shape) < (1 - rho) / 2, -self.X, self.X)
            return self.mean((self.h - self.net(y)) ** 2 / 4)
        smooth = self.h
        for i in range(self.net.n):
            pair = smooth.reshape(-1, 2, 1 << i)
            smooth = ((1 + rho) / 2 * pair + (1 - rho) / 2 * pair[:, ::-1]).ravel()
        return exactly(max(0.0, float(np.mean(self.h * (self.h - smooth))) / 2))

    def tail(self, degree: int) -> Interval | None:
        """sum_{|T| > d} hhat(T)^2 under the uniform law; from a sample for d = 0 and 1 only, without bias."""
        if self.weights is not None:
            return exactly(self.weights[degree + 1 :].sum())
        if not self.cube or degree > 1:
            return None
        found = []
        for part in np.array_split(np.arange(len(self.h)), BATCHES):
            h, m = self.h[part], len(part)
            terms = np.column_stack([np.ones(m), self.X[part]][: degree + 1]) * h[:, None]
            pairs = (terms.sum(axis=0) ** 2).sum() - (terms**2).sum()
            found.append(np.mean(h**2) - pairs / (m * (m - 1)))
        return normal(found)

    def degree(self, eps: float) -> int | None:
        """The least d with sum_{|T| > d} hhat(T)^2 <= eps, if all of the cube was seen."""
        if self.weights is None:
            return None
        return int(np.argmax(np.append(self.weights[::-1].cumsum()[-2::-1], 0.0) <= eps))


def look(net: SparseNetwork, X: NDArray[Any], *, exact: bool, cube: bool, evidence: str = "exact") -> Facts:
    """The ``Facts`` of a network at the rows of X: the whole cube in its order if exact and cube.

    >>> from sparse_core.cube.hypercube import points
    >>> facts = look(SparseNetwork([1], [[1]], [0]), points(1), exact=True, cube=True)
    >>> facts.h, facts.sensitivity.value, facts.tail(0).value, facts.degree(0.1)         # relu(x) = (1 + x) / 2
    (array([1., 0.]), 0.25, 0.25, 1)
    """
    found = flips(net, None if exact and cube else X)
    weights = fourier.weight_by_degree(found.h) if exact and cube else None
    K = found.active.sum(axis=1).astype(np.float64)
    return Facts(*found, net, X, K, exact, cube, evidence, weights)
