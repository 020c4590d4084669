"""The experts of a mixture, told by what is computed: a choice (top-k, argmax), the rows and weights that it picks.

The integers of a choice are followed to the rows of inputs that they pick and to the weights. An expert is a slice of a
weight of three axes, or one of the modules of a ``ModuleList`` to which rows are given that a choice picked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

__all__: list[str] = []  # called by ``tracing``

CHOICES = frozenset(("topk", "sort", "argsort", "argmax", "argmin", "max", "min", "multinomial"))
# Operators that put the outputs of experts together again.
COMBINES = re.compile("index_add|index_put|_unsafe_index_put|scatter|index_copy|masked_scatter|sum")


@dataclass(eq=False)
class Chosen:
    """Integers that come from a choice for each of so many inputs, and the module that picks rows by them."""

    inputs: int
    scope: str | None = None


@dataclass(frozen=True)
class Weight:
    """A weight, or a part of it: its name, the number of its inputs, and of which of ``count`` experts it is.

    expert : a number, or one for each row that is multiplied.
    """

    name: str
    n: int | None = None
    expert: Any = None
    count: int = 0
    chosen: Any = None


def follow(name: str, notes: Any, known: list[Any], outs: list[Any]) -> None:
    """Integers that come from a choice, and rows that they pick, are noted."""
    chosen = next((note for _, note in known if isinstance(note, Chosen)), None)
    for one in outs:
        if not one.is_floating_point() and name in CHOICES:
            inputs = (
                one.numel() // one.shape[-1] if name in ("topk", "sort", "argsort") and one.ndim > 1 else one.numel()
            )
            notes[one] = Chosen(inputs) if chosen is None else chosen
        elif not one.is_floating_point() and chosen is not None:
            notes[one] = chosen


def part(weight: Weight, name: str, args: Any, source: Any, place: int) -> Weight:
    """The note of a slice of a weight: of one with three axes it is an expert.

    >>> part(Weight("w"), "view", (), np.ones((2, 3)), 0)
    Weight(name='w', n=None, expert=None, count=0, chosen=None)
    """
    if weight.expert is None and source.ndim == 3 and name in ("select", "unbind") and not (args[1:2] or [0])[0]:
        return replace(weight, expert=place if name == "unbind" else args[2] % len(source), count=len(source))
    return weight


def picked(notes: Any, args: Any, where: Any) -> tuple[Chosen, Any, int] | Weight | None:
    """What ``x[choice]`` is: the weights of an expert for each row; or the choice, and which inputs of how many."""
    source, indices = args[0], args[1] if isinstance(args[1], (list, tuple)) else [args[2]]
    chosen = next((note for i in indices if i is not None and isinstance(note := notes.get(i), Chosen)), None)
    weight = notes.get(source)
    if isinstance(weight, Weight):
        routed = source.ndim == 3 and chosen is not None
        return replace(weight, expert=array(indices[0]).ravel(), count=len(source), chosen=chosen) if routed else weight
    if chosen is None:
        return None
    chosen.scope = where.path if chosen.scope is None else chosen.scope
    arrays = [slice(None) if i is None else array(i) for i in indices]
    axes = sum(i.ndim if isinstance(i, np.ndarray) and i.dtype == np.bool_ else 1 for i in arrays)
    grid = np.arange(int(np.prod(source.shape[:axes]))).reshape(source.shape[:axes])
    return chosen, grid[tuple(arrays)].ravel(), grid.size


def at(weight: Weight, matrix: Any, args: Any, out: Any, note: Any, where: Any) -> Weight:
    """The weight of a linear map with the experts whose it is, one for each row of the output."""
    if weight.expert is not None or matrix is None:
        return weight
    tensor = matrix[0]
    if tensor.ndim == 3 and out.ndim == 3 and len(tensor) == len(out) > 1:
        return replace(weight, expert=np.repeat(np.arange(len(tensor)), out.shape[1]), count=len(tensor))
    if tensor.ndim == 3 and out.ndim == 2:  # rows sorted by expert, and where each expert's end
        ends = next((arg for arg in args if hasattr(arg, "ndim") and arg.ndim == 1), None)
        if ends is not None:
            expert = np.searchsorted(array(ends), np.arange(len(out)), side="right")
            return replace(weight, expert=np.minimum(expert, len(tensor) - 1), count=len(tensor))
    if note is not None and note.tokens is not None:
        return where.expert(weight, note.chosen.scope)  # type: ignore[no-any-return]
    return weight


def array(tensor: Any) -> Any:
    """The numbers of a tensor of integers."""
    return tensor.detach().cpu().numpy()
