r"""What the activation functions of a model return while it runs: whatever stands between its layers, it is seen.

``seen`` runs a module of PyTorch on its inputs and counts what its activation functions return, modules and functions
alike. An output is named after the module that returns it, or after the linear map that reads it. Where a linear map
reads a product of gate and value, as in Llama, the product is counted.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from . import counting, naming
from .counting import Measurement, Measurements
from .layer import SEEN, Unit, plain
from .modules import ModuleRun, watched

__all__: list[str] = []  # called by ``measure``

# The functions of PyTorch that are activation functions wherever they are called; others, as tanh, are also gates.
FUNCTIONAL = (
    "relu", "relu6", "gelu", "silu", "leaky_relu", "elu", "selu", "celu", "softplus", "mish", "hardswish", "prelu",
    "rrelu", "threshold",
)  # fmt: skip
# What begins the names of the classes of torch.nn.modules.activation that are none.
NOT_ONE = ("MultiheadAttention", "Softm", "LogSoftmax")
# Classes elsewhere that are activation functions, by their names.
NAMED = re.compile("relu|gelu|silu|swish|softplus|mish|quickact", re.IGNORECASE)
# Those that are exactly 0 on a half-line, by the beginnings of their names; of all others sizes are counted.
ZERO = re.compile("(squared|jump)?_?(relu|threshold|hardshrink|softshrink|hardswish)", re.IGNORECASE)
# How many outputs are kept while it is not known who reads them: a block of a transformer has fewer.
KEPT = 4
HOOK = """Hook the part that you mean, run the model, and measure what was saved:
  saved = []; handle = part.register_forward_hook(lambda part, inputs, output: saved.append(output.detach()))
  model(X); handle.remove()
  measure(saved, activation='nonzero')  # or 'above:0.01'"""


def unit_of(name: str) -> Unit:
    """How the outputs of an activation function are counted: if they are not 0, or by size.

    >>> unit_of("ReLU6"), unit_of("GELU"), unit_of("LeakyReLU")
    (nonzero, above:0.01, above:0.01)
    """
    return Unit("nonzero") if ZERO.match(name) else Unit.parse("above")


def chosen(names: tuple[str, ...], layer: str) -> bool:
    """Whether ``layer`` is one of these names, a pattern of one, or a part of one between dots.

    >>> chosen(("layers.1.act", ""), "1"), chosen(("layers.1.act", ""), "*.fc2")
    (True, False)
    """
    return any(name and (fnmatchcase(name, layer) or f".{layer}." in f".{name}.") for name in names)


@dataclass
class _Seen:
    """An output of an activation function, until it is known who reads it."""

    name: str
    function: str
    output: Any
    read_by: str = ""


@dataclass
class _Candidate:
    """One layer: the activation function, who reads it, and what was counted."""

    name: str
    function: str
    reader: str
    gated: bool
    found: Measurement | None = None
    precision: str = ""
    inputs: int | None = None
    outputs: int | None = None


