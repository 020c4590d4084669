"""What the ledger takes from this book: ``claims.toml``, the signs of print, and where an error is reported."""

from pathlib import Path
from typing import Any

from companion.places import BOOK
from companion.site import links, typography
from sphinx_claims.settings import Settings


def settings(book: Path = BOOK, **hooks: Any) -> Settings:
    return Settings.read(book, typeset=typography.typeset, report=links.new_issue, **hooks)
