"""A small book, built by Sphinx: roles, the strip, the lines at statements, notes at equations, records and search."""

import json
import re
import shutil
import sys
from datetime import date
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from companion import places
from companion.building import evidence, proofs
from companion.site import pages, project
from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from nbformat import v4
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace
from sphinx_exercise.nodes import exercise_enumerable_node, solution_node

from sphinx_claims import record as ledger
from sphinx_claims.claims import read
from sphinx_claims.site import domain, show
from sphinx_claims.site import ticks as records
from tests.book.examples import BOOK, claim, ledgered

CLAIMS = {
    "01-first": "- {id: theorem-4, label: Theorem 4, section: '1', kind: theorem, source: paper, verdict: 'true',"
    " statement: x, stands_in: sec-first, required: not runnable, reason: It is a question.}",
    "02-uniform": """
- {id: lemma-9, label: Lemma 9, arxiv: Lemma 3.2, section: "3", kind: lemma, source: paper,
   verdict: "true, proof repaired",   uses: [eq-U], errata: [E16], required: exact, proved: lemma_9}
- {id: theorem-8, label: Theorem 8, section: "1, 3", kind: theorem, source: paper, verdict: open, uses: [lemma-9],
   required: exact, statement: It is so.}
- {id: eq-U, label: Equation (U), section: "3", kind: equation, source: paper, verdict: "true", statement: $1$,
   required: exact}
- {id: ours-x, label: X (ours), section: B, kind: result, source: ours, verdict: "true", required: exact, box: box-x}
- {id: E16, label: E16, section: "3", kind: erratum, source: paper, verdict: false as printed, required: refuted,
   about: [lemma-9], statement: It is not., printed: a, witness: b, corrected: c, consequence: gap, artefact: "no"}
""",
}
BOXES = """# The second

```{glossary}
Pruning
  To delete.
```

````{prf:lemma} Lemma 9, average sensitivity
:label: lemma-9
:nonumber:

It holds.
````

````{prf:theorem} X is small (ours, after Y)
:label: box-x
:nonumber:

It is.
````
"""
PROOFS = {
    "theorems": {"lemma_9": {"note": "$1<2$", "coq": ["R < 2"], "part": "the *range*"}},
    "definitions": {"R": {"note": "$R$", "coq": ["R = 1"]}},
}
LINKS = """
{claim}`lemma-9` {claim}`its row <lemma-9>` {claim}`E16` {statement}`lemma-9` {statement}`the box <ours-x>`
{statement}`eq-U` {statement}`theorem-4` {statement}`theorem-8` {claim}`ours-x`

| On | A slide |
|---|---|
| x | {slide}`02-uniform-x` |
"""


def made(name, **changes):
    function = ledger.refute if name == "E16" else ledger.check
    fixed = {"margin": 1, "control": {"c": 2}} if name == "E16" else {"evidence": "exact", "control": {"c": 1}}
    return function(name, 2, 1 if name == "E16" else 3, over="n <b>= 1", **fixed)


def cell(source, *records, tags=("hide-input",), **metadata):
    outputs = [v4.new_output("execute_result", made(name)._repr_mimebundle_()) for name in records]
    return v4.new_code_cell(source, metadata={"tags": list(tags), **metadata}, outputs=outputs)


def notebook(*cells):
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    parts = [v4.new_markdown_cell(one) if isinstance(one, str) else one for one in cells]
    return v4.new_notebook(cells=parts, metadata=kernel)


