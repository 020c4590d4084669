r"""How much of a network's variance low degrees carry: a theorem about the network, from a random sample of points.

With D_i h(x) = (h(x with x_i = 1) - h(x with x_i = -1)) / 2, and x, y independent uniform points,

    Q = (1/2) sum_i (D_i h(x) - D_i h(y))^2  and  E = (1/2) (h(x) - h(y))^2

have the means G(h) and Var(h), and sum_{|T| > d} hhat(T)^2 <= G(h) / (d + 1) for every d >= 1 (`ours-differences`). So
a bound on the mean of Z = Q - g E, which is at most 0 if and only if G <= g Var, is one on the tails of all degrees at
once. ``certify`` finds the least g for which the sample gives it (`ours-certificate`).
"""

from __future__ import annotations

from itertools import takewhile
from math import inf, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from .. import checks
from .._arrays import Array
from ..network.gradients import differences, ranges
from ..network.network import SparseNetwork
from ..network.training import Layered

__all__ = ["Certificate", "certify", "empirical_bernstein"]

# The g that are tried, from the largest down to the first that fails: no larger one says more than that the tail above
# degree 1 is at most 2 Var, and steps of 1 % lose less than the sample does.
RATIOS = 4 * 0.99 ** np.arange(700)
# Z is cut at -CUT g Var: E exceeds ten times its mean at one pair in 600 if h is nearly normal. With a cut nearer to 0
# the mean would lose more than the range and the variance gain.
CUT = 10
# Points that estimate Var for this cut, beside the pairs.
PILOT = 1000
# Numbers of the largest arrays, of all pairs and bits: 2^27 doubles are 1 GB.
MAX_NUMBERS = 1 << 27


class Certificate(NamedTuple):
    """G(h) <= ratio Var(h), except with probability delta over the pairs of points that were drawn.

    ratio : the least g that empirical Bernstein certifies; infinite if none.
    asymptotic : the same by Student's interval, which is right only in the limit of many pairs.
    estimate : G / Var in the sample.
    """

    ratio: float
    asymptotic: float
    estimate: float

    def tail(self, d: int) -> float:
        """sum_{|T| > d} hhat(T)^2 <= tail(d) Var(h), for all d >= 1 at once: ratio / (d + 1).

        >>> Certificate(0.4, 0.3, 0.28).tail(1)
        0.2
        """
        return self.ratio / (checks.integer("d", d, 1) + 1)


def empirical_bernstein(values: ArrayLike, low: float, high: float, delta: float) -> float:
    """mean + sqrt(2 V ln(2/delta) / N) + 7 (high - low) ln(2/delta) / (3 (N - 1)), at least the expectation.

    For N independent values between low and high with sample variance V, except with probability delta (Maurer and
    Pontil 2009, theorem 4).

    >>> round(empirical_bernstein([0, 1, 0, 1] * 250, 0, 1, 0.05), 4)
    0.5516
    """
    x = checks.real_array("values", values, 1).astype(np.float64)
    checks.integer("the number of values", len(x), 2)
    low = checks.real("low", low)
    high = checks.real("high", high, low)
    checks.entries("values", x, (x >= low) & (x <= high), f"must be between {low} and {high}")
    width = log(2 / checks.real("delta", delta, above=0, below=1))
    N = len(x)
    return float(x.mean() + sqrt(2 * x.var(ddof=1) * width / N) + 7 * (high - low) * width / (3 * (N - 1)))


def certify(
    net: SparseNetwork | Layered, pairs: int, delta: float, *, rng: np.random.Generator, output: int = 0
) -> Certificate:
    """The least g such that G(h) <= g Var(h) is certified, with error probability delta, from pairs of uniform points.

    g runs through fixed numbers in decreasing order, up to the first that fails, so that all are certified together:
    the first g below G / Var is a fixed number, and a wrong certificate must pass it. Each pair takes 2 (n + 1)
    evaluations of h; Q is at most half the squared length of the ranges of the D_i h.

    output : which output, for a ``Layered`` network.

    >>> net = SparseNetwork([1, -1, 1], [[1, 0], [-1, 0], [1, 1]], [-1, -1, 1])           # 2 x_1 + relu(x_1 + x_2 - 1)
    >>> certificate = certify(net, 4000, 0.05, rng=np.random.default_rng(0))
    >>> round(certificate.estimate, 2), certificate.ratio < 0.1                          # G / Var = 0.125 / 5.1875
    (0.02, True)
    """
    width = ranges(net, output)
    n = len(width)
    pairs = checks.integer("pairs", pairs, 2, MAX_NUMBERS // n)
    delta = checks.real("delta", delta, above=0, below=1)
    checks.generator("rng", rng)
    most = float((width**2).sum()) / 2
    pilot = _values(net, _points(rng, PILOT, n), output).var(ddof=1)
    x = _points(rng, pairs, n)
    y = _points(rng, pairs, n)
    Q = ((differences(net, x, output) - differences(net, y, output)) ** 2).sum(axis=1) / 2
    E = (_values(net, x, output) - _values(net, y, output)) ** 2 / 2
    quantile = -float(stdtrit(pairs - 1, delta))

    def by_bernstein(g: float) -> bool:
        cut = -CUT * g * pilot
        return empirical_bernstein(np.clip(Q - g * E, cut, most), cut, most, delta) <= 0

    def by_student(g: float) -> bool:
        Z = Q - g * E
        return bool(Z.mean() + quantile * Z.std(ddof=1) / sqrt(pairs) <= 0)

    ratio, asymptotic = (
        min(takewhile(certified, RATIOS.tolist()), default=inf) for certified in (by_bernstein, by_student)
    )
    return Certificate(ratio, asymptotic, float(Q.mean() / E.mean()) if E.any() else inf)


def _points(rng: np.random.Generator, count: int, n: int) -> Array:
    return rng.choice([-1.0, 1.0], (count, n))


def _values(net: SparseNetwork | Layered, x: Array, output: int) -> Array:
    """h at the rows of x, up to a constant."""
    values = net(x)
    return np.asarray(values[:, output] if values.ndim == 2 else values)
