"""The Sphinx extension of this book, and what builds it: ``building`` imports ``site``, and both ``sphinx_claims``."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from companion.places import ROOT

if TYPE_CHECKING:  # make.py imports this where Sphinx may not be installed yet
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def setup(app: "Sphinx") -> "ExtensionMetadata":
    if str(ROOT) not in sys.path:  # the packages of the repository, where nobody has installed them
        sys.path.append(str(ROOT))
    from companion.building import commands
    from companion.site import docstrings, formulas, head, pages, project, theme
    from sphinx_claims import site

    if Path(app.srcdir) == ROOT:
        app.srcdir = app.confdir = type(app.srcdir)(commands.stage_for_sphinx())
    site.show(app, project.settings())
    for part in (theme, docstrings, pages, formulas, head):
        part.setup(app)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
