"""The least time of a case: what its method cannot do without, at the rate at which this machine did that in this run.

>>> Rates({"cases": {"one": {"group": "step", "args": {"name": "calls of NumPy"},
...                          "sides": {"numpy": {"amount": 1, "seconds": [1e-6, 2e-6, 9e-6]}}}}}).step("calls", 3)
6e-06
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from typing import Any

from tests.benchmarks.growth import dimension

LOW = 0.25  # a fraction of the limit below which the page says why


class Rates:
    """Seconds for an amount of what the machine cases of a run have measured."""

    def __init__(self, results: dict[str, Any]) -> None:
        self.one = {}
        for record in results["cases"].values():
            for side in record["sides"].values() if record["group"] in ("copy", "product", "step") else ():
                value, threads = next(iter(record["args"].values())), side is not next(iter(record["sides"].values()))
                self.one.setdefault((value, threads), statistics.median(side["seconds"]) / side["amount"])

    def step(self, name: str, amount: float) -> float:
        return next(rate for (key, _), rate in self.one.items() if str(key).startswith(name)) * amount

    def product(self, precision: str, operations: float) -> float:
        return self.one[precision, False] * operations

    def copy(self, size: float) -> float:
        """To read and to write so many bytes: between the sizes that were measured, on the line through them."""
        sizes = sorted(bits for bits, _ in self.one if isinstance(bits, int))
        x = min(max(math.log2(size), sizes[0]), sizes[-1])
        low = max(bits for bits in sizes[:-1] if bits <= x)
        high = sizes[sizes.index(low) + 1]
        a, b = self.one[low, False], self.one[high, False]
        return size * a * (b / a) ** ((x - low) / (high - low))


def walsh(rates: Rates, n: int, precision: str = "float64", **_: Any) -> float:
    from sparse_core.cube import fourier

    size, char = (4, "f") if precision == "float32" else (8, "d")
    sweeps = 1 if n <= fourier.SHORT_BITS else 1 + math.ceil((n - fourier.BLOCK_BITS) / fourier.STRIP_BITS)
    return max(sweeps * rates.copy(size << n), rates.step("calls", math.ceil(min(n, 14) / fourier.STEP_BITS[char])))


def spectrum(rates: Rates, n: int, **_: Any) -> float:
    return walsh(rates, n) + rates.copy(8 << n) / 2


def influences(rates: Rates, n: int, **_: Any) -> float:
    return rates.copy(1 << n) / 2 + rates.step("words", n * 2 ** (n - 6)) + rates.step("calls", n)


def coefficients(rates: Rates, m: int, labels: str = "real", **of: Any) -> float:
    entries = m * dimension(of)
    if labels == "signs":
        return rates.step("words", entries / 64)
    return rates.product("float32" if labels == "single" else "float64", 2 * entries)


def regression(rates: Rates, n: int, d: int, m: int, solver: str, steps: int, **_: Any) -> float:
    D, means = dimension({"n": n, "d": d}), coefficients(rates, m=m, n=n, d=d)
    if solver == "cg":  # steps in single precision, one residual in double
        return means + rates.product("float32", 4 * m * D * steps) + rates.product("float64", 4 * m * D)
    if solver == "walsh":
        return 2 * steps * walsh(rates, n, "float32")
    counted = min(rates.step("words", m * dimension({"n": n, "d": 2 * d}) / 64), 2 * walsh(rates, min(n, 28)))
    return means + counted + rates.copy(8 * D**2)


def table(rates: Rates, n: int, s: int, active: float, **_: Any) -> float:
    pairs = active * s * 2**n
    return rates.copy(8 << n) / 2 + min(rates.step("numbers", pairs), rates.product("float64", 2 * s * 2.0**n * n))


def inference(rates: Rates, n: int, s: int, m: int, active: float, **_: Any) -> float:
    found = rates.step("calls", 3) + rates.step("multiply", active * s * m * n)
    return min(found, rates.product("float64", 2.0 * s * m * n))


def rank(rates: Rates, rows: int, columns: int, p: int, **_: Any) -> float:
    entries = sum((rows - i) * (columns - i) for i in range(min(rows, columns)))
    return rates.step("words", entries / 128) if p == 2 else rates.product("float64", 2 * entries)


def epoch(rates: Rates, n: int, width: int, m: int, **_: Any) -> float:
    return rates.product("float64", 2 * m * (2 * n * width + 3 * width * 10))


CACHE = (
    "Tables in the cache (n ≤ 16): calls of NumPy and the check of the argument take longer than the numbers. Others: "
    "so do the small products on the blocks of a sweep."
)
LIMITS = {  # the function, the least work in words, and why a case can stay far below
    "walsh": (walsh, "one copy of the table for each sweep over it", CACHE),
    "spectrum": (spectrum, "the transform, and reading the table once", "As for the transform."),
    "influences": (influences, "reading the table, and n/64 comparisons of words a point", "As for the transform."),
    "coefficients": (
        coefficients,
        "2 m D operations of a matrix product; for labels ±1, m D / 64 comparisons of words",
        "D is small: forming the factors of the product, and products of few rows, take longer than the operations.",
    ),
    "regression": (
        regression,
        "conjugate gradients: 4 m D operations a step in single precision, 6 m D in double at its ends; "
        "by the Gram matrix: m/64 comparisons for each product of two monomials, and D² numbers written and read",
        "By the Gram matrix: its entries are looked up one by one, and its equations solved. Otherwise D is small.",
    ),
    "truth-table": (
        table,
        "adding each active pair once, or the operations of the dense pass, and writing the table",
        "Few pairs are active: for each neuron the points of two half-cubes have to be sorted and searched first.",
    ),
    "inference": (
        inference,
        "n multiply-adds for each active pair, or the operations of the dense pass",
        "Finding the active pairs, and gathering their rows from memory, costs more than multiplying them.",
    ),
    "rank": (rank, "subtracting each pivot's row from those below it", "Each pivot is a few short calls of NumPy."),
    "epoch": (epoch, "the matrix products", "The products of a batch of 64 are small, and Adam reads every weight."),
    "shards": (coefficients, "2 m D operations of a matrix product", "The files are short: opening one costs more."),
    "cluster": (coefficients, "2 m D operations of a matrix product", "Reading the files takes longer."),
}
GOALS: dict[str, tuple[float, str, Callable[[dict[str, Any], dict[str, Any]], bool]]] = {  # for cases of this kind
    "walsh": (0.6, "n ≥ 20", lambda args, facts: args["n"] >= 20),
    "coefficients": (0.45, "D ≥ 5 000", lambda args, facts: dimension(args) >= 5000),
    "regression": (
        0.45,
        "conjugate gradients, D ≥ 5 000",
        lambda args, facts: facts.get("solver") == "cg" and dimension(args) >= 5000,
    ),
}


def least(results: dict[str, Any], record: dict[str, Any]) -> float | None:
    """The least seconds of the first side of a record, where that has not failed and a limit is known."""
    side = next(iter(record["sides"].values()))
    if record["group"] not in LIMITS or "failed" in side:
        return None
    return LIMITS[record["group"]][0](Rates(results), **{**side, **record["args"]})
