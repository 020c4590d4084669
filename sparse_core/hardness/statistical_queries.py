r"""Statistical queries: a learner that is given no samples, only averages E phi(x, f(x)) up to a tolerance tau.

For labels y in {-1, 1} every query splits into what ignores the label and what multiplies it,

    phi(x, y) = phi0(x) + y phi1(x),     |phi0| + |phi1| <= 1,

and for the parity chi_S under the uniform distribution the average is E phi0 + phihat1(S). The answer E phi0 does
not depend on S, and it is within tau of the truth for every S with |phihat1(S)| <= tau. By Parseval the others are
fewer than 1/tau^2: that is the whole proof that parities need tau^2 2^m queries. The ``AdversarialOracle``
carries it out.

Sets S are bit masks, and characters are indexed by them, as everywhere (``hypercube``).

Paper: section 4, `sq-model`, `theorem-14`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Array
from ..cube import fourier
from ..cube.hypercube import points

__all__ = [
    "AdversarialOracle", "StatisticalQueryOracle", "bent", "block_learner", "excluded_parities", "label_parts",
]  # fmt: skip

Query = Callable[[NDArray[Any], NDArray[Any]], ArrayLike]  # (rows x, labels y) -> values in [-1, 1]

# Bits of the adversary, which keeps a truth value for each of 2^m sets and evaluates queries on the whole cube.
MAX_BITS = 20

# How far a query may exceed 1, and the squares of its coefficients may sum to more, since both are computed in floats.
ROUND_OFF = 1e-12


def label_parts(phi: Query, X: NDArray[Any]) -> tuple[Array, Array]:
    """phi0 = (phi(x, 1) + phi(x, -1)) / 2 and phi1 = (phi(x, 1) - phi(x, -1)) / 2 at the rows of X.

    >>> label_parts(lambda X, y: (1 + X[:, 0] * y) / 2, np.array([[1], [-1]]))
    (array([0.5, 0.5]), array([ 0.5, -0.5]))
    """
    checks.function("phi", phi)
    X = checks.real_array("X", X, 2, convert=False)
    up, down = (_values(phi, X, np.full(len(X), y)) for y in (1, -1))
    return (up + down) / 2, (up - down) / 2


def excluded_parities(phi: Query, m: int, tau: float) -> NDArray[np.int64]:
    """{S : |phihat1(S)| > tau}: the parities on m bits that the answer E phi0 excludes, fewer than 1/tau^2 of them.

    Cost: one query at 2^m points and a Walsh transform; m = 18 takes 0.1 s and 13 MB; m <= 20.

    >>> excluded_parities(lambda X, y: X[:, 0] * y, m=3, tau=0.5)
    array([1])
    """
    tau = checks.positive("tau", tau)
    _, phi1 = label_parts(phi, points(checks.integer("m", m, 1, MAX_BITS)))
    return np.flatnonzero(np.abs(fourier.walsh_transform(phi1)) > tau)


def bent(j: int) -> NDArray[np.int8]:
    """(-1)^(b_0 b_1 + b_2 b_3 + ...) at all points of 2j bits, b_i = (1 - x_i) / 2: every coefficient is 2^-j or -2^-j.

    As a query at a tolerance just below 2^-j it excludes all 4^j sets of these bits, the most that Parseval allows.

    >>> fourier.walsh_transform(bent(1))
    array([ 0.5,  0.5,  0.5, -0.5])
    """
    b = points(2 * checks.integer("j", j, 0, MAX_BITS // 2)) < 0
    return np.where((b[:, ::2] & b[:, 1::2]).sum(axis=1) % 2, -1, 1).astype(np.int8)


class StatisticalQueryOracle:
    """v with |v - E phi(x, f(x))| <= tau: the oracle of `sq-model`. (x, f(x)) is a uniformly random row of (X, y).

    By default answers are exact. With ``sample`` and ``rng`` each is the mean over that many rows, drawn at random, or
    the end of the tolerance next to it. ``queries`` counts the answers.

    >>> X = points(3)
    >>> oracle = StatisticalQueryOracle(X, X[:, 0] * X[:, 2], tau=0.1)
    >>> oracle.query(lambda X, y: X[:, 0] * y), oracle.query(lambda X, y: X[:, 0] * X[:, 2] * y), oracle.queries
    (0.0, 1.0, 2)
    """

    def __init__(
        self, X: ArrayLike, y: ArrayLike, tau: float, *, sample: int | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:  # fmt: skip
        self._X = checks.real_array("X", X, 2)
        checks.integer("the number of rows of X", len(self._X), 1)
        self._y = checks.real_array("y", y, 1, shape=(len(self._X),))
        self.tau = checks.positive("tau", tau)
        self._sample = None if sample is None else checks.size("sample", sample)
        self._rng = None if sample is None else checks.generator("rng", rng)
        self.queries = 0

    def query(self, phi: Query) -> float:
        """An answer to phi, which is given the rows and their labels and returns values in [-1, 1]."""
        values = _values(checks.function("phi", phi), self._X, self._y)
        self.queries += 1
        mean = float(values.mean())
        answer = mean
        if self._rng is not None:
            answer = float(self._rng.choice(values, self._sample).mean())
        return min(max(answer, mean - self.tau), mean + self.tau)


class AdversarialOracle:
    """Answers for a parity on m bits that is fixed only at the end: no answer would exclude fewer parities.

    ``answers`` are "fewest", which exclude the fewest of the remaining parities, E phi0 where that is one of them; or
    "uninformed", E phi0 as long as that leaves a parity, as in the proof of `theorem-14`. ``queries`` counts the
    answers; ``alive`` says for each of the 2^m sets S whether chi_S agrees with all of them within tau; ``remaining``
    is the number of these sets, at least 1.

    >>> oracle = AdversarialOracle(3, tau=0.4)
    >>> answers = [oracle.query(lambda X, y: X[:, i] * y) for i in range(3)]
    >>> answers, oracle.queries, oracle.remaining           # three characters exclude three of eight parities
    ([0.0, 0.0, 0.0], 3, 5)
    """

    def __init__(self, m: int, tau: float, answers: str = "fewest") -> None:
        self.m = checks.integer("m", m, 1, MAX_BITS)
        self.tau = checks.positive("tau", tau)
        self._greedy = checks.one_of("answers", answers, ("fewest", "uninformed")) == "fewest"
        self.queries = 0
        self.alive = np.ones(1 << self.m, dtype=np.bool_)
        self.remaining = len(self.alive)

    def query(self, phi: Query) -> float:
        """An answer to phi, which is given the points of the cube as rows and labels -1 and 1.

        Cost: two calls of phi with 2^m rows, and a Walsh transform; m = 18 takes 0.04 s and 19 MB; m <= 20.
        """
        phi0, phi1 = label_parts(phi, points(self.m))
        return float(phi0.mean()) + self._answer(np.arange(1 << self.m), fourier.walsh_transform(phi1))

    def query_spectrum(self, sets: ArrayLike, coefficients: ArrayLike) -> float:
        """An answer to phi(x, y) = y sum_i c_i chi_{T_i}(x), by different bit masks T_i and their coefficients c_i.

        It costs nothing of order 2^m. Of |phi| <= 1 only its consequence sum c_i^2 <= 1 is checked; no more is used.

        >>> oracle = AdversarialOracle(4, tau=0.2)
        >>> oracle.query_spectrum([0, 1, 2, 3], [0.5, 0.5, 0.5, -0.5]), oracle.remaining
        (0.0, 12)
        """
        c = checks.real_array("coefficients", coefficients, 1).astype(np.float64)
        T = checks.rectangular("sets", sets)
        T = T if T.size else T.astype(np.int64)  # of an empty list NumPy makes floats
        if T.shape != c.shape or T.dtype.kind not in "iu" or len(np.unique(T)) < len(T):
            raise ValueError("Argument 'sets' must be different bit masks, one for each coefficient.")
        if len(T) and not 0 <= T.min() <= T.max() < 1 << self.m:
            raise ValueError(f"Argument 'sets' must be bit masks below 2**{self.m}.")
        if c @ c > 1 + ROUND_OFF:
            raise ValueError(f"Argument 'coefficients' must have squares that sum to at most 1, not {c @ c:.6g}.")
        return self._answer(T, c)

    def _answer(self, sets: NDArray[Any], c: Array) -> float:
        """v such that |c_S - v| <= tau for the most sets S alive, where c_S = 0 for those that are not listed."""
        self.queries += 1
        listed = self.alive[sets]
        sets = sets[listed]
        c = c[listed]
        zeros = self.remaining - len(sets)
        low = np.concatenate([[-self.tau, 0.0], c])  # the parities with c_S from here to 2 tau above may be kept
        high = low + 2 * self.tau
        order = np.sort(c)
        kept = np.searchsorted(order, high, "right") - np.searchsorted(order, low, "left")
        kept += zeros * ((low <= 0) & (high >= 0))
        i = kept.argmax() if self._greedy or kept[0] == 0 else 0
        if not low[i] <= 0 <= high[i]:
            self.alive[:] = False
        self.alive[sets] = (low[i] <= c) & (c <= high[i])
        self.remaining = int(kept[i])
        return float(low[i] + self.tau)


def block_learner(oracle: AdversarialOracle, j: int, *, left: int = 8, rng: np.random.Generator) -> int:
    """How many queries leave at most ``left`` parities: bent(j) times characters, 4^j sets at a time, in random order.

    If 2^-j > 2 tau, every answer helps: it is within tau of at most one of 0, 2^-j and -2^-j, and so excludes either
    the block of sets of that query or all others. The sets that are left are queried one by one.

    >>> block_learner(AdversarialOracle(8, tau=0.24), 1, rng=np.random.default_rng(0))
    62
    """
    checks.having("oracle", oracle, "query_spectrum", "alive")
    size = 4 ** checks.integer("j", j, 0, oracle.m // 2)
    left = checks.integer("left", left, 1)
    rng = checks.generator("rng", rng)
    spectrum = fourier.walsh_transform(bent(j))
    block = np.arange(size)
    for start in (size * rng.permutation(len(oracle.alive) // size)).tolist():
        if oracle.remaining <= left:
            return oracle.queries
        oracle.query_spectrum(start + block, spectrum)
    for S in np.flatnonzero(oracle.alive).tolist():
        if oracle.remaining > left:
            oracle.query_spectrum([S], [1.0])
    return oracle.queries


def _values(phi: Query, X: NDArray[Any], y: NDArray[Any]) -> Array:
    """phi at the rows, checked to be a bounded query."""
    values = checks.real_array("phi", phi(X, y), 1, shape=(len(X),)).astype(np.float64)
    largest = float(np.abs(values).max(initial=0))
    if largest > 1 + ROUND_OFF:
        raise ValueError(f"Argument 'phi' must have values in [-1, 1]; its largest absolute value is {largest:.6g}.")
    return values
