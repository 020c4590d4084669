"""A ledger for a paper: each claim with the evidence that its checks leave, and a build that stops where they disagree.

``check`` and ``refute`` compare, in a cell of a notebook, the two sides of a claim, and leave a record. The files of
claims say what the paper states and what evidence that needs; ``sphinx_claims`` is the extension of Sphinx that shows
both. Importing this imports NumPy alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .record import LedgerError, Record, check, refute

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

__all__ = ["LedgerError", "Record", "check", "refute"]
__version__ = "0.1.0"


def setup(app: Sphinx) -> ExtensionMetadata:
    """What Sphinx calls for the extension."""
    from . import site

    return site.setup(app)
