"""What rests on what: the statements as a graph, laid out here, of which a script shows a part at a time.

The whole graph is in the page as SVG. Beside it stands where the boxes lie in each part: around a statement, up to one
or two steps away or as far as its arrows lead, and around each erratum. A statement is shown at ``map.html#lemma-9``,
farther at ``#lemma-9=2`` and ``#lemma-9=all``, an erratum at ``#E16``.
"""

import html
import json
import textwrap
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from companion import layers
from companion.audit import status
from companion.claims import OURS, Claim, Claims, Records, by_id, name
from companion.pages.data import TIGHTNESS
from companion.pages.data import evidence as found_by
from companion.pages.errata import downstream
from companion.pages.markup import link, plain, proved
from companion.pages.paper_map import MARKS

# In CSS pixels: a box, and the distances from one to the next.
WIDTH, HEIGHT = 172, 40
COLUMN, ROW = 212, 48
MARGIN = 8
# As many letters of 12 px fit in a line of a box, and bold ones beside the mark.
LETTERS = 26
LETTERS_BESIDE_MARK = 16
DEPTHS = {"1": 1, "2": 2, "all": None}
DEPTH_WORDS = {"1": "1 step", "2": "2 steps", "all": "all"}
Below = Mapping[str, list[str]]


def page(claims: Claims, records: Records) -> str:
    """The graph, its controls and its data, as one block of HTML."""
    known = {claim["id"]: claim for claim in claims if claim["kind"] != "erratum"}
    errata = [claim for claim in claims if claim["kind"] == "erratum" and claim["verdict"] != "withdrawn"]
    below = {i: [one for one in claim.get("uses", []) if one in known] for i, claim in known.items()}
    words = facts(claims, records)
    number = {i: place for place, i in enumerate(known)}
    drawn = {}
    for i in known:
        for depth, steps in DEPTHS.items():
            near = around(i, below, steps)
            part = within(below, near)
            drawn[f"{i}={depth}"] = view(layers.draw(direct(part) if steps is None else part), number)
    for erratum in errata:
        lit = shaken(erratum, claims)
        beside = [i for i in known if lit.intersection(below[i])]
        part = within(below, lit.union(beside))
        marked = {"about": [number[i] for i in erratum["about"]], "lit": [number[i] for i in sorted(lit)]}
        drawn[erratum["id"]] = {**view(layers.draw(part), number), **marked}
    data = {
        "ids": list(known),
        "words": [words[i] for i in known],
        "errata": {erratum["id"]: erratum_words(erratum, claims) for erratum in errata},
        "views": drawn,
        "size": {"width": WIDTH, "height": HEIGHT, "column": COLUMN, "row": ROW, "margin": MARGIN},
    }
    stored = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return "\n".join(
        [
            '<div class="graph" id="graph">',
            controls([name(claim).removesuffix(OURS) for claim in known.values()], [e["id"] for e in errata]),
            f'<div class="graph-box">{svg(known, layers.draw(direct(below)), words)}</div>',
            '<div class="graph-words" aria-live="polite"></div>',
            f'<script type="application/json" class="graph-data">{stored}</script>',
            "</div>",
        ]
    )


def controls(names: Iterable[str], errata: Iterable[str]) -> str:
    """What chooses a part; its space is kept free until the script shows it."""
    statements = "".join(f'<option value="{html.escape(one)}">' for one in names)
    numbers = "".join(f'<option id="{one}">{one}</option>' for one in errata)
    depths = "".join(f'<a data-depth="{depth}">{word}</a>' for depth, word in DEPTH_WORDS.items())
    return (
        '<div class="graph-controls"><label>Statement <input type="search" list="graph-names" '
        f'placeholder="Lemma 9, parity, …"></label><datalist id="graph-names">{statements}</datalist>'
        f'<label>Erratum <select><option value="">none</option>{numbers}</select></label>'
        f'<span class="graph-depths" role="group" aria-label="How far">{depths}'
        '<a href="#graph">the whole</a></span></div>'
    )


# Parts of the graph


