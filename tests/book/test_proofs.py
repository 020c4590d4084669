"""What is proved in Coq: the marks, the page, what the check of the proofs refuses, and, where Coq is, the proofs."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from companion import places
from companion.building import kept, proofs
from companion.site import project

from tests.book.examples import BOOK, CLAIMS, SETTINGS, claim, entry, erratum, ledgered, small_book

sys.path.append(str(BOOK.parent / "proofs"))
import check

from sphinx_claims import published
from sphinx_claims.claims import machine_checked, read
from sphinx_claims.pages import errata, graph, rows
from sphinx_claims.site import domain

RECORD = machine_checked(SETTINGS)
THEOREM = {"note": "$a<b$ & *so on*.", "coq": ["forall N : network R,", "  value N <= 1 & value N =1 x -> tail' x"]}
DEFINITIONS = {
    "value": {"note": "$h(x)$", "coq": ["value = ", "fun N : network => 1"]},
    "network": {"note": "$u_j$", "coq": ["Record network := { }"]},
    "tail": {"note": "$t$", "coq": ["tail = 2"]},
}
PROVED = [
    claim(label="Lemma 9", proved="lemma_9", proof={"part": "the *range*"}, box="lemma-9"),
    claim("other", label="Other", proved="other"),
    claim("unproved", label="Unproved", box="unproved"),
    erratum("E1", ["other"], proved="E_1"),
]


# The marks


def test_each_theorem_is_proved_for_the_claim_whose_name_it_has():
    proved = {c.proved: c.id for c in CLAIMS if c.proved}
    assert {name: name.replace("_", "-") for name in proved} == proved
    assert RECORD["theorems"].keys() - proved.keys() == {"decision_tree"}


def test_the_part_that_is_proved_is_named(tmp_path):
    """What Coq proves is not always what is printed, or all of it."""
    (tmp_path / "proofs").mkdir()
    theorems = {"a": {}, "b": {"part": "the range"}}
    (tmp_path / "proofs/statements.json").write_text(json.dumps({"theorems": theorems, "definitions": {}}))
    (tmp_path / "proofs/statements.v").write_text("(* *)\nTheorem ab : x.\nTheorem a (R : t) :\n")
    false = claim("w", proved="a", verdict="false as printed")
    others = [replace(false, id="x", proved="b"), claim("y", proved="a"), erratum("z", ["w"], proved="a"), claim()]
    folder = small_book(tmp_path, "# A\n", [entry(one) for one in [false, *others]])
    found = [one.proof for one in read(project.settings(folder))]
    assert found.pop() is None
    assert [one["part"] for one in found] == ["the corrected form", "the range", "", ""]
    assert [one["line"] for one in found] == [3, None, 3, 3]


def test_marks_stand_in_the_ledger_under_statements_in_the_errata_and_on_the_map():
    known = ledgered(PROVED)
    shown = rows.tables(known)
    assert shown.count("machine-checked: the &#42;range&#42;</a>") == 1 and shown.count("machine-checked</a>") == 2
    under = {c.id: domain.provenance(c, known) for c in PROVED[:3]}
    assert "the &#42;range&#42;" in under["lemma-9"] and "proofs" not in under["unproved"]
    assert errata.entries(known).count("proofs.html#coq-E-1") == 1
    drawn = graph.drawing(known)
    assert drawn.count("⊢</text>") == 2 and 'aria-label="Lemma 9: true, machine-checked"' in drawn


# The page


def test_the_page_has_statements_in_the_book_s_words_and_in_coq_s():
    theorems = {name: THEOREM for name in ("lemma_9", "other", "E_1", "a_tree")}
    page = "\n".join(proofs.sections(ledgered(PROVED), theorems, DEFINITIONS))
    assert page.count("## Statements of chapter 2") == 1 and page.index("Without an entry") < page.index("### A tree")
    assert re.findall(r"\(coq-(.*)\)=\n", page) == ["lemma-9", "other", "E-1", "a-tree", "definitions"]
    assert '<a href="02-uniform.html#lemma-9" aria-label="In the book, Lemma 9">In the book</a>: $a$' in page
    assert "*Proved* (the &#42;range&#42;): $a< b$ & *so on*." in page and "*Proved*: $a< b$" in page


def test_coq_s_words_are_escaped_and_lead_to_definitions():
    shown = proofs.beside(["words"], THEOREM, DEFINITIONS)
    text = shown[shown.index("<pre>") : shown.index("</pre>")]
    assert '<a href="#coq-value">value</a> N &lt;= 1 &amp; value N =1 x -&gt; tail\' x' in text
    assert text.count("<a ") == 2  # the first use of each; tail' is another name
    hostile = {"note": "", "coq": ["</pre><script>alert(1)</script>"]}
    assert "<script" not in proofs.beside([], hostile, {})


def test_the_page_of_the_book_has_every_theorem_and_definition(tmp_path):
    page = tmp_path / "proofs.md"
    page.write_text((BOOK / "proofs.md").read_text(encoding="utf-8"), encoding="utf-8")
    proofs.fill(page, ledgered(CLAIMS), **RECORD)
    text = page.read_text(encoding="utf-8")
    assert proofs.MARK not in text
    assert text.count("<pre>") == len(RECORD["theorems"]) + len(RECORD["definitions"])
    leads = set(re.findall(r'href="#coq-([\w-]+)"', text))
    assert leads <= set(re.findall(r'<span id="coq-([\w-]+)">', text)) and len(leads) > 20


def test_a_build_without_the_prover_says_so_at_the_foot():
    shown = proofs.not_run("# Title\n\nText.\n\n## A part\n\n## Another\n")
    assert "## Another\n\n:::{note}\nThe prover" in shown and shown.count(":::{note}") == 1
    for page in ((BOOK / f"{name}.md").read_text(encoding="utf-8") for name in ("ledger", "proofs")):
        assert proofs.NOT_RUN in proofs.not_run(page)


# What the check of the proofs refuses


def noted(note="N", coq="a <= b", exact="1", part=""):
    return {"note": note, "coq": [coq], "exact": exact, "part": part}


@pytest.mark.parametrize(
    "found, record, reason",
    [
        ({"a": ("a <= b", "1")}, {}, "theorem a has no note"),
        ({}, {"a": noted()}, "theorem a is in statements.json but not proved"),
        ({"a": ("a <= b \\/ True", "2")}, {"a": noted()}, "theorem a is not what statements.json has next to its note"),
        ({"a": ("a <= b", "2")}, {"a": noted()}, "theorem a is not what statements.json has"),
        ({"a": ("a <= b", "1")}, {"a": noted(note=" ")}, "theorem a has an empty note"),
    ],
)
def test_a_statement_stands_as_it_was_read(found, record, reason):
    with pytest.raises(check.Fault, match=reason):
        check.compare("theorem", found, record)


def test_a_statement_that_changed_keeps_its_note_which_the_book_asks_to_confirm():
    found, old = {"a": ("a <= b \\/ True", "2")}, noted()
    renewed = check.renew("theorem", found, {"a": old})
    check.compare("theorem", found, renewed)
    assert renewed["a"]["note"] == old["note"] and "part" not in renewed["a"]
    assert published.printed(renewed["a"]) != published.printed(old)


def test_the_second_environment_is_renewed_after_the_first():
    """What did not change with MathComp 1.15 must not have changed with MathComp 2."""
    found, old = {"a": ("a <= b", "2")}, noted()
    renewed = check.renew("theorem", found, {"a": old}, second=True)
    check.compare("theorem", found, renewed, second=True)
    assert {**renewed["a"], "second": 0} == {**old, "second": 0}
    with pytest.raises(check.Fault, match="theorem a is not what statements.json has"):
        check.compare("theorem", {"a": ("a <= b", "3")}, renewed, second=True)
    with pytest.raises(check.Fault, match="theorem a has changed with MathComp 2 only"):
        check.renew("theorem", {"a": ("a <= b", "3")}, renewed, second=True)
    with pytest.raises(check.Fault, match="theorem a must be renewed with MathComp 1.15 first"):
        check.renew("theorem", found, {"a": {"note": "M"}}, second=True)
    again = check.renew("theorem", {"a": ("a < b", "9")}, {"a": {**renewed["a"], "note": "M"}})
    assert "second" not in again["a"]


def test_what_coq_prints_in_part_is_refused():
    assert check.whole("a", "a <= b") == "a <= b"
    with pytest.raises(check.Fault, match="what Coq prints about a is cut short"):
        check.whole("a", "S (S (S ...))")


def test_every_entry_has_both_environments_and_nothing_was_cut_short():
    for kind in ("theorems", "definitions"):
        for name, one in RECORD[kind].items():
            assert len(one["exact"]) == len(one["second"]) == 16, name
            assert "..." not in "".join(one["coq"]), name


def test_a_string_hides_nothing(tmp_path):
    source = tmp_path / "a.v"
    source.write_text('Comments "(*". Notation x := 1. Comments "*)". (* "*)" Notation y := 2. *)\n')
    assert check.sentences(source).count("Notation") == 1
    assert [check.words(found[1]) for found in check.NOTATION.finditer(check.sentences(source))] == ["Notation x := 1."]


@pytest.mark.parametrize(
    "text",
    [
        "Admitted.",
        "Axiom a : False.",
        "Unset Guard Checking.",
        "(* (* *) *) admit.",
        'Comments "(*". Admitted.',
        "Global Set Printing Depth 5.",
    ],
)
def test_what_is_no_proof_is_refused_by_name(tmp_path, text):
    source = tmp_path / "a.v"
    source.write_text("(* Admitted (* an Axiom *) in a comment *) Lemma a : True. Proof. exact I. Qed.\n")
    check.forbidden_words([source])
    source.write_text(f"{source.read_text()} {text}\n")
    with pytest.raises(check.Fault, match="a.v says"):
        check.forbidden_words([source])


# The proofs


def test_coq_accepts_the_proofs_of_the_statements_on_the_page():
    """As `make.py prove` did, if nothing has changed since."""
    if not kept.proofs_accepted():
        done = subprocess.run([sys.executable, "make.py", "prove"], cwd=places.ROOT, capture_output=True, text=True)
        if done.returncode == 3:
            pytest.skip(done.stderr.strip())
        assert done.returncode == 0, done.stderr
    assert kept.proofs_accepted()


def test_what_a_compiler_leaves_there_changes_nothing_and_a_proof_does(tmp_path, monkeypatch):
    (tmp_path / "proofs").mkdir()
    monkeypatch.setattr(kept, "ROOT", tmp_path)
    (tmp_path / "proofs/a.v").write_text("Lemma a : True.")
    before = kept.proofs_fingerprint()
    (tmp_path / "proofs/a.vo").write_text("")
    (tmp_path / "proofs/Makefile.coq").write_text("")
    assert kept.proofs_fingerprint() == before
    (tmp_path / "proofs/a.v").write_text("Lemma a : False.")
    assert kept.proofs_fingerprint() != before


# The exercises


EXERCISES = BOOK.parent / "proofs/exercises"


def test_each_exercise_has_a_hole_and_a_solution_of_the_same_statement():
    found = sorted(path.name for path in EXERCISES.glob("*.v"))
    assert len(found) == 6
    for exercise in EXERCISES.glob("exercise_*.v"):
        solution = EXERCISES / exercise.name.replace("exercise", "solution")
        assert check.stated(exercise) == check.stated(solution)
        assert "Admitted." in check.sentences(exercise) and "Admitted" not in check.sentences(solution)
        assert f"`{exercise.name}`" in (BOOK / "proofs.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "old, new, reason",
    [
        ("(- a) = a.\n", "(- a) = a \\/ True.\n", "proves another statement than exercise_1_identity.v asks for"),
        ("Proof.\n", "Proof.\nadmit.\n", "solution_1_identity.v says admit"),
        ("Lemma identity", "Variable no : False.\nLemma identity", "proves another statement"),
    ],
)
def test_a_solution_that_is_none_is_refused(tmp_path, old, new, reason):
    """Before anything is compiled."""
    shutil.copytree(EXERCISES, tmp_path / "exercises")
    solution = tmp_path / "exercises/solution_1_identity.v"
    assert solution.read_text().count(old) == 1
    solution.write_text(solution.read_text().replace(old, new))
    with pytest.raises(check.Fault, match=reason):
        check.exercises(tmp_path, tmp_path)


def test_an_exercise_without_a_hole_is_refused(tmp_path):
    shutil.copytree(EXERCISES, tmp_path / "exercises")
    shutil.copy(tmp_path / "exercises/solution_1_identity.v", tmp_path / "exercises/exercise_1_identity.v")
    with pytest.raises(check.Fault, match="exercise_1_identity.v has no hole"):
        check.exercises(tmp_path, tmp_path)


def test_the_introduction_quotes_the_definitions_and_the_theorem_as_they_are():
    sources = [(BOOK.parent / f"proofs/{name}.v").read_text(encoding="utf-8") for name in ("definitions", "statements")]
    text = check.words(" ".join(sources))
    quoted = re.findall(r"```coq\n(.*?)```", (BOOK / "proofs.md").read_text(encoding="utf-8"), re.S)
    found = [sentence for block in quoted for sentence in re.split(r"(?<=\.)\n", block) if sentence.strip()]
    assert len(found) > 10
    assert [sentence for sentence in found if check.words(sentence) not in text] == []
