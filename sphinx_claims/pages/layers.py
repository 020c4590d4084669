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

import numpy as np

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
    passed: dict[tuple[str, str], list[Place]] = {}
    for b in below:
        for a in below[b]:
            passed[a, b] = []
            for number in range(column[a] + 1, column[b]):
                passed[a, b].append((a, b, number))
                places[number].append((a, b, number))
            for before, after in pairwise([a, *passed[a, b], b]):
                right[before].append(after)
                left[after].append(before)
    height = heights(places, left, right)
    top = min(height.values(), default=0)
    for place in height:
        height[place] = round(height[place] - top, 2)
    at = {name: (column[name], height[name]) for name in below}
    return Drawing(at, {arrow: [height[place] for place in way] for arrow, way in passed.items()})


def columns(below: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The longest way to each vertex; a vertex at which no arrow ends stands right before the first that needs it.

    >>> columns({"a": [], "b": ["a"], "late": [], "c": ["b", "late"]})
    {'a': 0, 'late': 1, 'b': 1, 'c': 2}
    """
    found: dict[str, int] = {}
    for name in TopologicalSorter(below).static_order():
        found[name] = max((found[lower] + 1 for lower in below[name]), default=0)
    for name in below:
        if not below[name]:
            found[name] = min((found[upper] for upper in below if name in below[upper]), default=1) - 1
    return found


def heights(
    places: Sequence[Sequence[Place]], left: Mapping[Place, list[Place]], right: Mapping[Place, list[Place]]
) -> dict[Place, float]:
    """The height of each place: as near to the mean of its neighbours as their order and the distances allow."""
    found: dict[Place, float] = {}
    both = {}
    for column in places:
        found |= zip(column, spaced([0.0] * len(column), column), strict=True)
        for place in column:
            both[place] = left[place] + right[place]
    for sweep in range(SWEEPS):
        side = (left, right, both)[min(sweep, 2)]
        for column in places[:: (-1) ** sweep]:
            wanted = {}
            for place in column:
                near = side[place] or [place]
                wanted[place] = sum(map(found.__getitem__, near)) / len(near)
            ordered = sorted(sorted(column, key=found.__getitem__), key=wanted.__getitem__)
            found |= zip(ordered, spaced([wanted[place] for place in ordered], ordered), strict=True)
    return found


def spaced(wanted: Sequence[float], column: Sequence[Place]) -> list[float]:
    """The heights nearest to the wanted ones, in the sum of squares, that keep the order and the distances.

    Less the distances from the first place the heights must not fall.

    >>> spaced([0, 0], ["a", "b"])
    [-0.5, 0.5]
    """
    from scipy.optimize import isotonic_regression  # which takes longer to load than all else that a command needs

    size = np.array([1.0 if isinstance(place, str) else THIN for place in column])
    offset = np.cumsum([0.0, *(size[1:] + size[:-1]) / 2])
    level = isotonic_regression(np.subtract(wanted, offset)).x
    heights: list[float] = (level + offset).tolist()
    return heights