RUN = {
    "01-first": notebook(
        "(sec-first)=\n# The first\n",
        cell("x = 1", tags=()),
        "## The proof, audited\nText.",
        "### A part\nText.",
        "### Line by line\nText.",
        cell("1", "exercise-ours-x"),
        "## True: $4k^2\\le\\mathrm{AS}(h)$\n\n"
        ":::{table}\n:class: cards\n\n| n | $k\\le2$ |\n|---|---|\n| 1 | 2 |\n:::\n",
        v4.new_code_cell("2", outputs=[v4.new_output("display_data", {"text/html": '<table class="t"></table>'})]),
    ),  # fmt: skip
    "02-uniform": notebook(
        BOXES,
        cell("1", "lemma-9"),
        cell("2", "exercise-ours-x"),
        "Let us see.",
        cell("2", "eq-U"),
        "And then.",
        cell("3", "theorem-8", "ours-x"),
        "But.",
        cell("4", "E16"),
        LINKS,
        cell("import x\nfigures.Figure(fig, alt)"),
        cell("figures.Table(a)"),
        cell("import x"),
        cell("x = 1"),
        cell("fit()", mystnb={"code_prompt_show": "Show the training"}),
        cell("7", "exercise-ours-x", tags=("hide-output",)),
    ),
}


def build(folder):
    """The site of the small book, with two links that lead nowhere, and what Sphinx warned of."""
    book, stage = folder / "source/book", folder / "stage"
    (book / "claims").mkdir(parents=True)
    (stage / "book").mkdir(parents=True)
    (book.parent / "_toc.yml").write_text("".join(f"- file: book/{name}\n" for name in RUN))
    (book / "02-uniform.md").write_text(BOXES)
    for name, text in CLAIMS.items():
        (book / f"claims/{name}.yml").write_text(text)
    (book / "claims/published.yml").write_text("{}")
    shutil.copy(BOOK / "claims.toml", book)
    (book.parent / "proofs").mkdir()
    (book.parent / "proofs/statements.json").write_text(json.dumps(PROOFS))
    (stage / "book/proofs.md").write_text(f"# Proofs\n\n{proofs.MARK}\n")
    (stage / "book/assets").mkdir()
    (stage / "book/assets/sparse_activations-1.whl").touch()
    (book / "claims/published.yml").write_text(evidence.published_anew(book, RUN, date(2026, 1, 1))[0])
    for name in ("ledger", "errata", "errata-sheet", "map"):
        text = (BOOK / f"{name}.md").read_text(encoding="utf-8")
        (stage / f"book/{name}.md").write_text(text.partition("## The ledger as data")[0])
    evidence.write(book, stage, RUN)
    for name, content in RUN.items():
        (stage / f"book/{name}.ipynb").write_text(json.dumps(content))
    toc = "```{{toctree}}\n{}\n```\n".format
    chapters = toc(":numbered:\nbook/01-first\nbook/02-uniform")
    rest = toc("book/map\nbook/ledger\nbook/errata\nbook/errata-sheet\nbook/proofs")
    (stage / "index.md").write_text(f"# Book\n\n{{claim}}`lemma-98` {{statement}}`lemma-99`\n\n{chapters}{rest}")
    options = {
        "extensions": ["myst_nb", "sphinx_proof", "sphinx_design", "small_book"],
        "myst_enable_extensions": ["dollarmath", "colon_fence"],
        "nb_execution_mode": "off",
        "nb_code_prompt_show": "Show the {type}",
        "suppress_warnings": ["mystnb.unknown_mime_type"],
    }

    def setup(app):
        show(app, project.settings(book))
        pages.setup(app)

    sys.modules["small_book"] = SimpleNamespace(setup=setup)
    with (folder / "log").open("w") as log, docutils_namespace():
        app = Sphinx(stage, None, folder / "html", folder / "trees", "html", options, status=None, warning=log)
        app.build()
    return folder / "html", (folder / "log").read_text()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def site(built):
    return built[0]


@pytest.fixture
def chapter(site):
    return BeautifulSoup((site / "book/02-uniform.html").read_text(), "html.parser")


def hrefs(tag):
    return {link.text: link["href"] for link in tag.select("a")}


RECORD = {name: made(name).anchor for name in ("eq-U", "theorem-8")}
pytestmark = pytest.mark.filterwarnings("ignore")  # of Sphinx and its extensions


