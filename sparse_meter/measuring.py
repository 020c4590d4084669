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
from math import isfinite, sqrt
from typing import Any

import numpy as np

from sparse_core import checks
from sparse_core._arrays import Array
from sparse_core.network import activity
from sparse_core.network.network import Scale

from . import networks
from .activations import threshold
from .counting import Counter, blocks
from .layers import Layers
from .networks import Network, last_step, plain
from .watching import chosen, evaluating, watch

__all__ = ["measure"]

# The largest size of an entry of the inputs: the sum of the squares of a row is then a float64.
MAX_SIZE = 1e150
# After so many batches a line says how many there were, and again after twice as many.
TOLD_BATCHES = 64


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
    Samples of independent inputs bound a maximum from below, and a share up to a confidence interval. If the lengths of
    shards are multiples of ALIGNMENT, the sum of their measurements is that of the whole; otherwise 16 inputs that
    follow each other may be others.

    >>> found = measure(([1, -1], [[1, 1], [-1, -1]], [1, 1]), [[1, 1], [1, -1], [-1, -1], [-1, 1]]).only
    >>> found.max_active, found.mean_active, found.dead, found.saved["skip neurons"]
    (1, 0.5, 0, 0.75)
    """
    if layer is not None and not isinstance(layer, str):
        raise TypeError(f"Argument 'layer' must be a name, as {str(layer)!r}, not {layer!r}.")
    above = None if above is None else checks.real("above", above, 0)
    if X is None:
        return _of_arrays(network, above)
    network, X = last_step(network, X)
    if networks.is_keras(network):
        return _of_keras(network, X, layer, above)
    if networks.is_module(network):
        return _of_module(network, X, layer, above)
    return _of_network(networks.read(network), X, layer, above)


def _of_arrays(Z: Any, above: float | None) -> Layers:
    """The measurement of pre-activations, or of outputs, in arrays."""
    if isinstance(Z, tuple) or any(fits(Z) for fits, _ in networks.READERS) or networks.is_keras(Z):
        raise ValueError("Argument 'X' must be given: the inputs on which the network is measured.")
    counter: Counter | None = None
    for block in blocks("network", (plain("network", part) for part in batches("network", Z))):
        counter = counter or Counter(block.shape[1], above or 0.0)
        counter.add(np.where(block > 0, block, 0) if above is None else block)
    if counter is None:
        raise ValueError("Argument 'network' must have at least one row, which is an input; it has none.")
    what = "pre-activation" if above is None else "output"
    note = f"{what.capitalize()}s were given: weights and inputs are not known."
    return Layers({"0": counter.measurement(what=what, notes=(note,))})


def _of_network(network: Network, X: Any, layer: str | None, above: float | None) -> Layers:
    """The hidden layers of a network of affine maps, each on what the ones before it make of X."""
    relu = network.function == "relu" and above is None
    counters = [Counter(len(A), threshold(network.function) or above or 0.0) for A, _ in network.maps[:-1]]
    R = 0.0
    for x in blocks("X", (plain("X", part) for part in batches("X", X)), network.maps[0][0].shape[1]):
        x = x.astype(np.float64)
        checks.entries("X", x, np.abs(x) < MAX_SIZE, f"must be less than {MAX_SIZE:g} in size")
        with np.errstate(over="ignore", invalid="ignore"):
            layers = network.run(x)
        if not all(np.isfinite(z).all() for z in layers):
            raise ValueError("Arguments 'network' and 'X' must be smaller: sums of theirs are not finite numbers.")
        if relu:
            _settle(layers[0], network.maps[0], x)
        for counter, z in zip(counters, layers, strict=False):
            counter.add(networks.FUNCTIONS[network.function](z))
        R = max(R, sqrt(np.einsum("ij,ij->i", x, x).max()))
    if not counters[0].inputs:
        raise ValueError("Argument 'X' must have at least one row, which is an input; it has none.")
    found = {}
    for i, counter in enumerate(counters):
        (A, _), (U, _) = network.maps[i : i + 2]
        facts: dict[str, Any] = {"n": A.shape[1], "outputs": len(U), "notes": network.notes}
        if relu:
            scale, balanced_W = _scale(network, i)
            facts |= {"what": "pre-activation", "scale": scale, "balanced_W": balanced_W, "R": R if i == 0 else None}
        found[str(i)] = counter.measurement(**facts)
    wanted = {name: one for name, one in found.items() if chosen(layer, name)}
    if not wanted:
        raise ValueError(f"Argument 'layer' must name one of {', '.join(found)}, not be {layer!r}.")
    return Layers(wanted)


def _settle(z: Array, layer: tuple[Array, Array], X: Array) -> None:
    """Give z the signs that ``activity`` decides on."""
    W, b = layer[0], -layer[1]
    terms = activity.parts(W, b, X)
    if len(terms) > 1:
        active = activity.settled(z, terms, X, activity.round_off(W, b, X))
        wrong = np.nonzero(active != (z > 0))
        z[wrong] = np.where(active[wrong], np.finfo(np.float64).tiny, 0)


def _scale(network: Network, i: int) -> tuple[Scale, float]:
    """(W, B) of Definition 2 of hidden layer i, the largest over all outputs, and max_j |u_j| ||w_j||."""
    (W, b), (U, _) = network.maps[i : i + 2]
    norms = np.sqrt(np.einsum("ij,ij->i", W, W))
    u = np.abs(U).max(axis=0, initial=0)
    largest = float(u.max())
    scale = Scale(largest * float(norms.max()), largest * float(np.abs(b).max()))
    if not (isfinite(scale.W) and isfinite(scale.B)):
        raise ValueError("Argument 'network' must have smaller weights: its scale (W, B) is not a finite number.")
    return scale, float((u * norms).max())


def _of_keras(model: Any, X: Any, layer: str | None, above: float | None) -> Layers:
    """The outputs of those layers of a model of Keras that are, or end in, an activation function."""
    function = {part.name: getattr(getattr(part, "activation", part), "__name__", type(part).__name__.lower())
                for part in model.layers}  # fmt: skip
    names = [name for name, kind in function.items() if threshold(kind) is not None and chosen(layer, name)]
    if not names:
        raise ValueError(f"Argument 'layer' must name one of {', '.join(function)} with an activation function.")
    outputs = sys.modules["keras"].Model(model.inputs, {name: model.get_layer(name).output for name in names})
    counters: dict[str, Counter] = {}
    for batch in batches("X", X):
        for name, output in outputs(batch).items():
            for block in blocks("network", [plain("network", output)]):
                limit = threshold(function[name]) if above is None else above
                counters.setdefault(name, Counter(block.shape[1], limit or 0.0)).add(block)
    notes = {name: (f"Layer {name}: outputs of {function[name]}, seen while the model ran.",) for name in names}
    ordered = {name: counters[name] for name in names if name in counters}
    return Layers({name: counter.measurement(notes=notes[name]) for name, counter in ordered.items()})


def _of_module(model: Any, X: Any, layer: str | None, above: float | None) -> Layers:
    """What a module of PyTorch returns, run on each batch in evaluation mode."""
    ran = told = 0
    notes: dict[str, None] = {}
    model = getattr(model, "_orig_mod", model)
    with watch(model, layer=layer, above=above) as seen, evaluating(model):
        for batch in batches("X", X):
            if isinstance(batch, tuple) and len(given := _arguments(model, batch)) < len(batch):
                notes[f"Of each batch of {len(batch)} the model was given the first {len(given)}."] = None
                batch = given
            _run(model, batch)
            ran += 1
            if ran >= max(TOLD_BATCHES, 2 * told):
                told = ran
                print(f"measure: {ran} batches", file=sys.stderr, flush=True)
    if not ran:
        raise ValueError("Argument 'X' must have at least one batch; it has none.")
    found = seen.layers
    if not found:
        names = [name for site in seen.sites.values() if site.stays for name in (site.own, *site.readers) if name]
        if names:
            raise ValueError(f"Argument 'layer' must name one of {', '.join(names)}, not be {layer!r}.")
        raise ValueError(
            "Argument 'network' must call an activation function that is in sparse_meter.activations; none was seen. "
            + " ".join(found.notes)
        )
    return Layers(found, (*notes, *found.notes))


def _run(model: Any, batch: Any) -> None:
    """Run a module on a batch, moved to its device and precision."""
    parameters = [*model.parameters(), *model.buffers()]
    device = next((tensor.device for tensor in parameters), "cpu")
    dtype = next((tensor.dtype for tensor in parameters if tensor.is_floating_point()), None)
    try:
        if isinstance(batch, Mapping):
            model(**{name: _tensor(value, device, dtype, "mask" not in name) for name, value in batch.items()})
        elif isinstance(batch, tuple):
            model(*(_tensor(value, device, dtype) for value in batch))
        else:
            model(_tensor(batch, device, dtype))
    except Exception as error:
        if isinstance(error, (ValueError, TypeError)) and str(error).startswith("Argument '"):
            raise
        first = (str(error).splitlines() or [""])[0]
        raise ValueError(f"The model cannot be run on X: {type(error).__name__}: {first}") from error


def _arguments(model: Any, batch: tuple[Any, ...]) -> tuple[Any, ...]:
    """Those of a tuple that a model takes: (x, y) of a loader has labels, which it does not take."""
    try:
        taken = [*inspect.signature(model.forward).parameters.values()]
    except ValueError:
        return batch
    positional = [one for one in taken if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    if any(one.kind == one.VAR_POSITIONAL for one in taken):
        return batch
    needed = sum(one.default is one.empty for one in positional)
    given = list(batch[: max(1, needed)])
    for value, one in zip(batch[len(given) :], positional[len(given) :], strict=False):
        if "mask" not in one.name or not _is_mask(value, batch[0]):
            break
        given.append(value)
    return tuple(given)


def _is_mask(value: Any, of: Any) -> bool:
    """Whether an array has a 0 or a 1 for each position of another one."""
    array = plain("X", value)
    return array.shape == np.shape(of)[: array.ndim] and bool(np.isin(array, (0, 1)).all())


def _tensor(value: Any, device: Any, dtype: Any, finite: bool = True) -> Any:
    """The tensor of an array; what is no array, as an option in a dictionary, as it is."""
    torch: Any = sys.modules["torch"]
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], (int, float, list, tuple)):
        value = np.asarray(value)
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf":
            raise TypeError(f"Argument 'X' must be an array of real numbers, not of type {value.dtype}.")
        value = torch.tensor(value)
    if not isinstance(value, torch.Tensor):
        return value
    if finite and value.is_floating_point():
        numbers = plain("X", value)
        checks.entries("X", numbers, np.isfinite(numbers), "must be finite")
    return value.detach().to(device=device, dtype=dtype if value.is_floating_point() else None)


def batches(name: str, X: Any) -> Iterable[Any]:
    """The batches in X: X alone, if it is one array, a table, a tuple or a dictionary; otherwise what X iterates.

    >>> len(list(batches("X", [[1, 2], [3, 4]]))), len(list(batches("X", [np.ones((2, 2)), np.ones((1, 2))])))
    (1, 2)
    """
    if isinstance(X, (str, bytes)) or not (hasattr(X, "__iter__") or hasattr(X, "__array__")):
        raise TypeError(f"Argument '{name}' must be an array or an iterable of arrays, not {type(X).__name__}.")
    if isinstance(X, list):
        return X if X and (getattr(X[0], "ndim", 0) >= 2 or isinstance(X[0], (Mapping, tuple))) else [X]
    if hasattr(X, "shape") or isinstance(X, (Mapping, tuple)):
        return [X]
    return _each(X)


def _each(loader: Iterable[Any]) -> Iterator[Any]:
    """Batches of a loader, which are lists where PyTorch's own means tuples."""
    for batch in loader:
        yield tuple(batch) if isinstance(batch, list) and batch and getattr(batch[0], "ndim", 0) >= 1 else batch
