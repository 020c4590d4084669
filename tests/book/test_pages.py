"""The ledger, the errata, the first page and the notation: links lead somewhere, and words follow from data."""

import importlib
import pkgutil
import re

import numpy as np
import pytest
from companion.building import evidence
from companion.site import project

import sparse_book
import sparse_core
import sparse_meter
from sparse_core.network import SparseNetwork, constructions
from sphinx_claims import check, refute
from sphinx_claims.pages import errata, fill, rows
from tests.book.examples import BOOK, CLAIMS, SETTINGS, claim, erratum, ledgered, passing, record

SMALL = [
    claim("base", verdict="false as printed", errata=["E1"]),
    claim("repaired", verdict="true, proof repaired", uses=["base"]),
    claim("above-repaired", uses=["repaired"]),
    claim("false-too", verdict="false as printed", uses=["base"], errata=["E1"]),
    claim("far", uses=["false-too"]),
    erratum("E1", ["base"]),
    erratum("E2", ["repaired"], consequence="consequential", artefact="possible"),
    erratum("E3", ["far"], verdict="cited", required="cited", reason="About another paper.", consequence="gap"),
    claim(
        "E4", kind="erratum", verdict="withdrawn", required="nothing", about=["far"], printed="2", withdrawn="It was 2."
    ),
]
WITNESS = record(refute("E1", 2, 1, margin=1, over="n = 1", control={"with <=": 2}))


def rows_of(claims, *records):
    page = rows.tables(ledgered(claims, records))
    found = re.findall(r'\* - <span id="([\w-]+)">(.*?)(?=\n\* -|\n::::)', page, re.S)
    assert all(text.count("\n  - ") == 2 for _, text in found)
    return dict(found)


# The ledger


def test_a_row_names_what_it_rests_on_and_an_erratum_leads_to_its_page():
    found = rows_of(SMALL, WITNESS)
    assert found.keys() == {c.id for c in SMALL}
    assert "<summary>Rests on 1, used for 0<" in found["far"] and "Rests on: {claim}`false-too`." in found["far"]
    assert "<summary>Rests on 0, used for 2<" in found["base"] and "Rests on:" not in found["base"]
    assert "Used for: {claim}`repaired`, {claim}`false-too`." in found["base"] and "<details>" not in found["E1"]
    assert '<a href="map.html#far" aria-label="Far in the drawing">In the drawing</a>' in found["far"]
    assert "fails as printed: {claim}`base`, {claim}`false-too`." in found["far"]
    assert "Errata: {claim}`E1`." in found["base"] and "to Base" in found["E1"]
    assert '<a href="errata.html#E1" aria-label="Printed form, witness, correction, E1">Printed form' in found["E1"]
    # the id of a claim where it is not its name
    assert "; `far`</small>" in found["far"] and "`E1`</small>" not in found["E1"]


def test_a_row_says_from_which_statements_its_own_follows():
    above = claim("above", required="follows", follows=["lemma-9"], uses=["lemma-9"])
    shown = rows_of([claim(), above], record(passing()))["above"]
    assert "  - Follows from {claim}`lemma-9`." in shown
    assert '<span class="standing standing-follows">follows</span>' in shown


def test_results_of_others_have_their_own_table():
    other = claim("li-rates", label="Li et al.", source="other", arxiv="2609.09130", uses=["base"])
    before, _, after = rows.tables(ledgered([*SMALL, other])).partition("## Results of others")
    assert (
        '<span id="li-rates">' in after and after.count("* - <span id=") == 1 and '<span id="li-rates">' not in before
    )
    assert "arXiv: 2609.09130" in after and ", §3" not in after


@pytest.mark.parametrize("factor, word", [(2, "tight"), (10, "within 10×"), (30, "loose")])
def test_a_row_says_how_tight_its_checks_are(factor, word):
    made = check("lemma-9", [1.0, 2.0], 2.0 * factor / 2, evidence="exact", over="networks", control={"it is 1": 1.0})
    assert made.tightness == word
    row = rows_of([claim()], record(made))["lemma-9"]
    assert re.search(rf"slack [\d.–]+× · {word}<br><small>Control: it is 1", row)
    assert "*loose*" in (BOOK / "ledger.md").read_text(encoding="utf-8")


