r"""Polynomial regression on the cube: the c that minimises mean (y - sum_{|T| <= d} c_T chi_T)^2 + ridge |c|^2.

Four routes lead to the same minimiser; ``choose`` estimates their times. None forms the matrix Phi of all D monomials
at all m samples.

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

from collections.abc import Callable
from math import comb, inf, log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import blas, lapack

from .. import checks
from .._arrays import Array, parallel, slices
from ..cube.fourier import inverse_walsh_transform
from ..cube.hypercube import dimension, index, monomials, supports
from .conjugate_gradients import conjugate_gradients, descend
from .moments import TABLE_N, Moments, Report, checked_points, chunks
from .monomial_products import Spare, products_of

__all__ = ["Fit", "choose", "distance_kernel", "gram", "least_squares", "solve"]

SOLVERS = ("gram", "kernel", "cg", "walsh")
WALSH_N = 25  # up to here a table of all points is worth its memory
TOLERANCE = 1e-6
QUICK = 3e6  # nanoseconds below which the exact routes are preferred to faster ones
LARGE = 500  # unknowns from which conjugate gradients are tried before the factors of the matrix
EXACT = 1e-14  # relative residual that is no more than rounding
PAIRS = 1 << 16  # entries of a matrix that are looked up at a time


class Fit(NamedTuple):
    """The coefficients in the order of ``hypercube.monomials``, the route taken, and its steps (0 if it has none)."""

    coefficients: Array
    solver: str
    steps: int


def least_squares(
    X: ArrayLike,
    y: ArrayLike,
    degree: int,
    ridge: float = 0.0,
    solver: str = "auto",
    memory: float = inf,
    tolerance: float = TOLERANCE,
    callback: Report | None = None,
) -> Fit:
    """argmin_c mean_i (y_i - sum_{|T| <= d} c_T chi_T(x_i))^2 + ridge |c|^2.

    Parameters
    ----------
    X, y : points as rows of -1 and 1 (an array or a memory map), and one real label each.
    solver : "gram", "kernel", "cg" or "walsh", or "auto" for the one that ``choose`` names.
    memory : bytes that "auto" may use.
    tolerance : of the residual of "cg" and "walsh", relative to the right side of the equations.
    callback : called with the name of a stage of the work and the share of it that is done.

    Ctrl-C during "cg" and "walsh" raises ``conjugate_gradients.Interrupted``, with the coefficients so far.

    >>> X = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]])
    >>> least_squares(X, 3.0 - 2.0 * X[:, 1], degree=1)
    Fit(coefficients=array([ 3.,  0., -2.]), solver='gram', steps=0)
    """
    X = checked_points(X)
    m, n, degree = checks.integer("m", len(X), 1), X.shape[1], checks.integer("degree", degree, 0)
    y = checks.real_array("y", y, ndim=1, shape=(m,))
    tolerance = checks.real("tolerance", tolerance, 0, 1)
    if checks.one_of("solver", solver, ("auto", *SOLVERS)) == "auto":
        solver = choose(m, n, degree, ridge, memory, tolerance)
    if solver == "kernel":
        a = solve(_kernel_matrix(X, degree), y.astype(np.float64, copy=False), m * ridge)
        return Fit(Moments(n, degree).update(X, a, callback, checked=True).sums, solver, 0)
    if solver == "walsh":
        means, operator = _by_transforms(X, y, degree)
    else:
        means = Moments(n, degree).update(X, y, callback, checked=True).coefficients
        if solver == "gram":
            ones = np.ones(m, dtype=np.int8)
            products = Moments(n, 2 * degree).update(X, ones, callback, checked=True)
            return Fit(solve(gram(products, degree), means, ridge), solver, 0)
        operator = _by_products(X, degree)

    def step(steps: int, residual: float) -> None:
        if callback:
            goal = max(tolerance, 1e-16)
            callback("conjugate gradients", max(0.0, log(max(residual, goal)) / log(goal)))  # the share of the digits

    c, steps = conjugate_gradients(lambda c, dtype: operator(c, dtype) + ridge * c, means, tolerance, step)
    return Fit(c, solver, steps)


def choose(m: int, n: int, degree: int, ridge: float = 0.0, memory: float = inf, tolerance: float = TOLERANCE) -> str:
    """The route that should take the least time among those that the memory allows; the first of several quick ones.

    >>> choose(20_000, 20, 3), choose(100_000, 64, 3), choose(300, 256, 3, ridge=1e-6), choose(10**6, 20, 5)
    ('gram', 'cg', 'kernel', 'walsh')
    """
    m, n, degree = checks.integer("m", m, 1), checks.integer("n", n, 0), checks.integer("degree", degree, 0)
    estimates = _time_and_memory(m, n, degree, ridge, tolerance)
    times = {name: max(time, QUICK) for name, (time, size) in estimates.items() if size <= memory}
    return min(times, key=lambda name: times[name])


def _time_and_memory(m: int, n: int, degree: int, ridge: float, tolerance: float) -> dict[str, tuple[float, float]]:
    """The nanoseconds of each route on a core of 2024, and its bytes beyond the vectors of length D.

    For uniform points the square root of the condition number of G is about (1 + r)/(1 - r), r = sqrt(D/m) (Marchenko
    and Pastur), to which the number of steps is proportional: close to m = D they are not the ones to take.
    """
    D, squares = dimension(n, degree), dimension(n, 2 * degree)
    table = n << n if n <= WALSH_N else inf  # a transform takes a quarter of it
    r = sqrt(D / m)
    least = max(1 - r, 0) ** 2 + ridge
    digits = log(2 / tolerance) if tolerance else inf
    steps = 2 + sqrt(((1 + r) ** 2 + ridge) / least) * digits / 2 if least else inf
    means, entry = m * D / 12, 3 if n <= TABLE_N else 4 * (n // 16 + 1)
    solution = 5 * D**2 if LARGE <= D and r < 1 / 2 else D**3 / 150  # as ``solve`` will find it
    count = min(m * squares / 64, table / 4 + 20 * m if n <= TABLE_N else inf)
    return {
        "gram": (means + count + solution + entry * D**2, 16 * D**2 + 80 * squares),
        "kernel": (means + m**2 * (n / 25 + 8) + m**3 / 150 if m < D else inf, 16 * m**2),
        "cg": (means + m * D / 11 * steps, 0),
        "walsh": (20 * m + table / 2 * steps, 40 * 2**n if n <= WALSH_N else inf),
    }


def solve(A: Array, b: Array, ridge: float = 0.0) -> Array:
    """(A + ridge) x = b for A symmetric and not negative, to rounding; the shortest x where there are many.

    The ridge is added to A in place; b may have columns. Conjugate gradients, where A is large, b one column and each
    step halves the residual at least; else Cholesky, or the pseudo-inverse where that breaks down.

    >>> solve(np.array([[1.0, 1], [1, 1]]), np.array([2.0, 2]))
    array([1., 1.])
    """
    A[np.diag_indices_from(A)] += ridge
    # with one thread: else the last bits tell the number of threads
    [x] = parallel(lambda b: _solution(A, b), [b], large=False)
    return x


def _solution(A: Array, b: Array) -> Array:
    if not len(b):
        return b
    size = float(np.linalg.norm(b)) if len(b) >= LARGE and b.ndim == 1 else 0.0
    for step, (x, left) in enumerate(descend(lambda v: blas.dsymv(1.0, A.T, v), b) if size else (), start=1):
        if left <= EXACT * size / 2 and np.linalg.norm(b - A @ x) <= EXACT * size:
            return x
        if left > size * 2.0**-step:
            break
    factor, failed = lapack.dpotrf(A.T, clean=False)  # A.T is A, in the order of the columns
    if not failed and lapack.dpocon(factor, lapack.dlange("1", A.T))[0] > np.finfo(float).eps:
        return np.asarray(lapack.dpotrs(factor, b)[0])
    return np.asarray(np.linalg.pinv(A, rcond=1e-12, hermitian=True) @ b)


def distance_kernel(n: int, degree: int) -> Array:
    """sum_{|T| <= degree} chi_T(x) chi_T(x') for points at distance h = 0, ..., n (sums of Krawtchouk polynomials).

    Of the C(h, j) C(n - h, i - j) sets with i elements, j of them where x and x' differ, each contributes (-1)^j.

    >>> distance_kernel(3, 1), distance_kernel(3, 3)
    (array([ 4.,  2.,  0., -2.]), array([8., 0., 0., 0.]))
    """
    n, degree = checks.integer("n", n, 0, 10**5), min(checks.integer("degree", degree, 0), n)
    pairs = [(i, j) for i in range(degree + 1) for j in range(i + 1)]
    return np.array([float(sum((-1) ** j * comb(h, j) * comb(n - h, i - j) for i, j in pairs)) for h in range(n + 1)])


def gram(moments: Moments, degree: int) -> Array:
    """G[T, T'] = S_{T xor T'} / count: the Gram matrix of the monomials, from moments of labels 1 and twice the degree.

    >>> gram(Moments(2, degree=2).update([[1, 1], [1, -1]], [1, 1]), degree=1)
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    n, degree = moments.n, min(checks.integer("degree", degree, 0, moments.degree // 2), moments.n)
    entries = (_by_table if n <= TABLE_N else _by_words)(moments, degree)
    G = np.empty((dimension(n, degree),) * 2)
    for rows in slices(len(G), max(1, PAIRS // len(G))):
        G[rows, : rows.stop] = entries(rows)
        G[: rows.stop, rows] = G[rows, : rows.stop].T
    return G


def _by_table(moments: Moments, degree: int) -> Callable[[slice], Array]:
    """rows -> the entries of some rows of the Gram matrix up to their last diagonal entry, from a table of all sets."""
    table, masks = np.zeros(1 << moments.n), monomials(moments.n, degree)
    table[monomials(moments.n, moments.degree)] = moments.coefficients
    return lambda rows: table.take(masks[rows, None] ^ masks[: rows.stop])


def _by_words(moments: Moments, degree: int) -> Callable[[slice], Array]:
    """The same for any n, from the place of each set among all sets, 16 coordinates at a time."""
    n, values = moments.n, moments.coefficients
    member = np.concatenate([(level[:, :, None] == np.arange(n)).any(1) for level in supports(n, degree)])
    words = np.packbits(np.pad(member, ((0, 0), (0, -n % 16))), axis=1, bitorder="little").view("<u2")
    first, places = np.array([0] + [dimension(n, i) for i in range(2 * degree)]), _places(n, 2 * degree)

    def entries(rows: slice) -> Array:
        place, size = 0, np.zeros((rows.stop - rows.start, rows.stop), dtype=np.intp)
        for word, added in zip(words.T, places, strict=True):
            both = word[rows, None] ^ word[: rows.stop]
            place += added[size << 16 | both]
            size += np.bitwise_count(both)
        return np.asarray(values[first[size] + place])

    return entries


def _places(n: int, most: int) -> list[NDArray[np.int64]]:
    """What 16 coordinates at a time add to the place of a set among those of its size, in colexicographic order.

    The i-th element p adds C(p, i). Entry 2^16 q + v is for q elements in lower coordinates and v the bits of these.
    """
    tables = []
    for low in range(0, n, 16):
        place, size = np.zeros((most + 1, 1), dtype=np.int64), np.arange(most + 1)[:, None]
        for p in range(low, low + 16):
            more = np.array([comb(p, i + 1) for i in range(most + 17)])
            place, size = np.hstack([place, place + more[size]]), np.hstack([size, size + 1])
        tables.append(place.reshape(-1))
    return tables


def _kernel_matrix(X: NDArray[Any], degree: int) -> Array:
    """K_ij from the number of coordinates in which x_i and x_j differ, (n - <x_i, x_j>) / 2: exact in float32."""
    points, n = X.astype(np.float32), X.shape[1]
    parts = (((n - points[rows] @ points.T) / 2).astype(np.intp) for rows in slices(len(X), max(1, PAIRS // len(X))))
    return np.concatenate([distance_kernel(n, degree)[distances] for distances in parts])


def _by_products(X: NDArray[Any], degree: int) -> Callable[[Array, Any], Array]:
    """c -> Phi^T Phi c / m in a given precision, for points that have been checked."""
    m, n = X.shape
    products, columns = products_of(n, degree), np.ascontiguousarray(X.T, dtype=np.int8)

    def operator(c: Array, dtype: Any) -> Array:
        flat, image = np.zeros(products.size, dtype), np.zeros(products.size)
        flat[products.position] = c

        def block(rows: slice, spare: Spare) -> NDArray[Any]:
            factors = products.factors(columns[:, rows], dtype, spare)
            return products.adjoint(factors, products.forward(factors, flat))

        for part in products.over(slices(m, products.block), block, 2 * m):
            image += part
        return np.asarray(image[products.position] / m)

    return operator


def _by_transforms(X: NDArray[Any], y: NDArray[Any], degree: int) -> tuple[Array, Callable[[Array, Any], Array]]:
    """The means of y chi and c -> Phi^T Phi c / m, from the number of samples and the sum of labels at each point."""
    m, n = X.shape
    masks = monomials(n, degree)
    frequency, labels = np.zeros((2, 1 << checks.integer("n", n, 0, WALSH_N)))
    for points, values in chunks([(X, y)], n, checked=True):
        where = index(points, checked=True)
        np.add.at(frequency, where, 1.0)
        np.add.at(labels, where, values)
    frequency /= m
    labels /= m

    def operator(c: Array, dtype: Any) -> Array:
        table = np.zeros(1 << n, dtype)
        table[masks] = c
        table = inverse_walsh_transform(table)
        table *= frequency  # in place: in the type of the table
        return inverse_walsh_transform(table)[masks].astype(np.float64)

    return inverse_walsh_transform(labels)[masks], operator
