r"""What the low-degree algorithm takes from labelled samples: moments, and the least squares that follow from them.

The moments S_T = sum_i y_i chi_T(x_i), for all sets T of at most d coordinates, are sums over the samples, so those of
shards add. Divided by the number of samples they estimate the Fourier coefficients; with labels 1 and degree 2d they
are the entries of the Gram matrix of the monomials. Two ways lead to them:

* For few coordinates and many samples whose labels are small integers, so that it is exact, the Walsh transform of the
  sums of the labels at each point of the cube.
* Else products, a few hundred samples at a time. A set of d elements is {p} and d - 1 elements below p. So one matrix
  product, of the characters of d - 1 elements and of y_i x_ip, gives all moments of degree d; their characters, by far
  the most, are never formed. Values of polynomials are computed in the same way.

Paper: section 2.1 (the low-degree algorithm), Lemma 7 (polynomial regression).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from .. import checks
from .._arrays import Array, each, one_thread, slices
from ..cube.fourier import inverse_walsh_transform
from ..cube.hypercube import dimension, index, listed_degree, monomials

__all__ = [
    "BLOCK", "Fit", "Monomials", "Moments", "Sample", "choose", "conjugate_gradients", "gram", "least_squares",
    "normal_equations", "solve", "values_of",
]  # fmt: skip

# Samples of a block, whose moments are added at a time: at 4096 this takes 1 % of the time of the products.
BLOCK = 4096
# Entries of the matrix of characters that is formed at a time: 4 MB in single precision.
ENTRIES = 1 << 19
# Coordinates p of one product. At degree 3 half of its entries are not used for n = 32, a quarter for n = 64. Products
# of 8 are too narrow, 1.4 times as slow for n = 64; those of 32 are as fast as these.
PIVOTS = 16
# Samples times monomials from which a second thread saves time: about 0.05 s of work.
PARALLEL = 1 << 29
# Coordinates up to which a table of the cube is used: 256 MB of doubles.
TABLE_N = 25
# Monomials up to which the Gram matrix is formed and factored on one thread in a fraction of a second.
GRAM_MONOMIALS = 2500
# Steps of conjugate gradients after which they are given up.
MAX_STEPS = 2000
# Eigenvalues up to this share of the largest count as zeros.
ZERO_EIGENVALUE = 1e-12


class Sample(NamedTuple):
    """m points of the cube, the rows of X with entries -1 and 1, and m real labels y.

    Make one with ``Sample.checked``; the constructor itself checks nothing. X and y keep the types in which they came,
    so that a memory map is read block by block and never copied as a whole.

    >>> sample = Sample.checked([[1, 1], [-1, 1], [1, -1]], [3, 4, 5])
    >>> [block.y for block in sample.blocks(2)]
    [array([3., 4.]), array([5.])]
    """

    X: NDArray[Any]
    y: NDArray[Any]

    @classmethod
    def checked(cls, X: ArrayLike, y: ArrayLike | None = None) -> Sample:
        """X and y as a sample, once they are known to be one; without y all labels are 1.

        >>> Sample.checked([[1, 1], [-1, 0]])
        Traceback (most recent call last):
        ValueError: Argument 'X' must have entries -1 and 1 only; entry (1, 1) is 0.
        """
        points = checks.rectangular("X", X)
        checks.signs("X", points[:0] if points.ndim else points)  # the type and the number of axes
        m, n = points.shape
        for rows in slices(m, max(1, ENTRIES // max(1, n))):
            checks.signs(f"X[{rows.start}:]" if rows.start else "X", points[rows])
        labels = checks.rectangular("y", np.broadcast_to(np.int8(1), m) if y is None else y)
        # Short integers keep their type, so that a memory map of them is not copied; longer ones may be too large.
        return cls(points, checks.real_array("y", labels, 1, shape=(m,), convert=labels.dtype.itemsize > 4))

    def blocks(self, size: int = BLOCK) -> Iterator[Sample]:
        """Blocks of ``size`` samples, the last one perhaps shorter; their labels are floats."""
        for rows in slices(len(self.y), checks.size("size", size)):
            y = self.y[rows]
            yield Sample(self.X[rows], y if y.dtype in (np.float32, np.float64) else y.astype(np.float64))


class Monomials:
    """All chi_T with |T| <= degree at a few points, in the order of ``hypercube.supports``.

    The highest degree is not formed: see above. Either map takes 2 to 4 m D operations for m points and D monomials.

    >>> chi = Monomials(np.array([[1.0, -1], [-1, -1], [1, 1]]), degree=2)  # at the points (1, -1, 1), (-1, -1, 1)
    >>> chi.sums(np.array([1.0, 3]))
    array([ 4., -2., -4.,  4.,  2., -2., -4.])
    >>> chi.values(np.array([0.0, 0, 0, 0, 1, 0, 0]))                       # of x_0 x_1
    array([-1.,  1.])
    """

    def __init__(self, X: NDArray[Any], degree: int) -> None:
        """X has a column for each point; the products are taken in its type."""
        self.X = checks.real_array("X", X, 2, convert=False, finite=False)
        n, m = self.X.shape
        self.degree = min(checks.integer("degree", degree, 0), n)
        self.lower = [np.ones((1, m), self.X.dtype)]  # the characters below the highest degree, level by level
        for size in range(1, self.degree):
            level = np.empty((comb(n, size), m), self.X.dtype)
            end = 0
            for p in range(n):
                rows = comb(p, size - 1)  # the sets below p: ``supports`` has them first
                np.multiply(self.lower[-1][:rows], self.X[p], out=level[end : end + rows])
                end += rows
            self.lower.append(level)

    def _products(self) -> Iterator[tuple[slice, list[int], NDArray[Any]]]:
        """Coordinates p; the number of sets below each; and the characters of those below the last of them."""
        for pivots in slices(len(self.X) if self.degree else 0, PIVOTS):
            heights = [comb(p, self.degree - 1) for p in range(pivots.start, pivots.stop)]
            yield pivots, heights, self.lower[-1][: heights[-1]]

    def sums(self, y: NDArray[Any]) -> NDArray[Any]:
        """sum_i y_i chi_T(x_i) for each T."""
        y = checks.real_array("y", y, 1, shape=(self.X.shape[1],), convert=False, finite=False)
        parts = [level @ y for level in self.lower]
        yX = y * self.X
        for pivots, heights, chi in self._products():
            products = (chi @ yX[pivots].T).T  # in this order BLAS takes 0.6 of the time in single precision
            parts += [row[:height] for row, height in zip(products, heights, strict=True)]
        return np.concatenate(parts)

    def values(self, c: NDArray[Any]) -> NDArray[Any]:
        """sum_T c_T chi_T(x_i) for each i."""
        c = checks.real_array("c", c, 1, shape=(dimension(len(self.X), self.degree),), finite=False)
        total = np.zeros(self.X.shape[1], c.dtype)
        end = 0
        for level in self.lower:
            total += c[end : end + len(level)] @ level
            end += len(level)
        for pivots, heights, chi in self._products():
            C = np.zeros((len(heights), len(chi)), c.dtype)
            for row, height in zip(C, heights, strict=True):
                row[:height] = c[end : end + height]
                end += height
            total += ((C @ chi) * self.X[pivots]).sum(axis=0)
        return total


def _pieces(columns: NDArray[Any], degree: int, dtype: Any) -> Iterator[tuple[slice, Monomials]]:
    """The monomials at the points, which are columns, as many at a time as ENTRIES allows."""
    n, m = columns.shape
    for piece in slices(m, max(PIVOTS, ENTRIES // comb(n, max(0, min(degree, n) - 1)))):
        yield piece, Monomials(columns[:, piece].astype(dtype), degree)


def values_of(c: Array, sample: Sample, degree: int) -> Array:
    """sum_T c_T chi_T(x_i) at the points of a sample, from all coefficients up to a degree.

    >>> values_of(np.array([1.0, 0.0, 2.0]), Sample.checked([[1, 1], [1, -1]]), degree=1)
    array([ 3., -1.])
    """
    checks.having("sample", sample, "X", "y")
    degree = checks.integer("degree", degree, 0)
    c = checks.real_array("c", c, 1, shape=(dimension(sample.X.shape[1], degree),))
    values = np.zeros(len(sample.y))

    def at(rows: slice) -> None:
        for piece, chi in _pieces(sample.X[rows].T, degree, np.float64):
            values[rows][piece] = chi.values(c)

    each(at, slices(len(values), BLOCK), len(values) * len(c) >= PARALLEL)
    return values


def _table(sample: Sample) -> Array:
    """The sum of the labels at each point of the cube."""
    table = np.zeros(1 << sample.X.shape[1])
    for block in sample.blocks():
        np.add.at(table, index(block.X, checked=True), block.y)
    return table


class Moments:
    """S_T = sum_i y_i chi_T(x_i) for all |T| <= degree, from samples that may come in pieces and on several machines.

    Attributes
    ----------
    count : the number of samples so far.
    block : samples whose moments are added at a time.

    Labels that are small integers are summed exactly. Those of type float32 are multiplied in single precision, all
    others in double. The sum over blocks is kept to twice double precision (as an unevaluated sum of two doubles), so
    that it does not depend on the order of the blocks: shards whose lengths are multiples of ``block`` give the same
    bits as one run over all samples.

    Time: 2 to 4 m D operations for m samples and D moments, or n 2^n if that is less, n <= 25 and the
    labels are small integers.
    Memory: at most eight doubles per moment while samples are added (two at rest). Besides, for each thread 20 MB, or
    128 bytes for each monomial of degree d - 1 if that is more; or, where all points of the cube are used, three
    doubles for each of them.

    >>> X = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]])
    >>> m = Moments(2, degree=2).update(X[:1], [1]) + Moments(2, degree=2).update(X[1:], [-1, -1, 1])
    >>> m.count, m.coefficients                     # of x_0 x_1, from all four points
    (4, array([0., 0., 0., 1.]))
    """

    block = BLOCK

    def __init__(self, n: int, degree: int) -> None:
        self.n = checks.integer("n", n, 0, 10**6)
        self.degree = checks.integer("degree", degree, 0)
        listed_degree(self.n, self.degree)
        self.count = 0
        # An unevaluated sum of two doubles for each moment.
        self._sums = np.zeros(dimension(self.n, self.degree))
        self._rest = np.zeros_like(self._sums)

    def update(self, X: ArrayLike | Sample, y: ArrayLike | None = None) -> Moments:
        """Add samples, all or none: an error or an interruption on the way leaves the moments as they were.

        X holds points as rows of -1 and 1, y one real label each (arrays or memory maps). Without y, X is a ``Sample``.
        """
        if y is None and not isinstance(X, Sample):
            raise TypeError("Argument 'y' is missing: give one label for each point.")
        sample = X if isinstance(X, Sample) else Sample.checked(X, y)
        checks.signs("X", sample.X[:0], self.n)
        new = Moments(self.n, self.degree)
        new._add_sample(sample)
        total = self + new if self.count else new
        self.count, self._sums, self._rest = total.count, total._sums, total._rest
        return self

    def _add_sample(self, sample: Sample) -> None:
        self.count = len(sample.y)
        work = self.count * len(self._sums)
        # Single precision counts to 2^24: it is exact for integers of at most 2^12 in a block of 2^12.
        blocks = (block.y for block in sample.blocks())
        exact = all((np.abs(y) <= (1 << 24) // BLOCK).all() and (y == np.rint(y)).all() for y in blocks)
        if exact and self.n <= TABLE_N and self.n << self.n < work:
            self._add(inverse_walsh_transform(_table(sample))[monomials(self.n, self.degree)])
            return
        dtype = np.float32 if exact or sample.y.dtype == np.float32 else np.float64

        def sums(block: Sample) -> NDArray[Any]:
            y = block.y.astype(dtype)
            parts = (chi.sums(y[piece]) for piece, chi in _pieces(block.X.T, self.degree, dtype))
            return sum(parts, start=np.zeros(len(self._sums), dtype))

        each(sums, sample.blocks(), work >= PARALLEL, self._add)

    def _add(self, terms: NDArray[Any]) -> None:
        """Knuth's two-sum: sums + terms = total + error exactly."""
        total = self._sums + terms
        shift = total - self._sums
        error = total - shift  # in place from here on, which saves two arrays
        np.subtract(self._sums, error, out=error)
        error += np.subtract(terms, shift, out=shift)
        self._rest += error
        self._sums = total

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        if (self.n, self.degree) != (other.n, other.degree):
            wanted = f"n = {self.n} and degree {self.degree}"
            raise ValueError(f"Argument 'other' must have {wanted}, not {other.n} and {other.degree}.")
        result = Moments(self.n, self.degree)
        result.count = self.count + other.count
        result._sums = self._sums
        result._rest = self._rest + other._rest
        result._add(other._sums)
        return result

    @property
    def sums(self) -> Array:
        """S_T in the order of ``hypercube.monomials``, or of ``hypercube.supports`` for n > 62."""
        return self._sums + self._rest

    @property
    def coefficients(self) -> Array:
        """S_T / count, the estimates of fhat(T), in the order of ``sums``."""
        if self.count == 0:
            raise ValueError("There are no samples yet: call 'update' first.")
        return np.asarray(self.sums / self.count)

    def __repr__(self) -> str:
        return f"Moments(n={self.n}, degree={self.degree}) of {self.count} samples"


