"""Claims, their statements in the boxes of chapters, and the audit: what does not agree is refused, rule by rule."""

import re
import shutil
from dataclasses import replace
from datetime import date

import pytest
import yaml
from companion.building import evidence
from companion.site import project

from sphinx_claims import audit, build, published
from sphinx_claims import record as ledger
from sphinx_claims.claims import by_id, pages_of, read, statements
from sphinx_claims.ledger import NOT_RUN, collect
from sphinx_claims.pages import words
from tests.book.examples import (
    BOOK,
    CHAPTER,
    CLAIMS,
    SETTINGS,
    claim,
    entry,
    erratum,
    ledgered,
    notebook,
    passing,
    record,
    small_book,
)

REFUTED = ledger.refute("lemma-9", 2, 1, margin=1, over="n = 1", control={"corrected": 2})
E1 = ledger.refute("E1", 2, 1, margin=1, over="n = 1", control={"corrected": 2})
FALSE = {c.id for c in CLAIMS if c.verdict == "false as printed"}
UNCONTROLLED = ledger.check("lemma-9", [0, 1], 2, evidence="exhaustive", over="networks")


# What is read


@pytest.fixture
def book(tmp_path):
    """The folder of a small book with one chapter, in which a lemma stands in a box, and a claim without a box."""
    box = "````{{prf:lemma}} {}\n:label: {}\n:nonumber:\n\n{}\n````\n"
    text = box.format("Lemma 9", "lemma-9", "It *is*\n\n$$\n1 <\n2\n$$\n\nsmall.") + box.format("B", "box-b", "B.")
    lemma = entry(claim(statement=""))
    named = entry(claim("b", box="box-b", statement=""))
    other = entry(claim("other", stands_in="sec-other"))
    return small_book(tmp_path, text, [lemma, named, other])


def write(book, text, name=CHAPTER):
    (book / f"claims/{name}.yml").write_bytes(text if isinstance(text, bytes) else text.encode())


def test_a_statement_is_read_from_its_box_and_the_chapter_from_the_file(book):
    found = read(project.settings(book))
    assert [(c.id, c.statement, c.chapter) for c in found] == [
        ("lemma-9", "It *is* $1 < 2$ small.", CHAPTER),
        ("b", "B.", CHAPTER),
        ("other", "$a$", CHAPTER),
    ]
    assert audit.malformed(ledgered(found)) == []
    aligned = "```{prf:lemma} A\n:label: a\n\n$$\n\\begin{aligned}\na&=b\\\\\n&<c\n\\end{aligned}\n$$\n```\n"
    assert statements(aligned) == {"a": ("Lemma", "$a =b <c$")}


def test_a_claim_stands_at_its_box_or_at_its_first_record_or_in_a_section(book):
    found = [*read(project.settings(book)), claim("nowhere")]

    def places(*records):
        return [one.place for one in ledgered(found, records).claims]

    assert places() == [f"{CHAPTER}.html#lemma-9", f"{CHAPTER}.html#box-b", f"{CHAPTER}.html#sec-other", ""]
    first, second = passing("other"), passing("other", over="others")
    assert places(record(passing()), record(first), record(second))[2] == f"{CHAPTER}.html#{first.anchor}"
    own = places(record(first, "01-a"), record(second))[2]
    assert own == f"{CHAPTER}.html#{second.anchor}"  # its own comes first
    assert places(record(first, "01-a"))[2] == f"01-a.html#{first.anchor}"


