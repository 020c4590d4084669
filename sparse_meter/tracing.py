"""What runs in a model of PyTorch, operator by operator: what activation functions return, and who reads it.

Every call ends in operators, as ``aten::relu_``, whatever it looked like. A ``Tracer`` is told of each. Beside a
tensor it keeps a note of where it comes from, and an activation is counted when its operator returns. What is kept of
a tensor goes with it; no tensor is kept.

A product that reads an activation (gate times value, x * sigmoid(x)), the k largest of it, or a power takes its place.
A linear map that reads it gives it a name. What else changes a tensor entry by entry, before a linear map reads it, is
told as something that was not recognised. The experts of a mixture are parts of one layer: ``experts`` says how they
are
seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from . import experts
from .activations import ACTIVATIONS, GATES, threshold
from .experts import Chosen, Weight
from .sites import Site

__all__: list[str] = []  # called by ``watch``

LINEAR = re.compile(r"conv(?!ert)|^(?!upsample).*(^|_)linear|(^|_|b|d)mm(_|$)|mv$")
# Operators after which each number is still the same one, perhaps elsewhere.
MOVES = frozenset(
    "view _unsafe_view reshape _reshape_alias t transpose permute unsqueeze squeeze expand clone _to_copy alias detach "
    "contiguous lift_fresh select slice split split_with_sizes unbind chunk narrow flatten movedim dropout".split()
)
PRODUCTS = frozenset(("mul", "where", "masked_fill"))
# Functions of an activation that are counted in its place.
SHAPERS = frozenset(("pow", "square", "clamp", "clamp_max", "clamp_min", "hardtanh"))
SCALED = frozenset(("add", "sub", "rsub", "mul", "div", "neg"))
# Operators that make no new function of their input, by the beginnings of their names.
HARMLESS = re.compile(
    "_?(add|sub|rsub|neg|mul|div|cat|stack|copy|fill|zero|.*norm|.*pool|.*dropout|.*attention|.*softmax_backward|upsample|"
    "constant_pad|reflection_pad|replication_pad|index|scatter|masked|roll|flip|pixel|channel|cum|unfold|im2col|col2im|"
    "repeat|gather|take|embedding|lerp|to_|resize|set_|as_strided|native|where|v?dot|bernoulli|nan_to_num|sum|mean|grid)"
)
# Operators that make a tensor of the shape of another one, or noise.
FRESH = re.compile("_like$|^new_|^rand|^bernoulli|^normal|^uniform")
NORMS = re.compile(".*(norm|prelu|embedding|index|cat|stack|gather|where)")


@dataclass(frozen=True, eq=False)
class Trace:
    """Where a tensor comes from.

    axis : along which the neurons are.
    writer : the last linear map.
    site : the activation function that it is the unchanged output of; ``gate``, if that counts only where it is read.
    doubts : what changed it since the last linear map and was not recognised.
    tokens, total : of which of how many inputs of a mixture each row is, if an expert was given only some.
    """

    axis: int
    writer: Weight | None = None
    site: Site | None = None
    gate: str = ""
    doubts: frozenset[str] = frozenset()
    tokens: Any = None
    total: int = 0
    chosen: Chosen | None = None


class Tracer:
    """The notes beside the tensors, and the rules by which operators change them."""

    def __init__(self, weights: Any, site: Callable[..., Site], count: Callable[..., None], where: Any) -> None:
        self.notes = weights  # from tensors to a ``Trace``, a ``Weight`` or a ``Chosen``
        self.site = site
        self.count = count
        self.where = where
        self.unknown: dict[str, set[str]] = {}

    def follow(self, name: str, args: tuple[Any, ...], out: Any) -> None:
        """An operator has returned."""
        known = [(tensor, note) for tensor in tensors(args) if (note := self.notes.get(tensor)) is not None]
        if not known and name not in ACTIVATIONS:
            return
        name = activation_name(name, args)
        outs = [one for one in tensors((out,)) if one is not None]
        traces = [(tensor, note) for tensor, note in known if isinstance(note, Trace)]
        weights = [(tensor, note) for tensor, note in known if isinstance(note, Weight)]
        experts.follow(name, self.notes, known, outs)
        outs = [one for one in outs if one.is_floating_point() or one.is_quantized or (name in GATES and traces)]
        outs = [one for one in outs if not isinstance(self.notes.get(one), Weight)]  # a step of an optimiser
        if not outs or FRESH.search(name):
            return
        if name in MOVES:
            self._moves(name, args, outs)
        elif LINEAR.search(name):
            self._linear(name, args, outs[0], traces, weights)
        elif name in ("index", "index_select") and (found := experts.picked(self.notes, args, self.where)) is not None:
            self._picked(found, args[0], outs[0])
        elif weights and len(weights) == sum(1 for one in tensors(args) if one.ndim):
            self.notes[outs[0]] = max(weights, key=lambda one: one[0].numel())[1]  # a weight that is computed
        elif name in ACTIVATIONS or (name in GATES and traces) or (name in SHAPERS and self._live(args[0])):
            self._function(name, args[0], outs[0])
        elif name in PRODUCTS and self._product(name, args, outs[0]):
            pass
        elif name in ("topk", "scatter", "scatter_add") and self._kept(name, args, out):
            pass
        else:
            self._others(name, args, outs, traces, weights)

    def _live(self, tensor: Any) -> Trace | None:
        """The note of a tensor that is the output of an activation function or a gate."""
        note = self.notes.get(tensor) if hasattr(tensor, "shape") else None
        return note if isinstance(note, Trace) and (note.site or note.gate) else None

    def _moves(self, name: str, args: tuple[Any, ...], outs: list[Any]) -> None:
        source = args[0] if hasattr(args[0], "shape") else next(tensors(args))
        note = self.notes.get(source)
        for place, one in enumerate(outs):
            if isinstance(note, Weight):
                self.notes[one] = experts.part(note, name, args, source, place)
            elif isinstance(note, Trace):
                whole = one.numel() == source.numel()
                axis = moved_axis(name, args, source.shape, one.shape, note.axis)
                found = replace(note, axis=axis) if whole else replace(note, axis=axis, site=None, gate="")
                self.notes[one] = found

    def _picked(self, found: Any, source: Any, out: Any) -> None:
        """Rows of inputs, or weights, that a choice picks."""
        if isinstance(found, Weight):
            self.notes[out] = found
            return
        chosen, tokens, total = found
        note = self.notes.get(source)
        if isinstance(note, Trace) and note.tokens is not None and len(note.tokens) == total:
            tokens, total = note.tokens[tokens], note.total
        self.notes[out] = Trace(out.ndim - 1, tokens=tokens, total=total, chosen=chosen)

    def _linear(self, name: str, args: Any, out: Any, traces: list[Any], weights: list[Any]) -> None:
        """A linear map, or a product of two tensors that are both computed, as in attention."""
        matrix = next(((tensor, note) for tensor, note in weights if tensor.ndim > 1), None)
        if matrix is None and len(traces) > 1:
            self.notes[out] = Trace(out.ndim - 1)
            return
        x, note = traces[0] if traces else (None, None)
        weight = self.where.weight() if matrix is None else matrix[1]
        place = next((i for i, arg in enumerate(args) if matrix and arg is matrix[0]), 1)
        first = matrix is not None and not any(hasattr(arg, "ndim") and arg.ndim > 1 for arg in args[:place])
        axis = 1 if name.startswith("conv") else max(0, out.ndim - 2 + (not first or out.ndim == 1))
        outputs = int(out.shape[axis])
        size = 0 if matrix is None else prod(matrix[0].shape if name.startswith("conv") else matrix[0].shape[-2:])
        writer = experts.at(weight, matrix, args, out, note, self.where)
        if note is not None:
            self._reads(writer, x, note, outputs)
        tokens = {} if note is None else {"tokens": note.tokens, "total": note.total, "chosen": note.chosen}
        self.notes[out] = Trace(axis, replace(writer, n=size // max(1, outputs) or None), **tokens)
        if name.endswith("relu"):
            self._function("relu", out, out)

    def _reads(self, weight: Weight, x: Any, note: Trace, outputs: int) -> None:
        """A linear map reads a tensor: it gives a name to what was counted, and counts a gate."""
        site = note.site
        if site is None and (note.gate or self.where.layer == weight.name):
            site = self.site(note.gate or "what enters it", note.writer, int(x.shape[note.axis]), gate=bool(note.gate))
            self.count(site, x, note)
        if site is not None:
            site.readers.setdefault(weight.name, outputs)
        elif note.doubts:
            self.unknown.setdefault(weight.name, set()).update(note.doubts)

    def _function(self, name: str, x: Any, out: Any) -> None:
        """An activation function returns, or what takes the place of one."""
        before = self.notes.get(x)
        before = before if isinstance(before, Trace) else Trace(1 if x.ndim == 4 else x.ndim - 1)
        note = replace(before, site=None, gate="", doubts=frozenset())
        if name in GATES:
            self.notes[out] = replace(note, gate=name)
            return
        above = threshold(name)
        if before.site is not None:
            before.site.replaced = True
            above = before.site.threshold if name in SHAPERS else above
            name = f"{before.site.function}, {name}"
        site = self.site(name, note.writer, int(out.shape[note.axis]), above=above)
        self.count(site, out, note)
        self.notes[out] = replace(note, site=site)

    def _product(self, name: str, args: Any, out: Any) -> bool:
        """A product with an activation or a gate, entry by entry; where a gate chooses between x and 0, that is one."""
        factors = [arg for arg in args if hasattr(arg, "shape")]
        if name != "mul" and not zero(args[-1]):
            return False
        notes = [note for arg in factors if arg.shape == out.shape and isinstance(note := self.notes.get(arg), Trace)]
        live = [note for note in notes if note.site or note.gate]
        changed = args[0] is out and notes and notes[0].site is not None and notes[0].site.product
        if len(notes) < 2 or not live or changed:
            return False
        sites = [note.site for note in live if note.site is not None]
        for site in sites:
            site.replaced = True
        names = dict.fromkeys(note.site.function if note.site else note.gate for note in live)
        above = min([site.threshold for site in sites] + [GATES[note.gate] for note in live if note.gate])
        base = replace(max(notes, key=lambda note: note.site is not None), site=None, gate="", doubts=frozenset())
        label = f"{' times '.join(names)} times another factor" if len(live) < 2 else " times ".join(names)
        label = label if " times " in label else f"{label} times itself"
        new = self.site(label, base.writer, int(out.shape[base.axis]), above=above, gate=not sites, product=True)
        new.gate = new.gate and all(site.gate for site in sites)
        self.count(new, out, base)
        self.notes[out] = replace(base, site=new)
        return True

    def _kept(self, name: str, args: Any, out: Any) -> bool:
        """The k largest of an activation, or an activation that is written into zeros."""
        note = self._live(args[0]) if name == "topk" else next((n for a in args if (n := self._live(a))), None)
        if note is None or note.site is None:
            return False
        whole = args[0].new_zeros(args[0].shape).scatter(-1, out[1], out[0]) if name == "topk" else out
        base = replace(note, site=None, axis=whole.ndim - 1)
        function = f"{note.site.function}, the largest" if name == "topk" else note.site.function
        site = self.site(function, note.writer, int(whole.shape[-1]), above=note.site.threshold)
        note.site.replaced = True
        if name == "topk":
            self.count(site, whole, base)
            self.notes[out[0]] = replace(base, site=site)
        elif note.site.function != function or note.site.s != site.s:
            self.count(site, whole, base)
        self.notes[whole] = replace(base, site=site)
        return True

    def _others(self, name: str, args: Any, outs: list[Any], traces: list[Any], weights: list[Any]) -> None:
        """Any other operator: a sum, a normalisation, a pooling; or something that is not known."""
        doubt = frozenset() if HARMLESS.match(name) else frozenset((name,))
        if weights and doubt and not NORMS.match(name):
            self.unknown.setdefault(weights[0][1].name, set()).add(name)
        if not traces:
            self.notes.update((one, Trace(one.ndim - 1)) for one in outs)
            return
        tensor, note = next(((t, n) for t, n in traces if t.shape == outs[0].shape), traces[0])
        for one in outs:
            if one.shape == tensor.shape:
                same = [n for t, n in traces if t.shape == one.shape]
                scalar = name in SCALED and all(not hasattr(a, "shape") or a is tensor or a.numel() == 1 for a in args)
                gate = note.gate if scalar else ""
                found = replace(note, site=None, gate=gate, doubts=doubt.union(*(n.doubts for n in same)))
                self.notes[one] = replace(found, tokens=None) if experts.COMBINES.match(name) else found
            else:
                axis = note.axis if one.ndim == tensor.ndim else one.ndim - 1
                self.notes[one] = Trace(axis, note.writer)


def tensors(args: Any) -> Iterator[Any]:
    """The tensors among arguments, also those in lists.

    >>> list(tensors((1, [None])))
    []
    """
    for arg in args:
        if hasattr(arg, "untyped_storage"):
            yield arg
        elif isinstance(arg, (list, tuple)):
            yield from tensors(arg)


def activation_name(name: str, args: tuple[Any, ...]) -> str:
    """The name of an operator; ``relu`` for what cuts off at 0: clamp(min=0), hardtanh(0, 6), maximum(x, 0).

    >>> activation_name("clamp", (None, 0, 6)), activation_name("clamp", (None, -1, 1))
    ('relu6', 'clamp')
    """
    if name in ("clamp", "hardtanh", "clamp_min") and len(args) > 1 and zero(args[1]):
        return "relu6" if len(args) > 2 and args[2] is not None else "relu"
    if name == "maximum" and zero(args[1]):
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


def moved_axis(name: str, args: Any, old: Any, new: Any, axis: int) -> int:
    """Where an axis is after a tensor of the shape ``old`` became one of the shape ``new``.

    >>> moved_axis("view", (), (2, 3, 4, 5), (2, 3, 20), 1)
    1
    >>> moved_axis("transpose", (None, 1, 2), (2, 3, 4), (2, 4, 3), 1)
    2
    """
    if name in ("t", "transpose", "permute", "movedim"):
        order = [*range(len(old))]
        if name == "permute":
            order = [d % len(old) for d in args[1]]
        elif len(old) > 1:
            a, b = (0, 1) if name == "t" else (d % len(old) for d in args[1:3])
            order[a], order[b] = order[b], order[a]
        return int(order.index(axis))
    if name == "select":
        gone = args[1] % len(old)
        return int(min(axis - (gone < axis), len(new) - 1))
    if name in ("split", "split_with_sizes", "slice", "narrow", "chunk"):
        return axis
    if name == "unbind":
        return max(0, axis - 1)
    before = prod(old[:axis])
    same: list[int] = [j for j in range(len(new)) if prod(new[:j]) == before and new[j] == old[axis]]
    return same[0] if same else len(new) - 1
