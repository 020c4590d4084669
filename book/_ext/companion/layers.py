"""A drawing of a directed graph without cycles: columns from left to right, so that each arrow leads to the right.

The method is that of Sugiyama, Tagawa and Toda (1981): each vertex gets a column, an arrow that passes a column gets a
place in it, the places of a column are ordered so that few arrows cross, and each then comes to lie near its
neighbours. Nothing is random: the same graph has the same drawing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise

from scipy.optimize import isotonic_regression

# Sweeps over the columns; more of them change the drawings of this book by less than one crossing in twenty.
ORDER_SWEEPS = 12
PLACE_SWEEPS = 8
# The height of a place that an arrow passes, in heights of a vertex.
THIN = 0.4

# A vertex by its name; a place of the arrow from a to b in column c is (a, b, c).
Place = str | tuple[str, str, int]


@dataclass(frozen=True)
class Drawing:
    """The column and the height of each vertex, and for each arrow the heights at which it passes columns."""

    at: dict[str, tuple[int, float]]
    arrows: dict[tuple[str, str], list[float]]


def draw(below: Mapping[str, Iterable[str]]) -> Drawing:
    """The drawing of the graph in which ``below[v]`` are the vertices from which an arrow leads to v.

    >>> draw({"a": [], "b": ["a"], "c": ["a", "b"]}).arrows
    {('a', 'b'): [], ('a', 'c'): [0.7], ('b', 'c'): []}
    """
    column = columns(below)
    edges = [(a, b) for b in below for a in below[b]]
    places: list[list[Place]] = [[] for _ in range(max(column.values(), default=-1) + 1)]
    for name in below:
        places[column[name]].append(name)
    left: dict[Place, list[Place]] = {}
    right: dict[Place, list[Place]] = {}
    for a, b in edges:
        passed: list[Place] = [(a, b, c) for c in range(column[a] + 1, column[b])]
        for place in passed:
            places[place[2]].append(place)  # type: ignore[index]  (the third of a place of an arrow)
        for one, other in pairwise([a, *passed, b]):
            right.setdefault(one, []).append(other)
            left.setdefault(other, []).append(one)
    ordered = in_order(places, left, right)
    height = heights(ordered, left, right)
    top = min(height.values(), default=0)
    at = {name: (column[name], round(height[name] - top, 2)) for name in below}
    arrows = {(a, b): [round(height[a, b, c] - top, 2) for c in range(column[a] + 1, column[b])] for a, b in edges}
    return Drawing(at, arrows)


def columns(below: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """The longest way to each vertex; a vertex at which no arrow ends stands right before the first that needs it.

    >>> columns({"a": [], "b": ["a"], "late": [], "c": ["b", "late"]})
    {'a': 0, 'late': 1, 'b': 1, 'c': 2}
    """
    found: dict[str, int] = {}
    for name in TopologicalSorter(below).static_order():
        found[name] = max((found[one] + 1 for one in below[name]), default=0)
    above: dict[str, list[int]] = {}
    for name, ones in below.items():
        for one in ones:
            above.setdefault(one, []).append(found[name])
    for name, ones in below.items():
        if not list(ones) and name in above:
            found[name] = min(above[name]) - 1
    return found


def in_order(
    places: Sequence[Sequence[Place]], left: Mapping[Place, list[Place]], right: Mapping[Place, list[Place]]
) -> list[list[Place]]:
    """Each column sorted by the mean position of its neighbours, from the left and from the right in turn; of all the
    orders met the one with the fewest crossings."""
    current = [list(column) for column in places]
    best = [list(column) for column in current]
    fewest = crossings(best, right)
    for sweep in range(ORDER_SWEEPS):
        forward = sweep % 2 == 0
        near = left if forward else right
        for number in range(len(current)) if forward else reversed(range(len(current))):
            position = {place: i for column in current for i, place in enumerate(column)}

            def mean(
                place: Place, position: dict[Place, int] = position, near: Mapping[Place, list[Place]] = near
            ) -> float:
                beside = near.get(place, [])
                return sum(position[one] for one in beside) / len(beside) if beside else position[place]

            current[number].sort(key=mean)
        if (crossed := crossings(current, right)) < fewest:
            best = [list(column) for column in current]
            fewest = crossed
    return best


def crossings(ordered: Sequence[Sequence[Place]], right: Mapping[Place, list[Place]]) -> int:
    """How many pairs of arrows cross between two columns.

    >>> crossings([["a", "b"], ["c", "d"]], {"a": ["d"], "b": ["c"]})
    1
    """
    count = 0
    for column, following in pairwise(ordered):
        position = {place: i for i, place in enumerate(following)}
        ends: list[int] = []
        for place in column:
            mine = sorted(position[one] for one in right.get(place, []))
            count += sum(end > one for one in mine for end in ends)
            ends += mine
    return count


def heights(
    ordered: Sequence[Sequence[Place]], left: Mapping[Place, list[Place]], right: Mapping[Place, list[Place]]
) -> dict[Place, float]:
    """The height of each place: as near to the mean of its neighbours as the order and the distances allow."""
    found: dict[Place, float] = {}
    for column in ordered:
        found.update(zip(column, spaced([0.0] * len(column), column), strict=True))
    for sweep in range(PLACE_SWEEPS):
        for column in ordered if sweep % 2 == 0 else reversed(ordered):
            wanted = []
            for place in column:
                beside = [*left.get(place, []), *right.get(place, [])]
                wanted.append(sum(found[one] for one in beside) / len(beside) if beside else found[place])
            found.update(zip(column, spaced(wanted, column), strict=True))
    return found


def spaced(wanted: Sequence[float], column: Sequence[Place]) -> list[float]:
    """The heights nearest to the wanted ones, in the sum of squares, that keep the order and the distances.

    Less the distances from the first place the heights must not fall.

    >>> spaced([0, 0], ["a", "b"])
    [-0.5, 0.5]
    """
    size = [1.0 if isinstance(place, str) else THIN for place in column]
    offset = [0.0] * len(column)
    for i in range(1, len(column)):
        offset[i] = offset[i - 1] + (size[i - 1] + size[i]) / 2
    level = isotonic_regression([want - first for want, first in zip(wanted, offset, strict=True)]).x
    return [value + first for value, first in zip(level.tolist(), offset, strict=True)]
