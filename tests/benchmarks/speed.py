"""The sides of a case, one after another, each checked against the first; pytest-benchmark takes the times."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from tests.benchmarks import networks, samples, transforms
from tests.benchmarks.cases import Case, Run
from tests.benchmarks.report import TWO

SHORTEST = 0.02  # seconds of a round: shorter calls are repeated
ENOUGH = 3.0  # seconds of all rounds; a single longer call is measured once
ROUNDS = 9
LOADING = 1.0  # seconds of a first call up to which a second one says how long a call is
SAME = 1e-6  # relative difference: some sides compute in single precision, or stop at such a tolerance
CASES = [*transforms.CASES, *networks.CASES, *samples.CASES]
FIRST: dict[str, np.ndarray] = {}  # what the first side of a case returned


def named(case: Case) -> str:
    """A case in words: its group and its arguments."""
    return " ".join([case.group, *(f"{key}={value}" for key, value in case.args.items())])


def sides(case: Case) -> list[Any]:
    """A test for each side, and for the first one with two threads."""
    labels = [*case.sides, *[label + TWO for label in case.sides][: case.twice]]
    marks = [pytest.mark.quick] * case.quick
    return [pytest.param(case, label, id=f"{named(case)}: {label}", marks=marks) for label in labels]


def timed(call: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


@pytest.mark.parametrize(("case", "label"), [side for case in CASES for side in sides(case)])
def test_side(benchmark: Any, case: Case, label: str) -> None:
    with threadpool_limits(2 if label.endswith(TWO) else 1):
        made = case.sides[label.removesuffix(TWO)](**case.args)
        run = made if isinstance(made, Run) else Run(made)
        seconds, result = timed(run.call)
        value = np.asarray(run.view(result))
        first = FIRST.setdefault(named(case), value)
        difference = float(np.abs(value - first).max() / (np.abs(first).max() or 1))
        assert value.shape == first.shape and difference <= (0 if label.endswith(TWO) else SAME)
        if seconds < LOADING:
            seconds, _ = timed(run.call)
        rounds = min(max(int(ENOUGH / seconds), 1), ROUNDS)
        benchmark.group = named(case)
        benchmark.extra_info = {
            "group": case.group,
            "args": case.args,
            "side": label,
            "difference": difference,
            **run.facts,
        }
        benchmark.pedantic(run.call, rounds=rounds, iterations=math.ceil(SHORTEST / seconds))
        run.close()
