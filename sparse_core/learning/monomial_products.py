r"""y -> Phi^T y and c -> Phi c for the matrix Phi of all monomials at all samples, which is never formed.

Cut a set T of at most d coordinates into its ceil(d/2) least elements A and the rest B, and call p = max A the pivot.
In colexicographic order the sets A with pivot p are a contiguous slice; with the coordinates reversed, so are the sets
B above p. Hence the moments of one pivot are one matrix product,

    sum_i chi_A(x_i) (y_i chi_B(x_i)),     all A with max A = p, all B with min B > p,

of two small factors; those of B every pivot shares. Neighbouring pivots are taken together, so that the product is
large enough for one call; the few products with min B <= max A that this adds are dropped in the end. Either map
takes 2 m D operations.

For labels -1 and 1, with one bit per sample, a product is an exclusive or, and its sum a population count.

Paper: Lemma 7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import islice
from math import comb, prod
from threading import local
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arrays import each
from ..cube.hypercube import dimension, supports
from ..cube.packed import in_words

__all__ = ["Factors", "MonomialProducts", "products_of"]

# Rows of a product, that is sets A, from which it is computed in a call of its own: up to degree 2, and above.
CALL_ROWS = (24, 64)
# Rows to which a product may grow where that adds few sets B that are not used.
MOST_ROWS = 96
# Entries of the larger factor of the products: 64 MB in double precision.
FACTOR_ENTRIES = 1 << 23
# Entries of that factor which fit into a cache, 2 MB in double precision: the limit for more than 1024 samples a block.
CACHED_ENTRIES = 1 << 18
# Samples of a block, at least.
SHORTEST_BLOCK_SAMPLES = 16
# Samples of a block, at most.
LONGEST_BLOCK_SAMPLES = 4096
# Samples of a block that is too long for CACHED_ENTRIES.
LONG_BLOCK_SAMPLES = 1024
# Words of 64 labels in a block of bits.
BLOCK_WORDS = 512
# M N K up to which OpenBLAS takes a product of M x K and K x N numbers as they are, without copies of its own.
DIRECT_MULTIPLY_ADDS = 10**6
# The least K into which a product is cut to get there.
SHORTEST_PART_SAMPLES = 64
# Numbers left free after each row: without them a column would lie in few places of the cache.
PADDING_NUMBERS = 16
# Words of 64 bits that are counted at a time: 1 MB.
COUNTED_WORDS = 1 << 17
# Moments up to which several blocks are summed at a time, each block in an array of its own.
SEPARATE_MOMENTS = 1 << 22
# Monomials times samples in one call below which one thread is as fast as several: 0.05 s.
ONE_THREAD_MONOMIALS = 1 << 29
# Monomials times samples in a call of NumPy below which threads would wait for each other between the calls.
CALL_MONOMIALS = 1 << 19
# Monomials times samples that a thread is given at a time: about a millisecond.
TASK_MONOMIALS = 1 << 24
# Bytes of work arrays that a thread keeps for the next call; more are given back.
KEPT_BYTES = 1 << 24

# The work arrays of each thread, by name and type: fresh pages of memory would cost more than what is done in them.
_workspace = local()


def _work_array(name: str, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """An array of any content, which the next call with this name and type in this thread overwrites."""
    arrays: dict[Any, NDArray[Any]] = _workspace.__dict__
    key = f"{name} {np.dtype(dtype).char}"
    size = prod(shape)
    if key not in arrays or arrays[key].size < size:
        arrays[key] = np.empty(size, dtype)
    return arrays[key][:size].reshape(shape)


class Tile(NamedTuple):
    """One product: the sets A with these pivots, from start to stop, with the first ``width`` sets B of one size."""

    upper: int  # the number of elements of the sets B, 1 for the empty set too
    pivots: range
    start: int
    stop: int
    width: int
    where: slice  # in the flat array of all products


class Factors(NamedTuple):
    """chi_A and chi_B at the points of a block, in work arrays: those of one block at a time in each thread."""

    points: NDArray[Any]  # a row for each coordinate
    below: list[NDArray[Any]]  # chi_A for sets of fewer than ceil(d/2) elements, by their number
    above: list[NDArray[Any]]  # chi_B; the empty set and the sets of one element are in one array


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
        self.n = n
        self.degree = min(degree, n)
        self.lower = (self.degree + 1) // 2
        self.most = self.degree - self.lower
        self.low = dimension(n, max(0, self.lower - 1))  # the sets of fewer elements come first, as among the monomials
        self.tiles = list(self._tiles())
        self.size = self.tiles[-1].where.stop if self.tiles else self.low
        factor = max(n, comb(n, self.most))  # rows of the larger one
        cached = min(LONGEST_BLOCK_SAMPLES, CACHED_ENTRIES // factor)
        long = min(LONG_BLOCK_SAMPLES, FACTOR_ENTRIES // factor)
        self.block = _power_of_2(max(cached, long, SHORTEST_BLOCK_SAMPLES))  # samples
        words = max(1, min(BLOCK_WORDS, FACTOR_ENTRIES // (8 * factor)))
        self.sign_block = 64 * _power_of_2(words)  # samples with labels -1 and 1

    def _tiles(self) -> Iterator[Tile]:
        end = self.low
        first = self.lower - 1
        while 0 <= first < self.n:
            last = first + 1
            while last < self.n and self._together(first, last):
                last += 1
            start = comb(first, self.lower)
            height = comb(last, self.lower) - start
            above = self.n - 1 - first
            for upper in range(1, max(1, self.most) + 1):
                width = comb(above, upper) if upper > 1 else 1 + above * (self.most > 0)
                if width:
                    where = slice(end, end + height * width)
                    yield Tile(upper, range(first, last), start, start + height, width, where)
                    end += height * width
            first = last

    def _together(self, first: int, last: int) -> bool:
        """Whether the pivots from first to last belong in one product; the last of them needs the fewest sets B."""
        rows = comb(last, self.lower) - comb(first, self.lower)
        few_unused = 8 * comb(self.n - last, self.most) > 7 * comb(self.n - first, self.most)
        return rows < CALL_ROWS[self.lower > 1] or (rows < MOST_ROWS and few_unused)

    @cached_property
    def position(self) -> NDArray[np.intp]:
        """The index of each monomial in the flat array."""
        position = np.empty(dimension(self.n, self.degree), dtype=np.intp)
        position[: self.low] = np.arange(self.low)
        largest = np.repeat(np.arange(self.n), [comb(p, self.lower - 1) if self.lower else 0 for p in range(self.n)])
        sets = supports(self.n, self.most)
        for upper, _, start, stop, width, where in self.tiles:
            grid = np.arange(where.start, where.stop).reshape(-1, width)
            if upper == 1:
                position[self.low + start : self.low + stop] = grid[:, 0]
                grid = grid[:, 1:]
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

        Of type uint64, the factors hold one bit per sample, 1 where the character is -1. Most sets A have
        ceil(degree/2) elements; their characters are made tile by tile, when they are needed.
        """
        if dtype is np.uint64:
            columns = in_words(np.ascontiguousarray(columns) < 0)
        points = _work_array("points", (self.n, columns.shape[1]), dtype)
        above = _work_array("above", (self.n + 1, columns.shape[1]), dtype)
        points[...] = columns
        above[0] = dtype is not np.uint64
        above[1:] = points[::-1]
        below = _characters(above[:1], points, max(0, self.lower - 1), "below")
        B = _characters(above[:1], above[1:], self.most, "above")
        return Factors(points, below, [above[:1], above, *B[2:]])

    def _each(self, factors: Factors) -> Iterator[tuple[Tile, NDArray[Any]]]:
        """The tiles, and chi_A for the sets A of each."""
        A = factors.points
        done = -1
        for tile in self.tiles:
            if self.lower == 1:
                A = factors.points[tile.start : tile.stop]
            elif tile.start != done:
                A = _work_array("tile", (tile.stop - tile.start, A.shape[1]), A.dtype)
                _fill_level(A, factors.below[-1], factors.points, self.lower, tile.pivots)
                done = tile.start
            yield tile, A

    def adjoint(self, factors: Factors, y: NDArray[Any]) -> NDArray[Any]:
        """Phi^T y as a flat array. y is of the type of the factors; bits 0 beyond the last sample count as labels 1."""
        bits = y.dtype == np.uint64
        product = _agreement if bits else _product
        B = []  # y chi_B
        for j, level in enumerate(factors.above):
            if bits:
                B.append(np.bitwise_xor(level, y, out=_work_array(f"y chi_B {j}", level.shape, y.dtype)))
            else:  # BLAS is faster on contiguous columns
                rows = _work_array("padded", (len(level), len(y) + PADDING_NUMBERS), y.dtype)[:, : len(y)]
                np.multiply(level, y, out=rows)
                B.append(_work_array(f"y chi_B {j}", level.T.shape, y.dtype).T)
                B[j][...] = rows
        flat = np.empty(self.size, np.float64 if bits else y.dtype)
        end = 0
        for level in factors.below:
            product(level, B[0], flat[end : end + len(level)].reshape(-1, 1))
            end += len(level)
        for tile, A in self._each(factors):
            product(A, B[tile.upper][: tile.width], flat[tile.where].reshape(-1, tile.width))
        return flat

    def forward(self, factors: Factors, c: NDArray[Any]) -> NDArray[Any]:
        """Phi c for a flat array c, of the type of the factors, with zeros at the entries of no monomial."""
        total: NDArray[Any] = c[: self.low] @ np.concatenate(factors.below)
        sums = [_work_array(f"sums {j}", level.shape, c.dtype) for j, level in enumerate(factors.above)]
        for level_sums in sums:
            level_sums[...] = 0
        for tile, A in self._each(factors):
            product = _work_array("product", (tile.width, len(total)), c.dtype)
            np.matmul(c[tile.where].reshape(-1, tile.width).T, A, out=product)
            sums[tile.upper][: tile.width] += product
        for level, level_sums in zip(factors.above[1:], sums[1:], strict=True):
            level_sums *= level
            total += level_sums.sum(axis=0)
        return total

    def over(self, blocks: Iterable[Any], work: Callable[[Any], Any], use: Callable[[Any], object], m: int) -> None:
        """use(work(block)) in order, several at a time if that saves time for m samples in all.

        A block that takes both maps counts as two.
        """
        left = iter(blocks)
        together = max(1, TASK_MONOMIALS // (self.block * self.size))
        tasks = iter(lambda: list(islice(left, together)), [])
        calls = 2 * len(self.tiles) + (self.n if self.lower > 1 else 0)
        long_calls = calls * CALL_MONOMIALS <= self.size * self.block
        much = m * self.size >= ONE_THREAD_MONOMIALS
        large = long_calls and much and self.size <= SEPARATE_MOMENTS
        try:
            each(lambda task: [work(block) for block in task], tasks, large, lambda done: list(map(use, done)))
        finally:
            arrays = _workspace.__dict__
            if sum(array.nbytes for array in arrays.values()) > KEPT_BYTES:
                arrays.clear()


@lru_cache(maxsize=8)
def products_of(n: int, degree: int) -> MonomialProducts:
    """The plan of the products, made once for each n and degree.

    >>> products_of(32, 3).block                    # samples per product
    4096
    """
    return MonomialProducts(n, degree)


def _power_of_2(number: int) -> int:
    """The largest power of 2 that is at most the number."""
    return 1 << number.bit_length() - 1


def _characters(one: NDArray[Any], X: NDArray[Any], degree: int, name: str) -> list[NDArray[Any]]:
    """chi_T at the columns of X, as rows: for each i <= degree the sets of i elements, in colexicographic order."""
    n = len(X)
    levels = [one, X][: degree + 1]
    for i in range(2, degree + 1):
        level = _work_array(f"{name} {i}", (comb(n, i), X.shape[1]), X.dtype)
        _fill_level(level, levels[-1], X, i, range(i - 1, n))
        levels.append(level)
    return levels


def _fill_level(level: NDArray[Any], before: NDArray[Any], X: NDArray[Any], size: int, pivots: range) -> None:
    """chi_T for the sets of so many elements with these pivots, from those of one element less."""
    times = np.bitwise_xor if X.dtype == np.uint64 else np.multiply
    end = 0
    for p in pivots:
        rows = comb(p, size - 1)
        times(before[:rows], X[p], out=level[end : end + rows])
        end += rows


def _product(A: NDArray[Any], B: NDArray[Any], out: NDArray[Any]) -> None:
    """out = A B^T, the sum of products that are small enough for OpenBLAS to take them directly."""
    rows, m = A.shape
    part = 1 << max(0, (DIRECT_MULTIPLY_ADDS // out.size).bit_length() - 1)
    whole = m - m % part
    if not SHORTEST_PART_SAMPLES <= part < m:
        np.matmul(A, B.T, out=out)
        return
    parts = np.matmul(A[:, :whole].reshape(rows, -1, part).swapaxes(0, 1), B.T[:whole].reshape(-1, part, len(B)))
    parts.sum(axis=0, out=out)
    if whole < m:
        out += A[:, whole:] @ B.T[whole:]


def _agreement(A: NDArray[Any], B: NDArray[Any], out: NDArray[Any]) -> None:
    """The bits in which a and b agree minus those in which they differ, for all rows a and b."""
    words = max(1, A.shape[1])
    across = min(len(B), max(1, COUNTED_WORDS // words))
    down = max(1, COUNTED_WORDS // (words * across))
    for j in range(0, len(B), across):
        for i in range(0, len(A), down):
            differing = np.bitwise_count(A[i : i + down, None] ^ B[j : j + across])
            out[i : i + down, j : j + across] = differing.sum(axis=2, dtype=np.uint32)
    out *= -2
    out += 64 * A.shape[1]
