r"""Moments of labelled samples: sum_i y_i chi_T(x_i) for all sets T of at most d coordinates, in one sweep.

Divided by the number of samples they are the estimated Fourier coefficients of the low-degree algorithm; with labels
1 and degree 2d they are the entries of the Gram matrix of the monomials. They are sums, so the moments of shards add.

The sweep never forms the matrix Phi of all monomials at all samples. Cut T into its ceil(d/2) least elements A and
the rest B, and call p = max A the pivot. In colexicographic order the sets A with pivot p are a contiguous slice;
with the coordinates reversed, so are the sets B above p. Hence the moments of one pivot are one matrix product,

    sum_i chi_A(x_i) (y_i chi_B(x_i)),     all A with max A = p, all B with min B > p,

of two small factors that every pivot shares. Pivots with few sets A are taken together, so that the product is worth
its call; the few products with min B < max A that this adds are dropped in the end.

Paper: Lemma 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import checks
from .fourier import inverse_walsh_transform
from .hypercube import dimension, index, monomials, supports

__all__ = ["Moments", "Sweep", "sweep"]

ROWS = 48  # the least number of rows of a product, over which pivots are taken together
FEATURES = 1 << 23  # entries of the larger factor of the products: 64 MB in double precision
TABLE_N = 22  # up to here a table of all 2^n sets is worth its memory

Factors = tuple[list[NDArray[Any]], list[NDArray[Any]]]


class Tile(NamedTuple):
    """One matrix product: rows A in [start, stop) of the lower factor, the first ``width`` sets B of size ``upper``."""

    upper: int
    start: int
    stop: int
    width: int
    where: slice  # in the flat array of the sweep


class Sweep:
    """y -> Phi^T y and c -> Phi c for the matrix Phi[i, T] = chi_T(x_i), |T| <= degree, a block of samples at a time.

    Both maps work on a flat array in the order of the products; ``position`` leads from the order of the monomials
    (``hypercube.monomials``, or ``hypercube.supports`` for n > 62) into it.

    >>> walk = sweep(3, 2)
    >>> factors = walk.factors(np.array([[1, -1, 1], [-1, -1, 1]]))
    >>> flat = np.zeros(walk.size)
    >>> for where, product in walk.adjoint(factors, np.array([1.0, 3])):
    ...     flat[where] += product
    >>> flat[walk.position]
    array([ 4., -2., -4.,  4.,  2., -2., -4.])
    """

    def __init__(self, n: int, degree: int) -> None:
        self.n, self.degree = n, min(degree, n)
        self.lower = (self.degree + 1) // 2
        self.low = dimension(n, self.lower)  # the sets with no B come first, in the order of the monomials
        self.tiles = list(self._tiles())
        self.size = self.tiles[-1].where.stop if self.tiles else self.low
        factor = max(comb(n, self.lower), comb(n, self.degree - self.lower), 1)
        self.block = 1 << min(10, max(4, (FEATURES // factor).bit_length() - 1))

    def _tiles(self) -> Iterator[Tile]:
        end, first = self.low, self.lower - 1
        while self.degree > self.lower and first < self.n - 1:
            last, start = first + 1, comb(first, self.lower)
            while last < self.n - 1 and comb(last, self.lower) - start < ROWS:
                last += 1
            for upper in range(1, self.degree - self.lower + 1):
                height, width = comb(last, self.lower) - start, comb(self.n - 1 - first, upper)
                if width:
                    yield Tile(upper, start, start + height, width, slice(end, end + height * width))
                    end += height * width
            first = last

    @cached_property
    def position(self) -> NDArray[np.intp]:
        """Where each monomial stands in the flat array."""
        position = np.empty(dimension(self.n, self.degree), dtype=np.intp)
        position[: self.low] = np.arange(self.low)
        largest = np.repeat(np.arange(self.n), [comb(p, self.lower - 1) if self.lower else 0 for p in range(self.n)])
        sets = supports(self.n, self.degree - self.lower)
        for upper, start, stop, width, where in self.tiles:
            B = self.n - 1 - sets[upper][:width, ::-1]
            table = [[comb(b, self.lower + 1 + i) for b in range(self.n)] for i in range(upper)]
            rank = sum(np.array(table[i])[B[:, i]] for i in range(upper))  # of A and B together: rank(A) + this
            target = dimension(self.n, self.lower + upper - 1) + np.arange(start, stop)[:, None] + rank
            valid = largest[start:stop, None] < B[:, 0]
            position[target[valid]] = np.arange(where.start, where.stop).reshape(target.shape)[valid]
        return position

    def factors(self, X: NDArray[Any], dtype: Any = np.float64) -> Factors:
        """chi_A and chi_B at the rows of X, A of at most ceil(degree/2) elements, B of the rest: all that is stored."""
        columns = np.ascontiguousarray(X.T, dtype=dtype)
        return _characters(columns, self.lower), _characters(columns[::-1], self.degree - self.lower)

    def adjoint(self, factors: Factors, y: NDArray[Any]) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Phi^T y, product by product, each with its place in the flat array. y is of the type of the factors."""
        A, B = factors[0], [y * level for level in factors[1]]
        end = 0
        for level in A:
            yield slice(end, end := end + len(level)), level @ y
        for upper, start, stop, width, where in self.tiles:
            yield where, (A[self.lower][start:stop] @ B[upper][:width].T).reshape(-1)

    def forward(self, factors: Factors, c: NDArray[Any]) -> NDArray[Any]:
        """Phi c for a flat array c, of the type of the factors, with zeros where no monomial stands."""
        A, B = factors
        total: NDArray[Any] = c[: self.low] @ np.concatenate(A)
        for upper, start, stop, width, where in self.tiles:
            total += np.einsum("ij,ij->j", A[self.lower][start:stop], c[where].reshape(-1, width) @ B[upper][:width])
        return total


