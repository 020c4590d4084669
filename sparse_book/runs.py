r"""What the chapters on experiments share: splits of the digits, intervals over runs, and means in a figure.

Paper: sections 1 and 6, on sparsity in practice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core import _interval

__all__ = [
    "DIGITS_TRAINED",
    "OVERLAP",
    "confidence",
    "digits",
    "half_width",
    "interval",
    "means",
    "over_splits",
    "quadratic",
]

# Of the 1797 digits, those that a network is trained on: four fifths.
DIGITS_TRAINED = 1437
# Digits tested over digits trained on. Splits of one set overlap, so that their results are not independent: the
# variance of a mean over J of them is taken as 1/J + OVERLAP times that of one (Nadeau and Bengio 2003).
OVERLAP = 360 / DIGITS_TRAINED
# The pixels have 17 grey levels, 0 to 16.
MIDDLE_GREY = 7.5

Split = tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]


@cache
def _images() -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    from sklearn.datasets import load_digits

    images = load_digits()
    return np.where(images.data > MIDDLE_GREY, 1, -1).astype(np.float32), images.target


def digits(seed: int, run: int) -> Split:
    """1437 training points and classes, 360 test points and classes: 8 x 8 pixels of -1 and 1, in a random order.

    >>> X, y, test, classes = digits(0, 0)
    >>> X.shape, test.shape
    ((1437, 64), (360, 64))
    """
    pixels, classes = _images()
    order = np.random.default_rng([seed, run]).permutation(len(pixels))
    train, test = order[:DIGITS_TRAINED], order[DIGITS_TRAINED:]
    return pixels[train], classes[train], pixels[test], classes[test]


def half_width(values: Sequence[float] | NDArray[np.float64], overlap: float = 0.0) -> Any:
    """Half of Student's 95 % interval for the mean, over the first axis; ``overlap`` is OVERLAP for splits of one set.

    >>> float(half_width([1.0, 2.0, 3.0]).round(3))
    2.484
    """
    runs = np.asarray(values)
    return _interval.half_width(runs.std(axis=0, ddof=1) * np.sqrt(1 / len(runs) + overlap), len(runs))


def confidence(values: Sequence[float] | NDArray[np.float64], overlap: float = 0.0) -> tuple[float, float]:
    """The ends of Student's 95 % interval for the mean.

    >>> [round(end, 3) for end in confidence([1.0, 2.0, 3.0])]
    [-0.484, 4.484]
    """
    mean = float(np.mean(values))
    half = float(half_width(values, overlap))
    return mean - half, mean + half


def interval(values: Sequence[float] | NDArray[np.float64], digits: int = 2, overlap: float = 0.0) -> str:
    """The mean over the runs and half of its 95 % interval (Student), rounded up.

    >>> interval([1.0, 2.0, 3.0])
    '2.00 ± 2.49'
    """
    half = np.ceil(half_width(values, overlap) * 10.0**digits) / 10.0**digits
    return f"{np.asarray(values).mean():.{digits}f} ± {half:.{digits}f}"


def over_splits(values: Sequence[float] | NDArray[np.float64], digits: int = 2) -> str:
    """The same over random splits of the digits, whose overlap widens the interval.

    >>> over_splits([1.0, 2.0, 3.0])
    '2.00 ± 3.29'
    """
    return interval(values, digits, OVERLAP)


def means(
    ax: Any,
    x: Sequence[float],
    curves: Any,
    mark: str = "o-",
    label: str | None = None,
    overlap: float = 0.0,
    **style: Any,
) -> None:
    """A line for the mean of the runs, the rows of curves, and the 95 % interval at each point."""
    mean, half = np.mean(curves, axis=0), half_width(curves, overlap)
    ax.vlines(x, mean - half, mean + half, color=style["color"], linewidth=1)
    ax.plot(x, mean, mark, label=label, **style)


def quadratic(X: NDArray[Any]) -> NDArray[Any]:
    """All products of at most two different coordinates, in the columns: 1, the coordinates, then the pairs.

    >>> quadratic(np.array([[1, -1]])).tolist()
    [[1, 1, -1, -1]]
    """
    i, j = np.triu_indices(X.shape[1], 1)
    return np.hstack([np.ones((len(X), 1), X.dtype), X, X[:, i] * X[:, j]])
