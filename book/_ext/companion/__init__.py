"""The Sphinx extension of this book, and what builds it."""

import sys
from pathlib import Path


class Stop(Exception):
    """What went wrong and what to do about it, in one line: a command ends with it."""


def text_of(path):
    """The text of a file in UTF-8, the only encoding of this book."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Stop(f"{path.name} cannot be read: {error}") from None


def setup(app):
    root = Path(__file__).resolve().parents[3]
    if str(root) not in sys.path:  # the packages of the repository, where nobody has installed them
        sys.path.append(str(root))
    from companion import build, extension

    if Path(app.srcdir) == root:
        app.srcdir = app.confdir = type(app.srcdir)(build.stage_for_sphinx())
    return extension.setup(app)
