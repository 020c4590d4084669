"""What an eye takes from the place of things, in words for those who hear the page: names of figures, tables, hidden
code and links. All are pure functions from the text of a finished page to its text.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping

FIGURE = re.compile(
    r'<figure (?![^>]*aria-label)([^>]*)>(?=(?:(?!</figure>).)*?<span class="caption-number">(.*?)</span>)', re.S
)
HEADING_OR_TABLE = re.compile(r"<h([1-6])\b[^>]*>(.*?)</h\1>|<table(?![^>]*aria-label)([^>]*)>(?!\s*<caption)", re.S)
CELL = re.compile(r'(?=<div class="cell )')
SHOW = re.compile(
    r'(<summary>\s*<p class="collapsed admonition-title">[^<]*)'
    r'(</p>\s*<p class="expanded admonition-title">[^<]*)(</p>)'
)
SIGNS = {r"\le": " ≤ ", r"\ge": " ≥ ", r"\sqrt": "√", r"\rho": "ρ", "^2": "²", "^k": "ᵏ"}
OF_MANY = re.compile(
    r'<a href="([\w-]*(?:\.html)?#(?:record-)?([\w-]+?)(?:-[0-9a-f]{6})?)">'
    r"(exact|exhaustive|certified|sampled|refuted|Run|Printed form, witness, correction|\d+ more"
    r"|true|true, proof repaired|false as printed|open|cited|definition)</a>"
)
DRAWING = re.compile(r'(<div class="cc[^"]*">)(<svg [^>]*?viewBox="0 0 ([\d.]+) .*?</svg>)', re.S)


def finished(text: str, labels: Mapping[str, str]) -> str:
    """The page with all of these names, and with each figure in a box, in which it can be wider than a phone.

    ``labels`` maps the ids of claims to their labels.
    """
    start = re.search(r'<article class="bd-article">.*?<section[^>]* id="([^"]+)"', text, flags=re.S)
    if start:  # the link that skips the menus skips the buttons above the article too
        text = text.replace('href="#main-content"', f'href="#{start[1]}"', 1)
    head, article, body = text.partition("<article")
    named = with_named_tables(with_named_code(with_named_figures(body)))
    return f"{head}{article}{with_boxes(with_named_links(named, labels))}"


def with_named_figures(text: str) -> str:
    """Figures named by their number, "Fig. 2.1"."""
    return FIGURE.sub(lambda m: f'<figure {m[1]} aria-label="{html.escape(words(m[2]))}">', text)


def with_named_tables(text: str) -> str:
    """Tables without a caption named by the heading above, "Results of others" or "Junta networks, table 2", and cells
    of a head that say of what: of their columns."""
    above, count = "", 0

    def name(match: re.Match[str]) -> str:
        nonlocal above, count
        if match[1]:
            above, count = words(match[2]), 0
            return match[0]
        count += 1
        said = html.escape(f"{above}, table {count}" if count > 1 else above)
        return f'<table{match[3]} aria-label="{said}">'

    named = HEADING_OR_TABLE.sub(name, text)
    return re.sub(
        r"<thead>.*?</thead>", lambda m: re.sub(r"<th(?![^>]*scope=)\b", '<th scope="col"', m[0]), named, flags=re.S
    )


def with_named_code(text: str) -> str:
    """Buttons that show hidden code and say which: that of a figure, of a check, or of a cell by its number."""
    first, *cells = CELL.split(text)
    for i, cell in enumerate(cells, start=1):
        figure = re.search(r'<figure [^>]*aria-label="([^"]*)"', cell)
        claim = re.search(r'<a class="claim"[^>]*>(.*?)</a>', cell.partition('class="claim-record"')[2])
        of = f"of {figure[1]}, cell {i}" if figure else f"of {claim[1]}, cell {i}" if claim else f"of cell {i}"
        hidden = f'<span class="visually-hidden"> {of}</span>'
        cells[i - 1] = SHOW.sub(lambda m, hidden=hidden: f"{m[1]}{hidden}{m[2]}{hidden}{m[3]}", cell)
    return "".join([first, *cells])


def with_named_links(text: str, labels: Mapping[str, str]) -> str:
    """Links whose text is one word for many claims, such as "sampled" or "Run", with the claim in their names."""
    seen: Counter[str] = Counter()

    def name(match: re.Match[str]) -> str:
        href, claim, said = match.groups()
        if claim not in labels:
            return match[0]
        full = f"{said}, {labels[claim]}"
        seen[full] += 1
        number = f", {seen[full]}" if seen[full] > 1 and "#record-" in href else ""
        return f'<a href="{href}" aria-label="{html.escape(full + number)}">{said}</a>'

    return OF_MANY.sub(name, text)


def with_boxes(text: str) -> str:
    """Drawings in boxes that know their width in points, in which the text of a figure has 10.5."""
    return DRAWING.sub(lambda m: f'{m[1]}<div class="drawing" style="--width: {float(m[3]):.0f}px">{m[2]}</div>', text)


def words(inner: str) -> str:
    """The text of an element without its link to itself; of a formula, what can be said in a name."""
    bare = re.sub(r'<a class="headerlink".*?</a>|<[^>]*>', "", inner, flags=re.S)
    for command, sign in SIGNS.items():
        bare = re.sub(re.escape(command) + r"(?![a-zA-Z])" * command.startswith("\\"), sign, bare)
    bare = re.sub(r"\\([a-zA-Z]+) *", r"\1 ", re.sub(r"\\math[a-z]+|\\[()]|[{}]", "", bare))
    return " ".join(html.unescape(bare).split())