@lru_cache(maxsize=8)
def sweep(n: int, degree: int) -> Sweep:
    """The plan of the sweep, made once for each n and degree."""
    return Sweep(n, degree)


def _characters(X: NDArray[Any], degree: int) -> list[NDArray[Any]]:
    """chi_T at the columns of X, as rows: for each i <= degree the sets of i elements, in colexicographic order."""
    levels = [np.ones((1, X.shape[1]), dtype=X.dtype)]
    for i in range(1, degree + 1):
        level, end = np.empty((comb(len(X), i), X.shape[1]), dtype=X.dtype), 0
        for p in range(i - 1, len(X)):
            size = comb(p, i - 1)
            np.multiply(levels[-1][:size], X[p], out=level[end : end + size])
            end += size
        levels.append(level)
    return levels


class Moments:
    """S_T = sum_i y_i chi_T(x_i) for all |T| <= degree, from samples that may come in pieces and on several machines.

    Parameters
    ----------
    n, degree : the dimension and the largest degree; there are ``hypercube.dimension(n, degree)`` moments.

    Attributes
    ----------
    count : the number of samples so far.
    block : samples per matrix product; it depends on n and degree only.

    Notes
    -----
    Labels that are small integers are summed exactly, in single precision within a block; others in double precision.
    The sum over blocks is kept to twice that (as an unevaluated sum of two doubles), so that it does not depend on
    the order of the blocks: shards whose lengths are multiples of ``block`` give the same bits as one run over all
    samples.

    Memory: two doubles per moment, and at most three factors of 64 MB.

    Examples
    --------
    >>> X = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]])
    >>> m = Moments(2, degree=2).update(X[:1], [1]) + Moments(2, degree=2).update(X[1:], [-1, -1, 1])
    >>> m.count, m.coefficients                     # of x_0 x_1, from all four points
    (4, array([0., 0., 0., 1.]))
    """

    def __init__(self, n: int, degree: int) -> None:
        self.n, self.degree = checks.integer("n", n, 0), checks.integer("degree", degree, 0)
        self.count = 0
        self._sums, self._rest = np.zeros((2, self._sweep.size + 1))  # the last entry is sum y^2

    @property
    def _sweep(self) -> Sweep:
        return sweep(self.n, self.degree)

    @property
    def block(self) -> int:
        return self._sweep.block

    def update(self, X: ArrayLike, y: ArrayLike) -> Moments:
        """Add the samples (X, y): points as rows of -1 and 1 (an array or a memory map), one real label each."""
        X = np.asarray(X)
        y = checks.real_array("y", y, ndim=1, shape=(len(X) if X.ndim else 0,))
        blocks = list(row_blocks(X, self.n, self.block))
        largest = float(np.abs(y).max(initial=0))
        exact = largest * self.block <= 1 << 24 and bool((y == np.rint(y)).all())
        dtype = np.float32 if exact else np.float64
        if exact and self.n <= TABLE_N and self.n << (self.n + 3) < len(X) * self._sweep.size:
            self._transform(X, y, blocks)
        else:
            for rows in blocks:
                for where, product in self._sweep.adjoint(self._sweep.factors(X[rows], dtype), y[rows].astype(dtype)):
                    self._add(where, product)
                self._add(slice(-1, None), np.atleast_1d(np.sum(y[rows].astype(np.float64) ** 2)))
        self.count += len(X)
        return self

    def _transform(self, X: NDArray[Any], y: NDArray[Any], blocks: list[slice]) -> None:
        """The same for many samples of few variables: all 2^n moments at once, as the transform of a histogram."""
        table = np.zeros(1 << self.n)
        for rows in blocks:
            np.add.at(table, index(X[rows]), y[rows])
        flat = np.zeros_like(self._sums)
        flat[self._sweep.position] = inverse_walsh_transform(table)[monomials(self.n, self.degree)]
        flat[-1] = np.sum(y.astype(np.float64) ** 2)
        self._add(slice(None), flat)

    def _add(self, where: slice, term: NDArray[Any]) -> None:
        """Knuth's two-sum: sums + term = total + error exactly."""
        term = term.astype(np.float64, copy=False)
        sums = self._sums[where]
        total = sums + term
        shift = total - sums
        self._rest[where] += (sums - (total - shift)) + (term - shift)
        self._sums[where] = total

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        if (self.n, self.degree) != (other.n, other.degree):
            raise ValueError(
                f"Argument 'other' must have n = {self.n} and degree {self.degree}, not {other.n} and {other.degree}."
            )
        result = Moments(self.n, self.degree)
        result.count = self.count + other.count
        result._sums, result._rest = self._sums.copy(), self._rest + other._rest
        result._add(slice(None), other._sums)
        return result

    @property
    def sums(self) -> NDArray[np.float64]:
        """S_T in the order of ``hypercube.monomials``, or of ``hypercube.supports`` for n > 62."""
        flat: NDArray[np.float64] = self._sums + self._rest
        return flat[self._sweep.position]

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """S_T / count, the estimates of fhat(T), in the order of ``hypercube.monomials`` (``supports`` for n > 62)."""
        result: NDArray[np.float64] = self.sums / self._samples
        return result

    @property
    def mean_square(self) -> float:
        """sum y^2 / count."""
        return float(self._sums[-1] + self._rest[-1]) / self._samples

    @property
    def _samples(self) -> int:
        if self.count == 0:
            raise ValueError("There are no samples yet: call 'update' first.")
        return self.count

    def __repr__(self) -> str:
        return f"Moments(n={self.n}, degree={self.degree}) of {self.count} samples"


def row_blocks(X: NDArray[Any], n: int, size: int) -> Iterator[slice]:
    """The rows of X in blocks of ``size``, once all of them are known to be points of the cube."""
    step = max(size, (1 << 22) // max(n, 1))
    for start in range(0, len(X), step):
        checks.signs(f"X[{start}:]" if start else "X", X[start : start + step], n)
    return (slice(i, min(i + size, len(X))) for i in range(0, len(X), size))
