"""Figures and tables that follow the page: inline SVG drawn in the page's own ink, with a text that says what it shows.

A figure is drawn with ``canvas`` and returned from its cell as ``Figure(fig, alt)``; a ``Slider`` is one figure for
each value of a parameter. The alternative text has the numbers that matter: it is what a screen reader speaks and what
the notebook tests compare. What a figure plots is stored with it as a table; ``standalone`` makes an SVG file of it.

Neither pyplot nor a backend is touched, and the settings of matplotlib are the book's only while it draws.
Needs matplotlib, which the mathematics does not.
"""

from __future__ import annotations

import base64
import hashlib
import html
import inspect
import io
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

try:
    import matplotlib as mpl
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError("Figures need matplotlib: pip install matplotlib") from missing
import matplotlib.figure
import numpy as np
from cycler import cycler
from matplotlib.text import Text
from scipy.optimize import isotonic_regression

from sparse_meter import tables

from . import figure_data, figure_faults, figure_phone
from .figure_svg import COLOURS, INK, MIME, drawn, inline, standalone

__all__ = [
    "COLOURS",
    "INK",
    "LEARNERS",
    "STYLE",
    "Answer",
    "Figure",
    "Live",
    "Slider",
    "Table",
    "canvas",
    "standalone",
]

# The width in CSS pixels that a figure has on a page and on a phone, less its margin.
SHOWN_PIXELS = {"wide": 655, "narrow": 300}
# The pixels of an inch in the picture that a notebook keeps: its letters are clear at the width of a page.
PICTURE_DPI = 110
# The least size of a letter where a figure is shown: that of the smallest text of the page.
LEAST_TEXT_PIXELS = 12
# Between the axes and the name of a curve, in points; and the distance of two lines of text, in sizes of a letter.
NAME_DISTANCE = 5
LINE_SPACING = 1.2
# A slider has at most this many frames, each of which adds to the page.
MAX_FRAMES = 20
# The three kinds of learner have the same colours in the whole book: polynomials and kernels, dense networks, and
# networks that are sparse or gated.
LEARNERS = dict(zip(("polynomial", "dense", "sparse"), COLOURS, strict=False))
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
    "axes.axisbelow": True,  # no line over a bar
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


@contextmanager
def _book_style() -> Iterator[None]:
    """Within the block the settings of matplotlib are STYLE; an inner block changes nothing."""
    if mpl.rcParams["svg.hashsalt"] == STYLE["svg.hashsalt"]:
        yield
    else:
        with mpl.rc_context(STYLE):
            yield


class _Axes(mpl.axes.Axes):
    """Axes whose methods run in the book's style, and whose curves can have their names at their right ends."""

    names: Sequence[Any] = ()

    def name_curves(self) -> None:
        """The label of each line at the height of its last point, right of the axes, in its colour: no legend."""
        lines: Any = self.lines  # Any: matplotlib types labels and coordinates as objects
        self.names = [
            self.annotate(
                line.get_label(), (1, line.get_ydata()[-1]), xycoords=("axes fraction", "data"),
                xytext=(NAME_DISTANCE, 0), textcoords="offset points", color=line.get_color(), va="center",
                annotation_clip=False,
            )
            for line in lines
            if not line.get_label().startswith("_")
        ]  # fmt: skip

    def spread_names(self) -> None:
        """The names of the curves so far apart that they do not touch, each as near as may be to its curve."""
        names = sorted(self.names, key=self._height)
        line = LINE_SPACING * max(name.get_fontsize() * (name.get_text().count("\n") + 1) for name in names)
        wanted = np.array([self._height(name) for name in names])
        steps = line * np.arange(len(names))
        placed = isotonic_regression(wanted - steps).x + steps
        for name, height, place in zip(names, wanted, placed, strict=True):
            name.set_position((NAME_DISTANCE, place - height))

    def _height(self, name: Any) -> float:
        """Where the curve of a name ends, in points."""
        return float(self.get_yaxis_transform().transform((0, name.xy[1]))[1]) * 72 / self.figure.dpi


class _Canvas(mpl.figure.Figure):
    """A figure whose methods run in the book's style; it knows what cannot be read in its last drawing for a phone."""

    faults: Sequence[str] = ()
    for_a_phone = False  # of the others nothing is asked, and looking takes as long as half a drawing

    placed = False  # whether its axes stand where they are to stay, as after a first drawing of this size

    def draw(self, renderer: Any) -> None:
        if "draw_path" in vars(renderer):  # a rehearsal, by which savefig finds the layout: it paints nothing
            if not self.placed:
                self._arrange()
                self.placed = True
            return
        self._spread_names()
        super().draw(renderer)
        if self.for_a_phone:
            self.faults = figure_faults.found(self, renderer)

    def _arrange(self) -> None:
        """Find where the axes stand, and then the names of their curves, for which they make room."""
        if layout := self.get_layout_engine():
            layout.execute(self)
            if self._spread_names():
                layout.execute(self)

    def _spread_names(self) -> Any:
        """The axes that have names of curves, which stand apart from here on."""
        named = [ax for ax in self.axes if isinstance(ax, _Axes) and ax.names]
        for ax in named:
            ax.spread_names()
        return named


