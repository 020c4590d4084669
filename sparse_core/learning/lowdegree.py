r"""Low-degree learning on the cube as a scikit-learn estimator: f(x) = sum_{|T| <= d} c_T chi_T(x), c from samples.

*averaging* is the low-degree algorithm of the paper: c_T is the mean of y chi_T(x). *least_squares* is polynomial
regression. *threshold* keeps the means above their noise level and refits those by least squares, after Eskenazis and
Ivanisvili (2022): where few coefficients matter, the samples that it needs grow like ln n instead of n^d.

Paper: section 2.1 (the low-degree algorithm), Lemma 7, Theorem 8.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from copy import copy
from math import comb, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import checks
from .._arrays import parallel, slices
from ..cube.hypercube import dimension, monomials
from .moments import Moments, Report, checked_points
from .monomial_products import Spare, products_of
from .regression import TOLERANCE, gram, least_squares, solve

__all__ = ["LowDegreeRegressor"]

METHODS = ("averaging", "least_squares", "threshold")
BYTES = 80  # per monomial: the ten doubles that each method needs at its peak
CHUNK = 1 << 22  # entries of the matrix of the monomials that a threshold has left, at one block of points


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
    solver : for least squares: "gram", "kernel", "cg", "walsh" or "auto", see ``regression``.
    tol : the relative residual at which "cg" and "walsh" stop.
    max_memory : the bytes that a fit may take beyond the samples.
    verbose : whether ``fit`` shows progress bars, if it runs on a terminal.

    Attributes
    ----------
    coef_ : the c_T, in the order of ``monomials_``.
    monomials_ : the T as bit masks or, for n > 62, as rows of coordinates filled up with -1; all T of degree at most
        ``degree`` in the order of ``hypercube.monomials``, after "threshold" only those that were kept.
    degree_, n_features_in_ : the degree of the fit, and the dimension n.
    solver_, n_iter_ : after least squares, the route taken and its steps.

    Examples
    --------
    >>> from sparse_core.cube import hypercube
    >>> X = hypercube.points(4)
    >>> model = LowDegreeRegressor(2, method="threshold").fit(X, 3.0 + 2 * X[:, 0] * X[:, 2])
    >>> model.monomials_, model.coef_
    (array([0, 5]), array([3., 2.]))
    """

    def __init__(
        self,
        degree: int = 2,
        method: str = "averaging",
        *,
        ridge: float = 0.0,
        level: float = 1.0,
        solver: str = "auto",
        tol: float = TOLERANCE,
        max_memory: float = 4e9,
        verbose: bool = False,
    ) -> None:
        self.degree, self.method, self.ridge, self.level = degree, method, ridge, level
        self.solver, self.tol, self.max_memory, self.verbose = solver, tol, max_memory, verbose

    def fit(self, X: ArrayLike, y: ArrayLike) -> LowDegreeRegressor:
        """The coefficients from samples: points as rows of -1 and 1, an array or a memory map, and one label each.

        An error or Ctrl-C leaves the estimator as it was; Ctrl-C in "cg" and "walsh" is an ``Interrupted``.
        """
        new = self._unfitted()
        with _progress(self.verbose) as report:
            points, labels = new._samples(X, y, reset=True)
            new.degree_ = new.degree
            getattr(new, f"_{new.method}")(points, labels, report)
        self.__dict__ = new.__dict__
        return self

    @available_if(lambda self: self.method != "threshold")  # type: ignore[untyped-decorator]
    def partial_fit(self, X: ArrayLike, y: ArrayLike) -> LowDegreeRegressor:
        """The coefficients from the samples of this and all earlier calls of it, as from one fit; ``fit`` starts anew.

        Only moments are kept, so "threshold" does not have it. Least squares needs those of twice the degree, takes the
        route "gram", and has no coefficients before there are as many samples as monomials (or a ridge).
        """
        first = not hasattr(self, "_moments")
        new = self._unfitted() if first else copy(self)
        points, labels = new._samples(X, y, reset=first)
        wanted = [new.degree] if new.method == "averaging" else [new.degree, 2 * new.degree]
        if first:
            new._affordable(new.n_features_in_, max(wanted))
            new._moments = [Moments(new.n_features_in_, degree) for degree in wanted]
        if [moments.degree for moments in new._moments] != wanted:
            raise ValueError("Arguments 'degree' and 'method' must not change between calls of partial_fit; fit anew.")
        new.degree_ = new.degree
        new._moments = [
            moments + Moments(moments.n, moments.degree).update(points, values)
            for moments, values in zip(new._moments, (labels, np.ones(len(points))), strict=False)
        ]
        means = new._moments[0].coefficients
        if new.method == "averaging":
            new.coef_ = means
        elif new.ridge > 0 or new._moments[0].count >= len(means):
            new.coef_ = solve(gram(new._moments[1], new.degree), means, new.ridge)
            new.solver_, new.n_iter_ = "gram", 0
        self.__dict__ = new.__dict__
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """f(x) for each row x of X."""
        check_is_fitted(self, "coef_", msg="This %(name)s is not fitted yet: call 'fit' with enough samples.")
        points, n = checked_points(validate_data(self, X, dtype="numeric", reset=False)), self.n_features_in_
        if hasattr(self, "_kept"):
            blocks = slices(len(points), max(1, CHUNK // max(1, self._kept.size)))
            parts: Iterator[Any] = parallel(lambda rows: _characters(points[rows], self._kept) @ self.coef_, blocks)
        else:
            products = products_of(n, self.degree_)
            c, blocks = np.zeros(products.size), slices(len(points), products.block)
            c[products.position] = self.coef_

            def part(rows: slice, spare: Spare) -> Any:
                return products.forward(products.factors(points[rows].T, spare=spare), c)

            parts = products.over(blocks, part, len(points))
        return np.concatenate([np.zeros(0), *parts])

    @property
    def monomials_(self) -> NDArray[Any]:
        check_is_fitted(self, "coef_")
        n, sets = self.n_features_in_, getattr(self, "_kept", None)
        if n <= 62:
            return monomials(n, self.degree_) if sets is None else (np.append(1 << np.arange(n), 0)[sets]).sum(axis=1)
        return _sets(n, self.degree_, np.arange(len(self.coef_))) if sets is None else sets

    def _averaging(self, X: NDArray[Any], y: NDArray[Any], report: Report) -> None:
        self.coef_ = Moments(X.shape[1], self.degree_).update(X, y, report).coefficients

    def _least_squares(self, X: NDArray[Any], y: NDArray[Any], report: Report) -> None:
        (m, n), degree, ridge = X.shape, self.degree_, float(self.ridge)
        if ridge == 0 and m < (D := dimension(n, degree)):
            raise ValueError(
                f"Least squares with {D:,} monomials needs as many samples, not n_samples={m}: "
                "give more, a positive 'ridge', a smaller 'degree', or method='threshold'."
            )
        fit = least_squares(X, y, degree, ridge, self.solver, self.max_memory, self.tol, report)
        self.coef_, self.solver_, self.n_iter_ = fit

    def _threshold(self, X: NDArray[Any], y: NDArray[Any], report: Report) -> None:
        (m, n), y = X.shape, np.asarray(y, dtype=np.float64)
        moments = Moments(n, self.degree_).update(X, y - y.mean(), report)
        means = moments.coefficients
        means[0] = y.mean()
        kept = np.flatnonzero(np.abs(means) > self.level * sqrt(2 * log(len(means)) * moments.mean_square / m))
        if len(kept) > m:
            raise ValueError(
                f"The threshold leaves {len(kept):,} monomials, more than n_samples={m} can determine: "
                f"give more samples, a 'level' above {self.level} or a smaller 'degree'."
            )
        sets = self._kept = _sets(n, self.degree_, kept)

        def equations(rows: slice) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            chi = _characters(X[rows], sets)
            return chi.T @ chi, chi.T @ y[rows]

        G, b = np.zeros((len(kept),) * 2), np.zeros(len(kept))
        for part in parallel(equations, slices(m, max(1, CHUNK // max(1, sets.size)))):
            G += part[0]
            b += part[1]
        self.coef_ = solve(G, b)

    def _samples(self, X: ArrayLike, y: ArrayLike, reset: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        checks.integer("degree", self.degree, 0), checks.one_of("method", self.method, METHODS)
        checks.real("ridge", self.ridge, 0), checks.real("level", self.level, 0), checks.real("tol", self.tol, 0, 1)
        points, labels = validate_data(self, X, y, dtype="numeric", y_numeric=True, reset=reset)
        self._affordable(points.shape[1], self.degree)
        return points, labels

    def _unfitted(self) -> LowDegreeRegressor:
        """A copy without what earlier fits have found."""
        new = copy(self)
        for name in ("_moments", "_kept", "coef_", "solver_", "n_iter_"):
            new.__dict__.pop(name, None)
        return new

    def _affordable(self, n: int, degree: int) -> None:
        need, limit = BYTES * dimension(n, degree), checks.real("max_memory", self.max_memory, 0)
        if need > limit:
            fits = max((d for d in range(n) if BYTES * dimension(n, d) <= limit), default=None)
            advice = "no degree" if fits is None else f"degree {fits} ({dimension(n, fits):,} monomials)"
            raise ValueError(
                f"The {dimension(n, degree):,} monomials of degree {degree} in {n} variables need {need / 1e9:.3g} GB, "
                f"more than 'max_memory', {limit / 1e9:.3g} GB, which {advice} would fit."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # on labels that are not of low degree
        return tags


@contextmanager
def _progress(verbose: bool) -> Iterator[Report]:
    """report(stage, share), which shows one bar per stage if that is asked for, on a terminal only (tqdm)."""
    if not checks.flag("verbose", verbose):
        yield lambda stage, share: None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        raise ImportError("Argument 'verbose' needs tqdm: pip install 'sparse_core[progress]'") from None
    form = "{desc}: {percentage:3.0f}% |{bar}| {elapsed}, {remaining} left"
    bars: dict[str, Any] = {}
    with ExitStack() as shown:

        def report(stage: str, share: float) -> None:
            if stage not in bars:
                shown.close()  # the bar of the stage before
                bars[stage] = shown.enter_context(tqdm(total=1.0, desc=stage, bar_format=form, disable=None))
            bars[stage].update(max(0.0, share - bars[stage].n))

        yield report


def _sets(n: int, degree: int, chosen: NDArray[np.intp]) -> NDArray[np.int32]:
    """The sets of at most ``degree`` coordinates at the chosen places of ``hypercube.supports``, filled up with -1.

    The set of rank r among those of i coordinates has the largest element p with C(p, i) <= r < C(p + 1, i), and the
    rank of the others is r - C(p, i).
    """
    sets, start = np.full((len(chosen), min(degree, n)), -1, dtype=np.int32), 0
    for size in range(1, min(degree, n) + 1):
        start += comb(n, size - 1)
        here = (start <= chosen) & (chosen < start + comb(n, size))
        rank = chosen[here] - start
        for i in range(size, 0, -1):
            ranks = np.array([comb(p, i) for p in range(n)])
            largest = np.searchsorted(ranks, rank, side="right") - 1
            sets[here, i - 1] = largest
            rank -= ranks[largest]
    return sets


def _characters(X: NDArray[Any], sets: NDArray[np.int32]) -> NDArray[np.float64]:
    """chi_T(x) for the rows x of X and T of ``sets``; the filler -1 meets a last coordinate, which is always 1."""
    extended = np.column_stack([X, np.ones(len(X), dtype=X.dtype)])
    return np.asarray(np.prod(extended[:, sets], axis=2, dtype=np.float64))
