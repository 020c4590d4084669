r"""Boolean functions on the cube, 64 points to a word: exact counts of the edges on which a function changes.

A table of two values is a set of points, and a set of points is a row of bits. Where f(x) differs from f(x with bit i
flipped) is then one exclusive or of words, and every number below is a count of bits.

The points stand in the order of ``hypercube.points(n)``: point x is bit x mod 64 of word x // 64.
"""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Integers

__all__ = ["boundary", "flip", "words_of", "sensitivity", "two_valued"]

Words = NDArray[np.uint64]

# bit x of LOWER[i] is set when bit i of x is not, for x < 64
LOWER = [np.uint64(sum(1 << x for x in range(64) if not x >> i & 1)) for i in range(6)]


def two_valued(values: ArrayLike) -> tuple[NDArray[np.bool_], float] | None:
    """f = a + (b - a) [f != a]: the set where f is not its first value a, and |b - a|; None if a and b are not all.

    A table of truth values is the set itself, with the gap 1.

    >>> two_valued([1, -1, -1, -1])
    (array([False,  True,  True,  True]), 2.0)
    >>> two_valued([3, 1, 1, -1]) is None
    True
    """
    f, _ = checks.length_2n("values", values, convert=False)
    if f.dtype.kind == "b":
        return f, 1.0
    other = f != f[0]
    b = f[other.argmax()]
    return (other, float(abs(b.item() - f[0].item()))) if np.array_equal(other, f == b) else None


def words_of(table: ArrayLike) -> Words:
    """word_w = sum_{j < 64} 2^j [f(64 w + j)] for a table of truth values; one word, padded with 0, when n < 6.

    >>> words_of([True, False, True, True])
    array([13], dtype=uint64)
    """
    f, n = checks.length_2n("table", table, convert=False)
    if f.dtype.kind != "b":
        raise TypeError(f"Argument 'table' must be an array of truth values, not of type {f.dtype}.")
    words = np.zeros(max(1, 2**n // 64), dtype="<u8")  # little-endian on every machine, as the bytes are
    words.view(np.uint8)[: max(1, 2**n // 8)] = np.packbits(f, bitorder="little")
    return words


def flip(words: Words, i: int) -> Words:
    """f(x with bit i flipped), packed as f is, which has more than i bits.

    >>> flip(words_of([True, False, True, True]), 0)
    array([14], dtype=uint64)
    """
    if i < 6:
        shift = np.uint64(1 << i)
        return words >> shift & LOWER[i] | (words & LOWER[i]) << shift
    return words.reshape(-1, 2, 1 << i - 6)[:, ::-1].reshape(-1)


def boundary(table: ArrayLike) -> Integers:
    """The number of edges {x, x with bit i flipped} on which f changes, for each direction i; exact integers.

    For f with values -1 and 1, Inf_i(f) is this number divided by 2^(n-1).

    >>> boundary([True, False, True, True])
    array([1, 1])
    """
    words, n = words_of(table), np.size(table).bit_length() - 1
    narrow = np.min_scalar_type(2**n)  # it holds each number, and sums of short integers are fast
    inside = ((words ^ words >> np.uint64(1 << i)) & LOWER[i] for i in range(min(n, 6)))  # an edge within a word
    across = (words.reshape(-1, 2, 1 << i - 6) for i in range(6, n))  # an edge between two words
    changes = chain(inside, (pairs[:, 0] ^ pairs[:, 1] for pairs in across))
    return np.array([np.bitwise_count(edges).sum(dtype=narrow) for edges in changes], dtype=np.int64)


def sensitivity(table: ArrayLike) -> NDArray[np.uint8]:
    """#{i : f(x) != f(x with bit i flipped)} at every point x.

    >>> sensitivity([True, False, True, True])
    array([1, 2, 0, 1], dtype=uint8)
    """
    words, size = words_of(table), np.size(table)
    total = np.zeros(size, dtype=np.uint8)
    for i in range(size.bit_length() - 1):
        changes = words ^ flip(words, i)
        total += np.unpackbits(changes.view(np.uint8), count=size, bitorder="little")
    return total
