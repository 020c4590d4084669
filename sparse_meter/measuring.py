r"""How many neurons are active on given inputs, which ones, and what that saves: counted once, in one pass.

``measure`` runs a model, or takes a layer and its inputs, or pre-activations, in memory, in a map or in batches. Which
neurons are active is decided as in ``sparse_core.network.activity``: in float64 exactly at integer points, otherwise by
the z that is computed, in float32, or in float64 if the layer or the inputs are.

Paper: Definition 1 (how many are active at most), Definition 2 (the scale), section 1 on dead and dynamic sparsity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from math import isfinite, sqrt
from threading import local
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from sparse_core import checks
from sparse_core.network import activity
from sparse_core.network.network import Scale, SparseNetwork
from sparse_core.network.training import Layered

from . import counting, naming, running
from .counting import Measurement, Measurements
from .layer import Layer, Unit, as_layer, kind_of, last_step, plain

__all__ = ["measure"]

GRAPH = (
    "Argument 'network' must be a model of Keras whose layers run one after the other; of another, measure the "
    "outputs of keras.Model(model.inputs, layer.output), with activation='nonzero'."
)
# The largest size of an entry of the inputs: the sum of the squares of a row is then a float64.
MAX_SIZE = 1e150


@overload
def measure(
    network: Layer | SparseNetwork | Mapping[str, Any] | list[Any] | tuple[Any, ...] | NDArray[Any],
    X: Any = None,
    *,
    layer: str | None = None,
    activation: str | Unit | None = None,
) -> Measurement: ...


@overload
def measure(network: Any, X: Any = None, *, layer: str | None = None, activation: str | Unit | None = None) -> Any: ...


def measure(network: Any, X: Any = None, *, layer: str | None = None, activation: str | Unit | None = None) -> Any:
    """max_x |R_x|, mean |R_x|, who is dead, dynamic or always on, and more, over all the inputs.

    A model is run: of a module of PyTorch, a ``Sequential`` of Keras or an MLP of scikit-learn with several hidden
    layers, what is counted is what its activation functions return, whatever stands between. X is then the input of
    the model; the result is a ``Measurement``, or ``Measurements``, a dictionary of them by the names of layers.
    Weights alone, in arrays, dictionaries and files, are one layer, and X is the input of that layer.

    Parameters
    ----------
    network : a model; or what ``as_layer`` takes, as arrays (u, W, b), a ``state_dict()`` or ``files.read(path)``.
        Without X, the pre-activations z themselves, an array (inputs, neurons), or the outputs.
    X : inputs (m, n), one in each row. Of more axes than two, all but the last count inputs, as positions in batches.
        An array, a memory map, a tensor, or an iterable of such batches, which is read once. A module of PyTorch is
        given each batch as it is; of a batch (x, y) the first; dictionaries as keywords, where positions that the
        entry "attention_mask" hides are not counted.
    layer : of a module, an activation function or the linear map that reads it, by name; otherwise as for
        ``as_layer``.
    activation : who counts as active, as for ``Unit``: of weights, their activation function, which is otherwise
        assumed to be ReLU; of outputs that are seen, "nonzero" or "above:t".

    Notes
    -----
    For functions like ReLU the active neurons are those whose output is not 0. GELU, SiLU and products of gate and
    value are hardly ever 0: counted is |output| > 0.01, and the report says which threshold drops 50 and 90 % of them.

    Samples of independent inputs bound a maximum from below, and a share up to a confidence interval. If the lengths of
    shards are multiples of ALIGNMENT, the sum of their measurements is that of the whole to the last bit; otherwise
    only signs of pre-activations within round-off of 0 may differ. Those of given pre-activations never do.

    What a part of any other model returns, saved while it runs:

        saved = []
        handle = model.layers[3].fc1.register_forward_hook(lambda part, inputs, output: saved.append(output.detach()))
        model(X)
        measure(saved)                              # fc1 gives pre-activations; of outputs, activation="nonzero"

    >>> found = measure(([1, -1], [[1, 1], [-1, -1]], [1, 1]), [[1, 1], [1, -1], [-1, -1], [-1, 1]])
    >>> found.max_active, found.mean_active, found.dead, found.saved["skip neurons"]
    (1, 0.5, 0, 0.75)
    """
    naming.name("layer", layer)
    if X is None:
        return _of_pre_activations(network, activation)
    network, X = last_step(network, X)
    kind = kind_of(network)
    if kind == "keras":
        return _of_keras(network, X, layer, activation)
    if kind == "torch":
        return running.seen(network, X, layer, activation)
    if (kind == "layered" and len(network.W) > 2) or (kind == "sklearn" and len(network.coefs_) > 2):
        return _of_several(network, X, layer, activation)
    found = as_layer(network, layer, activation)
    given = "" if kind == "sklearn" else "X is the input of this layer; what stands before it is not looked at."
    return _of_layer(replace(found, notes=(*found.notes, given) if given else found.notes), X)


def _of_layer(known: Layer, X: Any) -> Measurement:
    """The measurement of one layer on its own inputs."""
    W = known.W
    shift = known.b + np.asarray(0 if known.unit.by_size else known.unit.threshold, dtype=known.b.dtype)
    plain_unit = known.unit if known.unit.by_size or known.unit.k else Unit("relu")
    reach = float(np.abs(W).sum(axis=1, dtype=np.float64).max())
    offset = float(np.abs(shift).max())
    scale, balanced_W = _scale(known)
    unit = repr(known.unit)
    workspace = local()  # one z for each thread: new memory costs as much as the product of a narrow layer

    def count(block: NDArray[Any]) -> Measurement:
        dtype = np.result_type(block, W, shift)
        size = max(float(block.max(initial=0)), -float(block.min(initial=0)))
        if not (size < MAX_SIZE and size * reach + offset < float(np.finfo(dtype).max) / 4):
            checks.entries("X", block, np.isfinite(block), "must be finite")
            raise ValueError(f"Arguments 'network' and 'X' must be smaller: sums of theirs overflow {dtype.name}.")
        block = block.astype(dtype, copy=False)
        entries = known.s * len(block)
        if workspace.__dict__.get("z") is None or workspace.z.dtype != dtype or workspace.z.size < entries:
            workspace.z = np.empty(entries, dtype)
        # The pre-activations of a neuron stand beside each other: those of an input are then counted quickly.
        memory = workspace.z[:entries].reshape(known.s, len(block))
        z = np.matmul(W.astype(dtype, copy=False), block.T, out=memory).T
        z -= shift
        if dtype == np.float64 and not known.unit.by_size:
            _settle(z, W, shift, block)
        up = block @ known.up.T if known.up is not None and known.unit.by_size else None
        doubles = block.astype(np.float64, copy=False)
        R = sqrt(np.einsum("ij,ij->i", doubles, doubles).max())
        return counting.counted(
            z, plain_unit, up, unit, n=known.n, outputs=known.outputs, gated=known.up is not None, scale=scale,
            balanced_W=balanced_W, R=R, notes=(*known.notes, f"Precision: {dtype.name}."),
        )  # fmt: skip

    return counting.added("X", X, count, known.n, known.s)


def _settle(z: NDArray[Any], W: NDArray[Any], b: NDArray[Any], X: NDArray[Any]) -> None:
    """Give z the signs that ``activity`` decides on."""
    terms = activity.parts(W, b, X)
    if len(terms) > 1:
        active = activity.settled(z, terms, X, activity.round_off(W, b, X))
        wrong = np.nonzero(active != (z > 0))
        z[wrong] = np.where(active[wrong], np.finfo(np.float64).tiny, 0)


def _of_pre_activations(Z: Any, activation: str | Unit | None) -> Measurement:
    """The measurement of pre-activations z, or of outputs, whose weights are not known."""
    if kind_of(Z) not in ("", "definition", "four"):
        raise ValueError("Argument 'X' must be given: the inputs on which the network is measured.")
    unit = Unit.parse("relu" if activation is None else activation)
    seen = unit.kind in ("nonzero", "above")
    what = "Outputs" if seen else "Pre-activations"
    how = "" if seen or activation is not None else "; ReLU is assumed (activation= names another function)"
    return counting.of_arrays("network", Z, unit, notes=(f"{what} were given: weights and inputs are not known{how}.",))


def _of_several(network: Any, X: Any, layer: str | None, activation: str | Unit | None) -> Measurement | Measurements:
    """The hidden layers of an MLP with several, each on what the ones before it make of X."""
    if isinstance(network, Layered):
        pairs = zip(network.W[:-1], network.b[:-1], network.W[1:], strict=True)
        layers = [Layer(W, b, U, notes=("One neuron in each row of W.",)) for W, b, U in pairs]
    else:
        layers = [as_layer(network, str(i)) for i in range(len(network.coefs_) - 1)]

    def step(i: int, known: Layer, x: NDArray[Any], wanted: bool) -> tuple[NDArray[Any], Measurement | None]:
        found = None
        # Also where this layer is not counted: relu would turn an infinite sum into a harmless 0.
        x = checks.real_array("X", x, None, convert=False)
        if x.shape[-1:] != (known.n,):
            raise ValueError(f"Argument 'X' must have {known.n} columns, not {x.shape[-1] if x.ndim else 'none'}.")
        if wanted:
            note = f"Layer {i}, hidden layer {i + 1} of {len(layers)}: its inputs were computed from X, the model's."
            unit = known.unit if activation is None else Unit.parse(activation)
            found = _of_layer(replace(known, unit=unit, notes=(note, *known.notes)), x)
        z = x @ known.W.T - known.b
        return known.unit.output(z) if known.unit.by_size else np.maximum(z, 0), found

    return _in_turn({str(i): partial(step, i, known) for i, known in enumerate(layers)}, X, layer)


def _of_keras(model: Any, X: Any, layer: str | None, activation: str | Unit | None) -> Measurement | Measurements:
    """The layers of a model of Keras that is a sequence: what it returns must be what they give in their turn."""

    def step(part: Any, x: Any, wanted: bool) -> tuple[Any, Measurement | None]:
        function = getattr(getattr(part, "activation", None), "__name__", type(part).__name__)
        try:
            outputs = part(x)
        except Exception as error:  # a layer that takes several inputs
            raise ValueError(GRAPH) from error
        if not wanted or not (running.NAMED.search(function) or function in ("tanh", "sigmoid", "elu", "selu")):
            return outputs, None
        array = plain(part.name, outputs)
        notes = (
            f"Layer {part.name}: outputs of {function}, seen while the model ran.",
            "X is what the model itself was given.",
            f"Precision: {array.dtype.name}.",
        )
        unit = running.unit_of(function) if activation is None else Unit.parse(activation)
        return outputs, counting.of_arrays("network", array, unit, notes=notes)

    return _in_turn({part.name: partial(step, part) for part in model.layers}, X, layer, model)


def _in_turn(
    steps: dict[str, Callable[..., tuple[Any, Measurement | None]]], X: Any, layer: str | None, whole: Any = None
) -> Measurement | Measurements:
    """What steps return beside their outputs, of which each is the input of the next one, added for all batches.

    whole : a function of the input that must be equal to all steps together.
    """
    found: dict[str, Measurement] = {}
    for batch in counting.given("X", X):
        x = first = plain("X", batch)
        for name, step in steps.items():
            x, part = step(x, running.chosen(layer, name))
            if part is not None:
                found[name] = found[name] + part if name in found else part
        if whole and not np.allclose(plain("network", x), plain("network", whole(first)), rtol=1e-4, atol=1e-6):
            raise ValueError(GRAPH)
    if not found:
        raise ValueError(
            f"Argument 'X' must have at least one row, and argument 'layer' name one of {', '.join(steps)} that has an "
            f"activation function, not be {layer!r}."
        )
    return next(iter(found.values())) if len(found) == 1 else Measurements(found, ("X is the input of the model.",))


def _scale(layer: Layer) -> tuple[Scale | None, float | None]:
    """(W, B) of Definition 2, the largest over all outputs, and max_j |u_j| ||w_j||; None where it does not apply."""
    if layer.U is None or not len(layer.U) or layer.up is not None or layer.unit.kind not in ("relu", "shifted"):
        return None, None
    norms = np.sqrt(np.einsum("ij,ij->i", layer.W, layer.W, dtype=np.float64))
    u = np.abs(layer.U).max(axis=0).astype(np.float64)
    largest = float(u.max())
    scale = Scale(largest * float(norms.max()), largest * float(np.abs(layer.b + layer.unit.threshold).max()))
    if not (isfinite(scale.W) and isfinite(scale.B)):
        raise ValueError("Argument 'network' must have smaller weights: its scale (W, B) is not a finite number.")
    return scale, float((u * norms).max())
