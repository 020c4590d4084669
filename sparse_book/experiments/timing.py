"""What the predictor of section 1.1 saves in time, which depends on the machine and its load.

So it is stored with the machine, and ``python -m sparse_book.experiments times`` on an idle machine repeats it. A pass
over 40 test digits, one by one: with all neurons; with the rows of the neurons that are named gathered, their names
given; and with the time in which the predictor names them.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..runs import digits
from . import systems

__all__ = ["described", "measure"]

DIGITS_PASSED = 40
# The least of so many times is that of a pass which nothing interrupted.
REPEATS = 100


def measure() -> dict[str, Any]:
    """The three times in seconds, the machine and the day."""
    net = systems.train("predictor", 0)
    test = digits(0, 0)[2]
    if net.guess is None:
        raise ValueError("the system must have a predictor")
    guess = net.guess

    def named(guessed: NDArray[Any]) -> NDArray[Any]:
        return np.argpartition(guessed, -systems.COMPUTED)[-systems.COMPUTED :]

    def every(i: int) -> NDArray[Any]:
        scores: NDArray[Any] = net.U @ np.maximum(net.W @ test[i] - net.b, 0)
        return scores

    def gathered(i: int, j: NDArray[Any]) -> NDArray[Any]:
        scores: NDArray[Any] = net.U.T[j].T @ np.maximum(net.W[j] @ test[i] - net.b[j], 0)
        return scores

    known = [named(row) for row in guess(test)]
    return {
        "all": _seconds(every),
        "gathered": _seconds(lambda i: gathered(i, known[i])),
        "predicted and gathered": _seconds(lambda i: gathered(i, named(guess(test[i])))),
        **described(),
    }


def described() -> dict[str, str]:
    """The machine with the versions, and the day.

    >>> sorted(described())
    ['date', 'machine']
    """
    return {
        "machine": f"{_processor()}, Python {platform.python_version()}, NumPy {np.__version__}",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
    }


def _seconds(compute: Callable[[int], Any]) -> float:
    """The least time of a pass over the digits."""
    times = []
    for _ in range(REPEATS):
        start = perf_counter()
        for i in range(DIGITS_PASSED):
            compute(i)
        times.append(perf_counter() - start)
    return float(f"{min(times):.3g}")


def _processor() -> str:
    """The name of the processor, where the system tells it."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
