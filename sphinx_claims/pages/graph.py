"""What rests on what: one drawing of all statements, laid out here, in which graph.js lights a part.

``map.html#lemma-9`` lights what Lemma 9 rests on and what rests on it, ``map.html#E16`` what an erratum breaks.
"""

import html
import textwrap
from collections.abc import Iterable, Mapping
from itertools import pairwise

from ..claims import OURS, Claim
from ..ledger import Ledger
from ..settings import MARKS, MEANINGS
from . import layers
from .words import plain

# In CSS pixels: a box, and the distances from one to the next.
WIDTH, HEIGHT = 172, 40
COLUMN, ROW = 212, 48
MARGIN = 8
# As many letters of 12 px fit in a line of a box, and bold ones beside the mark.
LETTERS = 26
LETTERS_BESIDE_MARK = 16


def drawing(ledger: Ledger) -> str:
    """The drawing with its controls, as one block of HTML, and what its signs mean."""
    statements = ledger.statements
    below = {name: list(filter(statements.__contains__, claim.uses)) for name, claim in statements.items()}
    block = [
        '<div class="graph" id="graph">',
        controls(ledger),
        f'<p class="graph-words" aria-live="polite">{len(statements)} statements.</p>',
        f'<div class="graph-box">{svg(statements, layers.draw(direct(below)))}</div>',
        "</div>",
        "",
    ]
    meanings = {**MEANINGS, **ledger.settings.meanings}
    for word, mark in MARKS.items():
        block.append(f"- <span class='mark verdict-{slug(word)}'>{mark}</span> {meanings[word]}")
    return "\n".join([*block, "- ⊢ machine-checked, in whole or in part", ""])


def controls(ledger: Ledger) -> str:
    """What chooses a statement or an erratum, and what zooms; its space is kept free until the script shows it."""
    statements = ""
    for claim in ledger.statements.values():
        statements += f'<option value="{html.escape(claim.name.removesuffix(OURS))}" data-id="{claim.id}">'
    errata = ""
    for erratum in ledger.errata:
        lit = " ".join(sorted(broken(ledger, erratum)))
        about = " ".join(erratum.about)
        errata += f'<option id="{erratum.id}" data-about="{about}" data-lit="{lit}">{erratum.id}</option>'
    return (
        '<div class="graph-controls"><label>Statement <input type="search" list="graph-names" '
        f'placeholder="{html.escape(ledger.settings.example)}"></label>'
        f'<datalist id="graph-names">{statements}</datalist>'
        f'<label>Erratum <select><option value="">none</option>{errata}</select></label>'
        '<span role="group" aria-label="Size"><button type="button" data-zoom="0.7" aria-label="Smaller">−</button>'
        '<button type="button" data-zoom="1.4" aria-label="Larger">+</button>'
        '<button type="button" data-zoom="0">the whole</button></span></div>'
    )


def broken(ledger: Ledger, erratum: Claim) -> set[str]:
    """What an erratum is about, and what rests on it if that is false as printed: as on the page of the errata."""
    return set(erratum.about).union(*ledger.downstream(erratum).values())


def direct(below: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The graph without the arrows that others imply.

    >>> direct({"a": [], "b": ["a"], "c": ["a", "b"]})
    {'a': [], 'b': ['a'], 'c': ['b']}
    """
    found = {}
    for name, uses in below.items():
        implied = set[str]().union(*[reached(below[one], below) for one in uses])
        found[name] = [one for one in uses if one not in implied]
    return found


def reached(start: Iterable[str], following: Mapping[str, list[str]]) -> set[str]:
    """These statements, and what is reached from them along the arrows."""
    reached: set[str] = set()
    left = list(start)
    while left:
        name = left.pop()
        if name not in reached:
            reached.add(name)
            left += following[name]
    return reached


def svg(statements: Mapping[str, Claim], drawing: layers.Drawing) -> str:
    """Boxes that lead to their statements, and arrows from each to what rests on it."""
    columns, rows = zip(*drawing.at.values(), (0, 0), strict=True)
    width = max(columns) * COLUMN + WIDTH + 2 * MARGIN
    height = round(max(rows) * ROW) + HEIGHT + 2 * MARGIN
    arrows = ""
    for a, b in drawing.arrows:
        arrows += f'<path data-from="{a}" data-to="{b}" d="{path(drawing, a, b)}"/>'
    boxes = ""
    for name, claim in statements.items():
        boxes += box(claim, *drawing.at[name])
    return (
        f'<svg role="group" aria-label="What rests on what: {len(statements)} statements" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}"><g class="graph-arrows">{arrows}</g>{boxes}</svg>'
    )


def path(drawing: layers.Drawing, a: str, b: str) -> str:
    """The arrow from the right side of one box to the left side of the other."""
    first, last = drawing.at[a][0], drawing.at[b][0]
    heights = [drawing.at[a][1], *drawing.arrows[a, b], drawing.at[b][1]]
    middle = [round(MARGIN + HEIGHT / 2 + ROW * height) for height in heights]
    drawn = f"M{MARGIN + first * COLUMN + WIDTH} {middle[0]}"
    gap = (COLUMN - WIDTH) // 2
    for number, (y, following) in enumerate(pairwise(middle), start=first + 1):
        x = MARGIN + number * COLUMN
        drawn += f"C{x - gap} {y} {x - gap} {following} {x} {following}"
        if number < last:
            drawn += f"H{x + WIDTH}"
    return drawn


def box(claim: Claim, column: int, height: float) -> str:
    """A statement: its name in two lines, its mark, and where it stands."""
    mark = MARKS[claim.verdict]
    heard = f"{claim.name.removesuffix(OURS)}: {claim.verdict}"
    if claim.proved:
        mark += " ⊢"
        heard += ", machine-checked"
    heard = html.escape(heard)
    at = f"translate({MARGIN + column * COLUMN} {round(MARGIN + height * ROW)})"
    first, second = two_lines(claim)
    return (
        f'<a id="{claim.id}" class="verdict-{slug(claim.verdict)}" '
        f'href="{claim.place or "ledger.html#" + claim.id}" '
        f'transform="{at}" aria-label="{heard}"><title>{heard}</title><rect width="{WIDTH}" height="{HEIGHT}" rx="4"/>'
        f'<text x="8" y="16">{plain(first)}</text><text x="8" y="32">{plain(second)}</text>'
        f'<text class="sign" x="{WIDTH - 8}" y="16">{mark}</text></a>'
    )


def slug(verdict: str) -> str:
    return verdict.replace(",", "").replace(" ", "-")


def two_lines(claim: Claim) -> tuple[str, str]:
    """The name in two lines; the first is shorter, since the mark stands beside it.

    >>> two_lines(Claim("a", label="Average sensitivity (ours)", number="Theorem 2.1"))
    ('Theorem 2.1', 'Average sensitivity')
    """
    if claim.number:
        return claim.number, textwrap.shorten(claim.short, LETTERS, placeholder="…")
    first = textwrap.wrap(claim.short, LETTERS_BESIDE_MARK)[0]
    rest = claim.short[len(first) :].strip()
    return first, textwrap.shorten(rest, LETTERS, placeholder="…")
