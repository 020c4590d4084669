r"""y -> Phi^T y and c -> Phi c for the matrix Phi of all monomials at all samples, which is never formed.

Cut a set T of at most d coordinates into its ceil(d/2) least elements A and the rest B, and call p = max A the pivot.
In colexicographic order the sets A with pivot p are a contiguous slice; with the coordinates reversed, so are the sets
B above p. Hence the moments of one pivot are one matrix product,

    sum_i chi_A(x_i) (y_i chi_B(x_i)),     all A with max A = p, all B with min B > p,

of two small factors; those of B every pivot shares. Neighbouring pivots are taken together, so that the product is
worth its call; the few products with min B <= max A that this adds are dropped in the end. Either map takes 2 m D
operations.

For labels -1 and 1, with one bit per sample, a product is an exclusive or, and its sum a population count.

Paper: Lemma 7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import chain, islice
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arrays import parallel
from ..cube.hypercube import dimension, supports

__all__ = ["MonomialProducts", "packed_signs", "products_of"]

ROWS = (24, 64, 96)  # at least so many of a product: up to degree 2, above; up to so many if that wastes little
FEATURES = 1 << 23  # entries of the larger factor of the products: 64 MB in double precision
LONGEST = 4096  # samples of a block
CACHED = 1 << 18  # entries of it that stay in a cache, for which longer blocks are taken
DIRECT, SHORTEST = 10**6, 64  # M N K of a product of M x K and K x N numbers that OpenBLAS takes as they are, and K
PADDING = 16  # numbers after each row, without which a column lies in few places of the cache
WORDS = 1 << 17  # of 64 bits, that are counted at a time: 1 MB
APART = 1 << 22  # moments up to which several blocks are summed at a time, each in an array of its own
ALONE = 1 << 29  # monomials at samples in one call below which one thread is as quick as several: 0.05 s
CALL = 1 << 19  # monomials at samples in a call of NumPy, below which threads wait for each other between the calls
TASK = 1 << 24  # the same, for one thread at a time: about a millisecond
SHORT = 32  # words, along which NumPy adds more slowly than across them
KEPT = 1 << 24  # bytes for each thread that are kept between calls


class Tile(NamedTuple):
    """One product: the sets A with these pivots, from start to stop, with the first ``width`` sets B of one size."""

    upper: int
    pivots: range
    start: int
    stop: int
    width: int
    where: slice  # in the flat array of all products


class Spare(dict[Any, NDArray[Any]]):
    """Arrays that are used again: fresh pages of memory would cost more than what is done in them."""

    def rows(self, name: Any, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        """So many rows of that length, of any content."""
        size, key = prod(shape), (name, np.dtype(dtype).char)
        if key not in self or self[key].size < size:
            self[key] = np.empty(size, dtype)
        return self[key][:size].reshape(shape)


_kept: list[Spare] = []  # between calls


def _spare(*lists: list[Spare]) -> Spare:
    """The last of the first list that has one; another thread may be quicker."""
    for unused in lists:
        with suppress(IndexError):
            return unused.pop()
    return Spare()


class Factors(NamedTuple):
    """chi_A and chi_B at the points of a block, in arrays that stand in ``spare``."""

    points: NDArray[Any]  # a row for each coordinate
    below: list[NDArray[Any]]  # chi_A for sets of fewer than ceil(d/2) elements, by their number
    above: list[NDArray[Any]]  # chi_B; the empty set and the sets of one element stand together
    spare: Spare


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
        factor = max(n, comb(n, self.most))
        samples = max(min(LONGEST, CACHED // factor), min(1024, FEATURES // factor), 16)
        self.block = 1 << samples.bit_length() - 1
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
                    where = slice(end, end + height * width)
                    yield Tile(upper, range(first, last), start, start + height, width, where)
                    end += height * width
            first = last

    def _together(self, first: int, last: int) -> bool:
        """Whether the pivots from first to last belong in one product; the last of them needs the fewest sets B."""
        rows, most = comb(last, self.lower) - comb(first, self.lower), self.most
        return rows < ROWS[self.lower > 1] or (
            rows < ROWS[2] and 8 * comb(self.n - last, most) > 7 * comb(self.n - first, most)
        )

    @cached_property
    def position(self) -> NDArray[np.intp]:
        """Where each monomial stands in the flat array."""
        position = np.empty(dimension(self.n, self.degree), dtype=np.intp)
        position[: self.low] = np.arange(self.low)
        largest = np.repeat(np.arange(self.n), [comb(p, self.lower - 1) if self.lower else 0 for p in range(self.n)])
        sets = supports(self.n, self.most)
        for upper, _, start, stop, width, where in self.tiles:
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

    def factors(self, columns: NDArray[Any], dtype: Any = np.float64, spare: Spare | None = None) -> Factors:
        """chi_A and chi_B at points, the columns of an array: A of at most ceil(degree/2) elements, B of the rest.

        Of type uint64, the factors hold one bit per sample, 1 where the character is -1. Most sets A have
        ceil(degree/2) elements; their characters are made tile by tile, when they are needed.
        """
        columns, spare = packed_signs(columns) if dtype is np.uint64 else columns, Spare() if spare is None else spare
        points, above = (spare.rows(k, (self.n + k, columns.shape[1]), dtype) for k in (0, 1))
        points[...] = columns
        above[0], above[1:] = dtype is not np.uint64, points[::-1]
        below = _characters(above[:1], points, max(0, self.lower - 1), spare, "below")
        B = _characters(above[:1], above[1:], self.most, spare, "above")
        return Factors(points, below, [above[:1], above, *B[2:]], spare)

    def _each(self, factors: Factors) -> Iterator[tuple[Tile, NDArray[Any]]]:
        """The tiles, and chi_A for the sets A of each."""
        done, A = -1, factors.points
        for tile in self.tiles:
            if self.lower == 1:
                A = factors.points[tile.start : tile.stop]
            elif tile.start != done:
                A = factors.spare.rows("each", (tile.stop - tile.start, A.shape[1]), A.dtype)
                A, done = _level(factors.below[-1], factors.points, self.lower, tile.pivots, A), tile.start
            yield tile, A

    def adjoint(self, factors: Factors, y: NDArray[Any]) -> NDArray[Any]:
        """Phi^T y as a flat array. y is of the type of the factors; bits 0 beyond the last sample count as labels 1."""
        bits, spare, B = y.dtype == np.uint64, factors.spare, []
        product = _agreement if bits else _product
        for j, level in enumerate(factors.above):
            if bits:
                B.append(np.bitwise_xor(level, y, out=spare.rows(("times", j), level.shape, y.dtype)))
            else:  # BLAS is faster on contiguous columns
                rows = spare.rows("times", (len(level), len(y) + PADDING), y.dtype)[:, : len(y)]
                B.append(spare.rows(("times", j), level.T.shape, y.dtype).T)
                B[j][...] = np.multiply(level, y, out=rows)
        flat, end = np.empty(self.size, np.float64 if bits else y.dtype), 0
        for level in factors.below:
            product(level, B[0], flat[end : end + len(level)].reshape(-1, 1))
            end += len(level)
        for tile, A in self._each(factors):
            product(A, B[tile.upper][: tile.width], flat[tile.where].reshape(-1, tile.width))
        return flat

    def forward(self, factors: Factors, c: NDArray[Any]) -> NDArray[Any]:
        """Phi c for a flat array c, of the type of the factors, with zeros where no monomial stands."""
        total: NDArray[Any] = c[: self.low] @ np.concatenate(factors.below)
        sums = [factors.spare.rows(("sums", j), level.shape, c.dtype) for j, level in enumerate(factors.above)]
        for sum_ in sums:
            sum_[...] = 0
        for tile, A in self._each(factors):
            product = factors.spare.rows("product", (tile.width, len(total)), c.dtype)
            sums[tile.upper][: tile.width] += np.matmul(c[tile.where].reshape(-1, tile.width).T, A, out=product)
        for level, sum_ in zip(factors.above[1:], sums[1:], strict=True):
            sum_ *= level
            total += sum_.sum(axis=0)
        return total

    def over(self, blocks: Iterable[Any], work: Callable[[Any, Spare], Any], m: int) -> Iterator[Any]:
        """work(block, spare) in order, several at a time if that is worth it for m samples in all (0: nobody knows).

        A block that takes both maps counts as two.
        """

        unused: list[Spare] = []

        def some(task: list[Any]) -> list[Any]:
            spare = _spare(unused, _kept)
            done = [work(block, spare) for block in task]
            unused.append(spare)
            return done

        left, together = iter(blocks), max(1, TASK // (self.block * self.size))
        tasks = iter(lambda: list(islice(left, together)), [])
        calls = 2 * len(self.tiles) + (self.n if self.lower > 1 else 0)
        large = calls * CALL <= self.size * self.block and self.size <= APART and not 0 < m * self.size < ALONE
        yield from chain.from_iterable(parallel(some, tasks, large))
        _kept.extend(spare for spare in unused if sum(array.nbytes for array in spare.values()) <= KEPT)


@lru_cache(maxsize=8)
def products_of(n: int, degree: int) -> MonomialProducts:
    """The plan of the products, made once for each n and degree.

    >>> products_of(32, 3).block                    # samples per product
    4096
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


