"""The errata, the graph, the notation: links lead somewhere, and what is said follows from the data."""

import json
import re
from pathlib import Path

import pytest
import yaml
from companion import errata_page, extension, graph, ledger_page, notation_page

import sparse_core
from sparse_core.notebook import ledger

ROOT = Path(__file__).parents[2]
CLAIMS = yaml.safe_load((ROOT / "book" / "claims.yml").read_text(encoding="utf-8"))


def claim(name, **changes):
    base = {"id": name, "label": name.title(), "section": "3", "kind": "lemma", "source": "paper", "statement": "$a$"}
    return {**base, "verdict": "true", "chapter": "02-uniform", "owed": "exact", **changes}


def erratum(name, about, **changes):
    parts = {"printed": "$1 < 1$.", "witness": "`base`: 1.", "corrected": "$1 \\le 1$.", "artefact": "no"}
    base = {"kind": "erratum", "verdict": "false as printed", "owed": "refuted", "about": about, "label": name}
    return claim(name, **{**base, "consequence": "harmless", **parts, **changes})


def record(made):
    return {**made._repr_mimebundle_()[ledger.MIME], "chapter": "02-uniform"}


SMALL = [
    claim("base", verdict="false as printed", errata=["E1"]),
    claim("repaired", verdict="true, proof repaired", uses=["base"]),
    claim("above-repaired", uses=["repaired"]),
    claim("false-too", verdict="false as printed", uses=["base"], errata=["E1"]),
    claim("far", uses=["false-too"]),
    erratum("E1", ["base"]),
    erratum("E2", ["repaired"], consequence="consequential", artefact="possible"),
    erratum("E3", ["far"], verdict="cited", owed="cited", reason="About another paper.", consequence="gap"),
]
WITNESS = record(ledger.refute("E1", 2, 1, margin=1, over="n = 1", control={"with <=": 2}))


def test_each_erratum_leads_to_its_witness_and_the_record_leads_back():
    page = errata_page.page(SMALL, [WITNESS])
    assert f'<a href="02-uniform.html#{WITNESS["anchor"]}">Run</a>: 2 &#62; 1 · margin 1 · n = 1.' in page
    assert page.count(">Run</a>") == 2  # in the table and in the entry
    assert "On the witness, with &#60;=: holds." in page and '<span id="E1"' in page
    span = '<span class="claim" data-claim="{}">x</span>'
    back = extension.with_claims({"a": span.format("E1") + span.format("base")}, SMALL)["a"]
    assert 'href="errata.html#E1"' in back and 'href="ledger.html#base"' in back


def test_the_errata_stand_in_the_order_of_their_consequence():
    page = errata_page.page(SMALL, [WITNESS])
    assert re.findall(r"### (E\d)", page) == re.findall(r'\* - <a href="#(E\d)"', page) == ["E2", "E3", "E1"]


def test_what_is_not_run_says_why():
    page = errata_page.page(SMALL, [])
    assert "Not run. About another paper." in page
    assert page.count("was not executed for this page") == 2


def test_the_effect_of_an_erratum_ends_at_a_repaired_proof():
    found = errata_page.downstream(SMALL[5], SMALL)
    assert found == {"true, proof repaired": ["repaired"], "false as printed": ["false-too"], "true": ["far"]}
    assert errata_page.downstream(SMALL[6], SMALL) == {}


@pytest.mark.parametrize("part", ["printed", "witness", "corrected", "consequence", "artefact", "about"])
def test_an_erratum_without_a_part_is_refused(part):
    assert errata_page.incomplete(SMALL) == []
    assert part in errata_page.incomplete([{**erratum("E1", ["base"]), part: ""}])[0]
    assert "one of" in errata_page.incomplete([erratum("E1", ["base"], consequence="dire")])[0]


def test_the_errata_of_the_book_are_complete_and_each_is_named_by_what_it_concerns():
    assert errata_page.incomplete(CLAIMS) == []
    known = {c["id"]: c for c in CLAIMS}
    one_way = [
        (e["id"], i) for e in CLAIMS if e["kind"] == "erratum" for i in e["about"] if e["id"] not in known[i]["errata"]
    ]
    assert one_way == []


# The graph


USES = {"a": [], "b": ["a"], "hidden": ["b"], "c": ["hidden", "a"], "d": ["c", "b"]}


def test_paths_through_others_are_edges_and_implied_edges_are_not():
    assert graph.contract(USES, "abcd") == {"a": set(), "b": {"a"}, "c": {"b"}, "d": {"c"}}


def test_every_edge_of_the_book_s_graph_is_a_path_of_uses_and_conversely():
    uses = {c["id"]: c.get("uses", []) for c in CLAIMS}
    order = graph.nodes(CLAIMS)
    edges = graph.contract(uses, order)
    for name in order:
        assert graph.reachable(edges, [name]) == graph.reachable(uses, [name]) & set(order)


def test_each_line_leads_to_the_right():
    uses = {c["id"]: c.get("uses", []) for c in CLAIMS}
    order = graph.nodes(CLAIMS)
    edges = graph.contract(uses, order)
    rank = graph.ranks(edges, order)
    assert all(rank[below] < rank[name] for name in order for below in edges[name])
    routes = graph.routed(edges, rank)
    columns = graph.columns_of(routes, rank, order)
    assert sorted(sum(columns, [])) == sorted(routes)
    place = {name: i for i, column in enumerate(columns) for name in column}
    assert all(place[name] - place[below] == 1 for name in routes for below in routes[name])


