"""A drawn figure as SVG for a page, in the page's own ink, or as a file of its own.

Matplotlib writes a file with a date, a style element for the whole page and ids that every figure has; here is what is
left without these.
"""

from __future__ import annotations

import hashlib
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Any

__all__ = ["COLOURS", "INK", "drawn", "inline", "standalone"]

# Under which a figure is stored in a notebook; it stands here because a build reads it, and needs no matplotlib.
MIME = "application/vnd.sparse-core.figure+json"
SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
ORIGIN = "From the book Sparse Activations, Executable. Licence: CC BY 4.0."
# Stands for currentColor until the SVG is written: a colour that no figure uses.
INK = "#010203"


# Blue, orange, green, purple and grey: as text on a light page their contrast is above 4.5:1. On a dark page the site
# puts others in their place (custom.css).
COLOURS = ("#0a75a0", "#b54d27", "#2f7d2f", "#7d54c2", "#6b7280")


def drawn(fig: Any, box: str | None) -> ET.Element:
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


def inline(frames: Sequence[ET.Element], alt: str, start: int = 0) -> str:
    """One <svg> element for a page: the frames, of which one shows, ids that no other figure has, its description."""
    root = ET.Element(frames[0].tag, {"role": "img", "aria-label": alt, **frames[0].attrib})
    definitions = {element.get("id"): element for frame in frames for element in frame[0]}
    ET.SubElement(root, "defs").extend(definitions.values())
    for i, frame in enumerate(frames):
        hidden = {} if i == start else {"display": "none"}
        ET.SubElement(root, "g", {"data-frame": str(i), **hidden}).extend(frame[1:])
    text = ET.tostring(root, encoding="unicode")
    prefix = "f" + hashlib.sha256(text.encode()).hexdigest()[:8]
    text = re.sub(r'\bid="', f'id="{prefix}-', text)
    return text.replace('href="#', f'href="#{prefix}-').replace("url(#", f"url(#{prefix}-")


def standalone(svg: str, title: str, alt: str, frame: int = 0) -> str:
    """A file of its own: the inline SVG, or one frame of it, black on white, with its title and description.

    >>> "<title>Empty</title><desc>No line.</desc>" in standalone("<svg/>", "Empty", "No line.")
    True
    """
    root = _tree(svg.replace("currentColor", "#1f2328"))
    for parent in list(root.iter()):
        for child in list(parent):
            if child.get("data-frame", str(frame)) != str(frame):
                parent.remove(child)
            elif "data-frame" in child.attrib:
                child.attrib.pop("display", None)
    root.set("aria-label", title)
    ground = {"width": "100%", "height": "100%", "fill": "#ffffff"}
    for tag, text in (("rect", None), ("metadata", ORIGIN), ("desc", alt), ("title", title)):
        element = ET.Element(tag, ground if tag == "rect" else {})
        element.text = text
        root.insert(0, element)
    return ET.tostring(root, encoding="unicode")


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
