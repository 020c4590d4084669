"""A network or inputs from a file: arrays (u, W, b) or a single one, of NumPy, or a table of numbers.

Nothing in a file is executed: pickles are not read.
"""

from __future__ import annotations

import os
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sparse_core import checks

__all__ = ["load"]

# What the readers raise at a broken file
BROKEN = (
    *(ValueError, EOFError, OverflowError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error, struct.error, tokenize.TokenError),
)


def load(path: str | os.PathLike[str]) -> Any:
    """(u, W, b) of a .npz file that has them; otherwise its only array, that of a .npy file, or the rows of a .csv.

    A table may have a line of names above its numbers, which are separated by commas.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "X.csv")
    ...     _ = path.write_text("height,width\\n1,0.5\\n2,0\\n")
    ...     load(path)
    array([[1. , 0.5],
           [2. , 0. ]])
    """
    file = checks.path("path", path)
    kind = file.suffix.lower()
    if kind not in READERS:
        rule = f"must name a file {', '.join(READERS)}, not {file}; others are read by the library that wrote them"
        raise ValueError(f"Argument 'path' {rule}.")
    begins, reader = READERS[kind]
    with file.open("rb") as stream:
        if stream.read(len(begins)) != begins:
            raise ValueError(f"{file} must be a file of NumPy; it does not begin like a {kind}.")
    try:
        found = reader(file)
    except BROKEN as error:
        raise ValueError(f"{file} cannot be read: {error}") from None
    if not isinstance(found, dict):
        return found
    if missing := {*"uWb"} - {*found}:
        raise ValueError(f"{file} must have the arrays u, W and b; it lacks {', '.join(sorted(missing))}.")
    return tuple(found[name] for name in "uWb")


def _archive(file: Path) -> Any:
    """The only array of a .npz file, or u, W and b by name, as far as it has them."""
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as found:
        if len(found) == 1:
            return found[found.files[0]]
        return {name: found[name] for name in "uWb" if name in found}


def _table(file: Path) -> Any:
    """The rows of a .csv file, whose first line may be one of names."""
    with file.open(encoding="utf-8-sig") as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a table without rows, which is refused below
        first = stream.readline()
        try:
            _ = [float(word) for word in first.split(",")]
            stream.seek(0)
        except ValueError:  # the names of the columns
            pass
        rows = np.loadtxt(stream, delimiter=",", ndmin=2)
    if not len(rows):
        raise ValueError("it has no rows of numbers")
    return rows


# With what each kind of file begins, and who reads it; a table may begin with anything.
READERS: Mapping[str, tuple[bytes, Callable[[Path], Any]]] = {
    ".npy": (b"\x93NUMPY", partial(np.load, mmap_mode="r", allow_pickle=False)),
    ".npz": (b"PK\x03\x04", _archive),
    ".csv": (b"", _table),
}