def test_roles_lead_to_the_row_and_to_the_place(chapter):
    links = [(link.text, link["href"]) for link in chapter.select(":not(.claim-record) > p > a.reference")]
    assert links == [
        ("Lemma 9", "ledger.html#lemma-9"),
        ("its row", "ledger.html#lemma-9"),
        ("E16", "errata.html#E16"),
        ("Lemma 9", "#lemma-9"),
        ("the box", "#box-x"),
        ("Equation (U)", f"#{RECORD['eq-U']}"),
        ("Theorem 4", "01-first.html#sec-first"),
        ("Theorem 8", f"#{RECORD['theorem-8']}"),
        ("Theorem 2.1 (X)", "ledger.html#ours-x"),
    ]


def test_an_unknown_claim_is_a_warning_and_all_else_is_none(built):
    _, warnings = built
    assert re.findall("reference target not found: (.*?)[ \x1b]", warnings) == ["lemma-98", "lemma-99"]
    assert warnings.count("WARNING") == 2, warnings


def test_a_chapter_ends_with_its_place_in_the_paper_and_its_files(site, chapter):
    strip = chapter.select_one("section > p.whereabouts")
    assert not strip.find_next("section")  # it stands below all of them
    places = {"§1": "section-1", "§3": "section-3", "Appendix B": "section-b"}
    assert hrefs(strip) == {words: f"ledger.html#{anchor}" for words, anchor in places.items()}
    assert strip.text.endswith("In the paper: §1, §3, Appendix B; 3 of its statements, 1 of ours.")
    files = [link["href"].rpartition("/")[2] for link in chapter.select("section > .take-away a[download]")]
    assert files == ["02-uniform.ipynb", "sparse_activations-1.whl"]
    assert "whereabouts" not in (site / "book/ledger.html").read_text()
    assert len(chapter.select(".take-away")) == 1  # nothing is said of an address that nobody gave


def test_a_statement_can_be_reported_by_its_name(chapter):
    reports = chapter.select(".whence a[aria-label^='Report an error in ']")
    assert len({one["aria-label"] for one in reports}) == len(reports) > 1
    assert {one["href"] for one in reports} == {"errata.html#report"}


def test_the_record_of_an_exercise_says_what_was_checked(site):
    page = BeautifulSoup((site / "book/01-first.html").read_text(), "html.parser")
    record = page.select_one("#line-by-line .claim-record")
    assert record.text.split("\n")[1] == "Exercise on Theorem 2.1 (X) exact 1 n <b≥ 1 · slack 1.5×"
    assert record.select_one(".claim-control").text == "Control: c: fails on 1 of 1"


def test_the_slide_of_a_figure_is_linked_by_the_name_of_its_files(chapter):
    (link,) = chapter.select("td a[href^=slides]")
    assert link["href"] == "slides.html#slide-02-uniform-x" and link["aria-label"] == "slide of 02-uniform-x"


def test_a_statement_has_its_printed_name_and_says_on_what_it_rests_and_where_it_is_used(chapter):
    title, other = chapter.select(".proof > .admonition-title")
    assert title.text == "Lemma 9, average sensitivity#" and title.span.text == "Lemma 9"
    assert other.text == "Theorem 2.1 (X is small; after Y)#" and hrefs(other)["#"] == "#box-x"
    line = chapter.select_one("#lemma-9 section.lemma-content .whence")
    assert line.p.text == "true, proof repaired · machine-checked: the *range*"
    links = "What rests on what. Id: lemma-9. Report an error"
    assert (
        line.details.p.text == f"§3; arXiv: Lemma 3.2. Errata: E16. Rests on Equation (U). Used for Theorem 8. {links}"
    )
    assert hrefs(line) == {
        "What rests on what": "map.html#lemma-9",
        "§3": "ledger.html#section-3",
        "true, proof repaired": "ledger.html#lemma-9",
        "machine-checked: the *range*": "proofs.html#coq-lemma-9",
        "E16": "errata.html#E16",
        "Equation (U)": f"02-uniform.html#{RECORD['eq-U']}",
        "Theorem 8": f"02-uniform.html#{RECORD['theorem-8']}",
        "Report an error": "errata.html#report",
    }


