r"""The bounds of the paper, in its order: ``form="printed"``, and ``form="repaired"`` where the derivation slips.

The repaired forms follow the paper's own route with every slip mended and every constant explicit. They are valid, and
far from sharp: ``bounds.ours`` replaces the route. Where factors were lost inside O(.), ``form="restored"`` puts them
back and leaves the constant free. W and B are the scale of Definition 2, R bounds the norms of the inputs
(R = sqrt(n) on the cube).

Paper: sections 2.1, 3, 4 and 5, Appendix B.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, expm1, inf, log, log1p, nan, sqrt

from .. import checks
from . import ours
from ._arguments import as_float, confidence, correlation, power, scale, width

__all__ = [
    "boundary_probability", "bucket_norm", "claim_2_1_tail", "conjecture_20", "dense_rademacher", "eq_15", "eq_U",
    "eq_V", "lemma_10", "lemma_18", "lemma_6", "lemma_7", "lemma_9", "noise_rate", "remark_11", "sup_norm",
    "theorem_14", "theorem_17", "theorem_19", "theorem_8_degree", "theorem_8_samples", "threshold",
]  # fmt: skip


def _form(form: str, constant: float) -> tuple[bool, float]:
    """Whether the form is the repaired one, and the constant of the printed one."""
    checks.one_of("form", form, ("printed", "repaired"))
    constant = checks.real("constant", constant, 0)
    if form == "repaired" and constant != 1:
        raise ValueError(f"Argument 'constant' must be 1 in the repaired form, where nothing is free, not {constant}.")
    return form == "repaired", constant


# --- Section 2: Fourier tails and the low-degree algorithm ---


def claim_2_1_tail(noise_sensitivity: float, rho: float, d: int) -> float:
    """sum_{|T| > d} fhat(T)^2 <= 2 NS_rho(f) / (1 - rho^d), for 0 <= rho < 1 (`claim-2-1-tail`).

    The paper does not restrict rho; for rho < 0 the bound fails (`E9`). For d = 0 it says nothing.

    >>> claim_2_1_tail(0.1, 0.5, 1)
    0.4
    """
    ns = checks.real("noise_sensitivity", noise_sensitivity, 0)
    rho, d = correlation(rho), checks.integer("d", d, 0)
    return 2 * ns / (1 - rho**d) if d else inf


def lemma_6(p: float, n: int, constant: float = 1.0) -> float:
    """AS(g) <= constant * p sqrt(n ln(1/p)) for a halfspace g with values 0 and 1 and mean p (`lemma-6`).

    >>> lemma_6(0.5, 4) == 0.5 * sqrt(4 * log(2))
    True
    """
    p, n = checks.real("p", p, 0, 1), checks.integer("n", n, 1)
    return checks.real("constant", constant, 0) * p * sqrt(n * log(1 / p)) if p else 0.0


def lemma_7(n: int, d: int, C: float, eps: float, delta: float, constant: float = 1.0) -> float:
    """m = constant * n^d C^2 ln(1/delta) / eps samples for error O(eps), when |h| <= C and every tail is at most eps.

    `lemma-7`. The paper writes C as the supremum of h; it has to be that of abs(h) (`E11`).

    >>> round(lemma_7(10, 2, 1.0, 0.1, 0.05))
    2996
    """
    n, d, C = checks.integer("n", n, 1), checks.integer("d", d, 0), checks.real("C", C, 0)
    eps, delta = checks.positive("eps", eps), confidence(delta)
    return checks.real("constant", constant, 0) * power(n, d) * C * C * log(1 / delta) / eps


# --- Section 3: the uniform distribution ---


def eq_U(k: int, W: float, form: str = "printed") -> float:
    """(U) <= k^2 W^2 / 4 as printed; k^2 W^2 repaired, since a flip moves the linear piece by 2 w_i (`E12`).

    `eq-U`: the part of the average sensitivity from flips that keep the active set.

    >>> eq_U(2, 1.0), eq_U(2, 1.0, form="repaired")
    (1.0, 4.0)
    """
    square = (checks.integer("k", k, 1) * checks.real("W", W, 0)) ** 2
    return square if _form(form, 1)[0] else square / 4


def boundary_probability(n: int, s: int, k: int, constant: float = 1.0, form: str = "printed") -> float:
    """Pr[R_x != R_x'] <= constant * k sqrt(ln(s/k) / n), where x' is x with a random bit flipped.

    `lemma-9-boundary`. Repaired: (4 s/n) L(min(k/s, e^(-1/2))), L the bound ``ours.lemma_6``; it is 2 sqrt(2) k
    sqrt(ln(s/k) / n) when s >= sqrt(e) k. The sum over i of Pr[g(x) != g(x')] is 4 AS(g) (`E13`), and p sqrt(ln(1/p))
    increases only up to p = e^(-1/2), so the mean k/s may replace the p_j only below that (`E14`).

    >>> boundary_probability(100, 1, 1), round(boundary_probability(100, 1, 1, form="repaired"), 3)
    (0.0, 0.121)
    """
    n, (s, k) = checks.integer("n", n, 1), width(s, k)
    repaired, constant = _form(form, constant)
    if repaired:
        return 4 * s / n * ours.lemma_6(min(k / s, exp(-1 / 2)), n)
    return constant * k * sqrt(log(s / k) / n)


def threshold(n: int, s: int, k: int, W: float, B: float, constant: float = 1.0, form: str = "printed") -> float:
    """t = constant * k^1.5 W sqrt(ln(ns)) + k B, which abs(h) exceeds with probability at most (ns)^(-4).

    `lemma-9-union`. Repaired: t = k W sqrt(2 ln(2 s (ns)^4)) + k B, by a union over the s single neurons. The print
    takes one over the sets of at most k neurons and counts n^k instead of s^k of them (`E15`).

    >>> round(threshold(10, 4, 2, 1.0, 0.0, form="repaired"), 2)
    11.61
    """
    n, (s, k), (W, B) = checks.integer("n", n, 1), width(s, k), scale(W, B)
    repaired, constant = _form(form, constant)
    if repaired:
        return k * W * sqrt(2 * (log(2 * s) + 4 * log(n * s))) + k * B
    return constant * k * sqrt(k) * W * sqrt(log(n * s)) + k * B


def sup_norm(n: int, k: int, W: float, B: float) -> float:
    """abs(h) <= k (W sqrt(n) + B) on the cube: the C_H of Theorem 8 (`theorem-8-range`).

    >>> sup_norm(4, 2, 1.0, 0.5)
    5.0
    """
    W, B = scale(W, B)
    return checks.integer("k", k, 1) * (W * sqrt(checks.integer("n", n, 1)) + B)


def eq_V(n: int, s: int, k: int, W: float, B: float, constant: float = 1.0, form: str = "printed") -> float:
    """(V) <= n [(P - q) t^2 + q C^2] as printed; n [P t^2 + q C^2] repaired, q = (ns)^(-4).

    `eq-V`: the part of the average sensitivity from flips that change the active set, in the line before the last. P, t
    and C are ``boundary_probability``, ``threshold`` (which takes the constant) and ``sup_norm``.

    >>> eq_V(100, 8, 2, 1.0, 1.0) < eq_V(100, 8, 2, 1.0, 1.0, form="repaired")
    True
    """
    P, t, C = boundary_probability(n, s, k, form=form), threshold(n, s, k, W, B, constant, form), sup_norm(n, k, W, B)
    n, s = checks.integer("n", n, 1), checks.integer("s", s, 1)
    q = float(n * s) ** -4
    return n * ((P if form == "repaired" else P - q) * t**2 + q * C**2)


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
    n, (s, k), (W, B) = checks.integer("n", n, 1), width(s, k), scale(W, B)
    if isinstance(form, str) and form == "restored":
        return constant * (k**4 * W**2 * log(n * s) + k**3 * B**2) * sqrt(n * max(log(s / k), 0.5))
    repaired, constant = _form(form, constant)
    if repaired:
        return eq_U(k, W, form) + eq_V(n, s, k, W, B, form=form)
    return constant * (k**4 * W**2 * sqrt(n) * log(n * s) + k**3 * B**2 * sqrt(log(s)))


def bucket_norm(n: int, s: int, r: int) -> float:
    """E max_j ||w'_j||^2 <= (8 ln(nsr) + (nsr)^(-2)) max_j ||w_j||^2 when n coordinates fall into r buckets.

    `appendix-b-weights` (`E18`), by Hoeffding and a union over s r buckets; abs(w')^2 <= n abs(w)^2 always.

    >>> round(bucket_norm(10, 4, 5), 2)
    42.39
    """
    size = checks.integer("n", n, 1) * checks.integer("s", s, 1) * checks.integer("r", r, 2)
    return 8 * log(size) + float(size) ** -2


def lemma_10(
    n: int, s: int, k: int, W: float, B: float, rho: float, constant: float = 1.0, form: str = "printed"
) -> float:
    """NS_rho(h) <= constant * sqrt(1 - rho) (k^4 W^2 ln^2(ns / (1 - rho)) + k^3 B^2 sqrt(ln s)).

    `lemma-10`. Repaired: (1/r) L(r, s, k, W sqrt(b), B) with r = floor(2 / (1 - rho)) buckets, b their ``bucket_norm``
    and L the repaired ``lemma_9``, which is concave in W^2, so that the mean of W'^2 may be put in. The buckets have
    exactly the law of the noise only for rho = 1 - 2/r; otherwise that rho is smaller, which for 0 <= rho < 1 makes NS
    larger (`E18`).

    >>> round(lemma_10(10, 4, 1, 1.0, 1.0, 0.5), 2)
    14.41
    """
    n, (s, k), (W, B), rho = checks.integer("n", n, 1), width(s, k), scale(W, B), correlation(rho)
    repaired, constant = _form(form, constant)
    if repaired:
        return _bucketed(int(2 / (1 - rho) * (1 + 1e-12)), n, s, k, W, B)  # often an integer: not lost to round-off
    return constant * sqrt(1 - rho) * (k**4 * W**2 * log(n * s / (1 - rho)) ** 2 + k**3 * B**2 * sqrt(log(s)))


def _bucketed(r: int, n: int, s: int, k: int, W: float, B: float) -> float:
    return lemma_9(r, s, k, W * sqrt(bucket_norm(n, s, r)), B, form="repaired") / r


def noise_rate(
    n: int, s: int, k: int, W: float, B: float, eps: float, constant: float = 1.0, form: str = "printed"
) -> float:
    """1 - rho = constant * eps^2 min{ln(knsW^2/eps) / (k^8 W^4 ln^4(ns)), 1 / (k^6 B^4 ln s)}.

    `theorem-8-noise-level`: the choice in the proof of Theorem 8. Restored: the first entry is
    1 / (k^8 W^4 ln^4(knsW^2/eps)). With the printed one, NS_rho / eps diverges as eps vanishes (`E19`).

    >>> noise_rate(10, 4, 1, 1.0, 0.0, 0.1, form="restored") < noise_rate(10, 4, 1, 1.0, 0.0, 0.1)
    True
    """
    n, (s, k), (W, B), eps = checks.integer("n", n, 1), width(s, k), scale(W, B), checks.positive("eps", eps)
    checks.one_of("form", form, ("printed", "restored"))
    L = log(k * n * s * checks.positive("W", W) ** 2 / eps)
    numerator, logarithm = (1.0, L) if form == "restored" else (L, log(n * s))
    pairs = (numerator, k**8 * W**4 * logarithm**4), (1.0, k**6 * B**4 * log(s))
    return checks.real("constant", constant, 0) * eps**2 * min(a / b if b else inf for a, b in pairs)


def theorem_8_degree(
    n: int, s: int, k: int, W: float, B: float, eps: float, constant: float = 1.0, form: str = "printed"
) -> float:
    """d = constant * (k^8 W^4 ln^4(ns) + k^6 B^4 ln s) / eps^2, for the paper's loss at most eps.

    `theorem-8`. Repaired: the least d >= 3 found by bisection with 2 NS / (1 - rho^d) <= eps/4, rho = 1 - 2/d, NS the
    repaired ``lemma_10``; tails of eps/4 are what ``ours.lemma_7`` needs for loss eps. The proof loses Claim 2.1's
    factor 2 (`E19`), and takes d = Theta(1 / (1 - rho)).

    >>> [f"{theorem_8_degree(16, 16, 1, 2.0, 3.0, 0.1, form=form):.1e}" for form in ("printed", "repaired")]
    ['1.5e+06', '4.3e+16']
    """
    n, (s, k), (W, B), eps = checks.integer("n", n, 1), width(s, k), scale(W, B), checks.positive("eps", eps)
    repaired, constant = _form(form, constant)
    if not repaired:
        return constant * (k**8 * W**4 * log(n * s) ** 4 + k**6 * B**4 * log(s)) / eps**2

    def enough(d: int) -> bool:
        return 2 * _bucketed(d, n, s, k, W, B) / -expm1(d * log1p(-2 / d)) <= eps / ours.LOSS

    return _least(enough, 3)


def theorem_8_samples(
    n: int, s: int, k: int, W: float, B: float, eps: float, delta: float, constant: float = 1.0, form: str = "printed"
) -> float:
    """m = constant * n^d k^2 (W sqrt(n) + B)^2 ln(1/delta) / eps with the degree d of ``theorem_8_degree``.

    `theorem-8`. Repaired: ``ours.lemma_7`` with the repaired degree, C = k (W sqrt(n) + B) and tails at most eps/4.

    >>> theorem_8_samples(16, 16, 1, 2.0, 3.0, 0.1, 0.05)
    inf
    """
    C, eps = sup_norm(n, k, W, B), checks.positive("eps", eps)
    d = theorem_8_degree(n, s, k, W, B, eps, constant, form)
    if form == "repaired":
        return ours.lemma_7(n, int(min(n, d)), C, eps / ours.LOSS, delta)
    power = exp(d * log(n)) if d * log(n) < 700 else inf
    return power * C**2 * log(1 / confidence(delta)) / eps


def remark_11(n: int, s: int, power: float = 1.0) -> float:
    """Pr[more than k neurons active] <= (ns)^(-power): the paper's 1/poly(n, s), the power left open (`remark-11`).

    >>> round(remark_11(10, 10), 12)
    0.01
    """
    return exp(-checks.positive("power", power) * log(checks.integer("n", n, 1) * checks.integer("s", s, 1)))


# --- Section 4: statistical queries ---


def theorem_14(m: int, tau: float, constant: float = 1.0) -> float:
    """q >= constant * 2^m tau^2 queries of tolerance tau, to learn parities on m bits to 0-1 error 1/3 (`theorem-14`).

    >>> theorem_14(10, 0.125)
    16.0
    """
    m, tau = checks.integer("m", m, 1), checks.positive("tau", tau)
    return checks.real("constant", constant, 0) * power(2, m) * tau**2


# --- Section 5: general distributions ---


def lemma_18(C: float, rademacher: float, m: int, delta: float, constant: float = 1.0, form: str = "printed") -> float:
    """L_D <= constant * (C R_m + sqrt(ln(1/delta) / m)), the loss of the empirical risk minimiser when |h| <= C.

    `lemma-18`. Repaired: 4 C R_m + C^2 sqrt(2 ln(1/delta) / m), since the loss takes values in [0, 2 C^2] and is
    2 C-Lipschitz there. The print drops C^2 from the second term, so that scaling the problem refutes it (`E22`).

    >>> lemma_18(2.0, 0.1, 100, exp(-4)), lemma_18(2.0, 0.1, 100, exp(-2), form="repaired")
    (0.4, 1.6)
    """
    C, R = checks.real("C", C, 0), checks.real("rademacher", rademacher, 0)
    m, delta = checks.integer("m", m, 1), confidence(delta)
    repaired, constant = _form(form, constant)
    if repaired:
        return 4 * C * R + C**2 * sqrt(2 * log(1 / delta) / m)
    return constant * (C * R + sqrt(log(1 / delta) / m))


def theorem_17(
    n: int, s: int, k: int, W: float, B: float, R: float, eps: float, delta: float,
    constant: float = 1.0, form: str = "printed",
) -> float:  # fmt: skip
    """m = constant * ((WR + B)^2 k s n ln(k(R + B)/eps) + ln(1/delta)) / eps^2, for the paper's loss at most eps.

    `theorem-17`. Repaired: the least m at which the repaired ``lemma_18``, with C = k (WR + B) and the repaired
    ``eq_15``, is at most eps; of order M^4 k^3 (s n ln(m) + k ln(1/delta)) / eps^2, M = WR + B. As printed it is false
    (`E23`): it does not scale, and becomes negative.

    >>> f"{theorem_17(1, 1, 1, 10.0, 0.0, 1.0, 1.0, 0.01):.2f}"  # W = 10, eps = W^2 / 100
    '4.61'
    """
    n, (s, k), (W, B) = checks.integer("n", n, 1), width(s, k), scale(W, B)
    R, eps, delta = checks.positive("R", R), checks.positive("eps", eps), confidence(delta)
    M = W * R + B
    repaired, constant = _form(form, constant)
    if not repaired:
        return constant * (M**2 * k * s * n * log(k * (R + B) / eps) + log(1 / delta)) / eps**2

    def enough(m: int) -> bool:
        return lemma_18(k * M, eq_15(m, n, s, k, W, B, R, form=form), m, delta, form=form) <= eps

    return _least(enough, 1)


def theorem_19(
    m: int, n: int, s: int, W: float, B: float, R: float, constant: float = 1.0, form: str = "printed"
) -> float:
    """R_S <= constant * (WR + B) sqrt(s n ln(m(R + B)) / m) for 1-sparse networks on m points of norm at most R.

    `theorem-19`, the case k = 1 of ``eq_15``; the repaired form stands there.

    >>> theorem_19(1, 1, 1, 1.0, 0.0, 1.0)
    0.0
    """
    return eq_15(m, n, s, 1, W, B, R, constant, form)


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
    m, n, (s, k), (W, B) = checks.integer("m", m, 1), checks.integer("n", n, 1), width(s, k), scale(W, B)
    R = checks.positive("R", R)
    rate = (W * R + B) * sqrt(s * k / m)
    repaired, constant = _form(form, constant)
    if repaired:
        return rate * (1 + sqrt(2 * min(log(2) + n * log(m), m * log(2))))
    printed = log(k * m * (R + B))
    return constant * rate * sqrt(n * printed) if printed >= 0 else nan


def dense_rademacher(m: int, s: int, W: float, B: float, R: float, constant: float = 1.0) -> float:
    """R_S <= constant * (WR + B) s / sqrt(m): what the paper quotes without sparsity (`dense-rademacher`).

    >>> dense_rademacher(100, 5, 1.0, 1.0, 1.0)
    1.0
    """
    m, s, (W, B) = checks.integer("m", m, 1), checks.integer("s", s, 1), scale(W, B)
    return checks.real("constant", constant, 0) * (W * checks.positive("R", R) + B) * s / sqrt(m)


def conjecture_20(m: int, s: int, k: int, W: float, B: float, R: float, constant: float = 1.0) -> float:
    """R_S <= constant * (WR + B) sqrt(s k / m) (`conjecture-20`).

    False with the printed constant 1 (`E27`), and with every other constant.

    >>> conjecture_20(100, 4, 1, 1.0, 0.0, 1.0)
    0.2
    """
    m, (s, k), (W, B) = checks.integer("m", m, 1), width(s, k), scale(W, B)
    return checks.real("constant", constant, 0) * (W * checks.positive("R", R) + B) * sqrt(s * k / m)


def _least(enough: Callable[[int], bool], start: int) -> float:
    """An integer that is enough while its predecessor is not, by doubling and bisection."""
    if enough(start):
        return as_float(start)
    high = 2 * start
    while not enough(high):
        high *= 2
        if high > 1 << 1000:
            return inf
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return as_float(high)
