"""What was published: a statement, the sentence beside a proof, a dependency or a kind of evidence that moved is a
line, with its old and its new words, until it is confirmed; what nobody sees moves nothing."""

import datetime
import json
from dataclasses import fields

import pytest
from companion.building import evidence, kept, proofs
from companion.places import Stop, yaml_of
from companion.site import project

from sphinx_claims import build, claims, published
from sphinx_claims import record as ledger
from sphinx_claims.claims import read_yaml
from sphinx_claims.ledger import collect
from tests.book.examples import CHAPTER, claim, entry, erratum, notebook, passing, small_book

DAY, LATER = datetime.date(2026, 1, 1), datetime.date(2026, 2, 1)
BOX = "```{prf:lemma} A lemma\n:label: lemma-9\n\nFor every network\n\n$$\n\\mathrm{AS}(h)\\le4k^2W^2 .\n$$\n```\n"
E1 = erratum("E1", ["lemma-9"])
PROVED = {"theorems": {"lemma_9": {"note": "$a < b$", "coq": ["a < b"], "exact": "1"}}, "definitions": {}}
PROVED["definitions"]["coord"] = {"note": "$x_i$", "coq": ["coord = 1"], "exact": "2"}


@pytest.fixture
def book(tmp_path):
    """A book in which a lemma in a box is false and proved in a corrected form, with an erratum."""
    (tmp_path / "proofs").mkdir()
    (tmp_path / "proofs/statements.json").write_text(json.dumps(PROVED))
    repaired = {"verdict": "true, proof repaired", "proved": "lemma_9", "errata": ["E1"], "uses": ["a", "b"]}
    lemma = entry(claim(statement="", note="N.", **repaired))
    of_others = {"required": "cited", "verdict": "cited", "source": "other", "reason": "It is in a book."}
    entries = [lemma, entry(claim("a", required="sampled")), entry(claim("b", **of_others)), entry(E1)]
    folder = small_book(tmp_path, BOX, entries)
    publish(folder)
    return folder


REFUTED = ledger.refute("E1", 2, 1, margin=1, over="n = 1", control={"corrected": 2})
SAMPLED = passing("a", evidence="sampled", seed=0)
IDENTITY = passing(relation="==", lhs=[4.0, 4.0], control={"4 becomes 1": ([1.0, 1.0], 4.0)})
RUN = {CHAPTER: notebook(passing(), SAMPLED, REFUTED)}


def publish(book, executed=None, today=DAY):
    text, lines = evidence.published_anew(book, RUN if executed is None else executed, today)
    (book / "claims/published.yml").write_text(text)
    return lines


def lines(book, executed=None):
    settings = project.settings(book)
    now = published.blocks(build.ledger_of(settings, collect(RUN if executed is None else executed)))
    return published.moved(now, published.read(settings)) + published.lost_evidence(now, published.read(settings))


def site_of(book, stage, only=None):
    (stage / "book").mkdir(parents=True, exist_ok=True)
    (stage / "book/proofs.md").write_text(f"# Proofs\n\n{proofs.MARK}\n")
    evidence.write(book, stage, RUN, only=only)
    return json.loads((stage / "book/site/claims.json").read_text())["claims"] if not only else None


def change(book, old, new, file=f"claims/{CHAPTER}.yml"):
    path = book / file
    assert path.read_text().count(old) == 1
    path.write_text(path.read_text().replace(old, new))


CHAPTER_FILE, RECORD = f"{CHAPTER}.md", "../proofs/statements.json"


