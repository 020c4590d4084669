r"""What the activation functions of a model return while it runs: whatever stands between its layers, it is seen.

``seen`` runs a module of PyTorch on its inputs and counts what its activation functions return, modules and functions
alike. An output is named after the module that returns it, or after the linear map that reads it. Where an output is
multiplied by another factor before it is read, as gate and value are in Llama, the product is counted.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from . import counting, naming
from .counting import Measurement, Measurements
from .layer import SEEN, Unit, plain
from .modules import call, watched

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
# The classes of linear maps, which read hidden layers, and the functions that multiply two tensors.
LINEAR = re.compile("Linear|Conv1D")
PRODUCTS = ("mul", "__mul__", "multiply", "__rmul__", "mul_", "__imul__")
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


def chosen(layer: str | None, *names: str) -> bool:
    """Whether ``layer`` is one of these names, a pattern of one, or a part of one between dots; None is all.

    >>> chosen("1", "layers.1.act", ""), chosen("*.fc2", "layers.1.act", "")
    (True, False)
    """
    return layer is None or any(name and (fnmatchcase(name, layer) or f".{layer}." in f".{name}.") for name in names)


@dataclass(eq=False)
class _Output:
    """What an activation function returned, or its product with another factor, until it is known who reads it."""

    name: str
    function: str
    tensor: Any
    gated: bool = False


@dataclass
class _Candidate:
    """One layer: the activation function, the linear map that reads it, and what was counted."""

    name: str
    function: str
    gated: bool
    reader: str
    n: int | None
    outputs: int | None
    precision: str = ""
    found: Measurement | None = None


class _Watcher:
    """What runs, in its order: outputs of activation functions, products with them, and what linear maps read."""

    def __init__(self, model: Any, layer: str | None, unit: Unit | None) -> None:
        self.names = {part: name for name, part in model.named_modules() if name or not [*model.children()]}
        self.linear = {part: name for part, name in self.names.items() if LINEAR.search(type(part).__name__)}
        # The maps that read a hidden layer by the names that models give them, whatever activation function is before.
        named = [(name, inner, outer) for inner, outer, _ in naming.FAMILIES for name in self.linear.values()]
        self.outer = {
            name.removesuffix(inner) + outer for name, inner, outer in named if f".{name}".endswith(f".{inner}")
        }
        self.activations = [part for part in self.names if part not in self.linear and _is_activation(part)]
        self.convolved = any(type(part).__name__.startswith("Conv") for part in self.names)
        self.layer = layer
        self.exact = layer in [self.names[part] for part in (*self.linear, *self.activations)]
        self.unit = unit
        self.found: dict[tuple[str, str, int], _Candidate] = {}
        self.waiting: list[_Output] = []
        self.widths: dict[int, int] = {}
        self.left: set[str] = set()
        self.unread: dict[str, int] = {}
        self.inside = 0
        self.mask: Any = None

    def returns(self, name: str, function: str, tensor: Any, gated: bool = False) -> None:
        """An activation function returns its output."""
        if getattr(tensor, "ndim", 0) >= 1:
            self.waiting.append(_Output(name, function, tensor, gated))
            if len(self.waiting) > KEPT:
                self.passes(self.waiting.pop(0))

    def multiplies(self, factors: Any, product: Any) -> None:
        """Of two factors of one shape, the output of an activation function gives way to the product."""
        if len(factors) == 2 and all(getattr(factor, "shape", None) == product.shape for factor in factors):
            for output in [output for output in self.waiting if any(output.tensor is factor for factor in factors)]:
                self.waiting.remove(output)
                self.returns(output.name, output.function, product, gated=True)

    def enters(self, part: Any, inputs: Any) -> None:
        """A linear map reads its input: the output of an activation function, or anything."""
        x: Any = inputs[0] if inputs else None
        if getattr(x, "ndim", 0) < 1:
            return
        reader = self.linear[part]
        same = [output for output in self.waiting if output.tensor.data_ptr() == x.data_ptr()]
        same = [output for output in same if output.tensor.numel() == x.numel()]
        if same:
            self.waiting.remove(same[-1])
            self.takes(same[-1], x, reader)
        elif reader == self.layer or reader in self.outer:
            self.takes(_Output("", "", x), x, reader)
        self.widths[_features(part, int(x.shape[-1]))] = int(x.shape[-1])

    def passes(self, output: _Output) -> None:
        """Something else than a linear map reads an output."""
        name = output.name or output.function
        self.unread[name] = self.unread.get(name, 0) + 1
        name += f" (call {self.unread[name]})" if self.unread[name] > 1 or not output.name else ""
        if output.tensor.ndim >= 3 and self.convolved:
            self.left.add(f"{name} (after convolutions)")  # of which the neurons are no entries of the last axis
        else:
            self.takes(replace(output, name=name), output.tensor, "")

    def takes(self, output: _Output, tensor: Any, reader: str) -> None:
        """Count an output, if it is asked for."""
        s = int(tensor.shape[-1])
        key = (output.name, reader, s)
        if key not in self.found:
            reads = next((_features(part, s) for part, name in self.linear.items() if name == reader), None)
            n = self.widths.get(s)
            self.found[key] = _Candidate(output.name, output.function, output.gated, reader, n, reads)
        names = (output.name, reader)
        if not (self.layer in names if self.exact else chosen(self.layer, *names)):
            return
        candidate = self.found[key]
        candidate.precision = str(tensor.dtype).removeprefix("torch.")
        A = plain("network", tensor).reshape(-1, s)
        if self.mask is not None and self.mask.size == len(A):
            A = A[self.mask.ravel()]
        if len(A):
            part = counting.of_arrays("network", A, self.unit or unit_of(output.function))
            candidate.found = part if candidate.found is None else candidate.found + part

    def runs(self, model: Any, batch: Any) -> None:
        """The model runs once, on the first of a batch (x, y), or on a dictionary whose mask may hide positions."""
        if isinstance(batch, (list, tuple)) and batch and counting.is_batch(batch[0]):
            batch = batch[0]
        mask = batch.get("attention_mask") if isinstance(batch, Mapping) else None
        self.mask = None if mask is None or np.ndim(mask) != 2 else plain("attention_mask", mask) != 0
        self.inside = 0
        try:
            with _functions(self):
                call(model, batch)
        except Exception as error:
            if isinstance(error, (ValueError, TypeError)) and str(error).startswith("Argument '"):
                raise
            first = (str(error).splitlines() or [""])[0]
            raise ValueError(f"The model cannot be run on X: {type(error).__name__}: {first}") from error
        while self.waiting:
            self.passes(self.waiting.pop(0))
        self.unread.clear()

    def starts(self, part: Any, inputs: Any) -> None:
        """An activation function that is a module begins: what it calls itself is not looked at."""
        self.inside += 1

    def stops(self, part: Any, inputs: Any, output: Any) -> None:
        """An activation function that is a module returns."""
        self.inside -= 1
        self.returns(self.names[part], type(part).__name__, output)


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
    watcher = _Watcher(model, layer, unit)
    batches = 0
    with watched(model) as hooks:
        for part in watcher.activations:
            hooks += [part.register_forward_pre_hook(watcher.starts), part.register_forward_hook(watcher.stops)]
        hooks += [part.register_forward_pre_hook(watcher.enters) for part in watcher.linear]
        for batch in counting.given("X", X):
            batches += 1
            watcher.runs(model, batch)
    if not batches:
        raise ValueError("Argument 'X' must have at least one batch; it has none.")
    return _result(watcher)


def _functions(watcher: _Watcher) -> Any:
    """A context in which functions that are called, and are no modules, are seen."""
    torch: Any = sys.modules["torch"]

    class Watch(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            output = function(*args, **(kwargs or {}))
            name = getattr(function, "__name__", "")
            if not watcher.inside and name in PRODUCTS:
                watcher.multiplies(args, output)
            elif not watcher.inside and name.rstrip("_") in FUNCTIONAL:
                watcher.returns("", name.rstrip("_"), output)
            return output

    return Watch()


def _is_activation(part: Any) -> bool:
    kind = type(part)
    if [*part.children()] or kind.__name__.startswith(NOT_ONE):
        return False
    known = kind.__module__.endswith(("nn.modules.activation", "transformers.activations"))
    return known or bool(NAMED.search(kind.__name__))


def _features(part: Any, inputs: int) -> int:
    """The number of outputs of a linear map."""
    rows, columns = part.weight.shape[-2:]
    return int(getattr(part, "out_features", getattr(part, "nf", rows if columns == inputs else columns)))


def _result(watcher: _Watcher) -> Measurement | Measurements:
    candidates = [*watcher.found.values()]
    names = [candidate.name for candidate in candidates]
    named = {}
    for candidate in candidates:
        own = candidate.name and names.count(candidate.name) == 1 and not candidate.gated
        named[candidate.name if own else candidate.reader or candidate.name] = candidate
    if not named:
        left = f" Not looked at: {', '.join(sorted(watcher.left))}." if watcher.left else ""
        raise ValueError(
            f"Argument 'network' must have an activation function that can be told; none was.{left} {HOOK}"
        )
    found = {name: _told(name, one, one.found, watcher) for name, one in named.items() if one.found is not None}
    if not found and watcher.layer is not None:
        readers = [f"{name} (read by {one.reader})" if one.reader else name for name, one in named.items()]
        raise ValueError(
            f"Argument 'layer' must name an activation function or the linear map that reads it; {watcher.layer!r} "
            f"names none of {naming.listed(readers)}."
        )
    if not found:
        raise ValueError("Argument 'X' must have at least one input; it has none.")
    others = sorted({*named} - {*found}) + sorted(watcher.left)
    notes = (f"Not looked at: {naming.listed(others)}.",) if others else ()
    if len(found) == 1:
        (only,) = found.values()
        return replace(only, notes=(*only.notes, *notes))
    return Measurements(found, ("X is what the model itself was given; it ran in evaluation mode.", *notes))


def _told(name: str, one: _Candidate, found: Measurement, watcher: _Watcher) -> Measurement:
    """The measurement with what is known of the layer."""
    kind = f"of the function {one.function}" if one.function.islower() else f"of {one.function} ({one.name})"
    what = f"outputs {kind}{' times another factor' if one.gated else ''}"
    what = what if one.function else "what enters it; no activation function was seen"
    read = f", read by {one.reader}" if one.reader else ", read by no linear map as they are"
    last = "" if one.precision in ("float32", "float64") else ", counted in float32"
    notes = (
        f"Layer {name}: {what}{read}, seen while the model ran, in evaluation mode.",
        f"X is what the model itself was given{', without padding' if watcher.mask is not None else ''}.",
        f"Precision: {one.precision}{last}.",
    )
    return replace(found, n=one.n, outputs=one.outputs, gated=one.gated, notes=notes)
