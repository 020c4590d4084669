"""What a reader cannot read in a drawn figure: texts on each other or on a curve, texts cut off, a legend.

All is measured with the boxes of matplotlib's renderer while it draws, in points.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Bbox

__all__ = ["found", "labels_within"]

# Boxes of letters have some room around them: two texts whose boxes share less than this many points do not touch.
TOUCH = 1.0
# A text may reach so far beyond the edge of the figure, in points: the page leaves more than that around a figure.
EDGE = 1.5
# A curve may reach into the box of a text by this share of the size of its letters, where most boxes have only room.
ROOM = 0.25
# A marker of that size in points is a disc, on which a text may stand.
DISC = 12.0
# Axes narrower than this share of the figure, which has one column of them, leave too little for what is plotted.
LEAST_WIDTH = 0.45
# With fewer numbers along an axis no scale can be read.
LEAST_TICKS = 2


def found(fig: Any, renderer: Any) -> list[str]:
    """What is wrong, in words, with a figure whose panels stand below each other."""
    faults = []
    texts = list(_texts(fig))
    boxes = [_box(text, renderer) for text in texts]
    low, high = np.split(np.array([box.extents for box in boxes]).reshape(-1, 4), 2, axis=1)
    shared = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)  # by each two boxes, along each axis
    for first, second in np.argwhere(np.triu((shared > TOUCH).all(axis=2), 1)):
        faults.append(f"{_words(texts[first])} and {_words(texts[second])} overlap")
    for text, box in zip(texts, boxes, strict=True):
        if box.x0 < fig.bbox.x0 - EDGE or box.x1 > fig.bbox.x1 + EDGE:
            faults.append(f"{_words(text)} is cut off")
        if box.y0 < fig.bbox.y0 - EDGE or box.y1 > fig.bbox.y1 + EDGE:
            faults.append(f"{_words(text)} is cut off above or below")
    for ax in fig.axes:
        faults += [f"a curve runs through {_words(text)}" for text in _crossed(ax, renderer)]
        if ax.get_legend():
            faults.append("a legend in the axes: name the curves where they end")
        if ax.get_label() == "<colorbar>" or not ax.axison:
            continue
        if ax.bbox.width < LEAST_WIDTH * fig.bbox.width:
            faults.append("the axes are squeezed")
        for axis in (ax.xaxis, ax.yaxis):
            if 0 < len(labels_within(axis)) < LEAST_TICKS:
                faults.append(f"the {axis.axis_name} axis has one number only")
    return faults


def _texts(fig: Any) -> Iterator[Any]:
    """Every text that is drawn."""
    yield from filter(_shown, fig.texts)
    for ax in fig.axes:
        mine = [part for part in ax.get_children() if isinstance(part, Text)]
        if ax.axison:
            mine += [
                part for axis in (ax.xaxis, ax.yaxis) for part in (axis.label, axis.offsetText, *labels_within(axis))
            ]
        yield from filter(_shown, dict.fromkeys(mine))


def _crossed(ax: Any, renderer: Any) -> Iterator[Any]:
    """The texts within the axes through which a curve runs; not those on a disc, which hides it."""
    drawn = [(line, line.get_transform().transform(line.get_xydata())) for line in ax.lines]
    curves = [Path(points) for line, points in drawn if line.get_linestyle() != "None"]
    for group in ax.collections:
        if isinstance(group, LineCollection):
            curves += map(group.get_transform().transform_path, group.get_paths())
    for text in filter(_shown, ax.texts):
        room = ROOM * text.get_fontsize() * renderer.points_to_pixels(1)
        letters = Bbox.intersection(_box(text, renderer).padded(-room), ax.bbox)  # outside no curve is drawn
        if letters is None:
            continue
        below = [line.get_markersize() for line, points in drawn for point in points if letters.contains(*point)]
        if below and max(below) >= DISC:
            continue
        if below or any(curve.intersects_bbox(letters, filled=False) for curve in curves):
            yield text


def labels_within(axis: Any) -> list[Any]:
    """The texts at the ticks that lie within the limits of an axis."""
    low, high = sorted(axis.get_view_interval())
    near = 1e-9 * (high - low)  # what of round-off a tick at a limit may have
    along = "xy".index(axis.axis_name)
    labels = filter(_shown, axis.get_ticklabels(which="both"))
    return [label for label in labels if low - near <= label.get_position()[along] <= high + near]


def _shown(text: Any) -> bool:
    return bool(text.get_visible() and text.get_text().strip())


def _box(text: Any, renderer: Any) -> Bbox:
    """The box of the letters themselves: not of an arrow that leads from them, nor of a frame."""
    return Text.get_window_extent(text, renderer)


def _words(text: Any) -> str:
    """The beginning of a text as faults name it."""
    return repr(" ".join(text.get_text().split())[:40])
