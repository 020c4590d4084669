r"""The bounds of the paper, as printed and as repaired.

Paper: sections 2.1, 3 and 5, Appendix B.
"""

from __future__ import annotations

from math import inf, log, sqrt

from .. import checks
from ._arguments import as_float, confidence, correlation, positive

__all__ = ["claim_2_1_tail", "lemma_6", "lemma_7"]


def claim_2_1_tail(noise_sensitivity: float, rho: float, d: int) -> float:
    """sum_{|T| > d} fhat(T)^2 <= 2 NS_rho(f) / (1 - rho^d), for 0 <= rho < 1.

    `claim-2-1-tail`. The paper does not restrict rho; for rho < 0 the bound fails (`E9`). For d = 0 it says nothing.

    >>> claim_2_1_tail(0.1, 0.5, 1)
    0.4
    """
    ns = checks.real("noise_sensitivity", noise_sensitivity, 0)
    rho, d = correlation(rho), checks.integer("d", d, 0)
    return 2 * ns / (1 - rho**d) if d else inf


def lemma_6(p: float, n: int, constant: float = 1.0) -> float:
    """AS(g) <= constant * p sqrt(n ln(1/p)) for a halfspace g with values 0 and 1 and mean p.

    `lemma-6`. The paper's constant is inside O(.); at p = 0 and p = 1, where g is constant, the bound is 0.

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
    eps, delta = positive("eps", eps), confidence(delta)
    return checks.real("constant", constant, 0) * as_float(n**d) * C**2 * log(1 / delta) / eps
