"""The audit and the ledger page: a book whose records and claims do not agree is refused, rule by rule."""

import re
from pathlib import Path

import pytest
import yaml
from companion import audit, ledger_page

from sparse_core.notebook import ledger

ROOT = Path(__file__).parents[2]


def passing(claim="lemma-9", **changes):
    arguments = {"evidence": "exhaustive", "over": "networks", "control": {"4 becomes 1": 1.0}, **changes}
    return ledger.check(claim, [1.0, 2.0], 4.0, **arguments)


# the audit


def entry(**changes):
    base = {
        "id": "lemma-9",
        "label": "Lemma 9",
        "section": "3",
        "kind": "lemma",
        "source": "paper",
        "statement": "AS is small.",
    }
    return {**base, "verdict": "true", "chapter": "02-uniform", "owed": "exhaustive", **changes}


def data(record):
    return record._repr_mimebundle_()[ledger.MIME]


def problems(claims, records, chapters=("02-uniform",), published=None):
    return audit.audit(claims, [data(r) for r in records], chapters, published or {})


REFUTED = ledger.refute("lemma-9", 2, 1, margin=1, over="n = 1", control={"corrected": 2})
UNCONTROLLED = ledger.check("lemma-9", 1, 2, evidence="exhaustive", over="networks")


def test_a_balanced_ledger_has_no_problems():
    assert problems([entry()], [passing()], published={"lemma-9": "Lemma 9"}) == []
    assert problems([entry(verdict="false as printed", owed="refuted")], [REFUTED]) == []


@pytest.mark.parametrize(
    "claims, records, published, message",
    [
        ([entry()], [passing(), passing("lemma-99")], {}, "unknown claim id 'lemma-99'"),
        ([entry()], [], {}, "lemma-9: owes exhaustive evidence in 02-uniform, and none was found"),
        (
            [entry()],
            [passing(evidence="sampled", seed=0)],
            {},
            "owes exhaustive evidence, but what was found is only sampled",
        ),
        ([entry()], [UNCONTROLLED], {}, "lemma-9: no negative control"),
        ([entry()], [passing(), UNCONTROLLED], {}, "lemma-9: no negative control"),
        ([entry(verdict="false as printed")], [REFUTED], {}, "owes exhaustive evidence in 02-uniform, and none was"),
        ([entry(owed="sampled")], [passing(evidence="sampled")], {}, "that does not name its seed"),
        ([entry()], [passing(), passing()], {}, "the same check stands twice"),
        ([entry()], [passing(), REFUTED], {}, "refuted, but claims.yml calls it true"),
        ([entry(verdict="false as printed")], [passing()], {}, "neither it nor one of its errata is refuted"),
        (
            [entry(label="Lemma 10")],
            [passing()],
            {"lemma-9": "Lemma 9"},
            "its label changed from 'Lemma 9' to 'Lemma 10'",
        ),
        ([entry()], [passing()], {"lemma-8": "Lemma 8"}, "lemma-8: published as 'Lemma 8', now missing"),
        ([entry(), entry()], [passing()], {}, "lemma-9: the id stands twice"),
        ([entry(statement="")], [passing()], {}, "lemma-9: no statement"),
        ([entry(verdict="proved")], [passing()], {}, "verdict 'proved' is none of"),
        ([entry(owed="cited")], [], {}, "it must give its reason"),
        ([entry(uses=["lemma-6"])], [passing()], {}, "uses names 'lemma-6', which does not exist"),
        ([entry(uses=["lemma-9"])], [passing()], {}, "lemma-9 uses lemma-9: circular"),
    ],
)
def test_each_rule_of_the_audit(claims, records, published, message):
    assert any(message in p for p in problems(claims, records, published=published))


def test_an_empty_check_that_was_smuggled_in_is_found():
    forged = {**data(passing()), "count": 0}
    assert audit.audit([entry()], [forged], ["02-uniform"], {}) == ["lemma-9: a check over zero instances."]


def test_a_chapter_that_was_not_executed_owes_nothing_yet():
    assert problems([entry()], [], chapters=["01-definitions"]) == []


def test_the_status_is_transitive():
    claims = [
        entry(id="conjecture-16", verdict="false as printed", owed="refuted"),
        entry(id="lemma-a", uses=["conjecture-16"]),
        entry(id="theorem-3", uses=["lemma-a"]),
        entry(id="repaired", verdict="true, proof repaired", uses=["conjecture-16"]),
        entry(id="above", uses=["repaired"]),
        entry(id="open", verdict="open", owed="not runnable", reason="a conjecture"),
    ]
    records = [passing("theorem-3"), passing("repaired"), passing("above", evidence="sampled", seed=0)]
    records.append(ledger.refute("conjecture-16", 2, 1, margin=1, over="p = 2", control={"corrected": 2}))
    assert audit.status(claims, [data(r) for r in records]) == {
        "conjecture-16": ("refuted", []),
        "lemma-a": ("not yet run", ["conjecture-16"]),
        "theorem-3": ("checked", ["conjecture-16"]),
        "repaired": ("checked", []),
        "above": ("sampled", []),
        "open": ("open", []),
    }