@pytest.mark.parametrize(
    "text, reason",
    [
        ("- id: [", "02-uniform.yml cannot be read: while parsing"),
        ("!!python/object/apply:os.system ['true']", "cannot be read: could not determine a constructor"),
        (b"- id: \xff", "02-uniform.yml cannot be read: 'utf-8' codec"),
        ("", "02-uniform.yml cannot be read: it must hold a list, not None"),
        ("lemma-9: {}", "02-uniform.yml cannot be read: it must hold a list, not {'lemma-9'"),
        ("- 7", "claims/02-uniform.yml: entry 1 must be a mapping with an id, not 7"),
        ("- [[a]]", "entry 1 must be a mapping with an id"),
        ("- label: x", "entry 1 must be a mapping with an id"),
        ("- {id: a, uses: 7}", "claims/02-uniform.yml: a: uses must be a list of ids, not 7"),
        ("- {id: a, uses: [[b]]}", "a: uses must be a list of ids, not"),
        ("- {id: a, section: 3}", "a: section must be text .in quotes"),
        ("- {id: a, label: [b]}", "a: label must be text"),
        ("- {id: a, vedict: 'true'}", "a: a claim has no vedict"),
        ("- {id: a, page: b}", "a: a claim has no page"),
        ("- {id: lemma-9, statement: x}", "lemma-9: its statement stands in a box of 02-uniform.md"),
        ("[{id: lemma-9, statement: x}, {id: lemma-9}]", "claims/02-uniform.yml: the id lemma-9 stands twice"),
        ("- {id: a, proved: b}", "a: proved names b, which is not in proofs/statements.json"),
        ("- {id: a, box: nowhere}", "a: there is no box nowhere in 02-uniform.md"),
    ],
)
def test_what_is_no_list_of_claims_is_refused_in_one_line(book, text, reason):
    write(book, text)
    with pytest.raises(ledger.LedgerError, match=reason) as refusal:
        read(project.settings(book))
    assert "\n" not in str(refusal.value)


def test_claims_of_no_chapter_are_refused(book):
    write(book, "[]", "03-misspelt")
    with pytest.raises(ledger.LedgerError, match="there is no chapter 03-misspelt in _toc.yml"):
        read(project.settings(book))


def test_the_book_s_own_claims_are_well_formed_and_published():
    known = ledgered(CLAIMS)
    assert audit.malformed(known) == []
    then = published.read(SETTINGS)
    assert build.moved(known) == [], published.confirmed(SETTINGS)
    assert then.keys() >= {c.id for c in CLAIMS}
    run = {name for name, block in then.items() if block.get("records")}
    assert run >= {c.id for c in CLAIMS if c.required not in NOT_RUN and not c.is_erratum} - FALSE
    in_boxes = sum(bool(c.box) for c in CLAIMS)
    assert in_boxes >= 100


def test_a_chapter_has_pages_on_each_of_which_boxes_and_records_may_stand(book):
    audited = f"{CHAPTER}-audit"
    (book.parent / "_toc.yml").write_text(
        f"root: book/index\nchapters:\n  - file: book/{CHAPTER}\n    sections:\n      - file: book/{audited}\n"
    )
    lemma, box, rest = (book / f"{CHAPTER}.md").read_text().partition("````{prf:lemma} B")
    (book / f"{CHAPTER}.md").write_text(lemma)
    (book / f"{audited}.md").write_text(f"{box}{rest}\n(sec-other)=\n## Other\n")
    entries = [{**entry, "source": "ours"} for entry in yaml.safe_load((book / f"claims/{CHAPTER}.yml").read_text())]
    write(book, yaml.safe_dump(entries))
    found = read(project.settings(book))
    assert [(c.page, c.number) for c in found] == [
        (CHAPTER, "Lemma 2.1"),
        (audited, "Lemma 2.2"),
        (audited, ""),
    ]
    assert [c.place for c in ledgered(found).claims] == [
        f"{CHAPTER}.html#lemma-9",
        f"{audited}.html#box-b",
        f"{audited}.html#sec-other",
    ]


def test_each_box_of_ours_has_a_number_of_its_own_by_chapter_and_order():
    ours = [c for c in CLAIMS if c.source == "ours" and c.box]
    assert all(not c.number for c in CLAIMS if c not in ours) and len({c.number for c in ours}) == len(ours)
    for stem in {c.chapter for c in ours}:
        text = "\n".join((BOOK / f"{page}.md").read_text(encoding="utf-8") for page in pages_of(SETTINGS, stem))
        mine = sorted((c for c in ours if c.chapter == stem), key=lambda c: text.index(f":label: {c.box}\n"))
        numbers = [c.number.split(" ") for c in mine]
        for before in {SETTINGS.numbered_as(c.page) for c in mine}:  # "6.", and "A." of its appendix
            found = [number for _, number in numbers if number.startswith(before)]
            assert found == [f"{before}{i}" for i in range(1, len(found) + 1)]
        boxes = re.findall(r"^`+{prf:(?!proof)\w+} (.*)\n:label: (\S+)$", text, flags=re.M)
        others = {title for title, box in boxes if box not in {c.box for c in CLAIMS}}
        assert all(re.match(r"(Theorem|Lemma) \d+, ", title) for title in others)
        assert {kind for kind, _ in numbers} <= {"Theorem", "Lemma", "Proposition", "Corollary", "Definition", "Remark"}


