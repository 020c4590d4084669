r"""Moments of labelled samples: sum_i y_i chi_T(x_i) for all sets T of at most d coordinates, in one pass.

Divided by the number of samples they are the estimated Fourier coefficients of the low-degree algorithm; with labels
1 and degree 2d they are the entries of the Gram matrix of the monomials. They are sums, so the moments of shards add.

Three ways lead to them: a population count for labels -1 and 1, matrix products for others (``monomial_products``), and
for many samples of few variables the Walsh transform of a histogram, which gives all 2^n at once.

Paper: Lemma 7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import slices
from ..cube.fourier import inverse_walsh_transform
from ..cube.hypercube import index, monomials
from .monomial_products import LONGEST, MonomialProducts, Spare, packed_signs, products_of

__all__ = ["Moments"]

Report = Callable[[str, float], object]  # of a stage of the work, and of the share of it that is done
TABLE_N = 22  # up to here a table of all 2^n sets is worth its memory
CHUNK = 1 << 22  # entries of X that are read at a time
PIECE = 1 << 16  # moments that are added at a time


class Moments:
    """S_T = sum_i y_i chi_T(x_i) for all |T| <= degree, from samples that may come in pieces and on several machines.

    Attributes
    ----------
    count : the number of samples so far.
    block : samples per matrix product; it depends on n and degree only.

    Labels that are small integers are summed exactly. Those of type float32 are multiplied in single precision, all
    others in double. The sum over blocks is kept to twice double precision (as an unevaluated sum of two doubles), so
    that it does not depend on the order of the blocks: shards whose lengths are multiples of ``block`` give the same
    bits as one run over all samples.

    Memory: at most eight doubles per moment while samples are added (two at rest), three factors of 64 MB and two
    results of 32 MB for each thread, and for small n two doubles per point of the cube; however many samples there are.
    Up to 16 MB for each thread stay for the next call.

    >>> X = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]])
    >>> m = Moments(2, degree=2).update(X[:1], [1]) + Moments(2, degree=2).update(X[1:], [-1, -1, 1])
    >>> m.count, m.coefficients                     # of x_0 x_1, from all four points
    (4, array([0., 0., 0., 1.]))
    """

    def __init__(self, n: int, degree: int) -> None:
        self.n, self.degree = checks.integer("n", n, 0, 10**6), checks.integer("degree", degree, 0)
        self.count = 0
        self._sums, self._rest = np.zeros((2, self._products.size + 1))  # the last entry is sum y^2

    @property
    def _products(self) -> MonomialProducts:
        return products_of(self.n, self.degree)

    @property
    def block(self) -> int:
        return self._products.block

    def update(
        self,
        X: ArrayLike | Iterable[tuple[ArrayLike, ArrayLike]],
        y: ArrayLike | None = None,
        callback: Report | None = None,
        *,
        checked: bool = False,
    ) -> Moments:
        """Add samples, all or none: an error or an interruption on the way leaves the moments as they were.

        X holds points as rows of -1 and 1, y one real label each (arrays or memory maps); or, without y, X is an
        iterable of such pairs, read as if they were one, one at a time. ``callback`` is called with the name of this
        stage and the share that has been read; ``checked`` says that X is known to consist of points of the cube.
        """
        if y is None and isinstance(X, np.ndarray):
            raise TypeError("Argument 'y' is missing: give one label per point, or an iterable of pairs (X, y).")
        shards: Any = X if y is None else [(X, y)]
        new = self._at(0, *np.zeros((2, len(self._sums))))
        m = 0 if y is None else checks.rectangular("y", y).size
        for _ in new._read(chunks(shards, self.n, checked), m):
            if callback:
                callback(f"moments of degree {self.degree}", new.count / m if m else 0.0)
        if self.count:
            new = self + new
        self.count, self._sums, self._rest = new.count, new._sums, new._rest
        return self

    def _read(self, pieces: Iterable[tuple[NDArray[Any], NDArray[Any]]], m: int) -> Iterator[None]:
        """Add the samples of the pieces, m or more; pauses after each block."""
        products, table, squares = self._products, np.zeros(0), 0.0
        for y, where, sums in products.over(self._blocks(pieces, m), self._block, m):
            if sums is None:
                table = table if len(table) else np.zeros(1 << self.n)
                np.add.at(table, where, y)
                squares += float(y @ y)
            else:
                self._add(sums)
            self.count += len(y)
            yield
        if len(table):
            sums = np.zeros_like(self._sums)
            sums[products.position] = inverse_walsh_transform(table)[monomials(self.n, self.degree)]
            sums[-1] = squares
            self._add(sums)

    def _blocks(self, pieces: Iterable[tuple[NDArray[Any], NDArray[Any]]], m: int) -> Iterator[Any]:
        """The samples as they are summed together, with the type of the products, or None for the transform."""
        products = self._products
        for X, y in pieces:
            exact = float(np.abs(y).max()) * products.block <= 1 << 24 and bool((y == np.rint(y)).all())
            signs = exact and bool((np.abs(y) == 1).all())
            if exact and self._many(max(m, len(y)) // (4 if signs else 1)):
                yield X, y, None
                continue
            dtype = np.uint64 if signs else np.float32 if exact or y.dtype == np.float32 else np.float64
            for rows in slices(len(y), products.bits if signs else products.block):
                yield X[rows], y[rows], dtype

    def _block(self, block: tuple[NDArray[Any], NDArray[Any], Any], spare: Spare) -> tuple[NDArray[Any], Any, Any]:
        """The labels of a block, and where each of its points stands on the cube, or else its sums."""
        (X, y, dtype), products = block, self._products
        if dtype is None:
            return y, index(X, checked=True), None
        values = packed_signs(y) if dtype is np.uint64 else y.astype(dtype, copy=False)
        sums = products.adjoint(products.factors(X.T, dtype, spare=spare), values)
        if dtype is np.uint64:
            sums -= 64 * len(values) - len(y)  # the bits beyond the last sample
        return y, None, np.append(sums, np.square(y, dtype=np.float64).sum())

    def _many(self, m: int) -> bool:
        """Whether the transform of all 2^n sums costs less than products with m samples, about 8 n 2^n to m D."""
        return self.n <= TABLE_N and self.n << (self.n + 3) < m * self._products.size

    def _add(self, terms: NDArray[Any]) -> None:
        """Knuth's two-sum: sums + terms = total + error exactly."""
        for piece in slices(len(terms), PIECE):
            sums, new = self._sums[piece], terms[piece]
            total = sums + new
            shift = total - sums
            self._rest[piece] += (sums - (total - shift)) + (new - shift)
            self._sums[piece] = total

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        if (n := self.n, d := self.degree) != (other.n, other.degree):
            raise ValueError(f"Argument 'other' must have n = {n} and degree {d}, not {other.n} and {other.degree}.")
        result = self._at(self.count + other.count, self._sums.copy(), self._rest + other._rest)
        result._add(other._sums)
        return result

    def _at(self, count: int, sums: NDArray[Any], rest: NDArray[Any]) -> Moments:
        """Other moments of the same n and degree."""
        new = copy(self)
        new.count, new._sums, new._rest = count, sums, rest
        return new

    @property
    def sums(self) -> NDArray[np.float64]:
        """S_T in the order of ``hypercube.monomials``, or of ``hypercube.supports`` for n > 62."""
        return np.asarray((self._sums + self._rest)[self._products.position])

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """S_T / count, the estimates of fhat(T), in the order of ``sums``."""
        return np.asarray(self.sums / self._samples)

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


