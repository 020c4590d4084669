"""The proof of AS(h) <= 4 k^2 W^2 in six drawings of one network on the 3-cube, and a network that attains the bound.

``panels(net, extreme)`` computes every number of the drawings and of their sentences. The page shows the six drawings
side by side; where motion is welcome, book/assets/proof.js moves one into the next, by the keys of their elements.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparse_core.cube import fourier, hypercube
from sparse_core.network import SparseNetwork

from ..figures import COLOURS

__all__ = ["Chain", "Edge", "MovingProof", "chain", "edge", "panels"]

Array = NDArray[np.float64]
TITLES = ("Flip a bit", "Which neurons change?", "Charge each", "Sum", "Average", "The extreme case")
# Where the three bits point in a drawing, in its units, which are pixels on a phone.
DIRECTIONS = np.array([[170, 0], [0, -150], [92, -70]])
CENTRE = np.array([180, 138])
SIZE = (360, 400)
# The plot below the cube.
LEFT, RIGHT, TOP, BOTTOM = 112, 265, 288, 384
# The widths of the edge that is flipped, of one along which h does not change, and what the largest change adds.
FLIPPED, LEAST, MOST = 3.0, 2.0, 7.0
# Where no style sheet of the site says more, as in Jupyter: what is muted, and what a vertex covers.
GREY = "#808080"
PAPER = "var(--pst-color-background, var(--jp-layout-color0, Canvas))"
# Points of a curve along an edge: the corners of a network of quarters lie on them.
STEPS = 33


class Edge(NamedTuple):
    """One flip of bit i at a point: h, the active neurons and the charges a_i at both ends, and the terms between."""

    point: int
    bit: int
    ends: tuple[float, float]
    active: tuple[list[int], list[int]]
    charges: tuple[float, float]
    terms: Array

    @property
    def quarter(self) -> float:
        """(h(x) - h(x'))^2 / 4."""
        return (self.ends[0] - self.ends[1]) ** 2 / 4


class Chain(NamedTuple):
    """AS <= 4 E |R| sum_R ||v_j||^2 <= 4 W^2 E |R|^2 <= 4 k^2 W^2, in this order."""

    AS: float
    weighted: float
    square: float
    worst: float


def edge(net: SparseNetwork, point: int, bit: int) -> Edge:
    """What a flip of ``bit`` at the point of that index does.

    >>> found = edge(SparseNetwork([1, -1], [[1], [-1]], [-1, -1]), 0, 0)    # h(x) = 2 x
    >>> found.ends, found.active, found.charges, found.quarter
    ((2.0, -2.0), ([0], [1]), (1.0, 1.0), 4.0)
    """
    X = hypercube.points(net.n)[[point, point ^ (1 << bit)]]
    active = net.active(X)
    between = np.linspace(X[0], X[1], STEPS)
    terms = np.maximum(between @ net.W.T - net.b, 0) * net.u
    charges = active @ np.abs(net.u * net.W[:, bit])
    first, second = (np.flatnonzero(row).tolist() for row in active)
    ends = net(X).tolist()
    return Edge(point, bit, (ends[0], ends[1]), (first, second), (float(charges[0]), float(charges[1])), terms)


def chain(net: SparseNetwork) -> Chain:
    """The four means of the proof, exact over the cube.

    >>> chain(SparseNetwork([1, -1], [[1], [-1]], [-1, -1]))                 # h(x) = 2 x
    Chain(AS=4.0, weighted=4.0, square=4.0, worst=4.0)
    """
    active = net.active(hypercube.points(net.n))
    count = active.sum(axis=1)
    lengths = net.u**2 * (net.W**2).sum(axis=1)
    W2 = lengths.max()
    means = (
        fourier.average_sensitivity(net.values()),
        4 * np.mean(count * (active @ lengths)),
        4 * W2 * np.mean(count**2),
        4 * W2 * count.max() ** 2,
    )
    return Chain(*map(float, means))


def example_flip(net: SparseNetwork) -> Edge:
    """The flip that changes h and concerns the most neurons; among these the one with the largest change."""
    flips = [edge(net, point, bit) for point in range(1 << net.n) for bit in range(net.n)]
    rank = [(flip.quarter > 0, len({*flip.active[0], *flip.active[1]}), flip.quarter) for flip in flips]
    return flips[rank.index(max(rank))]


class MovingProof:
    """Six drawings with their sentences, as HTML for the page and as text for the notebook."""

    def __init__(self, drawings: Sequence[str], sentences: Sequence[str]) -> None:
        self.drawings = drawings
        self.sentences = sentences

    def __repr__(self) -> str:
        lines = [f"  {i}. {title}: {_plain(words)}" for i, title, words in self._steps()]
        return "\n".join(["The proof in six steps:", *lines])

    def _steps(self) -> list[tuple[int, str, str]]:
        return [(i, *step) for i, step in enumerate(zip(TITLES, self.sentences, strict=True), 1)]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        steps = ""
        for (i, title, words), drawing in zip(self._steps(), self.drawings, strict=True):
            steps += (
                f'<li>{drawing}<div class="proof-words"><p><b>{i}. {title}</b></p><p>{_marked(words)}</p></div></li>'
            )
        nav = '<p class="cube-row proof-nav" role="group" aria-label="Steps of the proof"></p>'  # filled by the script
        shown = f'<ol style="list-style: none; padding: 0">{steps}</ol>{nav}'
        return {"text/plain": repr(self), "text/html": f'<div class="cc six-steps">{shown}</div>'}


def panels(net: SparseNetwork, extreme: SparseNetwork) -> MovingProof:
    """The proof, shown on one flip of ``net``; ``extreme`` attains the bound. Both have three inputs."""
    if net.n != 3 or extreme.n != 3:
        raise ValueError(f"Arguments 'net' and 'extreme' must have 3 inputs, not {net.n} and {extreme.n}.")
    means, most = chain(net), chain(extreme)
    if not np.isclose(most.AS, most.worst, rtol=1e-12):  # both are rounded
        raise ValueError(f"Argument 'extreme' must attain the bound {most.worst:g}, but its AS is {most.AS:g}.")
    flip = example_flip(net)
    star = [edge(net, flip.point, bit) for bit in range(net.n)]
    drawn = (
        _cube(net, [flip]) + _curves(flip, neurons=False),
        _cube(net, [flip], regions=True) + _curves(flip, neurons=True),
        _cube(net, [flip], regions=True) + _charges(flip),
        _cube(net, star, regions=True) + _sums(star),
        _cube(net, _all(net), regions=True) + _bars(means),
        _cube(extreme, _all(extreme), regions=True) + _bars(most),
    )
    sentences = (*_words_of_a_flip(net, flip), _words_of_sums(net, flip), *_words_of_means(means, extreme, most))
    told = zip(drawn, TITLES, sentences, strict=True)
    return MovingProof([_svg(body, f"{title}: {_plain(words)}") for body, title, words in told], sentences)


# --- Sentences, in which *x* is in italics, _{i} below the line, and ~ a space at which no line breaks ---


def _words_of_a_flip(net: SparseNetwork, flip: Edge) -> tuple[str, str, str]:
    before, after = map(_number, flip.ends)
    here, there = map(_neurons, flip.active)
    first = (
        f"A network with {net.n} inputs and {net.s} neurons; each vertex shows *h*. At *x*~=~{_point(flip)} flip "
        f"bit~{flip.bit + 1}: *h* changes from {before} to {after}, as drawn below the cube. Such a flip adds "
        f"¼(*h*(*x*)~−~*h*(*x′*))²~=~{_number(flip.quarter)} to the sensitivity at~*x*."
    )
    second = (
        f"At *x* {here} active, at *x′* {there}. Each colour is one neuron: its region, and below "
        "the cube what it adds along the edge. A neuron that is inactive at both ends is inactive between them, so "
        "it contributes nothing."
    )
    change, charge, other = map(_number, (abs(flip.ends[0] - flip.ends[1]), *(2 * a for a in flip.charges)))
    third = (
        "Neuron *j* adds *u*_{j}~relu(⟨*w*_{j},~*x*⟩~−~*b*_{j}) to *h*. Let *v*_{j}~=~*u*_{j}*w*_{j}. A flip moves "
        "bit~*i* by~2, so neuron *j* by at most 2|*v*_{ji}|. Let *a*_{i}(*x*) be the sum of |*v*_{ji}| over the "
        "neurons that are active at *x*. Then |*h*(*x*)~−~*h*(*x′*)|~"
        f"≤~2*a*_{{i}}(*x*)~+~2*a*_{{i}}(*x′*): here {change}~≤~{charge}~+~{other}."
    )
    return first, second, third


def _words_of_sums(net: SparseNetwork, flip: Edge) -> str:
    total = _number(sum(edge(net, flip.point, bit).charges[0] ** 2 for bit in range(net.n)))
    most = _number(int(net.sparsity()) ** 2 * net.scale.W**2)
    return (
        "Square: ¼(*h*(*x*)~−~*h*(*x′*))²~≤~2*a*_{i}(*x*)²~+~2*a*_{i}(*x′*)². The bars show both sides for the "
        f"{net.n} bits. From here, the thicker an edge, the larger this square, relative to the largest. With *R* the "
        "set of active neurons, Cauchy–Schwarz gives Σ_{i}~*a*_{i}(*x*)²~≤~|*R*|~Σ_{j∈R}~‖*v*_{j}‖²~≤~*k*²*W*²: "
        f"here the sum is {total}, and *k*²*W*²~=~{most}."
    )


def _words_of_means(means: Chain, extreme: SparseNetwork, most: Chain) -> tuple[str, str]:
    AS, weighted, square, worst = map(_number, means)
    fifth = (
        "If *x* is uniform, so is *x′*, and both terms have the same mean: AS~≤~4E~|*R*|~Σ_{j∈R}~‖*v*_{j}‖², what "
        "is charged. Take *W* for each length, then *k* for each |*R*|: "
        f"{AS}~≤~{weighted} ≤~{square} ≤~4*k*²*W*²~=~{worst}."
    )
    ends = edge(extreme, 0, 0).ends
    sixth = (
        f"Nothing is lost for the parity of {extreme.n} bits, with {extreme.s} neurons (some share a colour), of which "
        f"{int(extreme.sparsity())} is active at each vertex: every flip changes *h* by "
        f"{_number(abs(ends[0] - ends[1]))}, all of its charge. AS~=~4*k*²*W*²~=~{_number(most.worst)}. "
        "The bound is sharp."
    )
    return fifth, sixth


def _marked(words: str) -> str:
    """The sentence as HTML."""
    lowered = re.sub(r"_\{(.*?)\}", r"<sub><i>\1</i></sub>", words.replace("~", "\N{WORD JOINER}\N{NO-BREAK SPACE}"))
    return re.sub(r"\*(.*?)\*", r"<i>\1</i>", lowered)


def _plain(words: str) -> str:
    """The sentence without its marks."""
    return re.sub(r"\*|_\{(.*?)\}", r"\1", words.replace("~", " "))


def _number(value: float) -> str:
    """Up to five digits, and the sign of print."""
    return f"{value:.5g}".replace("-", "−")


def _point(flip: Edge) -> str:
    return "(" + ",~".join(_number(v) for v in hypercube.points(3)[flip.point]) + ")"


def _neurons(active: list[int]) -> str:
    names = " and ".join(str(j + 1) for j in active)
    return f"neuron{'s' * (len(active) > 1)} {names} {'are' if len(active) > 1 else 'is'}" if active else "no neuron is"


# --- Drawings: every element that moves has a key, which it keeps from one drawing to the next ---


def _svg(body: str, words: str) -> str:
    box = f'viewBox="0 0 {SIZE[0]} {SIZE[1]}" width="384" fill="currentColor" font-family="sans-serif" font-size="13"'
    return f'<svg {box} role="img" aria-label="{html.escape(words)}">{body}</svg>'


def _element(tag: str, key: str = "", text: str = "", **attributes: Any) -> str:
    named = {"data-key": key, **{name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}}
    shown = {name: f"{value:g}" if isinstance(value, float) else value for name, value in named.items() if value != ""}
    written = "".join(f' {name}="{value}"' for name, value in shown.items())
    return f"<{tag}{written}>{text}</{tag}>"


def _place(point: int) -> Array:
    at: Array = CENTRE + hypercube.points(3)[point] @ DIRECTIONS / 2
    return at


def _all(net: SparseNetwork) -> list[Edge]:
    return [edge(net, point, bit) for point in range(8) for bit in range(3) if not point >> bit & 1]


def _cube(net: SparseNetwork, told: Sequence[Edge], *, regions: bool = False) -> str:
    """The cube with the values of h; edges ``told`` are as wide as their change is large, one is just marked."""
    change = {(flip.point & ~(1 << flip.bit), flip.bit): flip.quarter for flip in told}
    most = max(change.values()) or 1
    lines = ""
    for flip in _all(net):
        ends = flip.point, flip.bit
        (x1, y1), (x2, y2) = _place(flip.point), _place(flip.point ^ (1 << flip.bit))
        kind, width, ink = "edge", 1.0, {"stroke": GREY, "stroke_dasharray": "2 4"}
        if ends in change and len(told) == 1:
            kind, width, ink = "edge flipped", FLIPPED, {"stroke": "currentColor"}
        elif ends in change and (change[ends] or len(told) <= net.n):
            kind, width, ink = "edge told", LEAST + MOST * change[ends] / most, {"stroke": COLOURS[0]}
        span = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
        lines += _element("line", f"edge-{flip.point}-{flip.bit}", **span, stroke_width=width, class_=kind, **ink)
    active = net.active(hypercube.points(3))
    values = net.values()
    for point in range(8):
        x, y = _place(point)
        fill = _colour(np.flatnonzero(active[point])) if regions else "none"
        at: dict[str, Any] = {"cx": x, "cy": y, "r": 18.0}
        lines += _element("circle", f"paper-{point}", **at, class_="paper", style=f"fill: {PAPER}")
        ink = {"fill": fill, "fill_opacity": "0.45", "stroke": "currentColor"}
        lines += _element("circle", f"vertex-{point}", **at, **ink, class_="vertex")
        lines += _element(
            "text", f"value-{point}", _number(values[point]), x=x, y=y + 5, text_anchor="middle", class_="value"
        )
    for point, name in ((told[0].point, "x"), (told[0].point ^ (1 << told[0].bit), "x′")) if len(told) == 1 else ():
        x, y = _place(point)
        side = 1 if x > CENTRE[0] else -1
        lines += _element("text", f"name-{name}", name, x=x + 28 * side, y=y + 5, text_anchor="middle", class_="name")
    return lines


def _colour(active: Sequence[int] | NDArray[np.intp]) -> str:
    """The colour of the first neuron that is active, each of which has its own as long as they last; or none."""
    return COLOURS[active[0] % len(COLOURS)] if len(active) else "none"


def _curves(flip: Edge, *, neurons: bool) -> str:
    """h along the edge and, if asked for, the term of each neuron that is not zero there."""
    total = flip.terms.sum(axis=1)
    shown = [total, *flip.terms.T] if neurons else [total]
    low, high = min(0.0, flip.terms.min(), total.min()), max(flip.terms.max(), total.max())
    across = np.linspace(LEFT, RIGHT, STEPS)
    if _place(flip.point)[0] > CENTRE[0]:
        across = across[::-1]  # as in the cube above
    height = (BOTTOM - TOP) / (high - low or 1)
    body = _element(
        "line", x1=LEFT, x2=RIGHT, y1=BOTTOM + height * low, y2=BOTTOM + height * low, stroke=GREY, class_="axis"
    )
    for j, values in enumerate(shown):
        points = " ".join(f"{x:.1f},{BOTTOM - height * (v - low):.1f}" for x, v in zip(across, values, strict=True))
        colour = COLOURS[(j - 1) % len(COLOURS)] if j else "currentColor"
        width, opacity = (6.0, 0.5) if j else (2.0, 1.0)
        body += _element(
            "polyline", points=points, fill="none", stroke=colour, stroke_width=width, stroke_opacity=opacity
        )
    for name, x, v in (("x", across[0], total[0]), ("x′", across[-1], total[-1])):
        y = BOTTOM - height * (v - low)
        anchor, shift = ("end", -8) if x == LEFT else ("start", 8)
        body += _element("circle", cx=x, cy=y, r=3.5, fill="currentColor")
        body += _element("text", text=f"h({name}) = {_number(v)}", x=x + shift, y=y + 4, text_anchor=anchor)
    return _element("g", "curves-with-neurons" if neurons else "curves", body)


def _row(key: str, y: float, label: str, parts: Sequence[tuple[float, str]], unit: float, value: str) -> str:
    """A bar of several parts, one behind the other, with its name before it and its value after it."""
    body = _element("text", f"{key}-label", label, x=LEFT - 8, y=y + 13, text_anchor="end")
    x = float(LEFT)
    for number, (length, colour) in enumerate(parts):
        body += _element("rect", f"{key}-{number}", x=x, y=y, width=max(length * unit, 0.0), height=18.0, fill=colour)
        x += length * unit
    return body + _element("text", f"{key}-value", value, x=x + 6, y=y + 13)


def _charges(flip: Edge) -> str:
    change = abs(flip.ends[0] - flip.ends[1])
    charges = [2 * flip.charges[0], 2 * flip.charges[1]]
    unit = (RIGHT - LEFT) / max(sum(charges), change)
    parts = [(charge, _colour(active)) for charge, active in zip(charges, flip.active, strict=True)]
    words = " + ".join(map(_number, charges))
    return _row("change", TOP + 12.0, "|h(x) − h(x′)|", [(change, "currentColor")], unit, _number(change)) + _row(
        "charge", TOP + 48.0, "charged", parts, unit, words
    )


def _sums(star: Sequence[Edge]) -> str:
    """For each bit the squared change over 4, and twice the squared charges at both ends."""
    sides = [2 * flip.charges[0] ** 2 + 2 * flip.charges[1] ** 2 for flip in star]
    unit = (RIGHT - LEFT) / max(sides)
    body = ""
    for i, (flip, side) in enumerate(zip(star, sides, strict=True)):
        y = TOP - 4 + 36.0 * i
        body += _element("text", f"bit-{i}", f"bit {i + 1}", x=LEFT - 8, y=y + 17, text_anchor="end")
        body += _element(
            "rect", f"side-{i}", x=LEFT, y=y, width=float(side * unit), height=24.0, fill=COLOURS[2], fill_opacity=0.5
        )
        body += _element(
            "rect", f"quarter-{i}", x=LEFT, y=y + 6, width=float(flip.quarter * unit), height=12.0, fill=COLOURS[0]
        )
        body += _element(
            "text", f"both-{i}", f"{_number(flip.quarter)} ≤ {_number(side)}", x=LEFT + side * unit + 6, y=y + 17
        )
    return body


def _bars(means: Chain) -> str:
    """The four means as shares of the last."""
    names = ("AS(h)", "charged", "each length W", "always k active")
    unit = (RIGHT - LEFT) / means.worst
    body = ""
    for i, (name, value) in enumerate(zip(names, means, strict=True)):
        colour = COLOURS[2] if i else COLOURS[0]
        body += _row(f"mean-{i}", TOP - 10 + 24.0 * i, name, [(value, colour)], unit, _number(value))
    return body
