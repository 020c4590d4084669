"""Argument checks with one error style: "Argument 'k' must be at least 1, not 0."

Every public function of the package passes its arguments through these helpers, so that a wrong value is refused at
once, with the name of the argument and the rule that it breaks. They return the value in the type that the caller
computes with.
"""

from __future__ import annotations

import math
import operator
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "entries", "flag", "function", "generator", "having", "integer", "integer_array", "length_2n", "listed", "one_of",
    "path", "positive", "real", "real_array", "rectangular", "signs", "size",
]  # fmt: skip

# The largest absolute value of a number without a maximum: more is a mistake, and its powers in a bound would overflow.
LARGEST_NUMBER = 10**60
# The smallest positive number: its square is still a normal float, so that one may divide by it.
SMALLEST_POSITIVE = 1e-150
# The largest number of entries, points or steps: more would take too long to visit one by one.
MOST_ITEMS = (1 << 31) - 1
# Up to here every integer is a float64.
EXACT_INTEGER = 1 << 53
# The types of arrays that are not converted.
FLOAT_TYPES = (np.dtype(np.float32), np.dtype(np.float64))


def integer(name: str, value: Any, minimum: int | None = None, maximum: int | None = None) -> int:
    """minimum <= value <= maximum, as a Python int; its absolute value is at most 10^60 in any case.

    >>> integer("k", np.int8(3), minimum=1)
    3
    >>> integer("k", 0, minimum=1)
    Traceback (most recent call last):
    ValueError: Argument 'k' must be at least 1, not 0.
    """
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"Argument '{name}' must be an integer, not the truth value {value}.")
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"Argument '{name}' must be an integer, not {value!r}.") from None
    if abs(value) > LARGEST_NUMBER:
        raise ValueError(f"Argument '{name}' must be at most 1e60 in size.")
    return int(_between(name, value, minimum, maximum))


def size(name: str, value: Any, minimum: int = 1) -> int:
    """minimum <= value <= 2^31 - 1: a number of things that are visited one by one.

    >>> size("steps", 10**12)
    Traceback (most recent call last):
    ValueError: Argument 'steps' must be at most 2147483647, not 1000000000000.
    """
    return integer(name, value, minimum, MOST_ITEMS)


def real(
    name: str, value: Any, minimum: float | None = None, maximum: float | None = None, *,
    above: float | None = None, below: float | None = None,
) -> float:  # fmt: skip
    """minimum <= value <= maximum and above < value < below, as a finite float; without a maximum |value| <= 10^60.

    >>> real("rho", 1.5, minimum=-1, maximum=1)
    Traceback (most recent call last):
    ValueError: Argument 'rho' must be at most 1, not 1.5.
    >>> real("delta", 1, above=0, below=1)
    Traceback (most recent call last):
    ValueError: Argument 'delta' must be less than 1, not 1.0.
    """
    if isinstance(value, (str, bytes, bool, np.bool_, np.complexfloating)) or (
        isinstance(value, np.ndarray) and value.ndim
    ):
        raise TypeError(f"Argument '{name}' must be a real number, not {value!r}.")
    try:
        value = float(value)
    except OverflowError:
        raise ValueError(f"Argument '{name}' must be at most 1e60 in size; it is larger than any float.") from None
    except (TypeError, ValueError):
        raise TypeError(f"Argument '{name}' must be a real number, not {value!r}.") from None
    if not math.isfinite(value):
        raise ValueError(f"Argument '{name}' must be finite, not {value}.")
    if maximum is None and abs(value) > LARGEST_NUMBER:
        raise ValueError(f"Argument '{name}' must be at most 1e60 in size, not {value}.")
    if above is not None and value <= above:
        rule = "positive" if above == 0 else f"more than {above}"
        raise ValueError(f"Argument '{name}' must be {rule}, not {value}.")
    if above == 0 and value < SMALLEST_POSITIVE:
        raise ValueError(f"Argument '{name}' must be at least 1e-150, not {value}: its square must be a float.")
    if below is not None and value >= below:
        raise ValueError(f"Argument '{name}' must be less than {below}, not {value}.")
    return float(_between(name, value, minimum, maximum))


def positive(name: str, value: Any) -> float:
    """value > 0, as a finite float.

    >>> positive("eps", 0)
    Traceback (most recent call last):
    ValueError: Argument 'eps' must be positive, not 0.0.
    """
    return real(name, value, above=0)


