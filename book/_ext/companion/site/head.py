"""What the head of a page says to machines: a description, its address where that is known, what may be loaded."""

import html
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from companion.site import links
from companion.site.accessible_names import spoken

# Search engines show about so many letters.
DESCRIPTION = 160
# No page loads from or sends to another host. "file:" is the site on a disk, where browsers do not agree on what 'self'
# is. The theme writes scripts and styles into its pages, and images into its styles; its search reads other pages.
POLICY = (
    "default-src 'none'; script-src 'self' file: blob: 'unsafe-inline'; worker-src blob:; style-src 'self' file: "
    "'unsafe-inline'; img-src 'self' file: data:; font-src 'self' file:; connect-src 'self'; form-action 'self' file:; "
    "base-uri 'none'"
)


def policy(*, runs: bool = False) -> str:
    """What a page may load, as the tag that stands before all that it loads. One that ``runs`` Python compiles it, and
    reads what it has loaded as a script; its worker inherits that no host is asked for anything, not even its own."""
    rules = POLICY
    if runs:
        rules = rules.replace("connect-src 'self'", "connect-src data:")
        rules = rules.replace("script-src", "script-src 'wasm-unsafe-eval'")
    return f'<meta http-equiv="Content-Security-Policy" content="{rules}">'


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
    """The policy of a page and its description, as tags of the head."""
    words = description(doctree) if doctree else ""
    words = words or f"{context.get('title') or 'Search'}: a page of {app.config.html_title}."
    tag = f'<meta name="description" content="{html.escape(words)}">'
    tag += preview(app.config.html_baseurl, Path(app.srcdir), pagename, str(context.get("title")), words)
    context["metatags"] = f"{policy()}{context.get('metatags', '')}\n{tag}"


def preview(home: str, source: Path, page: str, title: str, words: str) -> str:
    """What is shown where a link to the page is shown, with its first picture: it needs the address of the site."""
    name = f"figures/{Path(page).name}.png"
    picture = f"{home}/_static/{name}" if (source / "book/assets" / name).is_file() else ""
    shown = {"og:title": title, "og:description": words, "og:image": picture} if home else {}
    return "".join(f'<meta property="{key}" content="{html.escape(value)}">' for key, value in shown.items() if value)


def at_home(app: Sphinx, config: Config) -> None:
    """Each page names its address, if it is known where the site is."""
    config.html_baseurl = links.site()


def setup(app: Sphinx) -> None:
    app.connect("config-inited", at_home)
    app.connect("html-page-context", describe)