@dataclass
class _Watcher:
    """What runs, in its order: outputs of activation functions, and what linear maps read."""

    run: ModuleRun
    layer: str | None
    unit: Unit | None
    names: dict[Any, str]
    linear: dict[Any, str]
    products: set[str]
    found: dict[tuple[str, str, int], _Candidate] = field(default_factory=dict)
    waiting: list[_Seen] = field(default_factory=list)
    unread: dict[str, int] = field(default_factory=dict)
    widths: dict[int, int] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    inside: int = 0
    mask: Any = None

    def returns(self, name: str, function: str, output: Any) -> None:
        """An activation function returns its output."""
        if getattr(output, "ndim", 0) >= 1:
            self.waiting.append(_Seen(name, function, output))
            if len(self.waiting) > KEPT:
                self.passes(self.waiting.pop(0))

    def enters(self, part: Any, inputs: Any) -> None:
        """A linear map reads its input: the output of an activation function, a product with one, or anything."""
        x: Any = inputs[0] if inputs else None
        if getattr(x, "ndim", 0) < 1:
            return
        reader = self.linear[part]
        for one in reversed(self.waiting):
            if one.output.data_ptr() == x.data_ptr() and one.output.numel() == x.numel():
                if not one.read_by:
                    one.read_by = reader
                    self.takes(one, x, reader)
                break
        else:
            if reader in self.products or reader == self.layer:
                parent = reader.rpartition(".")[0]
                same = [one for one in self.waiting if not one.read_by and one.output.shape == x.shape]
                same = [one for one in same if not one.name or one.name.startswith(parent)]
                gate = same[-1] if same else None
                if gate is not None:
                    gate.read_by = reader
                self.takes(gate or _Seen("", "", x), x, reader, gated=gate is not None)
        self.widths[_features(part, int(x.shape[-1]))] = int(x.shape[-1])

    def passes(self, one: _Seen) -> None:
        """Something else than a linear map reads an output."""
        if one.read_by:
            return
        name = one.name or one.function
        self.unread[name] = self.unread.get(name, 0) + 1
        name += f" (call {self.unread[name]})" if self.unread[name] > 1 or not one.name else ""
        if one.output.ndim >= 3 and any(type(part).__name__.startswith("Conv") for part in self.names):
            self.left.add(f"{name} (after convolutions)")  # of which the neurons are no entries of the last axis
        else:
            self.takes(replace(one, name=name), one.output, "")

    def takes(self, one: _Seen, output: Any, reader: str, gated: bool = False) -> None:
        """Count an output, if it is asked for."""
        s = int(output.shape[-1])
        key = (one.name, reader, s)
        candidate = self.found.get(key)
        if candidate is None:
            candidate = self.found[key] = _Candidate(one.name, one.function, reader, gated, inputs=self.widths.get(s))
            reads = next((part for part, name in self.linear.items() if name == reader), None)
            candidate.outputs = None if reads is None else _features(reads, s)
        if self.layer is not None and not self.wanted(one.name, reader):
            return
        unit = self.unit or unit_of(one.function)
        candidate.precision = str(output.dtype).removeprefix("torch.")
        A = plain("network", output)
        A = A.reshape(-1, s)
        if self.mask is not None and self.mask.size == len(A):
            A = A[self.mask.ravel()]
        if len(A):
            part = counting.of_arrays("network", A, unit)
            candidate.found = part if candidate.found is None else candidate.found + part

    def wanted(self, *names: str) -> bool:
        """Whether a candidate of these names is the layer that was asked for."""
        if self.layer in self.names.values() and self.layer in names:
            return True
        exact = [name for part, name in self.names.items() if part in self.linear or _is_activation(part)]
        return self.layer not in exact and chosen(names, self.layer or "*")

    def ends(self) -> None:
        """The model has run once."""
        while self.waiting:
            self.passes(self.waiting.pop(0))
        self.unread.clear()


def seen(
    model: Any, X: Any, layer: str | None = None, activation: str | Unit | None = None
) -> Measurement | Measurements:
    """The measurement of the activation function of a module of PyTorch, or of each, while it runs on X.

    >>> from sparse_meter import measure                                    # which is what users call
    >>> measure(None, [[1.0]])
    Traceback (most recent call last):
    TypeError: Argument 'network' must be arrays (u, W, b), a Layer, ... a fitted MLP of scikit-learn, not NoneType.
    """
    unit = None if activation is None else Unit.parse(activation)
    if unit is not None and unit.kind not in SEEN:
        raise ValueError(
            f"Argument 'activation' must be 'nonzero' or 'above:t' for a model that is run, not {activation!r}: it has "
            "activation functions of its own."
        )
    names = {part: name for name, part in model.named_modules() if name or not [*model.children()]}
    linear = {part: name for part, name in names.items() if re.search("Linear|Conv1D", type(part).__name__)}
    with watched(model) as run:
        watcher = _Watcher(run, layer, unit, names, linear, _products(set(linear.values())))
        _hook(watcher)
        given = X if counting.several(X) else [X]
        empty = True
        for batch in given:
            empty = False
            part = batch[0] if isinstance(batch, (list, tuple)) and counting.several([batch[0]]) else batch
            watcher.mask = _mask(part)
            try:
                with _functions(watcher):
                    run(part)
            except Exception as error:
                if isinstance(error, (ValueError, TypeError)) and str(error).startswith("Argument '"):
                    raise
                first = (str(error).splitlines() or [""])[0]
                raise ValueError(f"The model cannot be run on X: {type(error).__name__}: {first}") from error
            watcher.ends()
    if empty:
        raise ValueError("Argument 'X' must have at least one batch; it has none.")
    return _result(watcher)


def _hook(watcher: _Watcher) -> None:
    """Hook all activation functions that are modules, and all linear maps."""

    def starts(part: Any, inputs: Any) -> None:
        watcher.inside += 1

    def stops(part: Any, inputs: Any, output: Any) -> None:
        watcher.inside -= 1
        watcher.returns(watcher.names[part], type(part).__name__, output)

    for part in watcher.names:
        if _is_activation(part):
            watcher.run.before(part, starts)
            watcher.run.hook(part, stops)
        elif part in watcher.linear:
            watcher.run.before(part, watcher.enters)