def around(start: str, below: Below, steps: int | None) -> set[str]:
    """The statements that are reached from one along the arrows, or against them, in so many steps, or in any number.

    >>> sorted(around("b", {"a": [], "b": ["a"], "c": ["b"], "d": ["c"]}, 1))
    ['a', 'b', 'c']
    """
    above: dict[str, list[str]] = {i: [] for i in below}
    for i, ones in below.items():
        for one in ones:
            above[one].append(i)
    return reached(start, below, steps) | reached(start, above, steps)


def reached(start: str, following: Below, steps: int | None) -> set[str]:
    found = {start}
    last = found
    while last and steps != 0:
        last = {one for i in last for one in following[i]} - found
        found = found | last
        steps = None if steps is None else steps - 1
    return found


def within(below: Below, part: Iterable[str]) -> dict[str, list[str]]:
    """The part of the graph on these statements, in the order of the ledger."""
    chosen = set(part)
    return {i: [one for one in below[i] if one in chosen] for i in below if i in chosen}


def direct(below: Below) -> dict[str, list[str]]:
    """The graph without the arrows that others imply.

    >>> direct({"a": [], "b": ["a"], "c": ["a", "b"]})
    {'a': [], 'b': ['a'], 'c': ['b']}
    """
    under = {i: reached(i, below, None) - {i} for i in below}
    return {i: [one for one in ones if not any(one in under[other] for other in ones)] for i, ones in below.items()}


def shaken(erratum: Claim, claims: Claims) -> set[str]:
    """What an erratum is about, and what rests on it if that is false as printed: as on the page of the errata."""
    return {*erratum["about"], *(i for members in downstream(erratum, claims).values() for i in members)}


def view(drawing: layers.Drawing, number: Mapping[str, int]) -> dict[str, Any]:
    """A drawing as numbers: for each box its statement, column and height, for each arrow its ends and its heights."""
    boxes = [[number[i], column, height] for i, (column, height) in drawing.at.items()]
    arrows = [[number[a], number[b], *passed] for (a, b), passed in drawing.arrows.items()]
    return {"boxes": boxes, "arrows": arrows}


# Words


def facts(claims: Claims, records: Records) -> dict[str, str]:
    """For each statement its verdict, its evidence, how tight it is, and its proof, with links."""
    standing = status(claims, records)
    known = by_id(claims)
    found = {}
    for claim in claims:
        word = standing[claim["id"]][0]
        if claim.get("follows"):
            word = f"follows from {focused(claim['follows'], known)}"
        if claim["kind"] != "erratum":
            found[claim["id"]] = said(claim, records, word)
    return found


def focused(ids: Iterable[str], known: Mapping[str, Claim]) -> str:
    """Statements by their names, which lead to the graph around them."""
    return ", ".join(f'<a href="#{i}=1">{plain(name(known[i]).removesuffix(OURS))}</a>' for i in ids)


def said(claim: Claim, records: Records, standing: str) -> str:
    """What is known of one statement.

    An example: "Lemma 9: true, proof repaired. Evidence: exhaustive, sampled; within 10×. Machine-checked. E17."
    """
    label = name(claim).removesuffix(OURS)
    row = link(f"ledger.html#{claim['id']}", claim["verdict"], f"{claim['verdict']}, row of {label} in the ledger")
    where = link(claim["place"], label) if claim["place"] else plain(label)
    parts = [f"<strong>{where}</strong>: {row}", f"Evidence: {evidence(claim, records, standing)}"]
    if claim.get("proof"):
        proof = claim["proof"]
        line = f", line {proof['line']}" if proof.get("line") else ""
        parts.append(f"Proof: {proved(claim)} <small>(<code>{proof['file']}</code>{line})</small>")
    elif claim["source"] == "ours" and claim["place"]:
        parts.append(f"Proof: {link(claim['place'], 'below its statement', f'proof of {label}, below its statement')}")
    if errata := claim.get("errata"):
        parts.append("Errata: " + ", ".join(f'<a href="#{one}">{one}</a>' for one in errata))
    return ". ".join(parts) + "."


