r"""What skipping inactive neurons saves in time, by the size of the batch: a CPU, measured here; two GPUs, stored.

The layer is y = U relu(W x - b) with given active sets, 3 % of the neurons for each of m inputs. It is computed
*dense*; by the rows of the *union* of the m sets, gathered; and *dead*, with the first 3 % of the neurons alone.

CPU: one thread of NumPy, float32, 2048 -> 8192 -> 2048, sets drawn evenly and anew in each repetition, so that the
cache does not hold their rows, which are gathered into memory that is there already. Results are compared with those
of the dense layer before anything is timed. Factors are quotients of times of the same repetition: their median and
quartiles.

GPU: ``results/skipping_gpu.json`` has what ``python -m tests.benchmarks.skipping_gpu`` measured on each.

Paper: section 1, where 3 % suggest a factor of 33.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core._arrays import one_thread

from . import times
from .emergence import BATCHES
from .timing import described

__all__ = ["measure", "measured", "points", "predicted"]

INPUTS = 2048
NEURONS = 8192
SHARE = 0.03
# An odd number, of which the median is one.
REPEATS = 31
# The error of float32 in sums of so many products, relative to the largest entry, is a tenth of this at most.
TOLERANCE = 1e-4

Floats = NDArray[np.float32]


def measure() -> dict[str, Any]:
    """Factors over the dense layer for each size of the batch, the machine, its load before and the day."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    rng = np.random.default_rng(0)
    W, U = (rng.standard_normal((NEURONS, INPUTS), np.float32) / INPUTS**0.5 for _ in range(2))
    with one_thread():
        rows = [_batch(W, U, m, rng, (np.zeros_like(W), np.zeros_like(U))) for m in BATCHES]
    return {"inputs": INPUTS, "neurons": NEURONS, "share": SHARE, "rows": rows, "load": load, **described()}


def points() -> list[dict[str, Any]]:
    """The measurements on the GPUs: the share of the union, and quartiles of factors over the dense layer.

    >>> len(points()), sorted({point["card"] for point in points()})
    (78, ['H100', 'H200'])
    """
    return [row | {"card": card["device"].split()[1]} for card in _cards() for row in card["rows"]]


def measured(kind: str, card: str, column: str = "factor") -> dict[int, float]:
    """The median for each size of the batch: of 3 % of 32 768 neurons with 8192 inputs, "even" or "uneven".

    >>> [round(v, 1) for v in measured("even", "H100").values()]
    [14.1, 11.1, 7.0, 4.0, 2.4, 1.5, 1.0, 0.5]
    """
    asked = (kind, card, SHARE, 8192)
    rows = [p for p in points() if (p["kind"], p["card"], p["share"], p["inputs"]) == asked]
    return {row["m"]: float(np.median(row[column])) for row in rows}


def predicted(card: str = "H200") -> tuple[float, float, float]:
    """Factors of that layer for one input: sets given; predicted; in the second layer only.

    >>> [round(v, 1) for v in predicted()]
    [9.9, 6.1, 1.8]
    """
    (single,) = (entry["one input"] for entry in _cards() if card in entry["device"])
    given, predicted, second = (single[way][1] for way in ("given", "predicted", "second"))
    return given, predicted, second


def _cards() -> list[dict[str, Any]]:
    cards: list[dict[str, Any]] = times("skipping_gpu")["cards"]
    return cards


def layer(X: Floats, W: Floats, U: Floats) -> Floats:
    """relu(X W^T) U: the rows of W and U are those of neurons."""
    return np.asarray(np.maximum(X @ W.T, 0) @ U)


def gathered(X: Floats, W: Floats, U: Floats, union: NDArray[np.int64], room: tuple[Floats, Floats]) -> Floats:
    """The layer with the neurons of the union alone, whose rows are copied into ``room`` first."""
    rows = [np.take(A, union, axis=0, out=B[: len(union)], mode="clip") for A, B in zip((W, U), room, strict=True)]
    return layer(X, *rows)


def _batch(W: Floats, U: Floats, m: int, rng: np.random.Generator, room: tuple[Floats, Floats]) -> dict[str, Any]:
    few = round(SHARE * NEURONS)
    kept = W[:few].copy(), U[:few].copy()
    samples: dict[str, list[float]] = {"union": [], "dense": [], "skipped": [], "dead": []}
    for repetition in range(REPEATS):
        X = rng.standard_normal((m, INPUTS), np.float32)
        sets = [rng.choice(NEURONS, few, replace=False) for _ in range(m)]
        union = np.unique(sets)
        if repetition == 0:
            _compare(X, W, U, union, room)
        samples["union"].append(len(union) / NEURONS)
        samples["dense"].append(_seconds(layer, X, W, U))
        samples["skipped"].append(_seconds(gathered, X, W, U, union, room))
        samples["dead"].append(_seconds(layer, X, *kept))
    times = {name: np.array(values) for name, values in samples.items()}
    return {
        "m": m,
        "union": _short(times["union"].mean()),
        "dense, ms": _short(1000 * np.median(times["dense"])),
        "factor": [_short(v) for v in np.quantile(times["dense"] / times["skipped"], (0.25, 0.5, 0.75))],
        "dead": [_short(v) for v in np.quantile(times["dense"] / times["dead"], (0.25, 0.5, 0.75))],
    }


def _compare(X: Floats, W: Floats, U: Floats, union: NDArray[np.int64], room: tuple[Floats, Floats]) -> None:
    inside = np.zeros(len(W), np.float32)
    inside[union] = 1
    expected = (np.maximum(X @ W.T, 0) * inside) @ U
    error = np.abs(gathered(X, W, U, union, room) - expected).max() / np.abs(expected).max()
    if not error < TOLERANCE:
        raise ValueError(f"the layer with gathered rows is off by {error:.1g} of its largest entry")


def _seconds(compute: Callable[..., Any], *arguments: Any) -> float:
    start = perf_counter()
    compute(*arguments)
    return perf_counter() - start


def _short(value: Any) -> float:
    return float(f"{value:.4g}")
