r"""Exact risks of fitted polynomials, and the forms that predict how they fall with the number of samples.

By Parseval no test set is needed. A risk is E (f - h)^2, twice the paper's loss.

Paper: section 2 (the loss), Lemma 7 (what the risks are about).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from .._arrays import Array
from ..cube.hypercube import dimension

if TYPE_CHECKING:  # it loads scikit-learn
    from .lowdegree import LowDegreeRegressor

__all__ = ["averaging_risk", "least_squares_risk", "risk"]

Sets = Mapping[tuple[int, ...], float]


def risk(model: LowDegreeRegressor, coefficients: ArrayLike | Sets) -> float:
    """E (f - h)^2 = sum_T (c_T - hhat(T))^2 for the polynomial f of a fitted model, exactly.

    ``coefficients`` are those of h: all 2^n of them, as from ``fourier.walsh_transform``, or for any n a dictionary of
    those that are not 0, by their sets of coordinates: tuples of different coordinates in any order.

    >>> from sparse_core.cube.hypercube import points
    >>> from sparse_core.learning import LowDegreeRegressor
    >>> X = points(2)
    >>> model = LowDegreeRegressor(1).fit(X, X[:, 0] * X[:, 1] + X[:, 0])
    >>> risk(model, [0, 1, 0, 1]), risk(model, {(0,): 1.0, (1, 0): 1.0})
    (1.0, 1.0)
    """
    n = checks.having("model", model, "coef_", "monomials_").n_features_in_
    if isinstance(coefficients, Mapping):
        masks = model.monomials_.tolist()
        if n > 62:  # they are coordinates, filled up with -1
            masks = [sum(1 << i for i in T if i >= 0) for T in masks]
        gaps = _by_masks(coefficients, n)
        for T, c in zip(masks, model.coef_.tolist(), strict=True):
            gaps[T] = gaps.get(T, 0.0) - c
        return float(sum(gap**2 for gap in gaps.values()))
    gap, dimensions = checks.length_2n("coefficients", coefficients)
    if dimensions != n:
        raise ValueError(f"Argument 'coefficients' must have length 2**{n}, not {len(gap)}.")
    gap = np.array(gap, dtype=np.float64)
    gap[model.monomials_] -= model.coef_
    return float(np.square(gap).sum())


def _by_masks(coefficients: Sets, n: int) -> dict[int, float]:
    """The dictionary with bit masks as keys, no two keys of it the same set."""
    target: dict[int, float] = {}
    for key, value in coefficients.items():
        if not isinstance(key, tuple):
            raise TypeError(f"Argument 'coefficients' must have tuples of coordinates as keys, not {key!r}.")
        T = sum({1 << checks.integer("coefficients", i, 0, n - 1) for i in key})
        if T.bit_count() < len(key) or T in target:
            raise ValueError(
                f"Argument 'coefficients' must name each set once and by different coordinates, not {key}."
            )
        target[T] = checks.real("coefficients", value)
    return target


def averaging_risk(weights: ArrayLike, degree: int, m: int, noise: float = 0.0) -> float:
    """E |f - h|^2 = tail + (D (|h|^2 + noise) - W) / m for averaging over m uniform samples of h, exactly.

    `ours-averaging-risk`: each of the D means is unbiased and has variance (|h|^2 + noise - hhat(T)^2) / m. W is
    the sum of the weights (``fourier.weight_by_degree``) up to the degree, tail the rest, ``noise`` a variance.

    >>> averaging_risk([0.0, 1.0, 0.0], degree=1, m=100)         # D = 3
    0.02
    """
    weights, D = _weights(weights, degree)
    m = checks.integer("m", m, 1)
    noise = checks.real("noise", noise, 0)
    below = weights[: degree + 1].sum()
    above = weights[degree + 1 :].sum()
    return float(above + (D * (below + above + noise) - below) / m)


def least_squares_risk(weights: ArrayLike, degree: int, m: int, noise: float = 0.0) -> float:
    """E |f - h|^2 ~ tail + (tail + noise) D / (m - D - 1) for least squares over m > D + 1 uniform samples of h.

    `ours-least-squares-risk`: exact if the monomials were Gaussian and independent of the rest of h. On the cube it is
    an approximation, too low while m is near D: chapter 2 measures the excess for a junta at m = 1.5 D, ..., 8 D.

    >>> least_squares_risk([0.0, 1.0, 0.5], degree=1, m=8)       # D = 3
    0.875
    """
    weights, D = _weights(weights, degree)
    if checks.integer("m", m, 1) <= D + 1:
        raise ValueError(f"Argument 'm' must exceed the number of monomials by 2, {D + 2}, not {m}.")
    tail = float(weights[degree + 1 :].sum())
    return tail + (tail + checks.real("noise", noise, 0)) * D / (m - D - 1)


def _weights(weights: ArrayLike, degree: int) -> tuple[Array, int]:
    array = checks.real_array("weights", weights, ndim=1).astype(np.float64)
    checks.integer("the number of weights", len(array), 1)
    checks.entries("weights", array, array >= 0, "must be at least 0")
    n = len(array) - 1
    D = dimension(n, min(checks.integer("degree", degree, 0), 200))  # of a higher degree, there are too many already
    if D > checks.LARGEST_NUMBER:
        found = f"{n} variables have more than 1e60 monomials up to {degree}"
        raise ValueError(f"Argument 'degree' must be smaller: {found}.")
    return array, D
