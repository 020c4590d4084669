r"""How many neurons are active on given inputs, which ones, and what that saves: counted once, in one pass.

``measure`` runs a model, or takes a network and its inputs, or pre-activations, in memory, in a map or in batches. Of
the arrays of a network, which neurons are active is decided as in ``sparse_core.network.activity``, exactly at integer
points.

Paper: Definition 1 (how many are active at most), Definition 2 (the scale), section 1 on dead and dynamic sparsity.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from sparse_core import checks
from sparse_core._arrays import Array
from sparse_core.network import activity

from .activations import ACTIVATIONS
from .counting import Measurement, blocks, count, empty, known
from .layers import Layers, chosen, selection
from .networks import FUNCTIONS, Network, evaluating, is_module, last_step, plain, read
from .watching import watch

__all__ = ["measure"]

# After so many batches, a power of 2, a line says how many there were, and again after twice as many.
TOLD_BATCHES = 64
TINY = np.finfo(np.float64).tiny


def measure(network: Any, X: Any = None, *, layer: str | None = None, above: float | None = None) -> Layers:
    """max_x |R_x|, mean |R_x|, who is dead, dynamic or always on, and more, of each layer, over all the inputs.

    A model is run, in evaluation mode, and what its activation functions return is counted, whatever stands between.
    The result is a mapping from the names of layers to a ``Measurement``, in the order of the network; ``only`` is the
    one of a single layer. To run a model in your own way, as in ``generate`` or a loop of training, use ``watch``.

    Parameters
    ----------
    network : a module of PyTorch; a model of Keras; a fitted MLP of scikit-learn, or a pipeline that ends in one;
        arrays (u, W, b) of Definition 1, or a ``SparseNetwork``. Without X, the pre-activations z themselves, an array
        (inputs, neurons), or with ``above`` the outputs.
    X : inputs (m, n), one in each row; of more axes than two, all but the last count inputs. An array, a table, a
        memory map, a tensor, or an iterable of such batches, which is read once. A module of PyTorch is given each
        batch as it is: dictionaries as keywords, a tuple as its arguments. Positions that a mask among these hides are
        not counted.
    layer : which layers, by the name of an activation function or of the linear map that reads it, or by a pattern.
    above : counts outputs above this size, in place of those that are not 0, or of more than 0.01 for functions as
        GELU.

    Notes
    -----
    Samples of independent inputs bound a maximum from below. If the lengths of shards are multiples of ALIGNMENT, the
    sum of their measurements is that of the whole; otherwise 16 inputs that follow each other may be others.

    >>> found = measure(([1, -1], [[1, 1], [-1, -1]], [1, 1]), [[1, 1], [1, -1], [-1, -1], [-1, 1]]).only
    >>> found.max_active, found.mean_active, found.dead, found.saved["skip neurons"]
    (1, 0.5, 0, 0.75)
    """
    layer, above = selection(layer, above)
    if X is None:
        return _of_arrays(network, above)
    network, X = last_step(network, X)
    if hasattr(network, "get_weights"):
        return _of_keras(network, X, layer, above)
    if is_module(network):
        return _of_module(network, X, layer, above)
    return _of_network(read(network), X, layer, above)


def _of_arrays(Z: Any, above: float | None) -> Layers:
    """The measurement of pre-activations, or of outputs, in arrays."""
    if callable(Z) or isinstance(Z, tuple) or hasattr(Z, "fit"):
        raise ValueError("Argument 'X' must be given: the inputs on which the network is measured.")
    note = f"{'Pre-activations' if above is None else 'Outputs'} were given: weights and inputs are not known."
    found: Measurement | None = None
    for block in blocks("network", batches("network", Z)):
        found = found or empty(block.shape[1], above or 0.0)
        count(found, np.where(block > 0, block, 0) if above is None else block)
    if found is None:
        raise ValueError("Argument 'network' must have at least one row, which is an input; it has none.")
    return Layers({"0": known(found, notes=(note,))})


def _of_network(network: Network, X: Any, layer: str | None, above: float | None) -> Layers:
    """The hidden layers of a network of affine maps, each on what the ones before it make of X."""
    above = ACTIVATIONS.get(network.function, 0.0) if above is None else above
    counted = [empty(len(A), above) for A, _ in network.maps[:-1]]
    for x in blocks("X", batches("X", X), network.maps[0][0].shape[1]):
        for one, A in zip(counted, _outputs(network, x.astype(np.float64)), strict=True):
            count(one, A)
    if not counted[0].inputs:
        raise ValueError("Argument 'X' must have at least one row, which is an input; it has none.")
    found: dict[str, Measurement] = {}
    for i, one in enumerate(counted):
        facts = {"n": network.maps[i][0].shape[1], "outputs": len(network.maps[i + 1][0])}
        found[str(i)] = known(one, **facts, notes=network.notes)
    shown = {name: one for name, one in found.items() if chosen(layer, name)}
    if not shown:
        raise ValueError(f"Argument 'layer' must name one of {', '.join(found)}, not be {layer!r}.")
    return Layers(shown)


def _outputs(network: Network, x: Array) -> list[Array]:
    """The outputs of each hidden layer, of relu with the signs that activity has."""
    with np.errstate(over="ignore", invalid="ignore"):
        Z = network.run(x)[:-1]
    if not all(np.isfinite(z).all() for z in Z):
        raise ValueError("Arguments 'network' and 'X' must be smaller: sums of theirs are not finite numbers.")
    found = [FUNCTIONS[network.function](z) for z in Z]
    if network.function == "relu" and activity.integral(x):
        A, c = network.maps[0]
        found[0] = np.where(activity.active(A, -c, x), np.maximum(found[0], TINY), 0)
    return found


def _of_keras(model: Any, X: Any, layer: str | None, above: float | None) -> Layers:
    """The outputs of those layers of a model of Keras that are, or end in, an activation function."""
    functions = {part.name: _function(part) for part in model.layers}
    parts = {name: model.get_layer(name).output for name, function in functions.items()
             if function in ACTIVATIONS and chosen(layer, name)}  # fmt: skip
    if not parts:
        raise ValueError(f"Argument 'layer' must name one of {', '.join(functions)} with an activation function.")
    run = sys.modules["keras"].Model(model.inputs, parts)
    found: dict[str, Measurement] = {}
    for batch in batches("X", X):
        for name, output in run(batch).items():
            limit = ACTIVATIONS[functions[name]] if above is None else above
            for block in blocks("network", [output]):
                count(found.setdefault(name, empty(block.shape[1], limit)), block)
    notes = {name: (f"Layer {name}: outputs of {functions[name]}, seen while the model ran.",) for name in parts}
    return Layers({name: known(found[name], notes=notes[name]) for name in parts if name in found})


def _function(part: Any) -> str:
    """The name of the activation function that a layer of Keras has, or is."""
    function = getattr(part, "activation", part)
    return str(getattr(function, "__name__", type(function).__name__.lower()))


def _of_module(model: Any, X: Any, layer: str | None, above: float | None) -> Layers:
    """What a module of PyTorch returns, run on each batch in evaluation mode."""
    model = getattr(model, "_orig_mod", model)
    notes: dict[str, None] = {}
    ran = 0
    with watch(model, layer=layer, above=above) as seen, evaluating(model):
        for ran, batch in enumerate(batches("X", X), start=1):
            given = _arguments(model, batch) if isinstance(batch, tuple) else batch
            if given is not batch and len(given) < len(batch):
                notes[f"Of each batch of {len(batch)} the model was given the first {len(given)}."] = None
            _run(model, given)
            if ran >= TOLD_BATCHES and ran.bit_count() == 1:
                print(f"measure: {ran} batches", file=sys.stderr, flush=True)
    if not ran:
        raise ValueError("Argument 'X' must have at least one batch; it has none.")
    found = seen.layers
    if found:
        return Layers(found, (*notes, *found.notes))
    if seen.names:
        raise ValueError(f"Argument 'layer' must name one of {', '.join(seen.names)}, not be {layer!r}.")
    raise ValueError(
        "Argument 'network' must call an activation function that is in sparse_meter.activations; none was seen. "
        + " ".join(found.notes)
    )


def _run(model: Any, batch: Any) -> None:
    """Run a module on a batch, moved to its device and precision."""
    tensors = [*model.parameters(), *model.buffers()]
    device = next((one.device for one in tensors), "cpu")
    dtype = next((one.dtype for one in tensors if one.is_floating_point()), None)
    values: Any = [batch]
    keywords: Mapping[str, Any] = {}
    if isinstance(batch, Mapping):
        values, keywords = [], batch
    elif isinstance(batch, tuple):
        values = batch
    values = [_tensor("X", value, device, dtype) for value in values]
    keywords = {name: _tensor(name, value, device, dtype) for name, value in keywords.items()}
    try:
        model(*values, **keywords)
    except Exception as error:
        first = (str(error).splitlines() or [""])[0]
        raise ValueError(f"The model cannot be run on X: {type(error).__name__}: {first}") from error


def _arguments(model: Any, batch: tuple[Any, ...]) -> tuple[Any, ...]:
    """Those of a tuple that a model takes: (x, y) of a loader has labels, which it does not take; a mask it does."""
    try:
        taken = [*inspect.signature(model.forward).parameters.values()]
    except ValueError:
        return batch
    if any(one.kind == one.VAR_POSITIONAL for one in taken):
        return batch
    positional = [one for one in taken if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    count = max(1, sum(one.default is one.empty for one in positional))
    for value, one in zip(batch[count:], positional[count:], strict=False):
        if "mask" not in one.name or not _is_mask(value, batch[:count]):
            break
        count += 1
    return batch[:count]


def _is_mask(value: Any, inputs: tuple[Any, ...]) -> bool:
    """Whether an array has a 0 or a 1 for each position of an input; labels have not."""
    array = plain("X", value)
    return any(array.shape == np.shape(one)[:2] for one in inputs) and bool(np.isin(array, (0, 1)).all())


def _tensor(name: str, value: Any, device: Any, dtype: Any) -> Any:
    """The tensor of an array; what is no array, as an option in a dictionary, as it is."""
    torch: Any = sys.modules["torch"]
    listed = isinstance(value, (list, tuple)) and isinstance([*value, None][0], (int, float, list, tuple))
    if listed or isinstance(value, np.ndarray) or hasattr(value, "to_numpy"):
        value = torch.tensor(checks.real_array("X", plain("X", value), None, convert=False, finite=False))
    if not isinstance(value, torch.Tensor):
        return value
    if not value.is_floating_point():
        return value.to(device=device)
    if "mask" not in name:
        checks.real_array("X", plain("X", value), None, convert=False)
    return value.detach().to(device=device, dtype=dtype)


def batches(name: str, X: Any) -> Iterable[Any]:
    """The batches in X: X alone, if it is one array, a table, a tuple or a dictionary; otherwise what X iterates.

    >>> len(list(batches("X", [[1, 2], [3, 4]]))), len(list(batches("X", [np.ones((2, 2)), np.ones((1, 2))])))
    (1, 2)
    """
    if isinstance(X, (str, bytes)) or not (hasattr(X, "__iter__") or hasattr(X, "__array__")):
        raise TypeError(f"Argument '{name}' must be an array or an iterable of arrays, not {type(X).__name__}.")
    alone = hasattr(X, "shape") or isinstance(X, (Mapping, tuple))
    if isinstance(X, list):
        alone = not X or not (getattr(X[0], "ndim", 0) >= 2 or isinstance(X[0], (Mapping, tuple)))
    return [X] if alone else map(_as_tuple, X)


def _as_tuple(batch: Any) -> Any:
    """A batch of a loader, which is a list where PyTorch's own means a tuple."""
    if isinstance(batch, list) and batch and getattr(batch[0], "ndim", 0) >= 1:
        return tuple(batch)
    return batch
