"""Repairs of what the theme and its extensions get wrong, and what no page may load: anything from another host."""

import html
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError
from sphinx.writers.html5 import HTML5Translator
from sphinx_exercise.nodes import solution_node

from companion.site import figures, typography
from companion.site.head import policy

# The article is shown with the fonts of its text and its formulas, so that no line breaks anew when they come; after
# three seconds, for which a browser hides a text that waits for its font, without.
FONT = """document.documentElement.classList.add("without-font");
const fonts = ["1em", "italic 1em", "600 1em"].map((kind) => document.fonts.load(`${kind} "Companion Text"`));
fonts.push(document.fonts.load('1em "Companion Math"'));
Promise.race([Promise.allSettled(fonts), new Promise((done) => setTimeout(done, 3000))])
  .finally(() => document.documentElement.classList.remove("without-font"));"""
REDIRECT = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8">{policy}<meta name="viewport" content="width=device-width"><title>{title}</title>
<link rel="icon" href="_static/favicon.svg"><meta http-equiv="refresh" content="0; url={page}"></head>
<body><main><h1><a href="{page}">{title}</a></h1></main></body>
</html>
"""
# A tag that loads something from another host: neither a link, nor that which names the address of the page itself.
FOREIGN = re.compile(
    r"""<(?!a\b|link rel="canonical")[^>]*\s(?:src|srcset|href|data|poster)=["']?(?:https?:)?//[^>]*>"""
)
# What the theme's templates write, what a page has instead, and what a page has on which this must fit. There is no
# option for any of them, and a template of our own would repeat a whole file of the theme. None of them fits a page
# that has been through this already.
REPAIRS = {
    # pydata-sphinx-theme: a label must contain the visible text, and these buttons show more than theirs
    '( search-button-field search-button__button pst-js-only") title="Search" aria-label="Search"': (r"\1", ""),
    '( pst-js-only" aria-label="Color mode)"': (r'\1 light dark auto"', ""),
    # pydata-sphinx-theme: dialogs do not say what is in them, and the sidebar stands in no landmark
    '<dialog (id="pst-search)': (r'<dialog aria-label="Search" \1', ""),
    '<dialog (id="pst-primary)': (r'<dialog aria-label="Contents of the book" \1', ""),
    '<dialog (id="pst-secondary)': (
        r'<dialog aria-label="Contents of this page" \1',
        "bd-sidebar-secondary",  # not on a page without sections
    ),
    '<div (class="sidebar-primary-items__start)': (r'<div role="navigation" aria-label="Book" \1', ""),
    # sphinx-book-theme: the buttons that open them say what the theme's authors call them
    "Toggle primary sidebar": ("Contents of the book", ""),
    "Toggle secondary sidebar": ("Contents of this page", "bd-sidebar-secondary"),
    # sphinx-book-theme: the link that skips the menus does not skip the buttons above the article
    'href="#main-content"(.*?<article )class="bd-article">': (r'href="#article"\1id="article" class="bd-article">', ""),
    # sphinx-book-theme: a page has one heading of the first level; this is the title's second copy, for print
    r'(<div id="jb-print-docs-body"[^>]*>\s*)<h1>(.*?)</h1>': (r'\1<p class="h1">\2</p>', ""),
    # pydata-sphinx-theme: the button that shows the pages below one has no name
    r'(<li class="[^"]*has-children"><a [^>]*>)(.*?)(</a><details[^>]*><summary)>': (
        r'\1\2\3 aria-label="Pages of \2">',
        "has-children",
    ),
    # Sphinx: each letter of the index has a table of its own below it
    r'(<h2 id="([^"]+)">\2</h2>\s*<table )(?!aria)': (r'\1aria-label="\2" ', "genindextable"),
}
# An icon in the script of Font Awesome: its name, and in its data the other names that it has.
ICON = re.compile(
    r'"?\b([a-z0-9-]+)"?:\[\d+,\d+,\[([^\]]*)\],"[0-9a-f]*",(?:"[^"]*"|\["[^"]*","[^"]*"\])\],?',
)


def repaired(text: str) -> str:
    for pattern, (ours, _) in REPAIRS.items():
        text = re.sub(pattern, ours, text, flags=re.S)
    return text


