"""FFHT: the Walsh-Hadamard transform in hand-written AVX, by the authors of FALCONN, for processors that have it.

It is C without a package of its own. The source of the package falconn contains it; the first run downloads that from
PyPI and compiles this part of it, for the processor at hand.
"""

from __future__ import annotations

import ctypes
import hashlib
import io
import subprocess
import sys
import tarfile
import urllib.request
from pathlib import Path

import numpy as np

URL = (
    "https://files.pythonhosted.org/packages/96/b8/"
    "0d2c629d59398a7b3ed8726ce049abf6746bbf09d1ad15878d4fcf8048a6/FALCONN-1.3.1.tar.gz"
)
SHA256 = "00cf778a97e9f2d9b501e86c16ff6f39528d70142302028675b3947e4a565eef"
FOLDER = "FALCONN-1.3.1/include/falconn/ffht"
# The numbers of a table that it transforms without cutting it further; of 64, 1024, 8192 and 65536 it is fastest with
# this one or the first, nearly equal, from n = 10 to 24.
CHUNK = 1 << 10
# Its loads need addresses that are multiples of 32; NumPy promises 16.
ALIGNMENT = 32


def library() -> ctypes.CDLL:
    """The functions FHTFloat and FHTDouble (buffer, length, chunk), in place, of the orthonormal transform."""
    compiled = Path(sys.prefix, "ffht.so")
    if not compiled.exists():
        with urllib.request.urlopen(URL) as answer:
            archive = answer.read()
        if hashlib.sha256(archive).hexdigest() != SHA256:
            raise ValueError(f"{URL} is not the file whose digest is known")
        with tarfile.open(fileobj=io.BytesIO(archive)) as source:
            source.extraction_filter = getattr(tarfile, "data_filter", None)  # which Python has since 3.11.4
            source.extractall(sys.prefix)
        options = ["-O3", "-march=native", "-shared", "-fPIC", "-o", str(compiled)]
        subprocess.run(["cc", *options, str(Path(sys.prefix, FOLDER, "fht.c")), "-lm"], check=True)
    return ctypes.CDLL(str(compiled))


def aligned(x: np.ndarray) -> np.ndarray:
    """An array of the same size and type at an address that the loads accept."""
    memory = np.empty(x.nbytes + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + x.nbytes].view(x.dtype)
