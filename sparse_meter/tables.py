"""Tables as text and as accessible HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from math import inf, isfinite
from typing import Any

__all__ = ["as_html", "as_text", "claim", "for_json", "printable"]

# The page of a phone fits this many columns; a wider table shows each of its rows as a card there.
PHONE_COLUMNS = 4


def as_text(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns of equal width, two spaces apart.

    >>> print(as_text(["n", "AS"], [["3", "0.25"], ["16", "4"]]))
    n   AS
    3   0.25
    16  4
    """
    lines = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines]
    return "\n".join("  ".join(line).rstrip() for line in padded)


def as_html(
    header: Sequence[str], rows: Iterable[Sequence[str]], *,
    heads: Iterable[str] | None = None, caption: Iterable[str] = (), kind: str = "",
) -> str:  # fmt: skip
    """An HTML table whose cells say the name of their column; ``heads``, in HTML, head the rows in a first column.

    >>> as_html(["n"], [["3"]]).partition("<tbody>")[2]
    '<tr><td data-name="n">3</td></tr></tbody></table></div>'
    """
    names = [html.escape(name) for name in header]
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    lines = [list(map(html.escape, row)) for row in rows]
    starts = [""] * len(lines)
    if heads is not None:
        names = names[1:]
        starts = [f'<th scope="row">{text}</th>' for text in heads]
    body = ""
    for start, line in zip(starts, lines, strict=True):
        cells = (f'<td data-name="{name}">{cell}</td>' for name, cell in zip(names, line, strict=True))
        body += f"<tr>{start}{''.join(cells)}</tr>"
    above = "<br>".join(map(html.escape, caption))
    title = f'<caption style="text-align: left">{above}</caption>' if above else ""
    classes = "table numbers many" if len(header) > PHONE_COLUMNS else "table numbers"
    table = f'<table class="{f"{classes} {kind}".strip()}">{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody>'
    return f'<div class="pst-scrollable-table-container">{table}</table></div>'


def printable(text: str) -> str:
    r"""The text with its control characters escaped, so that names from files send nothing to a terminal.

    >>> printable("\x1b[31mred")
    '\\x1b[31mred'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def claim(name: str) -> str:
    """The id of a statement or an erratum in HTML; the book makes it a link.

    >>> claim("lemma-9")
    '<span class="claim" data-claim="lemma-9">lemma-9</span>'
    """
    return f'<span class="claim" data-claim="{name}">{name}</span>'


def for_json(value: Any) -> Any:
    """Lists for tuples, and "Infinity", "-Infinity" and "NaN", which ``float`` reads, for what JSON has no number for.

    >>> for_json({"m": (1.0, inf)})
    {'m': [1.0, 'Infinity']}
    """
    if isinstance(value, dict):
        return {key: for_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [for_json(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return {inf: "Infinity", -inf: "-Infinity"}.get(value, "NaN")
    return value
