"""A figure on a phone: its panels below each other, long words on several lines.

It is one rule for all figures, whatever they show. What it leaves unreadable is for the author of the figure:
``figure_faults`` finds it, and a test names it.
"""

from __future__ import annotations

import textwrap
from typing import Any

from matplotlib.gridspec import GridSpec
from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator, NullFormatter, ScalarFormatter

from .figure_faults import LEAST_TICKS, labels_within

__all__ = ["stack"]

# The width in inches of a figure that fills the screen of a phone.
INCHES = 3.4
# The least height of a panel in inches, so that its ticks do not touch; and what each further line of text takes.
LEAST_PANEL = 2.3
LINE = 0.21
# What keeps a title nearer to its own panel than to the one above.
GAP = 0.08
# The letters of 12 px in a line across the figure, beside words at the ticks, up along a panel, and of such a word or
# the name of a curve.
ACROSS, BESIDE_WORDS, UPWARDS, WORD = 32, 24, 30, 13
# As many intervals between numbers fit along an axis, and between powers of ten.
INTERVALS, POWERS = 4, 3


def stack(fig: Any) -> None:
    """The panels below each other, each with the words that it shared with its neighbours."""
    panels = [ax for ax in fig.axes if ax.get_subplotspec()]
    rows = panels[0].get_subplotspec().get_gridspec().nrows
    height = max(fig.get_figheight() / rows, LEAST_PANEL)
    column = GridSpec(len(panels), 1, figure=fig)
    total = 0.0
    for row, ax in enumerate(panels):
        for axis, joined, end in (("x", ax.get_shared_x_axes(), -1), ("y", ax.get_shared_y_axes(), 0)):
            ax.tick_params(axis=axis, **{"labelbottom" if axis == "x" else "labelleft": True})
            shared = [other for other in panels if other is ax or joined.joined(ax, other)]
            if not getattr(ax, f"get_{axis}label")():
                getattr(ax, f"set_{axis}label")(getattr(shared[end], f"get_{axis}label")())
        for name in ax.names:
            name.set_text(_lines(name.get_text(), WORD))
        ax.set_subplotspec(column[row])
        total += max(height, LINE * _words_at_ticks(ax)) + LINE * _words_around(ax)
    if layout := fig.get_layout_engine():
        layout.set(h_pad=GAP)
    fig.set_size_inches(INCHES, total + GAP * len(panels))


def _words_at_ticks(ax: Any) -> int:
    """Words at the ticks in lines, and numbers that leave room; returns how many lines stand above each other."""
    for axis in (ax.xaxis, ax.yaxis):
        if _has_words(axis):
            labels = [_lines(label.get_text(), WORD) for label in axis.get_ticklabels()]
            axis.set_ticklabels(labels)
            if axis is ax.xaxis and sum(max(map(len, label.split("\n"))) for label in labels) > BESIDE_WORDS:
                axis.set_tick_params(rotation=90)
        elif isinstance(axis.get_major_locator(), FixedLocator):
            continue
        elif axis.get_scale() == "log" and len(labels_within(axis)) < LEAST_TICKS:
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter("{x:g}")
        elif axis.get_scale() == "log" and axis is ax.xaxis:
            axis.set_major_locator(LogLocator(axis.get_transform().base, numticks=POWERS + 1))
            axis.set_minor_formatter(NullFormatter())
        elif isinstance(axis.get_major_formatter(), ScalarFormatter) and axis is ax.xaxis:
            axis.set_major_locator(MaxNLocator(INTERVALS))
    return sum(label.get_text().count("\n") + 2 for label in ax.yaxis.get_ticklabels()) if _has_words(ax.yaxis) else 0


def _has_words(axis: Any) -> bool:
    """Whether words stand at the ticks, in place of numbers."""
    texts = [label.get_text() for label in axis.get_ticklabels()]
    return isinstance(axis.get_major_locator(), FixedLocator) and any(
        any(map(str.isalpha, "".join(text.split("$")[::2]))) for text in texts
    )


def _words_around(ax: Any) -> int:
    """The title and the names of the axes in lines; returns how many lines are added."""
    letters = BESIDE_WORDS if _has_words(ax.yaxis) else ACROSS
    ax.set_title(_lines(ax.get_title(), letters))
    ax.set_xlabel(_lines(ax.get_xlabel(), letters))
    ax.set_ylabel(_lines(ax.get_ylabel(), UPWARDS))
    words: str = ax.get_title() + ax.get_xlabel()
    return words.count("\n")


def _lines(text: str, letters: int) -> str:
    """The text in lines of about equal length, at most so many letters each; formulas stay whole."""
    rows = -(-len(text.replace("$", "")) // letters)
    if rows <= 1 or "\n" in text:
        return text
    whole = "$".join(part.replace(" ", "\0") if i % 2 else part for i, part in enumerate(text.split("$")))
    # A line has some letters more than its share, so that a long word does not make one line more.
    width = min(letters, len(text) // rows + 4)
    return textwrap.fill(whole, width, break_long_words=False, break_on_hyphens=False).replace("\0", " ")
