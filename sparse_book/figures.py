"""Figures and tables that follow the page: inline SVG drawn in the page's own ink, with a text that says what it shows.

A figure is drawn with ``canvas`` and returned from its cell as ``Figure(fig, alt)``; a ``Slider`` is one figure for
each value of a parameter. The alternative text has the numbers that matter: it is what a screen reader speaks and what
the notebook tests compare. What a figure plots is stored with it as a table; ``standalone`` makes an SVG file of it.

Neither pyplot nor a backend is touched, and the settings of matplotlib are the book's only while it draws.
Needs matplotlib, which the mathematics does not.
"""

from __future__ import annotations

import functools
import hashlib
import html
import inspect
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

try:
    import matplotlib as mpl
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError("Figures need matplotlib: pip install 'sparse_core[figures]'") from missing
import matplotlib.figure
import numpy as np
from cycler import cycler
from matplotlib.colors import ListedColormap
from matplotlib.gridspec import GridSpec
from matplotlib.text import Text
from matplotlib.textpath import text_to_path

from sparse_core import _tables

from . import figure_data, figure_faults, figure_mends

__all__ = ["COLOURS", "STYLE", "Answer", "Figure", "Slider", "Table", "canvas", "standalone", "two_tone"]

MIME = "application/vnd.sparse-core.figure+json"
SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
ORIGIN = "From the book Sparse Activations, Executable. MIT licence."
# Stands for currentColor until the SVG is written: a colour that no figure uses.
INK = "#010203"
# The width in inches of a figure that fills the screen of a phone.
NARROW_INCHES = 3.4
# The width in CSS pixels that a figure has on a page and on a phone, less its margin.
SHOWN_PIXELS = {"wide": 655, "narrow": 300}
# The least size of a letter where a figure is shown: that of the smallest text of the page.
LEAST_TEXT_PIXELS = 12
# The size of a figure on a slide: its text is then twice as large on the slide as on the page.
SLIDE_INCHES = (5.4, 3.04)
# Lines on a slide are this much wider.
SLIDE_LINE_RATIO = 1.4
# The least height of a panel on a phone, so that its ticks do not touch.
LEAST_PANEL_INCHES = 2.3
# A slider has at most this many frames, each of which adds to the page.
MAX_FRAMES = 20
# Their contrast is above 4:1 on the light and on the dark page.
COLOURS = ("#0b7fab", "#c0562f", "#3d8f3d", "#8a63c9")
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


@contextmanager
def _book_style() -> Iterator[None]:
    """Within the block the settings of matplotlib are STYLE; an inner block changes nothing."""
    if mpl.rcParams["svg.hashsalt"] == STYLE["svg.hashsalt"]:
        yield
    else:
        with mpl.rc_context(STYLE):
            yield


