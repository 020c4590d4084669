r"""Which neurons of a small transformer are active on a text: what ``python -m tests.benchmarks.transformer`` measured.

Networks of four layers are trained on the characters of the King James Bible, without a penalty and without noise. A
neuron of a layer's perceptron is *active* where the input of its activation is positive. All is measured at the 8192
characters of windows from chapters that were held out.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core._arrays import Array

from . import RESULTS
from .emergence import BATCHES

__all__ = ["measure", "needed", "others", "runs", "stored", "tables"]

# The characters of the windows at which all is measured.
PLACES = 8192
# Batches at random of each size, and runs of neighbours.
DRAWS = 100
# In a table of n characters, a count of 0 for each that follows weighs as much as so many from the table of n - 1.
BELIEF = 5
# The share of the sum of squares of the activations for which neurons are counted.
SQUARES = 0.99

Bits = NDArray[np.bool_]
Codes = NDArray[np.int64]


def stored() -> dict[str, NDArray[Any]]:
    """What was measured, by name; what belongs to a run begins with its setting and its seed, "relu 0 counts".

    >>> counts = stored()["relu 0 counts"]            # a row for each layer
    >>> counts.shape, int(counts.max()) <= 8192
    ((4, 512), True)
    """
    with np.load(RESULTS / "transformer.npz") as table:
        return dict(table)


def others() -> list[dict[str, Any]]:
    """What ``python -m tests.benchmarks.models`` measured of networks of other people, a row for each layer.

    >>> others()[0]["model"], others()[0]["neurons"]
    ('EfficientNet-lite0', 32)
    """
    rows: list[dict[str, Any]] = json.loads((RESULTS / "models.json").read_text(encoding="utf-8"))
    return rows


def runs(name: str, what: str) -> Array:
    """What was measured of the runs of a setting, which are the first axis.

    >>> runs("relu", "path")[:, 0, 2:6].round(1).min().item()    # half of the neurons are active before the first step
    0.5
    """
    table = stored()
    return np.array([table[key] for key in sorted(table) if re.fullmatch(rf"{name} \d+ {what}", key)])


def tables(train: Codes, test: Codes, letters: int, longest: int) -> list[float]:
    """The losses on ``test`` of tables of 1, 2, ... characters: how often each follows those before it in ``train``.

    >>> text = np.array([0, 1] * 50)
    >>> [round(loss, 2) for loss in tables(text, text, 2, 2)]       # the last character tells the next one
    [0.69, 0.05]
    """
    losses, belief = [], np.full(len(test), 1 / letters)
    for n in range(1, longest + 1):
        (trained, before), (tested, before_test) = (_coded(codes, letters, n) for codes in (train, test))
        counts, contexts = np.bincount(trained, minlength=letters**n), np.bincount(before, minlength=letters ** (n - 1))
        belief = (counts[tested] + BELIEF * belief[-len(tested) :]) / (contexts[before_test] + BELIEF)
        losses.append(float(-np.log(belief).mean()))
    return losses


def _coded(codes: Codes, letters: int, n: int) -> tuple[Codes, Codes]:
    """Each run of n characters as a number, and its first n - 1."""
    windows = np.lib.stride_tricks.sliding_window_view(codes, n) @ letters ** np.arange(n)[::-1]
    return windows, windows // letters


def measure(on: Bits, codes: Codes, letters: int) -> dict[str, NDArray[Any]]:
    """What is stored of a network; ``on`` is [layer, text, place, neuron] and ``codes`` [text, place].

    *counts*: at how many characters each neuron is active. *union*: for each layer and size of a batch, the share of
    the neurons that is active at one of so many characters at random, *row* in a row. *letters*: for each letter, the
    share of active neurons; nan where it does not occur. *overlap*: how much the active sets have in common (in both,
    among those in one) of neighbours, of the same character elsewhere, and of any two.
    """
    layers, texts, places, neurons = on.shape
    rng, flat, code = np.random.default_rng(0), on.reshape(layers, -1, neurons), codes.ravel()
    union = np.zeros((2, layers, len(BATCHES)), np.float32)
    for i, m in enumerate(BATCHES):
        for _ in range(DRAWS):
            some = rng.choice(len(code), m, replace=False)
            text, start = rng.integers(texts), rng.integers(places - m + 1)
            union[:, :, i] += [
                bits.any(axis=1).mean(axis=1) for bits in (flat[:, some], on[:, text, start : start + m])
            ]
    active = flat.mean(axis=2)
    with np.errstate(invalid="ignore"):
        by_letter = [np.bincount(code, row, letters) / np.bincount(code, minlength=letters) for row in active]
    order = np.lexsort((rng.random(len(code)), code))
    other = rng.permutation(len(code))
    return {
        "counts": flat.sum(axis=1, dtype=np.uint16),
        "union": union[0] / DRAWS,
        "row": union[1] / DRAWS,
        "letters": np.array(by_letter, np.float32),
        "overlap": np.array([[_shared(layer[:, :-1], layer[:, 1:]), _shared(rows[order[:-1]], rows[order[1:]]),
                              _shared(rows, rows[other])]
                             for layer, rows in zip(on, flat, strict=True)], np.float32),
    }  # fmt: skip


def _shared(a: Bits, b: Bits) -> float:
    return float(((a & b).sum(axis=-1) / np.maximum((a | b).sum(axis=-1), 1)).mean())


def needed(activations: NDArray[np.float32]) -> float:
    """The share of the neurons that holds SQUARES of the sum of squares at a character, on average.

    >>> needed(np.array([[3, 0, 0, 0], [1, 1, 1, 1]], np.float32))
    0.625
    """
    squares = np.sort(activations.reshape(-1, activations.shape[-1]) ** 2, axis=1)[:, ::-1].cumsum(axis=1)
    return float(((squares < SQUARES * squares[:, -1:]).sum(axis=1) + 1).mean() / squares.shape[1])
