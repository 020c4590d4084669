"""Networks in files: .safetensors, .npz, and folders of Hugging Face and SAELens, as dictionaries of ``Weights``.

Names and shapes are read first; of the numbers only those of the layer asked for. A configuration beside the arrays
says which activation function they belong to. Nothing in a file is run: pickles, also inside .pt and .npz files, are
refused. What a file says of itself is checked against its size before memory is taken.

.safetensors files are read by the library of that name, with ``ml_dtypes`` for bfloat16, in which most large models are
stored: ``pip install safetensors ml_dtypes``.
"""

from __future__ import annotations

import json
import math
import os
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tokenize import TokenError
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core import checks

from . import naming
from .layer import Layer, Unit, named_unit, numbers

__all__ = ["MAX_ARRAY_BYTES", "Weights", "blocks", "points", "read"]

# The bytes of an array, stored and as it is computed with, that are read at most: twice the largest matrices of the
# hidden layers of published models (8192 x 28672 in single precision). A small archive can hold far more.
MAX_ARRAY_BYTES = 1 << 31
# The types of .safetensors that are read, with their bytes; of those with a scale beside them the numbers mean nothing.
TYPES = {
    "BOOL": 1, "U8": 1, "I8": 1, "U16": 2, "I16": 2, "U32": 4, "I32": 4, "U64": 8, "I64": 8, "F16": 2, "BF16": 2,
    "F32": 4, "F64": 8,
}  # fmt: skip
# The bytes of a configuration in JSON, which has some thousands, and of an index, which has some megabytes.
MAX_CONFIGURATION_BYTES = 1 << 20
MAX_INDEX_BYTES = 1 << 24
INDEX = "model.safetensors.index.json"
# Files that hold pickles, which run programs when they are read, or formats of other libraries; what to do with them.
FROM_TORCH = (
    "may run programs when it is read, and is not. Convert it where it comes from: safetensors.torch.save_file("
    "torch.load(path, weights_only=True), 'net.safetensors')."
)
FROM_KERAS = "is not read. Convert it where it comes from: numpy.savez('net.npz', *model.get_weights())."
FROM_PICKLE = "may run programs when it is read, and is not. Pass the object that it holds to sparse_meter.measure."
ELSEWHERE = {
    ".pt": FROM_TORCH, ".pth": FROM_TORCH, ".bin": FROM_TORCH, ".ckpt": FROM_TORCH, ".h5": FROM_KERAS,
    ".hdf5": FROM_KERAS, ".keras": FROM_KERAS, ".pkl": FROM_PICKLE, ".pickle": FROM_PICKLE, ".joblib": FROM_PICKLE,
}  # fmt: skip
# What NumPy, zipfile and zlib raise at a broken file. NumPy reads the header of an array as a literal of Python.
BROKEN = (
    ValueError, EOFError, OverflowError, SyntaxError, RecursionError, KeyError, TokenError, zipfile.BadZipFile,
    zlib.error,
)  # fmt: skip
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
# The architectures of SAELens in which z = W_enc x + b_enc decides who is active.
ARCHITECTURES = (
    "standard", "topk", "jumprelu", "jump_relu", "transcoder", "skip_transcoder", "jumprelu_transcoder",
    "jumprelu_skip_transcoder",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Stored:
    """An array in a file, which is read when NumPy asks for it."""

    file: Path
    shape: tuple[int, ...]
    kind: str
    load: Callable[[], NDArray[Any]]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The numbers."""
        return np.asarray(self.load(), dtype)


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
        lower = {name.lower(): name for name in self}
        settings = self.settings
        notes = list(layer.notes)
        architecture = str(settings.get("architecture", "standard"))
        options = settings.get("activation_fn_kwargs")
        k = settings.get("k", options.get("k") if isinstance(options, dict) else None)
        name = settings.get("activation_fn_str", settings.get("activation_fn", "relu"))
        unit = layer.unit
        if unit.kind != "thresholded" and ("topk" in architecture or name == "topk"):
            unit = Unit.parse(f"top-k:{k}")
        said = f"{self.file.name}:" if self.file else "No cfg.json is there; assumed:"
        notes.append(f"{said} architecture {architecture}, {unit!r}.")
        b = layer.b
        b_dec = self.get(lower.get("b_dec", ""))
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


def read(path: str | os.PathLike[str]) -> Weights:
    """The arrays in a file or folder, of which numbers are read when they are asked for.

    Parameters
    ----------
    path : a .npz file, with arrays u, W and b of Definition 1, with names as in a ``state_dict``, or with the four
        arrays of a Keras model; a .safetensors file (needs ``safetensors``); a folder with .safetensors
        files, or their model.safetensors.index.json; config.json or cfg.json there names the activation function.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/net.npz", **{f"h.{i}.fc{j}.weight": np.ones((3, 3)) for i in (0, 1) for j in (1, 2)})
    ...     read(f"{folder}/net.npz")
    Weights of net.npz: 4 arrays, hidden layers h.0 (3 neurons), h.1 (3 neurons)
    """
    path = checks.path("path", path)
    weights = Weights(_stored(path))
    weights.place = path.name or str(path)
    folder = path if path.is_dir() else path.parent
    files = [] if path.suffix == ".npz" else [folder / name for name in ("cfg.json", "config.json")]
    weights.file = next((file for file in files if file.is_file()), None)
    if weights.file is not None:
        weights.settings = _json(weights.file, MAX_CONFIGURATION_BYTES)
    architecture = str(weights.settings.get("architecture", "standard"))
    if architecture not in ARCHITECTURES and any(name.lower().endswith("w_enc") for name in weights):
        known = ", ".join(ARCHITECTURES)
        raise ValueError(f"{weights.file}: the architecture {architecture!r} is not read; {known} are.")
    return weights


def blocks(path: str | os.PathLike[str]) -> list[tuple[str, int, int]]:
    """The names of the hidden layers in a file, with their numbers of neurons and inputs.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/net.npz", **{f"h.{i}.fc{j}.weight": np.ones((3, 3)) for i in (0, 1) for j in (1, 2)})
    ...     blocks(f"{folder}/net.npz")
    [('h.0', 3, 3), ('h.1', 3, 3)]
    """
    shapes = {name: array.shape for name, array in _stored(checks.path("path", path)).items()}
    return [(block.name, block.s, block.n) for block in naming.blocks(shapes)]


def points(path: str | os.PathLike[str]) -> NDArray[Any]:
    """The array of an .npy file, mapped into memory: inputs or pre-activations.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/X.npy", np.ones((2, 3)))
    ...     points(f"{folder}/X.npy").shape
    (2, 3)
    """
    path = checks.path("path", path)
    if path.suffix == ".npz":
        raise ValueError(f"{path} has several arrays with names; the inputs are one array (.npy).")
    _regular(path)
    try:
        return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except BROKEN:
        raise ValueError(f"{path} is not an array of numbers, as numpy.save writes it.") from None


# Arrays by their names


def _stored(path: Path) -> dict[str, Stored]:
    """The arrays in a .npz or .safetensors file, or in the .safetensors files of a folder, by their names."""
    if path.is_dir() or path.name.endswith(".safetensors.index.json"):
        return _folder(path)
    if path.suffix.lower() in ELSEWHERE:
        raise ValueError(f"{path} {ELSEWHERE[path.suffix.lower()]}")
    return _safetensors(path) if path.suffix == ".safetensors" else _npz(path)


def _folder(path: Path) -> dict[str, Stored]:
    """The arrays of a folder: those in the files that its index names, or in all its .safetensors files."""
    folder = path if path.is_dir() else path.parent
    index = path / INDEX if path.is_dir() else path
    files = sorted(folder.glob("*.safetensors"))
    places: dict[str, str] = {}
    if index.is_file() or not path.is_dir():
        places = _json(index, MAX_INDEX_BYTES).get("weight_map", 0)
        if not isinstance(places, dict) or not all(isinstance(place, str) for place in places.values()):
            raise ValueError(f"{index} has no weight_map, from the names of arrays to those of files.")
        names = sorted(set(places.values()))
        if strange := [name for name in names if name in (".", "..") or Path(name).name != name or "\\" in name]:
            raise ValueError(f"{index} names {strange[0]!r}; read are files beside it, named without a path.")
        files = [folder / name for name in names]
    found: dict[str, Stored] = {}
    for file in files:
        for name, array in _safetensors(file).items():
            if name in found:
                both = f"{found[name].file.name} and in {file.name}"
                raise ValueError(f"{path} has {name!r} in {both}: name the file, not the folder.")
            found[name] = array
    if missing := [name for name, place in places.items() if name not in found or found[name].file.name != place]:
        raise ValueError(f"{index}: {missing[0]!r} is not in {places[missing[0]]}.")
    if not found:
        raise ValueError(f"{path} has no .safetensors file with arrays.")
    return found


def _regular(path: Path) -> None:
    """Refuse what is not a file: folders, devices, pipes."""
    path.stat()  # FileNotFoundError and PermissionError have the name
    if not path.is_file():
        raise ValueError(f"{path} is not a file.")


def _limited(where: str, shape: tuple[int, ...], itemsize: int) -> int:
    """The bytes of an array, refused if it or its form in float32 would be too large."""
    entries = math.prod(shape)
    size = entries * max(itemsize, 4)
    if size > MAX_ARRAY_BYTES:
        raise ValueError(
            f"{where} would take {size / 1e9:.3g} GB; the limit is {MAX_ARRAY_BYTES / 1e9:.3g} GB "
            "(sparse_meter.files.MAX_ARRAY_BYTES)."
        )
    return entries * itemsize


def _npz(path: Path) -> dict[str, Stored]:
    """The arrays of a .npz archive; of each only the header is unpacked."""
    _regular(path)
    found = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if not entry.filename.endswith(".npy"):
                    continue
                with archive.open(entry) as file:
                    lengths, _, dtype = HEADERS[np.lib.format.read_magic(file)](file)
                    size = entry.file_size - file.tell()
                name, shape = entry.filename.removesuffix(".npy"), tuple(map(int, lengths))
                found[name] = Stored(path, shape, dtype.name, partial(_unpacked, path, name, shape, dtype, size))
    except (RuntimeError, NotImplementedError, OSError):  # encrypted, or compressed in another way
        raise ValueError(f"{path} is encrypted, or compressed by a method that Python does not know.") from None
    except BROKEN:
        raise ValueError(f"{path} is not a file of arrays of numbers, as numpy.savez writes it.") from None
    return found


def _unpacked(path: Path, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], size: int) -> NDArray[Any]:
    """The numbers of one array of an archive, if it has as many as its header says."""
    where = f"{path}: array {name!r}"
    if dtype.kind not in "biuf":
        raise ValueError(f"{path} is not a file of arrays of numbers, as numpy.savez writes it: {where} is {dtype}.")
    if min(shape, default=0) < 0 or _limited(where, shape, dtype.itemsize) != size:
        raise ValueError(f"{where} has not as many numbers as its header says.")
    try:
        with np.load(path, allow_pickle=False) as archive:
            return np.asarray(archive[name])
    except (RuntimeError, NotImplementedError, OSError, *BROKEN):
        raise ValueError(f"{where} is broken, encrypted or compressed by an unknown method.") from None


def _safetensors(path: Path) -> dict[str, Stored]:
    """The arrays of a .safetensors file."""
    _regular(path)
    try:
        import ml_dtypes  # noqa: F401  (NumPy has no bfloat16 of its own)
        from safetensors import SafetensorError, safe_open
    except ImportError:
        raise ValueError(f"To read {path} needs safetensors: pip install safetensors ml_dtypes") from None
    found = {}
    try:
        with safe_open(path, framework="numpy") as file:
            for name in file.keys():
                part = file.get_slice(name)
                shape, kind = tuple(part.get_shape()), part.get_dtype()
                found[name] = Stored(path, shape, kind, partial(_tensor, path, name, shape, kind))
    except (SafetensorError, OverflowError) as error:
        first = str(error).splitlines()[0]
        raise ValueError(f"{path} is not a .safetensors file, or is broken or cut off: {first}") from None
    return found


def _tensor(path: Path, name: str, shape: tuple[int, ...], kind: str) -> NDArray[Any]:
    """The numbers of one array."""
    from safetensors import safe_open

    where = f"{path}: array {name!r}"
    if kind not in TYPES:
        raise ValueError(f"{where} has the type {kind}; read are {', '.join(TYPES)}.")
    _limited(where, shape, TYPES[kind])
    with safe_open(path, framework="numpy") as file:
        array = np.asarray(file.get_tensor(name))
    return array.astype(np.float32) if kind == "BF16" else array


def _json(path: Path, most: int) -> dict[str, Any]:
    """The object in a file of JSON of at most so many bytes."""
    _regular(path)
    if path.stat().st_size > most:
        raise ValueError(f"{path} is too large.")
    try:
        found = json.loads(path.read_bytes().decode("utf-8"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ValueError(f"{path} is broken: an object in JSON was expected.")
    return found
