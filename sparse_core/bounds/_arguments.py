"""What all bounds share: the domains of their arguments and the size of the monomial basis."""

from __future__ import annotations

from math import inf

from .. import checks
from ..cube.hypercube import dimension


def confidence(value: float, name: str = "delta") -> float:
    """0 < delta < 1: the probability with which a learner may fail."""
    return checks.real(name, value, above=0, below=1)


def correlation(value: float) -> float:
    """0 <= rho < 1: the correlations for which noise sensitivity bounds a tail."""
    return checks.real("rho", value, 0, below=1)


def width(s: int, k: int) -> tuple[int, int]:
    """1 <= k <= s: the number of neurons and of those that may be active at once."""
    s = checks.integer("s", s, 1)
    return s, checks.integer("k", k, 1, s)


def scale(W: float, B: float) -> tuple[float, float]:
    """W, B >= 0: the scale of Definition 2."""
    return checks.real("W", W, 0), checks.real("B", B, 0)


def as_float(size: int) -> float:
    """An integer as a float, infinite where it is too large for one."""
    try:
        return float(size)
    except OverflowError:
        return inf


def power(base: int, exponent: int) -> float:
    """base^exponent as a float, infinite where it is too large for one."""
    return as_float(base**exponent) if exponent * (base.bit_length() - 1) < 1100 else inf


def basis_size(n: int, d: int) -> float:
    """N = sum_{i <= d} C(n, i): the number of monomials of degree at most d."""
    return as_float(dimension(n, d))
