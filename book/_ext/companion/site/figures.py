"""Each figure as files, an SVG and a CSV that stand beside the page, with links under the figure; and each argument of
the book as a slide: its figure, with a title above and one sentence below, on a page that prints.

``book/slides.yml`` names the figures that are slides.
"""

import html
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from sphinx.errors import ExtensionError

from companion.site import links
from companion.site.accessible_names import spoken
from companion.site.colours import themed
from sparse_book.figure_svg import MIME, standalone
from sphinx_claims.claims import read_yaml

# One sign, an arrow into a tray, which opens the links; what shows the code of the figure is added at their end
# (ledger.records).
LINKS = (
    '<p class="downloads"><button type="button" popovertarget="files-{name}" aria-label="Files and code of {name}">'
    '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1.5v9m-3.5-3.5 3.5 3.5 3.5-3.5M2 14.5h12"/></svg></button>'
    '<span popover id="files-{name}"><a download href="{folder}{svg}" aria-label="SVG of {name}"{data}>SVG</a> '
    '<a download href="{folder}{name}.csv" aria-label="data (CSV) of {name}">data (CSV)</a>{slide}</span></p>'
)
# Where the files are, seen from a page in book/.
FOLDER = "../_static/figures/"
KEYS = {"figure", "title", "sentence"}
INTRODUCTION = """\
# Slides

Each argument of the book as a slide ({count}), with a title and the sentence to take away. The figures are those of the
chapters, as they were drawn in this run. Printed, also to a PDF, each slide takes a sheet of its own, across. A slide
may be used with the name of this book beside it.
"""
SLIDE = """\
(slide-{figure})=
## {title}

<p class="slide"><img loading="lazy" src="../_static/figures/{figure}-slide.svg" alt="{alt}"></p>

{sentence}
"""


def slides(book: Path) -> dict[str, dict[str, str]]:
    """The title and the sentence of each slide by the name of its figure's files."""
    path = book / "slides.yml"
    listed: list[dict[str, str]] = read_yaml(path, list) if path.is_file() else []
    for slide in listed:
        if slide.keys() != KEYS:
            raise ExtensionError(f"slides.yml: a slide has {', '.join(sorted(KEYS))}, not {', '.join(sorted(slide))}")
    return {slide["figure"]: slide for slide in listed}


def page_of(shown: dict[str, dict[str, str]]) -> str:
    """The page of the slides as MyST Markdown."""
    parts = [SLIDE.format(**slide, alt=html.escape(spoken(slide["sentence"]))) for slide in shown.values()]
    return "\n".join([INTRODUCTION.format(count=len(shown)), *parts])


def to_slide(name: str) -> str:
    """A link to the slide of a figure, by the name of its files."""
    return f'<a href="slides.html#slide-{name}" aria-label="slide of {name}">slide</a>'


def slide_role(role: str, source: str, name: str, *_: Any) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The role ``{slide}`02-uniform-no-root` ``: a link to the slide of a figure, by the name of its files."""
    return [nodes.raw("", to_slide(name), format="html")], []


def write(book: Path) -> None:
    """Write the files of all figures of the notebooks in ``book`` to ``book``/assets/figures, and link to them.

    Where the site has an address, there is also a picture of each page, its first figure, for those who link to it.
    """
    target = book / "assets" / "figures"
    target.mkdir(parents=True, exist_ok=True)
    wanted = slides(book)
    for path in sorted(book.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        written: dict[str, str] = {}
        for cell in notebook["cells"]:
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                if MIME in data:
                    stem, caption = names(path.stem, cell)
                    if links.site() and not written:
                        (target / f"{path.stem}.png").write_bytes(b64decode(data["image/png"]))
                    written |= files(data, stem, caption, slide=stem in wanted)
                if "text/html" in data:
                    data["text/html"] = themed("".join(data["text/html"]))
        for name, content in written.items():
            (target / name).write_text(content, encoding="utf-8")
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
    svg = re.findall(r'<svg class="wide".*?</svg>', shown, flags=re.S)[0]
    svgs = {}
    for frame, (value, alt) in enumerate(drawn["frames"].items()):
        title = re.sub(r"[^\w.]+", "-", f"{name} {value}".strip())
        svgs[f"{title}.svg"] = standalone(svg, title, f"{caption} {alt}".strip(), frame)
    first = list(svgs)[drawn.get("start", 0)]
    listed = f' data-files="{" ".join(svgs)}"' if len(svgs) > 1 else ""
    if slide:
        svgs[f"{name}-slide.svg"] = standalone(svg, f"{name}-slide", caption, drawn.get("start", 0))
    words = f" {to_slide(name)}" if slide else ""
    data["text/html"] = shown + LINKS.format(folder=FOLDER, svg=first, name=name, data=listed, slide=words)
    return {**svgs, f"{name}.csv": drawn["csv"]}
