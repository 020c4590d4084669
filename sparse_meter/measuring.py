r"""How many neurons are active on given inputs, which ones, and what that saves: counted once, in one pass.

``measure`` runs a model, or takes a network and its inputs, or pre-activations, in memory, in a map or in batches. Of
the arrays of a network, which neurons are active is decided as in ``sparse_core.network.activity``, exactly at integer
points.

Paper: Definition 1 (how many are active at most), Definition 2 (the scale), section 1 on dead and dynamic sparsity.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
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
    >>> found.max_active, found.mean_active, found.dead
    (1, 0.5, 0)
    """
    layer, above = selection(layer, above)
    if X is None:
        return _counted(*_of_arrays(network, above), layer, above)
    network, X = last_step(network, X)
    if hasattr(network, "get_weights"):  # a model of Keras, perhaps a module of PyTorch as well
        return _counted(*_of_keras(network, X), layer, above)
    if is_module(network):
        return _of_module(network, X, layer, above)
    return _counted(*_of_network(read(network), X), layer, above)


# What each layer returns, batch by batch; the function of each layer; and what was assumed.
Outputs = tuple[Iterable[Mapping[str, Any]], Mapping[str, str], tuple[str, ...]]


def _counted(
    outputs: Iterable[Mapping[str, Any]],
    functions: Mapping[str, str],
    notes: tuple[str, ...],
    layer: str | None,
    above: float | None,
) -> Layers:
    """The measurement of what layers return."""
    names = [name for name in functions if chosen(layer, name)]
    if not names:
        raise ValueError(f"Argument 'layer' must name one of {', '.join(functions)}, not be {layer!r}.")
    found: dict[str, Measurement] = {}
    for batch in outputs:
        for name in names:
            for block in blocks("network", [batch[name]]):
                if name not in found:
                    found[name] = empty(block.shape[1], ACTIVATIONS.get(functions[name], 0.0), above)
                count(found[name], block)
    return Layers({name: known(one, (f"Outputs of {functions[name]}.",)) for name, one in found.items()}, notes)


def _of_arrays(Z: Any, above: float | None) -> Outputs:
    """Pre-activations, or outputs, in arrays."""
    if callable(Z) or isinstance(Z, tuple) or hasattr(Z, "fit"):
        raise ValueError("Argument 'X' must be given: the inputs on which the network is measured.")
    given = blocks("network", batches("network", Z))
    if above is None:
        return ({"0": np.where(z > 0, z, 0)} for z in given), {"0": "relu"}, ("Pre-activations were given.",)
    return ({"0": a} for a in given), {"0": "a layer"}, ("Outputs were given.",)


def _of_network(network: Network, X: Any) -> Outputs:
    """The hidden layers of a network of affine maps, each on what the ones before it make of X."""
    names = [str(i) for i in range(len(network.maps) - 1)]
    given = blocks("X", batches("X", X), network.maps[0][0].shape[1])
    outputs = (dict(zip(names, _outputs(network, x.astype(np.float64)), strict=True)) for x in given)
    return outputs, dict.fromkeys(names, network.function), network.notes


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


def _of_keras(model: Any, X: Any) -> Outputs:
    """Those layers of a model of Keras that are, or end in, an activation function."""
    functions = {part.name: _function(part) for part in model.layers}
    functions = {name: function for name, function in functions.items() if function in ACTIVATIONS}
    if not functions:
        raise ValueError("Argument 'network' must have a layer with an activation function; it has none.")
    notes = tuple(f"Not looked at: the layers in {part.name}." for part in model.layers if hasattr(part, "layers"))
    inputs = model.inputs
    if len(inputs) == 1:  # which is called without a list around it
        (inputs,) = inputs
    run = sys.modules["keras"].Model(inputs, {name: model.get_layer(name).output for name in functions})
    return map(run, batches("X", X)), functions, notes


