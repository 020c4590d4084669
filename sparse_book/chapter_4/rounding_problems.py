"""Small problems of learning with rounding, with all their secrets and inputs, for chapter 4 and its audit."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["SIZES", "affine", "everything", "problems"]

# (q, p, m): the modulus of the secret, that of the label, and the number of entries.
SIZES = ((2, 2, 1), (3, 2, 1), (4, 3, 1), (3, 2, 2), (5, 2, 2), (4, 3, 2), (5, 3, 2), (8, 2, 2), (16, 4, 2))


def everything(q: int, m: int) -> NDArray[np.int64]:
    """All of Z_q^m, as rows.

    >>> everything(2, 2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    return np.indices((q,) * m).reshape(m, -1).T


def affine(w: NDArray[np.int64], q: int) -> tuple[NDArray[np.float64], float]:
    """(v, c) with <w, y> = <v, z(y)> + c for the signs z(y) of the binary digits of y.

    >>> v, c = affine([1, 2], 3)
    >>> v.tolist(), float(c)
    ([-0.5, -1.0, -1.0, -2.0], 4.5)
    """
    place = 2.0 ** np.arange((q - 1).bit_length())
    return -np.outer(w, place).ravel() / 2, place.sum() * sum(w) / 2


def problems() -> list[tuple[int, int, NDArray[np.int64], NDArray[np.int64]]]:
    """(q, p, secret, all inputs) for every secret at each of the SIZES.

    >>> len(problems())
    404
    """
    return [(q, p, w, everything(q, m)) for q, p, m in SIZES for w in everything(q, m)]
