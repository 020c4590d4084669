"""Getting around: strips, lines in statements, the map and the search index, from claims.yml and the pages."""

import json
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup
from companion import accessible_names, navigation

import make

CLAIMS = yaml.safe_load("""
- {id: lemma-9, label: Lemma 9, arxiv: Lemma 3.2, section: "3", kind: lemma, source: paper, verdict: "true",
   uses: [eq-U], chapter: 02-uniform, errata: [E16]}
- {id: theorem-8, label: Theorem 8, section: "1, 3", kind: theorem, source: paper, verdict: open, uses: [lemma-9],
   chapter: 02-uniform}
- {id: eq-U, label: Equation (U), section: "3", kind: equation, source: paper, verdict: false as printed,
   chapter: 02-uniform}
- {id: ours-x, label: X (ours), section: B, kind: result, source: ours, verdict: "true", chapter: 02-uniform}
- {id: unrun, label: Not run, section: "2.1", kind: claim, source: paper, verdict: cited, chapter: 03-parities}
- {id: E16, label: E16, section: "3", kind: erratum, source: paper, verdict: false as printed, chapter: 02-uniform}
""")
PAGE = """<article class="bd-article"><section><h1><span class="section-number">2. </span>Title</h1><p>Text.</p>
<div class="proof lemma admonition" id="lemma-9">
<p class="admonition-title">Lemma 9</p>
<section class="lemma-content">
<p>It holds.</p>
</section>
</div>
<div class="cell docutils container"><p>code</p><div class="claim-record" id="record-eq-U-012345">(U)</div></div>
<div class="cell docutils container"><div class="claim-record" id="record-ours-x-012345">X</div></div>
<div class="cell docutils container"><div class="claim-record" id="record-theorem-8-abcdef">8</div></div>
<div class="cell docutils container"><div class="claim-record" id="record-E16-012345">E16</div></div>
</section></article>
<a class="left-prev"
   href="01-definitions.html" title="previous page"><p class="prev-next-title"><span>1. </span>Definitions</p></a>
<a class="right-next" href="ledger.html"><p class="prev-next-title">The ledger</p></a>
"""
PAGES = {Path("book/02-uniform.html"): PAGE, Path("book/ledger.html"): '<article class="bd"><h1>L</h1></article>'}


@pytest.fixture
def chapter():
    return BeautifulSoup(navigation.finished(PAGES, CLAIMS)[Path("book/02-uniform.html")], "html.parser")


def hrefs(tag):
    return {link.text: link["href"] for link in tag.select("a")}


def test_a_claim_stands_at_its_statement_or_else_at_its_first_record():
    found = navigation.places(PAGES, CLAIMS)
    assert {name: found[name] for name in found if name not in navigation.READ} == {
        "lemma-9": "02-uniform.html#lemma-9",
        "theorem-8": "02-uniform.html#record-theorem-8-abcdef",
        "eq-U": "02-uniform.html#record-eq-U-012345",
        "ours-x": "02-uniform.html#record-ours-x-012345",
        "E16": "02-uniform.html#record-E16-012345",
    }


def test_a_claim_without_either_stands_in_a_section_of_a_page_that_is_there():
    claims = yaml.safe_load((make.BOOK / "claims.yml").read_text(encoding="utf-8"))
    assert {*navigation.READ, *navigation.ANCHORS} <= {claim["id"] for claim in claims}
    assert navigation.places(PAGES, CLAIMS)["theorem-4"] == "02-uniform.html#sec-chain"
    assert "loss" not in navigation.places(PAGES, CLAIMS)


def test_its_own_chapter_comes_first():
    earlier = {Path("book/01-a.html"): PAGE, **PAGES}
    assert navigation.places(earlier, CLAIMS)["lemma-9"] == "02-uniform.html#lemma-9"
    del earlier[Path("book/02-uniform.html")]
    assert navigation.places(earlier, CLAIMS)["lemma-9"] == "01-a.html#lemma-9"


