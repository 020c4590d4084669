r"""The cube {-1, 1}^n: points, characters and monomials, with the conventions of the whole package.

* A point is a row of n entries -1 and 1. Row i of ``points(n)`` has x_j = 1 - 2 bit_j(i), bit 0 first.
* A function on the cube is an array of its 2^n values in this order.
* A set T of coordinates is the bit mask sum_{j in T} 2^j. With both conventions, the character chi_T takes the value
  (-1)^popcount(i & T) at row i, and the Fourier coefficient of T has index T.
* Coordinates count from 0 in code and from 1 in the paper.

Paper: section 2.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Integers
from .packed import in_words

__all__ = ["character", "degrees", "dimension", "index", "listed_degree", "monomials", "points", "supports"]

# The largest n of which all points are listed: 2^26 rows of 26 bytes are 1.7 GB.
MAX_POINTS_N = 26
# The largest number of monomials: the eight doubles of each that a sum of moments takes are then 4 GB.
MAX_MONOMIALS = 1 << 26


def points(n: int, start: int = 0, stop: int | None = None) -> NDArray[np.int8]:
    """x_j = 1 - 2 bit_j(i) for the rows i = start, ..., stop - 1 of the cube, all 2^n by default; n <= 62.

    Give ``start`` and ``stop`` to list a cube that is too large for the memory block by block.

    Cost: n bytes a row, and 8 more on the way; n = 22 takes 0.1 s and 126 MB, n = 26, the most at once, 2.3 GB.

    >>> points(2)
    array([[ 1,  1],
           [-1,  1],
           [ 1, -1],
           [-1, -1]], dtype=int8)
    """
    n = checks.integer("n", n, 0, 62)
    stop = 1 << n if stop is None else checks.integer("stop", stop, 0, 1 << n)
    start = checks.integer("start", start, 0, stop)
    if stop - start > 1 << MAX_POINTS_N:
        raise ValueError(
            f"Argument 'n' must be at most {MAX_POINTS_N} to list all points, not {n}; "
            "list those of a larger cube in blocks with 'start' and 'stop'."
        )
    rows = np.arange(start, stop, dtype="<i8").view(np.uint8).reshape(-1, 8)
    entries = np.unpackbits(rows, axis=1, count=n, bitorder="little").view(np.int8)
    entries *= -2
    entries += 1
    return entries


def index(X: ArrayLike, *, checked: bool = False) -> Integers:
    """i = sum_j 2^j (1 - x_j) / 2: the rows of ``points(n)`` in which the points X are, for n <= 62.

    ``checked`` says that X is an array of points of the cube.

    >>> index([[1, 1], [-1, 1], [-1, -1]])
    array([0, 1, 3])
    """
    checked = checks.flag("checked", checked)
    points = checks.real_array("X", X, 2, convert=False, finite=False) if checked else checks.signs("X", X)
    n = points.shape[1]
    if n > 62:
        raise ValueError(f"Argument 'X' must have at most 62 columns, not {n}.")
    words = in_words(points < 0)  # one for each point, none for n = 0
    return np.asarray(words.sum(axis=1, dtype=np.int64))


def character(T: int, X: ArrayLike) -> NDArray[np.int8]:
    """chi_T(x) = prod_{j in T} x_j for each row x of X, T given as a bit mask.

    >>> character(0b101, [[1, 1, -1], [-1, 1, -1]])
    array([-1,  1], dtype=int8)
    """
    X = checks.signs("X", X)
    T = checks.integer("T", T, 0, (1 << X.shape[1]) - 1)
    members = [j for j in range(X.shape[1]) if T >> j & 1]
    return np.asarray(np.prod(X[:, members], axis=1, dtype=np.int8))


def degrees(n: int) -> NDArray[np.uint8]:
    """|T| for every bit mask T < 2^n.

    Cost: 5 bytes for each; n = 22 takes 4 ms and 21 MB, n = 30, the most, 5 GB.

    >>> degrees(3)
    array([0, 1, 1, 2, 1, 2, 2, 3], dtype=uint8)
    """
    n = checks.integer("n", n, 0, 30)
    return np.bitwise_count(np.arange(1 << n, dtype=np.uint32))


def dimension(n: int, degree: int) -> int:
    """N = C(n, 0) + ... + C(n, degree): the number of monomials of degree at most ``degree``.

    >>> dimension(3, 2)
    7
    """
    n = checks.integer("n", n, 0)
    degree = checks.integer("degree", degree, 0)
    return sum(comb(n, i) for i in range(degree + 1)) if degree < n else 1 << n


def monomials(n: int, degree: int) -> Integers:
    """All T with |T| <= degree as bit masks, degree by degree, increasing within each degree.

    Within one degree the sets inside {0, ..., p-1} come before any set that contains p. By this property they are
    built here, and fast sweeps over the degrees rely on it.

    >>> [bin(T) for T in monomials(3, 2)]
    ['0b0', '0b1', '0b10', '0b100', '0b11', '0b101', '0b110']
    """
    n = checks.integer("n", n, 0, 62)
    degree = listed_degree(n, degree)
    level = np.zeros(1, dtype=np.int64)
    levels = [level]
    for i in range(1, degree + 1):
        level = np.concatenate([level[: comb(p, i - 1)] | np.int64(1 << p) for p in range(n)])
        levels.append(level)
    return np.concatenate(levels)


def listed_degree(n: int, degree: int) -> int:
    """min(degree, n), if there are at most 2^26 sets of so many coordinates, few enough to be listed.

    >>> listed_degree(3, 5)
    3
    """
    n = checks.integer("n", n, 0)
    degree = min(checks.integer("degree", degree, 0), n)
    count = dimension(n, min(degree, 26))  # of degree 26 they are already more than 2^26, unless n <= 26
    if count > MAX_MONOMIALS:
        raise ValueError(
            f"Argument 'degree' must be smaller: {n} variables have more than 2^26 monomials up to {degree}."
        )
    return degree


def supports(n: int, degree: int) -> list[NDArray[np.int32]]:
    """The monomials as sets of coordinates: for each i <= degree a (C(n, i), i) array of increasing rows; n <= 10^6.

    The order is that of ``monomials``.

    >>> [level.tolist() for level in supports(3, 2)]
    [[[]], [[0], [1], [2]], [[0, 1], [0, 2], [1, 2]]]
    """
    n = checks.integer("n", n, 0, 10**6)
    degree = listed_degree(n, degree)
    level = np.zeros((1, 0), dtype=np.int32)
    levels = [level]
    for i in range(1, degree + 1):
        sizes = [comb(p, i - 1) for p in range(n)]  # of the sets whose largest element is p
        lower = np.concatenate([level[:size] for size in sizes])
        level = np.column_stack([lower, np.repeat(np.arange(n, dtype=np.int32), sizes)])
        levels.append(level)
    return levels
