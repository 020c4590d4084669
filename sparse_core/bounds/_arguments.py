"""The domains of the quantities that all bounds share."""

from __future__ import annotations

from math import comb, inf
from typing import Any

from .. import checks


def positive(name: str, value: Any, maximum: float | None = None) -> float:
    """0 < value <= maximum.

    >>> positive("eps", 0)
    Traceback (most recent call last):
    ValueError: Argument 'eps' must be positive, not 0.0.
    """
    value = checks.real(name, value, maximum=maximum)
    if value <= 0:
        raise ValueError(f"Argument '{name}' must be positive, not {value}.")
    return value


def confidence(delta: Any) -> float:
    """0 < delta < 1, the probability with which a learner may fail.

    >>> confidence(1)
    Traceback (most recent call last):
    ValueError: Argument 'delta' must be less than 1, not 1.0.
    """
    delta = positive("delta", delta)
    if delta >= 1:
        raise ValueError(f"Argument 'delta' must be less than 1, not {delta}.")
    return delta


def correlation(rho: Any) -> float:
    """0 <= rho < 1, the correlation for which noise sensitivity bounds a tail.

    >>> correlation(-0.5)
    Traceback (most recent call last):
    ValueError: Argument 'rho' must be at least 0, not -0.5.
    """
    rho = checks.real("rho", rho, 0)
    if rho >= 1:
        raise ValueError(f"Argument 'rho' must be less than 1, not {rho}.")
    return rho


def as_float(size: int) -> float:
    """An integer as a float, infinite where it is too large for one."""
    try:
        return float(size)
    except OverflowError:
        return inf


def basis_size(n: int, d: int) -> float:
    """N = sum_{i <= d} C(n, i): the number of monomials of degree at most d.

    >>> basis_size(256, 3)
    2796417.0
    """
    return as_float(sum(comb(n, i) for i in range(min(d, n) + 1)))
