r"""Polynomial regression on the cube: the c that minimises mean (y - sum_{|T| <= d} c_T chi_T)^2 + ridge |c|^2.

Three routes lead to the same minimiser; ``choose`` counts their operations. None forms the matrix Phi of all D
monomials at all m samples.

* *gram*: the D equations (G + ridge) c = mean of y chi, G from the moments of twice the degree. Exact in any condition.
* *kernel*: c = sum_i a_i chi(x_i) from the m equations (K + m ridge) a = y. K_ij is the sum of chi_T(x_i x_j) over
  abs(T) <= d, which depends only on the number of coordinates in which x_i and x_j differ.
* *cg*: conjugate gradients on the equations of *gram*, each step one sweep of ``moments`` forth and back, or two
  transforms of all 2^n values where those are cheaper.

Where the samples leave c undetermined, the shortest minimiser is returned, by *cg* to single precision.

Paper: Lemma 7, which calls it polynomial regression.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import comb, inf, log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from . import checks
from .fourier import inverse_walsh_transform
from .hypercube import dimension, index, monomials, supports
from .moments import TABLE_N, Moments, row_blocks
from .sweep import sweep

__all__ = ["Fit", "choose", "distance_kernel", "gram", "least_squares", "solve"]

Array = NDArray[np.float64]
TOLERANCE = 1e-10  # of the residual of conjugate gradients, relative to the right side
SINGLE = 1e-5  # the reduction of the residual that single precision can give
MAX_STEPS = 2000


class Fit(NamedTuple):
    """The coefficients in the order of ``hypercube.monomials``, the route taken, and its steps (0 unless *cg*)."""

    coefficients: Array
    solver: str
    steps: int


def least_squares(
    X: ArrayLike, y: ArrayLike, degree: int, ridge: float = 0.0, solver: str = "auto", memory: float = inf
) -> Fit:
    """argmin_c mean_i (y_i - sum_{|T| <= d} c_T chi_T(x_i))^2 + ridge |c|^2.

    Parameters
    ----------
    X, y : points as rows of -1 and 1 (an array or a memory map), and one real label each.
    degree, ridge : d and the weight of the square of c.
    solver : "gram", "kernel" or "cg", or "auto" for the one that ``choose`` names.
    memory : bytes that "auto" may use.

    Examples
    --------
    >>> X = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]])
    >>> least_squares(X, 3.0 - 2.0 * X[:, 1], degree=1)
    Fit(coefficients=array([ 3.,  0., -2.]), solver='gram', steps=0)
    """
    X = np.asarray(X)
    checks.signs("X", X[:0])  # its axes; its entries are looked at where they are read
    y = checks.real_array("y", y, ndim=1, shape=(len(X),))
    m, n = X.shape
    if checks.one_of("solver", solver, ("auto", "gram", "kernel", "cg")) == "auto":
        solver = choose(m, n, degree, ridge, memory)
    if solver == "kernel":
        a = solve(distance_kernel(n, degree)[_distances(X)], y, m * ridge)
        return Fit(Moments(n, degree).update(X, a).sums, solver, 0)
    means = Moments(n, degree).update(X, y).coefficients
    if solver == "gram":
        return Fit(solve(gram(Moments(n, 2 * degree).update(X, np.ones(m)), degree), means, ridge), solver, 0)
    return Fit(*_conjugate_gradients(X, degree, means, ridge))


def choose(m: int, n: int, degree: int, ridge: float = 0.0, memory: float = inf) -> str:
    """The route with the fewest operations among those that the memory allows.

    For uniform points the square root of the condition number of G is about (1 + r)/(1 - r), r = sqrt(D/m), to which
    the number of steps of *cg* is proportional: close to m = D, and with little ridge below, it is not the one to take.

    >>> choose(20_000, 20, 3), choose(100_000, 64, 3), choose(300, 256, 3, ridge=1e-6)
    ('gram', 'cg', 'kernel')
    """
    D, squares, m = dimension(n, degree), dimension(n, 2 * degree), checks.integer("m", m, 1)
    moments = min(2 * m * squares, _transform_cost(n))
    r = sqrt(D / m)
    least = max(1 - r, 0) ** 2 + ridge
    steps = sqrt(((1 + r) ** 2 + ridge) / least) * log(2 / TOLERANCE) / 2 if least else inf
    operations = {  # and the bytes beyond the vectors of length D
        "gram": (moments + D**3 / 3 + (4 * n if n > TABLE_N else 4) * D**2, 16 * D**2 + 40 * squares),
        "kernel": (2 * m**2 * n + m**3 / 3 + 2 * m * D if m < D else inf, 16 * m**2),
        "cg": (min(4 * m * D, _transform_cost(n)) * steps, 0),
    }
    return min((cost, name) for name, (cost, size) in operations.items() if size <= memory)[1]


def solve(A: Array, b: Array, ridge: float = 0.0) -> Array:
    """(A + ridge) x = b for A symmetric and not negative: by Cholesky, or the shortest solution where that breaks down.

    The ridge is added to A in place.

    >>> solve(np.array([[1.0, 1], [1, 1]]), np.array([2.0, 2]))
    array([1., 1.])
    """
    A[np.diag_indices_from(A)] += ridge
    with warnings.catch_warnings():
        warnings.simplefilter("error", linalg.LinAlgWarning)  # an ill-conditioned A
        try:
            return np.asarray(linalg.solve(A, b, assume_a="pos", check_finite=False))
        except (linalg.LinAlgError, linalg.LinAlgWarning):
            return np.linalg.pinv(A, rcond=1e-12, hermitian=True) @ b


def distance_kernel(n: int, degree: int) -> Array:
    """sum_{|T| <= degree} chi_T(x) chi_T(x') for points at distance h = 0, ..., n (sums of Krawtchouk polynomials).

    Of the C(h, j) C(n - h, i - j) sets with i elements, j of them where x and x' differ, each contributes (-1)^j.

    >>> distance_kernel(3, 1), distance_kernel(3, 3)
    (array([ 4.,  2.,  0., -2.]), array([8., 0., 0., 0.]))
    """
    n, degree = checks.integer("n", n, 0), min(checks.integer("degree", degree, 0), n)
    return np.array(
        [
            float(sum((-1) ** j * comb(h, j) * comb(n - h, i - j) for i in range(degree + 1) for j in range(i + 1)))
            for h in range(n + 1)
        ]
    )


def _distances(X: NDArray[Any]) -> NDArray[np.intp]:
    """The number of coordinates in which x_i and x_j differ: (n - <x_i, x_j>) / 2, exact in single precision."""
    points = checks.signs("X", X).astype(np.float32)
    distances: NDArray[np.intp] = ((X.shape[1] - points @ points.T) / 2).astype(np.intp)
    return distances


def gram(moments: Moments, degree: int) -> NDArray[np.float64]:
    """G[T, T'] = S_{T xor T'} / count: the Gram matrix of the monomials, from moments of twice their degree.

    The moments are those of labels 1. Since chi_T chi_T' = chi_{T xor T'}, few numbers make up the whole matrix.

    >>> gram(Moments(2, degree=2).update([[1, 1], [1, -1]], [1, 1]), degree=1)
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    n, degree = moments.n, min(checks.integer("degree", degree, 0, moments.degree // 2), moments.n)
    values = moments.coefficients
    G = np.empty((dimension(n, degree),) * 2)
    if n <= TABLE_N:
        table, masks = np.zeros(1 << n), monomials(n, degree)
        table[monomials(n, moments.degree)] = values
        for row, mask in zip(G, masks, strict=True):
            row[:] = table[mask ^ masks]
        return G
    member = np.concatenate([(level[:, :, None] == np.arange(n)).any(1) for level in supports(n, degree)])
    binomial = np.array([[comb(p, i) for i in range(2 * degree + 1)] for p in range(n)])
    first = np.array([0] + [dimension(n, i) for i in range(2 * degree)])
    for i in range(len(G)):  # the i-th element p of a set adds C(p, i) to its place among the sets of its size
        both = member[: i + 1] ^ member[i]
        order = np.cumsum(both, axis=1)
        G[i, : i + 1] = values[first[order[:, -1]] + np.where(both, binomial[np.arange(n), order], 0).sum(1)]
    return np.tril(G) + np.tril(G, -1).T


def _gram_operator(X: NDArray[Any], degree: int) -> Callable[[Array, Any], Array]:
    """c -> Phi^T Phi c / m in a given precision: by sweeps or, for many samples of few variables, by two transforms."""
    m, n = X.shape
    walk = sweep(n, degree)
    blocks = list(row_blocks(X, n, walk.block))

    def by_sweeps(c: Array, dtype: Any) -> Array:
        flat, image = np.zeros(walk.size, dtype), np.zeros(walk.size)
        flat[walk.position] = c
        for rows in blocks:
            factors = walk.factors(X[rows], dtype)
            image += walk.adjoint(factors, walk.forward(factors, flat))
        result: Array = image[walk.position] / m
        return result

    if _transform_cost(n) >= 4 * m * walk.size:
        return by_sweeps
    masks = monomials(n, degree)
    frequency = np.bincount(np.concatenate([index(X[rows]) for rows in blocks]), minlength=1 << n) / m

    def by_transforms(c: Array, dtype: Any) -> Array:
        table = np.zeros(1 << n, dtype)
        table[masks] = c
        values = inverse_walsh_transform(table) * frequency.astype(dtype)
        return inverse_walsh_transform(values)[masks].astype(np.float64)

    return by_transforms


def _transform_cost(n: int) -> float:
    """Operations of two transforms of all 2^n values."""
    return n << (n + 5) if n <= TABLE_N else inf


def _conjugate_gradients(X: NDArray[Any], degree: int, means: Array, ridge: float) -> tuple[Array, str, int]:
    """(Phi^T Phi / m + ridge) c = means: steps in single precision, residuals and sums in double, until they agree."""
    operator = _gram_operator(X, degree)

    def apply(c: Array, dtype: Any) -> Array:
        return operator(c, dtype) + ridge * c

    c, steps = np.zeros_like(means), 0
    goal = TOLERANCE * np.linalg.norm(means)
    residual = means
    while np.linalg.norm(residual) > goal and steps < MAX_STEPS:
        change, more = _descend(lambda v: apply(v, np.float32), residual, MAX_STEPS - steps)
        c, steps = c + change, steps + more
        residual = means - apply(c, np.float64)
    if np.linalg.norm(residual) > goal:
        warnings.warn(
            f"Conjugate gradients stopped after {steps} steps with a relative residual of "
            f"{np.linalg.norm(residual) / np.linalg.norm(means):.1e}; a positive ridge or more samples would help.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return c, "cg", steps


def _descend(apply: Callable[[Array], Array], b: Array, most: int) -> tuple[Array, int]:
    """Conjugate gradients for apply(x) = b from x = 0, until the residual is ``SINGLE`` of b."""
    x, r, p = np.zeros_like(b), b.copy(), b.copy()
    square = start = float(r @ r)
    steps = 0
    while square > SINGLE**2 * start and steps < most:
        image = apply(p)
        rate = square / float(p @ image)
        x += rate * p
        r -= rate * image
        square, before = float(r @ r), square
        p = r + (square / before) * p
        steps += 1
    return x, steps