def test_links_that_are_one_word_have_the_claim_in_their_names():
    shown = rows_of([claim(label="Lemma 9")], record(passing()), record(passing(over="others")))["lemma-9"]
    assert re.findall(r'aria-label="(.*?)"', shown) == ["exhaustive, Lemma 9", "exhaustive, Lemma 9, 2"]


def test_the_ledger_of_the_book_has_each_claim_once_by_section_and_no_standing_that_nothing_has():
    assert sorted(rows_of(CLAIMS)) == sorted(c.id for c in CLAIMS)
    page = fill((BOOK / "ledger.md").read_text(encoding="utf-8"), ledgered(CLAIMS))
    assert ":::::{dropdown} §3. Learning over the uniform distribution (" in page
    assert "(0):" not in page and "not yet run" not in rows.standings(ledgered([claim()], [record(passing())]))


def test_the_first_row_of_each_section_of_the_paper_can_be_linked():
    page = rows.tables(ledgered(CLAIMS))
    assert re.findall(r'<span id="section-(\w)"></span>', page) == ["1", "2", "3", "4", "5", "6", "a", "b"]


# The errata


def errata_page(claims, *records):
    return fill((BOOK / "errata.md").read_text(encoding="utf-8"), ledgered(claims, records))


def test_each_erratum_leads_to_its_witness():
    page = errata_page(SMALL, WITNESS)
    run = f'<a href="02-uniform.html#{WITNESS.anchor}" aria-label="Run, E1">Run</a>'
    assert f"{run}: 2 &gt; 1 · margin 1 · n\u00a0=\u00a01." in page and page.count(run) == 1
    assert "On the witness, with ≤: holds." in page and '<span id="E1"' in page


def test_the_errata_stand_in_the_order_of_their_consequence():
    page = errata_page(SMALL, WITNESS)
    assert re.findall(r":{dropdown} (E\d)", page) == ["E2", "E3", "E1", "E4"]
    assert "we found 3 passages" in page


def test_the_sheet_has_each_standing_erratum_and_the_correction_of_those_that_matter_most():
    sheet = fill((BOOK / "errata-sheet.md").read_text(encoding="utf-8"), ledgered(SMALL))
    assert re.findall(r"^- \{claim\}`(E\d)` \(§3\)", sheet, re.M) == ["E1", "E2", "E3"]
    assert sheet.count("*Correct:* $1 \\le 1$.") == 2 and "3 entries" in sheet
    assert "have\nnot seen them" in sheet and "have yet to see this list" in errata_page(SMALL)


def test_a_withdrawn_erratum_stands_last_with_its_reason_and_counts_nowhere():
    page = errata_page(SMALL, WITNESS)
    _, _, last = page.partition("## Withdrawn")
    assert last.startswith("\n\n::::{dropdown} E4. Withdrawn: $a$\n") and "Withdrawn, because\n: It was 2." in last
    shown = rows_of(SMALL, WITNESS)["E4"]
    assert "Why it is withdrawn" in shown and "It was 2." in shown


def test_the_errata_say_how_the_numbered_statements_stand():
    listed = errata.verdicts(ledgered(SMALL))
    assert "true as printed* (2): {claim}`above-repaired`, {claim}`far`." in listed
    assert "false as printed, with a corrected form* (2): {claim}`base`, {claim}`false-too`." in listed


def test_what_is_not_run_says_why():
    page = errata_page(SMALL)
    assert "Not run. About another paper." in page
    assert page.count("was not executed for this page") == 2


def test_the_effect_of_an_erratum_ends_at_a_repaired_proof():
    found = ledgered(SMALL).downstream(SMALL[5])
    assert found == {"true, proof repaired": ["repaired"], "false as printed": ["false-too"], "true": ["far"]}
    assert ledgered(SMALL).downstream(SMALL[6]) == {}