def _between(name: str, value: float, minimum: float | None, maximum: float | None) -> float:
    if minimum is not None and value < minimum:
        raise ValueError(f"Argument '{name}' must be at least {minimum}, not {value}.")
    if maximum is not None and value > maximum:
        raise ValueError(f"Argument '{name}' must be at most {maximum}, not {value}.")
    return value


def flag(name: str, value: Any) -> bool:
    """True or False; no number in their place.

    >>> flag("half", np.True_)
    True
    """
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"Argument '{name}' must be True or False, not {value!r}.")
    return bool(value)


def one_of(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """value in choices.

    >>> one_of("method", "guess", ("pairs", "milp"))
    Traceback (most recent call last):
    ValueError: Argument 'method' must be one of 'pairs', 'milp', not 'guess'.
    """
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"Argument '{name}' must be one of {', '.join(map(repr, choices))}, not {value!r}.")
    return value


def listed(name: str, value: Any) -> list[Any]:
    """The items of a sequence.

    >>> listed("sizes", 3)
    Traceback (most recent call last):
    TypeError: Argument 'sizes' must be a sequence, not 3.
    """
    try:
        return list(value)
    except TypeError:
        raise TypeError(f"Argument '{name}' must be a sequence, not {value!r}.") from None


def having(name: str, value: Any, *attributes: str) -> Any:
    """An object that has these attributes.

    >>> having("model", 3, "fit", "predict")
    Traceback (most recent call last):
    TypeError: Argument 'model' must have fit and predict, not be 3.
    """
    if not all(hasattr(value, attribute) for attribute in attributes):
        raise TypeError(f"Argument '{name}' must have {' and '.join(attributes)}, not be {value!r}.")
    return value


def function(name: str, value: Any) -> Any:
    """What can be called.

    >>> function("phi", 3)
    Traceback (most recent call last):
    TypeError: Argument 'phi' must be a function, not 3.
    """
    if not callable(value):
        raise TypeError(f"Argument '{name}' must be a function, not {value!r}.")
    return value


def path(name: str, value: Any) -> Path:
    """The path of a file or folder.

    >>> path("folder", 3)
    Traceback (most recent call last):
    TypeError: Argument 'folder' must be a path, not 3.
    """
    if not isinstance(value, (str, os.PathLike)) or isinstance(os.fspath(value), bytes):
        raise TypeError(f"Argument '{name}' must be a path, not {value!r}.")
    return Path(value)


def generator(name: str, value: Any) -> np.random.Generator:
    """A numpy Generator: the only way in which randomness enters this package.

    >>> generator("rng", 0)
    Traceback (most recent call last):
    TypeError: Argument 'rng' must be a numpy.random.Generator, such as default_rng(0), not 0.
    """
    if not isinstance(value, np.random.Generator):
        raise TypeError(f"Argument '{name}' must be a numpy.random.Generator, such as default_rng(0), not {value!r}.")
    return value


def real_array(
    name: str, value: ArrayLike, ndim: int | None, *, shape: tuple[int | None, ...] | None = None,
    convert: bool = True, finite: bool = True,
) -> NDArray[Any]:  # fmt: skip
    """A finite real array of ndim axes: float32 and float64 are kept, everything else becomes float64 if ``convert``.

    An ndim of None leaves the number of axes free; ``shape`` fixes some of the lengths (None leaves one free).
    Integers that a float64 would round and masked entries are refused. Without ``finite``, infinity and NaN are not.

    >>> real_array("u", [1, 2], ndim=1, shape=(3,))
    Traceback (most recent call last):
    ValueError: Argument 'u' must have shape (3,), not (2,).
    """
    array = rectangular(name, value)
    if array.dtype.kind not in "biuf":
        values = " Of a function f: [f(x) for x in points(n)]." if callable(array[()]) else ""
        raise TypeError(f"Argument '{name}' must be an array of real numbers, not of type {array.dtype}.{values}")
    _axes(name, array, ndim)
    if shape is not None and any(
        want is not None and want != got for want, got in zip(shape, array.shape, strict=True)
    ):
        wanted = "(" + ", ".join("any" if w is None else str(w) for w in shape) + (",)" if ndim == 1 else ")")
        raise ValueError(f"Argument '{name}' must have shape {wanted}, not {array.shape}.")
    if convert and array.dtype not in FLOAT_TYPES:
        if array.dtype.kind in "iu" and max(int(array.max(initial=0)), -int(array.min(initial=0))) > EXACT_INTEGER:
            raise ValueError(f"Argument '{name}' must have integers of at most 2**53 in size, or floats.")
        array = array.astype(np.float64)
    if finite and array.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            total = array.sum()
        if not np.isfinite(total):  # an entry is not finite, or the sum of large ones overflowed
            entries(name, array, np.isfinite(array), "must be finite")
    return array


