"""What rests on what: no box covers another, each arrow leads to the right, what is lit follows from the claims."""

import re
from itertools import combinations, pairwise

import pytest

from sphinx_claims.pages import graph, layers
from sphinx_claims.settings import MARKS, MEANINGS
from tests.book.examples import CLAIMS, SETTINGS, claim, erratum, ledgered

BELOW = {c.id: list(c.uses) for c in CLAIMS if not c.is_erratum}


def overlaps(drawing):
    """Pairs of boxes of a column whose middles are less than a box apart; heights are kept to a hundredth."""
    places = sorted(drawing.at.values())
    return [(a, b) for a, b in zip(places, places[1:], strict=False) if a[0] == b[0] and b[1] - a[1] < 0.98]


# The layout


@pytest.mark.parametrize("below", [BELOW, graph.direct(BELOW)], ids=["all", "direct"])
def test_arrows_lead_to_the_right_and_no_box_covers_another(below):
    drawing = layers.draw(below)
    assert drawing.at.keys() == BELOW.keys() and len(drawing.arrows) == sum(map(len, below.values()))
    for (a, b), passed in drawing.arrows.items():
        assert drawing.at[b][0] - drawing.at[a][0] == len(passed) + 1
    assert not overlaps(drawing)


def crossings(drawing):
    """How many pairs of arrows cross between two columns."""
    steps = {}
    for (a, b), passed in drawing.arrows.items():
        heights = [drawing.at[a][1], *passed, drawing.at[b][1]]
        for column, step in enumerate(pairwise(heights), start=drawing.at[a][0]):
            steps.setdefault(column, []).append(step)
    pairs = [pair for found in steps.values() for pair in combinations(found, 2)]
    return sum((one[0] - other[0]) * (one[1] - other[1]) < 0 for one, other in pairs)


def test_few_arrows_cross():
    below = {"a": [], "b": [], "c": [], "x": ["c"], "y": ["b"], "z": ["a"]}
    crossed = {i: (int(i in "xyz"), float("abcxyz".index(i) % 3)) for i in below}
    as_listed = layers.Drawing(crossed, {("c", "x"): [], ("b", "y"): [], ("a", "z"): []})
    assert (crossings(as_listed), crossings(layers.draw(below))) == (3, 0)
    drawing = layers.draw(graph.direct(BELOW))
    assert crossings(drawing) < 3 * len(drawing.arrows)


def test_a_second_drawing_is_the_same():
    assert layers.draw(BELOW) == layers.draw(dict(BELOW))


def test_heights_are_the_nearest_that_keep_their_distance():
    assert layers.spaced([5, 0, 9], ["a", "b", "c"]) == [2, 3, 9]


# The page


@pytest.fixture(scope="module")
def page():
    return graph.drawing(ledgered(CLAIMS))


def test_each_statement_has_a_box_and_each_arrow_its_ends(page):
    assert re.findall(r'<a id="([\w-]+)" class="verdict', page) == list(BELOW)
    arrows = re.findall(r'<path data-from="([\w-]+)" data-to="([\w-]+)"', page)
    assert sorted(arrows) == sorted((a, b) for b, ones in graph.direct(BELOW).items() for a in ones)
    assert re.findall(r'<option value="[^"]+" data-id="([\w-]+)">', page) == list(BELOW)


def test_an_arrow_is_left_out_only_where_others_imply_it():
    thinned = graph.direct(BELOW)
    assert sum(map(len, thinned.values())) < sum(map(len, BELOW.values()))
    for name in BELOW:
        assert graph.reached([name], thinned) == graph.reached([name], BELOW)


def test_an_erratum_lights_what_the_page_of_the_errata_says_and_stops_at_a_repaired_proof():
    claims = [
        claim("base", verdict="false as printed", errata=["E1"]),
        claim("repaired", verdict="true, proof repaired", uses=["base"]),
        claim("above-repaired", uses=["repaired"]),
        claim("false-too", verdict="false as printed", uses=["base"]),
        claim("far", uses=["false-too"]),
        erratum("E1", ["base"]),
        erratum("E2", ["far"]),
    ]
    ledger = ledgered(claims)
    shown = graph.drawing(ledger)
    lit = {number: set(ids.split()) for ids, number in re.findall(r'data-lit="([^"]*)">(E\d)<', shown)}
    assert lit == {"E1": {"base", "repaired", "false-too", "far"}, "E2": {"far"}}
    assert lit["E1"] - {"base"} == {i for ids in ledger.downstream(claims[5]).values() for i in ids}


def test_each_verdict_of_the_book_has_a_mark_and_a_meaning(page):
    assert {c.verdict for c in CLAIMS} - {"withdrawn"} <= MARKS.keys() == MEANINGS.keys()
    assert len(set(MARKS.values())) == len(MARKS)
    assert all(f"> {meaning}" in page for meaning in {**MEANINGS, **SETTINGS.meanings}.values())


def test_no_name_is_wider_than_its_box():
    for one in CLAIMS:
        first, second = graph.two_lines(one)
        assert len(first) <= graph.LETTERS_BESIDE_MARK and len(second) <= graph.LETTERS, (first, second)
