r"""y -> Phi^T y and c -> Phi c for the matrix Phi of all monomials at all samples, which is never formed.

Cut a set T of at most d coordinates into its ceil(d/2) least elements A and the rest B, and call p = max A the pivot.
In colexicographic order the sets A with pivot p are a contiguous slice; with the coordinates reversed, so are the sets
B above p. Hence the moments of one pivot are one matrix product,

    sum_i chi_A(x_i) (y_i chi_B(x_i)),     all A with max A = p, all B with min B > p,

of two small factors that every pivot shares. Neighbouring pivots are taken together, so that the product is worth its
call; the few products with min B <= max A that this adds are dropped in the end. Either map takes 2 m D operations.

For labels -1 and 1, with one bit per sample, a product is an exclusive or, and its sum a population count.

Paper: Lemma 7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import chain, islice
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arrays import parallel
from ..cube.hypercube import dimension, supports

__all__ = ["MonomialProducts", "packed_signs", "products_of"]

ROWS = (24, 256)  # a product has at least the first number of rows, and more up to the second if that wastes little
FEATURES = 1 << 23  # entries of the larger factor of the products: 64 MB in double precision
WORDS = 1 << 15  # of 64 bits, that are counted at a time: 256 KB
APART = 1 << 22  # moments up to which several blocks are summed at a time, each in an array of its own
ALONE = 1 << 25  # monomials at samples below which one thread is as quick as several
TASK = 1 << 24  # the same, for one thread at a time: about a millisecond
SHORT = 32  # words, along which NumPy adds more slowly than across them

Factors = tuple[list[NDArray[Any]], list[NDArray[Any]]]


class Tile(NamedTuple):
    """One matrix product: rows A in [start, stop) of the lower factor, the first ``width`` sets B of size ``upper``."""

    upper: int
    start: int
    stop: int
    width: int
    where: slice  # in the flat array of all products


class MonomialProducts:
    """y -> Phi^T y and c -> Phi c for the matrix Phi[i, T] = chi_T(x_i), |T| <= degree, a block of samples at a time.

    Both maps work on a flat array in the order of the products; ``position`` leads from the order of the monomials
    (``hypercube.monomials``, or ``hypercube.supports`` for n > 62) into it.

    >>> products = products_of(3, 2)
    >>> factors = products.factors(np.array([[1, -1], [-1, -1], [1, 1]]))     # of the points (1, -1, 1), (-1, -1, 1)
    >>> products.adjoint(factors, np.array([1.0, 3]))[products.position]
    array([ 4., -2., -4.,  4.,  2., -2., -4.])
    """

    def __init__(self, n: int, degree: int) -> None:
        self.n, self.degree = n, min(degree, n)
        self.lower = (self.degree + 1) // 2
        self.most = self.degree - self.lower
        self.low = dimension(n, max(0, self.lower - 1))  # the sets of fewer elements come first, as among the monomials
        self.tiles = list(self._tiles())
        self.size = self.tiles[-1].where.stop if self.tiles else self.low
        factor = comb(n, self.lower)  # at least as many as the sets B, since degree <= n
        self.block = 1 << min(10, max(4, (FEATURES // factor).bit_length() - 1))
        self.bits = 64 * max(1, min(512, FEATURES // (8 * factor)))  # samples per block of bits

    def _tiles(self) -> Iterator[Tile]:
        end, first = self.low, self.lower - 1
        while 0 <= first < self.n:
            last, start = first + 1, comb(first, self.lower)
            while last < self.n and self._together(first, last):
                last += 1
            height, above = comb(last, self.lower) - start, self.n - 1 - first
            for upper in range(1, max(1, self.most) + 1):
                width = comb(above, upper) if upper > 1 else 1 + above * (self.most > 0)
                if width:
                    yield Tile(upper, start, start + height, width, slice(end, end + height * width))
                    end += height * width
            first = last

    def _together(self, first: int, last: int) -> bool:
        """Whether the pivots from first to last belong in one product; the last of them needs the fewest sets B."""
        rows, most = comb(last, self.lower) - comb(first, self.lower), self.most
        return rows < ROWS[0] or (rows < ROWS[1] and 8 * comb(self.n - last, most) > 7 * comb(self.n - first, most))

    @cached_property
    def position(self) -> NDArray[np.intp]:
        """Where each monomial stands in the flat array."""
        position = np.empty(dimension(self.n, self.degree), dtype=np.intp)
        position[: self.low] = np.arange(self.low)
        largest = np.repeat(np.arange(self.n), [comb(p, self.lower - 1) if self.lower else 0 for p in range(self.n)])
        sets = supports(self.n, self.most)
        for upper, start, stop, width, where in self.tiles:
            grid = np.arange(where.start, where.stop).reshape(-1, width)
            if upper == 1:
                position[self.low + start : self.low + stop], grid = grid[:, 0], grid[:, 1:]
            if not grid.size:
                continue
            B = self.n - 1 - sets[upper][: grid.shape[1], ::-1]
            table = [[comb(b, self.lower + 1 + i) for b in range(self.n)] for i in range(upper)]
            rank = sum(np.array(table[i])[B[:, i]] for i in range(upper))  # of A and B together: rank(A) + this
            target = dimension(self.n, self.lower + upper - 1) + np.arange(start, stop)[:, None] + rank
            valid = largest[start:stop, None] < B[:, 0]
            position[target[valid]] = grid[valid]
        return position

    def factors(self, columns: NDArray[Any], dtype: Any = np.float64) -> Factors:
        """chi_A and chi_B at points, the columns of an array: A of at most ceil(degree/2) elements, B of the rest.

        Of type uint64, the factors hold one bit per sample, 1 where the character is -1. The empty set B and those of
        one element stand together.
        """
        columns = packed_signs(columns) if dtype is np.uint64 else np.ascontiguousarray(columns, dtype=dtype)
        B = _characters(np.ascontiguousarray(columns[::-1]), self.most)
        return _characters(columns, self.lower), [B[0], np.concatenate(B[:2]), *B[2:]]

    def adjoint(self, factors: Factors, y: NDArray[Any]) -> NDArray[Any]:
        """Phi^T y as a flat array. y is of the type of the factors; bits 0 beyond the last sample count as labels 1."""
        bits = y.dtype == np.uint64
        times, product = (np.bitwise_xor, _agreement) if bits else (np.multiply, _product)
        A, B = factors[0], [times(level, y) for level in factors[1]]
        flat, end = np.empty(self.size, np.float64 if bits else y.dtype), 0
        for level in A[: max(1, self.lower)]:
            product(level, B[0], flat[end : end + len(level)].reshape(-1, 1))
            end += len(level)
        for upper, start, stop, width, where in self.tiles:
            product(A[-1][start:stop], B[upper][:width], flat[where].reshape(-1, width))
        return flat

    def forward(self, factors: Factors, c: NDArray[Any]) -> NDArray[Any]:
        """Phi c for a flat array c, of the type of the factors, with zeros where no monomial stands."""
        A, B = factors
        total: NDArray[Any] = c[: self.low] @ np.concatenate(A[: max(1, self.lower)])
        sums = [np.zeros_like(level) for level in B]
        for upper, start, stop, width, where in self.tiles:
            sums[upper][:width] += c[where].reshape(-1, width).T @ A[-1][start:stop]
        for level, sum_ in zip(B[1:], sums[1:], strict=True):
            sum_ *= level
            total += sum_.sum(axis=0)
        return total

    def over(self, blocks: Iterable[Any], work: Callable[[Any], Any], m: int) -> Iterator[Any]:
        """map(work, blocks), several at a time if that is worth it for m samples in all (0: nobody knows)."""
        if self.size > APART or 0 < m * self.size < ALONE:
            return map(work, blocks)
        left, together = iter(blocks), max(1, TASK // (self.block * self.size))
        tasks = iter(lambda: list(islice(left, together)), [])
        return chain.from_iterable(parallel(lambda task: list(map(work, task)), tasks))


@lru_cache(maxsize=8)
def products_of(n: int, degree: int) -> MonomialProducts:
    """The plan of the products, made once for each n and degree.

    >>> products_of(32, 3).block                    # samples per product
    1024
    """
    return MonomialProducts(n, degree)


def packed_signs(signs: NDArray[Any]) -> NDArray[np.uint64]:
    """One bit per sign along the last axis, 1 for -1, in words of 64 filled up with 0.

    >>> packed_signs(np.array([[1, -1, -1], [1, 1, 1]]))
    array([[6],
           [0]], dtype=uint64)
    """
    bits = np.packbits(np.ascontiguousarray(signs) < 0, axis=-1, bitorder="little")
    words = np.zeros((*bits.shape[:-1], -(-bits.shape[-1] // 8)), dtype=np.uint64)
    words.view(np.uint8)[..., : bits.shape[-1]] = bits
    return words


def _characters(X: NDArray[Any], degree: int) -> list[NDArray[Any]]:
    """chi_T at the columns of X, as rows: for each i <= degree the sets of i elements, in colexicographic order."""
    bits = X.dtype == np.uint64
    times = np.bitwise_xor if bits else np.multiply
    levels = [np.full((1, X.shape[1]), 0 if bits else 1, dtype=X.dtype), X][: degree + 1]
    for i in range(2, degree + 1):
        level, end = np.empty((comb(len(X), i), X.shape[1]), dtype=X.dtype), 0
        for p in range(i - 1, len(X)):
            size = comb(p, i - 1)
            times(levels[-1][:size], X[p], out=level[end : end + size])
            end += size
        levels.append(level)
    return levels


def _product(A: NDArray[Any], B: NDArray[Any], out: NDArray[Any]) -> None:
    np.matmul(A, B.T, out=out)


def _agreement(A: NDArray[Any], B: NDArray[Any], out: NDArray[Any]) -> None:
    """The bits in which a and b agree minus those in which they differ, for all rows a and b."""
    words = max(1, A.shape[1])
    across = min(len(B), max(1, WORDS // words))
    down = max(1, WORDS // (words * across))
    for j in range(0, len(B), across):
        for i in range(0, len(A), down):
            out[i : i + down, j : j + across] = _differing(A[i : i + down], B[j : j + across])
    out *= -2
    out += 64 * A.shape[1]


def _differing(A: NDArray[Any], B: NDArray[Any]) -> NDArray[np.uint32]:
    """The number of bits in which a and b differ, for all rows a and b."""
    if A.shape[1] < SHORT:
        return np.asarray(np.bitwise_count(A.T[:, :, None] ^ B.T.copy()[:, None]).sum(axis=0, dtype=np.uint32))
    return np.asarray(np.bitwise_count(A[:, None] ^ B).sum(axis=2, dtype=np.uint32))
