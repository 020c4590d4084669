r"""The grid family: m = q N points on which Conjecture 20 fails, and the networks that show it (`ours-theorem-g`).

f_1, ..., f_N and g_1, ..., g_q are orthonormal; the points are x_{bi} = sqrt(1-kappa) f_b + sqrt(kappa) g_i, of norm 1.
Signs are an (N, q) array zeta. For each u in {-1, 1}^q with some u_i = 1 there are two neurons, s = 2 (2^q - 1) in
all. The neuron (u, +) has output weight 1 and is to be active exactly at the points of the rows b with zeta_b = u and
the columns i with u_i = 1: there all signs are +1. The neuron (u, -) has output weight -1 and does the same for -zeta.

A linear function on the points is phi_b + gamma_i with phi_b = sqrt(1-kappa) <w, f_b>, gamma_i = sqrt(kappa) <w, g_i>,
and ||w||^2 = sum phi_b^2 / (1-kappa) + sum gamma_i^2 / kappa. With a number 0 <= A < 1 and

    phi_b = (1-A) V on its n rows, -A V elsewhere;      gamma_i = A V on its columns, (A-1) V elsewhere,

the sum is V on rows times columns, -V where neither holds and 0 otherwise. There are no biases. The terms cancel
exactly in floating-point arithmetic, so that activity is decided without rounding. The norm is 1 and V is largest for

    A = P/T,  1/V^2 = P (1 - P/T),  P = n/(1-kappa) + (columns missed)/kappa,  T = N/(1-kappa) + q/kappa.

Paper: section 5, Conjecture 20.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar
from scipy.special import comb, expit
from scipy.stats import binom

from sparse_core import checks
from sparse_core._arrays import Array, slices

__all__ = ["GridFamily", "GridRun", "best_family"]


# (row, neuron) pairs that are evaluated at once, in arrays of 2 MB: memory does not grow with m s.
BLOCK_PAIRS = 1 << 18

# Half the width of the part of the binomial distribution that is summed, in standard deviations, plus as many units.
# The terms left out are positive, so that the sum remains a lower bound; they are less than 1e-12 of it.
REACH_DEVIATIONS = 12

# The range of ln(kappa / (1 - kappa)) that is searched for the best kappa: 6e-6 < kappa < 0.998. The kappa that is best
# in ``bound`` is about sqrt(q 2^q / N), so this serves up to N = 2e10 q 2^q.
LOGIT_KAPPA = (-12, 6)


class GridRun(NamedTuple):
    """One choice of signs: how many neurons are active at a point, whether h has its sign, and (1/m) sum zeta h."""

    fewest: int
    most: int
    agree: bool
    value: float


@dataclass(frozen=True)
class GridFamily:
    """The family with q columns, N rows and 0 < kappa < 1.

    >>> family = GridFamily(q=2, N=8)
    >>> family.m, family.s, round(family.bound(), 3), round(family.ratio(), 3)
    (16, 6, 0.516, 0.829)
    """

    q: int
    N: int
    kappa: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", checks.integer("q", self.q, 1, 20))
        object.__setattr__(self, "N", checks.integer("N", self.N, 1))
        checks.real("kappa", self.kappa, above=0, below=1)

    @property
    def m(self) -> int:
        """q N, the number of points."""
        return self.q * self.N

    @property
    def s(self) -> int:
        """2 (2^q - 1), the number of neurons."""
        return 2 * ((1 << self.q) - 1)

    def neuron(self, n: ArrayLike, plus: ArrayLike) -> tuple[Array, Array]:
        """(A, V) of a neuron with n rows and with ``plus`` of the q columns; V = 0 where P = 0 or P = T.

        >>> A, V = GridFamily(q=1, N=4).neuron(2, 1)                # P = 4, T = 10: V^2 = 10/24
        >>> float(A), round(float(V**2), 4)
        (0.4, 0.4167)
        """
        n = checks.real_array("n", n, None)
        plus = checks.real_array("plus", plus, None)
        checks.entries("n", n, (n >= 0) & (n <= self.N), f"must have entries from 0 to {self.N}")
        checks.entries("plus", plus, (plus >= 0) & (plus <= self.q), f"must have entries from 0 to {self.q}")
        P = n / (1 - self.kappa) + (self.q - plus) / self.kappa
        T = self.N / (1 - self.kappa) + self.q / self.kappa
        square = P * (1 - P / T)
        return P / T, 1 / np.sqrt(np.where(square > 0, square, np.inf))

    def expectation(self) -> float:
        """(1/m) E sum zeta h = (2/m) sum_u |{u = 1}| E[n V], n ~ Bin(N, 2^-q): a lower bound on R(S), exact in zeta.

        >>> round(GridFamily(q=1, N=1).expectation(), 6)            # one point: w = x for either sign
        1.0
        """
        p = float(2.0**-self.q)
        spread = REACH_DEVIATIONS * ((self.N * p) ** 0.5 + 1)
        n = np.arange(max(0, int(self.N * p - spread)), min(self.N, int(self.N * p + spread)) + 1)
        plus = np.arange(1, self.q + 1)[:, None]
        mean = (binom.pmf(n, self.N, p) * n * self.neuron(n, plus)[1]).sum(axis=1)
        return float(2 * (comb(self.q, plus[:, 0]) * plus[:, 0]) @ mean / self.m)

    def ratio(self) -> float:
        """``expectation`` / sqrt(s/m): Conjecture 20 with constant 1 would make it at most 1.

        >>> round(GridFamily(q=2, N=1 << 20, kappa=0.002).ratio(), 3)
        1.331
        """
        return self.expectation() / sqrt(self.s / self.m)

    def bound(self) -> float:
        """sqrt(q/2) sqrt((1-kappa)/(1-p)) [1 + (1 + q (1-kappa)/kappa) / (N p)]^(-1/2) <= ratio, with p = 2^-q.

        >>> round(GridFamily(q=16, N=16 << 16).bound() / 4, 3)      # kappa = 1/2, N = q 2^q: at least 0.34 sqrt(q)
        0.348
        """
        p = 2.0**-self.q
        odds = (1 - self.kappa) / self.kappa
        bracket = 1 + (1 + self.q * odds) / (self.N * p)
        return float((self.q / 2 * (1 - self.kappa) / (1 - p) / bracket) ** 0.5)

    def run(self, signs: ArrayLike) -> GridRun:
        """Every neuron at every point, for one (N, q) array of signs, a block of the m x s activations at a time.

        >>> GridFamily(q=2, N=3).run([[1, 1], [1, -1], [-1, -1]])._replace(value=0)
        GridRun(fewest=1, most=1, agree=True, value=0)
        """
        zeta = checks.signs("signs", signs, self.q)
        if len(zeta) != self.N:
            raise ValueError(f"Argument 'signs' must have {self.N} rows, not {len(zeta)}.")
        full = (1 << self.q) - 1
        label = (zeta > 0) @ (1 << np.arange(self.q))
        u = np.arange(1, full + 1)
        Q = u[:, None] >> np.arange(self.q) & 1
        neurons = []
        for sign, own in ((1.0, label), (-1.0, full - label)):
            A, V = self.neuron(np.bincount(own, minlength=full + 1)[1:], Q.sum(axis=1))
            gamma = np.where(Q, (A * V)[:, None], ((A - 1) * V)[:, None])
            neurons.append((sign, own, (1 - A) * V, -A * V, gamma.T.copy()))
        fewest = self.s
        most = 0
        agree = True
        total = 0.0
        for rows in slices(self.N, max(1, BLOCK_PAIRS // full)):
            count = np.zeros((len(label[rows]), self.q))
            h = np.zeros_like(count)
            for sign, own, inside, outside, gamma in neurons:
                phi = np.where(own[rows, None] == u, inside, outside)
                for i in range(self.q):
                    z = phi + gamma[i]
                    count[:, i] += np.count_nonzero(z > 0, axis=1)
                    h[:, i] += sign * np.maximum(z, 0, out=z).sum(axis=1)
            fewest = min(fewest, int(count.min()))
            most = max(most, int(count.max()))
            agree = agree and bool((h * zeta[rows] > 0).all())
            total += float((h * zeta[rows]).sum())
        return GridRun(fewest, most, agree, total / self.m)


def best_family(q: int, N: int) -> GridFamily:
    """The family with the largest ``ratio`` for q and N, by a local search over kappa.

    >>> family = best_family(1, 30)
    >>> family.m, family.s, round(family.ratio(), 3)
    (30, 2, 1.223)
    """

    def family(logit: float) -> GridFamily:
        return GridFamily(q, N, float(expit(logit)))

    found = minimize_scalar(lambda logit: -family(logit).ratio(), bounds=LOGIT_KAPPA)
    return family(found.x)
