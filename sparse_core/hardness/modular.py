r"""Linear algebra modulo p, and learning with rounding by linear algebra.

A system A x = b (mod p) is solved for every modulus: by elimination over the field for a prime, by pivots of least
valuation for the power of a prime, by the Chinese remainder theorem for the rest. Over GF(2) a row is packed into
words of 64 bits, otherwise all rows are updated at once, exactly, in 64-bit integers.

Labels that are not linear in the secret may each leave few values for <w, y>. Then a product over these values
vanishes, which is a polynomial in w and linear in the monomials of w: Arora and Ge (2011) solve for the monomials.

Paper: section 4, Definition 15 and Conjecture 16; parities.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb, factorial, prod

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from .._arrays import Integers

__all__ = ["arora_ge", "arora_ge_samples", "connected", "degree", "rank", "solve", "system", "vanishing"]


# The largest modulus: the product of two residues is below 2^62, and a difference of two such fits into 64 bits.
MAX_MODULUS = 1 << 31

# Columns in one word of a packed row.
WORD_BITS = 64


def solve(A: ArrayLike, b: ArrayLike, p: int) -> Integers:
    """x with A x = b (mod p), for any modulus p.

    A (rows, n) and b (rows,) are integers, 2 <= p <= 2^31. The solution is the only one iff ``rank(A, l) == n`` for
    each prime l that divides p; ValueError if there is none.

    >>> solve([[1, 1], [0, 1], [1, 0]], [1, 1, 0], 2)
    array([0, 1])
    >>> solve([[2, 1], [0, 3]], [5, 9], 12)             # 3 x_1 = 9 (mod 12) has three solutions
    array([1, 3])
    >>> solve([[1, 1], [1, 1]], [0, 1], 2)
    Traceback (most recent call last):
    ValueError: A x = b (mod 2) has no solution: the equations contradict each other.
    """
    p = checks.integer("p", p, 2, MAX_MODULUS)
    A = checks.integer_array("A", A, 2)
    b = checks.integer_array("b", b, 1)
    if len(b) != len(A):
        raise ValueError(f"Argument 'b' must have one entry for each row of 'A', {len(A)}, not {len(b)}.")
    x = np.zeros(A.shape[1], dtype=np.int64)
    modulus = 1
    for prime, power in _prime_powers(p):
        y, _ = _eliminate(A % power, b % power, prime, power)
        if y is None:
            raise ValueError(f"A x = b (mod {power}) has no solution: the equations contradict each other.")
        x += modulus * ((y - x) * pow(modulus, -1, power) % power)
        modulus *= power
    return x


def rank(A: ArrayLike, p: int) -> int:
    """The dimension of the span of the rows of A over the field of p elements, p prime.

    The solutions of A x = 0 (mod p) then form a space of n - rank dimensions.

    >>> rank([[1, 2], [2, 1]], 3), rank([[1, 2], [2, 1]], 5)
    (1, 2)
    """
    p = _prime("p", p)
    A = checks.integer_array("A", A, 2)
    return _eliminate(A % p, np.zeros(len(A), dtype=np.int64), p, p)[1]


def vanishing(table: ArrayLike, label: int) -> Integers:
    """The coefficients of prod (t - c) over {c : table[c] = label}, modulo q = len(table), constant term first.

    >>> vanishing([0, 1, 0, 1, 0], 1)                   # (t - 1)(t - 3) = t^2 - 4 t + 3
    array([3, 1, 1])
    """
    table, q = _table(table)
    coefficients = np.ones(1, dtype=np.int64)
    for c in np.flatnonzero(table == checks.integer("label", label)):
        coefficients = np.convolve(coefficients, [-c, 1]) % q
    return coefficients


def connected(table: ArrayLike, d: int) -> bool:
    """Whether the exponents in the polynomials P_l of degree <= d connect 0, ..., d, P_l = ``vanishing(table, l)``.

    ``table`` has the label of each of q residues, q prime, and 1 <= d < q. Let E_l be the set of exponents that have
    nonzero coefficients in P_l. Any two of 0, ..., d must be joined by a chain of overlapping sets E_l with max E_l <=
    d. Exactly then the monomials of degree <= d of a secret w != 0 are determined by all of its samples with labels of
    at most d residues (`ours-lwr-constant-modulus`). An even table never connects 0 and 1: -w has the labels of w.

    >>> connected([0, 1, 0, 1, 0], 2), connected([0, 0, 1, 1, 0], 2)
    (True, False)
    """
    table, q = _table(table)
    d = checks.integer("d", d, 1, q - 1)
    exponents = [set(np.flatnonzero(P).tolist()) for _, P in _equations(table, d)]
    reached = {0}
    for _ in range(d):
        reached = reached.union(*(E for E in exponents if E & reached))
    return len(reached) == d + 1


def degree(table: ArrayLike) -> int:
    """The least d with ``connected(table, d)``: the degree to which ``arora_ge`` linearises.

    >>> degree([0, 1, 0, 1, 0])
    2
    >>> degree([0, 0, 1, 1, 0])
    Traceback (most recent call last):
    ValueError: Argument 'table' must determine the secret by linearisation; [0, 0, 1, 1, 0] does not.
    """
    table, q = _table(table)
    d = next((d for d in range(1, q) if connected(table, d)), None)
    if d is None:
        raise ValueError(f"Argument 'table' must determine the secret by linearisation; {table.tolist()} does not.")
    return d


def arora_ge_samples(m: int, table: ArrayLike) -> tuple[int, float]:
    """(N, N q^2 / (q - d)): the unknowns of ``arora_ge``, and how many uniform samples suffice on average.

    N = C(m + d, d) - 1 counts the monomials of degree 1, ..., d in m variables. As long as the system has rank below N,
    the next sample raises it with probability at least (1/q)(1 - d/q) (`ours-lwr-constant-modulus`).

    >>> arora_ge_samples(12, [0, 1, 0, 1, 0])
    (90, 750.0)
    """
    m = checks.integer("m", m, 1)
    d = degree(table)
    q = len(np.asarray(table))
    N = comb(m + d, d) - 1
    return N, N * q * q / (q - d)


def system(Y: ArrayLike, labels: ArrayLike, table: ArrayLike, d: int | None = None) -> tuple[Integers, Integers]:
    """(A, b) with A z = b (mod q) for the monomials z = (w^a), 1 <= |a| <= d, of the secret: the linearised equations.

    Y, labels and table are those of ``arora_ge``; d is ``degree(table)`` by default. A sample (y, l) whose label
    belongs to at most d residues states P_l(<w, y>) = sum_k c_k <w, y>^k = 0, and <w, y>^k = sum_{|a| = k} k!/a! y^a
    w^a. The first m unknowns are the entries of w. Other samples are left out.

    >>> system([[1, 2]], [1], [0, 1, 0, 1, 0])          # w_0, w_1, w_0^2, w_0 w_1, w_1^2
    (array([[1, 2, 1, 4, 4]]), array([2]))
    """
    table, q = _table(table)
    d = degree(table) if d is None else checks.integer("d", d, 1, q - 1)
    Y = checks.integer_array("Y", Y, 2) % q
    labels = checks.integer_array("labels", labels, 1)
    if len(labels) != len(Y):
        raise ValueError(f"Argument 'labels' must have one entry for each row of 'Y', {len(Y)}, not {len(labels)}.")
    if unknown := set(labels.tolist()).difference(table.tolist()):
        raise ValueError(f"Argument 'labels' must have entries from 'table' only, not {min(unknown)}.")
    coefficients = np.zeros((len(Y), d + 1), dtype=np.int64)
    for label, P in _equations(table, d):
        coefficients[labels == label, : len(P)] = P
    used = coefficients.any(axis=1)
    Y = Y[used]
    coefficients = coefficients[used]
    columns = []
    for k in range(1, d + 1):
        for a in combinations_with_replacement(range(Y.shape[1]), k):
            ways = factorial(k) // prod(factorial(a.count(i)) for i in set(a)) % q
            column = coefficients[:, k] * ways % q
            for i in a:
                column = column * Y[:, i] % q
            columns.append(column)
    return np.column_stack(columns), -coefficients[:, 0] % q


def arora_ge(Y: ArrayLike, labels: ArrayLike, table: ArrayLike) -> Integers:
    """w from labels table[<w, y> mod q], by solving for its monomials of degree <= d: in time poly(m) for constant d.

    Y has (rows, m) integers, ``labels`` the labels of its rows, ``table`` that of each of q residues, q prime.
    ValueError if the samples contradict every secret, or are too few to single one out.

    >>> table = np.arange(5) % 2                        # Definition 15 with p = 2 and q = 5
    >>> Y = np.random.default_rng(0).integers(0, 5, (60, 3))
    >>> arora_ge(Y, table[Y @ [1, 4, 2] % 5], table)
    array([1, 4, 2])
    """
    A, b = system(Y, labels, table)
    q = len(np.asarray(table))
    z, pivots = _eliminate(A, b, q, q)
    if z is None:
        raise ValueError("Argument 'labels' must come from a secret; the linearised equations contradict each other.")
    if pivots < A.shape[1]:
        raise ValueError(f"Argument 'Y' must have more rows: the system has rank {pivots} for {A.shape[1]} unknowns.")
    return z[: np.asarray(Y).shape[1]]


def _equations(table: Integers, d: int) -> list[tuple[int, Integers]]:
    """The labels of at most d residues, and their polynomials P_l, which have degree at most d."""
    labels, sizes = np.unique(table, return_counts=True)
    return [(label, vanishing(table, label)) for label in labels[sizes <= d].tolist()]


# --- Elimination ---


def _eliminate(A: Integers, b: Integers, p: int, power: int) -> tuple[Integers | None, int]:
    """One solution of A x = b modulo a power of the prime p, or None, and the number of pivots.

    The pivots are taken by increasing valuation: a pivot divides its own row, and all entries below it.
    """
    if power == 2:
        return _eliminate_bits(A, b)
    M = np.column_stack([A, b])
    n = A.shape[1]
    r = 0
    pivots = []
    divisor = 1
    while divisor < power:
        for c in range(n):
            below = np.flatnonzero(M[r:, c] % (divisor * p))
            if not below.size:
                continue
            M[[r, r + below[0]]] = M[[r + below[0], r]]
            M[r] = M[r] * pow(int(M[r, c]) // divisor, -1, power) % power
            below = r + 1 + np.flatnonzero(M[r + 1 :, c])
            left = c if power == p else 0  # over a field the rows below are zero up to here
            D = M[below, left:] - (M[below, c] // divisor)[:, None] * M[r, left:]
            M[below, left:] = D - D // power * power
            pivots.append((c, divisor))
            r += 1
        divisor *= p
    if M[r:, n].any():
        return None, r
    x = np.zeros(n, dtype=np.int64)
    for row, (c, divisor) in zip(M[:r][::-1], pivots[::-1], strict=True):
        rest = (row[n] - (row[:n] * x % power).sum()) % power
        if rest % divisor:
            return None, r
        x[c] = rest // divisor
    return x, r


def _eliminate_bits(A: Integers, b: Integers) -> tuple[Integers | None, int]:
    """The same over GF(2), 64 columns to a word, the right side being the last bit of each row."""
    n = A.shape[1]
    bits = np.packbits(np.column_stack([A, b]).astype(np.uint8), axis=1, bitorder="little")
    M = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8))).view("<u8")
    pivots: list[int] = []
    for c in range(n):
        r = len(pivots)
        word, bit = divmod(c, WORD_BITS)
        column = (M[:, word] >> np.uint64(bit) & np.uint64(1)).astype(bool)
        if not column[r:].any():
            continue
        pivot = r + int(column[r:].argmax())
        M[[r, pivot]] = M[[pivot, r]]
        column[pivot] = column[r]
        column[r] = False
        M[column, word:] ^= M[r, word:]
        pivots.append(c)
    word, bit = divmod(n, WORD_BITS)
    right = M[:, word] >> np.uint64(bit) & np.uint64(1)
    if right[len(pivots) :].any():
        return None, len(pivots)
    x = np.zeros(n, dtype=np.int64)
    x[pivots] = right[: len(pivots)]
    return x, len(pivots)


# --- Arguments ---


def _prime_powers(p: int) -> list[tuple[int, int]]:
    """The pairs (l, l^e) of the primes l with l^e the largest power that divides p."""
    powers = []
    prime = 2
    while p > 1:
        if prime * prime > p:
            prime = p
        power = 1
        while p % prime == 0:
            p //= prime
            power *= prime
        if power > 1:
            powers.append((prime, power))
        prime += 1
    return powers


def _prime(name: str, value: int) -> int:
    p = checks.integer(name, value, 2, MAX_MODULUS)
    if _prime_powers(p) != [(p, p)]:
        raise ValueError(f"Argument '{name}' must be prime, not {p}.")
    return p


def _table(value: ArrayLike) -> tuple[Integers, int]:
    table = checks.integer_array("table", value, 1)
    _prime("len(table)", len(table))
    return table, len(table)