def integer_array(name: str, value: ArrayLike, ndim: int | None = None) -> NDArray[np.int64]:
    """An array of 64-bit integers, of ndim axes unless None; of a type whose values all fit.

    >>> integer_array("Y", [[0.5]], ndim=2)
    Traceback (most recent call last):
    TypeError: Argument 'Y' must be an array of 64-bit integers, not of type float64.
    """
    array = rectangular(name, value)
    if array.size and not np.can_cast(array.dtype, np.int64):  # of an empty list NumPy makes floats
        raise TypeError(f"Argument '{name}' must be an array of 64-bit integers, not of type {array.dtype}.")
    _axes(name, array, ndim)
    return array.astype(np.int64)


def entries(name: str, array: NDArray[Any], good: NDArray[np.bool_], rule: str, remedy: str = "") -> None:
    """All entries of an array are good; the refusal has the place and the value of the first that is not.

    >>> entries("b", np.array([1, -1]), np.array([True, False]), "must be positive")
    Traceback (most recent call last):
    ValueError: Argument 'b' must be positive; entry (1,) is -1.
    """
    if not good.all():
        where = tuple(int(i) for i in np.argwhere(~good)[0])
        raise ValueError(f"Argument '{name}' {rule}; entry {where} is {array[where]}.{remedy}")


def _axes(name: str, array: NDArray[Any], ndim: int | None) -> None:
    if ndim is not None and array.ndim != ndim:
        raise ValueError(f"Argument '{name}' must have {ndim} axes, not {array.ndim} (its shape is {array.shape}).")


def rectangular(name: str, value: ArrayLike) -> NDArray[Any]:
    """The value as an array, which has no masked entries: their values would be used.

    >>> rectangular("W", [[1, 2], [3]])
    Traceback (most recent call last):
    ValueError: Argument 'W' must be a rectangular array of real numbers.
    """
    if type(value) is np.ndarray:
        return value
    if np.ma.is_masked(value):
        raise TypeError(f"Argument '{name}' must have no masked entries; fill or drop them.")
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"Argument '{name}' must be a rectangular array of real numbers.") from None


def length_2n(name: str, value: ArrayLike, *, convert: bool = True, finite: bool = True) -> tuple[NDArray[Any], int]:
    """A real function on the cube as an array of length 2^n, with its n; of type float32 or float64 if ``convert``.

    >>> length_2n("values", [1, 2, 3])
    Traceback (most recent call last):
    ValueError: Argument 'values' must have a length that is a power of two, 2**n, not 3.
    """
    array = real_array(name, value, ndim=1, convert=convert, finite=finite)
    n = array.size.bit_length() - 1
    if array.size != 1 << max(n, 0) or array.size == 0:
        raise ValueError(f"Argument '{name}' must have a length that is a power of two, 2**n, not {array.size}.")
    return array, n


def signs(name: str, value: ArrayLike, n: int | None = None) -> NDArray[Any]:
    """Points of {-1, 1}^n as the rows of a two-dimensional array, in the type in which they came; no bits.

    >>> signs("X", [[1, -1], [1, 0]])
    Traceback (most recent call last):
    ValueError: Argument 'X' must have entries -1 and 1 only; entry (1, 1) is 0.
    >>> signs("X", [[1, 0]])
    Traceback (most recent call last):
    ValueError: Argument 'X' must have entries -1 and 1 only; entry (0, 1) is 0. Of bits: np.where(X, -1, 1).
    """
    array = real_array(name, value, 2, convert=False, finite=False)
    if n is not None and array.shape[1] != n:
        raise ValueError(f"Argument '{name}' must have {n} columns, not {array.shape[1]}.")
    good = ((array == 1) | (array == -1)) & (array.dtype != np.bool_)  # True is a bit, which stands for -1
    if not good.all():
        points = f" Of bits: np.where({name.partition('[')[0]}, -1, 1)." if np.isin(array, (0, 1)).all() else ""
        entries(name, array, good, "must have entries -1 and 1 only", points)
    return array
