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
    below = {name: [one for one in claim.uses if one in statements] for name, claim in statements.items()}
    block = [
        '<div class="graph" id="graph">',
        controls(ledger),
        f'<p class="graph-words" aria-live="polite">{len(statements)} statements.</p>',
        f'<div class="graph-box">{svg(statements, layers.draw(direct(below)))}</div>',
        "</div>",
    ]
    meanings = {**MEANINGS, **ledger.settings.meanings}
    signs = [f"- <span class='mark verdict-{slug(word)}'>{MARKS[word]}</span> {meanings[word]}" for word in MARKS]
    return "\n".join([*block, "", *signs, "- ⊢ machine-checked, in whole or in part", ""])


def controls(ledger: Ledger) -> str:
    """What chooses a statement or an erratum, and what zooms; its space is kept free until the script shows it."""
    statements = "".join(
        f'<option value="{html.escape(claim.name.removesuffix(OURS))}" data-id="{claim.id}">'
        for claim in ledger.statements.values()
    )
    errata = "".join(
        f'<option id="{erratum.id}" data-about="{" ".join(erratum.about)}" '
        f'data-lit="{" ".join(sorted(broken(ledger, erratum)))}">{erratum.id}</option>'
        for erratum in ledger.errata
    )
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
    return {*erratum.about, *(name for members in ledger.downstream(erratum).values() for name in members)}


def direct(below: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The graph without the arrows that others imply.

    >>> direct({"a": [], "b": ["a"], "c": ["a", "b"]})
    {'a': [], 'b': ['a'], 'c': ['b']}
    """
    under = {i: reached(below[i], below) for i in below}
    return {i: [one for one in ones if not any(one in under[other] for other in ones)] for i, ones in below.items()}


def reached(start: Iterable[str], following: Mapping[str, list[str]]) -> set[str]:
    """These statements, and what is reached from them along the arrows."""
    reached: set[str] = set()
    last = set(start)
    while last:
        reached |= last
        last = {next_id for i in last for next_id in following[i]} - reached
    return reached


def svg(statements: Mapping[str, Claim], drawing: layers.Drawing) -> str:
    """Boxes that lead to their statements, and arrows from each to what rests on it."""
    width = max((column for column, _ in drawing.at.values()), default=0) * COLUMN + WIDTH + 2 * MARGIN
    height = round(max((row for _, row in drawing.at.values()), default=0) * ROW) + HEIGHT + 2 * MARGIN
    arrows = "".join(f'<path data-from="{a}" data-to="{b}" d="{path(drawing, a, b)}"/>' for a, b in drawing.arrows)
    boxes = "".join(box(claim, *drawing.at[i]) for i, claim in statements.items())
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
        drawn += f"H{x + WIDTH}" if number < last else ""
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
