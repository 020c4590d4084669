"""What an eye takes from the place of things, in words for those who hear the page: names of figures and tables.

A node has its name in ``aria-label``, a cell in the head of a table has ``scope``, and one of a table whose rows become
cards on a phone has the head of its column in ``data-name``; the writer at the end puts them into the tags, for which
docutils has no way.
"""

import html
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

SIGNS = {r"\le": " ≤ ", r"\ge": " ≥ ", r"\sqrt": "√", r"\rho": "ρ", "^2": "²", "^k": "ᵏ"}


def name_tables(doctree: nodes.document) -> None:
    """Tables without a caption named by the heading above, "Results of others" or "Junta networks, table 2"."""
    heading = ""
    count = 0
    for node in list(doctree.findall()):
        if isinstance(node, nodes.title) and isinstance(node.parent, nodes.section):
            heading = spoken(node.astext())
            count = 0
        of_cell = isinstance(node, nodes.raw) and "<table " in node.astext() and "<caption" not in node.astext()
        if of_cell or (isinstance(node, nodes.table) and not isinstance(node[0], nodes.title)):
            count += 1
            label = f"{heading}, table {count}" if count > 1 else heading
            if of_cell:  # the HTML of an output, which is one table
                named = node.astext().replace("<table ", f'<table aria-label="{html.escape(label)}" ', 1)
                node[:] = [nodes.Text(named)]
            else:
                node["aria-label"] = label
    for head in doctree.findall(nodes.thead):
        columns = list(head.findall(nodes.entry))
        for cell in columns:
            cell["scope"] = "col"
        for row in head.parent[-1] if "cards" in head.parent.parent["classes"] else ():
            for column, cell in zip(columns[1:], row[1:], strict=True):
                cell["data-name"] = spoken(column.astext())


def spoken(title: str) -> str:
    """The words of a heading; of a formula in it, what can be said in a name."""
    for command, sign in SIGNS.items():
        title = re.sub(re.escape(command) + r"(?![a-zA-Z])" * command.startswith("\\"), sign, title)
    title = re.sub(r"\\math[a-z]+|[{}]", "", title)
    return " ".join(re.sub(r"\\([a-zA-Z]+) *", r"\1 ", title).split())


class Translator(HTML5Translator):
    """Sphinx' writer of HTML, with the names of nodes in their tags."""

    def starttag(self, node: nodes.Node, tagname: str, *args: Any, **attributes: Any) -> str:
        if isinstance(node, nodes.Element):
            attributes |= {key: node[key] for key in ("aria-label", "scope", "data-name") if key in node}
        return str(super().starttag(node, tagname, *args, **attributes))

    def visit_citation(self, node: nodes.Element) -> None:
        """As docutils does, less the roles: those of a list, which promises children with a role that has gone."""
        self.body.append(self.starttag(node, "div", CLASS="citation"))

    def depart_citation(self, node: nodes.Element) -> None:
        self.body.append("</div>\n")


def setup(app: Sphinx) -> None:
    app.set_translator("html", Translator)
