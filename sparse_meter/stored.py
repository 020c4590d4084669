"""Arrays in .npz and .safetensors files by their names: types and shapes first, numbers when they are asked for.

Nothing in a file is run: pickles, also inside .pt and .npz files, are refused. What a file says of itself is checked
against its size before memory is taken.

The reader of .safetensors is our own, since that of the library needs PyTorch for bfloat16, in which most large models
are stored; the format is a length, a table in JSON and the raw numbers, which are mapped into memory.
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

__all__ = ["BROKEN", "MAX_ARRAY_BYTES", "Stored", "json_object", "limited", "regular", "stored"]

# The bytes of an array, stored and as it is computed with, that are read at most: twice the largest matrices of the
# hidden layers of published models (8192 x 28672 in single precision). A small archive can hold far more.
MAX_ARRAY_BYTES = 1 << 31
# The bytes of the table at the beginning of a .safetensors file: the limit of the format's own library.
MAX_TABLE_BYTES = 100_000_000
# The types of .safetensors as NumPy names them; the bits of bfloat16 are the upper half of those of a float32.
TYPES = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4", "U64": "<u8",
    "I64": "<i8", "F16": "<f2", "BF16": "<u2", "F32": "<f4", "F64": "<f8",
}  # fmt: skip
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
    path = Path(path)
    if path.is_dir():
        files = sorted(path.glob("*.safetensors"))
        if not files:
            raise ValueError(f"{path} has no .safetensors file.")
        return {name: array for file in files for name, array in _safetensors(file).items()}
    if path.suffix.lower() in ELSEWHERE:
        raise ValueError(f"{path} {ELSEWHERE[path.suffix.lower()]}")
    if path.suffix == ".safetensors":
        return _safetensors(path)
    return _npz(path)


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
    except (RuntimeError, NotImplementedError):  # an encrypted archive, or one with another method of compression
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
        except (RuntimeError, NotImplementedError, *BROKEN):
            raise ValueError(f"{where} is broken, encrypted or compressed by an unknown method.") from None
    if len(data) != size:
        raise ValueError(f"{where} ends early.")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")


# .safetensors


def _safetensors(path: Path) -> dict[str, Stored]:
    """The arrays of a .safetensors file: 8 bytes, the length of the table; the table; the numbers, without gaps."""
    regular(path)
    size = path.stat().st_size
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, MAX_TABLE_BYTES):
            raise ValueError(f"{path} is not a .safetensors file, or is cut off: its table would have {length} bytes.")
        table = json_object(path, file.read(length))
    begin = 8 + length
    found = {}
    places = []
    for name, entry in table.items():
        if name == "__metadata__":
            continue
        shape, dtype, start, end = _entry(path, name, entry)
        if not 0 <= start <= end <= size - begin or math.prod(shape) * np.dtype(TYPES[dtype]).itemsize != end - start:
            raise ValueError(f"{path}: the place of {name!r} does not fit its shape and the length of the file.")
        places.append((start, end, name))
        found[name] = Stored(name, shape, dtype, partial(_mapped, path, name, shape, dtype, begin + start))
    expected = 0
    for start, end, name in sorted(places):
        if start != expected:
            raise ValueError(f"{path}: {name!r} overlaps another array, or there is a gap before it.")
        expected = end
    return found


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


def _entry(path: Path, name: str, entry: Any) -> tuple[tuple[int, ...], str, int, int]:
    """The shape, the type and the place of an array, as the table gives them, if they are that at all."""
    fields = entry if isinstance(entry, dict) else {}
    shape = fields.get("shape")
    place = fields.get("data_offsets")
    dtype = fields.get("dtype")
    if (
        not isinstance(shape, list)
        or not isinstance(place, list)
        or len(place) != 2
        or not all(type(number) is int and number >= 0 for number in shape + place)
    ):
        raise ValueError(f"{path}: the table's entry of {name!r} is not that of an array.")
    if max(shape, default=0) > MAX_ARRAY_BYTES:
        raise ValueError(f"{path}: {name!r} has a length of more than {MAX_ARRAY_BYTES}.")
    if not isinstance(dtype, str) or dtype not in TYPES:
        raise ValueError(f"{path}: {name!r} has the type {dtype!r}; read are {', '.join(TYPES)}.")
    return tuple(shape), dtype, place[0], place[1]


def _mapped(path: Path, name: str, shape: tuple[int, ...], dtype: str, offset: int) -> NDArray[Any]:
    """The numbers of one array, mapped from the file; bfloat16 as float32."""
    limited(f"{path}: array {name!r}", shape, np.dtype(TYPES[dtype]).itemsize)
    if math.prod(shape) == 0:
        return np.zeros(shape, np.float32)
    array = np.memmap(path, TYPES[dtype], "r", offset, shape)
    if dtype == "BF16":
        return (array.astype(np.uint32) << 16).view(np.float32)
    return np.asarray(array)