def _function(part: Any) -> str:
    """The name of the activation function that a layer of Keras has, or is."""
    function = getattr(part, "activation", part)
    return str(getattr(function, "__name__", type(function).__name__.lower()))


def _of_module(model: Any, X: Any, layer: str | None, above: float | None) -> Layers:
    """What a module of PyTorch returns, run on each batch in evaluation mode."""
    model = getattr(model, "_orig_mod", model)
    notes: dict[str, None] = {}
    with watch(model, layer=layer, above=above) as seen, evaluating(model):
        for ran, batch in enumerate(batches("X", X), start=1):
            args, keywords = _arguments(model, batch)
            if isinstance(batch, tuple) and len(args) < len(batch):
                notes[f"Of each batch of {len(batch)} the model was given the first {len(args)}."] = None
            _run(model, args, keywords)
            if ran >= TOLD_BATCHES and ran.bit_count() == 1:
                print(f"measure: {ran} batches", file=sys.stderr, flush=True)
    found = seen.layers
    if found:
        return Layers(found, (*notes, *found.notes))
    if seen.names:
        raise ValueError(f"Argument 'layer' must name one of {', '.join(seen.names)}, not be {layer!r}.")
    raise ValueError(
        "Argument 'network' must call an activation function that is in sparse_meter.activations; none was seen. "
        + " ".join(found.notes)
    )


def _run(model: Any, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> None:
    """Run a module on what is moved to its device and precision."""
    tensors = [*model.parameters(), *model.buffers()]
    device = next((one.device for one in tensors), "cpu")
    dtype = next((one.dtype for one in tensors if one.is_floating_point()), None)
    args = tuple(_tensor("X", value, device, dtype) for value in args)
    keywords = {name: _tensor(name, value, device, dtype) for name, value in keywords.items()}
    try:
        model(*args, **keywords)
    except Exception as error:
        first = (str(error).splitlines() or [""])[0]
        raise ValueError(f"The model cannot be run on X: {type(error).__name__}: {first}") from error


def _arguments(model: Any, batch: Any) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """Those of a batch that a model takes: (x, y) of a loader has labels, which it does not take; a mask it does."""
    if isinstance(batch, Mapping):
        return (), batch
    if not isinstance(batch, tuple):
        return (batch,), {}
    given: tuple[Any, ...] = ()
    try:
        taken = [*inspect.signature(model.forward).parameters.values()]
    except ValueError:
        return batch, {}
    for value, one in zip(batch, taken, strict=False):
        if one.kind == one.VAR_POSITIONAL:
            return batch, {}
        optional = given and one.default is not one.empty
        if optional and not ("mask" in one.name and _is_mask(value, given)):
            break
        given += (value,)
    return given, {}


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


def batches(name: str, X: Any) -> Iterator[Any]:
    """The batches in X: X alone, if it is one array, a table, a tuple or a dictionary; otherwise what X iterates.

    >>> len(list(batches("X", [[1, 2], [3, 4]]))), len(list(batches("X", [np.ones((2, 2)), np.ones((1, 2))])))
    (1, 2)
    """
    if isinstance(X, (str, bytes)) or not (hasattr(X, "__iter__") or hasattr(X, "__array__")):
        raise TypeError(f"Argument '{name}' must be an array or an iterable of arrays, not {type(X).__name__}.")
    alone = hasattr(X, "shape") or isinstance(X, (Mapping, tuple))
    if isinstance(X, list):
        alone = not X or not (getattr(X[0], "ndim", 0) >= 2 or isinstance(X[0], (Mapping, tuple)))
    batch = None
    for batch in [X] if alone else map(_as_tuple, X):
        yield batch
    if batch is None:
        raise ValueError(f"Argument '{name}' must have at least one batch; it has none.")


def _as_tuple(batch: Any) -> Any:
    """A batch of a loader, which is a list where PyTorch's own means a tuple."""
    if isinstance(batch, list) and batch and getattr(batch[0], "ndim", 0) >= 1:
        return tuple(batch)
    return batch
