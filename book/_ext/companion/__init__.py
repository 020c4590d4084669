"""The Sphinx extension of this book, and what builds it."""

import sys
from pathlib import Path

from companion.places import ROOT, Stop, text_of

__all__ = ["Stop", "setup", "text_of"]


def setup(app):
    if str(ROOT) not in sys.path:  # the packages of the repository, where nobody has installed them
        sys.path.append(str(ROOT))
    from companion import build, extension

    if Path(app.srcdir) == ROOT:
        app.srcdir = app.confdir = type(app.srcdir)(build.stage_for_sphinx())
    return extension.setup(app)
