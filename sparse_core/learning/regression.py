r"""Polynomial regression on the cube: the c that minimises mean (y - sum_{|T| <= d} c_T chi_T)^2 + ridge |c|^2.

Four routes lead to the same minimiser; ``choose`` names one. No route forms the matrix Phi of all D monomials at all m
samples.

* *gram*: the D equations (G + ridge) c = mean of y chi, G from the moments of twice the degree.
* *kernel*: c = sum_i a_i chi(x_i) from the m equations (K + m ridge) a = y; K_ij = sum_{|T| <= d} chi_T(x_i x_j)
  depends only on the number of coordinates in which x_i and x_j differ.
* *cg*: conjugate gradients on the equations of *gram*, each step one product over the samples forth and back.
* *walsh*: the same, each step two Walsh transforms of a table of the cube, with the frequencies of its points between.

The first two are solved to rounding, the others to a tolerance. Where the samples leave c undetermined, the
shortest minimiser is returned, by the last two to single precision.

Paper: Lemma 7, which calls it polynomial regression.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from .. import checks
from .._arrays import Array, one_thread, slices
from ..cube.fourier import inverse_walsh_transform
from ..cube.hypercube import dimension, index, monomials
from .moments import HISTOGRAM_SAMPLES, TABLE_N, Moments
from .monomial_products import products_of
from .sample import Sample

__all__ = ["Fit", "choose", "conjugate_gradients", "gram", "least_squares", "solve"]

SOLVERS = ("gram", "kernel", "cg", "walsh")
# Residual, relative to the right side, at which the iterative routes stop by default.
TOLERANCE = 1e-6
# Coordinates up to which the table of all 2^n points is used: 256 MB of doubles.
WALSH_N = 25
# Samples up to which the kernel matrix is formed and factored on one thread in about a second.
KERNEL_SAMPLES = 5000
# Monomials up to which the Gram matrix is, in a fraction of a second.
GRAM_MONOMIALS = 2500
# Coordinates up to which a set is a bit mask, by which the Gram matrix is looked up.
GRAM_N = 62
# Degrees beyond this count as this one: unless n is smaller there are 2^26 monomials, too many for all but "cg".
MOST_DEGREE = 26
# Steps of conjugate gradients after which they are given up.
MAX_STEPS = 2000
# Reduction of the residual that steps in single precision can give.
SINGLE_REDUCTION = 4e-7
# Unknowns from which ``solve`` tries conjugate gradients before the factors of the matrix.
ITERATED_UNKNOWNS = 500
# Steps that it tries: in the time of the factors of 1500 unknowns.
ITERATED_STEPS = 40
# Relative residual that is no more than rounding.
ROUNDING_RESIDUAL = 1e-14
# Eigenvalues up to this share of the largest count as zeros.
ZERO_EIGENVALUE = 1e-12
# Entries of a matrix that are looked up at a time.
MATRIX_ENTRIES = 1 << 16


class Fit(NamedTuple):
    """The coefficients in the order of ``hypercube.monomials``, the route taken, and its steps (0 if it has none)."""

    coefficients: Array
    solver: str
    steps: int


def least_squares(
    sample: Sample, degree: int, ridge: float = 0.0, solver: str = "auto", tolerance: float = TOLERANCE
) -> Fit:
    """argmin_c mean_i (y_i - sum_{|T| <= d} c_T chi_T(x_i))^2 + ridge |c|^2.

    Parameters
    ----------
    solver : "gram", "kernel", "cg" or "walsh", or "auto" for the one that ``choose`` names.
    tolerance : of the residual of "cg" and "walsh", relative to the right side of the equations.

    >>> X = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]])
    >>> least_squares(Sample.checked(X, 3.0 - 2.0 * X[:, 1]), degree=1)
    Fit(coefficients=array([ 3.,  0., -2.]), solver='gram', steps=0)
    """
    m, n = sample.X.shape
    checks.integer("m", m, 1)
    degree = checks.integer("degree", degree, 0)
    ridge = checks.real("ridge", ridge, 0)
    tolerance = checks.real("tolerance", tolerance, 0, 1)
    if checks.one_of("solver", solver, ("auto", *SOLVERS)) == "auto":
        solver = choose(m, n, degree)
    if solver == "kernel":
        a = solve(_kernel_matrix(sample.X, degree), checks.real_array("y", sample.y, 1).astype(np.float64), m * ridge)
        return Fit(Moments(n, degree).update(sample._replace(y=a)).sums, solver, 0)
    if solver == "walsh":
        means, operator = _by_transforms(sample, degree)
    else:
        means = Moments(n, degree).update(sample).coefficients
        if solver == "gram":
            products = Moments(n, 2 * degree).update(Sample.checked(sample.X))
            return Fit(solve(gram(products, degree), means, ridge), solver, 0)
        operator = _by_products(sample.X, degree)
    c, steps = conjugate_gradients(lambda c, dtype: operator(c, dtype) + ridge * c, means, tolerance)
    return Fit(c, solver, steps)


def choose(m: int, n: int, degree: int) -> str:
    """A fast route for m samples of n coordinates; an exact one where that is fast.

    >>> choose(20_000, 20, 3), choose(100_000, 64, 3), choose(300, 256, 3), choose(10**6, 20, 5)
    ('gram', 'cg', 'kernel', 'walsh')
    """
    m = checks.integer("m", m, 1)
    n = checks.integer("n", n, 0, 10**6)
    degree = checks.integer("degree", degree, 0)
    D = dimension(n, min(degree, MOST_DEGREE))
    squares = dimension(n, min(2 * degree, MOST_DEGREE))
    # Fewer samples than monomials: the smaller system is that of the samples.
    if m < min(D, KERNEL_SAMPLES):
        return "kernel"
    # The moments of twice the degree, 64 of which a processor counts in the time of one product, cost no more than
    # some ten steps; or there would be many steps, since with few samples the Gram matrix is far from the identity.
    if n <= GRAM_N and D <= GRAM_MONOMIALS and (squares <= 64 * D or m < 2 * D):
        return "gram"
    # Two transforms of the table of the cube, about n 2^n operations, cost less than two products over the samples.
    if n <= WALSH_N and 8 * n << n < m * D:
        return "walsh"
    return "cg"


def conjugate_gradients(apply: Callable[[Array, Any], Array], b: Array, tolerance: float) -> tuple[Array, int]:
    """c with |b - A c| <= tolerance |b|, and the number of steps, from (c, dtype) -> A c in that precision; A >= 0.

    Unlike ``scipy.sparse.linalg.cg``:

    1. The steps are in single precision, which halves their time and cannot reduce the residual beyond
       ``SINGLE_REDUCTION``. So it is computed afresh in double precision, and the steps begin again with it on the
       right side, until it is small enough.
    2. The inner products do not use BLAS, whose last bits depend on the number of threads.

    >>> conjugate_gradients(lambda c, dtype: np.array([2.0, 4.0]) * c, np.array([2.0, 2.0]), 1e-6)
    (array([1. , 0.5]), 2)
    """
    c = np.zeros_like(b)
    residual = b
    size = _dot(b, b) ** 0.5
    left = size
    steps = 0
    while left > tolerance * size and steps < MAX_STEPS:
        goal = max(tolerance * size / 2, SINGLE_REDUCTION * left)
        change, taken = _descend(lambda v: apply(v, np.float32), residual, goal, MAX_STEPS - steps)
        if taken == 0:  # the residual is in the kernel of A
            break
        steps += taken
        c = c + change
        residual = b - apply(c, np.float64)
        left = _dot(residual, residual) ** 0.5
    if left > tolerance * size:
        from sklearn.exceptions import ConvergenceWarning  # slow to load, for a rare case

        warnings.warn(
            f"Conjugate gradients stopped after {steps} steps with a relative residual of {left / size:.1e}; "
            "a positive ridge or more samples would help.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return c, steps


def _descend(apply: Callable[[Array], Array], b: Array, goal: float, most: int) -> tuple[Array, int]:
    """x with |b - apply(x)| <= goal and the steps taken, at most so many; fewer where the rest is in the kernel."""
    x = np.zeros_like(b)
    r = b.copy()
    p = b.copy()
    square = _dot(r, r)
    for step in range(most):
        image = apply(p)
        curvature = _dot(p, image)
        if curvature <= 0:
            return x, step
        rate = square / curvature
        x += rate * p
        r -= rate * image
        before = square
        square = _dot(r, r)
        if square**0.5 <= goal:
            return x, step + 1
        p = r + (square / before) * p
    return x, most


def _dot(a: Array, b: Array) -> float:
    return float(np.sum(a * b))


def solve(A: Array, b: Array, ridge: float = 0.0) -> Array:
    """(A + ridge) x = b for A symmetric and not negative, to rounding; the shortest x where there are many.

    The ridge is added to A in place; b may have columns. Conjugate gradients, where A is large, b one column and some
    steps are enough; else Cholesky, or the pseudo-inverse where that breaks down.

    >>> solve(np.array([[1.0, 1], [1, 1]]), np.array([2.0, 2]))
    array([1., 1.])
    """
    A[np.diag_indices_from(A)] += ridge
    with one_thread():  # else the last bits would depend on the number of threads
        return _solution(A, b)


def _solution(A: Array, b: Array) -> Array:
    if not len(b):
        return b
    if len(b) >= ITERATED_UNKNOWNS and b.ndim == 1:
        size = float(np.linalg.norm(b))
        x, _ = _descend(lambda v: blas.dsymv(1.0, A.T, v), b, ROUNDING_RESIDUAL * size / 2, ITERATED_STEPS)
        if np.linalg.norm(b - A @ x) <= ROUNDING_RESIDUAL * size:
            return x
    factor, failed = lapack.dpotrf(A.T, clean=False)  # A.T is A, in the order of the columns
    if not failed and lapack.dpocon(factor, lapack.dlange("1", A.T))[0] > np.finfo(float).eps:
        return np.asarray(lapack.dpotrs(factor, b)[0])
    return np.asarray(np.linalg.pinv(A, rcond=ZERO_EIGENVALUE, hermitian=True) @ b)


def gram(moments: Moments, degree: int) -> Array:
    """G[T, T'] = S_{T xor T'} / count: the Gram matrix of the monomials, from moments of labels 1 and twice the degree.

    The sets are bit masks, so n <= 62.

    >>> gram(Moments(2, degree=2).update([[1, 1], [1, -1]], [1, 1]), degree=1)
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    n = moments.n
    degree = min(checks.integer("degree", degree, 0, moments.degree // 2), n)
    sets = monomials(n, degree)
    entries = _entries(moments)
    G = np.empty((len(sets),) * 2)
    for rows in slices(len(G), max(1, MATRIX_ENTRIES // len(G))):
        G[rows, : rows.stop] = entries(sets[rows, None] ^ sets[: rows.stop])
        G[: rows.stop, rows] = G[rows, : rows.stop].T
    return G


def _entries(moments: Moments) -> Callable[[NDArray[np.int64]], Array]:
    """Sets -> their coefficients: from a table of all 2^n sets, or for larger n by bisection."""
    sets = monomials(moments.n, moments.degree)
    if moments.n <= TABLE_N:
        table = np.zeros(1 << moments.n)
        table[sets] = moments.coefficients
        return table.take
    order = np.argsort(sets)
    sets = sets[order]
    values = moments.coefficients[order]
    return lambda wanted: values[np.searchsorted(sets, wanted)]


def _kernel_matrix(X: NDArray[Any], degree: int) -> Array:
    """K_ij = sum_{|T| <= degree} chi_T(x_i) chi_T(x_j), a function of the number h of coordinates in which they differ.

    Of the C(h, j) C(n - h, i - j) sets with i elements, j of them where they differ, each contributes (-1)^j; these are
    sums of Krawtchouk polynomials. h = (n - <x_i, x_j>) / 2 is exact in float32.
    """
    points = X.astype(np.float32)
    n = X.shape[1]
    pairs = [(i, j) for i in range(min(degree, n) + 1) for j in range(i + 1)]
    sums = (sum((-1) ** j * comb(h, j) * comb(n - h, i - j) for i, j in pairs) for h in range(n + 1))
    kernel = np.array([float(s) for s in sums])
    K = np.empty((len(X),) * 2)
    for rows in slices(len(X), max(1, MATRIX_ENTRIES // len(X))):
        K[rows] = kernel[((n - points[rows] @ points.T) / 2).astype(np.intp)]
    return K


def _by_products(X: NDArray[Any], degree: int) -> Callable[[Array, Any], Array]:
    """c -> Phi^T Phi c / m in a given precision."""
    m, n = X.shape
    products = products_of(n, degree)
    columns = np.ascontiguousarray(X.T, dtype=np.int8)

    def operator(c: Array, dtype: Any) -> Array:
        flat = np.zeros(products.size, dtype)
        flat[products.position] = c

        def block(rows: slice) -> NDArray[Any]:
            factors = products.factors(columns[:, rows], dtype)
            return products.adjoint(factors, products.forward(factors, flat))

        image = np.zeros(products.size)
        products.over(slices(m, products.block), block, image.__iadd__, 2 * m)
        return np.asarray(image[products.position] / m)

    return operator


def _by_transforms(sample: Sample, degree: int) -> tuple[Array, Callable[[Array, Any], Array]]:
    """The means of y chi and c -> Phi^T Phi c / m, from the number of samples and the sum of labels at each point."""
    m, n = sample.X.shape
    checks.integer("n", n, 0, WALSH_N)
    masks = monomials(n, degree)
    frequency = np.zeros(1 << n)
    labels = np.zeros(1 << n)
    for block in sample.blocks(HISTOGRAM_SAMPLES):
        where = index(block.X, checked=True)
        np.add.at(frequency, where, 1.0)
        np.add.at(labels, where, block.y)
    frequency /= m
    labels /= m

    def operator(c: Array, dtype: Any) -> Array:
        table = np.zeros(1 << n, dtype)
        table[masks] = c
        table = inverse_walsh_transform(table)
        table *= frequency  # in place: in the type of the table
        return inverse_walsh_transform(table)[masks].astype(np.float64)

    return inverse_walsh_transform(labels)[masks], operator