def test_an_appendix_counts_by_its_letter_and_stands_after_the_chapters():
    known = by_id(CLAIMS)
    first, last = known["ours-one-neuron"], known["ours-gradient"]
    assert (first.number, first.chapter, first.page) == ("Proposition A.1", "06-beyond", "06b-sharp")
    assert words.order(last) < words.order(first) < words.order(known["definition-1"])


def test_each_erratum_is_named_by_what_it_concerns():
    known = by_id(CLAIMS)
    standing = ledgered(CLAIMS).errata
    assert [(e.id, i) for e in standing for i in e.about if e.id not in known[i].errata] == []
    assert {e for c in CLAIMS for e in c.errata} == {e.id for e in standing}


# The audit


def problems(entries, records, chapters=(CHAPTER,)):
    return audit.audit(ledgered(entries, map(record, records)), chapters)


def test_claims_with_their_evidence_have_no_problems():
    assert problems([claim()], [passing()]) == []
    false = claim(verdict="false as printed", required="refuted", errata=["E1"])
    assert problems([false, erratum("E1", ["lemma-9"])], [REFUTED, E1]) == []
    settled = claim(verdict="settled", kind="conjecture", required="refuted", note="True with a factor 2.")
    display = claim("eq-16", verdict="settled", required="refuted", note="As above.", uses=["lemma-9"])
    shown = ledger.refute("eq-16", 2, 1, margin=1, over="n = 1", control={"corrected": 2})
    assert problems([settled, display], [REFUTED, shown]) == []
    other = claim("li-rates", source="other", arxiv="2609.09130", uses=["lemma-9"])
    assert problems([claim(), other], [passing(), passing("li-rates")]) == []
    follows = claim("a", required="follows", follows=["lemma-9"], uses=["lemma-9"])
    assert problems([claim(), follows], [passing()]) == []
    assert ledgered([claim(), follows], [record(passing())]).standing(follows) == "follows"