# --- Polynomial regression ---


class Fit(NamedTuple):
    """The coefficients in the order of ``hypercube.monomials``, the route taken, and its steps (0 if it has none)."""

    coefficients: Array
    solver: str
    steps: int


def least_squares(
    sample: Sample, degree: int, ridge: float = 0.0, solver: str = "auto", tolerance: float = 1e-6
) -> Fit:
    """argmin_c mean_i (y_i - sum_{|T| <= d} c_T chi_T(x_i))^2 + ridge |c|^2.

    Two routes lead to the same minimiser:

    * *gram*: the D equations (G + ridge) c = mean of y chi, G from the moments of twice the degree.
    * *cg*: conjugate gradients on the same equations, each step one product over the samples forth and back.

    The first is solved to rounding, the second to a tolerance. Where the samples leave c undetermined, the shortest
    minimiser is returned, by "cg" to single precision.

    Parameters
    ----------
    solver : "gram", "cg", or "auto" for the one that ``choose`` names.
    tolerance : of the residual of "cg", relative to the right side of the equations.

    >>> X = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]])
    >>> least_squares(Sample.checked(X, 3.0 - 2.0 * X[:, 1]), degree=1)
    Fit(coefficients=array([ 3.,  0., -2.]), solver='gram', steps=0)
    """
    m, n = checks.having("sample", sample, "X", "y").X.shape
    checks.integer("m", m, 1)
    degree = checks.integer("degree", degree, 0)
    ridge = checks.real("ridge", ridge, 0)
    tolerance = checks.real("tolerance", tolerance, 0, 1)
    if checks.one_of("solver", solver, ("auto", "gram", "cg")) == "auto":
        solver = choose(m, n, degree)
    means = Moments(n, degree).update(sample).coefficients
    if solver == "gram":
        products = Moments(n, 2 * degree).update(Sample.checked(sample.X))
        return Fit(solve(gram(products, degree), means, ridge), solver, 0)
    operator = normal_equations(sample.X, degree)
    c, steps = conjugate_gradients(lambda c, dtype: operator(c, dtype) + ridge * c, means, tolerance)
    return Fit(c, solver, steps)


