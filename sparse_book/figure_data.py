"""The data of a drawn figure as a table: the numbers behind its lines, points, bars, areas and images.

One row for each vertex, point, bar or cell, under the names in ``COLUMNS``: the panel, the labels of both axes, the
series, its kind, its coordinates and, for bars their foot, for images their value. A series has its label
as its name; a label that begins with "_", which is not drawn, is taken without that sign, and a series without a label
is called after the one of its colour. Where an axis is labelled with words, the coordinate is the word. Grids and
annotations are left out.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["COLUMNS", "as_csv", "rows"]

COLUMNS = ("panel", "x axis", "y axis", "series", "kind", "x", "y", "value")


def rows(fig: Any) -> list[tuple[Any, ...]]:
    """The rows under ``COLUMNS`` of everything that a matplotlib figure plots.

    >>> from sparse_book import figures
    >>> fig, ax = figures.canvas()
    >>> _ = ax.plot([0, 1], [0, 2], label="twice")
    >>> [(row[3], row[4], float(row[5]), float(row[6])) for row in rows(fig)]
    [('twice', 'line', 0.0, 0.0), ('twice', 'line', 1.0, 2.0)]
    """
    axes = [ax for ax in fig.axes if ax.get_label() != "<colorbar>"]
    return [
        (ax.get_title() or (str(i) if len(axes) > 1 else ""), ax.get_xlabel(), ax.get_ylabel(), *row)
        for i, ax in enumerate(axes, 1)
        for row in _named(_series(ax), ax)
    ]


def as_csv(columns: Sequence[str], table: Iterable[Sequence[Any]]) -> str:
    r"""A table as CSV text with a header; floats with ten digits.

    >>> as_csv(["n", "value"], [[1, 1 / 3], [2, "a, b"]])
    'n,value\n1,0.3333333333\n2,"a, b"\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([[f"{v:.10g}" if isinstance(v, (float, np.floating)) else v for v in row] for row in table])
    return text.getvalue()


def _series(ax: Any) -> Iterator[tuple[str, str, Iterable[tuple[Any, ...]]]]:
    """(label, kind, its (x, y, value) triples) of each artist of an Axes that stands for data."""
    labels = {id(part): bars.get_label() for bars in ax.containers for part in bars.get_children()}
    of_colour = {
        line.get_color(): label for line in ax.lines if _is_name(label := labels.get(id(line), line.get_label()))
    }
    for line in ax.lines:
        x, y = line.get_data()
        in_x, in_y = line.get_transform().contains_branch_seperately(ax.transData)
        kind = "points" if line.get_linestyle() == "None" else "line"
        if in_x and in_y:
            label = labels.get(id(line), line.get_label())
            if not _is_name(label) and line.get_color() in of_colour:
                label = f"{of_colour[line.get_color()]} ({kind} of its colour)"
            yield label, kind, ((*point, "") for point in zip(x, y, strict=True))
        elif in_x or in_y:  # a line across the whole panel
            yield line.get_label(), "mark", [(x[0] if in_x else "", y[0] if in_y else "", "")]
    for bars in (c for c in ax.containers if hasattr(c, "patches")):
        boxes = [(b.get_x(), b.get_y(), b.get_width(), b.get_height()) for b in bars]
        upright = bars.orientation == "vertical"
        shown = [(x + w / 2, y + h, y) if upright else (x + w, y + h / 2, x) for x, y, w, h in boxes]
        yield bars.get_label(), "bar", shown
    for collection in ax.collections:
        label = labels.get(id(collection), collection.get_label())
        if len(points := collection.get_offsets()) and collection.get_offset_transform() == ax.transData:
            yield label, "points", ((*point, "") for point in points)
        else:
            kind = "interval" if hasattr(collection, "get_segments") else "outline"
            yield label, kind, ((*v, "") for path in collection.get_paths() for v in path.vertices)
    for image in ax.images:
        values = np.asarray(image.get_array())
        left, right, bottom, top = image.get_extent()
        (y0, y1) = (top, bottom) if image.origin == "upper" else (bottom, top)
        x = left + (np.arange(values.shape[1]) + 0.5) * (right - left) / values.shape[1]
        y = y0 + (np.arange(values.shape[0]) + 0.5) * (y1 - y0) / values.shape[0]
        cells = ((x[j], y[i], value) for (i, j), value in np.ndenumerate(values * 1))
        yield image.get_label(), "cell", cells


def _named(series: Iterable[tuple[str, str, Iterable[tuple[Any, ...]]]], ax: Any) -> Iterator[tuple[Any, ...]]:
    """Rows (series, kind, x, y, value), with a name for each series and with the words of the axes."""
    x_words = _words(ax.xaxis)
    y_words = _words(ax.yaxis)
    for number, (label, kind, triples) in enumerate(series, 1):
        name = label.removeprefix("_") if _is_name(label) else f"{kind} {number}"
        yield from ((name, kind, _word(x, x_words), _word(y, y_words), value) for x, y, value in triples)


def _is_name(label: str) -> bool:
    """Whether a label was given by hand."""
    return bool(label.strip("_")) and not label.startswith(("_child", "_container", "_nolegend"))


def _words(axis: Any) -> Mapping[float, str]:
    """The words at the ticks of an axis by their place; nothing where the ticks are numbers."""
    places = axis.get_majorticklocs()
    texts = axis.get_major_formatter().format_ticks(places)
    shown = {float(place): str(text) for place, text in zip(places, texts, strict=True) if text}
    return shown if any(any(map(str.isalpha, text.split("$")[0])) for text in shown.values()) else {}


def _word(value: Any, words: Mapping[float, str]) -> Any:
    """The word at the tick beside which a value stands."""
    near = min(words, key=lambda place: abs(place - value), default=None) if value != "" else None
    return words[near] if near is not None and abs(near - value) < 0.5 else value
