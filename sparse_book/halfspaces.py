r"""Half-spaces on the cube: g(x) = 1 if <w, x> > b, else 0.

The set on which one neuron is active is a half-space. For n <= 5 all of them are listed here: up to permuting and
flipping coordinates, a half-space has weights w_1 >= ... >= w_n >= 0, and integers of at most 5 suffice. The orbits of
the list add up to the published number of threshold functions (OEIS A000609: 2, 4, 14, 104, 1882, 94572).

Paper: Lemma 6 and its use in Lemma 9.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, permutations
from math import comb

import numpy as np
from numpy.typing import NDArray

from sparse_core import checks
from sparse_core._arrays import Array
from sparse_core.cube.hypercube import points

__all__ = ["canonical", "orbit_size", "symmetric"]


def canonical(n: int) -> NDArray[np.bool_]:
    """All g(x) = 1[<w, x> > b] with w_1 >= ... >= w_n >= 0, each once, as the rows of a (count, 2^n) array, n <= 5.

    >>> canonical(1).astype(int)                    # never, x_0 > 0, always
    array([[0, 0],
           [1, 0],
           [1, 1]])
    """
    n = checks.integer("n", n, 0, 5)
    choices = list(combinations_with_replacement(range(5, -1, -1), n))
    sums = np.array(choices).reshape(len(choices), n) @ points(n).T
    return np.unique(np.concatenate([sums > b for b in range(-5 * n - 1, 5 * n + 1)]), axis=0)


def orbit_size(table: NDArray[np.bool_]) -> int:
    """The number of functions that arise from one by permuting and flipping coordinates.

    >>> orbit_size(np.array([True, False]))         # x_0 > 0 and x_0 < 0
    2
    """
    table, n = checks.length_2n("table", table)
    cube = table.reshape((2,) * n)
    flips = [tuple(slice(None, None, 1 - 2 * (T >> j & 1)) for j in range(n)) for T in range(1 << n)]
    return len({cube.transpose(order)[flip].tobytes() for order in permutations(range(n)) for flip in flips})


def symmetric(n: int) -> tuple[Array, Array]:
    """(p, AS) of the n half-spaces 1[at least a of the n coordinates are 1], a = 1, ..., n.

    p = Pr[X >= a] and AS = a Pr[X = a] / 2 for X ~ Binomial(n, 1/2): a point with X = a leaves the half-space by any
    of a flips, and as many edges enter it; AS has the factor 1/4. The relative error of numbers above 1e-290 is below
    1e-13.

    >>> symmetric(1)
    (array([0.5]), array([0.25]))
    """
    n = checks.integer("n", n, 1, 10**5)
    middle = n // 2
    a = np.arange(middle + 1, n + 1)
    probability = np.empty(n + 1)  # Pr[X = a], from the exact middle one by the ratios of neighbours
    probability[middle] = comb(n, middle) / 2**n
    probability[middle + 1 :] = probability[middle] * np.cumprod((n - a + 1) / a)
    probability[: n - middle] = probability[:middle:-1]
    p = np.minimum(np.cumsum(probability[:0:-1])[::-1], 1)
    return p, np.arange(1, n + 1) * probability[1:] / 2
