"""What is left of one over the share of active neurons, step by step: blocks, a batch, the search for them, time.

The numbers of the page "Why 3 % active is not 33 times faster", and its picture, which book/assets/pictures.js moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import experiments, figures
from .experiments import skipping, stockfish, transformer
from .experiments.emergence import BATCHES

__all__ = ["Layer", "layers", "picture", "steps", "timed"]

# How many neurons a program reads together; all layers whose activity is stored consist of such blocks.
BLOCKS = (1, 2, 4, 8, 16, 32)


class Layer(NamedTuple):
    """Neurons whose activity was measured: at how many of the inputs each is active, in the order of the blocks."""

    name: str
    counts: NDArray[np.int64]
    inputs: int

    def read(self, block: int, m: int) -> float:
        """The share of the blocks that m inputs at random need, if the neurons of a block are independent.

        >>> Layer("", np.array([1, 1, 1, 1]), 4).read(block=2, m=1)
        0.4375
        """
        silent = np.prod([np.maximum(1 - self.counts / (self.inputs - i), 0) for i in range(m)], axis=0)
        return float(1 - silent.reshape(-1, block).prod(axis=1).mean())


def layers() -> list[Layer]:
    """Layers 2 to 4 of the transformers of chapter 8, and the chess engine of chapter 9."""
    letters = transformer.runs("relu", "counts")[:, 1:].astype(int)
    chess = stockfish.stored()
    return [
        Layer("letters", letters.ravel(), transformer.PLACES),
        Layer("chess", chess["17.1 counts"].astype(int), len(chess["17.1 active"])),
    ]


def steps(shares: Sequence[float], computed: bool, gated: bool) -> list[float]:
    """How many times less is to be done, step by step.

    shares : of the neurons that one input needs, of the blocks that it needs, of the blocks that the batch needs.
    computed : whether all of z = Wx - b is computed to find them, one of two products, or of three with a gate.

    >>> [round(factor, 2) for factor in steps([0.03, 0.03, 0.2163], computed=True, gated=False)]
    [33.33, 33.33, 4.62, 1.64]
    """
    products = 3 if gated else 2
    found = products / (1 + (products - 1) * shares[-1])
    return [*(1 / share for share in shares), *([found] if computed else [])]


def timed() -> list[dict[str, Any]]:
    """Measured factors, of the engine also in blocks, with their settings; ``p`` is None where the share is its own."""
    kernels = [
        {"neurons": 0, "p": one["share"], "b": 1, "m": one["m"], "name": one["card"], "factor": one["factor"][1]}
        for one in skipping.points()
        if one["kind"] == "even" and one["inputs"] == 8192
    ]
    took = experiments.times("stockfish_times")
    gains = {"blocks read": float(1 / stockfish.shares("17.1", "blocks").mean())}
    gains |= {part: float(np.divide(*np.transpose(took[part])).mean()) for part in ("layer", "engine")}
    engine = [
        {"neurons": 2, "p": None, "b": stockfish.BLOCK, "m": 1, "name": part, "factor": gain}
        for part, gain in gains.items()
    ]
    return kernels + engine


def picture(p: float = 0.03, m: int = 8) -> figures.Live:
    """One over the share of active neurons, what is left of it step by step, and what was measured in time."""
    named = layers()
    factors = steps([p, p, 1 - (1 - p) ** m], computed=True, gated=False)[1:]
    names = ["known neurons, one input", f"{m} inputs at a time", "found by computing $z$"]
    fig, ax = figures.canvas(size=(6.6, 2.4))
    for row, (name, factor) in enumerate(zip(names, factors, strict=True)):
        ax.barh(-row, factor - 1, 0.55, 1, color=figures.COLOURS[2 if row else 3], label=name)
        ax.text(factor * 1.06, -row, f"{factor:.2g}", va="center")
    ax.set_yticks([0, -1, -2], names)
    ax.set(xscale="log", xlim=(1, 50), xlabel="times less to do", title=f"{p:.0%} active: where the factor goes")
    ax.set_xticks((1, 3, 10, 33), ("1", "3", "10", "33"))
    ax.minorticks_off()
    ax.grid(False)
    given = {
        "names": ["alike", *(one.name for one in named)],
        "read": [[[one.read(block, size) for size in BATCHES] for block in BLOCKS] for one in named],
        "timed": timed(),
    }
    alt = (
        f"Of {factors[0]:.0f} times {factors[1]:.2g} are left for {m} inputs at a time, and {factors[2]:.2g} "
        "if z is computed first."
    )
    return figures.Live("speed", fig, alt, given, {"step": names, "factor": factors})
