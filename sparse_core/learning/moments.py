r"""Moments of labelled samples: sum_i y_i chi_T(x_i) for all sets T of at most d coordinates, in one pass.

Divided by the number of samples they are the estimated Fourier coefficients of the low-degree algorithm; with labels
1 and degree 2d they are the entries of the Gram matrix of the monomials. They are sums, so the moments of shards add.

Three ways lead to them: a population count for labels -1 and 1, matrix products for others (``monomial_products``), and
for many samples of few variables the Walsh transform of a histogram, which gives all 2^n at once.

Paper: Lemma 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Array, slices
from ..cube.fourier import inverse_walsh_transform
from ..cube.hypercube import index, monomials
from .monomial_products import MonomialProducts, packed_signs, products_of
from .sample import Sample, joined

__all__ = ["TABLE_N", "Moments"]

# Coordinates up to which a table of all 2^n sets, 32 MB of doubles, is worth its memory.
TABLE_N = 22
# Single precision counts to this integer without rounding.
SINGLE_EXACT = 1 << 24
# Samples with labels -1 and 1 that are counted in the time in which one with another label is multiplied.
SIGNS_PER_PRODUCT = 4
# Moments that are added at a time: the four arrays of the sum, of half a megabyte each, then stay in a cache.
ADDED_MOMENTS = 1 << 16


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
    Up to 16 MB stay for the next call.

    >>> X = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]])
    >>> m = Moments(2, degree=2).update(X[:1], [1]) + Moments(2, degree=2).update(X[1:], [-1, -1, 1])
    >>> m.count, m.coefficients                     # of x_0 x_1, from all four points
    (4, array([0., 0., 0., 1.]))
    """

    def __init__(self, n: int, degree: int) -> None:
        self.n = checks.integer("n", n, 0, 10**6)
        self.degree = checks.integer("degree", degree, 0)
        self.count = 0
        self._sums, self._rest = np.zeros((2, self._products.size + 1))  # the last entry is sum y^2

    @property
    def _products(self) -> MonomialProducts:
        return products_of(self.n, self.degree)

    @property
    def block(self) -> int:
        return self._products.block

    def update(
        self, X: ArrayLike | Sample | Iterable[tuple[ArrayLike, ArrayLike]], y: ArrayLike | None = None
    ) -> Moments:
        """Add samples, all or none: an error or an interruption on the way leaves the moments as they were.

        X holds points as rows of -1 and 1, y one real label each (arrays or memory maps). Without y, X is a ``Sample``
        or an iterable of samples or such pairs (X, y), which are read one after another.
        """
        if y is None and isinstance(X, np.ndarray):
            raise TypeError("Argument 'y' is missing: give one label per point, or an iterable of pairs (X, y).")
        given: Any = X if y is None else Sample.checked(X, y)  # type: ignore[arg-type]  # with y, X is an array
        new = self._at(0, *np.zeros((2, len(self._sums))))
        if isinstance(given, Sample):
            new._read([given], len(given.y))
        else:
            new._read((pair if isinstance(pair, Sample) else Sample.checked(*pair) for pair in given), None)
        if self.count:
            new = self + new
        self.count, self._sums, self._rest = new.count, new._sums, new._rest
        return self

    def _read(self, samples: Iterable[Sample], m: int | None) -> None:
        """Add the samples, m in all if that is known."""
        products = self._products
        table = np.zeros(0)  # the sum of the labels at each point of the cube, once a sample needs it
        squares = 0.0
        for y, where, sums in products.over(self._blocks(samples), self._block_sums, m):
            self.count += len(y)
            if sums is not None:
                self._add(sums)
                continue
            if not len(table):
                table = np.zeros(1 << self.n)
            np.add.at(table, where, y)
            squares += float(y @ y)
        if len(table):
            sums = np.zeros_like(self._sums)
            sums[products.position] = inverse_walsh_transform(table)[monomials(self.n, self.degree)]
            sums[-1] = squares
            self._add(sums)

    def _blocks(self, samples: Iterable[Sample]) -> Iterator[tuple[Sample, Any]]:
        """The samples as they are summed together, with the type of the products, or None for the transform."""
        products = self._products
        for sample in joined(self._of_n_columns(samples), products.block):
            dtype = self._type_of_products(sample)
            size = products.sign_block if dtype in (None, np.uint64) else products.block
            for block in sample.blocks(size):
                yield block, dtype

    def _of_n_columns(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        """The samples, once each is known to have n columns."""
        for sample in samples:
            checks.signs("X", sample.X[:0], self.n)
            yield sample

    def _type_of_products(self, sample: Sample) -> Any:
        """uint64 for labels -1 and 1, float32 where it is exact or that of the labels, else float64; None: no products.

        The transform of all 2^n sums takes about 8 n 2^n operations, the products of m samples m D.
        """
        products = self._products
        limit = SINGLE_EXACT // products.block
        blocks = (block.y for block in sample.blocks(products.sign_block))
        if not all((np.abs(y) <= limit).all() and (y == np.rint(y)).all() for y in blocks):
            return np.float32 if sample.y.dtype == np.float32 else np.float64
        signs = all((np.abs(block.y) == 1).all() for block in sample.blocks(products.sign_block))
        m = len(sample.y) // (SIGNS_PER_PRODUCT if signs else 1)
        if self.n <= TABLE_N and 8 * self.n << self.n < m * products.size:
            return None
        return np.uint64 if signs else np.float32

    def _block_sums(self, task: tuple[Sample, Any]) -> tuple[Array, Any, Any]:
        """The labels of a block, and where each of its points stands on the cube, or else its sums."""
        (X, y), dtype = task
        if dtype is None:
            return y, index(X, checked=True), None
        products = self._products
        values = packed_signs(y) if dtype is np.uint64 else y.astype(dtype, copy=False)
        sums = products.adjoint(products.factors(X.T, dtype), values)
        if dtype is np.uint64:
            sums -= 64 * len(values) - len(y)  # the bits beyond the last sample
        return y, None, np.append(sums, np.square(y, dtype=np.float64).sum())

    def _add(self, terms: NDArray[Any]) -> None:
        """Knuth's two-sum: sums + terms = total + error exactly."""
        for piece in slices(len(terms), ADDED_MOMENTS):
            sums = self._sums[piece]
            new = terms[piece]
            total = sums + new
            shift = total - sums
            self._rest[piece] += (sums - (total - shift)) + (new - shift)
            self._sums[piece] = total

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        n, d = self.n, self.degree
        if (n, d) != (other.n, other.degree):
            raise ValueError(f"Argument 'other' must have n = {n} and degree {d}, not {other.n} and {other.degree}.")
        result = self._at(self.count + other.count, self._sums.copy(), self._rest + other._rest)
        result._add(other._sums)
        return result

    def _at(self, count: int, sums: Array, rest: Array) -> Moments:
        """Other moments of the same n and degree."""
        new = copy(self)
        new.count, new._sums, new._rest = count, sums, rest
        return new

    @property
    def sums(self) -> Array:
        """S_T in the order of ``hypercube.monomials``, or of ``hypercube.supports`` for n > 62."""
        return np.asarray((self._sums + self._rest)[self._products.position])

    @property
    def coefficients(self) -> Array:
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