def test_the_strip_names_sections_neighbours_and_files(chapter):
    strip = chapter.select_one("h1 + nav.whereabouts")
    kinds = {cell.contents[0]: cell.get("class") for cell in strip.select("ol a")}
    assert {section for section, kind in kinds.items() if kind == ["run"]} == {"1", "3"}
    assert [section for section, kind in kinds.items() if kind == ["ours"]] == ["B"]
    assert list(kinds) == list(navigation.SECTIONS)
    assert "3 of its statements, 1 of ours" in strip.text
    assert hrefs(strip)["← 1"] == "01-definitions.html" and "→" not in strip.text  # the ledger is no chapter
    files = [link["href"].rpartition("/")[2] for link in chapter.select(".take-away a[download]")]
    assert files == ["02-uniform.ipynb", "02-uniform.py", "02-uniform.md"]


def test_a_page_that_runs_nothing_has_no_strip():
    ledger = navigation.finished(PAGES, CLAIMS)[Path("book/ledger.html")]
    assert ledger == PAGES[Path("book/ledger.html")]


def test_a_statement_says_on_what_it_rests_and_where_it_is_used(chapter):
    line = chapter.select_one("#lemma-9 .whence")
    assert line.text == "§3; arXiv: Lemma 3.2. Ledger: true. Errata: E16. Rests on Equation (U). Used for Theorem 8."
    assert hrefs(line) == {
        "§3": "map.html#section-3",
        "true": "ledger.html#lemma-9",
        "E16": "errata.html#E16",
        "Equation (U)": "02-uniform.html#record-eq-U-012345",
        "Theorem 8": "02-uniform.html#record-theorem-8-abcdef",
    }


def test_an_equation_of_the_paper_has_a_note_in_the_margin_before_its_check(chapter):
    (note,) = chapter.select("aside.margin")
    assert note.text.startswith("Equation (U) of the paper. §3. Ledger: false as printed.")
    assert note.find_next_sibling().select_one("#record-eq-U-012345")


def test_long_lists_end_in_the_ledger():
    known = {f"c{i}": {"label": f"C{i}"} for i in range(9)}
    few = navigation.listed("c0", list(known)[:6], known, {})
    many = navigation.listed("c0", list(known), known, {})
    assert few.count("<a ") == 6 and "more" not in few
    assert many.count("<a ") == 6 and '<a href="ledger.html#c0">4 more</a>' in many


def test_the_map_has_each_statement_once_with_its_verdict_and_leads_to_its_place():
    text = navigation.page(CLAIMS)
    found = navigation.places(PAGES, CLAIMS)
    page = BeautifulSoup(navigation.with_places(text, found), "html.parser")
    entries = {item.a.text: item for item in page.select("ul.map li")}
    assert list(entries) == ["Theorem 8", "Not run", "Lemma 9", "Equation (U)", "X"]
    assert entries["Lemma 9"].a["href"] == "02-uniform.html#lemma-9"
    assert entries["Not run"].a["href"] == "ledger.html#unrun"
    assert hrefs(entries["Lemma 9"])["✓"] == "ledger.html#lemma-9"
    assert hrefs(entries["Lemma 9"])["E16"] == "errata.html#E16"
    assert entries["Equation (U)"].select_one(".mark")["aria-label"] == "✗ Equation (U): false as printed"
    assert "(section-b)=" not in text and "(section-B)=" in text


def test_the_map_knows_every_verdict_and_section_of_the_book():
    claims = yaml.safe_load((make.BOOK / "claims.yml").read_text(encoding="utf-8"))
    text = navigation.page(claims)
    assert text.count("data-place=") == sum(c["kind"] != "erratum" for c in claims)
    assert navigation.MARKS.keys() == navigation.MEANINGS.keys()
    assert len(set(navigation.MARKS.values())) == len(navigation.MARKS)


