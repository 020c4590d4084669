"""The Sphinx extension of this book, and what builds it: ``building`` imports ``ledger``, and both import ``site``."""

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
    from companion.ledger import domain
    from companion.site import docstrings, formulas, head, theme

    if Path(app.srcdir) == ROOT:
        app.srcdir = app.confdir = type(app.srcdir)(commands.stage_for_sphinx())
    for part in (theme, docstrings, domain, formulas, head):
        part.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
