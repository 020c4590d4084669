"""How time and memory of this package grow, up to what the machine holds, beside the laws that predict it."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any, NamedTuple

from tests.benchmarks.harness import Case, Run
from tests.benchmarks.inference import evaluator, values
from tests.benchmarks.samples import coefficients, files, regression
from tests.benchmarks.transforms import transform

Of = Callable[[dict[str, Any]], float]  # the arguments and the facts of a case


class Law(NamedTuple):
    """What varies; what time and memory are proportional to, as a function and in words."""

    varies: str
    time: Of
    time_words: str
    memory: Of
    memory_words: str


def dimension(of: dict[str, Any]) -> int:
    """D, the number of monomials.

    >>> dimension({"n": 4, "d": 2})
    11
    """
    return sum(comb(of["n"], i) for i in range(of["d"] + 1))


def constant(of: dict[str, Any]) -> float:
    return 1.0


LAWS = {
    "transform": Law("n", lambda of: of["n"] << of["n"], "n 2ⁿ", lambda of: 1 << of["n"], "2ⁿ"),
    "more samples": Law("m", lambda of: of["m"] * dimension(of), "m D", constant, "1"),
    "more coordinates": Law("n", lambda of: of["m"] * dimension(of), "m D", dimension, "D"),
    "higher degree": Law("d", lambda of: of["m"] * dimension(of), "m D", dimension, "D"),
    "regression": Law("m", lambda of: of["m"] * dimension(of) * of["steps"], "m D × steps", constant, "1"),
    "truth table": Law("n", lambda of: of["active"] * of["s"] * 2 ** of["n"], "2ⁿ k", lambda of: 1 << of["n"], "2ⁿ"),
    "more points": Law("m", lambda of: of["m"], "m k n", lambda of: of["m"], "m"),
    "more neurons": Law("s", constant, "m k n, without s", constant, "1"),
}
SMALL = {"n": 32, "d": 3, "m": 100_000}
NETWORK = {"kind": "appendix A", "n": 64, "s": 4096, "m": 100_000}


def cases(law: str, side: Callable[..., Run], changes: dict[str, Any], over: tuple[int, ...]) -> list[Case]:
    """One for each value of what varies, the two smallest in a quick run too."""
    varies = LAWS[law].varies
    return [Case(f"growth: {law}", {"sparse_core": side}, changes | {varies: x}, x in over[:2], rounds=3) for x in over]


CASES = (
    *cases("transform", transform, {"precision": "float32"}, (16, 18, 20, 22, 24, 26, 28)),
    *cases("more samples", files, SMALL | {"rows": 1 << 17}, (10**4, 10**5, 10**6, 10**7)),
    *cases("more coordinates", coefficients, SMALL, (16, 32, 64, 128)),
    *cases("higher degree", coefficients, SMALL, (1, 2, 3, 4, 5)),
    *cases("regression", regression, SMALL, (12_500, 25_000, 50_000, 100_000, 200_000)),
    *cases("truth table", values, {"kind": "appendix A", "s": 256}, (16, 18, 20, 22, 24, 26)),
    *cases("more points", evaluator, NETWORK, (1_000, 10_000, 100_000, 1_000_000)),
    *cases("more neurons", evaluator, NETWORK, (1 << 10, 1 << 12, 1 << 14, 1 << 16)),
)
