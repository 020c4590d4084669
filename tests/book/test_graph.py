"""What rests on what: no box covers another, each arrow leads to the right, each part has all that it should show."""

import json
import re

import pytest
from companion import layers
from companion.pages import errata, graph

from tests.book.examples import CLAIMS, claim, erratum, passing, record

BELOW = {c["id"]: c.get("uses", []) for c in CLAIMS if c["kind"] != "erratum"}
PLACED = [{**c, "place": "", "proof": None} for c in CLAIMS]


def overlaps(drawing):
    """Pairs of boxes of a column whose middles are less than a box apart; heights are kept to a hundredth."""
    places = sorted(drawing.at.values())
    return [(a, b) for a, b in zip(places, places[1:], strict=False) if a[0] == b[0] and b[1] - a[1] < 0.98]


def data(page):
    return json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S)[1])


# The layout


@pytest.mark.parametrize("below", [BELOW, graph.direct(BELOW)], ids=["all", "direct"])
def test_arrows_lead_to_the_right_and_no_box_covers_another(below):
    drawing = layers.draw(below)
    assert drawing.at.keys() == BELOW.keys() and len(drawing.arrows) == sum(map(len, below.values()))
    for (a, b), passed in drawing.arrows.items():
        assert drawing.at[b][0] - drawing.at[a][0] == len(passed) + 1
    assert not overlaps(drawing)


def test_boxes_that_do_overlap_are_noticed():
    assert overlaps(layers.Drawing({"a": (0, 0.0), "b": (0, 0.5)}, {}))


def test_the_order_has_fewer_crossings_than_that_of_the_ledger():
    below = {"a": [], "b": [], "c": [], "x": ["c"], "y": ["b"], "z": ["a"]}
    drawing = layers.draw(below)
    places = [[i for i, (at, _) in sorted(drawing.at.items(), key=lambda one: one[1][1]) if at == c] for c in (0, 1)]
    right = {one: [i for i in below if one in below[i]] for one in below}
    assert (layers.crossings([list("abc"), list("xyz")], right), layers.crossings(places, right)) == (3, 0)


def test_a_second_drawing_is_the_same():
    assert layers.draw(BELOW) == layers.draw(dict(BELOW))


def test_heights_are_the_nearest_that_keep_their_distance():
    assert layers.spaced([5, 0, 9], ["a", "b", "c"]) == [2, 3, 9]


# Its parts


@pytest.fixture(scope="module")
def page():
    """The graph of the book, without evidence."""
    return graph.page(PLACED, [])


def test_each_statement_has_a_box_and_three_depths_and_each_standing_erratum_a_view(page):
    views = data(page)["views"]
    standing = [c["id"] for c in CLAIMS if c["kind"] == "erratum" and c["verdict"] != "withdrawn"]
    assert re.findall(r'<a id="([\w-]+)" class="verdict', page) == list(BELOW)
    assert views.keys() == {*(f"{i}={depth}" for i in BELOW for depth in ("1", "2", "all")), *standing}
    assert page.count("<path ") == sum(map(len, graph.direct(BELOW).values()))


def test_one_step_shows_all_that_a_statement_uses_and_all_that_uses_it(page):
    views, ids = data(page)["views"], list(BELOW)
    for name in ("theorem-8", "definition-2", "better-bounds"):
        shown = {ids[number] for number, *_ in views[f"{name}=1"]["boxes"]}
        assert shown == {name, *BELOW[name], *(i for i in BELOW if name in BELOW[i])}
        arrows = {(ids[a], ids[b]) for a, b, *_ in views[f"{name}=1"]["arrows"]}
        assert {(one, name) for one in BELOW[name]} <= arrows
        assert shown <= {ids[number] for number, *_ in views[f"{name}=2"]["boxes"]}


def test_all_shows_what_one_more_step_would_not_change():
    far = graph.around("theorem-8", BELOW, None)
    assert far == graph.around("theorem-8", BELOW, 50) != graph.around("theorem-8", BELOW, 2)


def test_an_arrow_is_left_out_only_where_others_imply_it():
    thinned = graph.direct(BELOW)
    assert sum(map(len, thinned.values())) < sum(map(len, BELOW.values()))
    for name in BELOW:
        assert graph.reached(name, thinned, None) == graph.reached(name, BELOW, None)


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
    placed = [{**c, "place": "", "proof": None} for c in claims]
    found = data(graph.page(placed, []))
    lit = {found["ids"][number] for number in found["views"]["E1"]["lit"]}
    assert lit == {"base", "repaired", "false-too", "far"}
    assert lit - {"base"} == {i for ids in errata.downstream(claims[5], claims).values() for i in ids}
    assert "repaired, which keeps what is above it, of <a" in found["errata"]["E1"]
    assert found["views"]["E2"]["lit"] == found["views"]["E2"]["about"]
    assert "Nothing that rests on it" in found["errata"]["E2"]


def test_a_statement_says_its_evidence_how_tight_it_is_and_where_its_proof_is():
    proof = {"file": "proofs/statements.v", "line": 7, "part": "", "theorem": "ours_tail"}
    mine = {**claim(proved="ours_tail", errata=["E1"]), "place": "", "proof": proof}
    known = [mine, erratum("E1", ["lemma-9"])]
    words = graph.facts(known, [record(passing())])["lemma-9"]
    assert "Evidence: exhaustive; tightness: within 10×" in words
    assert "proofs/statements.v</code>, line 7" in words and '<a href="#E1">E1</a>' in words
    assert "Evidence: not yet run" in graph.facts(known, [])["lemma-9"]


def test_no_name_is_wider_than_its_box():
    for one in CLAIMS:
        first, second = graph.two_lines(one)
        assert len(first) <= graph.LETTERS_BESIDE_MARK and len(second) <= graph.LETTERS, (first, second)
