"""What runs in a model of PyTorch, operator by operator: what activation functions return, and who reads it.

Every call ends in operators, as ``aten::relu_``, whatever it looked like. A ``Tracer`` is told of each. Beside a
tensor it keeps a note of where it comes from, and an activation is counted when its operator returns. What is kept of
a tensor goes with it; no tensor is kept.

A product that reads an activation (gate times value, x * sigmoid(x)), the k largest of it, or a power takes its place.
A linear map that reads it gives it a name. What else changes a tensor entry by entry, before a linear map reads it, is
told as something that was not recognised. The experts of a mixture are parts of one layer: ``experts`` says how they
are seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from math import prod
from typing import Any

from . import experts
from .activations import ABOVE, ACTIVATIONS, GATES
from .notes import Choice, Trace, Weight, tensors
from .running import Run
from .sites import ENTERS, Site

__all__: list[str] = []  # called by ``watch``

LINEAR = re.compile(r"conv(?!ert)|^(?!upsample).*(^|_)linear|(^|_|b|d)mm(_|$)|mv$")
# Operators that are no view, after which each number is still the same one.
COPIES = frozenset(("_unsafe_view", "clone", "_to_copy", "lift_fresh"))
# Functions of an activation that are counted in its place: those of each entry, products, and what keeps some entries.
SHAPES = frozenset(("pow", "square", "clamp", "clamp_max", "clamp_min"))
PRODUCTS = frozenset(("mul", "where", "masked_fill"))
KEEPS = frozenset(("topk", "scatter", "scatter_add"))
# Operators that scale or shift all outputs alike, or those of a neuron or a channel.
SCALED = frozenset(("add", "sub", "rsub", "mul", "div", "neg"))
# Operators that make no new function of their input, by the beginnings of their names.
HARMLESS = re.compile(
    "_?(add|sub|rsub|neg|mul|div|cat|stack|copy|fill|zero|.*norm|.*pool|.*dropout|.*softmax_backward|upsample|"
    "constant_pad|reflection_pad|replication_pad|index|scatter|masked|_unsafe_index|roll|flip|pixel|channel|cum|unfold|im2col|col2im|"
    "repeat|gather|take|embedding|lerp|to_|resize|set_|as_strided|native|where|v?dot|bernoulli|nan_to_num|sum|mean|grid)"
)
# Operators that make a tensor of the shape of another one, or noise.
FRESH = re.compile("_like$|^new_|^rand|^bernoulli|^normal|^uniform")


class Tracer:
    """The notes beside the tensors, and the rules by which operators change them.

    notes : from tensors to a ``Trace``, a ``Weight`` or a ``Choice``.
    lists : modules that hold others without running them, as the experts of a mixture: the names in them.
    layer : a linear map of which is counted what it reads, whatever that is.
    unknown : what linear maps read that was not recognised.
    """

    def __init__(self, run: Run, notes: Any, lists: dict[str, list[str]], layer: str | None) -> None:
        self.run = run
        self.notes = notes
        self.lists = lists
        self.layer = layer
        self.unknown: dict[str, set[str]] = {}

    def follow(self, function: Any, name: str, args: tuple[Any, ...], out: Any) -> None:
        """An operator has returned."""
        known = [(one, note) for one in tensors(args) if (note := self.notes.get(one)) is not None]
        name = activation_name(name, args)
        self.run.follow_masks(name, args, out)
        outs = [one for one in tensors([out]) if not isinstance(self.notes.get(one), Weight)]  # no step of an optimiser
        if FRESH.search(name) or not (known or name in ACTIVATIONS.keys() - GATES):
            return
        traces = [(one, note) for one, note in known if isinstance(note, Trace)]
        weights = [(one, note) for one, note in known if isinstance(note, Weight)]
        choice = self._choice(name, args, [note for _, note in known if isinstance(note, Choice)], outs)
        outs = [one for one in outs if one.is_floating_point() or one.is_quantized or (name in GATES and traces)]
        if not outs:
            return
        if function.is_view or name in COPIES:
            self._moves(function, known[0], args, outs)
        elif weights and len(weights) == sum(one.ndim > 0 for one in tensors(args)):
            source, weight = max(weights, key=lambda one: one[0].numel())  # a weight that is computed
            weight = experts.part(weight, source, outs[0])
            self.notes[outs[0]] = replace(weight, latent=weight.latent or bool(LINEAR.search(name)))
        elif "attention" in name:
            self._attends(args[0], outs[0])
        elif LINEAR.search(name):
            self._linear(name, args, outs[0])
        elif name in experts.PICKS and isinstance(weight := self.notes.get(args[0]), Weight):
            self.notes[out] = experts.picked(weight, args[0], next(tensors(args[1:])), choice)
        elif name in experts.PICKS | experts.JOINS | {"repeat"} and (
            rows := experts.replayed(name, function, args, self.notes, choice, self.run.own)
        ):
            first = traces[0][1] if traces else Trace(())
            self.notes[out] = replace(first, axes=(out.ndim - 1,), site=None, rows=rows, gates=gates(traces))
        elif (name in ACTIVATIONS and (traces or name not in GATES)) or (name in SHAPES and self._site(args[0])):
            self._function(name, args[0], outs[0])
        elif not (
            (name in PRODUCTS and self._multiplies(name, args, out)) or (name in KEEPS and self._keeps(name, args, out))
        ):
            self._others(name, args, outs, traces, weights)

    def _site(self, tensor: Any) -> Site | None:
        """The activation function whose output a tensor is."""
        return getattr(self.notes.get(tensor), "site", None) if hasattr(tensor, "shape") else None

    def _choice(self, name: str, args: Any, choices: list[Choice], outs: list[Any]) -> Choice | None:
        """The choice that integers are, or come from."""
        if name in experts.CHOICES and not choices:
            choices = [Choice(prod(args[0].shape[:-1]))]
        for choice in choices[:1]:
            self.notes.update((one, choice) for one in outs if not one.is_floating_point())
        return next(iter(choices), None)

    def _moves(self, function: Any, known: tuple[Any, Any], args: Any, outs: list[Any]) -> None:
        """Each number of the outputs is one of the input, perhaps elsewhere."""
        source, note = known
        if isinstance(note, Weight):
            self.notes.update((one, experts.part(note, source, one)) for one in outs)
        elif isinstance(note, Trace):
            all_axes = moved(function, source, note.axes, args, outs)
            if all_axes is None:  # neurons and inputs were merged; they may be parted again
                note = replace(note, merged=(source.shape, note.axes))
                all_axes = [(one.ndim - 1,) for one in outs]
            if note.merged is not None and outs[0].shape == note.merged[0]:
                all_axes = [note.merged[1]]
            if note.rows is None and outs[0].numel() > source.numel():  # each row several times
                note = replace(note, rows=experts.all_rows(source, self.run.own, note.axes))
            inputs = [note.rows] * len(outs)
            if note.rows is not None and (function.is_view or outs[0].shape != source.shape):
                inputs = experts.moved(function, source, note.rows, args, all_axes)
            if outs[0].numel() < source.numel():
                note = replace(note, site=None)
            for axes, one, rows in zip(all_axes, outs, inputs, strict=True):
                self.notes[one] = replace(note, axes=axes, rows=rows)

    def _attends(self, query: Any, out: Any) -> None:
        """The rows of what attends are those of its queries, which may be the model's own."""
        self.notes[out] = Trace((out.ndim - 1,), latent=getattr(self.notes.get(query), "latent", False))

    def _linear(self, name: str, args: Any, out: Any) -> None:
        """A linear map, or a product of two tensors that are both computed, as in attention."""
        factors = [one for one in tensors(args) if one.ndim > 1][-2:]
        matrix = next((one for one in factors if isinstance(self.notes.get(one), Weight)), None)
        x = next((one for one in factors if one is not matrix), args[-1])
        note = self.notes.get(x)
        convolves = name.startswith("conv")
        if not convolves and attends(factors, [self.notes.get(one) for one in factors]):
            self._attends(factors[0], out)
            return
        axis = 1 if convolves else out.ndim - 1
        rows = getattr(note, "rows", None)
        axes: tuple[int, ...] = (axis,)
        merged = None
        weight = Weight(self.run.own)
        if matrix is not None:
            if matrix is factors[0] and out.ndim > 1 and not convolves:
                axis -= 1  # a matrix times x, whose columns are the inputs
                axes = (axis,)
            weight = self.notes[matrix]
            if matrix.ndim == 3 and experts.tiled(matrix, weight.times):
                merged = (weight.times, len(matrix) // weight.times, *out.shape[1:]), (1, axis + 1)
            elif rows is None and not convolves and experts.read_all(matrix, x, note, out):
                axes = (0, axis)
            else:
                weight = experts.of_list(experts.of_rows(weight, matrix, args, out), rows, self.lists)
            if weight.expert is not None:
                rows = rows or experts.given(weight, out, axis, self.run.own)
                rows = rows and rows.of(weight.expert, weight.count)
        if isinstance(note, Trace):
            self._reads(weight, x, note)
        self.notes[out] = Trace(axes, weight, rows=rows, latent=getattr(note, "latent", False), merged=merged)
        if name.endswith("relu"):
            self._function("relu", out, out)

    def _reads(self, weight: Weight, x: Any, note: Trace) -> None:
        """A linear map reads a tensor: it gives a name to what was counted."""
        if note.site is None and self.layer == weight.name:
            note = self._count(ENTERS, note, x, ABOVE)
        if note.site is not None:
            note.site.readers[weight.name] = None
        else:
            for gate in note.gates:
                gate.readers[weight.name] = None
            self._doubt(weight.name, note.doubts)

    def _function(self, name: str, x: Any, out: Any) -> None:
        """An activation function returns, or a function of what one returned."""
        note = self.notes.get(x)
        if not isinstance(note, Trace):
            note = Trace((1 if x.ndim == 4 else x.ndim - 1,))
        above = ACTIVATIONS.get(name)
        label = name
        if note.site is not None and name not in GATES:
            note.site.replaced = True
            label = f"{note.site.function}, {name}"
            above = above or note.site.found.threshold
        self._count(label, note, out, above or 0.0, gate=name in GATES)

    def _multiplies(self, name: str, args: Any, out: Any) -> bool:
        """A product with an activation or a gate, entry by entry; where a gate chooses between x and 0, that is one."""
        factors = [arg for arg in args if getattr(arg, "shape", None) == out.shape]
        notes = [note for arg in factors if isinstance(note := self.notes.get(arg), Trace)]
        sites = [note.site for note in notes if note.site is not None]
        if len(notes) < 2 or not sites or not (name == "mul" or zero(args[-1])):
            return False
        if args[0] is out and " times " in sites[0].function:
            return False  # a product that is changed afterwards
        for site in sites:
            site.replaced = True
        base = max(notes, key=lambda note: note.site is not None and not note.site.gate)
        label = " times ".join([site.function for site in sites] + ["another factor"] * (len(sites) < 2))
        above = min(site.found.threshold for site in sites)
        self._count(label, base, out, above, gate=all(site.gate for site in sites))
        return True

    def _keeps(self, name: str, args: Any, out: Any) -> bool:
        """The k largest of an activation, or an activation that is written into zeros."""
        live = next((arg for arg in args if (site := self._site(arg)) is not None and not site.gate), None)
        if live is None:
            return False
        note = self.notes[live]
        whole = kept = out
        if name == "topk":
            kept = out[0]
            whole = live.new_zeros(live.shape).scatter(-1, out[1], kept)
        if name == "topk" or whole.shape[-1] != note.site.found.s:
            note.site.replaced = True
            note = replace(note, axes=(whole.ndim - 1,))
            note = self._count(f"{note.site.function}, {name}", note, whole, note.site.found.threshold)
        self.notes[kept] = note
        return True

    def _others(self, name: str, args: Any, outs: list[Any], traces: list[Any], weights: list[Any]) -> None:
        """Any other operator: a sum, a normalisation, a pooling; or something that is not known."""
        doubts = set() if HARMLESS.match(name) else {name}
        if weights:
            self._doubt(weights[0][1].name, doubts)
        x, first = (*traces, (outs[0], Trace((outs[0].ndim - 1,))))[0]
        among = gates(traces) if name in experts.PICKS | experts.JOINS else frozenset()
        for one in outs:
            same = [note for tensor, note in traces if tensor.shape == one.shape]
            if not same:
                axes = first.axes if x.ndim == one.ndim else (one.ndim - 1,)
                self.notes[one] = Trace(axes, first.writer, gates=among)
                continue
            note = replace(same[0], doubts=doubts.union(*(note.doubts for note in same)))
            if name not in SCALED or sum(arg.numel() == one.numel() for arg in tensors(args)) > 1:
                note = replace(note, site=None)
            if experts.COMBINES.match(name):
                note = replace(note, rows=None)
            self.notes[one] = note

    def _count(self, label: str, note: Trace, out: Any, above: float, gate: bool = False) -> Trace:
        """Count the outputs of a function; their note."""
        if note.writer.expert is not None and note.rows is None:
            self._doubt(note.writer.name, ["inputs of experts in an order that is not known"])
        seen = out
        apart = note
        shape, axes = note.merged or ((), ())
        if len(axes) > 1 and out.numel() == prod(shape):  # heads were merged with inputs
            seen = out.reshape(shape)
            apart = replace(note, axes=axes)
        site = self.run.count(label, apart, seen, above, gate)
        self.notes[out] = found = replace(note, site=site, doubts=frozenset())
        return found

    def _doubt(self, reader: str, doubts: Iterable[str]) -> None:
        """A linear map, or what else has weights, reads what was not recognised."""
        if doubts:
            self.unknown.setdefault(reader, set()).update(doubts)


def gates(traces: list[Any]) -> frozenset[Site]:
    """The gates whose outputs are among the numbers of tensors."""
    sites = [note.site for _, note in traces if note.site is not None and note.site.gate]
    return frozenset(sites).union(*(note.gates for _, note in traces))


def attends(factors: list[Any], notes: list[Any]) -> bool:
    """Whether two factors are both computed, as in attention: no matrix of the model stands on the right."""
    if len(factors) < 2 or not (isinstance(notes[0], Trace) or getattr(notes[0], "latent", False)):
        return False
    return isinstance(notes[1], Trace) or (notes[1] is None and factors[1].ndim == 3)


def activation_name(name: str, args: tuple[Any, ...]) -> str:
    """The name of an operator; ``relu`` for what cuts off at 0: clamp(min=0), hardtanh(0, 6), maximum(x, 0).

    >>> activation_name("clamp", (None, 0, 6)), activation_name("clamp", (None, -1, 1))
    ('relu', 'clamp')
    """
    if name in ("clamp", "hardtanh", "clamp_min", "maximum") and len(args) > 1 and zero(args[1]):
        return "relu"
    return name


def zero(value: Any) -> bool:
    """Whether something is 0, or a tensor of zeros.

    >>> zero(0.0), zero(None)
    (True, False)
    """
    if hasattr(value, "shape"):
        return value.numel() > 0 and not bool(value.any())
    return value is not None and value == 0


def moved(function: Any, source: Any, axes: tuple[int, ...], args: Any, outs: list[Any]) -> Any:
    """Along which axes of each output the neurons are that were along these of the source; None if they were merged.

    A view is made of a tensor without numbers, in which only to go along these axes is a step: so it is in the view.
    """
    if not function.is_view and outs[0].shape == source.shape:
        return [axes]
    steps = [0] * source.ndim
    for i, axis in enumerate(axes):
        steps[axis] = prod(source.shape[later] for later in axes[i + 1 :])
    try:
        views = function(source.new_empty_strided(source.shape, steps, device="meta"), *args[1:])
    except RuntimeError:
        return None
    return [stepping(view) for view in tensors([views])]


def stepping(view: Any) -> tuple[int, ...]:
    """The axes along which there is a step, the largest step first; of axes of one entry, only the smallest step is."""
    steps = sorted((-step, -i) for i, step in enumerate(view.stride()) if step)
    long = tuple(-i for _, i in steps if view.shape[-i] > 1)
    return long or (-steps[-1][1] if steps else view.ndim - 1,)
