"""Slides: each argument of the book as its figure, with a title above and one sentence below, on light and dark paper.

``book/slides.yml`` names the figures. The build writes each slide as SVG; ``make.py extras`` has a browser make PNG of
them, and one PDF.
"""

import html
import re
from functools import cache
from pathlib import Path
from typing import Any

from matplotlib.font_manager import FontProperties
from matplotlib.path import Path as Outline
from matplotlib.textpath import TextPath
from sphinx.errors import ExtensionError

from sparse_book.claims import read_yaml

PAPERS = {"light": ("#1f2328", "#ffffff"), "dark": ("#e6e9ee", "#14181e")}
# In pixels: a slide, its margin, the letters of its title and of its sentence, and the distance of lines to letters.
WIDTH, HEIGHT = 960, 540
MARGIN = 40
TITLE, SENTENCE = 28, 19
LINE = 1.3
KEYS = {"figure", "title", "sentence"}


def read(book: Path) -> dict[str, dict[str, str]]:
    """The title and the sentence of each slide by the name of its figure's files."""
    path = book / "slides.yml"
    found = read_yaml(path, list) if path.is_file() else []
    for one in found:
        if one.keys() != KEYS:
            raise ExtensionError(f"slides.yml: a slide has {', '.join(sorted(KEYS))}, not {', '.join(sorted(one))}")
    return {one["figure"]: one for one in found}


def compose(drawing: str, slide: dict[str, str], paper: str) -> str:
    """The slide as SVG: its letters are outlines, so that it looks alike everywhere."""
    ink, ground = PAPERS[paper]
    above = lines(slide["title"], TITLE, "bold")
    below = lines(slide["sentence"], SENTENCE, "normal")
    top = MARGIN + LINE * TITLE * len(above)
    bottom = HEIGHT - MARGIN / 2 - LINE * SENTENCE * len(below)
    figure = re.sub(r'^<svg [^>]*?viewBox="([^"]*)"[^>]*>', placed(top, bottom), drawing.strip(), count=1)
    words = [outline(text, TITLE, "bold", MARGIN + i * LINE * TITLE + 10) for i, text in enumerate(above)]
    words += [outline(text, SENTENCE, "normal", bottom + (i + 1) * LINE * SENTENCE) for i, text in enumerate(below)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"><title>{html.escape(slide["title"])}</title>'
        f"<desc>{html.escape(slide['sentence'])}</desc>"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{ground}"/><g fill="{ink}">{"".join(words)}</g>'
        f"{figure}</svg>"
    )


def placed(top: float, bottom: float) -> str:
    """What takes the place of the first tag of a drawing: it fills the space between title and sentence."""
    space = f'x="{MARGIN}" y="{top:.0f}" width="{WIDTH - 2 * MARGIN}" height="{bottom - top - SENTENCE / 2:.0f}"'
    return rf'<svg {space} viewBox="\1" stroke-linejoin="round" stroke-linecap="butt">'


def lines(text: str, size: int, weight: str) -> list[str]:
    """The text in lines that fit the slide."""
    found = [""]
    for word in text.split():
        longer = f"{found[-1]} {word}".strip()
        if path_of(longer, size, weight).vertices[:, 0].max() <= WIDTH - 2 * MARGIN:
            found[-1] = longer
        else:
            found.append(word)
    return found


@cache
def path_of(text: str, size: int, weight: str) -> Any:
    return TextPath((0, 0), text, size=size, prop=FontProperties(family="DejaVu Sans", weight=weight))


def outline(text: str, size: int, weight: str, baseline: float) -> str:
    """A line of text as a path of SVG."""
    commands = {Outline.MOVETO: "M", Outline.LINETO: "L", Outline.CURVE3: "Q", Outline.CURVE4: "C"}
    drawn = []
    for points, code in path_of(text, size, weight).iter_segments(curves=True, simplify=False):
        if code == Outline.CLOSEPOLY:
            drawn.append("Z")
        else:
            pairs = points.reshape(-1, 2)
            drawn.append(commands[code] + " ".join(f"{MARGIN + x:.1f} {baseline - y:.1f}" for x, y in pairs))
    return f'<path d="{"".join(drawn)}"/>'


def page(slides: dict[str, dict[str, str]]) -> str:
    """The page of the slides as MyST Markdown."""
    text = [
        "# Slides",
        "",
        f"Each argument of the book as a slide ({len(slides)}), with a title and the sentence to take away, on light "
        "and on dark paper. The figures are those of the chapters, as they were drawn in this run. "
        "`python3 make.py extras` writes all of them as PNG too, and as one PDF, to `_build/slides`. "
        "A slide may be used with the name of this book beside it.",
        "",
    ]
    for name, slide in slides.items():
        links = ", ".join(
            f'<a download href="../_static/figures/{name}-slide-{paper}.svg">{paper}</a>' for paper in PAPERS
        )
        images = "".join(
            f'<img class="only-{paper}" loading="lazy" width="{WIDTH}" height="{HEIGHT}" '
            f'src="../_static/figures/{name}-slide-{paper}.svg" alt="{html.escape(slide["sentence"])}">'
            for paper in PAPERS
        )
        text += [f"## {slide['title']}", "", slide["sentence"], "", f'<div class="slide">{images}</div>', ""]
        text += [f'<p class="downloads">SVG of {html.escape(name)}: {links}</p>', ""]
    return "\n".join(text)