@pytest.mark.parametrize(
    "entries, records, message",
    [
        ([claim()], [passing(), passing("lemma-99")], "unknown claim id 'lemma-99'"),
        ([claim()], [], "lemma-9: exhaustive evidence is required in 02-uniform, and none was found"),
        ([claim(source="other")], [], "lemma-9: exhaustive evidence is required"),
        ([claim()], [passing(evidence="sampled", seed=0)], "required, but what was found is only sampled"),
        ([claim()], [UNCONTROLLED], "lemma-9: no negative control"),
        ([claim()], [passing(), UNCONTROLLED], "lemma-9: no negative control"),
        (
            [claim(verdict="false as printed")],
            [REFUTED],
            "exhaustive evidence is required in 02-uniform, and none was",
        ),
        ([claim()], [passing(), passing()], "the same check stands twice"),
        ([claim()], [passing(), REFUTED], "refuted, but its file calls it true"),
        ([claim(verdict="false as printed")], [passing()], "neither it nor one of its errata is refuted"),
        (
            [claim(verdict="settled", kind="conjecture", note="N.")],
            [passing()],
            "settled, but neither it nor one of",
        ),
        (
            [claim(verdict="settled", kind="conjecture")],
            [REFUTED],
            "settled are conjectures and what restates one, w",
        ),
        ([claim(verdict="settled", note="True.")], [REFUTED], "lemma-9: settled are conjectures and what restates"),
        (
            [claim(verdict="false as printed")],
            [REFUTED],
            "false as printed, but no erratum that stands is about it",
        ),
        (
            [claim(), erratum("E1", ["lemma-9"])],
            [passing(), E1],
            "lemma-9: its errata must name E1, which is about",
        ),
        (
            [claim(errata=["E1"]), claim("a", errata=["E1"]), erratum("E1", ["lemma-9"])],
            [],
            "a: its errata name E1, which is not about it",
        ),
        (
            [claim(errata=["E1"]), erratum("E1", ["lemma-9"])],
            [passing(), E1],
            "lemma-9: E1 is about it, so its verdict cannot be 'true'",
        ),
        ([claim(), claim()], [passing()], "lemma-9: the id stands twice"),
        ([claim(statement="")], [passing()], "lemma-9: no statement"),
        ([claim(verdict="proved")], [passing()], "verdict 'proved' is none of"),
        ([claim(source="theirs")], [passing()], "source 'theirs' is none of"),
        ([claim(printed="1")], [passing()], "lemma-9: a claim has no printed"),
        ([claim(required="cited")], [], "lemma-9: cited, so it must give its reason"),
        ([claim(required="cited", reason="none")], [], "lemma-9: cited, so it must give its reason"),
        ([claim(required="not runnable", reason="not run")], [], "lemma-9: not runnable, so it must give its"),
        ([claim(required="cited", reason="It is in a book.")], [], "only results of others are cited"),
        ([claim(required="follows", reason="Clear.")], [], "where its list 'follows' is not empty"),
        ([claim(follows=["lemma-9"])], [], "where its list 'follows' is not empty"),
        ([claim(required="follows", follows=["lemma-6"])], [], "follows names 'lemma-6', which does not exist"),
        (
            [claim(), claim("a", required="follows", follows=["lemma-9"])],
            [],
            "a: follows from 'lemma-9', which must stand among what it uses",
        ),
        (
            [
                claim("b", required="not runnable", reason="About all algorithms."),
                claim("a", required="follows", follows=["b"], uses=["b"]),
            ],
            [],
            "a: follows from 'b', which is not run itself",
        ),
        ([claim(uses=["lemma-6"])], [passing()], "uses names 'lemma-6', which does not exist"),
        ([claim(uses=["lemma-9"])], [passing()], "lemma-9 uses lemma-9: circular"),
        ([claim("a", uses=["b"]), claim("b", uses=["a"])], [], "circular"),
        *(
            ([claim(), replace(erratum("E1", ["lemma-9"]), **{part: ""})], [], f"E1: no {part}")
            for part in ("printed", "witness", "corrected", "consequence", "artefact", "about")
        ),
        ([claim(required="nothing")], [], "nothing is required of a withdrawn erratum"),
        (
            [claim(), erratum("E1", ["lemma-9"], verdict="withdrawn", required="nothing")],
            [],
            "E1: no withdrawn",
        ),
        ([claim(), erratum("E1", ["lemma-9"], consequence="dire")], [], "consequence 'dire' is none of"),
    ],
)
def test_each_rule_of_the_audit(entries, records, message):
    assert any(message in problem for problem in problems(entries, records))


@pytest.mark.parametrize(
    "forged, problem",
    [
        ({"count": 0}, "a check over zero instances."),
        ({"evidence": "sampled"}, "the seed of 'networks' must be an integer for evidence 'sampled', not None"),
        ({"seed": 7}, "the seed of 'networks' must be None for evidence 'exact'"),
        ({"page": "a-switch-is-free"}, "evidence on a-switch-is-free, no page of 02-uniform or of what it rests on."),
        ({"page": "06-beyond"}, "evidence on 06-beyond, no page of 02-uniform or of what it rests on."),
    ],
)
def test_a_record_that_was_smuggled_in_is_found(forged, problem):
    made = replace(record(passing(evidence="exact")), **forged)
    (found,) = audit.audit(ledgered([claim(required="sampled")], [made]), [CHAPTER])
    assert found.startswith(f"lemma-9: {problem}")


def test_evidence_may_stand_where_what_a_claim_rests_on_stands():
    made = [record(passing(), "06b-sharp")]
    below = claim("below", chapter="06-beyond", required="not runnable", reason="It is a remark only.")
    assert audit.audit(ledgered([claim(uses=["below"]), below], made), [CHAPTER]) == []


def test_a_repaired_claim_with_a_refuted_erratum_counts_as_checked_and_a_false_one_as_refuted():
    """Beside its own evidence; a witness against the printed form alone refutes only what is false as printed."""
    for verdict, standing in (("true, proof repaired", "checked"), ("false as printed", "refuted")):
        entries = [claim(verdict=verdict, errata=["E1"]), erratum("E1", ["lemma-9"])]
        made = [record(passing()), record(E1)]
        assert ledgered(entries, made).standing(entries[0]) == standing