@pytest.mark.parametrize(
    "file, old, new, line",
    [
        (CHAPTER_FILE, r"\le4k^2", r"\le k^2", "lemma-9, statement: For every network [-$"),
        (CHAPTER_FILE, "every network", "some network", "lemma-9, statement: For [-every-]{+some+} network $"),
        (None, "verdict: true, proof repaired", "verdict: open", "lemma-9, verdict: [-true, proof repaired-]{+open+}"),
        (None, "required: sampled", "required: refuted", "a, required: [-sampled-]{+refuted+}"),
        (None, "label: Lemma-9", "label: Lemma 8", "lemma-9, label: [-Lemma-9-]{+Lemma 8+} (others link to it"),
        (None, "  uses:\n  - a\n  - b", "  uses:\n  - b", "lemma-9, uses: [-a-] b"),
        (None, "witness: '{claim}`base`: 1.'", "witness: '0.'", "E1, witness: [-{claim}`base`: 1.-]{+0.+}"),
        (None, r"corrected: $1 \le 1$.", r"corrected: $1 \le 0$.", r"E1, corrected: $1 \le [-1$.-]{+0$.+}"),
        (None, "printed: $1 < 1$.", "printed: $1 < 2$.", "E1, printed: $1 < [-1$.-]{+2$.+}"),
        (None, "consequence: constant", "consequence: typography", "E1, consequence: [-constant-]{+typography+}"),
        (None, "source: other", "source: ours", "b, source: [-other-]{+ours+}"),
        (None, "reason: It is in a book.", "reason: It is so, really.", "b, reason: It is [-in a book.-]{+so"),
        (None, "note: N.", "note: M.", "lemma-9, note: [-N.-]{+M.+}"),
        (RECORD, "$a < b$", r"$a \\le b$", r"lemma-9, formula: $a [-<-]{+\le+} b$"),
        (RECORD, '"a < b"', '"a <= b"', "lemma-9, coq: [-"),
        (RECORD, '"exact": "1"', '"exact": "1", "part": "half"', "lemma-9, part: {+half+}"),
        (RECORD, "$x_i$", "$x_j$", "Coq coord, formula: [-$x_i$-]{+$x_j$+}"),
    ],
)  # fmt: skip
def test_what_moved_is_a_line_with_its_old_and_its_new_words_until_it_is_published(book, file, old, new, line):
    assert lines(book) == []
    change(book, old, new, file or f"claims/{CHAPTER}.yml")
    (found,) = lines(book)
    assert found.startswith(line)
    assert publish(book) == [found] and lines(book) == []


@pytest.mark.parametrize(
    "new",
    [
        BOX.replace("every network", "every\nnetwork"),
        BOX.replace("\n\n$$\n", " $").replace(" .\n$$\n", ".$\n"),
        BOX.replace("$$\n\\", "$$\n\\begin{aligned}\n\\").replace("\\le", "&\\le").replace(" .", "\\end{aligned}."),
        BOX.replace("```", "````") + "\nAnother paragraph.\n",
    ],
)  # fmt: skip
def test_lines_broken_otherwise_and_formulas_displayed_or_not_are_no_change(book, new):
    before = (book / "claims/published.yml").read_text()
    assert new != BOX
    (book / CHAPTER_FILE).write_text(new)
    assert lines(book) == publish(book, today=LATER) == [] and (book / "claims/published.yml").read_text() == before


def test_the_build_stops_at_what_moved_and_a_preview_says_it(book, tmp_path, capsys):
    site_of(book, tmp_path / "stage")
    change(book, "4k^2", "k^2", CHAPTER_FILE)
    with pytest.raises(ledger.LedgerError, match=r"disagree \(1\).*\n.*-\]\{\+.*make.py publish` confirms it"):
        site_of(book, tmp_path / "second")
    capsys.readouterr()
    site_of(book, tmp_path / "preview", only=CHAPTER)
    assert capsys.readouterr().out.startswith("  lemma-9, statement: For every network [-")


def test_the_data_have_the_digest_and_the_date_of_each_statement(book, tmp_path):
    before = {one["id"]: (one["digest"], one["changed"]) for one in site_of(book, tmp_path / "one")}
    assert {changed for _, changed in before.values()} == {"2026-01-01"}
    change(book, "4k^2", "k^2", CHAPTER_FILE)
    change(book, "note: N.", "note: M.")  # which is no part of the statement, and neither is a verdict
    publish(book, today=LATER)
    after = {one["id"]: (one["digest"], one["changed"]) for one in site_of(book, tmp_path / "two")}
    assert after.pop("lemma-9")[1] == "2026-02-01" and before.pop("lemma-9") and after == before


@pytest.mark.parametrize(
    "records, line",
    [
        ([passing(), REFUTED], "a: 1 records were published, now there are 0"),
        ([passing(lhs=[2.0], control={"2 is 9": ([9.0], 4.0)}), SAMPLED, REFUTED], "lemma-9: 2 instances were"),
        ([passing(lhs=[2.0] * 9, control={"2 is 9": ([9.0], 4.0)}), SAMPLED, REFUTED], "lemma-9: 2 pairs were"),
        ([passing(evidence="certified"), SAMPLED, REFUTED], "lemma-9: evidence 'exhaustive <=' was published"),
        ([IDENTITY, SAMPLED, REFUTED], "lemma-9: evidence 'exhaustive <=' was published"),
    ],
)  # fmt: skip
def test_less_evidence_or_a_weaker_kind_is_a_line_and_more_is_none(book, records, line):
    assert line in [found[: len(line)] for found in lines(book, {CHAPTER: notebook(*records)})]
    more = notebook(passing(), passing(over="half-spaces"), passing("a"), SAMPLED, REFUTED)
    assert lines(book, {CHAPTER: more}) == []