def choose(m: int, n: int, degree: int) -> str:
    """A fast route for m samples of n coordinates; the exact one where that is fast.

    >>> choose(20_000, 20, 3), choose(100_000, 64, 3)
    ('gram', 'cg')
    """
    m = checks.integer("m", m, 1)
    n = checks.integer("n", n, 0, 10**6)
    degree = checks.integer("degree", degree, 0)
    # Of degree 26 there are already 2^26 monomials, too many for all but "cg", unless n is smaller.
    D = dimension(n, min(degree, 26))
    squares = dimension(n, min(2 * degree, 26))
    # The moments of twice the degree cost no more than some ten steps; or there would be many steps, since with few
    # samples the Gram matrix is far from the identity. By bit masks, so n <= 62.
    return "gram" if n <= 62 and D <= GRAM_MONOMIALS and (squares <= 64 * D or m < 2 * D) else "cg"


def gram(moments: Moments, degree: int) -> Array:
    """G[T, T'] = S_{T xor T'} / count: the Gram matrix of the monomials, from moments of labels 1 and twice the degree.

    The sets are bit masks, so n <= 62.

    >>> gram(Moments(2, degree=2).update([[1, 1], [1, -1]], [1, 1]), degree=1)
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    n = checks.having("moments", moments, "n", "degree", "coefficients").n
    sets = monomials(n, min(checks.integer("degree", degree, 0, moments.degree // 2), n))
    masks = monomials(n, moments.degree)
    order = np.argsort(masks)
    values = moments.coefficients[order]
    if n <= TABLE_N:  # by a table of the cube, for larger n by bisection
        table = np.zeros(1 << n)
        table[masks[order]] = values
    G = np.empty((len(sets),) * 2)
    for i, T in enumerate(sets):
        pairs = T ^ sets[: i + 1]
        G[i, : i + 1] = table[pairs] if n <= TABLE_N else values[np.searchsorted(masks, pairs, sorter=order)]
        G[: i + 1, i] = G[i, : i + 1]
    return G


def normal_equations(X: NDArray[Any], degree: int) -> Callable[[Array, Any], Array]:
    """(c, dtype) -> Phi^T Phi c / m in that precision, for the matrix Phi of all monomials at the rows of X.

    >>> normal_equations(np.array([[1, 1], [1, -1]]), 1)(np.array([1.0, 2.0, 0.0]), np.float64)
    array([3., 3., 0.])
    """
    X = checks.real_array("X", X, 2, convert=False)
    degree = checks.integer("degree", degree, 0)
    m, n = X.shape
    columns = np.ascontiguousarray(X.T, dtype=np.int8)

    def operator(c: Array, dtype: Any) -> Array:
        single = c.astype(dtype)
        image = np.zeros_like(c)

        def block(rows: slice) -> NDArray[Any]:
            parts = (chi.sums(chi.values(single)) for _, chi in _pieces(columns[:, rows], degree, dtype))
            return sum(parts, start=np.zeros_like(single))

        each(block, slices(m, BLOCK), 2 * m * len(c) >= PARALLEL, image.__iadd__)
        return np.asarray(image / m)

    return operator


def conjugate_gradients(apply: Callable[[Array, Any], Array], b: Array, tolerance: float) -> tuple[Array, int]:
    """c with |b - A c| <= tolerance |b|, and the number of steps, from (c, dtype) -> A c in that precision; A >= 0.

    Unlike those of SciPy, the steps are in single precision, which halves their time. They cannot reduce the residual
    beyond a few units of that precision, so it is computed afresh in double precision, and they begin again with it on
    the right side, until it is small enough.

    >>> conjugate_gradients(lambda c, dtype: np.array([2.0, 4.0]) * c, np.array([2.0, 2.0]), 1e-6)
    (array([1. , 0.5]), 2)
    """
    checks.function("apply", apply)
    b = checks.real_array("b", b, None)
    tolerance = checks.real("tolerance", tolerance, 0)
    c = np.zeros_like(b)
    residual = b
    size = left = _norm(b)
    steps = 0
    while left > tolerance * size and steps < MAX_STEPS:
        goal = max(tolerance * size / 2, 4 * float(np.finfo(np.float32).eps) * left)
        change, taken = _descend(lambda v: apply(v, np.float32), residual, goal, MAX_STEPS - steps)
        if taken == 0:  # the residual is in the kernel of A
            break
        steps += taken
        c = c + change
        residual = b - apply(c, np.float64)
        left = _norm(residual)
    if left > tolerance * size:
        from sklearn.exceptions import ConvergenceWarning  # slow to load, for a rare case

        text = f"Conjugate gradients stopped after {steps} steps with a relative residual of {left / size:.1e}; "
        warnings.warn(f"{text}a positive ridge or more samples would help.", ConvergenceWarning, stacklevel=3)
    return c, steps


def _descend(apply: Callable[[Array], Array], b: Array, goal: float, most: int) -> tuple[Array, int]:
    """x with |b - apply(x)| <= goal and the steps taken, at most so many; fewer where the rest is in the kernel."""
    x = np.zeros_like(b)
    r = p = b
    size = _norm(r)
    for step in range(most):
        image = apply(p)
        curvature = float(np.sum(p * image))
        if curvature <= 0:
            return x, step
        x = x + size**2 / curvature * p
        r = r - size**2 / curvature * image
        before = size
        size = _norm(r)
        if size <= goal:
            return x, step + 1
        p = r + (size / before) ** 2 * p
    return x, most


def _norm(v: Array) -> float:
    """|v|, not by BLAS, whose last bits depend on the number of threads."""
    return float(np.sqrt(np.sum(v * v)))


def solve(A: Array, b: Array, ridge: float = 0.0) -> Array:
    """(A + ridge) x = b for A symmetric and not negative, to rounding; the shortest x where there are many.

    The ridge is added to A in place; b may have columns. By Cholesky, or the pseudo-inverse where that breaks down.

    >>> solve(np.array([[1.0, 1], [1, 1]]), np.array([2.0, 2]))
    array([1., 1.])
    """
    A = checks.real_array("A", A, 2)
    b = checks.real_array("b", b, None)
    if b.ndim not in (1, 2) or not len(A) == len(A.T) == len(b):
        raise ValueError(f"Arguments 'A' and 'b' must have shapes (s, s) and (s, ...), not {A.shape} and {b.shape}.")
    A[np.diag_indices_from(A)] += checks.real("ridge", ridge, 0)
    if not len(b):
        return b
    with one_thread():  # else the last bits would depend on the number of threads
        with suppress(linalg.LinAlgError):  # singular, or nearly, where round-off may leave a small pivot as well
            factor = linalg.cho_factor(A)
            pivots = np.square(np.diag(factor[0]))
            if pivots.min() > ZERO_EIGENVALUE * pivots.max():
                return np.asarray(linalg.cho_solve(factor, b))
        return np.asarray(np.linalg.pinv(A, rcond=ZERO_EIGENVALUE, hermitian=True) @ b)
