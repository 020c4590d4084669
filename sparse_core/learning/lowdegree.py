r"""Low-degree learning on the cube as a scikit-learn estimator: f(x) = sum_{|T| <= d} c_T chi_T(x), c from samples.

*averaging* is the low-degree algorithm of the paper: c_T is the mean of y chi_T(x). *least_squares* is polynomial
regression. *threshold* keeps the means above their noise level and refits those by least squares, after Eskenazis and
Ivanisvili (2022): where few coefficients matter, the samples that it needs grow like ln n instead of n^d.

Paper: section 2.1 (the low-degree algorithm), Lemma 7, Theorem 8.
"""

from __future__ import annotations

from copy import copy
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import checks
from .._arrays import Array, each, map_blocks
from ..cube.hypercube import dimension, monomials, supports
from .moments import Moments
from .monomial_products import products_of
from .regression import least_squares, solve
from .sample import Sample

__all__ = ["LowDegreeRegressor"]

METHODS = ("averaging", "least_squares", "threshold")
# Entries of the matrix of the monomials that a threshold has left, at one block of points: 32 MB of doubles.
BLOCK_ENTRIES = 1 << 22


class LowDegreeRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn comes without types
    """f(x) = sum_{|T| <= degree} c_T chi_T(x), fitted to samples (x_i, y_i) with x_i in {-1, 1}^n.

    Parameters
    ----------
    degree : the largest number of coordinates of a monomial.
    method : "averaging": c_T is the mean of y chi_T. "least_squares": c minimises the mean of (y - f)^2 plus
        ridge |c|^2. "threshold": least squares over those T for which the mean of (y - E y) chi_T, or of y for the
        empty T, exceeds level * sqrt(2 ln D Var(y) / m) in absolute value; D is the number of monomials, m of samples,
        and Var(y) / m the variance of such a mean where c_T = 0.
    ridge : at least 0, for least squares; positive if there are fewer samples than monomials.
    level : at least 0, for threshold. At 1 hardly any monomial passes by noise alone.

    Attributes
    ----------
    coef_ : the c_T, in the order of ``monomials_``.
    monomials_ : the T as bit masks or, for n > 62, as rows of coordinates filled up with -1; all T of degree at most
        ``degree`` in the order of ``hypercube.monomials``, after "threshold" only those that were kept.
    degree_, n_features_in_ : the degree of the fit, and the dimension n.
    solver_, n_iter_ : after least squares, the route taken (see ``regression``) and its steps.

    Examples
    --------
    >>> from sparse_core.cube import hypercube
    >>> X = hypercube.points(4)
    >>> model = LowDegreeRegressor(2, method="threshold").fit(X, 3.0 + 2 * X[:, 0] * X[:, 2])
    >>> model.monomials_, model.coef_
    (array([0, 5]), array([3., 2.]))
    """

    def __init__(self, degree: int = 2, method: str = "averaging", *, ridge: float = 0.0, level: float = 1.0) -> None:
        self.degree = degree
        self.method = method
        self.ridge = ridge
        self.level = level

    def fit(self, X: ArrayLike, y: ArrayLike) -> LowDegreeRegressor:
        """The coefficients from samples: points as rows of -1 and 1, an array or a memory map, and one label each.

        An error or Ctrl-C leaves the estimator as it was.
        """
        new = copy(self)
        for name in ("_kept", "coef_", "solver_", "n_iter_"):  # of an earlier fit
            new.__dict__.pop(name, None)
        checks.integer("degree", self.degree, 0)
        checks.one_of("method", self.method, METHODS)
        checks.real("ridge", self.ridge, 0)
        checks.real("level", self.level, 0)
        sample = Sample.checked(*validate_data(new, X, y, dtype="numeric", y_numeric=True))
        new.degree_ = new.degree
        getattr(new, f"_{new.method}")(sample)
        self.__dict__ = new.__dict__
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """f(x) for each row x of X."""
        check_is_fitted(self, "coef_", msg="This %(name)s is not fitted yet: call 'fit' with enough samples.")
        sample = Sample.checked(validate_data(self, X, dtype="numeric", reset=False))
        if hasattr(self, "_kept"):
            blocks = sample.blocks(max(1, BLOCK_ENTRIES // max(1, self._kept.size)))
            parts = map_blocks(lambda block: _characters(block.X, self._kept) @ self.coef_, blocks)
        else:
            products = products_of(self.n_features_in_, self.degree_)
            c = np.zeros(products.size)
            c[products.position] = self.coef_
            blocks = sample.blocks(products.block)
            parts = []
            products.over(
                blocks, lambda block: products.forward(products.factors(block.X.T), c), parts.append, len(sample.y)
            )
        return np.concatenate([np.zeros(0), *parts])

    @property
    def monomials_(self) -> NDArray[Any]:
        check_is_fitted(self, "coef_")
        n = self.n_features_in_
        kept = getattr(self, "_kept", None)
        if n > 62:
            return _sets(n, self.degree_) if kept is None else kept
        if kept is None:
            return monomials(n, self.degree_)
        masks = np.append(1 << np.arange(n), 0)  # the filler -1 is the last, which adds nothing
        return np.asarray(masks[kept].sum(axis=1))

    def _averaging(self, sample: Sample) -> None:
        self.coef_ = Moments(self.n_features_in_, self.degree_).update(sample).coefficients

    def _least_squares(self, sample: Sample) -> None:
        m, n = sample.X.shape
        D = dimension(n, self.degree_)
        ridge = float(self.ridge)
        if ridge == 0 and m < D:
            raise ValueError(
                f"Least squares with {D:,} monomials needs as many samples, not n_samples={m}: "
                "give more, a positive 'ridge', a smaller 'degree', or method='threshold'."
            )
        self.coef_, self.solver_, self.n_iter_ = least_squares(sample, self.degree_, ridge)

    def _threshold(self, sample: Sample) -> None:
        m, n = sample.X.shape
        y = np.asarray(sample.y, dtype=np.float64)
        means = Moments(n, self.degree_).update(sample._replace(y=y - y.mean())).coefficients
        means[0] = y.mean()
        kept = np.flatnonzero(np.abs(means) > self.level * sqrt(2 * log(len(means)) * y.var() / m))
        if len(kept) > m:
            raise ValueError(
                f"The threshold leaves {len(kept):,} monomials, more than n_samples={m} can determine: "
                f"give more samples, a 'level' above {self.level} or a smaller 'degree'."
            )
        sets = self._kept = _sets(n, self.degree_)[kept]

        def equations(block: Sample) -> tuple[Array, Array]:
            chi = _characters(block.X, sets)
            return chi.T @ chi, chi.T @ block.y

        G = np.zeros((len(kept),) * 2)
        b = np.zeros(len(kept))
        blocks = sample._replace(y=y).blocks(max(1, BLOCK_ENTRIES // max(1, sets.size)))

        def add(parts: tuple[Array, Array]) -> None:
            np.add(G, parts[0], out=G)
            np.add(b, parts[1], out=b)

        each(equations, blocks, use=add)
        self.coef_ = solve(G, b)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # on labels that are not of low degree
        return tags


def _sets(n: int, degree: int) -> NDArray[np.int32]:
    """The sets of at most ``degree`` coordinates in the order of ``hypercube.supports``, filled up with -1."""
    levels = supports(n, degree)
    longest = len(levels) - 1
    return np.concatenate(
        [np.pad(sets, ((0, 0), (0, longest - i)), constant_values=-1) for i, sets in enumerate(levels)]
    )


def _characters(X: NDArray[Any], sets: NDArray[np.int32]) -> NDArray[np.float64]:
    """chi_T(x) for the rows x of X and T of ``sets``; the filler -1 meets a last coordinate, which is always 1."""
    extended = np.column_stack([X, np.ones(len(X), dtype=X.dtype)])
    return np.asarray(np.prod(extended[:, sets], axis=2, dtype=np.float64))
