"""Sphinx extension: each figure as files, an SVG and a CSV that stand beside the page, with links under the figure."""

import re
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from sphinx.errors import ExtensionError

from companion import slides
from sparse_book.figure_svg import MIME, standalone

LINKS = (
    '<p class="downloads">Download: <a download href="{folder}{svg}" aria-label="SVG of {name}"{data}>SVG</a>, '
    '<a download href="{folder}{name}.csv" aria-label="data (CSV) of {name}">data (CSV)</a>{slides}</p>'
)
# Where the files are, seen from a page in book/.
FOLDER = "../_static/figures/"


def write(book: Path) -> None:
    """Write the files of all figures of the notebooks in ``book`` to ``book``/assets/figures, and link to them."""
    target = book / "assets" / "figures"
    target.mkdir(parents=True, exist_ok=True)
    wanted = slides.read(book)
    for path in sorted(book.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        found = False
        for cell in notebook["cells"]:
            for output in cell.get("outputs", []):
                if MIME in output.get("data", {}):
                    stem, caption = names(path.stem, cell)
                    text = files(output["data"], stem, caption, slide=stem in wanted)
                    for name, content in text.items():
                        (target / name).write_text(content, encoding="utf-8")
                    found = True
        if found:
            path.write_text(nbformat.writes(notebook), encoding="utf-8")


def names(stem: str, cell: dict[str, Any]) -> tuple[str, str]:
    """(the name of the files, the caption) of the figure that a cell of the page ``stem`` shows."""
    figure = cell["metadata"].get("mystnb", {}).get("figure", {})
    if "name" not in figure:
        raise ExtensionError(f"{stem}: a figure has no name for its files; give its cell mystnb: figure: name: fig-…")
    return f"{stem}-{figure['name'].removeprefix('fig-')}", " ".join(figure.get("caption", "").split())


def files(data: dict[str, Any], name: str, caption: str, *, slide: bool = False) -> dict[str, str]:
    """The files of one output by their names; the output's HTML gets the links to them.

    A slider has an SVG for each of its frames, and the one that it shows first is linked, and stands on a ``slide``.
    """
    shown = "".join(data["text/html"])
    drawn = data[MIME]
    svg = re.search(r'<svg class="wide".*?</svg>', shown, flags=re.S)[0]
    svgs = {}
    for frame, (value, alt) in enumerate(drawn["frames"].items()):
        title = re.sub(r"[^\w.]+", "-", f"{name} {value}".strip())
        svgs[f"{title}.svg"] = standalone(svg, title, f"{caption} {alt}".strip(), frame)
    first = list(svgs)[drawn.get("start", 0)]
    listed = f' data-files="{" ".join(svgs)}"' if len(svgs) > 1 else ""
    if slide:
        svgs[f"{name}-slide.svg"] = standalone(svg, f"{name}-slide", caption, drawn.get("start", 0))
    words = f", {slides.link(name)}" if slide else ""
    data["text/html"] = shown + LINKS.format(folder=FOLDER, svg=first, name=name, data=listed, slides=words)
    return {**svgs, f"{name}.csv": drawn["csv"]}


def slide(role: str, source: str, name: str, *_: Any) -> tuple[list[nodes.Node], list[Any]]:
    """The role ``{slide}`02-uniform-no-root` ``: a link to the slide of a figure, by the name of its files."""
    return [nodes.raw("", slides.link(name), format="html")], []
