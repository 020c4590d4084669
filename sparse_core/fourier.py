r"""Fourier analysis of real functions on the cube: f = sum_T fhat(T) chi_T.

A function is the array of its 2^n values in the order of ``hypercube.points(n)``; any real values are allowed. The
definitions are the paper's, with its factors 1/4: for a Boolean function with values -1 and 1, the sensitivity at x
counts the coordinates whose flip changes f(x).

Two routes lead to each quantity: by flips of coordinates, from the definition, and by Fourier weights. This module
takes flips where they lose no accuracy and weights where they save an enumeration; the tests take the other route.

Paper: section 2.1, Claim 2.1.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import checks
from .hypercube import degrees

__all__ = [
    "average_sensitivity",
    "influences",
    "inverse_walsh_transform",
    "noise_sensitivity",
    "sensitivity",
    "tail",
    "walsh_transform",
    "weight_by_degree",
]

GROUP = 5  # bits per pass: a 32 x 32 Hadamard matrix stays in cache and fills a matrix product


@cache
def _hadamard(bits: int, dtype: str) -> NDArray[Any]:
    """H[T, i] = (-1)^popcount(i & T)."""
    i = np.arange(1 << bits)
    return np.where(np.bitwise_count(i[:, None] & i) & 1, -1, 1).astype(dtype)


def inverse_walsh_transform(coefficients: ArrayLike) -> NDArray[Any]:
    """f(x) = sum_T fhat(T) chi_T(x): the values of a function from its Fourier coefficients.

    Parameters
    ----------
    coefficients : real array of length 2^n, indexed by the bit mask of T. float32 stays float32, other types become
    float64.

    Returns
    -------
    A new array of length 2^n, in the order of ``hypercube.points(n)``.

    Notes
    -----
    The Hadamard matrix of order 2^n is a Kronecker power, so the sum is done a few bits at a time, each time as one
    matrix product; n 2^n additions become few passes over the memory.

    Examples
    --------
    >>> inverse_walsh_transform([0, 0, 0, 1])       # x_0 x_1
    array([ 1., -1., -1.,  1.])
    """
    x, n = checks.length_2n("coefficients", coefficients)
    x = x.copy()
    for low in range(0, n, GROUP):
        bits = min(GROUP, n - low)
        H = _hadamard(bits, x.dtype.str)
        x = x.reshape(-1, 1 << bits) @ H if low == 0 else np.matmul(H, x.reshape(-1, 1 << bits, 1 << low))
    return x.reshape(-1)


def walsh_transform(values: ArrayLike) -> NDArray[Any]:
    """fhat(T) = E_x[f(x) chi_T(x)] for every T, indexed by the bit mask of T.

    Examples
    --------
    >>> walsh_transform([3, 1, 1, -1])              # 1 + x_0 + x_1
    array([1., 1., 1., 0.])
    """
    x, n = checks.length_2n("values", values)
    result = inverse_walsh_transform(x)
    result *= 0.5**n
    return result


def weight_by_degree(values: ArrayLike) -> NDArray[np.float64]:
    """W_k = sum_{|T| = k} fhat(T)^2 for k = 0, ..., n.

    Their sum is E[f^2] (Parseval, `claim-2-1-parseval`).

    >>> weight_by_degree([3, 1, 1, -1])
    array([1., 2., 0.])
    """
    x, n = checks.length_2n("values", values)
    square = walsh_transform(x.astype(np.float64, copy=False)) ** 2
    return np.bincount(degrees(n), weights=square, minlength=n + 1).astype(np.float64, copy=False)


def tail(values: ArrayLike, degree: int) -> float:
    """sum_{|T| > degree} fhat(T)^2: the squared distance of f to the polynomials of that degree.

    >>> tail([3, 1, 1, -1], 0)
    2.0
    """
    degree = checks.integer("degree", degree, 0)
    return float(weight_by_degree(values)[degree + 1 :].sum())


def sensitivity(values: ArrayLike) -> NDArray[np.float64]:
    """sen_f(x) = (1/4) sum_i (f(x) - f(x with bit i flipped))^2 at every point x.

    >>> sensitivity([1, -1, -1, -1])                # the minority point sees both flips, its neighbours one
    array([2., 1., 1., 0.])
    """
    x, n = checks.length_2n("values", values)
    total = np.zeros((1 << n,), dtype=np.float64)
    for i in range(n):
        pair = x.reshape(-1, 2, 1 << i).astype(np.float64, copy=False)
        total.reshape(-1, 2, 1 << i)[...] += ((pair[:, 0] - pair[:, 1]) ** 2)[:, None] / 4
    return total


def influences(values: ArrayLike) -> NDArray[np.float64]:
    """Inf_i(f) = (1/4) E[(f(x) - f(x with bit i flipped))^2] for each coordinate i.

    It equals sum_{T containing i} fhat(T)^2.

    >>> influences([3, 1, 1, -1])
    array([1., 1.])
    """
    x, n = checks.length_2n("values", values)
    x = x.astype(np.float64, copy=False)
    pairs = (x.reshape(-1, 2, 1 << i) for i in range(n))
    return np.array([np.mean((p[:, 0] - p[:, 1]) ** 2) / 4 for p in pairs], dtype=np.float64)


def average_sensitivity(values: ArrayLike) -> float:
    """AS(f) = E_x[sen_f(x)] = sum_T |T| fhat(T)^2 (`average-sensitivity-fourier`).

    >>> average_sensitivity([1, -1, -1, 1])         # the parity of two bits
    2.0
    """
    return float(influences(values).sum())


def noise_sensitivity(values: ArrayLike, rho: float) -> float:
    """NS_rho(f) = (1/4) E[(f(x) - f(y))^2] = sum_k (1/2)(1 - rho^k) W_k (`claim-2-1-noise`).

    Here x is uniform and y is x with each coordinate flipped with probability (1 - rho) / 2, for -1 <= rho <= 1.

    >>> noise_sensitivity([1, -1, -1, 1], rho=0.0)
    0.5
    """
    rho = checks.real("rho", rho, -1, 1)
    weights = weight_by_degree(values)
    return float(weights @ (1 - rho ** np.arange(len(weights))) / 2)
