"""Slides: each argument of the book as its figure, with a title above and one sentence below, on a page that prints.

``book/slides.yml`` names the figures.
"""

import html
from pathlib import Path

from sphinx.errors import ExtensionError

from companion.accessible_names import spoken
from sparse_book.claims import read_yaml

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


def read(book: Path) -> dict[str, dict[str, str]]:
    """The title and the sentence of each slide by the name of its figure's files."""
    path = book / "slides.yml"
    found = read_yaml(path, list) if path.is_file() else []
    for one in found:
        if one.keys() != KEYS:
            raise ExtensionError(f"slides.yml: a slide has {', '.join(sorted(KEYS))}, not {', '.join(sorted(one))}")
    return {one["figure"]: one for one in found}


def page(slides: dict[str, dict[str, str]]) -> str:
    """The page of the slides as MyST Markdown."""
    shown = [SLIDE.format(**slide, alt=html.escape(spoken(slide["sentence"]))) for slide in slides.values()]
    return "\n".join([INTRODUCTION.format(count=len(slides)), *shown])


def link(name: str) -> str:
    """A link to the slide of a figure, by the name of its files."""
    return f'<a href="slides.html#slide-{name}" aria-label="slide of {name}">slide</a>'
