"""Tables as text and as accessible HTML."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from math import inf, isfinite
from typing import Any, NamedTuple

__all__: list[str] = []  # called by the reports

# The page of a phone fits this many columns; a wider table shows each of its rows as a card there.
PHONE_COLUMNS = 4


class Table(NamedTuple):
    """A table of a report. On a page ``heads``, in HTML, stand in place of the first ``merged`` columns of each row."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    heads: Sequence[str] | None = None
    page: tuple[Sequence[str], Sequence[Sequence[str]]] | None = None
    kind: str = ""

    def text(self) -> str:
        """The title above the columns."""
        return f"{self.title}\n{as_text(self.header, self.rows)}"

    def html(self) -> str:
        """A table that a page shows."""
        header, rows = self.page or (self.header, self.rows)
        return as_html(header, rows, heads=self.heads, caption=[self.title], kind=self.kind)


class Document(NamedTuple):
    """A report: sentences, of which the first say what was assumed, and tables, which a page folds under ``more``.

    ``shown`` of the tables are not folded. ``marked`` makes HTML of the text of a sentence.

    >>> print(Document(("One line.",), (Table("Squares", ["n", "n^2"], [["2", "4"]]),), "More").text())
    One line.
    <BLANKLINE>
    Squares
    n  n^2
    2  4
    """

    lines: tuple[str, ...]
    tables: tuple[Table, ...]
    more: str
    shown: int = 0
    marked: Callable[[str], str] = html.escape

    def text(self) -> str:
        """The sentences, then the tables under their titles."""
        return "\n\n".join(["\n".join(map(printable, self.lines)), *(table.text() for table in self.tables)])

    def html(self) -> str:
        """The sentences, and the tables folded."""
        tables = [table.html() for table in self.tables]
        lines = "<br>".join(self.marked(printable(line)) for line in self.lines)
        folded = "".join(tables[self.shown :])
        folded = f"<details><summary>{self.more}</summary>{folded}</details>" if folded else ""
        return f"<p>{lines}</p>{''.join(tables[: self.shown])}{folded}"


class Shown:
    """What ``document`` makes a report of: as text, in an interpreter, in a notebook."""

    def document(self) -> Document:
        """The report."""
        raise NotImplementedError

    def text(self) -> str:
        """The whole report, as text."""
        return self.document().text().strip()

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.document().html()


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
