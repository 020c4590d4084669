"""A figure on a phone, mended: what lies on something else is moved, broken into lines or thinned out.

A legend goes above its axes, long words go on several lines, and numbers that touch become fewer. What is left then is
for the author of the figure: the tests name it.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator, NullFormatter, ScalarFormatter, StrMethodFormatter
from matplotlib.transforms import Bbox

from .figure_faults import LEAST_TICKS, labels_within, words_of

__all__ = ["alike", "mend"]

# After so many rounds what can be moved has been moved.
ROUNDS = 4
# A panel grows by this factor where its words touch although they go on several lines.
HIGHER = 1.25
# Points in an inch; a drawing is measured at this resolution.
POINT = 72
# Points between a legend and what is below and above it.
GAP = 5
# The letters of 12 px in a line at the left of a plot that keeps half of the width of a phone.
LETTERS_BESIDE = 13
# The letters of a title, and of the name of an axis along the height of a panel, that fit.
LETTERS_ACROSS = 40
LETTERS_UPWARDS = 30
# The letters of a title, and of the name of an axis, at a plot that long words at its left made narrow.
LETTERS_BELOW = 24
# As many intervals between numbers fit along an axis of a phone.
FEW = 3
# What a legend needs of the height of a figure for each of its lines, in inches.
LEGEND_LINE = 0.21


def mend(fig: Any, panels: Sequence[Any]) -> None:
    """Move what the faults of the figure name until there are none, or nothing helps."""
    for ax in panels:
        ax.set_title(_lines(ax.get_title(), LETTERS_ACROSS))
        ax.set_xlabel(_lines(ax.get_xlabel(), LETTERS_ACROSS))
        ax.set_ylabel(_lines(ax.get_ylabel(), LETTERS_UPWARDS))
        legend = ax.get_legend()
        # A legend that is too wide, or beside the axes
        if legend and (legend._ncols > 2 or legend.get_bbox_to_anchor().x0 > ax.bbox.x0):
            _legend_above(fig, ax)
    _draw(fig)
    for round_number in range(ROUNDS):
        faulty = {id(ax): ax for _, ax in fig.faults if ax is not None}
        for ax in faulty.values():
            words = " ".join(text for text, other in fig.faults if other is ax)
            if ax.get_legend() and ("legend" in words or "overlap" in words or "cut off" in words):
                _legend_above(fig, ax)
            if "legend" not in words:
                _shorter(ax, round_number > 0)
                if f"{words_of(ax.title)} and" in words or f"and {words_of(ax.title)}" in words:
                    _room_below_title(ax, LEGEND_LINE * POINT)
                if round_number:  # the words at an axis go on several lines since the first round
                    fig.set_figheight(HIGHER * fig.get_figheight())
        if not faulty:
            return
        _draw(fig)


def alike(figs: Sequence[Any]) -> None:
    """The frames of one slider: a legend moved in one is moved in all, and the axes have the room that
    all of them leave."""
    for group in zip(*(fig.axes for fig in figs), strict=True):
        legends = [ax.get_legend() for ax in group]
        if any(getattr(legend, "stands_above", False) for legend in legends):
            for fig, ax in zip(figs, group, strict=True):
                if ax.get_legend():
                    _legend_above(fig, ax)
    for fig in figs:
        fig.set_figheight(max(other.get_figheight() for other in figs))
        _draw(fig)
    for group in zip(*(fig.axes for fig in figs), strict=True):
        places = [ax.get_position(original=True) for ax in group]
        common = Bbox(
            [np.max([place.min for place in places], axis=0), np.min([place.max for place in places], axis=0)]
        )
        for ax in group:
            ax.set_position(common)
    for fig in figs:
        fig.set_layout_engine("none")


def _draw(fig: Any) -> None:
    fig.savefig(io.BytesIO(), format="svg", dpi=POINT)


def _lines(text: str, letters: int) -> str:
    """The text in lines of so many letters; formulas stay whole."""
    if len(text.replace("$", "")) <= letters or "\n" in text:
        return text
    held = [part.replace(" ", "\0") if i % 2 else part for i, part in enumerate(text.split("$"))]
    return textwrap.fill("$".join(held), letters, break_long_words=False, break_on_hyphens=False).replace("\0", " ")


def _legend_above(fig: Any, ax: Any) -> None:
    """The legend in one column between the axes and their title, and room for it."""
    old = ax.get_legend()
    if getattr(old, "stands_above", False):
        return
    words = [_lines(text.get_text(), LETTERS_ACROSS) for text in old.get_texts()]
    size = old.get_texts()[0].get_fontsize() if words else None
    title = old.get_title().get_text()
    lines = sum(word.count("\n") + 1 for word in words) + bool(title)
    new = ax.legend(
        old.legend_handles, words, fontsize=size, title=title or None, loc="lower left", bbox_to_anchor=(0, 1),
        borderpad=0, borderaxespad=0.3, labelspacing=0.25, alignment="left",
    )  # fmt: skip
    new.stands_above = True
    _room_below_title(ax, lines * LEGEND_LINE * POINT + GAP)
    fig.set_figheight(fig.get_figheight() + lines * LEGEND_LINE)


def _room_below_title(ax: Any, points: float) -> None:
    """The title so many points higher than before."""
    ax.room = getattr(ax, "room", 0.0) + points
    if ax.get_title():
        ax.set_title(ax.get_title(), pad=ax.room)


def _shorter(ax: Any, still: bool) -> None:
    """Fewer numbers along each axis, and words at an axis and its name in several lines; what ``still`` touches below
    an axis is turned."""
    ax.set_xlabel(_lines(ax.get_xlabel(), LETTERS_BELOW))
    ax.set_title(_lines(" ".join(ax.get_title().split()), LETTERS_BELOW))
    for axis in (ax.xaxis, ax.yaxis):
        labels = [label.get_text() for label in axis.get_ticklabels()]
        named = isinstance(axis.get_major_locator(), FixedLocator)
        if named and any(any(map(str.isalpha, re.sub(r"\$.*?\$", "", label))) for label in labels):
            axis.set_ticklabels([_lines(label, LETTERS_BESIDE) for label in labels])
            axis.set_tick_params(rotation=90 if axis is ax.xaxis and still else 0)
        elif axis.get_scale() == "log" and len(labels_within(axis)) < LEAST_TICKS:
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        elif axis.get_scale() == "log" and not named:
            axis.set_major_locator(LogLocator(numticks=FEW + 1))
            axis.set_minor_formatter(NullFormatter())
        elif axis.get_scale() == "linear" and isinstance(axis.get_major_formatter(), ScalarFormatter) and not named:
            axis.set_major_locator(MaxNLocator(FEW))
