"""Figures and tables that follow the page: inline SVG drawn in the page's own ink, with a text that says what it shows.

A figure is drawn with ``canvas`` and returned from its cell as ``Figure(fig, alt)``. The alternative text carries the
numbers that matter: it is what a screen reader speaks and what the notebook tests compare.

Needs matplotlib, which the mathematics does not.
"""

from __future__ import annotations

import hashlib
import html
import io
import re
from collections.abc import Iterable, Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.colors import ListedColormap

mpl.use("agg")  # no window, no toolkit: figures are files

import matplotlib.pyplot as plt

__all__ = ["COLOURS", "STYLE", "Figure", "Table", "canvas", "two_tone"]

INK = "#010203"  # stands for currentColor until the SVG is written
COLOURS = ("#0b7fab", "#c0562f", "#3d8f3d", "#8a63c9")  # above 4:1 on the light and on the dark page
STYLE: Any = {  # Any: matplotlib types its settings by name
    "svg.hashsalt": "sparse-activations",
    "svg.fonttype": "path",
    "figure.figsize": (6.4, 3.6),
    "figure.constrained_layout.use": True,
    "savefig.transparent": True,
    "font.size": 10.5,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.grid": True,
    "grid.color": INK,
    "grid.alpha": 0.12,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 4.5,
}


def canvas(columns: int = 1, *, rows: int = 1, size: tuple[float, float] | None = None, **options: Any) -> Any:
    """(fig, axes) in the book's style, which stays in force; ``options`` go to ``plt.subplots``.

    >>> fig, ax = canvas()
    >>> Figure(fig, "An empty frame.")
    Figure: An empty frame.
    """
    mpl.rcParams.update(STYLE)  # not only here: legends and texts that are added later obey it too
    return plt.subplots(rows, columns, figsize=size or STYLE["figure.figsize"], **options)


def two_tone(colour: str = COLOURS[0]) -> Any:
    """A colour map for truth values: nothing for False, so that the page shows through, and one colour for True.

    >>> two_tone()(0)[3], two_tone()(1)[3]
    (np.float64(0.0), np.float64(1.0))
    """
    return ListedColormap(["none", colour])


class Table:
    """Columns of equal length under their names, as text and as an HTML table; floats are shown with four digits.

    >>> Table({"n": [3, 6], "AS": [0.25, 1 / 3]})
    n  AS
    3  0.25
    6  0.3333
    """

    def __init__(self, columns: Mapping[str, Iterable[Any]]) -> None:
        self.header = list(columns)
        cells = [
            [f"{v:.4g}" if isinstance(v, (float, np.floating)) else str(v) for v in column]
            for column in columns.values()
        ]
        self.rows = [list(row) for row in zip(*cells, strict=True)]

    def __repr__(self) -> str:
        lines = [self.header, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in self.header)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows)
        table = f'<table class="table numbers"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        return {"text/plain": repr(self), "text/html": f'<div class="pst-scrollable-table-container">{table}</div>'}


class Figure:
    """A drawn figure as SVG with its alternative text; the matplotlib figure is closed."""

    def __init__(self, fig: Any, alt: str) -> None:
        if not alt.strip():
            raise ValueError("Argument 'alt' must say what the figure shows, with its numbers; it is empty.")
        self.alt = alt
        self.svg = _svg(fig, alt)
        plt.close(fig)

    def __repr__(self) -> str:
        return f"Figure: {self.alt}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": f'<div class="cc">{self.svg}</div>'}


def _svg(fig: Any, alt: str) -> str:
    """The figure as one <svg> element: no date, no random ids, ids unique on the page, ink as currentColor."""
    buffer = io.StringIO()
    with mpl.rc_context(STYLE):  # the hash salt is read while saving
        fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.S).replace(INK, "currentColor")
    prefix = "f" + hashlib.sha256((alt + text).encode()).hexdigest()[:8]
    text = re.sub(r'\bid="', f'id="{prefix}-', text)
    text = text.replace('xlink:href="#', f'xlink:href="#{prefix}-').replace("url(#", f"url(#{prefix}-")
    return text.replace("<svg ", f'<svg role="img" aria-label="{html.escape(alt, quote=True)}" ', 1)
