"""Figures of the ladders of bounds: one ladder rung by rung, or several networks beside each other."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from sparse_meter import Ladder
from sparse_meter.examiner.ladder import ALIGNMENT, CANCELLATION, LENGTHS, MEAN, SPARSITY

from . import figures

__all__ = ["beside", "rungs"]

# The groups of factors in which several ladders are compared, each with its colour; what is in none of them is what
# happens along the edges.
GROUPS = {
    "along edges": (figures.COLOURS[4], ()),
    "cancellation": (figures.COLOURS[1], (CANCELLATION,)),
    "alignment, lengths": (figures.COLOURS[3], (ALIGNMENT, LENGTHS)),
    "sparsity": (figures.COLOURS[2], (MEAN, SPARSITY)),
}
# Segments that are shorter than this, in decades, have no number: it would not fit.
LEAST_LABELLED_DECADES = 0.3


def rungs(found: Ladder, title: str) -> figures.Figure:
    """The first chain of a ladder: a bar from each rung to the next, labelled with what it gives up.

    >>> from sparse_meter import explain
    >>> rungs(explain(([1], [[1]], [-1])), "x + 1").alt.partition(";")[0]
    'x + 1: AS(h) is 1'
    """
    chain = found.chains[0]
    values = [rung.value.value for rung in chain.rungs]
    factors = list(chain.factors.values())
    words = [f"measured: {values[0]:.3g}"]
    fig, ax = figures.canvas(size=(6.4, 0.42 * len(values) + 1.3))
    ax.plot(values[0], 0, "o", color=figures.COLOURS[0], markersize=7, label="_measured")
    for row, (rung, factor) in enumerate(zip(chain.rungs[1:], factors, strict=True), start=1):
        colour = figures.COLOURS[2 if rung.gives_up in (MEAN, SPARSITY) else 4]
        ax.plot(values[row - 1 : row + 1], [-row, -row], color=colour, linewidth=5,
                solid_capstyle="butt", label=f"_{rung.formula}")  # fmt: skip
        ax.plot(values[row], -row, "o", color=colour, markersize=7, label=f"_{rung.formula}, end")
        words.append(f"{rung.gives_up} × {factor:.3g}")
    others = chain.beside[:1]
    for rung in others:
        ax.plot(rung.value.value, -len(values), "^", color=figures.INK, markersize=7, label=f"_{rung.formula}")
        words.append(f"{rung.gives_up}: {rung.value.value:.3g}")
    for row, line in enumerate(words):
        ax.text(0, 0.3 - row, line, transform=ax.get_yaxis_transform(), fontsize=9.5)
    highest = max(rung.value.value for rung in (chain.rungs[-1], *others))
    limits = values[0] / 1.6, highest * 1.6
    heights = 0.6 - len(words), 0.9
    ax.set(xscale="log", xlabel=chain.title.partition(", with")[0], xlim=limits, ylim=heights, title=title)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    columns: dict[str, list[Any]] = {
        "rung": [rung.formula for rung in chain.rungs],
        "value": [*values],
        "gives up": [rung.gives_up for rung in chain.rungs],
        "times": ["", *factors],
    }
    told = "; ".join(f"{rung.gives_up} {factor:.3g}" for rung, factor in zip(chain.rungs[1:], factors, strict=True))
    return figures.Figure(fig, f"{title}: {chain.rungs[0].formula} is {values[0]:.3g}; {told}.", columns)


def beside(found: Mapping[str, Ladder], title: str) -> figures.Figure:
    """Several ladders under uniform bits: what lies between each network and 4 s^2 W^2, in four groups of factors.

    >>> from sparse_meter import explain
    >>> beside({"x + 1": explain(([1], [[1]], [-1]))}, "One").alt
    'One. x + 1: along edges 2, cancellation 1, alignment, lengths 1, sparsity 2; every function 1.'
    """
    fig, ax = figures.canvas(size=(6.8, 0.42 * len(found) + 1.8))
    columns: dict[str, list[Any]] = {"network": [], "group": [], "factor": []}
    told = []
    for row, (name, ladder) in enumerate(found.items()):
        factors = ladder.factors
        start = 1.0
        words: list[str] = []
        for group, (colour, _) in GROUPS.items():
            factor = _grouped(factors)[group]
            ax.barh(-row, start * factor - start, left=start, height=0.5, color=colour, label=f"_{name}, {group}")
            if not row:  # a line for each name, so that none is in the way of the next
                ax.text(start, 0.6 + 0.5 * (len(GROUPS) - 1 - len(words)), group, color=colour, va="center")
            if factor > 10**LEAST_LABELLED_DECADES:
                words_on = f"{float(_short(factor)):.0f}"  # a phone has no room for a decimal
                ax.text(start * factor**0.5, -row, words_on, color="white", ha="center", va="center", fontsize=9)
            start *= factor
            words.append(f"{group} {_short(factor)}")
            for key, value in zip(columns, (name, group, factor), strict=True):
                columns[key].append(value)
        measured = ladder.chains[0].rungs[0].value.value
        every = ladder.chains[0].beside[0].value.value / measured
        label = f"_{name}, every function"
        ax.plot(every, -row - 0.4, "^", color=figures.INK, markersize=6, linestyle="none", label=label)
        if not row:
            ax.annotate("every function", (every, -0.42), (6, 0), textcoords="offset points", va="center", fontsize=9.5)
        told.append(f"{name}: {', '.join(words)}; every function {_short(every)}")
    ax.set(xscale="log", xlabel="times AS($h$)", title=title, ylim=(-len(found) + 0.4, 2.5), xlim=(0.9, None))
    ax.set_yticks([-row for row in range(len(found))], list(found))
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return figures.Figure(fig, f"{title}. {'; '.join(told)}.", columns)


def _grouped(factors: Mapping[str, float]) -> dict[str, float]:
    """The product of the factors in each group."""
    named = {name for _, names in GROUPS.values() for name in names}
    groups = {group: prod(factors[name] for name in names) for group, (_, names) in GROUPS.items()}
    groups["along edges"] = prod(factor for name, factor in factors.items() if name not in named)
    return groups


def _short(factor: float) -> str:
    """Two digits, without a power of ten up to a million."""
    return f"{float(f'{factor:.2g}'):g}"
