"""Which positions are padding: what a mask among the arguments of a model says, by any of its names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .networks import plain

__all__: list[str] = []  # called by ``tracing``

# How the arguments of a decoder are called, and the masks of what a decoder reads, which are not of its inputs.
DECODER = ("decoder", "tgt")
CROSS = ("encoder", "memory", "cross")
# Parts of the names of masks that say something else of positions, or of heads: who is hidden from a loss, or global.
OTHERS = re.compile("masked|indices|global|head|special|loss|label")
# Operators after which a mask says the same in other numbers, and those that put the same numbers elsewhere.
RESTATES = frozenset("eq ne gt ge lt le bitwise_not logical_not _to_copy rsub".split())
MOVES = frozenset("cat constant_pad_nd transpose t permute clone".split())


class Mask(NamedTuple):
    """A mask as it was given, and true where there is an input; of a model with a decoder, whether it is of that."""

    given: Any
    inputs: NDArray[np.bool_]
    decoder: bool | None = None


def masks(model: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Mask]:
    """The masks among the arguments of a model.

    >>> class Model:
    ...     def forward(self, ids, mask): ...
    >>> [mask.inputs for mask in masks(Model(), ([[1, 2]], np.array([[1, 0]])), {})]
    [array([[ True, False]])]
    """
    given = dict(kwargs)
    names: Any = ()
    with suppress(TypeError, ValueError):  # what has no signature, or other arguments than it says
        signature = inspect.signature(model.forward)
        names = signature.parameters
        given |= signature.bind_partial(*args).arguments
    two_sided = any(name.startswith(DECODER) for name in names)
    # Where PyTorch's own modules take a mask of padding, their other masks say who attends to whom.
    kind = "key_padding_mask" if any(name.endswith("key_padding_mask") for name in names) else "mask"
    found = []
    for name, value in given.items():
        if kind in name and getattr(value, "ndim", 0) == 2 and not (name.startswith(CROSS) or OTHERS.search(name)):
            inputs = _inputs(name, plain(name, value))
            if kind != "mask" and _sequence_first(model):
                inputs = inputs.T
            found.append(Mask(value, inputs, name.startswith(DECODER) if two_sided else None))
    return found


def changed(mask: Mask, name: str, out: Any) -> Mask:
    """What an operator makes of a mask.

    >>> changed(Mask(np.array([[1, 0]]), np.array([[True, False]])), "cat", np.array([[1, 1, 0]])).inputs
    array([[ True,  True, False]])
    """
    inputs = mask.inputs
    if name in MOVES:
        inputs = np.isin(plain("mask", out), plain("mask", mask.given)[inputs])
    return mask._replace(given=out, inputs=inputs)


def _inputs(name: str, mask: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a mask has inputs: its padding is True, or added to scores, or else 0."""
    hides = (mask.dtype == np.bool_ and "pad" in name) or mask.min(initial=0) < 0
    return np.asarray((mask == 0) == hides)


def _sequence_first(model: Any) -> bool:
    """Whether the parts of a model count positions along the first axis, as those of PyTorch do by default."""
    return any(getattr(part, "batch_first", True) is False for part in model.modules())


def kept(found: list[Mask], lead: tuple[int, ...], decodes: bool) -> tuple[NDArray[np.bool_] | slice, bool]:
    """Which of the inputs along these axes are no padding, if a mask fits them; and whether one should, and none does.

    >>> kept([Mask(None, np.array([[True, False]]))], (2, 1), False)
    (array([ True, False]), False)
    >>> kept([Mask(None, np.array([[True, False]]))], (1, 3), False)
    (slice(None, None, None), True)
    """
    masks = [mask.inputs for mask in found if mask.decoder in (None, decodes)]
    for mask in masks:
        for one in (mask, mask.T):
            if lead in (one.shape, (one.size,)):
                return one.ravel(), False
    return slice(None), any(len(lead) > 1 or mask.size < prod(lead) for mask in masks)
