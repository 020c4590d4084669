"""The experts of a mixture, told by what is computed: a choice (top-k, argmax), the rows and weights that it picks.

The integers of a choice are followed to the rows of inputs that they pick and to the weights. An expert is a slice of a
weight of three axes, or one of the modules of a ``ModuleList`` to which rows are given that a choice picked.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from .networks import plain
from .notes import Choice, Rows, Trace, Weight, tensors

__all__: list[str] = []  # called by ``tracing``

# Operators that pick rows, and that join them.
PICKS = frozenset(("index", "index_select"))
JOINS = frozenset(("cat", "stack"))
CHOICES = frozenset(("topk", "sort", "argsort", "argmax", "argmin", "max", "min", "multinomial"))
# Operators that put the outputs of experts together again.
COMBINES = re.compile("index_add|index_put|_unsafe_index_put|scatter|index_copy|masked_scatter|sum")


def part(weight: Weight, source: Any, view: Any) -> Weight:
    """The note of a view of a weight: of one with three axes it is that of an expert, if it is one of its matrices."""
    weight = replace(weight, times=weight.times * max(1, view.numel() // source.numel()))
    if weight.expert is not None or source.ndim != 3 or view.shape != source.shape[1:]:
        return weight
    place = (view.storage_offset() - source.storage_offset()) // source.stride(0)
    return replace(weight, expert=place, count=len(source))


def tiled(matrix: Any, times: int) -> bool:
    """Whether the same matrices stand there for each of several inputs, one after another."""
    each = matrix.unflatten(0, (times, -1))
    return times > 1 and bool((each == each[:1]).all())


def picked(weight: Weight, source: Any, places: Any, choice: Choice | None) -> Weight:
    """The note of weights that are picked: those of an expert for each row."""
    if source.ndim != 3 or choice is None:
        return weight
    return replace(weight, expert=plain("network", places).ravel(), count=len(source), choice=choice)


def replayed(name: str, function: Any, args: Any, notes: Any, choice: Choice | None, scope: str) -> Rows | None:
    """The inputs in rows that were picked, repeated or joined: what the operator makes of the numbers of the inputs."""
    given = [one for one in tensors(args) if one.is_floating_point()]
    found = [getattr(notes.get(one), "rows", None) for one in given]
    if name not in JOINS and (found[0] is None or (choice is not None and found[0].total != choice.inputs)):
        if getattr(notes.get(given[0]), "axes", (-1,))[-1] not in (-1, given[0].ndim - 1):
            return None
        found = [all_rows(given[0], scope)]
    known: list[Rows] = [rows for rows in found if rows is not None]
    if len(known) < len(found) or any(rows[1:] != known[0][1:] for rows in known):
        return None
    source: Any = [rows.inputs for rows in known]
    if name not in JOINS:
        (source,) = source
    try:
        inputs = function(source, *args[1:])
    except (IndexError, RuntimeError):
        return None
    if inputs.shape[-1] != 1:  # neurons were picked or joined
        return None
    return Rows(inputs, known[0].total, scope, known[0].chosen or choice is not None, known[0].experts)


def all_rows(x: Any, scope: str, axes: tuple[int, ...] = (-1,)) -> Rows:
    """Each row is an input of its own."""
    lead = [*x.shape]
    for axis in axes:
        lead[axis] = 1
    total = prod(lead)
    return Rows(sys.modules["torch"].arange(total, device=x.device).reshape(lead), total, scope, False)


def moved(function: Any, source: Any, rows: Rows, args: Any, axes: list[tuple[int, ...]]) -> list[Rows | None]:
    """The inputs in the rows of views, or of a copy of another shape."""
    numbers = rows.inputs.expand(source.shape)
    if not function.is_view:
        numbers = numbers.contiguous()
    try:
        views = function(numbers, *args[1:])
    except RuntimeError:  # rows and neurons were merged
        return [None] * len(axes)
    return [rows._replace(inputs=one(view, along)) for view, along in zip(tensors([views]), axes, strict=True)]


def one(x: Any, axes: tuple[int, ...]) -> Any:
    """The first neuron."""
    for axis in axes:
        x = x.narrow(axis, 0, 1)
    return x


def given(weight: Weight, out: Any, axis: int, scope: str) -> Rows | None:
    """The inputs that experts are given where none were picked, if that can be told."""
    rows = all_rows(out, scope, (axis,))
    if weight.choice is not None:  # each input stands as often as it has experts
        times = max(1, rows.total // weight.choice.inputs)
        return rows._replace(inputs=rows.inputs // times, total=weight.choice.inputs)
    return rows if isinstance(weight.expert, int) else None


def read_all(matrix: Any, x: Any, note: Any, out: Any) -> bool:
    """Whether each of several matrices reads all inputs: the same ones, or its own part of what describes them."""
    if not matrix.ndim == x.ndim == out.ndim == 3 or not len(matrix) == len(x) == len(out) > 1:
        return False
    return (isinstance(note, Trace) and note.axes[0] == 0) or bool((x == x[:1]).all())


def of_rows(weight: Weight, matrix: Any, args: Sequence[Any], out: Any) -> Weight:
    """A weight of several experts, with the one by which each row of the output was multiplied."""
    if matrix.ndim != 3 or weight.expert is not None:
        return weight
    expert = np.arange(len(matrix))
    if out.ndim == 3 and len(matrix) == len(out) > 1:
        return replace(weight, expert=expert.repeat(out.shape[1]), count=len(matrix))
    ends = [arg for arg in args if hasattr(arg, "ndim") and arg.ndim == 1]
    if out.ndim == 2 and ends:  # rows sorted by expert, and where those of each expert end
        places = np.searchsorted(plain("network", ends[0]), np.arange(len(out)), side="right")
        return replace(weight, expert=np.minimum(places, expert[-1]), count=len(matrix))
    return weight


def of_list(weight: Weight, rows: Rows | None, lists: Mapping[str, list[str]]) -> Weight:
    """A weight as that of an expert, if it is in a list of modules inside the module that picks rows."""
    if weight.expert is not None or rows is None or not rows.chosen:
        return weight
    inside = f"{rows.scope}.".removeprefix(".")
    outer = [name for name in lists if f"{name}.".startswith(inside) and weight.name.startswith(f"{name}.")]
    if not outer:
        return weight
    prefix = min(outer, key=len)
    key, dot, rest = weight.name[len(prefix) + 1 :].partition(".")
    keys = lists[prefix]
    return replace(weight, name=f"{prefix}.*{dot}{rest}", expert=keys.index(key), count=len(keys))