def test_the_first_page_agrees_with_the_ledger_about_how_the_paper_stands():
    first = (BOOK / "index.md").read_text(encoding="utf-8")
    paper = [c for c in CLAIMS if c.source == "paper" and not c.is_erratum]
    resting = sum(c.required == "follows" for c in paper)
    left = sum(c.required in ("cited", "not runnable") for c in paper)
    assert f"Of its {len(paper)} statements {len(paper) - resting - left} are run here" in first
    assert f"here, and {resting} follow from those. For the other {left} (" in first
    assert not [c.id for c in paper if c.verdict == "cited" and c.kind in (*errata.NUMBERED, "equation")]
    classes = [c.consequence for c in ledgered(CLAIMS).errata]
    severe, gaps = classes.count("consequential"), classes.count("gap")
    assert f"Of the {len(classes)} that stand, {severe} are consequential, {gaps} are gaps and " in first
    assert f" {len(classes) - severe - gaps} are minor" in first
    withdrawn = sum(c.verdict == "withdrawn" for c in CLAIMS)
    assert withdrawn == 2 and "Two more were mistaken" in first
    verdicts = {c.id: c.verdict for c in CLAIMS}
    table = re.findall(r"\* - .*?{statement}`(?:.*<)?([\w-]+)>?`\n  - (.*)", first.partition("What is true")[2])
    assert len(table) == 8
    kinds = [verdicts[name] for name, _ in table]
    assert [kinds.count(word) for word in ("true, proof repaired", "false as printed", "settled")] == [5, 2, 1]
    for name, words in table:
        assert words.startswith(SETTINGS.numbered[verdicts[name]].partition(",")[0].partition(":")[0]), name


# The package


def test_a_row_of_the_ledger_names_the_code_that_names_its_claim_and_the_tests_of_that_code():
    cited = evidence.cited(evidence.PACKAGES)
    assert "sparse_core.network.network.Scale" in cited["definition-2"]
    assert "sparse_core.bounds.paper.lemma_9" in cited["lemma-9"]
    page = rows.tables(ledgered([claim("lemma-9")], settings=project.settings(notes=evidence.notes(evidence.PACKAGES))))
    assert (
        '<a href="api-bounds.html#sparse_core.bounds.paper.lemma_9">bounds.<wbr>paper.<wbr>lemma' in page
        and "`tests/core/bounds`" in page
    )
    packages = {name.removeprefix("sparse_core.").partition(".")[0] for c in CLAIMS for name in cited.get(c.id, [])}
    assert len(packages) > 5 and packages <= {path.name for path in (BOOK.parent / "tests/core").iterdir()} | {
        "sparse_book",
        "sparse_meter",
    }


def test_each_name_in_the_notation_exists():
    """A function stands there as `module.name`, with or without its subpackage."""
    text = (BOOK / "notation.md").read_text(encoding="utf-8")
    packages = sparse_core, sparse_meter, sparse_book
    paths = [m.name for p in packages for m in pkgutil.walk_packages(p.__path__, f"{p.__name__}.")]
    named = re.findall(r"`((?:[a-z]\w*\.)+)([a-z]\w*)", text)
    named = {(module.removesuffix("."), name) for module, name in named if module not in ("net.", "oracle.", "module.")}
    for module, name in named:
        (path,) = (path for path in paths if f".{path}".endswith(f".{module}"))
        assert hasattr(importlib.import_module(path), name), (module, name)
    assert len(named) > 25


def test_the_picture_of_the_first_page_shows_what_the_networks_do():
    """Half of the neurons, always the same two, at most one: each column of squares is the active set at an input."""
    picture = (BOOK / "assets/activity.svg").read_text(encoding="utf-8")
    assert "prefers-reduced-motion: reduce" in picture
    rng = np.random.default_rng(3)
    X = rng.choice([-1, 1], size=(96, 20))
    rows = np.arange(16)
    dense = SparseNetwork(np.ones(16), rng.standard_normal((16, 20)), np.zeros(16))
    dead = SparseNetwork(np.ones(16), dense.W, np.where(np.isin(rows, (5, 11)), -100.0, 100.0))
    for name, net in {"dense": dense, "dead": dead, "dynamic": constructions.indexing(4)}.items():
        drawn = re.findall(r"M(\d+) (\d+)h", re.search(rf'<path id="{name}" d="([^"]*)"', picture)[1])
        shown = np.zeros((96, 16), bool)
        shown[tuple(np.array(drawn, int).T // 10)] = True
        assert (shown == net.active(X)).all(), name
    assert shown.any(axis=0).all() and shown.sum(axis=1).max() == 1
