"""The docstrings of the package for sphinx.ext.autodoc: plain text that help() shows, as reStructuredText.

Entries "name : what it is" become definitions, the headings of numpydoc emphasised words, and bars and stars are what
they are. Doctests stay as they are; what stands in `single backquotes` is the id of a claim, by ``default_role`` in
_config.yml.
"""

import html
import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from companion.site import typography

HEADING = re.compile(r"^(\w+)\n-{3,}$", re.MULTILINE)
ENTRY = re.compile(r"^(\w+(?:, \w+)*) : ", re.MULTILINE)
# What is kept (code, the sign of a list, emphasis), or a sign that reStructuredText would take for its own.
KEPT_OR_SIGN = re.compile(
    r"(``.+?``|^\* |(?<![\w*])\*\w[^*]*[\w.]\*(?!\w))|([|*]|(?<=\w)_(?!\w))", re.DOTALL | re.MULTILINE
)

# In these a text stays as it is.
KEPT = (
    *(nodes.title, nodes.literal, nodes.FixedTextElement, nodes.math, nodes.raw),
    *(addnodes.desc_signature, addnodes.pending_xref),
)


def escaped(text: str) -> str:
    return KEPT_OR_SIGN.sub(lambda found: found[1] or f"\\{found[2]}", text)


def block(text: str) -> str:
    """A paragraph, a list, a formula, a doctest or entries, as reStructuredText."""
    if text.startswith(">>>"):
        return text
    if text.startswith(" "):
        return f"::\n\n{text}"
    if not ENTRY.match(text):
        return escaped(text)
    _, *parts = ENTRY.split(text)
    names = parts[::2]
    meanings = [escaped(" ".join(part.split())) for part in parts[1::2]]
    return "\n".join(f"``{name}``\n    {meaning}" for name, meaning in zip(names, meanings, strict=True))


def convert(app: Sphinx, what: str, name: str, obj: object, options: Any, lines: list[str]) -> None:
    """Replace the lines of a docstring, as autodoc asks for it."""
    text = HEADING.sub(r"*\1*\n", "\n".join(lines).rstrip())
    blocks = re.split(r"\n\s*\n", text)
    lines[:] = "\n\n".join(map(block, blocks)).splitlines() + [""]


def print_text(app: Sphinx, doctree: nodes.document) -> None:
    """The text of a page about the package in the signs of print; its headings are names of modules."""
    if app.env.docname.startswith("book/api-"):
        for text in list(doctree.findall(nodes.Text)):
            if not any(isinstance(around, KEPT) for around in lineage(text)):
                shown = typography.typeset(html.escape(text.astext(), quote=False))
                text.parent.replace(text, nodes.raw("", shown, format="html"))


def lineage(node: nodes.Node) -> Iterator[nodes.Element]:
    """The elements around a node, from the inside to the outside."""
    while node := node.parent:
        yield node


def skip_field(app: Sphinx, what: str, name: str, obj: object, skip: bool, options: Any) -> bool | None:
    """Leave out the fields of a NamedTuple, which its signature names."""
    return True if type(obj).__name__ == "_tuplegetter" else None


def setup(app: Sphinx) -> None:
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", convert)
    app.connect("autodoc-skip-member", skip_field)
    app.connect("doctree-read", print_text)
