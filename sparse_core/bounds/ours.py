r"""The bounds that the companion proves, every constant explicit.

h is a network with s neurons, at most k of them active at each point of the cube, of scale W, B (Definitions 1 and
2); R_x is its set of active neurons at x. The chapter "Beyond the paper" holds the proofs; the docstrings name their
steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import count
from math import cbrt, ceil, frexp, inf, ldexp, log, log1p, log2, sqrt

from .. import checks
from ._domains import CORRELATION, COUNT, basis_size, binomial, checked, unchecked

__all__ = [
    "BALL", "BRACKET", "LEVEL", "LOSS", "NEARLY", "SECOND_ORDER", "TAILS", "WIDE_CAPS", "WORDS", "average_sensitivity",
    "average_sensitivity_depth", "average_sensitivity_moments", "average_sensitivity_nonnegative",
    "average_sensitivity_spread", "averaging_samples", "claim_2_1_tail", "degree", "least_squares_samples", "lemma_6",
    "lemma_7", "log_width", "noise_sensitivity", "rademacher", "rademacher_ball", "rademacher_mean",
    "rademacher_two_layers", "rademacher_width", "remark_11", "selection_constant", "statistical_queries", "tail",
    "tail_from_average_sensitivity", "tail_second_order", "tail_uncorrelated", "theorem_14", "theorem_17",
    "theorem_8_degree", "theorem_8_samples",
]  # fmt: skip

# The risk that ``lemma_7`` promises, in units of eps, its bound on the tails: by Markov's inequality one of
# the candidates is within 4 eps, and the selection takes one within twice that.
TAILS = 8

# The paper's loss there: half of the risk. A loss of eps therefore needs tails of eps / LOSS.
LOSS = TAILS / 2

# The least F(d + 1) over d >= 6, rounded down: the second difference gives a set of more than d elements at least a
# quarter of it as weight (`ours-tail-three-halves`, step 1).
LEVEL = 0.233

# The braces of step 6 there, in units of sqrt(Lambda / r) with r = 3 (d + 1), for d >= 4 Lambda, rounded up.
BRACKET = 3.83

# The constant of ``tail_second_order``, 25.3: 4 / LEVEL from step 1, 2 before the braces of step 6, and
# 3^(-3/2) because (r - 1) sqrt(r) >= 3^(3/2) d^(3/2).
SECOND_ORDER = 4 / LEVEL * 2 * BRACKET / 3**1.5

# The factor of sqrt(ln(2m)) with which Conjecture 20 holds (`ours-theorem-e`): from 280 000 points on the bracket gives
# 6.88, and before the geometric mean of two trivial bounds gives less than 7.
NEARLY = 7

# The factor of the logarithm in the bracket of ``rademacher``, 5.66 (`ours-theorem-e`, step 4): sqrt(16) from
# McDiarmid's inequality, and sqrt(2) because a letter of one scale is paid for at all finer ones, 1 + 1/2 + 1/4 + ...
WORDS = 4 * sqrt(2)

# Var f <= AS(f) and W^1 <= Var f, but for the rounding errors of sums over a cube.
ROUNDED = 1 + 1e-9

# The bounds of `ours-whole-ball`, as pairs (factor, power of s/m): two for all caps, and one, with s/e0 in place of s,
# for caps whose angular radii have a squared sine of at least e0.
BALL = ((24, 1 / 7), (8300, 2 / 7))
WIDE_CAPS = (2.6e4, 1 / 3)


# --- Average sensitivity and what follows from it ---


@checked()
def average_sensitivity(
    W: float, k: int | None = None, s: int | None = None, mean_square_active: float | None = None
) -> float:
    """AS(h) <= min{4 k^2 W^2, s^2 W^2, 4 W^2 E|R_x|^2}, over the quantities that are given.

    `ours-average-sensitivity`. When x_i is flipped, neuron j changes by at most 2 abs(u_j w_ji), and only if it is
    active before or after, which at most min(2k, s) neurons are. Each of the three is attained.

    >>> average_sensitivity(1.0, k=2), average_sensitivity(1.0, k=2, s=3)
    (16.0, 9.0)
    >>> average_sensitivity(1.0, mean_square_active=0.5)
    2.0
    """
    if k is None and s is None and mean_square_active is None:
        raise ValueError("Argument 'k', 's' or 'mean_square_active' must be given: W alone bounds nothing.")
    bounds = []
    if k is not None:
        bounds.append(4 * k**2 * W**2)
    if s is not None:
        bounds.append(s**2 * W**2)
    if mean_square_active is not None:
        bounds.append(4 * mean_square_active * W**2)
    return min(bounds)


def average_sensitivity_depth(W: Sequence[float], k: Sequence[int], s: Sequence[int], u: float = 1.0) -> float:
    """AS(h) <= u^2 min(2 k_D, s_D) prod_l min(2 k_l, s_l) W_l^2, the exact supremum (`ours-depth-supremum`).

    W, k, s : for each layer the largest norm of a row, the number of active neurons and that of all neurons.
    u : the largest size of an output weight.

    >>> average_sensitivity_depth([1.0], [2], [4]), average_sensitivity_depth([1.0, 2.0], [1, 1], [2, 1])
    (16.0, 8.0)
    """
    W, k, s = (checks.listed(name, value) for name, value in (("W", W), ("k", k), ("s", s)))
    if not len(W) == len(k) == len(s) > 0:
        raise ValueError(
            f"Arguments 'W', 'k' and 's' must have one entry for each layer, not {len(W)}, {len(k)} and {len(s)}."
        )
    bound = checks.real("u", u, 0) ** 2
    for norm, active, size in zip(W, k, s, strict=True):
        size = checks.integer("s", size, 1)
        changing = min(2 * checks.integer("k", active, 1, size), size)
        bound *= changing * checks.real("W", norm, 0) ** 2
    return float(bound * changing)


@checked()
def average_sensitivity_nonnegative(W: float, k: int) -> float:
    """AS(h) <= 2 k^2 W^2 if no output weight is negative (`ours-average-sensitivity-nonnegative`).

    Also for the sum of the k largest neurons. The constant 2 is sharp: `ours-nonnegative-sharp`.

    >>> average_sensitivity_nonnegative(1.0, 2)
    8.0
    """
    return 2 * k**2 * W**2


@checked(W4=partial(checks.real, minimum=0))
def average_sensitivity_spread(W: float, W4: float, k: int, s: int) -> float:
    """AS(h) <= k^2 (W + 2^(1/4) Lambda^(1/4) W4)^2, Lambda = ln max(s/k, sqrt(e)) (`ours-gradient-spread`).

    W4 : the largest l4 norm of a u_j w_j. It is between n^(-1/4) W, for weights of one size, and W.

    >>> round(average_sensitivity_spread(1.0, 0.1, 1, 2), 3)
    1.229
    """
    spread = max(0.5, log(s / k))
    return float(k**2 * (W + (2 * spread) ** 0.25 * W4) ** 2)


@checked(p=partial(checks.real, minimum=1, maximum=2), moment=partial(checks.real, minimum=0))
def average_sensitivity_moments(W: float, s: int, p: float, moment: float) -> float:
    """AS(h) <= 2^p s^(2 - p) W^2 E|R_x|^p for 1 <= p <= 2 (`ours-moments`).

    moment : E|R_x|^p.

    >>> average_sensitivity_moments(1.0, 4, 1.0, 2.0), average_sensitivity_moments(1.0, 4, 2.0, 4.0)
    (16.0, 16.0)
    """
    return float(2**p * s ** (2 - p) * W**2 * moment)


@checked()
def remark_11(W: float, k: int, s: int, eta: float) -> float:
    """AS(h) <= W^2 min{4 k^2 + 2 eta s^2, s^2} when Pr[|R_x| > k] <= eta (`ours-remark-11`).

    So eta <= (k/s)^2 costs a factor 3/2 at most; the paper asks for 1/poly(n, s).

    >>> remark_11(1.0, 1, 10, 0.01)
    6.0
    """
    return W**2 * min(4 * k**2 + 2 * eta * s**2, s**2)


@checked(rho=CORRELATION)
def noise_sensitivity(
    rho: float, W: float, k: int | None = None, s: int | None = None, mean_square_active: float | None = None
) -> float:
    """NS_rho(h) <= (1 - rho)/2 AS(h) <= 2 (1 - rho) k^2 W^2, for all -1 <= rho <= 1 (`ours-noise-sensitivity`).

    1 - rho^t <= t (1 - rho) for each t. The arguments after rho are those of ``average_sensitivity``.

    >>> noise_sensitivity(0.75, 1.0, k=1)
    0.5
    """
    return (1 - rho) / 2 * average_sensitivity(W, k, s, mean_square_active)


@checked()
def claim_2_1_tail(noise_sensitivity: float, rho: float, d: int) -> float:
    """sum_{|T| > d} fhat(T)^2 <= 2 NS_rho(f) / (1 - rho^(d+1)), for 0 <= rho < 1 (`claim-2-1-tail`).

    The sets in the tail have at least d + 1 elements, so the paper's exponent d becomes d + 1.

    >>> claim_2_1_tail(0.1, 0.5, 0)
    0.4
    """
    return 2 * noise_sensitivity / (1 - rho ** (d + 1))


@checked(first=partial(checks.real, minimum=0))
def tail_from_average_sensitivity(
    AS: float, d: int, variance: float | None = None, first: float | None = None
) -> float:
    """sum_{|T| > d} fhat(T)^2 <= min{AS / (d + 1), V, (AS - V)/d, G / (d + 1), (AS - 2 V + W)/(d - 1)}, if given.

    AS = sum_T abs(T) fhat(T)^2 alone gives the first (`ours-tail-from-sensitivity`); with V = Var f also the next two
    (`ours-tail-affine`); with W = ``first``, the weight at degree 1, also the last two, where G = AS - W is the sum of
    the variances of the differences (`ours-differences`). Those over d for d >= 1, that over d - 1 for d >= 2.

    >>> tail_from_average_sensitivity(1.0, 3), tail_from_average_sensitivity(1.5, 1, 1.0)
    (0.25, 0.5)
    >>> tail_from_average_sensitivity(1.5, 1, 1.0, 0.8), tail_from_average_sensitivity(1.5, 2, 1.0, 0.8)
    (0.35, 0.2333...)
    """
    bounds = [AS / (d + 1)]
    if variance is None and first is not None:
        raise ValueError("Argument 'variance' must be given with 'first'.")
    if variance is not None:
        checks.real("variance", variance, maximum=AS * ROUNDED)
        bounds.append(variance)
        if d:
            bounds.append((AS - variance) / d)
    if variance is not None and first is not None and d:
        checks.real("first", first, maximum=variance * ROUNDED)
        bounds.append((AS - first) / (d + 1))
        if d > 1:
            bounds.append((AS - 2 * variance + first) / (d - 1))
    return max(0.0, min(bounds))


@checked(d=COUNT, rho=partial(checks.real, minimum=0))
def tail_uncorrelated(d: int, W: float, k: int, rho: float = 0.0) -> float:
    """sum_{|T| > d} hhat(T)^2 <= 4 k W^2 (1 + rho k) / (d + 1) for d >= 1: k in place of k^2 (`ours-covariance`).

    If C_jl <v_j, v_l> <= rho p_j p_l W^2 for neurons j != l whose output weights have the same sign, where v_j = u_j
    w_j, p_j is the probability that j is active and C_jl the covariance of the activities: rho = 0 for neurons that are
    pairwise uncorrelated. Sharp for k parities on disjoint blocks of bits.

    >>> tail_uncorrelated(3, 1.0, 2), tail_uncorrelated(3, 1.0, 2, 0.5)
    (2.0, 4.0)
    """
    return 4 * k * W**2 * (1 + rho * k) / (d + 1)


@checked()
def log_width(s: int, k: int) -> float:
    """Lambda = max(3/2, ln(s/k)): how the second-order bounds depend on the number of neurons.

    >>> log_width(8, 4)
    1.5
    """
    return max(1.5, log(s / k))


@checked()
def tail_second_order(d: int, W: float, k: int, s: int) -> float:
    """sum_{|T| > d} hhat(T)^2 <= c k^2 W^2 sqrt(Lambda) d^(-3/2) for d >= 4 Lambda, c = 25.3...; infinite below.

    `ours-tail-three-halves`. The weight above d is at most (4/.233) E(D_A D_A' h)^2, D_A the difference across a random
    block A of about n/(3d) coordinates and A' a second block. Needs k-sparsity on the whole cube. It is below the
    first-order bound once d exceeds about 40 Lambda.

    >>> tail_second_order(5, 1.0, 1, 2), round(tail_second_order(100, 1.0, 1, 2), 4)
    (inf, 0.031)
    """
    L = log_width(s, k)
    if d < 4 * L:
        return inf
    return SECOND_ORDER * k**2 * W**2 * sqrt(L / d) / d


@checked()
def tail(
    d: int, W: float, k: int | None = None, s: int | None = None, mean_square_active: float | None = None
) -> float:
    """sum_{|T| > d} hhat(T)^2 <= min{AS / (d + 1), c k^2 W^2 sqrt(Lambda) d^(-3/2)}.

    `ours-tail`: the first entry with ``average_sensitivity``, the second if k and s are given. The first is an equality
    for parities of d + 1 bits, which networks of this class contain up to degree log2(s/k).

    >>> tail(3, 1.0, k=1)
    1.0
    """
    first = unchecked(tail_from_average_sensitivity)(average_sensitivity(W, k, s, mean_square_active), d)
    if k is None or s is None:
        return first
    return min(first, tail_second_order(d, W, k, s))


@checked()
def degree(eps: float, W: float, k: int, s: int | None = None) -> float:
    """d = min{ceil(4 kappa) - 1, ceil((25.3 kappa sqrt(Lambda))^(2/3))}, kappa = k^2 W^2 / eps (`ours-degree`).

    The least d with ``tail(d, W, k, s)`` <= eps: polynomials of this degree come within squared distance eps. The
    second entry only if s is given; where it is the smaller, it is above 40 Lambda, and so in its range. An integer,
    unless it is infinite.

    >>> degree(0.1, 1.0, 1), degree(0.001, 1.0, 1), degree(0.001, 1.0, 1, s=4)
    (39, 3999, 987)
    """
    first = max(0, ceil(average_sensitivity(W, k, s) / eps) - 1)
    if s is None:
        return first
    L = log_width(s, k)
    return min(first, ceil(cbrt(SECOND_ORDER * k**2 * W**2 / eps * sqrt(L)) ** 2))


# --- Learning under the uniform distribution ---


@checked()
def lemma_6(p: float, n: int) -> float:
    """AS(g) <= p sqrt(n ln(1/p) / 2) for a halfspace (or any unate g) with values 0 and 1 and mean p.

    `ours-lemma-6-constant`. The entropy of a uniform point of g = 1 is at most the sum of those of its coordinates, so
    sum ghat(i)^2 <= 2 p^2 ln(1/p); AS(g) = (1/2) sum abs(ghat(i)), and Cauchy-Schwarz ends it.

    >>> lemma_6(0.5, 4) == 0.5 * sqrt(2 * log(2))
    True
    """
    return p * sqrt(n * -log(p) / 2) if p else 0.0


@checked()
def lemma_7(n: int, d: int, C: float, eps: float, delta: float) -> float:
    """m = (C^2/eps) (N r + c ln(2r/delta)) samples give E (f - h)^2 <= 8 eps, with r = ceil(log2(2/delta)), c = 11.6...

    `ours-lemma-7-explicit`, for h with abs(h) <= C and sum_{|T| > d} hhat(T)^2 <= eps, but for probability delta; N
    counts the monomials of degree at most d. Each of r parts of N C^2 / eps samples is averaged, the polynomials are
    truncated to [-C, C], and the rest selects (``selection_constant``); each of the r + 1 parts is to be rounded up.

    >>> round(lemma_7(10, 2, 1.0, 0.1, 0.05))
    3997
    """
    r = ceil(log2(2 / delta))
    selection = selection_constant(TAILS / 2, TAILS) * log(2 * r / delta)
    return C**2 / eps * (basis_size(n, d) * r + selection)


@checked(good=checks.positive, bad=checks.positive)
def selection_constant(good: float, bad: float) -> float:
    """c = 4 / (t ln(t/good) - t + good), t = (bad - good) / ln(bad/good): samples to tell a good error from a bad one.

    Squared errors of functions with values in [-C, C] lie in [0, 4 C^2]. By the multiplicative Chernoff bound the mean
    of m of them crosses t eps, from good eps upwards or from bad eps downwards, with probability at most
    exp(-(m eps / 4 C^2) (t ln(t/good) - t + good)); t makes the two exponents equal.

    >>> round(selection_constant(4, 8), 2), round(selection_constant(4, 16), 2)
    (11.62, 1.97)
    """
    checks.real("bad", bad, above=good)
    t = (bad - good) / log(bad / good)
    return 4 / (t * log(t / good) - t + good)


@checked()
def theorem_8_degree(eps: float, W: float, k: int, s: int | None = None) -> float:
    """d = ``degree(eps/4, W, k, s)`` <= 16 k^2 W^2 / eps, for a risk of 2 eps (`ours-degree`).

    >>> theorem_8_degree(0.1, 1.0, 1)
    159
    """
    return unchecked(degree)(eps / LOSS, W, k, s)


@checked()
def theorem_8_samples(n: int, s: int, k: int, W: float, B: float, eps: float, delta: float) -> float:
    """m = ``lemma_7(n, d, C, eps/4, delta)``, d = ``theorem_8_degree``, C = k (W sqrt(n) + B), for a risk of 2 eps.

    `ours-degree`: the paper's algorithm with our degree.

    >>> f"{theorem_8_samples(10, 4, 1, 1.0, 1.0, 0.5, 0.05):.1e}"
    '8.6e+05'
    """
    d = min(n, theorem_8_degree(eps, W, k, s))
    C = k * (W * sqrt(n) + B)
    return unchecked(lemma_7)(n, int(d), C, eps / LOSS, delta)


@checked()
def averaging_samples(n: int, d: int, variance: float, eps: float, delta: float) -> float:
    """m = ceil(8 ln(1/delta)) [(36 V/eps) (1 + sqrt(N - 1))^2 + sqrt(N - 1)] samples for averaging.

    `ours-coefficient-averaging`. V >= Var h (for networks V = 4 k^2 W^2 will do, by Poincare), N as in ``lemma_7``.
    With probability 1 - delta the squared distance to the low-degree part is at most eps; to h itself it is at most
    eps + tail. One run takes the mean mu from m0 samples, then the means of (y - mu) chi_T over m1 others, at the split
    that makes the expected squared distance eps/36; of several runs one that is close to more than half is output.

    >>> f"{averaging_samples(10, 2, 1.0, 0.1, 0.05):.1e}"
    '6.1e+05'
    """
    q = sqrt(basis_size(n, d) - 1)
    return ceil(8 * log(1 / delta)) * (36 * variance / eps * (1 + q) ** 2 + q)


@checked("best", "single", "median")
def least_squares_samples(n: int, d: int, delta: float, form: str = "best") -> float:
    """m samples bring least squares within 2 tail_{>d} with probability 1 - delta; no W, no B, no 1/eps.

    For labels without noise, the squared distance to h is then at most twice that of the best polynomial of degree d.
    "single" (`ours-one-run`): m = N max{ln(2N/delta) / (t + (1 - t) ln(1 - t)), 2 / (delta (1 - t)^2)} at the best t.
    The Gram matrix has an eigenvalue below 1 - t with probability at most delta/2 (matrix Chernoff), and Markov's
    inequality for the rest costs as much. "median" (`ours-least-squares`): m = r N max{ln(8N) / 0.153, 288}, of
    r = ceil(8 ln(1/delta)) runs the one of the least median distance. "best": the lesser, the median for small delta.

    >>> round(least_squares_samples(64, 1, 0.1)), round(least_squares_samples(64, 1, 0.1, "median"))
    (4102, 355680)
    """
    N = basis_size(n, d)
    forms = {"single": N * _one_run(N, delta)}
    chernoff = 0.5 + 0.5 * log(0.5)  # 0.153: the exponent for half of the mean
    forms["median"] = ceil(8 * log(1 / delta)) * N * max(log(8 * N) / chernoff, 9 * 8 * 4)
    return min(forms.values()) if form == "best" else forms[form]


def _one_run(N: float, delta: float) -> float:
    """min over t of max{ln(2N/delta) / (t + (1 - t) ln(1 - t)), 2 / (delta (1 - t)^2)}: where they are equal."""
    low, high = 2.0**-10, 1.0  # below that the exponent drowns in rounding, and little is to be gained
    for _ in range(60):  # halvings, until t is known to the last bit
        t = (low + high) / 2
        if (log(N) + log(2 / delta)) / (t + (1 - t) * log1p(-t)) > 2 / (delta * (1 - t) ** 2):
            low = t
        else:
            high = t
    return 2 / (delta * (1 - high) ** 2)


# --- Statistical queries ---


@checked()
def theorem_14(m: int, tau: float, error: float = 1 / 3, success: float = 1.0) -> float:
    """q >= tau^2 (success 2^m - N) queries of tolerance tau, N = floor((1 - 2 error)^(-2)), to learn parities.

    `ours-theorem-14-explicit`. Each query excludes fewer than tau^(-2) parities (Parseval), and one hypothesis of that
    0-1 error serves at most N of them: for error 1/3, N = 8, since nine coefficients of exactly 1/3 are no function. A
    randomised learner succeeds with the given probability on average over S.

    >>> theorem_14(10, 0.125)
    15.875
    """
    served = int((1 - 2 * Fraction(error)) ** -2)  # the float nearest to 1/3 is below 1/3: 8, not 9
    return max(0.0, ldexp(success * tau**2, m) - served * tau**2)


@checked(p=COUNT)
def statistical_queries(n: int, p: int, tau: float, gamma: float) -> float:
    """q >= tau^2 (C(n, p) - 1/gamma) queries of tolerance tau, for a risk of (1 - gamma) 4 k^2 W^2 / p.

    `ours-sq-lower-bound`: the degree of Theorem 8 is needed. Needs p <= min(n, log2(s/k)) and B >= W
    abs(p-2)/sqrt(p), so that the class contains a chi_S for all S of p elements, a = 2 k W / sqrt(p).

    >>> round(statistical_queries(20, 5, 0.1, 0.5), 2)
    155.02
    """
    checks.integer("p", p, maximum=n)
    return max(0.0, tau**2 * (binomial(n, p) - 1 / gamma))


# --- General distributions ---


@checked("joint", "separated", "trivial", "best")
def rademacher(m: int, s: int, k: int, W: float, B: float, R: float, form: str = "best") -> float:
    """R_S <= (WR + B) sqrt(s k/m) g, g = min{7 sqrt(ln(2m)), 1 + 2^(1-L/2) sqrt(k m/s) + 5.66 sqrt(ln(4mL) + 1/2)}.

    The least over the integers L >= 1 is taken; about log2(k m/s) + 10 is best.
    `ours-theorem-e`: the "joint" form, with no n. `ours-theorem-e-bias`: the "separated" form,
    k (WR + B)/sqrt(m) + 2 WR sqrt(s k/m) g, where B counts only for the at most k neurons that are active everywhere.
    "trivial": k (WR + B). "best": the least of the three.

    >>> round(rademacher(10**9, 2, 1, 1.0, 0.0, 1.0), 4)
    0.0013
    """
    rate = _rate(m, s, k)
    forms = {
        "joint": (W * R + B) * rate,
        "separated": k * (W * R + B) / sqrt(m) + 2 * W * R * rate,
        "trivial": k * (W * R + B),
    }
    return min(forms.values()) if form == "best" else forms[form]


@checked(mean_active=checks.positive)
def rademacher_mean(m: int, s: int, mean_active: float, W: float, B: float, R: float) -> float:
    """R_S <= (WR + B) sqrt(s k/m) g for networks with at most k active neurons on average over the sample, k real.

    `ours-theorem-e-mean`; k is ``mean_active``, and g as in ``rademacher``, in its joint form.

    >>> rademacher_mean(10**9, 2, 1, 1.0, 0.0, 1.0) == rademacher(10**9, 2, 1, 1.0, 0.0, 1.0, "joint")
    True
    """
    return (W * R + B) * _rate(m, s, mean_active)


@checked(e0=partial(checks.real, above=0, maximum=3 / 4))
def rademacher_ball(m: int, s: int, W: float, B: float, R: float, e0: float | None = None) -> float:
    """R_S <= WR min{24 (s/m)^(1/7), 8300 (s/m)^(2/7)} + (1 + sqrt(2)) (WR + B) / sqrt(m) (`ours-whole-ball`).

    For networks that are 1-sparse on the whole ball of radius R, in any dimension. If each neuron is active on a cap of
    angular radius at most 60 degrees, whose squared sine is at least e0, then also with 26000 (s / (e0 m))^(1/3) in the
    minimum.

    >>> round(rademacher_ball(10**18, 1, 1.0, 0.0, 1.0), 4), round(rademacher_ball(10**18, 1, 1.0, 0.0, 1.0, 0.5), 4)
    (0.0597, 0.0328)
    """
    terms = [factor * (s / m) ** power for factor, power in BALL]
    if e0 is not None:
        factor, power = WIDE_CAPS
        terms.append(factor * (s / (e0 * m)) ** power)
    return float(W * R * min(terms) + (1 + sqrt(2)) * (W * R + B) / sqrt(m))


@checked()
def rademacher_width(m: int, s: int, k: int, W: float, B: float, R: float) -> float:
    """R_S <= (WR + B) sqrt(s k/m) (11 + 49 sqrt(ln(8 L s/k) + 1/2)) with 4^L >= k m/s, and at most k (WR + B).

    `ours-theorem-d`: where km > s the logarithm is of s/k and of L = ceil(log2(k m/s) / 2), not of m. Smaller than
    ``rademacher`` only where ln(2m) is more than 49 times ln(8 L s/k).

    >>> round(rademacher_width(10**9, 2, 1, 1.0, 0.0, 1.0), 4)
    0.0059
    """
    M = W * R + B
    L = next(L for L in count() if s << 2 * L >= k * m)
    if L == 0:
        return k * M
    return min(k * M, M * sqrt(s * k / m) * (11 + 49 * sqrt(log(8 * L * s / k) + 1 / 2)))


@checked()
def rademacher_two_layers(
    m: int, s1: int, s2: int, k1: int, k2: int, W1: float, W2: float, B1: float, B2: float, R: float
) -> float:
    """R_S <= M2 sqrt(L ln(4mL)/m) (16 sqrt(s2 k2) + 35 k2 sqrt(s1)), and at most k2 M2, L = ceil(log2(m) / 2).

    `ours-two-layers`: s1 neurons of scale (W1, B1), at most k1 active at a point; on their outputs s2 neurons of scale
    (W2, B2), at most k2 active; output weights of modulus at most 1. M2 = W2 sqrt(k1) (W1 R + B1) + B2.

    >>> round(rademacher_two_layers(10**9, 8, 4, 2, 1, 1.0, 1.0, 0.0, 0.0, 1.0), 4)
    0.113
    """
    M2 = W2 * sqrt(k1) * (W1 * R + B1) + B2
    if m == 1:
        return k2 * M2
    L = next(L for L in count() if 1 << 2 * L >= m)
    return min(k2 * M2, M2 * sqrt(L * log(4 * m * L) / m) * (16 * sqrt(s2 * k2) + 35 * k2 * sqrt(s1)))


def _rate(m: int, s: int, k: float) -> float:
    """sqrt(s k/m) min{7 sqrt(ln(2m)), min over L of 1 + 2^(1-L/2) sqrt(k m/s) + 5.66 sqrt(ln(4mL) + 1/2)}."""
    share = k * m / s
    # 2^L up to 2^30 times the share: beyond, the middle term falls by less than the logarithm rises.
    scales = range(1, 31 + max(0, frexp(share)[1]))
    bracket = min(1 + 2 ** (1 - L / 2) * sqrt(share) + WORDS * sqrt(log(4 * m * L) + 1 / 2) for L in scales)
    return sqrt(s * k / m) * min(NEARLY * sqrt(log(2 * m)), bracket)


@checked()
def theorem_17(n: int, s: int, k: int, W: float, B: float, R: float, eps: float, delta: float) -> float:
    """m = (4 k^2 M^2/eps) [s (n+1) ln(1 + 4 k M/sqrt(eps)) + s ln 2 + ln(1/delta)], M = WR + B, for a risk of 2 eps.

    `ours-theorem-17-learner`, realizable, norms at most R. A net of neurons relu(z - e), e = sqrt(eps)/(2k), stays
    active only where the target's is, so that it has a member within sqrt(eps) of the target on the support. Output
    any member that is sqrt(eps)-consistent with the sample.

    >>> round(theorem_17(1, 1, 1, 1.0, 0.0, 1.0, 0.05, 0.1))
    710
    """
    kM = k * (W * R + B)
    return 4 * kM**2 / eps * (s * (n + 1) * log(1 + 4 * kM / sqrt(eps)) + s * log(2) + log(1 / delta))
