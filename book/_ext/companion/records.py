"""The records of ``check`` and ``refute`` on a page: MyST-NB renders their data by the class below."""

import html
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.core.render import MimeRenderPlugin, load_mime_renders
from sphinx.addnodes import pending_xref

from companion import typography
from companion.claims import Claim, name
from sparse_book.ledger import EXERCISE, MIME, Record, label


def known(folder: str) -> dict[str, Claim]:
    """The claims of the book whose source is in this folder, by id."""
    path = Path(folder, "book/claims.json")
    return _known(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _known(path: Path, changed: int) -> dict[str, Claim]:
    """The claims in a file of that time of change."""
    return {claim["id"]: claim for claim in json.loads(path.read_text(encoding="utf-8"))}


def records_of(node: nodes.Element) -> list[nodes.Element]:
    """The records below a node, each with the name of its claim in ``record``."""
    return list(node.findall(lambda inner: isinstance(inner, nodes.container) and "record" in inner))


def record_node(data: dict[str, Any], claims: dict[str, Claim], page: str) -> nodes.container:
    """A record as a box with the address that other pages know: the claim, which leads to its row, and what was found.

    The record of an exercise, which changes a claim, names the claim that it changes.
    """
    record = Record.of(data)
    target = record.claim.removeprefix(EXERCISE)
    words = name(claims[target]) if target in claims else label(target)
    line = nodes.paragraph()
    if target != record.claim:
        line += nodes.Text("Exercise on ")
    line += pending_xref(
        "", nodes.inline("", words), refdoc=page, refdomain="", reftype="claim", reftarget=target, refwarn=True
    )
    line += nodes.Text(" ")
    line += nodes.inline("", record.evidence, classes=["evidence", f"evidence-{record.evidence}"])
    line += as_printed(f" {record.finding}")
    controls = [
        nodes.paragraph("", "", as_printed(f"Control: {one}"), classes=["claim-control"]) for one in record.controls
    ]
    return nodes.container(
        "",
        line,
        *controls,
        classes=["claim-record"],
        ids=[record.anchor],
        record=words,
        evidence=record.evidence,
        count=record.count,
        finding=record.finding,
    )


def as_printed(text: str) -> nodes.raw:
    """Plain text that a program made, in the signs of print."""
    return nodes.raw("", typography.text(html.escape(text, quote=False)), format="html")


class RecordRenderer(MimeRenderPlugin):
    """What MyST-NB calls for each output: nodes for a record, None for all else."""

    mime_priority_overrides = [("*", MIME, 1)]  # before text/plain, which the same output has

    @staticmethod
    def handle_mime(renderer, data, inline):
        if data.mime_type != MIME:
            return None
        environment = renderer.renderer.sphinx_env
        return [record_node(data.content, known(str(environment.srcdir)), environment.docname)]


def setup(app):
    renderers = load_mime_renders()  # a list that MyST-NB keeps; it reads entry points, of which this folder has none
    if RecordRenderer not in renderers:
        renderers.append(RecordRenderer)
