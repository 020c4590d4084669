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

CHOICES = frozenset(("topk", "sort", "argsort", "argmax", "argmin", "max", "min", "multinomial"))
# Operators that put the outputs of experts together again.
COMBINES = re.compile("index_add|index_put|_unsafe_index_put|scatter|index_copy|masked_scatter|sum")


def part(weight: Weight, source: Any, view: Any) -> Weight:
    """The note of a view of a weight: of one with three axes it is that of an expert, if it is one of its matrices."""
    if weight.expert is not None or source.ndim != 3 or view.shape != source.shape[1:]:
        return weight
    place = (view.storage_offset() - source.storage_offset()) // source.stride(0)
    return replace(weight, expert=place, count=len(source))


def picked(notes: Any, function: Any, args: Sequence[Any], scope: str) -> Rows | Weight | None:
    """The note of x[integers]: the weights of an expert for each row, or the inputs that are picked."""
    source, places = args[:2]
    indices = [*tensors([places, *args[2:]])]
    choice = next((note for one in indices if isinstance(note := notes.get(one), Choice)), None)
    note = notes.get(source)
    if isinstance(note, Weight):
        if source.ndim != 3 or choice is None:
            return note
        return replace(note, expert=plain("network", indices[0]).ravel(), count=len(source), choice=choice)
    if isinstance(note, Trace) and note.axes[0] < source.ndim - 1:
        return None
    rows = getattr(note, "rows", None)
    if rows is None or (choice is not None and rows.total != choice.inputs):
        rows = all_rows(source, scope)
    try:
        inputs = function(rows.inputs, *args[1:])
    except (IndexError, RuntimeError):  # neurons are picked
        return None
    return Rows(inputs, rows.total, scope, choice is not None)


def written(notes: Any, function: Any, args: Sequence[Any], scope: str) -> Rows | None:
    """Which inputs are in the rows of a buffer that were written there, at places that come from a choice."""
    target, *places, values = [arg for arg in args if not isinstance(arg, bool)]
    indices = [*tensors(places)]
    choice = next((note for one in indices if isinstance(note := notes.get(one), Choice)), None)
    if choice is None or not hasattr(values, "shape"):
        return None
    rows = getattr(notes.get(values), "rows", None)
    if rows is None and prod(values.shape[:-1]) == choice.inputs:
        rows = all_rows(values, scope)
    if rows is None or rows.total != choice.inputs:
        return None
    own = all_rows(target, scope).inputs
    try:
        narrow = [one[..., :1] if getattr(one, "shape", None) == values.shape else one for one in places]
        inputs = function(own.new_full(own.shape, -1), *narrow, rows.inputs // rows.experts)
    except (IndexError, RuntimeError):  # neurons are written
        return None
    if inputs.numel() == rows.total and bool(((inputs == own) | (inputs < 0)).all()):
        return None  # each input is in its own place again
    return Rows(inputs, rows.total, scope, True)


def joined(traces: list[Any], function: Any, args: Sequence[Any], scope: str) -> Rows | None:
    """The inputs in rows that are repeated, or joined with those of other experts, if all of them are known."""
    found = [note.rows for _, note in traces]
    if hasattr(args[0], "shape"):
        found = [found[0] or all_rows(args[0], scope)]
    if len(traces) < len([*tensors(args)]) or len({rows and rows[1:] for rows in found}) > 1 or not found[0]:
        return None
    inputs = [rows.inputs for rows in found]
    if hasattr(args[0], "shape"):
        inputs = inputs[0]
    inputs = function(inputs, *args[1:])
    return found[0]._replace(inputs=inputs) if inputs.shape[-1] == 1 else None  # otherwise neurons are joined


def all_rows(x: Any, scope: str, axes: tuple[int, ...] = (-1,)) -> Rows:
    """Each row is an input of its own."""
    lead = [*x.shape]
    for axis in axes:
        lead[axis] = 1
    total = prod(lead)
    return Rows(sys.modules["torch"].arange(total, device=x.device).reshape(lead), total, scope, False)


def moved(
    function: Any, source: Any, rows: Rows | None, args: Any, axes: list[tuple[int, ...]], out: Any
) -> list[Rows | None]:
    """The inputs in the rows of views, or of a copy."""
    if rows is None:
        return [None] * len(axes)
    if not function.is_view:
        shape = one(out, axes[0]).shape
        fits = prod(shape) == rows.inputs.numel()  # otherwise rows and neurons were merged
        return [rows._replace(inputs=rows.inputs.contiguous().view(shape)) if fits else None]
    try:
        views = function(rows.inputs.expand(source.shape), *args[1:])
    except RuntimeError:  # they were merged
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
