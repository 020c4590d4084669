r"""The bounds of the paper, in its order: ``form="printed"``, and ``form="repaired"`` where the derivation slips.

The repaired forms follow the paper's own route with every slip mended and every constant explicit. They are valid, and
far from sharp: ``bounds.ours`` replaces the route. Where factors were lost inside O(.), ``form="restored"`` puts them
back and leaves the constant free. W and B are the scale of Definition 2, R bounds the norms of the inputs
(R = sqrt(n) on the cube).

Paper: sections 2.1, 3, 4 and 5, Appendix B.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, expm1, inf, ldexp, log, log1p, nan, pow, sqrt

from . import ours
from ._domains import checked, unchecked

__all__ = [
    "boundary_probability", "bucket_norm", "claim_2_1_tail", "conjecture_20", "dense_rademacher", "eq_15", "eq_U",
    "eq_V", "lemma_10", "lemma_18", "lemma_6", "lemma_7", "lemma_9", "noise_rate", "remark_11", "sup_norm",
    "theorem_14", "theorem_17", "theorem_19", "theorem_8_degree", "theorem_8_samples", "threshold",
]  # fmt: skip

# How far 2 / (1 - rho) may be below an integer, relatively, to be taken as that integer: for rho = 1 - 2/r, r <= 1000,
# rounding takes less than 1e-13.
ROUND_OFF = 1e-12

# Where the search for the least integer ends, about 1e301: larger ones count as infinite.
LARGEST = 1 << 1000


# --- Section 2: Fourier tails and the low-degree algorithm ---


@checked()
def claim_2_1_tail(noise_sensitivity: float, rho: float, d: int) -> float:
    """sum_{|T| > d} fhat(T)^2 <= 2 NS_rho(f) / (1 - rho^d), for 0 <= rho < 1 (`claim-2-1-tail`).

    The paper does not restrict rho; for rho < 0 the bound fails (`E9`). For d = 0 it says nothing.

    >>> claim_2_1_tail(0.1, 0.5, 1)
    0.4
    """
    return 2 * noise_sensitivity / (1 - rho**d) if d else inf


@checked()
def lemma_6(p: float, n: int, constant: float = 1.0) -> float:
    """AS(g) <= constant * p sqrt(n ln(1/p)) for a halfspace g with values 0 and 1 and mean p (`lemma-6`).

    >>> lemma_6(0.5, 4) == 0.5 * sqrt(4 * log(2))
    True
    """
    return constant * p * sqrt(n * -log(p)) if p else 0.0


@checked()
def lemma_7(n: int, d: int, C: float, eps: float, delta: float, constant: float = 1.0) -> float:
    """m = constant * n^d C^2 ln(1/delta) / eps samples for error O(eps), when |h| <= C and every tail is at most eps.

    `lemma-7`. The paper writes C as the supremum of h; it has to be that of abs(h) (`E11`).

    >>> round(lemma_7(10, 2, 1.0, 0.1, 0.05))
    2996
    """
    return constant * float(n) ** d * C * C * log(1 / delta) / eps


# --- Section 3: the uniform distribution ---


@checked("printed", "repaired")
def eq_U(k: int, W: float, form: str = "printed") -> float:
    """(U) <= k^2 W^2 / 4 as printed; k^2 W^2 repaired, since a flip moves the linear piece by 2 w_i (`E12`).

    `eq-U`: the part of the average sensitivity from flips that keep the active set.

    >>> eq_U(2, 1.0), eq_U(2, 1.0, form="repaired")
    (1.0, 4.0)
    """
    return (k * W) ** 2 / (1 if form == "repaired" else 4)


@checked("printed", "repaired")
def boundary_probability(n: int, s: int, k: int, constant: float = 1.0, form: str = "printed") -> float:
    """Pr[R_x != R_x'] <= constant * k sqrt(ln(s/k) / n), where x' is x with a random bit flipped.

    `lemma-9-boundary`. Repaired: (4 s/n) L(min(k/s, e^(-1/2))), L the bound ``ours.lemma_6``; it is 2 sqrt(2) k
    sqrt(ln(s/k) / n) when s >= sqrt(e) k. The sum over i of Pr[g(x) != g(x')] is 4 AS(g) (`E13`), and p sqrt(ln(1/p))
    increases only up to p = e^(-1/2), so the mean k/s may replace the p_j only below that (`E14`).

    >>> boundary_probability(100, 1, 1), round(boundary_probability(100, 1, 1, form="repaired"), 3)
    (0.0, 0.121)
    """
    if form == "repaired":
        return 4 * s / n * unchecked(ours.lemma_6)(min(k / s, exp(-1 / 2)), n)
    return constant * k * sqrt(log(s / k) / n)


@checked("printed", "repaired")
def threshold(n: int, s: int, k: int, W: float, B: float, constant: float = 1.0, form: str = "printed") -> float:
    """t = constant * k^1.5 W sqrt(ln(ns)) + k B, which abs(h) exceeds with probability at most (ns)^(-4).

    `lemma-9-union`. Repaired: t = k W sqrt(2 ln(2 s (ns)^4)) + k B, by a union over the s single neurons. The print
    takes one over the sets of at most k neurons and counts n^k instead of s^k of them (`E15`).

    >>> round(threshold(10, 4, 2, 1.0, 0.0, form="repaired"), 2)
    11.61
    """
    if form == "repaired":
        return k * W * sqrt(2 * (log(2 * s) + 4 * log(n * s))) + k * B
    return constant * k * sqrt(k) * W * sqrt(log(n * s)) + k * B


@checked()
def sup_norm(n: int, k: int, W: float, B: float) -> float:
    """abs(h) <= k (W sqrt(n) + B) on the cube: the C_H of Theorem 8 (`theorem-8-range`).

    >>> sup_norm(4, 2, 1.0, 0.5)
    5.0
    """
    return k * (W * sqrt(n) + B)


@checked("printed", "repaired")
def eq_V(n: int, s: int, k: int, W: float, B: float, constant: float = 1.0, form: str = "printed") -> float:
    """(V) <= n [(P - q) t^2 + q C^2] as printed; n [P t^2 + q C^2] repaired, q = (ns)^(-4).

    `eq-V`: the part of the average sensitivity from flips that change the active set, in the line before the last. P, t
    and C are ``boundary_probability``, ``threshold`` (which takes the constant) and ``sup_norm``. As printed it can be
    negative where P is below q, as for k = s: there it is no bound, and not a number.

    >>> eq_V(100, 8, 2, 1.0, 1.0) < eq_V(100, 8, 2, 1.0, 1.0, form="repaired")
    True
    """
    P = unchecked(boundary_probability)(n, s, k, form=form)
    t = unchecked(threshold)(n, s, k, W, B, constant, form)
    C = unchecked(sup_norm)(n, k, W, B)
    q = 1 / (n * s) ** 4
    if form == "printed":
        P -= q
    bound = n * (P * t**2 + q * C**2)
    return bound if bound >= 0 else nan


@checked("printed", "repaired", "restored")
def lemma_9(n: int, s: int, k: int, W: float, B: float, constant: float = 1.0, form: str = "printed") -> float:
    """AS(h) <= constant * (k^4 W^2 sqrt(n) ln(ns) + k^3 B^2 sqrt(ln s)).

    `lemma-9`, `ours-lemma-9-repaired`. Restored: constant * (k^4 W^2 ln(ns) + k^3 B^2) sqrt(n ln max(s/k, sqrt(e))),
    what the line before the last gives. Repaired: (U) + (V) <= k^2 W^2 + n [P t^2 + (ns)^(-4) C^2] with the repaired P
    and t. The last line of the printed proof loses sqrt(ln(s/k)) on the first term and
    sqrt(n) on the second (`E16`): the statement is true, but this is not how it follows; at n = s = 1 its right side
    is 0 (`E17`).

    >>> lemma_9(1, 1, 1, 1.0, 0.0), round(lemma_9(1, 1, 1, 1.0, 0.0, form="repaired"), 2)
    (0.0, 3.68)
    """
    if form == "restored":
        return constant * (k**4 * W**2 * log(n * s) + k**3 * B**2) * sqrt(n * max(log(s / k), 0.5))
    if form == "repaired":
        return unchecked(eq_U)(k, W, form) + unchecked(eq_V)(n, s, k, W, B, form=form)
    return constant * (k**4 * W**2 * sqrt(n) * log(n * s) + k**3 * B**2 * sqrt(log(s)))


@checked()
def bucket_norm(n: int, s: int, r: int) -> float:
    """E max_j ||w'_j||^2 <= (8 ln(nsr) + (nsr)^(-2)) max_j ||w_j||^2 when n coordinates fall into r buckets.

    `appendix-b-weights` (`E18`), by Hoeffding and a union over s r buckets; abs(w')^2 <= n abs(w)^2 always.

    >>> round(bucket_norm(10, 4, 5), 2)
    42.39
    """
    size = n * s * r
    return 8 * log(size) + 1 / size**2


@checked("printed", "repaired")
def lemma_10(
    n: int, s: int, k: int, W: float, B: float, rho: float, constant: float = 1.0, form: str = "printed"
) -> float:
    """NS_rho(h) <= constant * sqrt(1 - rho) (k^4 W^2 ln^2(ns / (1 - rho)) + k^3 B^2 sqrt(ln s)).

    `lemma-10`. Repaired: (1/r) L(r, s, k, W sqrt(b), B) with r = floor(2 / (1 - rho)) buckets, b their ``bucket_norm``
    and L the repaired ``lemma_9``, which is concave in W^2, so that the mean of W'^2 may be put in. The buckets have
    exactly the distribution of the noise only for rho = 1 - 2/r; otherwise that rho is smaller, which for 0 <= rho < 1
    makes NS larger (`E18`).

    >>> round(lemma_10(10, 4, 1, 1.0, 1.0, 0.5), 2)
    14.41
    """
    if form == "repaired":
        return _bucketed(int(2 / (1 - rho) * (1 + ROUND_OFF)), n, s, k, W, B)
    return constant * sqrt(1 - rho) * (k**4 * W**2 * log(n * s / (1 - rho)) ** 2 + k**3 * B**2 * sqrt(log(s)))


def _bucketed(r: int, n: int, s: int, k: int, W: float, B: float) -> float:
    """The repaired Lemma 10 with r buckets."""
    wider = W * sqrt(unchecked(bucket_norm)(n, s, r))
    return unchecked(lemma_9)(r, s, k, wider, B, form="repaired") / r


@checked("printed", "restored")
def noise_rate(
    n: int, s: int, k: int, W: float, B: float, eps: float, constant: float = 1.0, form: str = "printed"
) -> float:
    """1 - rho = constant * eps^2 min{ln(knsW^2/eps) / (k^8 W^4 ln^4(ns)), 1 / (k^6 B^4 ln s)}.

    `theorem-8-noise-level`: the choice in the proof of Theorem 8, and at most 1, since rho = 0 is the most noise that
    ``claim_2_1_tail`` allows. Restored: the first entry is 1 / (k^8 W^4 ln^4(knsW^2/eps)). With the printed one,
    NS_rho / eps diverges as eps vanishes (`E19`). Both need knsW^2 > eps: else the logarithm is not positive, and the
    printed entry no probability.

    >>> noise_rate(10, 4, 1, 1.0, 0.0, 0.1, form="restored") < noise_rate(10, 4, 1, 1.0, 0.0, 0.1)
    True
    """
    X = k * n * s * W**2 / eps
    if X <= 1:
        raise ValueError(f"Argument 'eps' must be less than k n s W^2 = {X * eps:.6g}, not {eps}.")
    numerator = 1.0
    logarithm = log(X)
    if form == "printed":
        numerator = log(X)
        logarithm = log(n * s)
    first = _ratio(numerator, k**2 * W * logarithm)
    second = _ratio(1.0, k * sqrt(k) * B * log(s) ** 0.25)
    return min(1.0, constant * eps**2 * min(first, second))


def _ratio(numerator: float, root: float) -> float:
    """numerator / root^4, also where the fourth power is no float; infinite where root is 0, or its square is."""
    square = root * root
    return numerator / square / square if square else inf


@checked("printed", "repaired")
def theorem_8_degree(
    n: int, s: int, k: int, W: float, B: float, eps: float, constant: float = 1.0, form: str = "printed"
) -> float:
    """d = constant * (k^8 W^4 ln^4(ns) + k^6 B^4 ln s) / eps^2, for a risk of 2 eps.

    `theorem-8`. Repaired: the least d >= 3 found by bisection with 2 NS / (1 - rho^d) <= eps/4, rho = 1 - 2/d, NS the
    repaired ``lemma_10``; tails of eps/4 are what ``ours.lemma_7`` needs for loss eps. The proof loses Claim 2.1's
    factor 2 (`E19`), and takes d = Theta(1 / (1 - rho)).

    >>> [f"{theorem_8_degree(16, 16, 1, 2.0, 3.0, 0.1, form=form):.1e}" for form in ("printed", "repaired")]
    ['1.5e+06', '4.3e+16']
    """
    if form == "printed":
        return constant * ((k**2 * W * log(n * s)) ** 4 + k**2 * (k * B) ** 4 * log(s)) / eps**2

    def enough(d: int) -> bool:
        return 2 * _bucketed(d, n, s, k, W, B) / -expm1(d * log1p(-2 / d)) <= eps / ours.LOSS

    return _least(enough, 3)


@checked("printed", "repaired")
def theorem_8_samples(
    n: int, s: int, k: int, W: float, B: float, eps: float, delta: float, constant: float = 1.0, form: str = "printed"
) -> float:
    """m = constant * n^d k^2 (W sqrt(n) + B)^2 ln(1/delta) / eps with the degree d of ``theorem_8_degree``.

    `theorem-8`. Repaired: ``ours.lemma_7`` with the repaired degree, C = k (W sqrt(n) + B) and tails at most eps/4.

    >>> theorem_8_samples(16, 16, 1, 2.0, 3.0, 0.1, 0.05)
    inf
    """
    C = sup_norm(n, k, W, B)
    d = theorem_8_degree(n, s, k, W, B, eps, constant, form)
    if form == "repaired":
        return unchecked(ours.lemma_7)(n, int(min(n, d)), C, eps / ours.LOSS, delta)
    return pow(n, d) * C**2 * log(1 / delta) / eps


@checked()
def remark_11(n: int, s: int, power: float = 1.0) -> float:
    """Pr[more than k neurons active] <= (ns)^(-power): the paper's 1/poly(n, s), the power left open (`remark-11`).

    >>> round(remark_11(10, 10), 12)
    0.01
    """
    return exp(-power * log(n * s))


# --- Section 4: statistical queries ---


@checked()
def theorem_14(m: int, tau: float, constant: float = 1.0) -> float:
    """q >= constant * 2^m tau^2 queries of tolerance tau, to learn parities on m bits to 0-1 error 1/3 (`theorem-14`).

    Infinite where that exceeds the largest float, 1.8e308: as it does for m = 10^6, with 300 000 digits.

    >>> theorem_14(10, 0.125)
    16.0
    """
    return constant * ldexp(tau**2, m)


# --- Section 5: general distributions ---


@checked("printed", "repaired")
def lemma_18(C: float, rademacher: float, m: int, delta: float, constant: float = 1.0, form: str = "printed") -> float:
    """L_D <= constant * (C R_m + sqrt(ln(1/delta) / m)), the loss of the empirical risk minimiser when |h| <= C.

    `lemma-18`. Repaired: 4 C R_m + C^2 sqrt(2 ln(1/delta) / m), since the loss takes values in [0, 2 C^2] and is
    2 C-Lipschitz there. The print drops C^2 from the second term, so that scaling the problem refutes it (`E22`).

    >>> lemma_18(2.0, 0.1, 100, exp(-4)), lemma_18(2.0, 0.1, 100, exp(-2), form="repaired")
    (0.4, 1.6)
    """
    R = rademacher
    if form == "repaired":
        return 4 * C * R + C**2 * sqrt(2 * log(1 / delta) / m)
    return constant * (C * R + sqrt(log(1 / delta) / m))


@checked("printed", "repaired")
def theorem_17(
    n: int, s: int, k: int, W: float, B: float, R: float, eps: float, delta: float,
    constant: float = 1.0, form: str = "printed",
) -> float:  # fmt: skip
    """m = constant * ((WR + B)^2 k s n ln(k(R + B)/eps) + ln(1/delta)) / eps^2, for a risk of 2 eps.

    `theorem-17`. Repaired: the least m at which the repaired ``lemma_18``, with C = k (WR + B) and the repaired
    ``eq_15``, is at most eps; of order M^4 k^3 (s n ln(m) + k ln(1/delta)) / eps^2, M = WR + B. As printed it is false
    (`E23`): it does not scale, and becomes negative.

    >>> f"{theorem_17(1, 1, 1, 10.0, 0.0, 1.0, 1.0, 0.01):.2f}"  # W = 10, eps = W^2 / 100
    '4.61'
    """
    M = W * R + B
    if form == "printed":
        return constant * (M**2 * k * s * n * log(k * (R + B) / eps) + log(1 / delta)) / eps**2

    def enough(m: int) -> bool:
        complexity = unchecked(eq_15)(m, n, s, k, W, B, R, form=form)
        return unchecked(lemma_18)(k * M, complexity, m, delta, form=form) <= eps

    return _least(enough, 1)


@checked("printed", "repaired")
def theorem_19(
    m: int, n: int, s: int, W: float, B: float, R: float, constant: float = 1.0, form: str = "printed"
) -> float:
    """R_S <= constant * (WR + B) sqrt(s n ln(m(R + B)) / m) for 1-sparse networks on m points of norm at most R.

    `theorem-19`, the case k = 1 of ``eq_15``; the repaired form stands there.

    >>> theorem_19(1, 1, 1, 1.0, 0.0, 1.0)
    0.0
    """
    return eq_15(m, n, s, 1, W, B, R, constant, form)


@checked("printed", "repaired")
def eq_15(
    m: int, n: int, s: int, k: int, W: float, B: float, R: float, constant: float = 1.0, form: str = "printed"
) -> float:
    """R_S <= constant * (WR + B) sqrt(s n k ln(km(R + B)) / m) for k-sparse networks on m points of norm at most R.

    `eq-15`, `ours-rademacher-explicit`. Repaired: (WR + B) sqrt(s k/m) (1 + sqrt(2 ln D)) with D = min(2 m^n, 2^m),
    which bounds the number of active sets of one neuron on m points of R^n (Cover). The printed logarithm depends on
    the unit of length, and is 0 at m = R = 1, B = 0 (`E25`); where it is negative the printed bound is not a number.

    >>> round(eq_15(100, 3, 4, 1, 1.0, 0.0, 1.0, form="repaired"), 2)
    1.28
    """
    rate = (W * R + B) * sqrt(s * k / m)
    if form == "repaired":
        return rate * (1 + sqrt(2 * min(log(2) + n * log(m), m * log(2))))
    printed = log(k * m * (R + B))
    return constant * rate * sqrt(n * printed) if printed >= 0 else nan


@checked()
def dense_rademacher(m: int, s: int, W: float, B: float, R: float, constant: float = 1.0) -> float:
    """R_S <= constant * (WR + B) s / sqrt(m): what the paper quotes without sparsity (`dense-rademacher`).

    >>> dense_rademacher(100, 5, 1.0, 1.0, 1.0)
    1.0
    """
    return constant * (W * R + B) * s / sqrt(m)


@checked()
def conjecture_20(m: int, s: int, k: int, W: float, B: float, R: float, constant: float = 1.0) -> float:
    """R_S <= constant * (WR + B) sqrt(s k / m) (`conjecture-20`).

    False with the printed constant 1 (`E27`), and with every other constant.

    >>> conjecture_20(100, 4, 1, 1.0, 0.0, 1.0)
    0.2
    """
    return constant * (W * R + B) * sqrt(s * k / m)


def _least(enough: Callable[[int], bool], start: int) -> float:
    """An integer that is enough while its predecessor is not, by doubling and bisection."""
    if enough(start):
        return float(start)
    high = 2 * start
    while not enough(high):
        high *= 2
        if high > LARGEST:
            return inf
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return float(high)
