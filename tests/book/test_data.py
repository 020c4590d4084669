"""The ledger as data: claims.json, sparse_book.claims in a clone and without one, and formalization.yaml."""

import copy
import json
import re
from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator

from sparse_book import claims
from sphinx_claims import LedgerError, build, command, export, refute
from sphinx_claims.claims import read_yaml
from sphinx_claims.ledger import NOT_RUN
from sphinx_claims.pages import rows
from tests.book.examples import BOOK, CHAPTER, CLAIMS, claim, entry, ledgered, passing, record, small_book

ROOT = BOOK.parent
RECORDS = [record(passing()), record(passing("lemma-6", over="half-spaces"))]
RECORDS.append(record(refute("E10", 2, 1, margin=1, over="n = 1", control={"corrected": 2})))
LEDGER = build.dated(ledgered(CLAIMS, RECORDS))
DOCUMENT = export.document(LEDGER)


# claims.json


def test_the_data_say_what_the_ledger_says():
    known = {one["id"]: one for one in DOCUMENT["claims"]}
    shown = dict(re.findall(r'\* - <span id="([\w-]+)">(.*?)(?=\n\* -|\n::::)', rows.tables(LEDGER), re.S))
    assert known.keys() == shown.keys() == {one.id for one in CLAIMS}
    for claimed in LEDGER.claims:
        one = known[claimed.id]
        assert (one["standing"], one["rests_on_false"]) == (LEDGER.standing(claimed), LEDGER.upstream(claimed))
        assert f">{one['standing']}</span>" in shown[claimed.id]
        assert (one["proof"] is not None) == ("machine-checked" in shown[claimed.id])
        assert f"<code>{one['command']}</code>" in shown[claimed.id] or one["command"] is None
        for key in ("statement", "verdict", "kind", "source", "section", "chapter", "required"):
            assert one[key] == getattr(claimed, key)
        assert one["uses"] == list(claimed.uses)
    (found,) = known["lemma-9"]["evidence"]
    assert found["slack"] == [2.0, 4.0] and found["tightness"] == known["lemma-9"]["tightness"] == "within 10×"
    assert found["cell"] == f"book/{CHAPTER}.html#{RECORDS[0].anchor}" and found["controls"]
    assert known["E10"]["evidence"][0]["evidence"] == "refuted" and known["E10"]["tightness"] is None


def test_an_identity_does_not_make_a_bound_tight():
    identity = passing(relation="==", over="formulas", lhs=[4.0, 4.0], control={"4 becomes 1": ([1.0, 1.0], 4.0)})
    words = [export.entry(ledgered([claim()], made), claim())["tightness"] for made in (
        [record(identity)], [record(passing())], [record(identity), record(passing())],
    )]  # fmt: skip
    assert words == ["equality", "within 10×", "within 10×"]


def test_an_infinite_slack_is_null_since_json_has_no_infinity():
    found = export.evidence(replace(record(passing()), slack=(1.0, float("inf"))), "book/")
    assert found["slack"] == [1.0, None] and json.dumps(found, allow_nan=False)


def test_every_key_is_documented():
    text = (BOOK / "ledger.md").read_text(encoding="utf-8")
    (one, *_) = [entry for entry in DOCUMENT["claims"] if entry["evidence"]]
    assert all(f"`{key}`" in text for key in (*one, *one["evidence"][0], "theorem", "file", "line", "part"))