def test_the_line_of_a_statement_says_from_which_it_follows():
    below = claim("below", source="ours", stands_in="below")
    above = claim("above", required="follows", follows=["below"], uses=["below"])
    line = domain.provenance(above, ledgered([below, above]))
    assert '. Follows from <a href="02-uniform.html#below">Below</a>. Rests on' in line


def test_a_tick_stands_after_the_sentence_and_opens_its_record_with_its_source(chapter):
    opened = {box["id"]: box for box in chapter.select("[popover]")}
    ticks = chapter.select("p > .ticks > button.tick")
    of = [tick["aria-label"].partition(": record of ")[2] for tick in ticks[:2]]
    assert of == ["Lemma 9, exact; Theorem 2.1 (X), exact", "Equation (U), exact"]
    assert ticks[1].text == "✓ 1"
    for tick in ticks:
        box = opened[tick["popovertarget"]]
        assert box.select(".claim-record") and box.select(".cell_input") and not box.select("details.hide")
    assert chapter.select_one(f".ticks > #{RECORD['eq-U']}")  # the address leads to the tick
    equation = opened[ticks[1]["popovertarget"]]
    assert equation.p.text == "Equation (U) of the paper." and equation.select_one(".whence > p").text == "true"


def test_a_tick_says_what_was_found():
    def found(*kinds):
        known = {"record": "Lemma 9", "finding": "2 ≤ 3"}
        made = records.record_button([{"ids": [f"r{i}"], **known, **kind} for i, kind in enumerate(kinds)], "x")
        page = BeautifulSoup(made, "html.parser")
        assert page.select_one("#r0").text == "2 ≤ 3"  # which the search shows
        return page.button.text

    assert found({"evidence": "exhaustive", "count": 1157464}) == "✓ 1\u202f157\u202f464"
    assert found({"evidence": "sampled", "count": 504}) == "✓ 504 sampled"  # which is no proof
    assert found({"evidence": "refuted", "count": 1}) == "✗ refuted"
    assert found(*[{"evidence": "exact", "count": 2}] * 3) == "✓ checked: 3 ways"
    assert found({"evidence": "exact", "count": 2}, {"evidence": "refuted", "count": 1}).startswith("✓✗ checked")


def test_a_tick_that_follows_no_sentence_stands_alone():
    around = nodes.section("", nodes.title("", "A"), nodes.container())
    assert records.sentence_before(around, 1)["classes"] == ["ticks-alone"]
    item = nodes.paragraph("", "last")
    around = nodes.section("", nodes.bullet_list("", nodes.list_item("", item)), nodes.container())
    assert records.sentence_before(around, 1) is item
    before = nodes.paragraph("", "a sentence with two ticks")
    one = [records.raw(records.box("x")), nodes.container(), records.raw("</div>")]
    assert records.sentence_before(nodes.section("", before, *one, nodes.container()), 4) is before


def test_checks_that_follow_a_statement_are_one_tick_beside_its_verdict(chapter):
    line = chapter.select_one("#box-x .whence > p")
    (tick,) = chapter.select("#box-x button.tick")
    assert line.text.startswith("true") and line.text.endswith("✓ checked: 2 ways") and tick in line.descendants
    opened = chapter.select_one(f"#{tick['popovertarget']}")
    assert [len(opened.select(kind)) for kind in (".claim-record", ".cell_input", "details.hide")] == [2, 2, 0]


def test_the_sign_of_a_source_stands_at_the_end_of_the_sentence_that_it_makes():
    hidden = HideCodeCellNode("", classes=["above-input"])
    cell = nodes.container("", hidden, nodes.container("", records.raw('<p class="answer">It is 3.</p>')))
    records.attach_source([cell], 5)
    shown, opened, *_ = cell.children
    assert re.fullmatch(r'<p class="answer">It is 3.<span .*</button></span></p>', shown.astext())
    assert opened.astext() == records.box("behind-5")


