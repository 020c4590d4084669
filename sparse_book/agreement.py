"""The formulas of a page against the functions of the package, at random settings.

So no constant stands in one place only: a factor that is changed in ``sparse_core.bounds`` or in a chapter no longer
agrees with the other. Whether the constant is right is what the other checks of the claim are for.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from math import exp, log
from typing import Any

import numpy as np

import sphinx_claims as ledger

__all__ = ["compare", "settings"]

# How many settings are drawn for each formula.
SETTINGS = 40
# Between which numbers an argument is drawn, log-uniformly, by its name.
REAL = {
    "W": (0.3, 3), "B": (0.1, 3), "R": (0.5, 3), "C": (0.3, 3), "AS": (0.1, 3), "W4": (0.1, 0.3), "moment": (0.3, 3),
    "eps": (0.01, 0.3), "delta": (0.001, 0.3), "rho": (0.01, 0.98), "tau": (0.01, 0.3), "gamma": (0.1, 0.9),
    "eta": (0.001, 0.9), "p": (0.01, 0.9), "power": (0.5, 4), "error": (0.01, 0.4), "success": (0.3, 1),
    "variance": (0.1, 3), "noise_sensitivity": (0.01, 1), "rademacher": (0.01, 1), "mean_active": (0.3, 5),
    "mean_square_active": (0.3, 30), "order": (1, 2), "e0": (0.01, 0.7),
}  # fmt: skip
# The same for whole numbers.
WHOLE = {"n": (2, 60), "s": (2, 2000), "k": (1, 20), "m": (50, 10**6), "d": (1, 60), "r": (2, 60), "layers": (1, 3)}


def settings(names: Iterable[str], rng: np.random.Generator, count: int = SETTINGS) -> list[dict[str, Any]]:
    """Random values of these arguments, with k <= s/2.

    >>> [one.keys() for one in settings("nk", np.random.default_rng(0), 1)]
    [dict_keys(['n', 'k'])]
    """
    drawn = []
    for _ in range(count):
        setting: dict[str, Any] = {}
        for name in sorted(names, key=lambda name: name == "k"):  # k after s
            low, high = REAL.get(name) or WHOLE[name]
            if name == "k" and "s" in setting:
                high = min(high, setting["s"] // 2)
            value = exp(rng.uniform(log(low), log(high)))
            setting[name] = value if name in REAL else int(np.clip(round(value), low, high))
        drawn.append(setting)
    return drawn


def compare(
    claim: str, name: str, function: Callable[..., float], formula: Callable[..., float], seed: int
) -> ledger.Record:
    """function(**setting) == formula(**setting) at the settings of the formula's arguments, as a record of the ledger.

    name : of the function, for the reader.

    >>> compare("eq-U", "eq_U", lambda k, W: k**2 * W**2, lambda k, W: (k * W) ** 2, seed=0)
    Equation (U) · sampled · no counterexample among 40 settings: eq_U and the formula · seed 0 · equal to 1e-12
      control: 5 % less: fails on 40 of 40
    """
    chosen = settings(inspect.signature(formula).parameters, np.random.default_rng(seed))
    left, right = ([float(f(**setting)) for setting in chosen] for f in (function, formula))
    less = [0.95 * value for value in right]
    return ledger.check(
        claim, left, right, relation="==", evidence="sampled", seed=seed,
        over=f"settings: {name} and the formula", control={"5 % less": less},
    )  # fmt: skip
