r"""Low-degree learning on the cube as a scikit-learn estimator: f(x) = sum_{|T| <= d} c_T chi_T(x), c from samples.

*averaging* is the low-degree algorithm of the paper: c_T is the mean of y chi_T(x). *least_squares* is polynomial
regression. *threshold* keeps the means above their noise level and refits those by least squares, after Eskenazis and
Ivanisvili (2022): where few coefficients matter, the samples that it needs grow like ln n instead of n^d.

Paper: section 2.1 (the low-degree algorithm), Lemma 7, Theorem 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import checks
from .._arrays import map_blocks, one_thread
from ..cube.hypercube import dimension, monomials, supports
from .moments import Moments, Sample, least_squares, solve, values_of

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
    solver_, n_iter_ : after least squares, the route taken (see ``least_squares``) and its steps.

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
        sample = Sample.checked(*validate_data(copy(self), X, y, dtype="numeric", y_numeric=True))
        checks.integer("degree", self.degree, 0)
        checks.one_of("method", self.method, METHODS)
        checks.real("ridge", self.ridge, 0)
        checks.real("level", self.level, 0)
        learned = getattr(self, f"_{self.method}")(sample)
        validate_data(self, X, skip_check_array=True)  # the number and the names of the coordinates
        for name in ("_kept", "solver_", "n_iter_"):  # of an earlier fit
            self.__dict__.pop(name, None)
        for name, value in {"degree_": self.degree, **learned}.items():
            setattr(self, name, value)
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """f(x) for each row x of X."""
        check_is_fitted(self, "coef_", msg="This %(name)s is not fitted yet: call 'fit' with enough samples.")
        sample = Sample.checked(validate_data(self, X, dtype="numeric", reset=False))
        if not hasattr(self, "_kept"):
            return values_of(self.coef_, sample, self.degree_)
        parts = map_blocks(lambda block: _characters(block.X, self._kept) @ self.coef_, _blocks(sample, self._kept))
        return np.concatenate([np.zeros(0), *parts])

    @property
    def monomials_(self) -> NDArray[Any]:
        check_is_fitted(self, "coef_")
        n = self.n_features_in_
        if n > 62:
            return self._sets()
        if not hasattr(self, "_kept"):
            return monomials(n, self.degree_)
        masks = np.append(1 << np.arange(n, dtype=np.int64), 0)  # the filler -1 is the last, which adds nothing
        return np.asarray(masks[self._sets()].sum(axis=1))

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> NDArray[np.object_]:
        """The monomials in words, in the order of ``coef_``: the names of their coordinates, "1" for the empty set.

        input_features : the names of the coordinates, if not those of the samples that were fitted, or x0, x1, ...

        >>> from sparse_core.cube import hypercube
        >>> LowDegreeRegressor(2).fit(hypercube.points(3), range(8)).get_feature_names_out().tolist()
        ['1', 'x0', 'x1', 'x2', 'x0*x1', 'x0*x2', 'x1*x2']
        """
        check_is_fitted(self, "coef_")
        checked = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        names = [str(name) for name in np.ravel(checked)]  # of the coordinates
        return np.array(["*".join(names[i] for i in T if i >= 0) or "1" for T in self._sets().tolist()], dtype=object)

    def _sets(self) -> NDArray[np.int32]:
        """The sets of ``monomials_``."""
        kept: NDArray[np.int32] | None = getattr(self, "_kept", None)
        return _sets(self.n_features_in_, self.degree_) if kept is None else kept

    def _averaging(self, sample: Sample) -> dict[str, Any]:
        return {"coef_": Moments(sample.X.shape[1], self.degree).update(sample).coefficients}

    def _least_squares(self, sample: Sample) -> dict[str, Any]:
        m, n = sample.X.shape
        D = dimension(n, self.degree)
        ridge = float(self.ridge)
        if ridge == 0 and m < D:
            raise ValueError(
                f"Least squares with {D:,} monomials needs as many samples, not n_samples={m}: "
                "give more, a positive 'ridge', a smaller 'degree', or method='threshold'."
            )
        return dict(zip(("coef_", "solver_", "n_iter_"), least_squares(sample, self.degree, ridge), strict=True))

    def _threshold(self, sample: Sample) -> dict[str, Any]:
        m, n = sample.X.shape
        y = np.asarray(sample.y, dtype=np.float64)
        means = Moments(n, self.degree).update(sample._replace(y=y - y.mean())).coefficients
        means[0] = y.mean()
        large = np.flatnonzero(np.abs(means) > self.level * sqrt(2 * log(len(means)) * y.var() / m))
        if len(large) > m:
            raise ValueError(
                f"The threshold leaves {len(large):,} monomials, more than n_samples={m} can determine: "
                f"give more samples, a 'level' above {self.level} or a smaller 'degree'."
            )
        kept = _sets(n, self.degree)[large]
        G = np.zeros((len(kept),) * 2)
        b = np.zeros(len(kept))
        with one_thread():  # else the last bits would depend on the number of threads
            for block in _blocks(sample._replace(y=y), kept):
                chi = _characters(block.X, kept)
                G += chi.T @ chi
                b += chi.T @ block.y
        return {"coef_": solve(G, b), "_kept": kept}

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


def _blocks(sample: Sample, kept: NDArray[np.int32]) -> Iterator[Sample]:
    """Blocks of the sample in which the matrix of these monomials has at most BLOCK_ENTRIES entries."""
    return sample.blocks(max(1, BLOCK_ENTRIES // max(1, kept.size)))


def _characters(X: NDArray[Any], sets: NDArray[np.int32]) -> NDArray[np.float64]:
    """chi_T(x) for the rows x of X and T of ``sets``; the filler -1 meets a last coordinate, which is always 1."""
    extended = np.column_stack([X, np.ones(len(X), dtype=X.dtype)])
    return np.asarray(np.prod(extended[:, sets], axis=2, dtype=np.float64))
