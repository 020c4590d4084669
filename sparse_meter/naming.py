"""Which of many named arrays make one hidden layer: by the names that frameworks and models use, and by shapes.

A linear map "P.fc1" has the arrays "P.fc1.weight" and perhaps "P.fc1.bias". Nothing here reads an array: the shapes
suffice, so that a file of many gigabytes is understood by its directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise, permutations
from os.path import commonprefix
from typing import Any

__all__: list[str] = []  # called by ``layer`` and ``files``

Shapes = Mapping[str, tuple[int, ...]]
# The names of inner, outer and, for gated layers, the up projection in models of Hugging Face, PyTorch and others:
# Llama, Mixtral, T5 1.1; OPT, ViT and BART; nn.TransformerEncoderLayer; DistilBERT; T5; GPT-2; NeoX and Falcon; BERT.
FAMILIES = (
    ("gate_proj", "down_proj", "up_proj"), ("w1", "w2", "w3"), ("wi_0", "wo", "wi_1"), ("fc1", "fc2", ""),
    ("linear1", "linear2", ""), ("lin1", "lin2", ""), ("wi", "wo", ""), ("c_fc", "c_proj", ""),
    ("dense_h_to_4h", "dense_4h_to_h", ""), ("up_proj", "down_proj", ""), ("intermediate.dense", "output.dense", ""),
    ("w1", "w2", ""),
)  # fmt: skip
# Of these the neurons are the columns: GPT-2's Conv1D, and the encoders of transcoders.
COLUMNS = ("c_fc", "W_enc")
# How many names a message lists.
LISTED = 8


# Those arrays of a layer that are maps, of two axes; the others have one.
MAPS = ("W", "U", "up")


@dataclass(frozen=True)
class Block:
    """The names of the arrays of one hidden layer of s neurons on n inputs, by their places in a ``Layer``.

    columns : whether the neurons are the columns of W and ``up``, and the rows of U.
    """

    name: str
    s: int
    n: int
    arrays: Mapping[str, str]
    columns: bool
    notes: tuple[str, ...]


def blocks(shapes: Shapes) -> list[Block]:
    """The hidden layers among named arrays, in the order of their names, numbers in them as numbers.

    >>> [(block.name, block.s, block.n) for block in blocks({"m.fc1.weight": (12, 4), "m.fc2.weight": (4, 12)})]
    [('m', 12, 4)]
    """
    named = _fitting(shapes, [*_families(shapes), *_transcoders(shapes)])
    # one to each outer map: the names of a gated layer are also those of a plain one
    found = [*{block.arrays.get("U", block.arrays["W"]): block for block in reversed(named)}.values()]
    found = found or _fitting(shapes, _numbered(shapes))
    if not found:
        found = _fitting(shapes, _pairs(shapes))
        found = found if len(found) == 1 else []
    return sorted(found, key=lambda block: _natural(block.name))


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part or 0), text) for text, part in re.findall(r"(\D*)(\d{0,18})", name)]


def _fitting(shapes: Shapes, candidates: Iterable[tuple[Any, ...]]) -> list[Block]:
    """The blocks of those candidates whose arrays fit: (name, inner, outer, up, bias, threshold, columns)."""
    return [block for candidate in candidates if (block := _block(shapes, *candidate))]


def _families(shapes: Shapes) -> Iterator[tuple[Any, ...]]:
    for inner, outer, up in FAMILIES:
        ending = f"{inner}.weight"
        for name in shapes:
            if name == ending or name.endswith(f".{ending}"):
                prefix = name.removesuffix(ending)
                names = (name, f"{prefix}{outer}.weight", f"{prefix}{up}.weight" if up else "")
                yield prefix.rstrip(".") or inner, *names, "", "", inner in COLUMNS


def _transcoders(shapes: Shapes) -> Iterator[tuple[Any, ...]]:
    """W_enc (n, s), b_enc, W_dec (s, o), perhaps a threshold for each neuron."""
    lower = {name.lower(): name for name in shapes}
    for name in shapes:
        if f".{name.lower()}".endswith(".w_enc"):
            prefix = name[: -len("w_enc")]
            outer, bias, threshold = (
                lower.get(f"{prefix}{part}".lower(), "") for part in ("w_dec", "b_enc", "threshold")
            )
            yield prefix.rstrip(".") or name, name, outer, "", bias, threshold, True


def _numbered(shapes: Shapes) -> Iterator[tuple[Any, ...]]:
    """Consecutive linear maps of an nn.Sequential: "0.weight" and "2.weight", after each of which the shapes fit."""
    parents: dict[str, list[tuple[int, str]]] = {}
    for name, shape in shapes.items():
        match = re.fullmatch(r"(.*?)(\d{1,9})\.weight", name)
        if match and len(shape) == 2:
            parents.setdefault(match[1], []).append((int(match[2]), name))
    for numbered in parents.values():
        maps = [name for _, name in sorted(numbered)]
        yield from ((inner.removesuffix(".weight"), inner, outer) for inner, outer in pairwise(maps))


def _pairs(shapes: Shapes) -> Iterator[tuple[Any, ...]]:
    """All pairs of matrices with any names, the first of which has a bias: for few of them the shapes fit."""
    matrices = [name for name, shape in shapes.items() if len(shape) == 2]
    for inner, outer in permutations(matrices, 2):
        if bias := _bias(inner, shapes):
            yield inner.removesuffix(".weight"), inner, outer, "", bias


def _bias(inner: str, shapes: Shapes) -> str:
    bias = re.sub(r"weight$|kernel$", "bias", inner)
    return bias if bias != inner and bias in shapes else ""


def _block(
    shapes: Shapes, name: str, inner: str, outer: str, up: str = "", bias: str = "", threshold: str = "",
    columns: bool = False,
) -> Block | None:  # fmt: skip
    """The block of these names if the arrays are there and fit."""
    if any(part and part not in shapes for part in (outer, up)) or len(shapes[inner]) != 2:
        return None
    bias = bias or _bias(inner, shapes)
    first, second = shapes[inner]
    if bias and first != second and shapes[bias] in ((first,), (second,)):
        columns = shapes[bias] == (second,)
    s, n = (second, first) if columns else (first, second)
    if outer and (len(shapes[outer]) != 2 or shapes[outer][0 if columns else 1] != s):
        return None
    if (up and shapes[up] != shapes[inner]) or (bias and shapes[bias] != (s,)):
        return None
    where = "column, and is transposed" if columns else "row"
    notes = [f"{inner} has one neuron in each {where}."]
    notes.append(f"{bias} is added: b of Definition 1 is its negative." if bias else "There is no bias.")
    if up:
        notes.append(f"Gated: neuron j is row j of {inner} and {up} and column j of {outer}; active where the gate is.")
    constant = _bias(outer, shapes)
    if constant and shapes[constant] != (shapes[outer][1 if columns else 0],):
        constant = ""
    arrays = {"W": inner, "b": bias, "U": outer, "up": up, "threshold": threshold, "constant": constant}
    return Block(name, s, n, {place: array for place, array in arrays.items() if array}, columns, tuple(notes))


def select(found: list[Block], layer: str | None, shapes: Shapes | None = None) -> Block:
    """The block of a name, of a part of it between dots, or of a pattern with * and ?; the only one if None.

    ``layer`` may also name two arrays, or three for a gated layer, without ".weight": "inner,outer" or "gate,down,up".

    >>> found = blocks({f"h.{i}.fc{j}.weight": (2, 2) for i in range(12) for j in (1, 2)})
    >>> select(found, "1").name, select(found, "*.11").name
    ('h.1', 'h.11')
    """
    if layer is not None and "," in layer and shapes is not None:
        return _named(layer, shapes)
    chosen = found
    if layer is not None:
        chosen = [block for block in found if block.name == layer]
        chosen = chosen or [block for block in found if fnmatchcase(block.name, layer)]
        chosen = chosen or [block for block in found if f".{layer}." in f".{block.name}."]
    if len(chosen) == 1:
        return _checked(chosen[0], shapes or {})
    if not found:
        there = listed([f"{name} {shape}" for name, shape in (shapes or {}).items()])
        raise ValueError(
            "Argument 'network': No hidden layer was recognised by its names, as u, W and b or those of a "
            "state_dict. Name its arrays, as "
            f"in layer='inner,outer'. There: {there}."
        )
    names = listed([f"{block.name} ({block.s} neurons)" for block in chosen or found])
    if layer is None:
        raise ValueError(f"Argument 'layer' must name one of {len(found)} hidden layers: {names}.")
    which = f"several, {names}" if chosen else f"none of {names}"
    raise ValueError(f"Argument 'layer' must name one hidden layer; {layer!r} names {which}.")


def _named(layer: str, shapes: Shapes) -> Block:
    """The block of the arrays that "inner,outer" or "gate,down,up" names."""
    parts = layer.split(",")
    names = [part if part in shapes else f"{part}.weight" for part in parts]
    missing = [part for part, name in zip(parts, names, strict=True) if name not in shapes]
    if missing or len(names) > 3:
        there = listed([f"{name} {shape}" for name, shape in shapes.items()])
        raise ValueError(f"Argument 'layer' must name two or three arrays; {missing or parts} are not. There: {there}.")
    names.append("")
    inner, outer, up = names[:3]
    block = _block(shapes, parts[0], inner, outer, up) or _block(shapes, parts[0], inner, outer, up, columns=True)
    if block is None:
        sizes = ", ".join(str(shapes[name]) for name in names if name)
        raise ValueError(f"Argument 'layer' must name arrays that fit together; their shapes are {sizes}.")
    return _checked(block, shapes)


def _checked(block: Block, shapes: Shapes) -> Block:
    """The block, unless an array beside its own shows that more is computed than its two or three linear maps."""
    maps = [block.arrays[place] for place in MAPS if place in block.arrays]
    own = {*block.arrays.values(), _bias(block.arrays.get("up", ""), shapes)}
    inner, outer = block.arrays["W"], block.arrays.get("U", "")
    common = ".".join(commonprefix([inner.split("."), outer.split(".")]))
    numbered = [re.fullmatch(r"(|.*\.)(\d{1,9})\.weight", name) for name in (inner, outer)]
    for name, shape in shapes.items():
        if name in own:
            continue
        for array in maps:
            place = array.rpartition(".")[0]
            if place and name.startswith(f"{place}."):
                raise ValueError(
                    f"Argument 'network' must have plain weights: {name!r} stands beside {array!r}, which it may "
                    "scale, mask or change. Convert quantised, pruned or adapted weights first, or run the model."
                )
        module = name.rpartition(".")[0]
        beside = f"{module.rpartition('.')[0]}.".startswith(f"{common}.")
        linear = len(shapes.get(f"{module}.weight", ())) == 2  # of which it is the bias
        between = shape == (block.s,) and beside and not linear and (block.s != block.n or "running_" in name)
        if all(numbered):
            first, last = numbered
            inside = re.match(re.escape(first[1]) + r"(\d{1,9})\.", name) if first and last else None
            between = bool(inside and first and last and int(first[2]) < int(inside[1]) < int(last[2]))
        if between and outer:
            raise ValueError(
                f"Argument 'network' must have nothing that computes between {inner!r} and {outer!r}: "
                f"{name!r} {shape} may normalise what the activation function sees. Pass the model itself, which is "
                "run, or its pre-activations."
            )
    return block


def name(argument: str, value: str | None) -> None:
    """Refuse what is no name.

    >>> name("layer", 3)
    Traceback (most recent call last):
    TypeError: Argument 'layer' must be a name, as '3', not 3.
    """
    if value is not None and not isinstance(value, str):
        raise TypeError(f"Argument '{argument}' must be a name, as {str(value)!r}, not {value!r}.")


def listed(names: list[str]) -> str:
    """The first of the names, and how many more there are.

    >>> listed([str(i) for i in range(10)])
    '0, 1, 2, 3, 4, 5, 6, 7 and 2 more'
    """
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more if names else "nothing"
