"""A drawing of a directed graph without cycles: columns from left to right, so that each arrow leads to the right.

After Sugiyama, Tagawa and Toda (1981) each vertex gets a column, and an arrow that passes a column a place in it. Then
the places move, column by column, to the mean height of their neighbours, in whose order the column is, as near as the
distances allow. Nothing is random: the same graph has the same drawing.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise

# Sweeps over the columns: the first looks at the neighbours to the left, the second at those to the right, the others
# at both. On the graph of this book more of them save no crossing.
SWEEPS = 22
# The height of a place that an arrow passes, in heights of a vertex.
THIN = 0.4

# A vertex by its name; a place of the arrow from a to b in column c is (a, b, c).
Place = str | tuple[str, str, int]


@dataclass(frozen=True)
class Drawing:
    """The column and the height of each vertex, and for each arrow the heights at which it passes columns."""

    at: dict[str, tuple[int, float]]
    arrows: dict[tuple[str, str], list[float]]


def draw(below: Mapping[str, Sequence[str]]) -> Drawing:
    """The drawing of the graph in which ``below[v]`` are the vertices from which an arrow leads to v.

    >>> draw({"a": [], "b": ["a"], "c": ["a", "b"]}).arrows
    {('a', 'b'): [], ('a', 'c'): [0.7], ('b', 'c'): []}
    """
    column = columns(below)
    places: list[list[Place]] = [[] for _ in range(max(column.values(), default=-1) + 1)]
    for name in below:
        places[column[name]].append(name)
    left: dict[Place, list[Place]] = defaultdict(list)
    right: dict[Place, list[Place]] = defaultdict(list)
    passed = {(a, b): range(column[a] + 1, column[b]) for b in below for a in below[b]}
    for (a, b), numbers in passed.items():
        way: list[Place] = [a]
        for number in numbers:
            way.append((a, b, number))
            places[number].append(way[-1])
        for before, after in pairwise([*way, b]):
            right[before].append(after)
            left[after].append(before)
    height = heights(places, left, right)
    top = min(height.values(), default=0)
    at = {name: (column[name], round(height[name] - top, 2)) for name in below}
    arrows = {(a, b): [round(height[a, b, c] - top, 2) for c in numbers] for (a, b), numbers in passed.items()}
    return Drawing(at, arrows)


def columns(below: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The longest way to each vertex; a vertex at which no arrow ends stands right before the first that needs it.

    >>> columns({"a": [], "b": ["a"], "late": [], "c": ["b", "late"]})
    {'a': 0, 'late': 1, 'b': 1, 'c': 2}
    """
    found: dict[str, int] = {}
    above: dict[str, list[int]] = defaultdict(list)
    for name in TopologicalSorter(below).static_order():
        found[name] = max((found[lower] + 1 for lower in below[name]), default=0)
        for lower in below[name]:
            above[lower].append(found[name])
    for name in found:
        if not below[name]:
            found[name] = min(above[name], default=1) - 1
    return found


def heights(
    places: Sequence[Sequence[Place]], left: Mapping[Place, list[Place]], right: Mapping[Place, list[Place]]
) -> dict[Place, float]:
    """The height of each place: as near to the mean of its neighbours as their order and the distances allow."""
    found: dict[Place, float] = {}
    for column in places:
        found.update(zip(column, spaced([0.0] * len(column), column), strict=True))
    for sweep in range(SWEEPS):
        sides = ([left], [right], [left, right])[min(sweep, 2)]
        for column in reversed(places) if sweep % 2 else places:
            wanted = {}
            for place in column:
                beside = [found[near] for side in sides for near in side[place]] or [found[place]]
                wanted[place] = sum(beside) / len(beside)
            ordered = sorted(sorted(column, key=found.__getitem__), key=wanted.__getitem__)
            found.update(zip(ordered, spaced([wanted[place] for place in ordered], ordered), strict=True))
    return found


def spaced(wanted: Sequence[float], column: Sequence[Place]) -> list[float]:
    """The heights nearest to the wanted ones, in the sum of squares, that keep the order and the distances.

    Less the distances from the first place the heights must not fall.

    >>> spaced([0, 0], ["a", "b"])
    [-0.5, 0.5]
    """
    from scipy.optimize import isotonic_regression  # which takes longer to load than all else that a command needs

    size = [1.0 if isinstance(place, str) else THIN for place in column]
    offset = [0.0]
    for before, after in pairwise(size):
        offset.append(offset[-1] + (before + after) / 2)
    level = isotonic_regression([want - first for want, first in zip(wanted, offset, strict=True)]).x
    return [float(value) + first for value, first in zip(level, offset, strict=True)]