def test_a_claim_that_is_new_or_gone_is_a_line(book):
    change(book, "- id: b\n", "- id: c\n")
    change(book, "  - b\n", "  - c\n")
    assert [line for line in lines(book) if "uses" not in line] == [
        "b: published as 'B', now missing",
        "c: not published yet",
    ]


@pytest.mark.parametrize("broken", ["[]", "{}", "{changed: soon}", "{changed: 2026-01-01, records: many}"])
def test_what_publish_did_not_write_is_refused(book, broken):
    (book / "claims/published.yml").write_text(f"a: {broken}\n")
    with pytest.raises(ledger.LedgerError, match=r"published.yml: a must be as `python3 make.py publish` writes it"):
        published.read(project.settings(book))


@pytest.mark.parametrize(
    "found, serving",
    [
        ("exhaustive", {"exhaustive", "exact", "certified", "sampled"}),
        ("exact", {"exact", "sampled"}),
        ("certified", {"certified", "sampled"}),
        ("sampled", {"sampled"}),
        ("refuted", {"refuted"}),
    ],
)
def test_each_kind_of_evidence_serves_for_itself_and_for_what_is_weaker(found, serving):
    assert {kind for kind in (*ledger.EVIDENCE, "refuted") if published.serves(found, kind)} == serving


def test_all_that_is_known_of_a_claim_is_published_but_where_it_stands():
    elsewhere = {*claims.FOUND, "id", "section", "arxiv", "printed_at", "box", "stands_in"}
    of_coq = {"formula", "part", "coq"}
    assert {one.name for one in fields(claims.Claim)} | of_coq == {*published.WORDS} | elsewhere
    assert {*published.WORDS, *published.COUNTS, "evidence", "changed"} == {*published.ORDER}


def test_words_around_a_difference_are_few():
    old = "one two three four five six seven eight nine ten".split()
    new = [*old[:1], "2", *old[2:8], "9", "10", "11"]
    assert published.by_words(" ".join(old), " ".join(new)) == (
        "one [-two-]{+2+} three four five six seven eight [-nine ten-]{+9 10 11+}"
    )
    assert published.by_words("a b c d e f g h", "a b c d e f g") == "e f g [-h-]"


# Keys that stand twice


@pytest.mark.parametrize(
    "text, reason",
    [
        ("a: 1\nb: 2\na: 3\n", "line 3: the key 'a' stands twice"),
        ("b:\n  - c: {x: 1, x: 1}\n", "line 2: the key 'x' stands twice"),
        ("a: 1\n'a': 3\n", "line 2: the key 'a' stands twice"),
    ],
)
def test_a_key_that_stands_twice_in_any_yaml_file_is_refused(tmp_path, text, reason):
    path = tmp_path / "slides.yml"
    path.write_text(text)
    with pytest.raises(ledger.LedgerError, match=f"^slides.yml cannot be read: {reason}$"):
        read_yaml(path, dict)
    with pytest.raises(Stop, match=f"^slides.yml cannot be read: {reason}$"):
        yaml_of(path)


def test_the_same_key_in_two_mappings_is_none_twice(tmp_path):
    path = tmp_path / "a.yml"
    path.write_text("a: &one {x: 1, y: [{x: 1}, {x: 2}]}\nb: *one\n")
    assert yaml_of(path)["a"]["x"] == 1


def test_the_coq_proofs_are_run_again_where_a_statement_moves_and_not_a_sentence(tmp_path, monkeypatch):
    (tmp_path / "proofs").mkdir()
    monkeypatch.setattr(kept, "ROOT", tmp_path)
    prints = []
    for note, coq in (("N", "a < b"), ("M", "a < b"), ("M", "a <= b")):
        theorem = {"note": note, "part": note, "coq": [coq], "exact": "1"}
        (tmp_path / "proofs/statements.json").write_text(json.dumps({"theorems": {"a": theorem}}))
        prints.append(kept.proofs_fingerprint())
    assert prints[0] == prints[1] != prints[2]