def _styled(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, which now runs in the book's style."""

    @functools.wraps(method)
    def styled(*args: Any, **options: Any) -> Any:
        with _book_style():
            return method(*args, **options)

    return styled


class _Axes(mpl.axes.Axes):
    """Axes whose methods run in the book's style."""


class _Canvas(mpl.figure.Figure):
    """A figure whose methods run in the book's style."""

    # What cannot be read in the last drawing, which is looked for in drawings for a phone
    faults: Sequence[tuple[str, Any]] = ()
    narrow = False

    def draw(self, renderer: Any) -> None:
        # All drawings share one reader of formulas, which remembers them. With a reader of its own, as matplotlib makes
        # one for each renderer, a drawing takes 1.7 times as long.
        getattr(renderer, "_renderer", renderer)._text2path = text_to_path
        super().draw(renderer)
        if self.narrow:
            self.faults = figure_faults.found(self, renderer, narrow=True)


for _kind in (_Axes, _Canvas):
    for _name, _method in inspect.getmembers(_kind, inspect.isfunction):
        if not _name.startswith("_"):
            setattr(_kind, _name, _styled(_method))


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


def two_tone() -> Any:
    """A colour map for truth values: nothing for False, so that the page shows through, and one colour for True.

    >>> two_tone()(0)[3], two_tone()(1)[3]
    (np.float64(0.0), np.float64(1.0))
    """
    return ListedColormap(["none", COLOURS[0]])


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

    def __repr__(self) -> str:
        return _tables.as_text(self.header, self.rows)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": _tables.as_html(self.header, self.rows)}


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
    With ``talk`` it is drawn once more for a slide, in large letters.
    """

    def __init__(
        self, fig: Any, alt: str, data: Mapping[str, Iterable[Any]] | None = None, *, talk: bool = False
    ) -> None:
        if not alt.strip():
            raise ValueError("Argument 'alt' must say what the figure shows, with its numbers; it is empty.")
        self.alt = alt
        table = figure_data.rows(fig) if data is None else zip(*data.values(), strict=True)
        self.csv = figure_data.as_csv(figure_data.COLUMNS if data is None else list(data), table)
        with _book_style():
            self.talk = _for_a_slide(fig, alt) if talk else ""
            _legible(fig, "wide")
            self.svg = _inline([_drawn(fig, "tight")], alt)
            _stack(fig)
            self.faults = [words for words, _ in fig.faults]
            self.narrow = _inline([_drawn(fig, "tight")], alt)

    def __repr__(self) -> str:
        return f"Figure: {self.alt}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        shown = f'<div class="cc">{_both(self.svg, self.narrow)}</div>'
        return {
            "text/plain": repr(self),
            "text/html": shown,
            MIME: {"csv": self.csv, "frames": {"": self.alt}, "talk": self.talk, "faults": self.faults},
        }


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
        with _book_style():
            for i, value in enumerate(values):
                fig, axes = canvas(**options, layout=None if i == self.start else "none")
                figs.append(fig)
                alts.append(draw(axes, value))
            self.frames = dict(zip(names, alts, strict=True))
            _share_limits(figs)
            table = [[value, *row] for value, fig in zip(values, figs, strict=True) for row in figure_data.rows(fig)]
            self.csv = figure_data.as_csv([parameter, *figure_data.COLUMNS], table)
            for fig in figs:
                _legible(fig, "wide")
            self.svg = _inline(_frames(figs, self.start), alts[self.start], self.start)
            for fig in figs:
                fig.set_layout_engine("constrained")
                _stack(fig)
            figure_mends.alike(figs)
            self.narrow = _inline(_frames(figs, self.start), alts[self.start], self.start)
            self.faults = sorted({words for fig in figs for words, _ in fig.faults})

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
        return {"text/plain": repr(self), "text/html": shown, MIME: data}


def standalone(svg: str, title: str, alt: str, frame: int = 0, *, dark: bool = False) -> str:
    """A file of its own: the inline SVG, or one frame of it, black on white or dark, with its title and description.

    >>> fig, ax = canvas()
    >>> "<title>Empty</title><desc>No line.</desc>" in standalone(Figure(fig, "No line.").svg, "Empty", "No line.")
    True
    """
    ink, paper = ("#e6e9ee", "#14181e") if dark else ("#1f2328", "#ffffff")
    root = _tree(svg.replace("currentColor", ink))
    for parent in list(root.iter()):
        for child in list(parent):
            if child.get("data-frame", str(frame)) != str(frame):
                parent.remove(child)
            elif "data-frame" in child.attrib:
                child.attrib.pop("display", None)
    root.set("aria-label", title)
    ground = {"width": "100%", "height": "100%", "fill": paper}
    for tag, text in (("rect", None), ("metadata", ORIGIN), ("desc", alt), ("title", title)):
        element = ET.Element(tag, ground if tag == "rect" else {})
        element.text = text
        root.insert(0, element)
    return ET.tostring(root, encoding="unicode")


def _share_limits(figs: Sequence[Any]) -> None:
    """Let the axes that stand at the same place in several figures show the same stretch."""
    for group in zip(*(fig.axes for fig in figs), strict=True):
        for get, put in (("get_xlim", "set_xlim"), ("get_ylim", "set_ylim")):
            limits = [getattr(ax, get)() for ax in group]
            common = min(low for low, _ in limits), max(high for _, high in limits)
            for ax in group:
                getattr(ax, put)(*common)


def _frames(figs: Sequence[Any], start: int) -> list[ET.Element]:
    """The figures drawn, with their axes where those of figure ``start`` are laid out."""
    first = _drawn(figs[start], None)
    for fig in figs:
        for ax, model in zip(fig.axes, figs[start].axes, strict=True):
            ax.set_position(model.get_position(original=True))
    return [first if i == start else _drawn(fig, None) for i, fig in enumerate(figs)]


def _stack(fig: Any) -> None:
    """The figure for a phone: its panels below each other, each with the words that it shared with its neighbours, and
    then what lies on something else moved, until nothing does or nothing helps."""
    panels = [ax for ax in fig.axes if ax.get_subplotspec()]
    grid = panels[0].get_subplotspec().get_gridspec()
    height = max(fig.get_figheight() / grid.nrows, LEAST_PANEL_INCHES)
    for ax in panels:
        for axis, joined, end in (("x", ax.get_shared_x_axes(), -1), ("y", ax.get_shared_y_axes(), 0)):
            ax.tick_params(axis=axis, **{"labelbottom" if axis == "x" else "labelleft": True})
            shared = [other for other in panels if other is ax or joined.joined(ax, other)]
            if not getattr(ax, f"get_{axis}label")():
                getattr(ax, f"set_{axis}label")(getattr(shared[end], f"get_{axis}label")())
    column = GridSpec(len(panels), 1, figure=fig)
    for row, ax in enumerate(panels):
        ax.set_subplotspec(column[row])
        ax.set_in_layout(True)  # which the frames of a slider are not, since they have the places of the first one
    fig.set_size_inches(NARROW_INCHES, height * len(panels))
    _legible(fig, "narrow")
    fig.narrow = True
    figure_mends.mend(fig, panels)


def _legible(fig: Any, place: str) -> None:
    """No text below LEAST_TEXT_PIXELS where the figure is shown; matplotlib counts in points, 72 to an inch."""
    least = LEAST_TEXT_PIXELS * 72 * fig.get_figwidth() / SHOWN_PIXELS[place]
    for text in fig.findobj(Text):
        text.set_fontsize(max(text.get_fontsize(), least))


def _for_a_slide(fig: Any, alt: str) -> str:
    """The figure in the proportions of a slide, its letters and lines large; the figure itself is as before."""
    size = fig.get_size_inches()
    lines = [line for ax in fig.axes for line in ax.lines]
    fig.set_size_inches(SLIDE_INCHES)
    for line in lines:
        line.set_linewidth(SLIDE_LINE_RATIO * line.get_linewidth())
    drawn = _inline([_drawn(fig, None)], alt)
    for line in lines:
        line.set_linewidth(line.get_linewidth() / SLIDE_LINE_RATIO)
    fig.set_size_inches(size)
    return drawn


def _both(wide: str, narrow: str) -> str:
    """Two drawings; the first is shown, and the second in its place by the style sheet where the page is narrow."""
    hidden = '<svg class="narrow" style="display:none" '
    return wide.replace("<svg ", '<svg class="wide" ', 1) + narrow.replace("<svg ", hidden, 1)


def _drawn(fig: Any, box: str | None) -> ET.Element:
    """The figure as a small tree: no date, no metadata, ink as currentColor, coordinates to a hundredth of a point."""
    buffer = io.StringIO()
    fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches=box)
    text = buffer.getvalue().replace(INK, "currentColor")
    referenced = set(re.findall(r'#([^")]+)[")]', text))
    root = _tree(text)
    definitions = ET.Element("defs")
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("defs", "metadata"):
                parent.remove(child)
            if child.tag == "defs":
                definitions.extend(e for e in child if e.tag != "style")
    for element in [*root.iter(), *definitions.iter()]:
        element.text = None
        element.tail = None
        if element.get("id") not in referenced:
            element.attrib.pop("id", None)
        for key in ("d", "x", "y"):
            if key in element.attrib:
                element.set(key, _short(element.get(key, "")))
    root.insert(0, definitions)
    # In place of matplotlib's style element, which would hold for the whole page.
    root.attrib.update({"stroke-linejoin": "round", "stroke-linecap": "butt"})
    return root


def _tree(svg: str) -> ET.Element:
    """An SVG under names without namespaces: ElementTree knows their prefixes for the whole process or not at all."""
    root = ET.fromstring(svg)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {name.replace(f"{{{XLINK}}}", "xlink:"): value for name, value in element.items()}
    root.attrib.update({"xmlns": SVG, "xmlns:xlink": XLINK})
    return root


def _short(path: str) -> str:
    """Coordinates with two decimals and no needless space: "M 0 224.39952 L 9" becomes "M0 224.4L9"."""
    rounded = re.sub(r"-?\d+\.\d+", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), path)
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(rounded.split()))


def _inline(frames: Sequence[ET.Element], alt: str, start: int = 0) -> str:
    """One <svg> element for a page: what all frames share once, ids that no other figure has, and its description."""
    definitions = {element.get("id"): element for frame in frames for element in frame[0]}
    root = _merged(frames, start)
    root[0][:] = definitions.values()
    root.attrib = {"role": "img", "aria-label": alt, **root.attrib}
    text = ET.tostring(root, encoding="unicode")
    prefix = "f" + hashlib.sha256(text.encode()).hexdigest()[:8]
    text = re.sub(r'\bid="', f'id="{prefix}-', text)
    return text.replace('href="#', f'href="#{prefix}-').replace("url(#", f"url(#{prefix}-")


def _merged(frames: Sequence[ET.Element], start: int) -> ET.Element:
    """The tree that shows frame ``start``, and in it the parts in which the others differ, marked by their frame."""
    root = ET.Element(frames[0].tag, frames[0].attrib)
    children = [list(frame) for frame in frames]
    texts = [[ET.tostring(child) for child in some] for some in children]
    same = [len(set(column)) == 1 for column in zip(*texts, strict=False)]
    head = same.index(False) if False in same else len(same)
    same = [len(set(column)) == 1 for column in zip(*(reversed(some[head:]) for some in texts), strict=False)]
    tail = same.index(False) if False in same else len(same)
    middles = [some[head : len(some) - tail] for some in children]
    root.extend(children[0][:head])
    alike = {tuple((child.tag, *sorted(child.items())) for child in middle) for middle in middles}
    if len(alike) == 1 and all(len(child) for child in middles[0]):
        root.extend(_merged(some, start) for some in zip(*middles, strict=True))
    else:
        for i, middle in enumerate(middles):
            hidden = {} if i == start else {"display": "none"}
            ET.SubElement(root, "g", {"data-frame": str(i), **hidden}).extend(middle)
    root.extend(children[0][len(children[0]) - tail :])
    return root