# the page


def notebook(*records):
    return {"cells": [{"cell_type": "code", "outputs": [{"data": r._repr_mimebundle_()} for r in records]}]}


def test_an_exercise_neither_pays_for_a_claim_nor_breaks_a_ledger():
    refuted = ledger.refute("exercise-lemma-9", 2, 1, margin=1, over="n = 1")  # of a true claim, and without a control
    for right in (passing("exercise-lemma-9"), refuted):
        assert ledger_page.collect({"02-uniform": notebook(right)}) == []
    balanced = ledger_page.collect({"02-uniform": notebook(passing(), refuted, refuted)})
    assert audit.audit([entry()], balanced, ["02-uniform"], {}) == []
    unpaid = ledger_page.collect({"02-uniform": notebook(passing("exercise-lemma-9"))})
    assert "none was found" in audit.audit([entry()], unpaid, ["02-uniform"], {})[0]


@pytest.fixture
def stage(tmp_path):
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "claims.yml").write_text(yaml.safe_dump([entry()]))
    (tmp_path / "book" / "published.yml").write_text(yaml.safe_dump({"lemma-9": "Lemma 9"}))
    return tmp_path


def test_the_page_is_a_pure_function_of_notebooks_and_claims(stage):
    executed = {"02-uniform": notebook(passing())}
    ledger_page.write(stage, executed)
    first = (stage / "book" / "ledger.md").read_text()
    ledger_page.write(stage, executed)
    assert first == (stage / "book" / "ledger.md").read_text()
    assert f"02-uniform.html#{passing().anchor}" in first and "Preview" not in first


def test_a_ledger_that_does_not_balance_writes_no_page(stage):
    with pytest.raises(ledger.LedgerError, match="does not balance .*\n.*none was found"):
        ledger_page.write(stage, {"02-uniform": notebook()})
    assert not (stage / "book" / "ledger.md").exists()


def test_a_preview_says_so(stage):
    ledger_page.write(stage, {"01-definitions": notebook()}, only="01-definitions")
    assert "Preview: only the chapter `01-definitions`" in (stage / "book" / "ledger.md").read_text()


@pytest.mark.parametrize("text", ["- id: [", "!!python/object/apply:os.system ['true']"])
def test_claims_are_data(stage, text):
    (stage / "book" / "claims.yml").write_text(text)
    with pytest.raises(ledger.LedgerError, match="claims.yml cannot be read"):
        ledger_page.write(stage, {})


def test_text_of_records_cannot_become_markup():
    assert ledger_page.plain("<b>*x*</b> $y$ [z](w) `c`").count("<") == 0
    assert not set("<>*$[]`") & set(ledger_page.plain("<b>*x*</b> $y$ [z](w) `c`"))


def test_the_book_s_own_claims_are_well_formed_and_published():
    claims = ledger_page.read_yaml(ROOT / "book" / "claims.yml")
    assert audit.malformed(claims) == []
    assert ledger_page.read_yaml(ROOT / "book" / "published.yml") == {c["id"]: c["label"] for c in claims}


def test_results_of_others_have_their_own_table_and_owe_evidence_too():
    other = entry(id="li-rates", label="Li et al.", source="other", arxiv="2609.09130", uses=["lemma-9"])
    assert problems([entry(), other], [passing(), passing("li-rates")]) == []
    assert "li-rates: owes exhaustive" in problems([entry(), other], [passing()])[0]
    assert "source 'theirs' is none of" in problems([entry(source="theirs")], [passing()])[0]
    before, _, after = ledger_page.page([entry(), other], []).partition("## Results of others")
    assert '<span id="li-rates">' in after and '<span id="li-rates">' not in before.partition("## The paper")[2]
    assert "arXiv: 2609.09130" in after and "§3" not in after.partition("li-rates")[2].partition("Rests on")[0]


def test_a_row_names_what_it_rests_on_and_an_erratum_leads_to_its_page():
    false = entry(id="lemma-6", label="Lemma 6", verdict="false as printed", errata=["E10"])
    erratum = entry(id="E10", label="E10", kind="erratum", about=["lemma-6"], consequence="harmless")
    page = ledger_page.page([false, entry(uses=["lemma-6"]), erratum], [])
    rows = {name: text for name, text in re.findall(r'\* - <span id="([\w-]+)">(.*?)(?=\n\* -|\n::::)', page, re.S)}
    assert all(text.count("\n  - ") == 3 for text in rows.values()) and len(rows) == 3
    assert 'Rests on: <a href="#lemma-6">Lemma 6</a>.' in rows["lemma-9"]
    assert "fails as printed" in rows["lemma-9"] and "Rests on" not in rows["lemma-6"]
    assert '<a href="errata.html#E10">E10</a>' in rows["lemma-6"]
    assert '<a href="errata.html#E10">Printed form' in rows["E10"]
