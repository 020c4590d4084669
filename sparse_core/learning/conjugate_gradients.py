r"""Conjugate gradients in two precisions: A c = b for a symmetric A >= 0, its steps in single, its residuals in double.

Single precision halves the time of a step and cannot reduce the residual b - A c beyond ``SINGLE``. So it is computed
afresh in double precision, and the steps begin again with it on the right side, until it is small enough.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._arrays import Array

__all__ = ["Interrupted", "conjugate_gradients", "descend"]

SINGLE = 4e-7  # the reduction of the residual that steps in single precision can give
MAX_STEPS = 2000


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during conjugate gradients: their steps, their relative residual, and the solution as far as they came."""

    def __init__(self, solution: Array, steps: int, residual: float) -> None:
        super().__init__(
            f"after {steps} steps of conjugate gradients, at a relative residual of {residual:.1e}; "
            "the exception's 'solution' holds the coefficients so far"
        )
        self.solution, self.steps, self.residual = solution, steps, residual


def conjugate_gradients(
    apply: Callable[[Array, Any], Array],
    b: Array,
    tolerance: float,
    callback: Callable[[int, float], object] | None = None,
) -> tuple[Array, int]:
    """c with |b - A c| <= tolerance |b|, and the number of steps, from (c, dtype) -> A c in that precision.

    ``callback`` is called with the number of steps and the relative residual after each of them.

    >>> conjugate_gradients(lambda c, dtype: np.array([2.0, 4.0]) * c, np.array([2.0, 2.0]), 1e-6)
    (array([1. , 0.5]), 2)
    """
    size = left = _dot(b, b) ** 0.5
    c, change, residual, steps = np.zeros_like(b), np.zeros_like(b), b, 0
    try:
        while left > tolerance * size and steps < MAX_STEPS:
            goal, before = max(tolerance * size / 2, SINGLE * left), steps
            for change, left in descend(lambda v: apply(v, np.float32), residual):  # noqa: B007
                steps += 1
                if callback:
                    callback(steps, left / size)
                if left <= goal or steps >= MAX_STEPS:
                    break
            c, change = c + change, np.zeros_like(b)
            residual = b - apply(c, np.float64)
            left = _dot(residual, residual) ** 0.5
            if steps == before:
                break
    except KeyboardInterrupt:
        raise Interrupted(c + change, steps, left / size) from None
    if left > tolerance * size:
        from sklearn.exceptions import ConvergenceWarning  # slow to load, for a rare case

        warnings.warn(
            f"Conjugate gradients stopped after {steps} steps with a relative residual of {left / size:.1e}; "
            "a positive ridge or more samples would help.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return c, steps


def descend(apply: Callable[[Array], Array], b: Array) -> Iterator[tuple[Array, float]]:
    """The steps of conjugate gradients for apply(x) = b: x and |b - apply(x)|, until this is in the matrix's kernel.

    >>> next(descend(lambda x: np.array([2.0, 4.0]) * x, np.array([0.0, 4.0])))
    (array([0., 1.]), 0.0)
    """
    x, r, p = np.zeros_like(b), b.copy(), b.copy()
    square = _dot(r, r)
    while (curvature := _dot(p, image := apply(p))) > 0:
        rate = square / curvature
        x = x + rate * p
        r -= rate * image
        square, before = _dot(r, r), square
        yield x, square**0.5
        p = r + (square / before) * p


def _dot(a: Array, b: Array) -> float:
    """sum_i a_i b_i without BLAS, which shares out a long sum among its threads, so that their number would show."""
    return float(np.sum(a * b))