def test_the_data_fit_their_schema_and_broken_data_do_not():
    schema = json.loads(export.SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    whole = json.loads(json.dumps(DOCUMENT))
    assert not list(validator.iter_errors(whole))
    whole["claims"] = [next(one for one in whole["claims"] if one["evidence"])]
    for change in (
        lambda claim: claim.pop("verdict"),
        lambda claim: claim.update(verdict="proved"),
        lambda claim: claim.update(further=1),
        lambda claim: claim.update(uses="lemma-9"),
        lambda claim: claim.update(place="ledger.html"),
        lambda claim: claim["evidence"][0].update(count=0),
        lambda claim: claim["evidence"][0].update(evidence="believed"),
    ):
        broken = copy.deepcopy(whole)
        change(broken["claims"][0])
        assert len(list(validator.iter_errors(broken))) == 1, broken["claims"]


# From Python


def test_a_claim_is_found_in_a_clone_and_in_the_file_of_a_site(tmp_path):
    path = tmp_path / "claims.json"
    path.write_text(json.dumps(DOCUMENT))
    here = claims.find("lemma-9")
    there = claims.find("lemma-9", path)
    assert here.statement == there.statement and here.uses == there.uses and here.command() == there.command()
    assert here.evidence == () and len(there.evidence) == 1
    assert [one.id for one in there.rests_on()] == [one.id for one in here.rests_on()] == list(here.uses)
    with pytest.raises(ValueError, match="Argument 'claim_id' must be the id of a claim such as 'lemma-9', not 'x'"):
        claims.find("x", path)


def test_a_claim_is_read_again_after_an_edit(tmp_path):
    path = tmp_path / "claims.json"
    document = DOCUMENT
    path.write_text(json.dumps(document))
    before = claims.find("lemma-9", path).statement
    path.write_text(json.dumps(document).replace(json.dumps(before), '"Another statement, as edited."'))
    assert claims.find("lemma-9", path).statement == "Another statement, as edited." != before


def test_every_claim_that_a_chapter_checks_has_a_command_and_the_others_say_why_not():
    for one in CLAIMS:
        if one.command() is None:
            assert one.required in NOT_RUN
        if one.required not in NOT_RUN:
            assert one.command() == f"python -m sparse_book.claims {one.id}"


def test_a_proof_stands_where_the_claim_says():
    lines = (ROOT / "proofs/statements.v").read_text(encoding="utf-8").splitlines()
    proved = [one.proof for one in CLAIMS if one.proved]
    assert len(proved) > 50
    for one in proved:
        assert one["file"] == "proofs/statements.v"
        assert re.match(rf"Theorem {one['theorem']}\b", lines[one["line"] - 1])


def test_without_a_clone_it_says_what_is_missing(tmp_path, monkeypatch):
    path = tmp_path / "claims.json"
    path.write_text(json.dumps(DOCUMENT))
    monkeypatch.setattr(claims, "BOOK", tmp_path / "nowhere")
    with pytest.raises(LedgerError, match="there are no pages here to run: name the folder .* or a file claims"):
        claims.find("lemma-9")
    with pytest.raises(LedgerError, match="lemma-9: there are no pages here to run"):
        claims.find("lemma-9", path).reproduce()


CELL = "```{{code-cell}} ipython3\n{}\n```\n"
HEAD = "---\njupytext: {text_representation: {extension: .md, format_name: myst}}\n---\n# A chapter\n\n"


@pytest.fixture
def book(tmp_path):
    """A book of one chapter, whose cells build on each other; its last cell would fail."""
    check = 'ledger.check("{}", two, {}, evidence="exact", over="numbers")'
    cells = ["from sparse_book import ledger\ntwo = [1, 2]", check.format("lemma-9", 4), "two = None"]
    cells += [check.format("other", 1), 'raise ValueError("too far")']
    entries = [claim(), claim("other"), claim("quoted", required="cited", reason="It is in another paper.")]
    return small_book(tmp_path, HEAD + "\n".join(CELL.format(cell) for cell in cells), list(map(entry, entries)))


def test_reproducing_runs_the_cells_up_to_the_last_check_and_no_further(book, monkeypatch):
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "1")
    (found,) = claims.find("lemma-9", book).reproduce()
    assert str(found).startswith("Lemma 9 · exact · 2 numbers · slack 2–4×")
    from nbclient.exceptions import CellExecutionError

    with pytest.raises(CellExecutionError):
        claims.find("other", book).reproduce()
    with pytest.raises(ValueError, match=r"must name a claim that a cell checks, not quoted \(cited\)"):
        claims.find("quoted", book).reproduce()


def test_the_command_shows_a_claim(capsys):
    assert command.main(["run", "--folder", str(BOOK), "--show", "ours-tail"]) == 0
    shown = capsys.readouterr().out
    assert "rests on" in shown and "machine-checked: proofs/statements.v, line " in shown
    assert command.main(["run", "--folder", str(BOOK), "lemma-99"]) == 1
    assert "must be the id of a claim" in capsys.readouterr().err


# formalization.yaml, by the required fields and the words of version 0.4 of its schema


def test_the_development_describes_itself_as_it_is():
    found = read_yaml(ROOT / "formalization.yaml", dict)
    assert found["version"] == "v0.4"
    assert all(found["project"][key] for key in ("name", "authors", "license"))
    assert found["sources"] and all(source["title"] for source in found["sources"])
    relations = {"formalizes", "adapts", "independently-proves", "background", "other"}
    assert {source["relationship"] for source in found["sources"]} <= relations
    methods = {one["method"] for one in found["automation"]["methods"]}
    assert methods and methods <= {"manual", "copilot", "agent", "autonomous", "other"}
    assert found["review"]["status"] in ("unchecked", "agent-reviewed", "self-assessed", "peer-reviewed")
    state = found["status"]
    assert state["sorry_count"] == state["sorry_in_definitions"] == 0 and state["axioms"] == []
    proved = {one.proved for one in CLAIMS if one.proved}
    assert len(state["main_results"]) >= 4 and "decision_tree" not in proved  # a theorem without an entry in the ledger
    for result in state["main_results"]:
        assert result["declaration"] in proved and result["axioms"] == [] and result["sorry_count"] == 0
        assert f"\nTheorem {result['declaration']} " in (ROOT / result["file"]).read_text(encoding="utf-8")
