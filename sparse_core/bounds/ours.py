r"""The bounds that the companion proves, every constant explicit.

Chapter: Beyond the paper, which holds the proofs.
"""

from __future__ import annotations

from math import ceil, log, log2, sqrt

from .. import checks
from ._arguments import basis_size, confidence, correlation, positive

__all__ = ["claim_2_1_tail", "lemma_6", "lemma_7", "tail_from_average_sensitivity"]


def claim_2_1_tail(noise_sensitivity: float, rho: float, d: int) -> float:
    """sum_{|T| > d} fhat(T)^2 <= 2 NS_rho(f) / (1 - rho^(d+1)), for 0 <= rho < 1.

    `claim-2-1-tail`: the sets in the tail have at least d + 1 elements, so the paper's exponent d becomes d + 1.

    >>> claim_2_1_tail(0.1, 0.5, 0)
    0.4
    """
    ns = checks.real("noise_sensitivity", noise_sensitivity, 0)
    rho, d = correlation(rho), checks.integer("d", d, 0)
    return 2 * ns / (1 - rho ** (d + 1))


def tail_from_average_sensitivity(AS: float, d: int) -> float:
    """sum_{|T| > d} fhat(T)^2 <= AS(f) / (d + 1).

    `ours-tail-as`: AS(f) = sum_T abs(T) fhat(T)^2, and each set in the tail counts at least d + 1 times (Markov).

    >>> tail_from_average_sensitivity(1.0, 3)
    0.25
    """
    return checks.real("AS", AS, 0) / (checks.integer("d", d, 0) + 1)


def lemma_6(p: float, n: int) -> float:
    """AS(g) <= p sqrt(n ln(1/p) / 2) for a halfspace (or any unate g) with values 0 and 1 and mean p.

    `ours-lemma-6`. Let X be uniform on g = 1 and mu_i = E X_i = ghat(i) / p. The entropy of X, n - log2(1/p), is at
    most the sum of those of its coordinates, n - sum mu_i^2 / (2 ln 2); so sum ghat(i)^2 <= 2 p^2 ln(1/p). A unate g
    changes across coordinate i with probability 2 abs(ghat(i)), so AS(g) = (1/2) sum abs(ghat(i)), and Cauchy-Schwarz
    over the n coordinates ends it.

    >>> lemma_6(0.5, 4) == 0.5 * sqrt(2 * log(2))
    True
    """
    p, n = checks.real("p", p, 0, 1), checks.integer("n", n, 1)
    return p * sqrt(n * log(1 / p) / 2) if p else 0.0


def lemma_7(n: int, d: int, C: float, eps: float, delta: float) -> float:
    """m = (C^2/eps) (N r + c ln(2r/delta)) samples give E (f - h)^2 <= 8 eps, with r = ceil(log2(2/delta)), c = 11.6...

    `ours-lemma-7`, for h with abs(h) <= C and sum_{|T| > d} hhat(T)^2 <= eps; N counts the monomials of degree at
    most d. The promise is on the squared distance, with probability 1 - delta under the uniform distribution; the
    paper's loss is half of it, hence at most 4 eps.

    Notes
    -----
    Averaging over N C^2 / eps samples gives a polynomial at expected squared distance at most 2 eps, hence at most 4
    eps with probability 1/2; of r such polynomials one is good except with probability delta/2. Truncate all to [-C,
    C]. The one with the smallest squared error on (c C^2 / eps) ln(2r/delta) fresh samples is within 8 eps except
    with probability delta/2; c is derived at ``selection_constant``.

    >>> round(lemma_7(10, 2, 1.0, 0.1, 0.05))
    3997
    """
    n, d, C = checks.integer("n", n, 1), checks.integer("d", d, 0), checks.real("C", C, 0)
    eps, delta = positive("eps", eps), confidence(delta)
    r = ceil(log2(2 / delta))
    return C**2 / eps * (basis_size(n, d) * r + selection_constant(4, 8) * log(2 * r / delta))


def selection_constant(good: float, bad: float) -> float:
    """c = 4 / (t ln(t/good) - t + good), t = (bad - good) / ln(bad/good): samples to tell a good error from a bad one.

    Squared errors of functions with values in [-C, C] lie in [0, 4 C^2]. By the multiplicative Chernoff bound the
    mean of m of them crosses the threshold t eps, from good eps upwards or from bad eps downwards, with probability
    at most exp(-(m eps / 4 C^2) (t ln(t/good) - t + good)); t makes the two exponents equal.

    >>> round(selection_constant(4, 8), 2), round(selection_constant(4, 16), 2)
    (11.62, 1.97)
    """
    t = (bad - good) / log(bad / good)
    return 4 / (t * log(t / good) - t + good)
