"""Networks in files: .safetensors, .npz, and folders of Hugging Face and SAELens, as dictionaries of ``Weights``.

Names and shapes are read first; of the numbers only those of the layer asked for (``stored``). A configuration beside
the arrays says which activation function they belong to.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import naming
from .layer import Layer, Unit, named_unit, numbers
from .stored import BROKEN, Stored, json_object, place, regular, stored

__all__ = ["Weights", "blocks", "points", "read"]

# The bytes of a configuration in JSON; those of models have some thousands.
MAX_CONFIGURATION_BYTES = 1 << 20
# The architectures of SAELens in which z = W_enc x + b_enc decides who is active.
ARCHITECTURES = (
    "standard", "topk", "jumprelu", "jump_relu", "transcoder", "skip_transcoder", "jumprelu_transcoder",
    "jumprelu_skip_transcoder",
)  # fmt: skip


class Weights(dict[str, Stored]):
    """The arrays of a file or folder, by their names, and what its configuration says of them.

    ``measure``, ``explain`` and ``examine`` take it; of several layers, ``measure`` and ``as_layer`` choose one.
    """

    place: str = ""
    file: Path | None = None
    settings: Mapping[str, Any] = MappingProxyType({})

    def __init__(self, arrays: Mapping[str, Stored]) -> None:
        if not isinstance(arrays, Mapping):
            raise TypeError(f"Argument 'arrays' must be a mapping from names to arrays, not {arrays!r}.")
        super().__init__(arrays)

    def __repr__(self) -> str:
        shapes = {name: array.shape for name, array in self.items()}
        layers = [f"{block.name} ({block.s} neurons)" for block in naming.blocks(shapes)]
        return f"Weights of {self.place}: {len(self)} arrays, hidden layers {naming.listed(layers)}"

    def unit(self) -> tuple[Unit, str]:
        """The activation function that the configuration names, and what is to be said of it."""
        if self.file is None:
            return named_unit("", f"{self.place} has no config.json or cfg.json beside it, and")
        keys = ("hidden_act", "activation_function", "hidden_activation", "dense_act_fn", "activation")
        return named_unit(
            next((self.settings[key] for key in keys if isinstance(self.settings.get(key), str)), ""), self.file.name
        )

    def configured(self, layer: Layer) -> Layer:
        """A layer of a transcoder or sparse autoencoder of SAELens, with its unit and what it does to its inputs."""
        return _transcoder(layer, self)


def read(path: str | os.PathLike[str]) -> Weights:
    """The arrays in a file or folder, of which numbers are read when they are asked for.

    Parameters
    ----------
    path : a .npz file, with arrays u, W and b of Definition 1, with names as in a ``state_dict``, or with the four
        arrays of a Keras model; a .safetensors file (needs ``sparse-activations[files]``); a folder with .safetensors
        files, or their model.safetensors.index.json; config.json or cfg.json there names the activation function.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/net.npz", **{f"h.{i}.fc{j}.weight": np.ones((3, 3)) for i in (0, 1) for j in (1, 2)})
    ...     read(f"{folder}/net.npz")
    Weights of net.npz: 4 arrays, hidden layers h.0 (3 neurons), h.1 (3 neurons)
    """
    path = place(path)
    arrays = stored(path)
    folder = path if path.is_dir() else path.parent
    files = [] if path.suffix == ".npz" else [folder / name for name in ("cfg.json", "config.json")]
    weights = Weights(arrays)
    weights.place = path.name or str(path)
    weights.file = next((file for file in files if file.is_file()), None)
    if weights.file is not None:
        if weights.file.stat().st_size > MAX_CONFIGURATION_BYTES:
            raise ValueError(f"{weights.file} is too large for a configuration.")
        weights.settings = json_object(weights.file, weights.file.read_bytes())
    return weights


def blocks(path: str | os.PathLike[str]) -> list[tuple[str, int, int]]:
    """The names of the hidden layers in a file, with their numbers of neurons and inputs.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/net.npz", **{f"h.{i}.fc{j}.weight": np.ones((3, 3)) for i in (0, 1) for j in (1, 2)})
    ...     blocks(f"{folder}/net.npz")
    [('h.0', 3, 3), ('h.1', 3, 3)]
    """
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
    path = place(path)
    if path.suffix == ".npz":
        raise ValueError(f"{path} has several arrays with names; the inputs are one array (.npy).")
    regular(path)
    try:
        return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except BROKEN:
        raise ValueError(f"{path} is not an array of numbers, as numpy.save writes it.") from None


def _transcoder(layer: Layer, weights: Weights) -> Layer:
    """A transcoder or sparse autoencoder of SAELens: its unit, and what it does to its inputs."""
    lower = {name.lower(): name for name in weights}
    settings = weights.settings
    where = weights.file or weights.place
    notes = list(layer.notes)
    architecture = str(settings.get("architecture", "standard"))
    if architecture not in ARCHITECTURES:
        raise ValueError(f"{where}: the architecture {architecture!r} is not read; {', '.join(ARCHITECTURES)} are.")
    options = settings.get("activation_fn_kwargs")
    k = settings.get("k", options.get("k") if isinstance(options, dict) else None)
    name = settings.get("activation_fn_str", settings.get("activation_fn", "relu"))
    unit = layer.unit
    if unit.kind != "thresholded" and ("topk" in architecture or name == "topk"):
        unit = Unit.parse(f"top-k:{k}")
    said = f"{weights.file.name}:" if weights.file else "No cfg.json is there; assumed:"
    notes.append(f"{said} architecture {architecture}, {unit!r}.")
    b = layer.b
    b_dec = weights.get(lower.get("b_dec", ""))
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
