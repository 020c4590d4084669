"""What the head of a page says to machines: a description, its address where that is known, what may be loaded."""

import html
import os
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from companion.site.accessible_names import spoken

# Search engines show about so many letters.
DESCRIPTION = 160
# This page reads files of its readers. Nothing is loaded from or sent to another place; its worker, whose text stands
# in the page, inherits that. "file:" is the site on a disk, where browsers do not agree on what 'self' is.
READS_FILES = "book/your-weights"
POLICY = (
    "default-src 'none'; script-src 'self' file: blob: 'unsafe-inline'; worker-src blob:; style-src 'self' file: "
    "'unsafe-inline'; img-src 'self' file: data:; font-src 'self' file:; connect-src 'none'; form-action 'self' file:; "
    "base-uri 'none'"
)


def description(doctree: nodes.document) -> str:
    """The first sentences of a page, cut at a word."""
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, nodes.Admonition):  # what is said of this build
            continue
        plain = paragraph.deepcopy()
        for formula in list(plain.findall(nodes.math)):
            formula.replace_self(nodes.Text(spoken(formula.astext()).replace("√ ", "√")))
        words = " ".join(html.unescape(re.sub("</?[a-z][^>]*>", "", plain.astext())).split())
        if len(words) > DESCRIPTION:
            words = words[: DESCRIPTION - 1].rpartition(" ")[0].rstrip(",;:") + "…"
        if words:
            return words
    return ""


def describe(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """The description of a page and, on the page that reads files, its policy, as tags of the head."""
    words = description(doctree) if doctree else ""
    words = words or f"{context.get('title') or 'Search'}: a page of {app.config.html_title}."
    tag = f'<meta name="description" content="{html.escape(words)}">'
    context["metatags"] = f"{context.get('metatags', '')}\n{tag}"
    if pagename == READS_FILES:
        context["metatags"] = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">{context["metatags"]}'


def at_home(app: Sphinx, config: Config) -> None:
    """Each page names its address, if COMPANION_SITE says where the site is."""
    config.html_baseurl = os.environ.get("COMPANION_SITE", "")


def setup(app: Sphinx) -> None:
    app.connect("config-inited", at_home)
    app.connect("html-page-context", describe)
