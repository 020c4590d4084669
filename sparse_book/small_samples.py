"""Samples of points whose complexity is known, and what every learner needs on two points: for chapters 5 and 6."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["THREE_POINTS", "common_part", "failures", "orthonormal", "two_points"]

# Their complexity exceeds the bound of Conjecture 20 for two neurons of which one is active, without biases.
THREE_POINTS = np.array([[1, 1, 1, 1, 1, 1], [-1, -1, 1, 1, 1, 1], [-1, 1, -1, -1, 1, 1]])


def orthonormal(m: int, s: int, k: int = 1) -> float:
    """The complexity of m orthonormal points, B = 0 and W = 1: the mean over the number of positive signs.

    A neuron can take any set of points and is worth the root of its size, so the best network divides the points of
    each sign evenly.

    >>> round(orthonormal(6, 2), 6)
    0.566327
    """

    def shares(points: NDArray[np.int64], neurons: int) -> NDArray[np.float64]:
        """The sum of the roots of the sizes when the points are divided evenly."""
        sizes = (k * points[:, None] + np.arange(neurons)) // max(neurons, 1)
        roots: NDArray[np.float64] = np.sqrt(np.minimum(sizes, points[:, None]))
        return np.asarray(roots.sum(axis=1))

    from scipy.stats import binom  # slow to load, and pictures need the points alone

    plus = np.arange(m + 1)
    split = [shares(plus, a) + shares(m - plus, s - a) for a in range(s + 1)]
    return float(binom.pmf(plus, m, 0.5) @ np.max(split, axis=0)) / m


def common_part(m: int) -> NDArray[np.float64]:
    """m points of norm 1, any two of them with the inner product 1 / (1 + sqrt m).

    >>> (common_part(4) @ common_part(4).T).round(3)[0].tolist()
    [1.0, 0.333, 0.333, 0.333]
    """
    rho = 1 / (1 + np.sqrt(m))
    return np.column_stack([np.full(m, rho**0.5), (1 - rho) ** 0.5 * np.eye(m)])


def two_points(C: float, eps: float, log_inverse_delta: float) -> float:
    """The number of samples that every learner needs for 0 or C at one rare point, loss eps, and failure delta.

    >>> round(two_points(1.0, 0.01, np.log(10)), 1)
    19.3
    """
    return float((log_inverse_delta - np.log(2)) / -np.log1p(-8 * eps / C**2))


def failures(
    members: NDArray[np.float64],
    masses: NDArray[np.float64],
    m: int,
    target: Callable[[np.random.Generator], NDArray[np.float64]],
    rng: np.random.Generator,
    eps: float,
    runs: int,
) -> float:
    """The share of runs in which a member agrees with m samples, to within sqrt(eps), and has a loss above eps.

    members : functions as tables of their values at the points, one per row.
    masses : the probabilities of the points.
    target : draws the labels of all points, anew in each run.

    >>> rng = np.random.default_rng(0)
    >>> failures(np.array([[0.0], [1.0]]), np.array([1.0]), 3, lambda rng: np.zeros(1), rng, 0.1, 5)
    0.0
    """
    count = 0
    for counts in rng.multinomial(m, masses, size=runs):
        y = target(rng)
        agree = members
        for i in np.flatnonzero(counts):
            agree = agree[np.abs(agree[:, i] - y[i]) <= np.sqrt(eps) + 1e-12]
        count += bool(((agree - y) ** 2 @ masses / 2 > eps).any())
    return count / runs