def _characters(one: NDArray[Any], X: NDArray[Any], degree: int, spare: Spare, name: str) -> list[NDArray[Any]]:
    """chi_T at the columns of X, as rows: for each i <= degree the sets of i elements, in colexicographic order."""
    levels, n = [one, X][: degree + 1], len(X)
    for i in range(2, degree + 1):
        level = spare.rows((name, i), (comb(n, i), X.shape[1]), X.dtype)
        levels.append(_level(levels[-1], X, i, range(i - 1, n), level))
    return levels


def _level(before: NDArray[Any], X: NDArray[Any], size: int, pivots: range, level: NDArray[Any]) -> NDArray[Any]:
    """The same for the sets of so many elements with these pivots, from those of one element less."""
    times, end = np.bitwise_xor if X.dtype == np.uint64 else np.multiply, 0
    for p in pivots:
        rows = comb(p, size - 1)
        times(before[:rows], X[p], out=level[end : end + rows])
        end += rows
    return level


def _product(A: NDArray[Any], B: NDArray[Any], out: NDArray[Any]) -> None:
    """out = A B^T, the sum of products that are small enough for OpenBLAS to take them directly."""
    rows, m = A.shape
    part = 1 << max(0, (DIRECT // out.size).bit_length() - 1)
    whole = m - m % part
    if not SHORTEST <= part < m:
        np.matmul(A, B.T, out=out)
        return
    parts = np.matmul(A[:, :whole].reshape(rows, -1, part).swapaxes(0, 1), B.T[:whole].reshape(-1, part, len(B)))
    parts.sum(axis=0, out=out)
    if whole < m:
        out += A[:, whole:] @ B.T[whole:]


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
