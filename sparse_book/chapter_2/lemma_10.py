r"""The buckets of Appendix B, which turn average sensitivity into noise sensitivity, in exact arithmetic.

Put each of the n coordinates into one of r buckets at random, give each bucket a random sign v_e, and set x_l = z_l v_e
for l in bucket e. Flip the sign of one random bucket: y. So x and y differ in each coordinate with probability 1/r,
independently; under noise N_rho with (1 - rho)/2. The two agree exactly when r = 2/(1 - rho) is an integer (`E18`).

Given the buckets and z, h is a network H_z of the r signs; NS = (1/r) E AS(H_z) is equation (17) of the paper.

Paper: Appendix B.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import floor

import numpy as np
from numpy.typing import ArrayLike

from sparse_core import checks
from sparse_core.cube.fourier import average_sensitivity
from sparse_core.cube.hypercube import points
from sparse_core.network.network import SparseNetwork

__all__ = [
    "averaged_sensitivity", "bucket_count", "bucket_distribution", "noise_distribution", "restriction",
    "total_variation",
]  # fmt: skip

# Cases that are listed one by one: partitions with signs, or with the bucket that is flipped.
MAX_CASES = 1 << 20

# Buckets whose 2^r signs are listed for each case.
MAX_BUCKETS = 20

# Pr[x and y differ exactly on T], by the bit mask of T.
Distribution = list[Fraction]


def bucket_count(rho: Fraction) -> int:
    """r = floor(2 / (1 - rho)), for a rational -1 <= rho < 1.

    >>> bucket_count(Fraction(2, 5)), bucket_count(Fraction(1, 2)), bucket_count(Fraction(-1, 2))
    (3, 4, 1)
    """
    return floor(2 / (1 - _correlation(rho)))


def noise_distribution(n: int, rho: Fraction) -> Distribution:
    """Pr[y differs from x exactly on T] = q^|T| (1 - q)^(n - |T|), q = (1 - rho)/2, for y ~ N_rho(x).

    >>> noise_distribution(1, Fraction(1, 2))
    [Fraction(3, 4), Fraction(1, 4)]
    """
    q = (1 - _correlation(rho)) / 2
    return [q**size * (1 - q) ** (n - size) for size in map(int.bit_count, range(1 << checks.integer("n", n, 0, 12)))]


def _correlation(rho: Fraction) -> Fraction:
    checks.real("rho", rho, -1, below=1)
    return Fraction(rho)


def bucket_distribution(n: int, r: int) -> Distribution:
    """Pr[y differs from x exactly on T] when y flips a random one of r random buckets: by listing all r^n partitions.

    >>> bucket_distribution(1, 4)
    [Fraction(3, 4), Fraction(1, 4)]
    """
    n = checks.integer("n", n, 0, 12)
    r = checks.size("r", r)
    _listed(r ** (n + 1))
    count = [0] * (1 << n)
    for bucket in product(range(r), repeat=n):
        for flipped in range(r):
            count[sum(1 << i for i, e in enumerate(bucket) if e == flipped)] += 1
    return [Fraction(c, r ** (n + 1)) for c in count]


def total_variation(P: Distribution, Q: Distribution) -> Fraction:
    """(1/2) sum_T |P(T) - Q(T)|; x is uniform and independent of T under both, so it is also that of the pairs (x, y).

    >>> total_variation(noise_distribution(2, Fraction(2, 5)), bucket_distribution(2, 3))
    Fraction(41, 900)
    """
    return sum((abs(p - q) for p, q in zip(P, Q, strict=True)), Fraction(0)) / 2


def restriction(net: SparseNetwork, bucket: ArrayLike, z: ArrayLike, r: int) -> SparseNetwork:
    """H_z(v) = sum_j u_j relu(<w'_j, v> - b_j), w'_je = sum of w_jl z_l over bucket e (`appendix-b-restriction`).

    ``bucket`` names for each of the n coordinates one of r buckets, 0 to r - 1; z is a vector of n signs.

    >>> net = SparseNetwork([1], [[1, 2, 4]], [0])
    >>> restriction(net, [0, 1, 0], [1, 1, -1], 2).W
    array([[-3.,  2.]])
    """
    r = checks.integer("r", r, 1, 10**6)
    n = checks.having("net", net, "n", "W").n
    sign = checks.signs("z", np.atleast_2d(checks.rectangular("z", z)), n)[0]
    members = np.equal.outer(checks.real_array("bucket", bucket, 1), np.arange(r))
    if members.shape != (net.n, r) or not (members.sum(axis=1) == 1).all():
        raise ValueError(f"Argument 'bucket' must give each of {net.n} coordinates a number from 0 to {r - 1}.")
    return SparseNetwork(net.u, (net.W * sign) @ members, net.b)


def averaged_sensitivity(net: SparseNetwork, r: int) -> float:
    """(1/r) E_{z, buckets} AS(H_z), the right side of equation (17): by listing all 2^n r^n cases (`eq-17`).

    It equals NS_rho(h) at rho = 1 - 2/r.

    >>> averaged_sensitivity(SparseNetwork([1, -1], [[1], [-1]], [0, 0]), 4)       # h(x) = x: (1 - rho)/2
    0.25
    """
    r = checks.integer("r", r, 1, MAX_BUCKETS)
    n = checks.having("net", net, "n", "values").n
    _listed((2 * r) ** n)
    cases = product(product(range(r), repeat=n), points(n))
    return float(np.mean([average_sensitivity(restriction(net, *case, r).values()) for case in cases])) / r


def _listed(cases: int) -> None:
    """No more cases than can be listed."""
    if cases > MAX_CASES:
        raise ValueError(f"Argument 'r' must leave at most {MAX_CASES} cases to list, not {cases}.")
