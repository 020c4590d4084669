"""Figures and tables that follow the page: inline SVG drawn in the page's own ink, with a text that says what it shows.

A figure is drawn with ``canvas`` and returned from its cell as ``Figure(fig, alt)``; a ``Slider`` is one figure for
each value of a parameter. The alternative text carries the numbers that matter: it is what a screen reader speaks and
what the notebook tests compare. What a figure plots goes with it as a table; ``standalone`` makes an SVG file of it.

Needs matplotlib, which the mathematics does not.
"""

from __future__ import annotations

import hashlib
import html
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

try:
    import matplotlib as mpl
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError("Figures need matplotlib: pip install 'sparse_core[figures]'") from missing
import numpy as np
from cycler import cycler
from matplotlib.colors import ListedColormap

mpl.use("agg")  # no window, no toolkit: figures are files

import matplotlib.pyplot as plt

from . import figure_data

__all__ = ["COLOURS", "STYLE", "Figure", "Slider", "Table", "canvas", "standalone", "two_tone"]

# All drawings share one reader of formulas, with its memory: else each has a new one, and takes half as long again.
mpl.text.TextToPath = lambda: mpl.textpath.text_to_path  # type: ignore[assignment,misc]

MIME = "application/vnd.sparse-core.figure+json"
SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
ET.register_namespace("", SVG)
ET.register_namespace("xlink", XLINK)
ORIGIN = "From the book Sparse Activations, Executable. MIT licence."
INK = "#010203"  # stands for currentColor until the SVG is written
NARROW = 3.4  # inches: on a phone this fills the screen
SHOWN = {"wide": 655, "narrow": 300}  # pixels that a figure has on a page, and on a phone, less its margin
SLIDE = (5.4, 3.04)  # inches: on a projected slide text has twice the size that it has on the page
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
        self.rows = [list(row) for row in zip(*cells, strict=True)]

    def __repr__(self) -> str:
        lines = [self.header, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in self.header)
        names = [f'<td data-name="{html.escape(name)}">' for name in self.header]
        body = "".join(
            "<tr>" + "".join(td + f"{html.escape(cell)}</td>" for td, cell in zip(names, row, strict=True)) + "</tr>"
            for row in self.rows
        )
        kind = "table numbers many" if len(self.header) > 4 else "table numbers"  # many: cards on a phone
        table = f'<table class="{kind}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        return {"text/plain": repr(self), "text/html": f'<div class="pst-scrollable-table-container">{table}</div>'}