for _kind in (_Axes, _Canvas):
    for _name, _method in inspect.getmembers(_kind, inspect.isfunction):
        if not _name.startswith("_"):
            setattr(_kind, _name, _book_style()(_method))


def canvas(
    columns: int = 1, *, rows: int = 1, size: tuple[float, float] | None = None, layout: Any = None,
    **options: Any,
) -> Any:  # fmt: skip
    """(fig, axes) in the book's style; ``options`` go to ``subplots`` of the figure.

    >>> fig, ax = canvas()
    >>> Figure(fig, "An empty frame.")
    Figure: An empty frame.
    """
    with _book_style():
        fig = _Canvas(figsize=size, layout=layout)
        return fig, fig.subplots(rows, columns, subplot_kw={"axes_class": _Axes}, **options)


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
        self.rows = list(zip(*cells, strict=True))

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]]) -> Table:
        """The table of rows that all have the columns of the first.

        >>> Table.of_rows([{"n": 3, "AS": 0.25}, {"n": 6, "AS": 1 / 3}]).rows
        [('3', '0.25'), ('6', '0.3333')]
        """
        return cls({column: [row[column] for row in rows] for column in rows[0]})

    def __repr__(self) -> str:
        return tables.as_text(self.header, self.rows)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": tables.as_html(self.header, self.rows)}


class Answer:
    """A sentence whose numbers are those of the run, shown as a paragraph of the page.

    >>> Answer(f"The risk falls by a factor of {4 / 2:.0f}.")
    The risk falls by a factor of 2.
    """

    def __init__(self, sentence: str) -> None:
        if not sentence.strip():
            raise ValueError("Argument 'sentence' must not be empty.")
        self.sentence = " ".join(sentence.split())

    def __repr__(self) -> str:
        return self.sentence

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": self.sentence, "text/html": f'<p class="answer">{html.escape(self.sentence)}</p>'}


class Figure:
    """A drawn figure as SVG with its alternative text and its data; the matplotlib figure is used up.

    ``data``, columns under their names, replaces what is read off the figure where its coordinates are not the data.
    """

    @_book_style()
    def __init__(self, fig: Any, alt: str, data: Mapping[str, Iterable[Any]] | None = None) -> None:
        if not alt.strip():
            raise ValueError("Argument 'alt' must say what the figure shows, with its numbers; it is empty.")
        self.alt = alt
        table = figure_data.rows(fig) if data is None else zip(*data.values(), strict=True)
        self.csv = figure_data.as_csv(figure_data.COLUMNS if data is None else list(data), table)
        self.png = _picture(fig)
        self.svg, self.narrow, self.faults = _twice([fig], alt, "tight")

    def __repr__(self) -> str:
        return f"Figure: {self.alt}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        shown = f'<div class="cc">{_both(self.svg, self.narrow)}</div>'
        return {
            "text/plain": repr(self),
            "text/html": shown,
            "image/png": self.png,
            MIME: {"csv": self.csv, "frames": {"": self.alt}, "faults": self.faults},
        }


class Live(Figure):
    """A figure that book/assets/live.js computes anew as the reader moves it, from the numbers ``given``.

    ``kind`` names the drawing there. Print and pages without JavaScript show the figure as it was drawn here.
    """

    def __init__(
        self, kind: str, fig: Any, alt: str, given: Mapping[str, Any], data: Mapping[str, Iterable[Any]] | None = None
    ) -> None:
        super().__init__(fig, alt, data)
        self.kind = kind
        self.given = json.dumps({**given, "colours": COLOURS})

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle = super()._repr_mimebundle_(include, exclude)
        given = f'<div class="cc live" data-live="{html.escape(self.kind)}" data-given="{html.escape(self.given)}">'
        return {**bundle, "text/html": bundle["text/html"].replace('<div class="cc">', given, 1)}