def evidence(claim: Claim, records: Records, standing: str) -> str:
    """The kinds of evidence, each with its number of checks where there are several, and the tightest check's word."""
    mine = [found_by(record) for record in records if record["claim"] == claim["id"]]
    if not mine:
        return standing
    kinds = [one["evidence"] for one in mine]
    each = [f"{kind} ({kinds.count(kind)})" if kinds.count(kind) > 1 else kind for kind in dict.fromkeys(kinds)]
    tightness = {one["tightness"] for one in mine}
    word = next((word for word in TIGHTNESS if word in tightness), "")
    return ", ".join(each) + (f"; tightness: {word}" if word else "")


def erratum_words(erratum: Claim, claims: Claims) -> str:
    """What an erratum breaks, what it shakes, and where a repaired proof stops it."""
    known = by_id(claims)
    here = erratum["id"]
    about = "; ".join(f"{focused([i], known)} ({known[i]['verdict']})" for i in erratum["about"])
    parts = [f"<strong>{link(f'errata.html#{here}', here)}</strong> ({erratum['consequence']}) is about {about}"]
    found = downstream(erratum, claims)
    stopped = found.pop("true, proof repaired", [])
    rest = [i for members in found.values() for i in members]
    parts += [f"On its printed form rest {focused(rest, known)}"] * bool(rest)
    parts += [f"The proof is repaired, which keeps what is above it, of {focused(stopped, known)}"] * bool(stopped)
    parts += ["Nothing that rests on it is affected"] * (not rest and not stopped)
    return ". ".join(parts) + "."


# The whole graph as SVG


def svg(known: Mapping[str, Claim], drawing: layers.Drawing, words: Mapping[str, str]) -> str:
    """Boxes that lead to their statements, and arrows from each to what rests on it."""
    columns = max((column for column, _ in drawing.at.values()), default=0)
    rows = max((height for _, height in drawing.at.values()), default=0)
    width = columns * COLUMN + WIDTH + 2 * MARGIN
    height = round(rows * ROW) + HEIGHT + 2 * MARGIN
    arrows = "".join(f'<path d="{path(drawing, a, b)}"/>' for a, b in drawing.arrows)
    boxes = "".join(box(claim, *drawing.at[i]) for i, claim in known.items())
    return (
        f'<svg role="group" aria-label="What rests on what: {len(known)} statements" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><g class="graph-arrows">{arrows}</g>{boxes}</svg>'
    )


def path(drawing: layers.Drawing, a: str, b: str) -> str:
    """The arrow from the right side of one box to the left side of the other; graph.js draws it in the same way."""
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
    label = name(claim).removesuffix(OURS)
    mark = MARKS[claim["verdict"]] + (" ⊢" if "proved" in claim else "")
    at = f"translate({MARGIN + column * COLUMN} {round(MARGIN + height * ROW)})"
    heard = html.escape(f"{label}: {claim['verdict']}{', machine-checked' if 'proved' in claim else ''}")
    first, second = two_lines(claim)
    return (
        f'<a id="{claim["id"]}" class="{kind(claim)}" href="{claim["place"] or "ledger.html#" + claim["id"]}" '
        f'transform="{at}" aria-label="{heard}"><title>{heard}</title><rect width="{WIDTH}" height="{HEIGHT}" rx="4"/>'
        f'<text x="8" y="16">{plain(first)}</text><text x="8" y="32">{plain(second)}</text>'
        f'<text class="sign" x="{WIDTH - 8}" y="16">{mark}</text></a>'
    )


def kind(claim: Claim) -> str:
    return f"verdict-{claim['verdict'].replace(',', '').replace(' ', '-')}"


def two_lines(claim: Claim) -> tuple[str, str]:
    """The name in two lines; the first is shorter, since the mark stands beside it.

    >>> two_lines({"label": "Average sensitivity (ours)", "number": "Theorem 2.1"})
    ('Theorem 2.1', 'Average sensitivity')
    """
    label = claim["label"].removesuffix(OURS)
    if "number" in claim:
        return claim["number"], textwrap.shorten(label, LETTERS, placeholder="…")
    first = textwrap.wrap(label, LETTERS_BESIDE_MARK)[0]
    rest = label[len(first) :].strip()
    return first, textwrap.shorten(rest, LETTERS, placeholder="…")
