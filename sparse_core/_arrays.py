"""Arrays: the types that signatures name, and the slices in which long arrays are walked."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Integers", "slices"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


def slices(length: int, size: int) -> Iterator[slice]:
    """[0, size), [size, 2 size), ...: the slices that make up ``length``, the last one perhaps shorter.

    >>> list(slices(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return (slice(start, min(start + size, length)) for start in range(0, length, size))
