"""Arrays in .npz and .safetensors files by their names: types and shapes first, numbers when they are asked for.

Nothing in a file is run: pickles, also inside .pt and .npz files, are refused. What a file says of itself is checked
against its size before memory is taken.

.safetensors files are read by the library of that name, with ``ml_dtypes`` for bfloat16, in which most large models are
stored: ``pip install "sparse-activations[files]"``.
"""

from __future__ import annotations

import json
import math
import os
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MAX_ARRAY_BYTES"]  # the rest is called by ``files``

# The bytes of an array, stored and as it is computed with, that are read at most: twice the largest matrices of the
# hidden layers of published models (8192 x 28672 in single precision). A small archive can hold far more.
MAX_ARRAY_BYTES = 1 << 31
# The types of .safetensors that are read, with their bytes; of those with a scale beside them the numbers mean nothing.
TYPES = {
    "BOOL": 1, "U8": 1, "I8": 1, "U16": 2, "I16": 2, "U32": 4, "I32": 4, "U64": 8, "I64": 8, "F16": 2, "BF16": 2,
    "F32": 4, "F64": 8,
}  # fmt: skip
# The bytes of an index or a configuration in JSON; those of the largest models have some megabytes.
MAX_JSON_BYTES = 1 << 24
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


@dataclass(frozen=True, eq=False)
class Stored:
    """An array in a file, which is read when NumPy asks for it."""

    name: str
    shape: tuple[int, ...]
    kind: str
    load: Callable[[], NDArray[Any]]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The numbers."""
        return np.asarray(self.load(), dtype)


def stored(path: str | os.PathLike[str]) -> dict[str, Stored]:
    """The arrays in a .npz or .safetensors file, or in the .safetensors files of a folder, by their names.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/net.npz", u=np.ones(2))
    ...     found = stored(f"{folder}/net.npz")["u"]
    ...     found.shape, found.kind, np.asarray(found)
    ((2,), 'float64', array([1., 1.]))
    """
    path = place(path)
    if path.is_dir() or path.name.endswith(".safetensors.index.json"):
        return _folder(path)
    if path.suffix.lower() in ELSEWHERE:
        raise ValueError(f"{path} {ELSEWHERE[path.suffix.lower()]}")
    if path.suffix == ".safetensors":
        return _safetensors(path)
    return _npz(path)


def place(path: str | os.PathLike[str]) -> Path:
    """The path of a file or folder.

    >>> place(3)
    Traceback (most recent call last):
    TypeError: Argument 'path' must be a path, not 3.
    """
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        raise TypeError(f"Argument 'path' must be a path, not {path!r}.")
    return Path(path)


def _folder(path: Path) -> dict[str, Stored]:
    """The arrays of a folder: those that its index names, or those of all its .safetensors files."""
    index = path / INDEX if path.is_dir() else path
    folder = index.parent
    if not path.is_dir() or index.is_file():
        regular(index)
        if index.stat().st_size > MAX_JSON_BYTES:
            raise ValueError(f"{index} is too large for an index.")
        places = json_object(index, index.read_bytes()).get("weight_map")
        if not isinstance(places, dict) or not all(isinstance(place, str) for place in places.values()):
            raise ValueError(f"{index} has no weight_map, from the names of arrays to those of files.")
        files = {place: folder / place for place in sorted(set(places.values()))}
        if strange := [place for place in files if place in (".", "..") or Path(place).name != place or "\\" in place]:
            raise ValueError(f"{index} names {strange[0]!r}; read are files beside it, named without a path.")
        shards = {place: _safetensors(file) for place, file in files.items()}
        if missing := [name for name, place in places.items() if name not in shards[place]]:
            raise ValueError(f"{index}: {missing[0]!r} is not in {places[missing[0]]}.")
        return {name: shards[place][name] for name, place in places.items()}
    found: dict[str, Stored] = {}
    owner: dict[str, str] = {}
    for file in sorted(folder.glob("*.safetensors")):
        for name, array in _safetensors(file).items():
            if name in found:
                raise ValueError(
                    f"{path} has {name!r} in {owner[name]} and in {file.name}: name the file, not the folder."
                )
            found[name], owner[name] = array, file.name
    if not found:
        raise ValueError(f"{path} has no .safetensors file with arrays.")
    return found


def regular(path: Path) -> None:
    """Refuse what is not a file: folders, devices, pipes.

    >>> regular(Path("."))
    Traceback (most recent call last):
    ValueError: . is not a file.
    """
    path.stat()  # FileNotFoundError and PermissionError have the name
    if not path.is_file():
        raise ValueError(f"{path} is not a file.")


def limited(where: str, shape: tuple[int, ...], itemsize: int) -> int:
    """The bytes of an array, refused if it or its form in float32 would be too large.

    >>> limited("W", (10**6, 10**6), 8)
    Traceback (most recent call last):
    ValueError: W would take 8e+03 GB; the limit is 2.15 GB (sparse_meter.stored.MAX_ARRAY_BYTES).
    """
    entries = math.prod(shape)
    size = entries * max(itemsize, 4)
    if size > MAX_ARRAY_BYTES:
        raise ValueError(
            f"{where} would take {size / 1e9:.3g} GB; the limit is {MAX_ARRAY_BYTES / 1e9:.3g} GB "
            "(sparse_meter.stored.MAX_ARRAY_BYTES)."
        )
    return entries * itemsize


# .npz


def _npz(path: Path) -> dict[str, Stored]:
    """The arrays of a .npz archive; of each only the header is unpacked."""
    regular(path)
    found = {}
    headers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if not entry.filename.endswith(".npy"):
                    continue
                name = entry.filename.removesuffix(".npy")
                with archive.open(entry) as file:
                    lengths, fortran, dtype = headers[np.lib.format.read_magic(file)](file)
                    begin = file.tell()
                shape = tuple(map(int, lengths))
                load = partial(_unpacked, path, entry.filename, begin, shape, fortran, dtype)
                found[name] = Stored(name, shape, dtype.name, load)
    except (RuntimeError, NotImplementedError, OSError):  # encrypted, or compressed in another way
        raise ValueError(f"{path} is encrypted, or compressed by a method that Python does not know.") from None
    except BROKEN:
        raise ValueError(f"{path} is not a file of arrays of numbers, as numpy.savez writes it.") from None
    return found


def _unpacked(
    path: Path, filename: str, begin: int, shape: tuple[int, ...], fortran: bool, dtype: np.dtype[Any]
) -> NDArray[Any]:
    """The numbers of one array of an archive, if it has as many as its header says."""
    where = f"{path}: array {filename.removesuffix('.npy')!r}"
    if dtype.kind not in "biuf":
        raise ValueError(f"{path} is not a file of arrays of numbers, as numpy.savez writes it: {where} is {dtype}.")
    size = limited(where, shape, dtype.itemsize)
    with zipfile.ZipFile(path) as archive:
        if min(shape, default=0) < 0 or archive.getinfo(filename).file_size != begin + size:
            raise ValueError(f"{where} has not as many numbers as its header says.")
        try:
            with archive.open(filename) as file:
                file.seek(begin)
                data = file.read(size)
        except (RuntimeError, NotImplementedError, OSError, *BROKEN):
            raise ValueError(f"{where} is broken, encrypted or compressed by an unknown method.") from None
    if len(data) != size:
        raise ValueError(f"{where} ends early.")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")


# .safetensors


def _safetensors(path: Path) -> dict[str, Stored]:
    """The arrays of a .safetensors file."""
    regular(path)
    try:
        import ml_dtypes  # noqa: F401  (NumPy has no bfloat16 of its own)
        from safetensors import SafetensorError, safe_open
    except ImportError:
        raise ValueError(f"To read {path} needs safetensors: pip install 'sparse-activations[files]'") from None
    found = {}
    try:
        with safe_open(path, framework="numpy") as file:
            for name in file.keys():
                part = file.get_slice(name)
                shape, kind = tuple(part.get_shape()), part.get_dtype()
                found[name] = Stored(name, shape, kind, partial(_tensor, path, name, shape, kind))
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
    limited(where, shape, TYPES[kind])
    with safe_open(path, framework="numpy") as file:
        array = np.asarray(file.get_tensor(name))
    return array.astype(np.float32) if kind == "BF16" else array


def json_object(path: Path, text: bytes) -> dict[str, Any]:
    """The object that a text in JSON is.

    >>> json_object(Path("cfg.json"), b'{"k": 3}')
    {'k': 3}
    """
    try:
        found = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ValueError(f"{path} is broken: an object in JSON was expected.")
    return found
