"""What a page of the book has that others name: its headings, labels, figures and exercises."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

from companion.building import chapters
from companion.places import BOOK, ROOT, pages_in, yaml_of
from companion.site import project
from sphinx_claims.claims import pages_of


@dataclass
class Outline:
    """The section in which each label of a page stands, as the anchor of its heading, and what is numbered there."""

    sections: dict[str, str] = field(default_factory=dict)
    figures: list[str] = field(default_factory=list)
    exercises: list[str] = field(default_factory=list)


@functools.cache
def parser() -> Any:
    """The parser of MyST with the extensions of this book."""
    from myst_parser.config.main import MdParserConfig
    from myst_parser.mdit_to_docutils.base import DocutilsRenderer
    from myst_parser.parsers.mdit import create_md_parser

    extensions = yaml_of(ROOT / "_config.yml")["parse"]["myst_enable_extensions"]
    return create_md_parser(MdParserConfig(enable_extensions=set(extensions)), DocutilsRenderer)


def directive(token: Any) -> tuple[str, str, dict[str, str], str]:
    """(name, argument, options, body) of a directive; of what is none the name is empty."""
    name, _, argument = token.info.strip().partition(" ")
    if token.type not in ("fence", "colon_fence") or not (name.startswith("{") and name.endswith("}")):
        return "", "", {}, ""
    lines = token.content.splitlines()
    options = {}
    while lines and lines[0].startswith(":") and not lines[0].startswith("::"):
        key, _, value = lines.pop(0)[1:].partition(":")
        options[key] = value.strip()
    return name[1:-1], argument.strip(), options, "\n".join(lines).strip("\n")


def anchor_of(heading: Any) -> str:
    """What leads to a heading in Jupyter; nothing where it has a formula, of which viewers differ."""
    formula = any(part.type == "math_inline" for part in heading.children)
    return "" if formula else quote("".join(part.content for part in heading.children).replace(" ", "-"), safe="")


@functools.cache
def outline(name: str) -> Outline:
    """The outline of a page of book/; an empty one where there is no such file."""
    found = Outline()
    source = BOOK / f"{name}.md"
    anchor = ""
    for cell in chapters.read(source)["cells"] if source.is_file() else ():
        if figure := cell["metadata"].get("mystnb", {}).get("figure", {}).get("name"):
            found.figures.append(figure)
            found.sections[figure] = anchor
        tokens = parser().parse(cell["source"] if cell["cell_type"] == "markdown" else "")
        labels: list[str] = []
        for token, following in pairwise([*tokens, None]):
            kind, _, options, _ = directive(token)
            if token.type == "heading_open":
                anchor = anchor_of(following)
            labels += [token.content] if token.type == "myst_target" else filter(None, [options.get("label")])
            if token.type != "myst_target":
                found.sections |= dict.fromkeys(labels, anchor)
                labels = []
            if kind == "exercise":
                found.exercises.append(options["label"])
    return found


executed_pages = functools.cache(chapters.sources)  # of which there are notebooks


@functools.cache
def numbered_pages() -> set[str]:
    """The pages whose sections have a number: those of the parts that _toc.yml numbers."""
    parts = [part for part in yaml_of(ROOT / "_toc.yml").get("parts", []) if "numbered" in part]
    return {Path(page).name for part in parts for page in pages_in(part)}


def page_with(label: str, name: str) -> str:
    """The page on which a label stands, this one first; nothing where none has it."""
    pages = [name, *sorted(path.stem for path in BOOK.glob("*.md"))]
    return next((page for page in pages if label in outline(page).sections), "")


def number(label: str, kind: str, name: str) -> str:
    """The number of a figure or an exercise: "2.3" in a chapter, "A.3" in an appendix, else "3"."""
    before = project.settings().numbered_as
    chapter = before(name) if name in numbered_pages() else ""
    mine = [page for page in pages_of(project.settings(), name) if page in numbered_pages() and before(page) == chapter]
    pages = mine if chapter else [name]
    counted = [one for page in pages for one in getattr(outline(page), kind)]
    place = counted.index(label) + 1 if label in counted else "?"
    return f"{chapter}{place}"
