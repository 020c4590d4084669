r"""Reductions to 1-sparse networks: parities and learning with rounding as networks on lifted inputs.

A function of a linear form that takes integer values is a sum of tents, one around each value a. A tent
height - c (<v, y> - a)^2 is quadratic in y. On the cube y_i^2 = 1, so it is linear in the products y_i y_j, and the
*lift* x(y) in {-1, 1}^{m x m}, with x_ii = y_i and x_ij = y_i y_j, has them as coordinates. What is one neuron for
each value a on the lift is a 1-sparse network there: at a lifted point only the tent around its own value is positive.
Off the lift it is not sparse.

All weights and biases are dyadic rationals of few digits: values and activity on lifted points are exact.

Paper: section 4, the hardness results for arbitrary distributions (`theorem-3-part-1`, `theorem-3-part-2`).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Array, Integers
from ..network.network import SparseNetwork
from . import modular

__all__ = ["digits", "encode", "lift", "linearised", "lwr", "lwr_label", "parity", "printed_parity"]


ROUNDINGS = ("lwr", "floor", "printed")

# Entries of the weight matrix of one network: 1 GB.
MAX_WEIGHTS = 1 << 27

# The largest modulus of learning with rounding: rounding adds q to twice the product of two residues, which stays below
# 2^63. So it is half of ``modular.MAX_MODULUS``.
MAX_MODULUS = modular.MAX_MODULUS // 2


# --- The lift ---


def lift(Y: ArrayLike) -> NDArray[np.int8]:
    """x(y)_ij = y_i y_j for i != j, x(y)_ii = y_i, in column i m + j, n = m^2: {-1, 1}^m -> {-1, 1}^n (`parity-lift`).

    >>> lift([[1, -1]])
    array([[ 1, -1, -1, -1]], dtype=int8)
    """
    Y = checks.signs("Y", Y).astype(np.int8)
    m = Y.shape[1]
    X: NDArray[np.int8] = Y[:, :, None] * Y[:, None, :]
    X[:, range(m), range(m)] = Y
    return X.reshape(len(Y), m * m)


def linearised(v: ArrayLike, centres: ArrayLike, height: float = 0.5, curvature: float = 1.0) -> tuple[Array, Array]:
    """height - c (<v, y> - a)^2 = <w_a, x(y)> - b_a for all y in {-1, 1}^m: the (s, m^2) weights, the (s,) biases.

    v (m,) is the linear form, ``centres`` (s,) are the values a, and height and curvature c = 1 are those of the paper.
    (<v, y> - a)^2 = ||v||^2 + a^2 + sum_{i != j} v_i v_j y_i y_j - 2a <v, y>, hence w_ij = -c v_i v_j off the diagonal,
    w_ii = 2 c a v_i and b = c (||v||^2 + a^2) - height (`parity-linearisation`, `lwr-linearisation`).

    >>> W, b = linearised([1, 1], [2])
    >>> W, b, lift([[1, 1], [1, -1]]) @ W[0] - b                # 1/2 - (y_0 + y_1 - 2)^2
    (array([[ 4., -1., -1.,  4.]]), array([5.5]), array([ 0.5, -3.5]))
    """
    v = checks.real_array("v", v, 1).astype(np.float64)
    a = checks.real_array("centres", centres, 1).astype(np.float64)
    height = checks.real("height", height)
    c = checks.real("curvature", curvature)
    m = len(v)
    if len(a) * m * m > MAX_WEIGHTS:
        raise ValueError(
            f"Argument 'centres' must give at most {MAX_WEIGHTS} weights, not {len(a)} neurons of {m * m} each."
        )
    W = np.tile(-c * np.outer(v, v), (len(a), 1, 1))
    W[:, range(m), range(m)] = 2 * c * np.outer(a, v)
    return W.reshape(len(a), m * m), c * (v @ v + a**2) - height


# --- Parities ---


def parity(S: int | Iterable[int], m: int, *, values: str = "01", tent: str = "narrow") -> SparseNetwork:
    """[evenly many y_i = -1 in S] = 2 sum_{a = |S| mod 4} relu(1/2 - (t - a)^2), t = sum_{i in S} y_i, on the lift.

    Parameters
    ----------
    S : a bit mask or the coordinates, which count from 0.
    m : bits of y; the network has n = m^2 inputs, the points ``lift(Y)``.
    values : "01", or "signs" for chi_S(y) = prod_{i in S} y_i, where the sum is over a = |S| mod 2 with signs.
    tent : "narrow" for the paper's 2 relu(1/2 - (t - a)^2), "wide" for relu(1 - (t - a)^2 / 4) of 1/8 of its scale.

    Notes
    -----
    t is |S| less twice the number of minus signs. So a runs over |S|, |S| - 4, ... or |S|, |S| - 2, ... down to -|S|,
    which is s = floor(|S| / 2) + 1 neurons for the values 0 and 1 and s = |S| + 1 for signs. Two values of t differ by
    2, where both tents have ended: one neuron is active at most (`ours-parity-mod-4`). W <= 2 sqrt(4 m^3 + m^2 - m) and
    B <= 2 (m^2 + m) - 1 with narrow tents (`parity-norms`); W <= sqrt(4 m^3 + m^2 - m) / 4 and B <= max((m^2 + m) / 4 -
    1, 1) with wide ones (`ours-parity-tent`).

    >>> net = parity([0, 2], m=3)
    >>> net(lift([[1, 1, 1], [-1, 1, 1], [-1, 1, -1]])), net
    (array([1., 0., 1.]), SparseNetwork(n=9, s=2, W=11.6619, B=11))
    """
    v = _indicator(S, m)
    size = int(v.sum())
    signs = checks.one_of("values", values, ("01", "signs")) == "signs"
    wide = checks.one_of("tent", tent, ("narrow", "wide")) == "wide"
    a = np.arange(size, -size - 1, -2 if signs else -4)
    u = (-1.0) ** ((size - a) // 2)  # +1 for all a = |S| mod 4
    if wide:
        return SparseNetwork(u, *linearised(v, a, height=1.0, curvature=0.25))
    return SparseNetwork(2 * u, *linearised(v, a))


def printed_parity(S: int | Iterable[int], m: int) -> SparseNetwork:
    """2 sum_{a even, |a| <= m} relu(1/2 - (t - a)^2) on the lift: the identity of section 4 as printed (`E1`).

    It is [t is even], so that it is constant: t is a sum of |S| signs. The weights are those of S, not the printed
    w_ij = -1 and w_ii = 2a for all i and j (`E2`).

    >>> printed_parity([0], m=2)(lift([[1, 1], [-1, 1]])), parity([0], m=2)(lift([[1, 1], [-1, 1]]))
    (array([0., 0.]), array([1., 0.]))
    """
    v = _indicator(S, m)
    a = np.arange(-(m - m % 2), m + 1, 2)
    return SparseNetwork(np.full(len(a), 2.0), *linearised(v, a))


def _indicator(S: int | Iterable[int], m: int) -> Array:
    """The vector 1_S in {0, 1}^m."""
    m = checks.size("m", m)
    if not isinstance(S, Iterable):
        mask = checks.integer("S", S, 0, (1 << m) - 1)
        S = [i for i in range(m) if mask >> i & 1]
    members = [checks.integer("S", i, 0, m - 1) for i in checks.listed("S", S)]
    if len(set(members)) < len(members):
        raise ValueError(f"Argument 'S' must have different coordinates, not {members}.")
    return np.isin(np.arange(m), members).astype(np.float64)


# --- Learning with rounding ---


def lwr_label(t: ArrayLike, p: int, q: int, rounding: str = "lwr") -> Integers:
    """lambda(t) = floor((p/q) (t mod q) + 1/2) mod p, the label of t = <w, y> in learning with rounding.

    That is ``rounding`` "lwr", to the nearest with ties up; "floor" is floor((p/q) (t mod q)) mod p,
    and "printed" (t mod q) mod p, as in `definition-15`.

    >>> lwr_label(range(8), 2, 8), lwr_label(range(8), 2, 8, "floor"), lwr_label(range(8), 2, 8, "printed")
    (array([0, 0, 1, 1, 1, 1, 0, 0]), array([0, 0, 0, 0, 1, 1, 1, 1]), array([0, 1, 0, 1, 0, 1, 0, 1]))
    """
    p = checks.integer("p", p, 1, MAX_MODULUS)
    q = checks.integer("q", q, 2, MAX_MODULUS)
    residue = checks.integer_array("t", t) % q
    match checks.one_of("rounding", rounding, ROUNDINGS):
        case "printed":
            return residue % p
        case "floor":
            return p * residue // q % p
        case _:
            return (2 * p * residue + q) // (2 * q) % p


def digits(Y: ArrayLike, q: int) -> NDArray[np.int8]:
    """z(y) in {-1, 1}^r, r = m l, l = ceil(log2 q): the binary digits of y_1, ..., y_m, 0 as 1 and 1 as -1, low first.

    >>> digits([[6, 1]], 8)
    array([[ 1, -1, -1, -1,  1,  1]], dtype=int8)
    """
    q = checks.integer("q", q, 2, MAX_MODULUS)
    Y = _residues("Y", Y, q, 2)
    bits = Y[:, :, None] >> np.arange((q - 1).bit_length()) & 1
    return (1 - 2 * bits).astype(np.int8).reshape(len(Y), bits.shape[1] * bits.shape[2])


def encode(Y: ArrayLike, q: int) -> NDArray[np.int8]:
    """x(z(y)): the binary digits of y in Z_q^m, lifted to n = r^2 inputs, r = m ceil(log2 q), for ``lwr``.

    >>> encode([[2]], 3)
    array([[ 1, -1, -1, -1]], dtype=int8)
    """
    return lift(digits(Y, q))


def lwr(w: ArrayLike, p: int, q: int, rounding: str = "lwr") -> SparseNetwork:
    """F_w(x(z(y))) = lambda(<w, y>) = 2 sum_a lambda(a) relu(1/2 - (<v, z> + c - a)^2), 1-sparse on encoded inputs.

    The secret w has m integers from 0 to q - 1; q need not be a power of 2. y_i = (2^l - 1)/2 - (1/2) sum_b 2^b z_ib, l
    = ceil(log2 q). So <w, y> is affine in the digits, v_ib = -w_i 2^b / 2 with the constant c = (2^l - 1) (w_1 + ... +
    w_m) / 2, which goes into the biases; no linear form will do (`E6`). a runs over the values 0, ..., (q - 1) (w_1 +
    ... + w_m) that <w, y> may have, except where lambda(a) = 0.

    With A = m (q - 1)^2: s <= A, ||v||^2 <= m (q - 1)^2 (4^l - 1)/12, W <= 2 (p - 1) (||v||^2 + 2 A ||v||) and
    B <= 2 (p - 1) (A^2 + ||v||^2), polynomial in p, q and m (`ours-lwr-network`).

    >>> net = lwr([2, 1], p=2, q=3, rounding="printed")
    >>> net(encode([[0, 0], [0, 1], [1, 0], [2, 2]], 3))        # ((2 y_0 + y_1) mod 3) mod 2
    array([0., 1., 0., 0.])
    >>> net
    SparseNetwork(n=16, s=2, W=36.1801, B=36)
    """
    q = checks.integer("q", q, 2, MAX_MODULUS)
    w = _residues("w", w, q, 1)
    length = (q - 1).bit_length()
    number = (q - 1) * int(w.sum()) + 1
    if number > MAX_WEIGHTS:
        raise ValueError(f"Argument 'w' must give at most {MAX_WEIGHTS} values of <w, y>, not {number}.")
    a = np.arange(number)
    label = lwr_label(a, p, q, rounding)
    used = label != 0
    v = -(w[:, None] << np.arange(length)).reshape(-1) / 2
    c = (2**length - 1) * w.sum() / 2
    W, b = linearised(v, a[used] - c)
    return SparseNetwork(2 * label[used], W, b)


def _residues(name: str, value: ArrayLike, q: int, ndim: int) -> Integers:
    """Integers from 0 to q - 1 in ndim axes."""
    array = checks.integer_array(name, value, ndim)
    checks.entries(name, array, (array >= 0) & (array < q), f"must have entries from 0 to {q - 1}")
    return array
