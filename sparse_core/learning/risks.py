r"""Exact risks of fitted polynomials, how they fall with the number of samples, and the forms that predict them.

By Parseval no test set is needed. A risk is a squared distance, without the 1/2 of the paper's loss.

Paper: section 2 (the loss), Lemma 7 (what the risks are about).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Array
from .._interval import half_width
from ..cube.fourier import walsh_transform
from ..cube.hypercube import dimension, points

if TYPE_CHECKING:  # it loads scikit-learn
    from .lowdegree import LowDegreeRegressor

__all__ = ["Curve", "averaging_risk", "learning_curve", "least_squares_risk", "risk", "sample_risks", "standardised"]

Sets = Mapping[tuple[int, ...], float]


def standardised(values: ArrayLike) -> Array:
    """(h - E h) / sqrt(Var h), from the table of h on the cube.

    >>> standardised([3, 1, 1, -1])
    array([ 1.41421356,  0.        ,  0.        , -1.41421356])
    """
    h, _ = checks.length_2n("values", values)
    deviation = float(h.std())
    if deviation == 0:
        raise ValueError("Argument 'values' must not be constant.")
    return np.asarray((h - h.mean()) / deviation, dtype=np.float64)


def risk(model: LowDegreeRegressor, coefficients: ArrayLike | Sets) -> float:
    """E (f - h)^2 = sum_T (c_T - hhat(T))^2 for the polynomial f of a fitted model, exactly.

    ``coefficients`` are those of h: all 2^n of them, as from ``fourier.walsh_transform``, or for any n a dictionary of
    those that are not 0, by their sets of coordinates: tuples of different coordinates in any order.

    >>> from sparse_core.learning import LowDegreeRegressor
    >>> X = points(2)
    >>> model = LowDegreeRegressor(1).fit(X, X[:, 0] * X[:, 1] + X[:, 0])
    >>> risk(model, [0, 1, 0, 1]), risk(model, {(0,): 1.0, (1, 0): 1.0})
    (1.0, 1.0)
    """
    n = checks.having("model", model, "coef_", "monomials_").n_features_in_
    if isinstance(coefficients, Mapping):
        target = _by_sets(coefficients, n)
        found = dict(zip(_supports(model), model.coef_.tolist(), strict=True))
        return float(sum((found.get(T, 0.0) - target.get(T, 0.0)) ** 2 for T in {*found, *target}))
    gap, dimensions = checks.length_2n("coefficients", coefficients)
    if dimensions != n:
        raise ValueError(f"Argument 'coefficients' must have length 2**{n}, not {len(gap)}.")
    gap = np.array(gap, dtype=np.float64)
    gap[model.monomials_] -= model.coef_
    return float(np.square(gap).sum())


def _by_sets(coefficients: Sets, n: int) -> dict[tuple[int, ...], float]:
    """The dictionary with its keys checked and sorted, no two of them the same set."""
    target: dict[tuple[int, ...], float] = {}
    for key, value in coefficients.items():
        if not isinstance(key, tuple):
            raise TypeError(f"Argument 'coefficients' must have tuples of coordinates as keys, not {key!r}.")
        T = tuple(sorted(checks.integer("coefficients", i, 0, n - 1) for i in key))
        if len(set(T)) < len(T) or T in target:
            raise ValueError(
                f"Argument 'coefficients' must name each set once and by different coordinates, not {key}."
            )
        target[T] = checks.real("coefficients", value)
    return target


def _supports(model: LowDegreeRegressor) -> list[tuple[int, ...]]:
    """The monomials of a model as sets of coordinates."""
    n = model.n_features_in_
    sets = model.monomials_.tolist()
    if n <= 62:  # bit masks
        return [tuple(i for i in range(n) if T >> i & 1) for T in sets]
    return [tuple(i for i in T if i >= 0) for T in sets]  # coordinates filled up with -1


def sample_risks(
    model: LowDegreeRegressor,
    values: ArrayLike,
    m: int,
    runs: int,
    *,
    rng: np.random.Generator,
    noise: Callable[[Array], Array] | None = None,
) -> Array:
    """The risks of ``runs`` fits of a copy of the model, each to m uniform samples (x, h(x)), from the table of h.

    ``noise`` maps y to noisy labels; the risk is that with respect to h all the same.

    >>> from sparse_core.learning import LowDegreeRegressor
    >>> sample_risks(LowDegreeRegressor(1), [1, -1, 1, -1], 100, 3, rng=np.random.default_rng(0)).shape
    (3,)
    """
    h, n = checks.length_2n("values", values)
    m = checks.size("m", m)
    runs = checks.size("runs", runs)
    rng = checks.generator("rng", rng)
    checks.having("model", model, "fit", "predict")
    checks.integer("n", n, 1)
    cube = points(n)
    coefficients = walsh_transform(h)
    found = []
    for _ in range(runs):
        rows = rng.integers(0, len(h), m)
        y = h[rows] if noise is None else noise(h[rows])
        found.append(risk(copy(model).fit(cube[rows], y), coefficients))
    return np.array(found)


class Curve(NamedTuple):
    """Mean risks at the sample sizes m, with their standard errors, each from the same number of runs."""

    m: NDArray[np.int64]
    mean: Array
    error: Array
    runs: int

    def half_width(self, together: int = 1) -> Array:
        """Half of the 95 % interval of each mean (Student), or of intervals that hold for ``together`` means at once.

        >>> Curve(np.array([10]), np.array([1.0]), np.array([0.1]), 11).half_width().round(4)
        array([0.2228])
        """
        together = checks.integer("together", together, 1)
        return half_width(self.error, self.runs, 0.05 / together)


def learning_curve(
    model: LowDegreeRegressor, values: ArrayLike, sizes: Iterable[float], runs: int, *, rng: np.random.Generator
) -> Curve:
    """The mean risk over ``runs`` samples of each size, rounded down, with its standard error.

    >>> from sparse_core.learning import LowDegreeRegressor
    >>> curve = learning_curve(LowDegreeRegressor(1), [1, -1, 1, -1], [100, 10000], 5, rng=np.random.default_rng(0))
    >>> bool(curve.mean[1] < curve.mean[0])
    True
    """
    h, _ = checks.length_2n("values", values)
    given = checks.real_array("sizes", sizes if isinstance(sizes, np.ndarray) else checks.listed("sizes", sizes), 1)
    checks.integer("the number of sizes", len(given), 1)
    m = np.array([checks.size("sizes", int(size)) for size in given], dtype=np.int64)
    runs, rng = checks.size("runs", runs, 2), checks.generator("rng", rng)
    found = np.array([sample_risks(model, h, size, runs, rng=rng) for size in m.tolist()])
    return Curve(m, found.mean(axis=1), found.std(axis=1, ddof=1) / np.sqrt(runs), runs)


def averaging_risk(weights: ArrayLike, degree: int, m: int, noise: float = 0.0) -> float:
    """E |f - h|^2 = tail + (D (|h|^2 + noise) - W) / m for averaging over m uniform samples of h, exactly.

    `ours-averaging-risk`: each of the D means is unbiased and has variance (|h|^2 + noise - hhat(T)^2) / m. W is
    the sum of the weights (``fourier.weight_by_degree``) up to the degree, tail the rest, ``noise`` a variance.

    >>> averaging_risk([0.0, 1.0, 0.0], degree=1, m=100)         # D = 3
    0.02
    """
    weights, D = _weights(weights, degree)
    m, noise = checks.integer("m", m, 1), checks.real("noise", noise, 0)
    below, above = weights[: degree + 1].sum(), weights[degree + 1 :].sum()
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
    array = checks.real_array("weights", weights, ndim=1)
    return array, dimension(len(array) - 1, checks.integer("degree", degree, 0))
