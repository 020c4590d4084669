"""The extension of Sphinx: what a site shows of a ledger, and a build that stops where claims and evidence disagree."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from ..settings import Settings
from . import domain, live
from .state import STATES, ClaimsDomain, State

# The scripts that pages need, and a style for a site that has none of its own.
SCRIPTS = Path(__file__).with_name("static")
STYLE = Path(__file__).with_name("style")


def show(app: Sphinx, settings: Settings | None = None) -> None:
    """The domain alone, for a project that makes the pages of its ledger itself, before it calls Sphinx."""
    STATES[app] = State(settings)
    app.add_domain(ClaimsDomain)
    app.connect("builder-inited", STATES[app].read)
    app.connect("builder-inited", lambda app: app.config.html_static_path.append(str(SCRIPTS)))
    domain.setup(app)


def setup(app: Sphinx) -> ExtensionMetadata:
    for extension in ("myst_nb", "sphinx_design", "sphinx_proof"):
        app.setup_extension(extension)
    show(app)
    live.setup(app)
    # where MyST-NB leaves the pages as it has run them, which are no pages of their own
    app.connect("config-inited", lambda app, config: config.exclude_patterns.append("jupyter_execute"))
    app.connect("builder-inited", lambda app: app.config.html_static_path.append(str(STYLE)))
    app.add_css_file("claims.css")
    for script in ("behind.js", "ledger.js", "graph.js"):
        app.add_js_file(script)
    return {"version": "0.1.0", "parallel_read_safe": False, "parallel_write_safe": True}