class Figure:
    """A drawn figure as SVG with its alternative text and its data; the matplotlib figure is closed.

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
        self.talk = _for_a_slide(fig, alt) if talk else ""
        _legible(fig, "wide")
        self.svg = _inline([_drawn(fig, "tight")], alt)
        _stack(fig)
        self.narrow = _inline([_drawn(fig, "tight")], alt)
        plt.close(fig)

    def __repr__(self) -> str:
        return f"Figure: {self.alt}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        shown = f'<div class="cc">{_both(self.svg, self.narrow)}</div>'
        return {
            "text/plain": repr(self),
            "text/html": shown,
            MIME: {"csv": self.csv, "frames": {"": self.alt}, "talk": self.talk},
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
        if start not in values or not 2 <= len(values) <= 20:
            raise ValueError(f"Argument 'start' must be one of 2 to 20 values, not {start} among {len(values)}.")
        self.parameter, self.start = parameter, values.index(start)
        layouts: list[Any] = [{} if i == self.start else {"layout": "none"} for i in range(len(values))]
        drawn = [canvas(**options, **layout) for layout in layouts]
        alts = [draw(axes, value) for (_, axes), value in zip(drawn, values, strict=True)]
        figs = [fig for fig, _ in drawn]
        _share_limits(figs)
        names = [f"{value:g}" if isinstance(value, float) else str(value) for value in values]
        self.frames = dict(zip(names, alts, strict=True))
        table = [[value, *row] for value, fig in zip(values, figs, strict=True) for row in figure_data.rows(fig)]
        for fig in figs:
            _legible(fig, "wide")
        self.csv = figure_data.as_csv([parameter, *figure_data.COLUMNS], table)
        self.svg = _inline(_frames(figs, self.start), alts[self.start], self.start)
        for fig in figs:
            _stack(fig)
        self.narrow = _inline(_frames(figs, self.start), alts[self.start], self.start)
        for fig in figs:
            plt.close(fig)

    def __repr__(self) -> str:
        first = f"Slider: {self.parameter}, from {list(self.frames)[self.start]}"
        return "\n".join([first, *(f"  {value}: {alt}" for value, alt in self.frames.items())])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        name, last = html.escape(self.parameter), len(self.frames) - 1
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
        data = {"csv": self.csv, "frames": self.frames, "start": self.start}
        return {"text/plain": repr(self), "text/html": shown, MIME: data}


def standalone(svg: str, title: str, alt: str, frame: int = 0, *, dark: bool = False) -> str:
    """A file of its own: the inline SVG, or one frame of it, black on white or dark, with its title and description.

    >>> fig, ax = canvas()
    >>> "<title>Empty</title><desc>No line.</desc>" in standalone(Figure(fig, "No line.").svg, "Empty", "No line.")
    True
    """
    ink, paper = ("#e6e9ee", "#14181e") if dark else ("#1f2328", "#ffffff")
    root = ET.fromstring(svg.replace("currentColor", ink))
    for parent in list(root.iter()):
        for child in list(parent):
            if child.get("data-frame", str(frame)) != str(frame):
                parent.remove(child)
            elif "data-frame" in child.attrib:
                child.attrib.pop("display", None)
    root.set("aria-label", title)
    ground = {"width": "100%", "height": "100%", "fill": paper}
    for tag, text in (("rect", None), ("metadata", ORIGIN), ("desc", alt), ("title", title)):
        element = ET.Element(f"{{{SVG}}}{tag}", ground if tag == "rect" else {})
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
    """The figure for a phone: its panels below each other, each with the words that it shared with its neighbours."""
    panels = [ax for ax in fig.axes if ax.get_subplotspec()]
    grid = panels[0].get_subplotspec().get_gridspec()
    height = max(fig.get_figheight() / grid.nrows, 2.3)
    for ax in panels:
        for axis, joined, end in (("x", ax.get_shared_x_axes(), -1), ("y", ax.get_shared_y_axes(), 0)):
            ax.tick_params(axis=axis, **{"labelbottom" if axis == "x" else "labelleft": True})
            shared = [other for other in panels if other is ax or joined.joined(ax, other)]
            if not getattr(ax, f"get_{axis}label")():
                getattr(ax, f"set_{axis}label")(getattr(shared[end], f"get_{axis}label")())
        ax.title.set_wrap(True)
        legend = ax.get_legend()
        if legend and (
            legend._ncols > 2 or legend.get_bbox_to_anchor().x0 > ax.bbox.x0
        ):  # too wide, or beside the axes
            words, size = [text.get_text() for text in legend.get_texts()], legend.prop.get_size()
            ax.legend(legend.legend_handles, words, fontsize=size, loc="lower left", bbox_to_anchor=(0, 1))
    column = mpl.gridspec.GridSpec(len(panels), 1, figure=fig)
    for row, ax in enumerate(panels):
        ax.set_subplotspec(column[row])
    fig.set_size_inches(NARROW, height * len(panels))
    _legible(fig, "narrow")


def _legible(fig: Any, place: str) -> None:
    """No text below 12 pixels where the figure is shown."""
    least = 12 * 72 * fig.get_figwidth() / SHOWN[place]
    for text in fig.findobj(mpl.text.Text):
        text.set_fontsize(max(text.get_fontsize(), least))


def _for_a_slide(fig: Any, alt: str) -> str:
    """The figure in the proportions of a slide, its letters and lines large; the figure itself is as before."""
    size = fig.get_size_inches()
    lines = [line for ax in fig.axes for line in ax.lines]
    fig.set_size_inches(SLIDE)
    for line in lines:
        line.set_linewidth(1.4 * line.get_linewidth())
    drawn = _inline([_drawn(fig, None)], alt)
    for line in lines:
        line.set_linewidth(line.get_linewidth() / 1.4)
    fig.set_size_inches(size)
    return drawn


def _both(wide: str, narrow: str) -> str:
    """Two drawings; the first is shown, and the second in its place by the style sheet where the page is narrow."""
    hidden = '<svg class="narrow" style="display:none" '
    return wide.replace("<svg ", '<svg class="wide" ', 1) + narrow.replace("<svg ", hidden, 1)


def _drawn(fig: Any, box: str | None) -> ET.Element:
    """The figure as a small tree: no date, no metadata, ink as currentColor, coordinates to a hundredth of a point."""
    buffer = io.StringIO()
    with mpl.rc_context(STYLE):  # the hash salt is read while saving
        fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches=box)
    root = ET.fromstring(buffer.getvalue().replace(INK, "currentColor"))
    referenced = set(re.findall(r'#([^")]+)[")]', buffer.getvalue()))
    shared = {"stroke-linejoin": "round", "stroke-linecap": "butt"}  # in place of a style, which the page would obey
    definitions = ET.Element(f"{{{SVG}}}defs")
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == f"{{{SVG}}}metadata":
                parent.remove(child)
            elif child.tag == definitions.tag:
                definitions.extend(e for e in child if e.tag != f"{{{SVG}}}style")
                parent.remove(child)
    for element in [*root.iter(), *definitions.iter()]:
        element.text = element.tail = None
        if element.get("id") not in referenced:
            element.attrib.pop("id", None)
        for key in ("d", "x", "y"):
            if key in element.attrib:
                element.set(key, _short(element.get(key, "")))
    root.insert(0, definitions)
    root.attrib.update(shared)
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
            ET.SubElement(root, f"{{{SVG}}}g", {"data-frame": str(i), **hidden}).extend(middle)
    root.extend(children[0][len(children[0]) - tail :])
    return root