def chunks(
    shards: Iterable[tuple[ArrayLike, ArrayLike]], n: int, checked: bool = False
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """The samples of all shards, checked, in pieces of about ``CHUNK`` entries of X: whole blocks but the last."""
    size, held, have = max(LONGEST, CHUNK // max(n, 1) & -LONGEST), [], 0
    for X, y in shards:
        X, y = checks.rectangular("X", X), checks.rectangular("y", y)
        if X.ndim != 2 or X.shape[1] != n or X.dtype.kind not in "biuf":
            checks.signs("X", X[:0] if X.ndim else X, n)  # refuses it
        if y.shape != (len(X),):
            checks.real_array("y", y, ndim=1, shape=(len(X),))
        for rows in slices(len(X), size):
            where = f"[{rows.start}:]" if rows.start else ""
            points = X[rows] if checked else checks.signs("X" + where, X[rows])
            held.append((points, checks.real_array("y" + where, y[rows], ndim=1)))
            have += len(points)
            if have >= size:
                points, labels = _joined(held)
                yield points[:size], labels[:size]
                held, have = [(points[size:], labels[size:])], have - size
    if have:
        yield _joined(held)


def _joined(pairs: list[tuple[NDArray[Any], NDArray[Any]]]) -> tuple[NDArray[Any], NDArray[Any]]:
    if len(pairs) == 1:
        return pairs[0]
    X, y = map(np.concatenate, zip(*pairs, strict=True))
    return X, y


def checked_points(X: ArrayLike) -> NDArray[Any]:
    """X as an array, once all of its rows are known to be points of the cube; a memory map is read part by part."""
    X = checks.rectangular("X", X)
    checks.signs("X", X[:0] if X.ndim else X)
    for rows in slices(len(X), max(1, CHUNK // max(X.shape[1], 1))):
        checks.signs(f"X[{rows.start}:]" if rows.start else "X", X[rows])
    return X
