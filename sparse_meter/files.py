"""Networks in files, as ``Layer``: .safetensors, .npz, .onnx, and folders of Hugging Face and SAELens.

Names and shapes are read first; of the numbers only those of the layer asked for (``stored``). A configuration beside
the arrays says which activation function they belong to.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import naming, onnx_graph
from .layer import Layer, Unit, activation, as_layer, from_named, numbers
from .stored import BROKEN, Stored, json_object, regular, stored

__all__ = ["blocks", "points", "read"]

# The bytes of a configuration in JSON; those of models have some thousands.
MAX_CONFIGURATION_BYTES = 1 << 20
# The architectures of SAELens in which z = W_enc x + b_enc decides who is active.
ARCHITECTURES = (
    "standard", "topk", "jumprelu", "jump_relu", "transcoder", "skip_transcoder", "jumprelu_transcoder",
    "jumprelu_skip_transcoder",
)  # fmt: skip


def read(path: str | os.PathLike[str], layer: str | None = None, unit: str | Unit | None = None) -> Layer:
    """The hidden layer in a file, with ``notes`` that say how its arrays were taken.

    Parameters
    ----------
    path : a .npz file, with arrays u, W and b of Definition 1, with names as in a ``state_dict``, or with the four
        arrays of a Keras model; a .safetensors file; a .onnx file (needs ``sparse-activations[onnx]``); a folder with
        .safetensors files, whose config.json or cfg.json names the activation function.
    layer : which one, if there are several: its name as in ``blocks``, a part of the name between dots, a pattern such
        as "*.3.mlp", or the arrays themselves, "inner,outer" or "gate,down,up".
    unit : the activation function, if not that of the file: see ``Layer``.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/net.npz", u=[1, -1], W=[[1, 1], [-1, -1]], b=[1, 1])
    ...     read(f"{folder}/net.npz")
    Layer(n=2, s=2, outputs=1, unit=relu)
    """
    path = Path(path)
    if path.suffix == ".onnx":
        found = onnx_graph.read_onnx(path, layer)
    else:
        arrays = stored(path)
        if list(arrays) == [f"arr_{i}" for i in range(4)] and layer is None:
            found = as_layer(list(arrays.values()))
        else:
            found = from_named(arrays, layer)
        if path.suffix != ".npz":
            found = _configured(found, arrays, path if path.is_dir() else path.parent)
    return found if unit is None else replace(found, unit=Unit.parse(unit))


def blocks(path: str | os.PathLike[str]) -> list[tuple[str, int, int]]:
    """The names of the hidden layers in a file, with their numbers of neurons and inputs.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/net.npz", **{f"h.{i}.fc{j}.weight": np.ones((3, 3)) for i in (0, 1) for j in (1, 2)})
    ...     blocks(f"{folder}/net.npz")
    [('h.0', 3, 3), ('h.1', 3, 3)]
    """
    if Path(path).suffix == ".onnx":
        return onnx_graph.onnx_blocks(Path(path))
    shapes = {name: array.shape for name, array in stored(path).items()}
    return [(block.name, block.s, block.n) for block in naming.blocks(shapes)]


def points(path: str | os.PathLike[str]) -> NDArray[Any]:
    """The array of an .npy file, mapped into memory: inputs or pre-activations.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/X.npy", np.ones((2, 3)))
    ...     points(f"{folder}/X.npy").shape
    (2, 3)
    """
    path = Path(path)
    if path.suffix == ".npz":
        raise ValueError(f"{path} has several arrays with names; the inputs are one array (.npy).")
    regular(path)
    try:
        return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except BROKEN:
        raise ValueError(f"{path} is not an array of numbers, as numpy.save writes it.") from None


def _configured(layer: Layer, arrays: Mapping[str, Stored], folder: Path) -> Layer:
    """The layer with the unit that config.json or cfg.json beside it names."""
    file = next((folder / name for name in ("cfg.json", "config.json") if (folder / name).is_file()), None)
    if file is None:
        note = "There is no config.json or cfg.json beside the file: ReLU is assumed."
        return layer if layer.unit.kind != "relu" else replace(layer, notes=(*layer.notes, note))
    if file.stat().st_size > MAX_CONFIGURATION_BYTES:
        raise ValueError(f"{file} is too large for a configuration.")
    settings = json_object(file, file.read_bytes())
    lower = {name.lower(): name for name in arrays}
    if "w_enc" in lower:
        return _transcoder(layer, arrays, lower, settings, file)
    keys = ("hidden_act", "activation_function", "hidden_activation", "dense_act_fn", "activation")
    name = next((settings[key] for key in keys if isinstance(settings.get(key), str)), "")
    unit, remark = activation(name, file.name)
    return replace(layer, unit=unit, notes=(*layer.notes, *remark))


def _transcoder(
    layer: Layer, arrays: Mapping[str, Stored], lower: Mapping[str, str], settings: Mapping[str, Any], file: Path
) -> Layer:
    """A transcoder or sparse autoencoder of SAELens: its unit, and what it does to its inputs."""
    notes = list(layer.notes)
    architecture = str(settings.get("architecture", "standard"))
    if architecture not in ARCHITECTURES:
        raise ValueError(f"{file}: the architecture {architecture!r} is not read; {', '.join(ARCHITECTURES)} are.")
    options = settings.get("activation_fn_kwargs")
    k = settings.get("k", options.get("k") if isinstance(options, dict) else None)
    name = settings.get("activation_fn_str", settings.get("activation_fn", "relu"))
    unit = layer.unit
    if unit.kind != "thresholded" and ("topk" in architecture or name == "topk"):
        unit = Unit.parse(f"top-k:{k}")
    notes.append(f"{file.name}: architecture {architecture}, {unit!r}.")
    b = layer.b
    b_dec = arrays.get(lower.get("b_dec", ""))
    if settings.get("apply_b_dec_to_input") and b_dec is not None and b_dec.shape == (layer.n,):
        b = b + layer.W @ numbers("b_dec", b_dec, 1)
        notes.append("b_dec is subtracted from the inputs, as apply_b_dec_to_input says.")
    W = layer.W
    U = layer.U
    if settings.get("rescale_acts_by_decoder_norm") and U is not None:
        norms = np.linalg.norm(U, axis=0)
        W = W * norms[:, None]
        b = b * norms
        U = U / np.where(norms > 0, norms, 1)
        notes.append("Pre-activations are multiplied by the norms of W_dec, as rescale_acts_by_decoder_norm says.")
    if settings.get("normalize_activations") not in (None, False, "none"):
        notes.append(f"The inputs must be normalised as the model does it: {settings['normalize_activations']!r}.")
    if "w_skip" in lower:
        notes.append("W_skip is linear and belongs to no neuron; it is left out.")
    return replace(layer, W=W, b=b, U=U, unit=unit, notes=tuple(notes))
