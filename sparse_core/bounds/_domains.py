"""What an argument of a bound may be, by its name: n, k, W, eps, delta, ... mean the same in every bound."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial, wraps
from math import comb, inf, log2
from typing import Any, ParamSpec, cast

from .. import checks
from ..cube.hypercube import dimension

P = ParamSpec("P")
Domain = Callable[[str, Any], Any]  # (name, value) -> the value in the type to compute with, or an error

# The largest float is just below 2 to this power.
LARGEST_BITS = 1024

COUNT: Domain = partial(checks.integer, minimum=1)
CORRELATION: Domain = partial(checks.real, minimum=-1, maximum=1)
NOT_NEGATIVE: Domain = partial(checks.real, minimum=0)
PROBABILITY: Domain = partial(checks.real, minimum=0, maximum=1)
DOMAINS: dict[str, Domain] = {
    # The numbers of inputs, samples, neurons and active neurons; 1 and 2 are the layers.
    **dict.fromkeys(("n", "m", "s", "k", "s1", "s2", "k1", "k2"), COUNT),
    "d": partial(checks.integer, minimum=0),
    "r": partial(checks.integer, minimum=2),
    # The scale of Definition 2, and norms, moments and complexities.
    **dict.fromkeys(("W", "B", "W1", "W2", "B1", "B2"), NOT_NEGATIVE),
    **dict.fromkeys(("C", "AS", "variance", "noise_sensitivity", "mean_square_active", "rademacher"), NOT_NEGATIVE),
    **dict.fromkeys(("R", "eps", "tau", "power", "constant"), checks.positive),
    **dict.fromkeys(("p", "eta", "success"), PROBABILITY),
    **dict.fromkeys(("delta", "gamma"), partial(checks.real, above=0, below=1)),
    "rho": partial(checks.real, minimum=0, below=1),  # where noise sensitivity bounds a tail
    "error": partial(checks.real, minimum=0, below=1 / 2),
}


def checked(*forms: str, **own: Domain) -> Callable[[Callable[P, float]], Callable[P, float]]:
    """A decorator: every argument is in the domain of its name, and k <= s where both are given, in each layer.

    ``forms`` are the values of the argument ``form``; the repaired one has no free constant. ``own`` has the names that
    mean something else in this bound. An argument is None only where that is its default. Where the result, or a power
    on the way to it, exceeds the largest float, the bound is infinite: Python's powers, ``binomial`` and ``float`` of a
    large integer raise an OverflowError there, and nothing else in a bound does.
    """
    domains: dict[str, Domain] = {**DOMAINS, "form": partial(checks.one_of, choices=forms), **own}

    def decorate(bound: Callable[P, float]) -> Callable[P, float]:
        signature = inspect.signature(bound)
        formula: Callable[..., float] = bound

        @wraps(bound)
        def bound_with_checks(*args: P.args, **kwargs: P.kwargs) -> float:
            given = signature.bind(*args, **kwargs).arguments
            absent = {name for name in given if given[name] is None and signature.parameters[name].default is None}
            arguments = {name: domains[name](name, given[name]) for name in given if name not in absent}
            _check_together(arguments)
            try:
                return formula(**arguments)
            except OverflowError:
                return inf

        return bound_with_checks

    return decorate


def _check_together(arguments: dict[str, Any]) -> None:
    """No more active neurons than neurons, and no free constant in a repaired form."""
    for k, s in (("k", "s"), ("k1", "s1"), ("k2", "s2")):
        if k in arguments and s in arguments:
            checks.integer(k, arguments[k], maximum=arguments[s])
    constant = arguments.get("constant", 1)
    if arguments.get("form") == "repaired" and constant != 1:
        raise ValueError(f"Argument 'constant' must be 1 in the repaired form, where nothing is free, not {constant}.")


def unchecked(bound: Callable[P, float]) -> Callable[P, float]:
    """A bound without its checks, for arguments that another bound has computed and that may leave their domains."""
    return cast(Callable[P, float], inspect.unwrap(bound))


def binomial(n: int, d: int) -> float:
    """C(n, d) as a float; where C(n, d) >= (n/d)^d is too large for one, an OverflowError before it is computed."""
    d = min(d, n - d)
    if d > 0 and d * log2(n / d) >= LARGEST_BITS:
        raise OverflowError
    return float(comb(n, d))


def basis_size(n: int, d: int) -> float:
    """N = sum_{i <= d} C(n, i): the number of monomials of degree at most d; it is at least each of its terms."""
    binomial(n, min(d, n // 2))
    return float(dimension(n, d))
