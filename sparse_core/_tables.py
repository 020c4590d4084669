"""Tables as text and as accessible HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

__all__ = ["as_html", "as_text"]

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
