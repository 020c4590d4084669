r"""Moments of labelled samples: sum_i y_i chi_T(x_i) for all sets T of at most d coordinates, in one pass.

Divided by the number of samples they are the estimated Fourier coefficients of the low-degree algorithm; with labels
1 and degree 2d they are the entries of the Gram matrix of the monomials. They are sums, so the moments of shards add.

Three ways lead to them: a population count for labels -1 and 1, matrix products for others (``monomial_products``), and
for many samples of few variables the Walsh transform of a histogram, which gives all 2^n at once.

Paper: Lemma 7.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Array, slices
from ..cube.fourier import inverse_walsh_transform
from ..cube.hypercube import index, listed_degree, monomials
from ..cube.packed import in_words
from .monomial_products import MonomialProducts, products_of
from .sample import Sample

__all__ = ["HISTOGRAM_SAMPLES", "TABLE_N", "Moments"]

# Coordinates up to which the table of all 2^n sets is used: 32 MB of doubles.
TABLE_N = 22
# Single precision counts to this integer without rounding.
LARGEST_EXACT_SINGLE = 1 << 24
# Samples with labels -1 and 1 that are counted in the time in which one with another label is multiplied.
SIGNS_PER_PRODUCT = 4
# Samples that are read at a time for a table of the cube.
HISTOGRAM_SAMPLES = 1 << 15
# Moments that are added at a time: the four arrays of the sum, of half a megabyte each, then fit into a cache.
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
    Up to 16 MB are kept for the next call.

    >>> X = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]])
    >>> m = Moments(2, degree=2).update(X[:1], [1]) + Moments(2, degree=2).update(X[1:], [-1, -1, 1])
    >>> m.count, m.coefficients                     # of x_0 x_1, from all four points
    (4, array([0., 0., 0., 1.]))
    """

    def __init__(self, n: int, degree: int) -> None:
        self.n = checks.integer("n", n, 0, 10**6)
        self.degree = checks.integer("degree", degree, 0)
        listed_degree(self.n, self.degree)
        self.count = 0
        # An unevaluated sum of two doubles for each moment.
        self._sums = np.zeros(self._products.size)
        self._rest = np.zeros(self._products.size)

    @property
    def _products(self) -> MonomialProducts:
        return products_of(self.n, self.degree)

    @property
    def block(self) -> int:
        return self._products.block

    def update(self, X: ArrayLike | Sample, y: ArrayLike | None = None) -> Moments:
        """Add samples, all or none: an error or an interruption on the way leaves the moments as they were.

        X holds points as rows of -1 and 1, y one real label each (arrays or memory maps). Without y, X is a ``Sample``.
        """
        if y is None and not isinstance(X, Sample):
            raise TypeError("Argument 'y' is missing: give one label for each point.")
        sample = X if isinstance(X, Sample) else Sample.checked(X, y)
        checks.signs("X", sample.X[:0], self.n)
        new = Moments(self.n, self.degree)
        new.count = len(sample.y)
        new._add_parts(sample)
        if self.count:
            new = self + new
        self.__dict__ = new.__dict__
        return self

    def _add_parts(self, sample: Sample) -> None:
        """Add the moments of parts of a sample, by the fastest way."""
        products = self._products
        dtype = self._type_of_products(sample)
        if dtype is None:
            table = np.zeros(1 << self.n)  # the sum of the labels at each point of the cube
            for block in sample.blocks(HISTOGRAM_SAMPLES):
                np.add.at(table, index(block.X, checked=True), block.y)
            sums = np.zeros(products.size)
            sums[products.position] = inverse_walsh_transform(table)[monomials(self.n, self.degree)]
            self._add(sums)
            return
        size = products.sign_block if dtype is np.uint64 else products.block
        products.over(sample.blocks(size), lambda block: self._block_sums(block, dtype), self._add, len(sample.y))

    def _type_of_products(self, sample: Sample) -> Any:
        """uint64 for labels -1 and 1, float32 where it is exact or that of the labels, else float64; None: no products.

        The transform of all 2^n sums takes about 8 n 2^n operations, the products of m samples m D.
        """
        products = self._products
        limit = LARGEST_EXACT_SINGLE // products.block
        blocks = (block.y for block in sample.blocks(products.sign_block))
        if not all((np.abs(y) <= limit).all() and (y == np.rint(y)).all() for y in blocks):
            return np.float32 if sample.y.dtype == np.float32 else np.float64
        signs = all((np.abs(block.y) == 1).all() for block in sample.blocks(products.sign_block))
        m = len(sample.y) // (SIGNS_PER_PRODUCT if signs else 1)
        if self.n <= TABLE_N and 8 * self.n << self.n < m * products.size:
            return None
        return np.uint64 if signs else np.float32

    def _block_sums(self, block: Sample, dtype: Any) -> Array:
        """The moments of a block, by products of this type."""
        products = self._products
        X, y = block
        values = in_words(y < 0) if dtype is np.uint64 else y.astype(dtype, copy=False)
        sums = products.adjoint(products.factors(X.T, dtype), values)
        if dtype is np.uint64:
            sums -= 64 * len(values) - len(y)  # the bits beyond the last sample
        return sums

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
        if (self.n, self.degree) != (other.n, other.degree):
            wanted = f"n = {self.n} and degree {self.degree}"
            raise ValueError(f"Argument 'other' must have {wanted}, not {other.n} and {other.degree}.")
        result = Moments(self.n, self.degree)
        result.count = self.count + other.count
        result._sums = self._sums.copy()
        result._rest = self._rest + other._rest
        result._add(other._sums)
        return result

    @property
    def sums(self) -> Array:
        """S_T in the order of ``hypercube.monomials``, or of ``hypercube.supports`` for n > 62."""
        return np.asarray((self._sums + self._rest)[self._products.position])

    @property
    def coefficients(self) -> Array:
        """S_T / count, the estimates of fhat(T), in the order of ``sums``."""
        if self.count == 0:
            raise ValueError("There are no samples yet: call 'update' first.")
        return np.asarray(self.sums / self.count)

    def __repr__(self) -> str:
        return f"Moments(n={self.n}, degree={self.degree}) of {self.count} samples"