def test_the_sign_of_a_source_stands_at_the_end_of_a_caption_or_of_the_sentence_before():
    for shown in ([nodes.figure("", nodes.caption("", "It falls."))], [nodes.table()], []):
        hidden = HideCodeCellNode("", classes=["above-input"])
        cell = nodes.container("", hidden, nodes.container("", *shown))
        before = nodes.paragraph("", "The numbers:")
        page = nodes.section("", before, cell)
        records.attach_source([cell], 5)
        line = next(page.findall(nodes.caption), before)
        assert line[-1].astext() == records.button("behind-5", "cell 5")
        assert [raw.astext() for raw in page.findall(nodes.raw)].count(records.box("behind-5")) == 1


def test_figures_of_a_page_without_a_number_count_from_one_on_it():
    numbers = {"index": {"figure": {"a": (1,), "b": (2,)}}, "thirty": {"figure": {"c": (3,)}, "exercise": {"d": (1,)}}}
    numbers["first"] = {"figure": {"e": (1, 1), "f": (1, 2)}}
    assert pages.number_by_page(None, SimpleNamespace(toc_fignumbers=numbers)) == []
    assert numbers["thirty"] == {"figure": {"c": (1,)}, "exercise": {"d": (1,)}}
    assert numbers["index"]["figure"] == {"a": (1,), "b": (2,)} and numbers["first"]["figure"]["f"] == (1, 2)


def test_records_lead_to_the_ledger_or_the_errata_and_hidden_code_says_what_it_makes(chapter):
    records = [hrefs(one) for one in chapter.select(".claim-record")]
    assert {"Lemma 9": "ledger.html#lemma-9"} in records and {"E16": "errata.html#E16"} in records
    assert [sign["aria-label"] for sign in chapter.select("button.to-source")] == [
        f"Source: cell {i}" for i in range(6, 11)
    ]
    assert [one.get_text() for one in chapter.select("summary .collapsed")] == [
        "Show the output, Theorem 2.1 (X), cell 11"
    ]


def test_long_lists_end_in_the_ledger():
    known = ledgered([claim(f"c{i}") for i in range(9)])
    few = domain.listed(known.claims[0], list(known.known)[:6], known)
    many = domain.listed(known.claims[0], list(known.known), known)
    assert few.count("<a ") == 6 and "more" not in few
    assert many.count("<a ") == 6 and '<a href="ledger.html#c0" aria-label="4 more, C0">4 more</a>' in many


def test_an_appendix_has_a_letter_for_the_number_that_sphinx_gives_it():
    title, reference = nodes.title(secnumber=[10]), nodes.reference(secnumber=[10, 2])
    env = SimpleNamespace(
        toc_secnumbers={"a": {"": (10,), "#x": (10, 2), "#deeper": None}},
        toc_fignumbers={"a": {"figure": {"f": (10, 1)}}},
        titles={"a": title},
        tocs={"a": nodes.bullet_list("", nodes.list_item("", reference))},
    )
    pages.call_appendix(env, "a", "A")
    assert env.toc_secnumbers["a"] == {"": ("A",), "#x": ("A", 2), "#deeper": None}
    assert env.toc_fignumbers["a"]["figure"] == {"f": ("A", 1)}
    assert (title["secnumber"], reference["secnumber"]) == (["A"], ["A", 2])
    pages.call_appendix(env, "a page that is not built", "B")


def test_what_coq_proves_is_behind_one_line_a_chapter_with_its_address(site):
    page = BeautifulSoup((site / "book/proofs.html").read_text(), "html.parser")
    first, *_ = folds = page.select("section > details.exercise-line")
    assert [fold.summary.get_text() for fold in folds] == ["1, in words and in Coq"] * len(folds)
    assert page.find(id="coq-lemma-9").find_parent("details") is first and page.h2.find_parent("details") is None


