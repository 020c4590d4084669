"""Words, links and pills of the generated pages: HTML inside Markdown."""

from __future__ import annotations

import html
import re
from typing import Any

from sparse_core.notebook import ledger


def finding(record: dict[str, Any]) -> str:
    """The words in which a record states what it found."""
    fields = {k: v for k, v in record.items() if k not in ("anchor", "chapter")}
    return ledger.Record(**fields).finding


def badge(word: str) -> str:
    """A standing as a pill."""
    return f'<span class="standing standing-{word.replace(" ", "-")}">{word}</span>'


def link(target: str, text: str) -> str:
    return f'<a href="{html.escape(target)}">{plain(text)}</a>'


def address(name: str, known: dict[str, dict[str, Any]], here: str = "ledger") -> str:
    """Where a claim is found from the page ``here``: an erratum on the page of the errata, others in the ledger."""
    page = "errata" if known[name]["kind"] == "erratum" else "ledger"
    return f"#{name}" if page == here else f"{page}.html#{name}"


def with_links(text: str, known: dict[str, dict[str, Any]], here: str = "ledger") -> str:
    """A text of claims.yml on one line, its `ids` as links to where they are found."""
    return re.sub(
        r"`([\w-]+)`",
        lambda m: link(address(m[1], known, here), known[m[1]]["label"]) if m[1] in known else m[0],
        without_tags(text),
    )


def without_tags(text: str) -> str:
    """A text of claims.yml on one line, in which no < begins a tag; to mathematics the space makes no difference."""
    return re.sub(r"<(?=[A-Za-z/!?])", "< ", " ".join(text.split()))


def plain(text: str) -> str:
    """Text that Markdown and HTML leave as it is."""
    return re.sub(r"[&<>*_$\\`\[\]|~^{}#]", lambda c: f"&#{ord(c[0])};", text)
