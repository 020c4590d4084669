r"""Fourier analysis of real functions on the cube: f = sum_T fhat(T) chi_T.

A function is the array of its 2^n values in the order of ``hypercube.points(n)``; any real values are allowed. The
definitions are the paper's, with its factors 1/4: for values -1 and 1, the sensitivity at x counts the coordinates
whose flip changes f(x). Each quantity is computed by flips of coordinates or by Fourier weights, and tested by the
other of these two. The flips of functions of two values are counted by ``packed``.

All of them visit the whole table. The costs in the docstrings are those of n = 22, a table of 34 MB, in one thread;
each further coordinate doubles them. A table of n = 28 takes 2 GB.

Paper: section 2.1, Claim 2.1.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Array, one_thread
from . import packed
from .hypercube import degrees

__all__ = [
    "Statistics", "average_sensitivity", "influences", "inverse_walsh_transform", "noise_sensitivity",
    "sensitivity", "statistics", "tail", "walsh_transform", "weight_by_degree",
]  # fmt: skip

# Bits that are summed at a time, as one matrix product: of 3 to 6, these are the fastest for n = 10, ..., 20.
STEP_BITS = 4
# Bits of a table up to which OpenBLAS takes one thread for such a product by itself; to ask for it takes 0.04 ms.
SHORT_BITS = 14


@cache
def _factors(n: int, dtype: str, scale: float) -> list[NDArray[Any]]:
    """scale H_n as the Kronecker product of small H_p, where H_p[T, i] = (-1)^popcount(i & T)."""
    parts = -(-n // STEP_BITS) or 1
    indices = [np.arange(1 << n // parts + (part < n % parts)) for part in range(parts)]
    H = [np.where(np.bitwise_count(i[:, None] & i) & 1, -1, 1).astype(dtype) for i in indices]
    H[0] *= H[0].dtype.type(scale)
    return H


@np.errstate(over="ignore", invalid="ignore")
def _transform(name: str, table: ArrayLike, mean: bool) -> NDArray[Any]:
    """H times the table, divided by 2^n for the mean, after all checks."""
    given = checks.rectangular(name, table)
    x, n = checks.length_2n(name, given, finite=False)
    with one_thread() if n > SHORT_BITS else nullcontext():  # else the last bits would depend on the number of threads
        for H in _factors(n, x.dtype.char, 0.5**n if mean else 1.0):
            x = x.reshape(len(H), -1).T.dot(H)  # takes the highest bits and puts their sums back as the lowest
    result: NDArray[Any] = x.reshape(-1)
    # The first is the sum of all entries: if it is finite, so are they, and their means; other sums may overflow.
    if not (isfinite(result[0]) and (mean or np.isfinite(result).all())):
        checks.length_2n(name, given)
        raise ValueError(f"Argument '{name}' must have sums that are finite; its entries are too large.")
    return result


def inverse_walsh_transform(coefficients: ArrayLike) -> NDArray[Any]:
    """f(x) = sum_T fhat(T) chi_T(x): the values of a function from its Fourier coefficients.

    coefficients : real array of length 2^n, indexed by the bit mask of T. float32 is kept, other types become float64.

    The Hadamard matrix is a Kronecker power, so a few bits at a time are summed as one matrix product. Integers are
    added exactly while the sum of |f(x)| is below 2^53.

    Cost: n 2^n additions, 0.1 s, and a second array of the size of the result, 34 MB.

    >>> inverse_walsh_transform([0, 0, 0, 1])       # x_0 x_1
    array([ 1., -1., -1.,  1.])
    """
    return _transform("coefficients", coefficients, mean=False)


def walsh_transform(values: ArrayLike) -> NDArray[Any]:
    """fhat(T) = E_x[f(x) chi_T(x)] for every T, indexed by the bit mask of T.

    Types, exactness and cost are those of ``inverse_walsh_transform``; the factor 2^-n is exact as well.

    >>> walsh_transform([3, 1, 1, -1])              # 1 + x_0 + x_1
    array([1., 1., 1., 0.])
    """
    return _transform("values", values, mean=True)


class Statistics(NamedTuple):
    """W_k = sum_{|T| = k} fhat(T)^2 and Inf_i = sum_{T contains i} fhat(T)^2.

    >>> statistics([1, -1, -1, 1])                    # the parity of two bits
    Statistics(weights=array([0., 0., 1.]), influences=array([1., 1.]))
    """

    weights: Array  # (n + 1,), by degree
    influences: Array  # (n,), by coordinate


def statistics(values: ArrayLike) -> Statistics:
    """sum of fhat(T)^2 by the degree |T| and by the coordinates in T, in one sweep over the coefficients.

    The squares are a matrix with a row for each high half of T and a column for each low one. Multiplied by the
    indicators of the degrees of the low halves it gives sums of each row by degree; its row and column sums give the
    influences.

    Cost: that of a transform in double precision.

    >>> sums = statistics([3, 1, 1, -1])            # 1 + x_0 + x_1
    >>> sums.weights, sums.influences
    (array([1., 2., 0.]), array([1., 1.]))
    """
    x, n = checks.length_2n("values", values, finite=False)  # the transform refuses infinities
    low = n // 2
    high = n - low
    F = walsh_transform(x.astype(np.float64, copy=False)).reshape(1 << high, 1 << low)
    of_degree = np.eye(low + 1)[degrees(low)]
    with np.errstate(over="ignore", invalid="ignore"), one_thread():
        squares = np.square(F, out=F)
        rows = squares @ of_degree
        columns = _bounded(squares.sum(axis=0))
    halves = (columns, low), (rows.sum(axis=1), high)
    degree = degrees(high)[:, None] + np.arange(low + 1)
    weights = np.bincount(degree.ravel(), weights=rows.ravel(), minlength=n + 1)
    members = [sums.reshape(-1, 2, 1 << i)[:, 1].sum() for sums, bits in halves for i in range(bits)]
    return Statistics(weights.astype(np.float64), np.array(members, dtype=np.float64))


def weight_by_degree(values: ArrayLike) -> Array:
    """W_k = sum_{|T| = k} fhat(T)^2 for k = 0, ..., n, which add up to E[f^2] (Parseval, `claim-2-1-parseval`).

    Cost: that of ``statistics``.

    >>> weight_by_degree([3, 1, 1, -1])
    array([1., 2., 0.])
    """
    return statistics(values).weights


def tail(values: ArrayLike, degree: int) -> float:
    """sum_{|T| > degree} fhat(T)^2: the squared distance of f to the polynomials of that degree.

    Cost: that of ``statistics``.

    >>> tail([3, 1, 1, -1], 0)
    2.0
    """
    degree = checks.integer("degree", degree, 0)
    return float(statistics(values).weights[degree + 1 :].sum())


def _bounded(sums: Array) -> Array:
    """These sums of squares, unless one is too large for a float."""
    if not isfinite(sums.sum()):
        raise ValueError("Argument 'values' must have squares that are finite; its entries are too large.")
    return sums


def sensitivity(values: ArrayLike) -> Array:
    """sen_f(x) = (1/4) sum_i (f(x) - f(x with bit i flipped))^2 at every point x.

    Cost: n passes over the table, 0.7 s and 84 MB; for a function of two values 0.05 s and 42 MB.

    >>> sensitivity([1, -1, -1, -1])                # the minority point sees both flips, its neighbours one
    array([2., 1., 1., 0.])
    """
    if two := packed.two_valued(values):
        changed, gap = two
        return packed.sensitivity(changed) * _bounded(np.array(gap * gap / 4))
    x, n = checks.length_2n("values", values)
    x = x.astype(np.float64, copy=False)
    total = np.zeros(1 << n)
    with np.errstate(over="ignore"):
        for i in range(n):
            pairs = x.reshape(-1, 2, 1 << i)
            gaps = pairs[:, 0] - pairs[:, 1]
            total.reshape(-1, 2, 1 << i)[...] += (gaps * gaps)[:, None]
    return _bounded(total / 4)


def influences(values: ArrayLike) -> Array:
    """Inf_i(f) = (1/4) E[(f(x) - f(x with bit i flipped))^2] = sum_{T containing i} fhat(T)^2 for each coordinate i.

    Cost: n passes over the table, 0.13 s and 17 MB; for a function of two values 0.01 s and 8 MB.

    >>> influences([3, 1, 1, -1])
    array([1., 1.])
    """
    if two := packed.two_valued(values):
        changed, gap = two
        return packed.boundary(changed) * _bounded(np.array(gap * gap / 2 / changed.size))  # an edge has two ends
    x, n = checks.length_2n("values", values)
    x = x.astype(np.float64, copy=False)
    pairs = (x.reshape(-1, 2, 1 << i) for i in range(n))
    with np.errstate(over="ignore"):
        return _bounded(np.array([np.mean((p[:, 0] - p[:, 1]) ** 2) / 4 for p in pairs], dtype=np.float64))


def average_sensitivity(values: ArrayLike) -> float:
    """AS(f) = E_x[sen_f(x)] = sum_T |T| fhat(T)^2 (`average-sensitivity-fourier`).

    Cost: that of ``influences``.

    >>> average_sensitivity([1, -1, -1, 1])         # the parity of two bits
    2.0
    """
    return float(influences(values).sum())


def noise_sensitivity(values: ArrayLike, rho: float) -> float:
    """NS_rho(f) = (1/4) E[(f(x) - f(y))^2] = sum_k (1/2)(1 - rho^k) W_k (`claim-2-1-noise`).

    Here x is uniform and y is x with each coordinate flipped with probability (1 - rho) / 2, for -1 <= rho <= 1.

    Cost: that of ``statistics``.

    >>> noise_sensitivity([1, -1, -1, 1], rho=0.0)
    0.5
    """
    rho = checks.real("rho", rho, -1, 1)
    weights = statistics(values).weights
    return float(weights @ (1 - rho ** np.arange(len(weights))) / 2)