def check_repairs(texts: Collection[str]) -> None:
    """Stop if a repair fits no page: the theme writes something else now, and the page would be as it was."""
    for pattern, (_, sign) in REPAIRS.items():
        concerned = [text for text in texts if sign in text]
        if concerned and not any(re.search(pattern, text, flags=re.S) for text in concerned):
            raise ExtensionError(f"no page has what theme.py repairs in the theme: {pattern}")


def without_thebe(app: Sphinx, config: Config) -> None:
    """jupyter-book hard-wires sphinx_thebe, which loads twice (a JavaScript error) and names a CDN."""
    for listeners in app.events.listeners.values():
        for listener in list(listeners):
            if listener.handler.__module__ == "sphinx_thebe":
                app.disconnect(listener.id)
    app.registry.css_files[:] = [file for file in app.registry.css_files if file[0] != "sphinx-thebe.css"]


def visit_solution(self: HTML5Translator, node: nodes.Element) -> None:
    """A solution opens by keyboard and without JavaScript."""
    del node[0]
    title = html.escape(node["title"].partition(" (")[0])
    self.body.append(f"{self.starttag(node, 'details')}<summary>{title}</summary>\n")


def scripts_last(text: str) -> str:
    """The page with the scripts of its head at its end, in their order: its text is shown before they are loaded.

    Sphinx' templates have no place for scripts but the head, and those of its search cannot be deferred.
    """
    head, end, body = text.partition("</head>")
    moved = re.findall(r"<script(?! data-cfasync| defer).*?</script>", head, flags=re.S)
    for script in moved:
        head = head.replace(script, "", 1)
    before, close, after = body.rpartition("</body>")
    return "".join((head, end, before, *(f"{script}\n" for script in moved), close, after))


def with_icons(script: str, used: set[str]) -> str:
    """Font Awesome with the icons that are used, under their names or others: 60 kB and not 1.5 MB for each reader."""
    return ICON.sub(lambda icon: icon[0] if {icon[1], *re.findall("[a-z-]+", icon[2])} & used else "", script)


def begin(app: Sphinx) -> None:
    """The files of the figures; and until the first page is there again, the site is not complete."""
    figures.write(Path(app.srcdir, "book"))
    Path(app.outdir, "index.html").unlink(missing_ok=True)


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Repair every page, and let the root lead to the first page."""
    if exception or app.builder.format != "html":
        return
    out = Path(app.outdir)
    for unused in (*out.glob("_static/*.html"), *out.glob("_static/**/*.map")):  # templates, and maps of sources
        unused.unlink()
    pages = {path: path.read_text(encoding="utf-8") for path in out.rglob("*.html")}
    scripts = out / "_static/scripts"
    icons = scripts / "fontawesome.js"
    theme = (scripts / "pydata-sphinx-theme.js").read_text(encoding="utf-8")
    used = set(re.findall(r"\bfa-([a-z-]+)", "".join([*pages.values(), theme])))
    icons.write_text(with_icons(icons.read_text(encoding="utf-8"), used), encoding="utf-8")
    check_repairs(pages.values())
    for path, text in pages.items():
        shown = repaired(text)
        if foreign := FOREIGN.search(shown):
            raise ExtensionError(f"{path.relative_to(out)} loads from another host: {foreign[0]:.200}")
        path.write_text(scripts_last(typography.keep_names_together(shown)), encoding="utf-8")
    page = f"{app.config.root_doc}.html"
    (out / "index.html").write_text(
        REDIRECT.format(title=app.config.html_title, page=page, policy=policy()), encoding="utf-8"
    )
    (out / ".buildinfo").unlink(missing_ok=True)


def setup(app: Sphinx) -> None:
    stays: Any = {"data-cfasync": "false"}  # as the theme marks what stays in the head
    app.add_js_file(None, body=FONT, **stays)
    for script in ("wide.js", "menus.js", "behind.js"):
        app.add_js_file(script)
    app.setup_extension("sphinx_exercise")
    app.add_node(solution_node, override=True, html=(visit_solution, lambda self, _: self.body.append("</details>")))
    app.connect("builder-inited", begin)
    app.connect("env-get-outdated", lambda app, env, *_: env.found_docs)  # what claims say stands on every page
    app.connect("config-inited", without_thebe)
    app.connect("build-finished", finish)