class Slider:
    """One frame for each value of a parameter, to be moved by hand; all frames share the limits of their axes.

    ``draw(axes, value)`` draws a frame on fresh axes, made by ``canvas(**options)``, and returns what it shows in words
    and numbers. Print and pages without JavaScript show the frame of ``start``, beside the words of all frames.

    >>> def line(ax, slope):
    ...     ax.plot([0, 1], [0, slope])
    ...     return f"A line from 0 to {slope}."
    >>> Slider("slope", [1, 2], line, start=2)
    Slider: slope, from 2
      1: A line from 0 to 1.
      2: A line from 0 to 2.
    """

    @_book_style()
    def __init__(
        self, parameter: str, values: Iterable[Any], draw: Callable[[Any, Any], str], *, start: Any, **options: Any
    ) -> None:
        values = list(values)
        if start not in values or not 2 <= len(values) <= MAX_FRAMES:
            raise ValueError(f"Argument 'start' must be one of 2 to {MAX_FRAMES} values, not {start} of {len(values)}.")
        self.parameter = parameter
        self.start = values.index(start)
        names = [f"{value:g}" if isinstance(value, float) else str(value) for value in values]
        figs = []
        alts = []
        for i, value in enumerate(values):
            fig, axes = canvas(**options, layout=None if i == self.start else "none")
            figs.append(fig)
            alts.append(draw(axes, value))
        self.frames = dict(zip(names, alts, strict=True))
        _share_limits(figs)
        table = [[value, *row] for value, fig in zip(values, figs, strict=True) for row in figure_data.rows(fig)]
        self.csv = figure_data.as_csv([parameter, *figure_data.COLUMNS], table)
        self.png = _picture(figs[self.start])
        self.svg, self.narrow, self.faults = _twice(figs, alts[self.start], None, self.start)

    def __repr__(self) -> str:
        first = f"Slider: {self.parameter}, from {list(self.frames)[self.start]}"
        return "\n".join([first, *(f"  {value}: {alt}" for value, alt in self.frames.items())])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        name = html.escape(self.parameter)
        last = len(self.frames) - 1
        chosen = list(self.frames)[self.start]
        key = f"slider-{hashlib.sha256(self.svg.encode()).hexdigest()[:8]}"
        words = "".join(
            f'<tr><th scope="row">{html.escape(value)}</th><td>{html.escape(alt)}</td></tr>'
            for value, alt in self.frames.items()
        )
        shown = (
            f'<div class="cc slider">{_both(self.svg, self.narrow)}'
            f'<p class="slider-control" hidden><label for="{key}">{name}</label>'
            f'<input type="range" id="{key}" min="0" max="{last}" step="1" value="{self.start}" autocomplete="off">'
            f'<output for="{key}">{html.escape(chosen)}</output></p>'
            f'<p class="slider-words">{html.escape(self.frames[chosen])}</p>'
            f"<details><summary>All {last + 1} frames in words</summary>"
            f'<table class="table"><thead><tr><th scope="col">{name}</th><th scope="col">Shown</th></tr></thead>'
            f"<tbody>{words}</tbody></table></details></div>"
        )
        data = {"csv": self.csv, "frames": self.frames, "start": self.start, "faults": self.faults}
        return {"text/plain": repr(self), "text/html": shown, "image/png": self.png, MIME: data}


def _share_limits(figs: Sequence[Any]) -> None:
    """Let the axes that stand at the same place in several figures show the same stretch."""
    for group in zip(*(fig.axes for fig in figs), strict=True):
        for get, put in (("get_xlim", "set_xlim"), ("get_ylim", "set_ylim")):
            limits = [getattr(ax, get)() for ax in group]
            common = min(low for low, _ in limits), max(high for _, high in limits)
            for ax in group:
                getattr(ax, put)(*common)


def _picture(fig: Any) -> str:
    """The figure as a PNG, in base64: what a notebook keeps, since every viewer shows it, whatever its theme."""
    buffer = io.BytesIO()
    _legible(fig, "wide")
    fig.savefig(
        buffer, format="png", metadata={"Software": None}, dpi=PICTURE_DPI, facecolor="white", transparent=False,
        bbox_inches="tight",
    )  # fmt: skip
    return base64.b64encode(buffer.getvalue()).decode()


def _twice(figs: Sequence[Any], alt: str, box: str | None, start: int = 0) -> tuple[str, str, list[str]]:
    """The figures as the frames of an SVG for a page and of one for a phone, and what cannot be read on the phone."""
    for fig in figs:
        _legible(fig, "wide")
    wide = inline(_frames(figs, start, box), alt, start)
    for fig in figs:
        figure_phone.stack(fig)
        fig.placed = False
        fig.for_a_phone = True
        _legible(fig, "narrow")
    narrow = inline(_frames(figs, start, None), alt, start)
    return wide, narrow, sorted({words for fig in figs for words in fig.faults})


def _frames(figs: Sequence[Any], start: int, box: str | None) -> list[ET.Element]:
    """The figures drawn, with their axes where those of figure ``start`` are laid out."""
    first = drawn(figs[start], box)
    frames = []
    for fig in figs:
        for ax, model in zip(fig.axes, figs[start].axes, strict=True):
            if fig is not figs[start]:
                ax.set_position(model.get_position(original=True))
                fig.placed = True
        frames.append(first if fig is figs[start] else drawn(fig, None))
    return frames


def _legible(fig: Any, place: str) -> None:
    """No text below LEAST_TEXT_PIXELS where the figure is shown; matplotlib counts in points, 72 to an inch."""
    least = LEAST_TEXT_PIXELS * 72 * fig.get_figwidth() / SHOWN_PIXELS[place]
    for text in fig.findobj(Text):
        text.set_fontsize(max(text.get_fontsize(), least))


def _both(wide: str, narrow: str) -> str:
    """Two drawings; the first is shown, and the second in its place by the style sheet where the page is narrow."""
    hidden = '<svg class="narrow" style="display:none" '
    return wide.replace("<svg ", '<svg class="wide" ', 1) + narrow.replace("<svg ", hidden, 1)