def test_a_chapter_that_was_not_executed_owes_nothing_yet():
    assert problems([claim()], [], chapters=["01-definitions"]) == []


def test_the_status_is_transitive():
    entries = [
        claim("conjecture-16", verdict="false as printed", required="refuted"),
        claim("lemma-a", uses=["conjecture-16"]),
        claim("theorem-3", uses=["lemma-a"]),
        claim("repaired", verdict="true, proof repaired", uses=["conjecture-16"]),
        claim("above", uses=["repaired"]),
        claim("open", verdict="open", required="not runnable", reason="It is a conjecture."),
    ]
    records = [passing("theorem-3"), passing("repaired"), passing("above", evidence="sampled", seed=0)]
    records.append(ledger.refute("conjecture-16", 2, 1, margin=1, over="p = 2", control={"corrected": 2}))
    found = ledgered(entries, map(record, records))
    assert {c.id: (found.standing(c), found.upstream(c)) for c in found.claims} == {
        "conjecture-16": ("refuted", []),
        "lemma-a": ("not yet run", ["conjecture-16"]),
        "theorem-3": ("checked", ["conjecture-16"]),
        "repaired": ("checked", []),
        "above": ("sampled", []),
        "open": ("open", []),
    }


# What is written


def test_an_exercise_neither_counts_for_a_claim_nor_breaks_a_ledger():
    refuted = ledger.refute("exercise-lemma-9", 2, 1, margin=1, over="n = 1")  # of a true claim, and without a control
    for right in (passing("exercise-lemma-9"), refuted):
        assert collect({CHAPTER: notebook(right)}) == []
    agreeing = collect({CHAPTER: notebook(passing(), refuted, refuted)})
    assert audit.audit(ledgered([claim()], agreeing), [CHAPTER]) == []
    uncounted = collect({CHAPTER: notebook(passing("exercise-lemma-9"))})
    assert "none was found" in audit.audit(ledgered([claim()], uncounted), [CHAPTER])[0]


def test_the_pages_are_a_pure_function_of_notebooks_and_claims(book, tmp_path):
    executed = {CHAPTER: notebook(passing(), passing("b"), passing("other"))}
    text, _ = evidence.published_anew(book, executed, date(2026, 1, 1))
    (book / "claims/published.yml").write_text(text)
    (book / "ledger.md").write_text("# Ledger\n\n<!-- claims: tables -->\n")
    written = []
    for stage in (tmp_path / "one", tmp_path / "two"):
        shutil.copytree(book, stage / "book", ignore=shutil.ignore_patterns("claims*"))
        evidence.write(book, stage, executed)
        files = [path for path in (stage / "book").rglob("*") if path.is_file()]
        written.append({path.relative_to(stage / "book").as_posix(): path.read_text() for path in files})
    names = {"ledger.md", f"{CHAPTER}.md", "site/claims.json", "site/claims.schema.json"}
    assert written[0] == written[1] and written[0].keys() == names
    assert f"{CHAPTER}.html#{passing().anchor}" in written[0]["ledger.md"]
    shutil.rmtree(stage)
    (stage / "book").mkdir(parents=True)
    evidence.write(book, stage, {}, only="01-definitions")
    assert [path.name for path in stage.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    "forged", ["a text", {}, {"count": None}, {"count": "7"}, {"evidence": "proved"}, {"claim": 7}]
)
def test_what_is_no_record_is_refused(forged):
    data = {**passing()._repr_mimebundle_()[ledger.MIME], **forged} if forged and isinstance(forged, dict) else forged
    output = {"data": {ledger.MIME: data}}
    with pytest.raises(ledger.LedgerError, match=f"^{CHAPTER}: this is no record of ledger.check or ledger.refute: "):
        collect({CHAPTER: {"cells": [{"cell_type": "code", "outputs": [output]}]}})


def test_claims_without_their_evidence_writes_no_page(book):
    with pytest.raises(ledger.LedgerError, match="the claims and the evidence disagree .*\n.*none was found"):
        evidence.write(book, book.parent, {CHAPTER: notebook()})
    assert not (book / "site/claims.json").exists()