def test_the_search_index_knows_each_claim_by_its_name_and_its_label():
    body = {
        "docnames": ["book/02-uniform", "book/errata", "book/ledger"],
        "alltitles": {"": [[0, None]], " (Lemma 9, sensitivity)": [[0, "lemma-9"]], "Title": [[0, "title"]]},
        "terms": {"x": 0},
    }
    index = f"Search.setIndex({json.dumps(body)})"
    named = navigation.named(index, CLAIMS, navigation.places(PAGES, CLAIMS))
    assert named.startswith("Search.setIndex({") and named.endswith("})")
    after = json.loads(named.removeprefix("Search.setIndex(").removesuffix(")"))
    titles = after.pop("alltitles")
    assert after == {"docnames": body["docnames"], "terms": body["terms"]}
    assert titles["Lemma 9"] == titles["lemma-9"] == [[0, "lemma-9"], [2, "lemma-9"]]
    assert titles["E16"] == [[1, "E16"]]
    assert titles["Not run"] == [[2, "unrun"]]
    assert titles["Lemma 9, sensitivity"] == [[0, "lemma-9"]]
    assert titles["Title"] == [[0, "title"]]
    assert "" not in titles


def test_the_glossary_is_in_order_and_each_entry_is_short_and_leads_to_its_place():
    text = (make.BOOK / "glossary.md").read_text(encoding="utf-8")
    lines = text.partition("````{glossary}\n")[2].removesuffix("````\n").split("\n\n")
    entries = dict(entry.strip().split("\n  ") for entry in lines)
    assert 30 <= len(entries) <= 45 and list(entries) == sorted(entries, key=str.lower)
    for term, meaning in entries.items():
        words, where = meaning.split(" Where: ")
        assert words.count(". ") <= 1 and len(words) < 220, term
        assert where.startswith(("{ref}`", "[")), term


HEARD = """<body><a href="#main-content">Skip</a><article class="bd-article"><section id="one">
<h1>One<a class="headerlink" href="#one">#</a></h1>
<h2>What is true: <span class="math">\\(4k^2\\le\\mathrm{AS}(h)\\)</span></h2>
<table class="t"><thead><tr><th class="head">n</th></tr></thead></table><table><caption>Named.</caption></table>
<table></table>
<div class="cell a"><details><summary>
<p class="collapsed admonition-title">Show code</p>
<p class="expanded admonition-title">Hide code</p>
</summary></details><div class="claim-record"><a class="claim" href="ledger.html#lemma-9">Lemma 9</a></div></div>
<div class="cell b"><figure class="f" id="fig-x"><div class="cc"><svg role="img" viewBox="0 0 469.2 9"></svg></div>
<figcaption><span class="caption-number">Fig. 2.1 </span></figcaption></figure></div>
<a href="02.html#record-lemma-9-012345">sampled</a> <a href="02.html#record-lemma-9-abcdef">sampled</a>
<a href="ledger.html#lemma-9">true</a> <a href="ledger.html#lemma-9">Lemma 9</a> <a href="x.html#elsewhere">Run</a>
</section></article>"""


def test_what_is_heard_without_its_place_has_a_name():
    page = BeautifulSoup(accessible_names.finished(HEARD, {"lemma-9": "Lemma 9"}), "html.parser")
    tables = [table.get("aria-label") for table in page.select("table")]
    assert tables == ["What is true: 4k² ≤ AS(h)", None, "What is true: 4k² ≤ AS(h), table 2"]
    assert page.th["scope"] == "col" and page.figure["aria-label"] == "Fig. 2.1"
    assert [p.get_text() for p in page.select("summary p")] == [
        "Show code of Lemma 9, cell 1",
        "Hide code of Lemma 9, cell 1",
    ]
    assert [link.get("aria-label") for link in page.select("section > a")] == [
        *("sampled, Lemma 9", "sampled, Lemma 9, 2", "true, Lemma 9", None, None),
    ]
    assert page.select_one(".cc > .drawing > svg").parent["style"] == "--width: 469px"
    assert page.a["href"] == "#one"