def _functions(watcher: _Watcher) -> Any:
    """A context in which the activation functions that are called, and are no modules, are seen."""
    torch: Any = sys.modules["torch"]

    class Watch(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            output = function(*args, **(kwargs or {}))
            name = getattr(function, "__name__", "").rstrip("_")
            if name in FUNCTIONAL and not watcher.inside:
                watcher.returns("", name, output)
            return output

    watcher.inside = 0
    return Watch()


def _is_activation(part: Any) -> bool:
    kind = type(part)
    if [*part.children()] or kind.__name__.startswith(NOT_ONE):
        return False
    home = kind.__module__
    return (
        home.endswith("nn.modules.activation")
        or home == "transformers.activations"
        or bool(NAMED.search(kind.__name__))
    )


def _products(linear: set[str]) -> set[str]:
    """The linear maps that read the hidden layer, by the names that models give them: fc2, linear2, down_proj."""
    found = set()
    for inner, outer, _ in naming.FAMILIES:
        for name in linear:
            if name == outer or name.endswith(f".{outer}"):
                prefix = name.removesuffix(outer)
                found |= {name} & ({name} if f"{prefix}{inner}" in linear else set())
    return found


def _features(part: Any, inputs: int) -> int:
    """The number of outputs of a linear map."""
    for name in ("out_features", "nf"):
        if isinstance(getattr(part, name, None), int):
            return int(getattr(part, name))
    rows, columns = part.weight.shape[-2:]
    return int(rows if columns == inputs else columns)


def _mask(batch: Any) -> Any:
    """Which positions are inputs and not padding, if the batch says it."""
    mask = batch.get("attention_mask") if isinstance(batch, Mapping) else None
    return None if mask is None or np.ndim(mask) != 2 else plain("attention_mask", mask) != 0


def _result(watcher: _Watcher) -> Measurement | Measurements:
    candidates = [*watcher.found.values()]
    counts: dict[str, int] = {}
    for one in candidates:
        counts[one.name] = counts.get(one.name, 0) + 1
    named: dict[str, _Candidate] = {}
    for one in candidates:
        own = one.name and counts[one.name] == 1 and not one.gated
        named[one.name if own else one.reader or one.name] = one
    if not named:
        left = f" Not looked at: {', '.join(sorted(watcher.left))}." if watcher.left else ""
        raise ValueError(
            f"Argument 'network' must have an activation function that can be told; none was.{left} {HOOK}"
        )
    found = {name: _told(name, one, one.found, watcher) for name, one in named.items() if one.found is not None}
    others = sorted({*named} - {*found})
    if not found and watcher.layer is not None:
        readers = {name: f" (read by {one.reader})" if one.reader else "" for name, one in named.items()}
        listed = naming.listed([f"{name}{reader}" for name, reader in readers.items()])
        raise ValueError(
            f"Argument 'layer' must name an activation function or the linear map that reads it; {watcher.layer!r} "
            f"names none of {listed}."
        )
    if not found:
        raise ValueError("Argument 'X' must have at least one input; it has none.")
    left = naming.listed([*others, *sorted(watcher.left)]) if others or watcher.left else ""
    notes = (f"Not looked at: {left}.",) if left else ()
    if len(found) == 1:
        (only,) = found.values()
        return replace(only, notes=(*only.notes, *notes))
    return Measurements(found, ("X is what the model itself was given; it ran in evaluation mode.", *notes))


def _told(name: str, one: _Candidate, found: Measurement, watcher: _Watcher) -> Measurement:
    """The measurement with what is known of the layer."""
    kind = f"of the function {one.function}" if one.function.islower() else f"of {one.function} ({one.name})"
    what = f"outputs {kind}" if one.function else "what enters it; no activation function was seen"
    if one.gated:
        what = f"outputs {kind} times another factor"
    read = f", read by {one.reader}" if one.reader else ", read by no linear map as they are"
    last = "" if one.precision in ("float32", "float64") else ", counted in float32"
    notes = (
        f"Layer {name}: {what}{read}, seen while the model ran, in evaluation mode.",
        f"X is what the model itself was given{', without padding' if watcher.mask is not None else ''}.",
        f"Precision: {one.precision}{last}.",
    )
    return replace(found, n=one.inputs, outputs=one.outputs, gated=one.gated, notes=notes)