def test_the_search_knows_each_claim_by_its_name_and_its_label(site):
    text = (site / "searchindex.js").read_text()
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    found = {
        title: sorted((index["docnames"][page].removeprefix("book/"), anchor) for page, anchor in places)
        for title, places in index["alltitles"].items()
    }
    assert found["Lemma 9, in Coq"] == [("proofs", "lemma-9")]
    assert found["Lemma 9"] == found["lemma-9"] == [("02-uniform", "lemma-9"), ("ledger", "lemma-9")]
    ours = [("02-uniform", "box-x"), ("ledger", "ours-x")]
    assert all(found[one] == ours for one in ("X", "2.1", "Theorem 2.1", "Theorem 2.1 (X)", "ours-x"))
    assert found["E16"] == [("errata", "E16")]
    assert found["Theorem 4"] == [("01-first", "sec-first"), ("ledger", "theorem-4")]
    assert found["Lemma 9, average sensitivity"] == [("02-uniform", "lemma-9")]
    assert found["Pruning"] == [("02-uniform", "term-Pruning")] and "pruning" not in index["indexentries"]


def test_the_search_index_has_what_pages_say_and_not_their_code(site):
    text = (site / "searchindex.js").read_text()
    terms = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))["terms"]
    assert {"hold", "delet"} <= terms.keys() and not {"alt", "fit", "import"} & terms.keys()


def test_sections_that_claims_name_are_there():
    for one in read(project.settings()):
        if one.stands_in:
            assert f"({one.stands_in})=" in (places.BOOK / f"{one.page}.md").read_text(encoding="utf-8")


def test_the_glossary_is_in_order_and_each_entry_is_short_and_leads_to_its_place():
    text = (places.BOOK / "notation.md").read_text(encoding="utf-8")
    lines = text.partition("````{glossary}\n")[2].removesuffix("````\n").split("\n\n")
    entries = dict(entry.strip().split("\n  ") for entry in lines)
    assert 30 <= len(entries) <= 50 and list(entries) == sorted(entries, key=str.lower)
    for term, meaning in entries.items():
        words, where = meaning.split(" Where: ")
        assert words.count(". ") <= 1 and len(words) < 220, term
        assert where.startswith(("{ref}`", "{statement}`", "[")), term


def test_no_link_to_a_page_is_typed_by_hand():
    for path in places.BOOK.glob("*.md"):
        assert '<a href="' not in path.read_text(encoding="utf-8"), path.name


def test_what_is_heard_without_its_place_has_a_name(site):
    page = BeautifulSoup((site / "book/01-first.html").read_text(), "html.parser")
    tables = page.select("table")
    assert [table["aria-label"] for table in tables] == ["True: 4k² ≤ AS(h)", "True: 4k² ≤ AS(h), table 2"]
    assert page.th["scope"] == "col"
    assert [cell.get("data-name") for cell in page.select("table.cards td")] == [None, "k ≤ 2"]


@pytest.mark.parametrize("solved", [True, False])
def test_an_exercise_and_its_solution_are_behind_its_title(solved):
    title = nodes.title("", "", *map(nodes.Text, ("(", "Warm-up: a", ")")))
    exercise = exercise_enumerable_node("", title, nodes.paragraph("", "Do it."))
    rest = [solution_node("", nodes.paragraph("", "Done."))] if solved else []
    section = nodes.section("", exercise, *rest, nodes.paragraph("", "After."))
    pages.fold_exercise(exercise, "2.1")
    opened, line, closed, *folded, end, after = section.children
    assert opened.astext() == '<details class="exercise-line"><summary>' and closed.astext() == "</summary>"
    assert line.astext() == "Exercise 2.1. Warm-up: a" and exercise.astext() == "Do it."
    assert folded == [exercise, *rest] and end.astext() == "</details>" and after.astext() == "After."