def test_the_drawing_has_a_link_for_each_of_at_most_sixty_nodes_and_is_the_same_each_time():
    drawing, order = graph.svg(CLAIMS), graph.nodes(CLAIMS)
    assert re.findall(r'<a href="#([\w.-]+)"', drawing) == order and len(order) <= 60
    assert drawing == graph.svg(json.loads(json.dumps(CLAIMS)))
    numbered = [c["id"] for c in CLAIMS if re.match(r"(Theorem|Lemma|Conjecture) \d+$", c["label"])]
    assert set(numbered) <= set(order)
    assert len(graph.nodes(CLAIMS, limit=10)) < 60


def test_no_two_boxes_overlap():
    boxes = [
        tuple(map(float, b))
        for b in re.findall(r'<rect x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"', graph.svg(CLAIMS))
    ]
    for i, (x, y, w, h) in enumerate(boxes):
        assert all(x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y for x2, y2, w2, h2 in boxes[:i])


# The notation


def test_the_names_of_the_package_are_listed_with_their_formulas(tmp_path):
    assert notation_page.public('__all__ = ["f"]\ndef f(): "f = 1."\ndef g(): ""') == [("f", "f = 1.")]
    page = tmp_path / "notation.md"
    page.write_text(f"# N\n\n{notation_page.MARK}\n")
    notation_page.fill(page, Path(sparse_core.__file__).parent)
    assert "`average_sensitivity`" in page.read_text() and notation_page.MARK not in page.read_text()
    notation_page.fill(tmp_path / "absent.md", tmp_path)
    assert not (tmp_path / "absent.md").exists()


def test_a_row_of_the_ledger_names_the_code_that_names_its_claim_and_the_tests_of_that_code():
    cited = notation_page.cited(Path(sparse_core.__file__).parent)
    assert ("network.network", "Scale") in cited["definition-2"] and ("bounds.paper", "lemma_9") in cited["lemma-9"]
    page = ledger_page.page([claim("lemma-9")], [], code=cited)
    assert '<a href="notation.html#bounds-paper">bounds.paper.lemma&#95;9</a>' in page and "`tests/core/bounds`" in page
    claims = {entry["id"] for entry in yaml.safe_load((ROOT / "book" / "claims.yml").read_text(encoding="utf-8"))}
    code = {module.partition(".")[0] for name, places in cited.items() for module, _ in places if name in claims}
    assert len(code) > 5 and code <= {path.name for path in (ROOT / "tests/core").iterdir()}


def test_each_name_in_the_table_exists():
    package = Path(sparse_core.__file__).parent
    text = (ROOT / "book" / "notation.md").read_text(encoding="utf-8")
    known = {
        f"{'.'.join(p.relative_to(package).with_suffix('').parts)}.{name}"
        for p in package.rglob("*.py")
        for name, _ in notation_page.public(p.read_text(encoding="utf-8"))
    }
    modules = {name.rpartition(".")[0] for name in known}
    named = set(re.findall(r"`((?:[a-z_]+\.)+[a-z_0-9]+)", text))
    named = {n for n in named if n.rpartition(".")[0] in modules}
    assert len(named) > 25 and named <= known


def test_write_makes_the_pages(tmp_path):
    book = tmp_path / "book"
    book.mkdir()
    lemma = claim("lemma-9", label="Lemma 9")
    (book / "claims.yml").write_text(yaml.safe_dump([lemma]))
    (book / "published.yml").write_text("{}")
    made = ledger.check("lemma-9", 1, 2, evidence="exact", over="network", control={"2 becomes 0": 0})
    bundle = {"data": made._repr_mimebundle_()}
    ledger_page.write(tmp_path, {"02-uniform": {"cells": [{"outputs": [bundle]}]}})
    assert "# Errata" in (book / "errata.md").read_text() and 'href="#lemma-9"' in (book / "ledger.md").read_text()
    (book / "claims.yml").write_text(
        yaml.safe_dump([lemma, erratum("E1", ["lemma-9"], witness="", owed="cited", reason="x")])
    )
    with pytest.raises(ledger.LedgerError, match="E1: an erratum needs witness"):
        ledger_page.write(tmp_path, {"02-uniform": {"cells": [{"outputs": [bundle]}]}})


# Sorting, in a browser


TABLE = """<table class="sortable"><thead><tr><th>No.</th><th>Weight</th></tr></thead><tbody>
<tr><td>E10</td><td><i data-order="0">zero</i></td></tr><tr><td>E9</td><td><i data-order="2">two</i></td></tr>
<tr><td>E1</td><td><i data-order="1">one</i></td></tr></tbody></table><script>{}</script>"""
FIRST = "[...document.querySelectorAll('tbody td:first-child')].map(cell => cell.textContent).join(' ')"
SORT = "[...document.querySelectorAll('th')].map(head => head.getAttribute('aria-sort'))"


def test_a_table_is_sorted_by_keyboard_and_says_so(in_browser):
    async def visit(page):
        await page.set_content(TABLE.format((ROOT / "book" / "assets" / "ledger.js").read_text(encoding="utf-8")))
        seen = []
        for key in ("Tab", "Enter", "Enter", "Enter", "Tab", "Space"):
            await page.keyboard.press(key)
            seen.append((await page.evaluate(FIRST), await page.evaluate(SORT)))
        return seen

    seen = in_browser(visit)
    unsorted = ("E10 E9 E1", [None, None])
    up, down = ("E1 E9 E10", ["ascending", None]), ("E10 E9 E1", ["descending", None])
    assert seen == [unsorted, up, down, unsorted, unsorted, ("E10 E1 E9", [None, "ascending"])]
