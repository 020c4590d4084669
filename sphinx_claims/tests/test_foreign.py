"""A paper that is not ours, as a new user builds it: its ledger is green, and a build stops where a claim is false."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sphinx_claims import LedgerError, command, pages
from sphinx_claims.ledger import Ledger
from sphinx_claims.settings import CONSEQUENCES, Settings

PACKAGE = Path(__file__).parents[1]


def run(folder, *arguments):
    """(exit code, what was said) of Python in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    done = subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, **streams)
    return done.returncode, done.stdout


def build(folder):
    return run(folder, "-m", "sphinx", "-q", ".", "_build")


def change(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    folder = tmp_path_factory.mktemp("foreign") / "paper"
    shutil.copytree(PACKAGE / "docs", folder)
    code, said = build(folder)
    assert code == 0, said
    return folder


def test_the_foreign_example_has_a_ledger_with_every_standing_it_claims(foreign):
    found = {one["id"]: one for one in json.loads((foreign / "_build/claims.json").read_text())["claims"]}
    standing = {name: one["standing"] for name, one in found.items()}
    assert standing == {
        "two-squares": "checked",
        "one-way": "checked",
        "fermat": "refuted",
        "goldbach": "sampled",
        "E1": "refuted",
    }
    assert found["two-squares"]["place"] == "index.html#two-squares" and found["one-way"]["uses"] == ["two-squares"]
    page = (foreign / "_build/ledger.html").read_text(encoding="utf-8")
    assert all(f'id="{name}"' in page for name in found) and "<!-- claims" not in page
    assert "Two squares" in page and "no counterexample among 300" in page
    assert 'popovertarget="behind-1"' in (foreign / "_build/index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "file, old, new, said, builds",
    [
        ("claims/index.yml", "required: sampled", "required: exact", "goldbach: exact evidence is required", 1),
        ("claims/index.yml", "verdict: open", "verdict: perhaps", "goldbach: verdict 'perhaps' is none of true", 1),
        # what was kept of the first build does not make the second one green
        ("index.md", "in range(5, 3000, 4)", "in range(3, 3000, 4)", "two-squares fails on 218 of 218 primes", 2),
        ("index.md", "import random\n", "import random\nledger.check = print\n", "ledger.check is of a module", 1),
    ],
)  # fmt: skip
def test_a_build_stops_in_one_line_and_again_until_it_is_mended(foreign, tmp_path, file, old, new, said, builds):
    folder = tmp_path / "paper"
    shutil.copytree(foreign, folder)
    change(folder / file, old, new)
    for _ in range(builds):
        code, lines = build(folder)
        assert code != 0 and said in lines.partition("ERROR: ")[2], lines
        assert not {"Versions", "The ledger stops the build:"} & set(lines.split("\n")), lines


def test_an_unknown_mark_is_named():
    with pytest.raises(LedgerError, match="a page has the mark <!-- claims: rows -->; there is standings, tables"):
        pages.fill("<!-- claims: rows -->", Ledger(Settings(PACKAGE), [], []))


def test_a_new_paper_is_not_written_over_an_old_one(tmp_path, capsys):
    assert command.main(["new", str(tmp_path / "a")]) == 0 and (tmp_path / "a/claims/index.yml").is_file()
    assert command.main(["new", str(tmp_path / "a")]) == 1
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text, reason",
    [
        ("titel = 'x'", "there is no key titel"),
        ("title = 1", "title must be text, not 1"),
        ("sections = 'x'", "sections must be a table, not 'x'"),
        ("[prover]\nnme = 'Lean'", "there is no key prover.nme"),
        ("title =", "claims.toml cannot be read"),
    ],
)
def test_what_is_wrong_in_the_settings_is_named(tmp_path, text, reason):
    (tmp_path / "claims.toml").write_text(text)
    with pytest.raises(LedgerError, match=reason):
        Settings.read(tmp_path)


def test_a_consequence_is_worded_otherwise_and_the_others_keep_their_words_and_their_order(tmp_path):
    (tmp_path / "claims.toml").write_text("[consequences]\ncorner = 'only at 0'\n")
    assert Settings.read(tmp_path).consequences == {**CONSEQUENCES, "corner": "only at 0"}
    assert list(Settings.read(tmp_path).consequences) == list(CONSEQUENCES)


@pytest.mark.parametrize(
    "part, other", [("record", {"sphinx", "docutils", "yaml", "scipy"}), ("pages.graph", {"scipy", "matplotlib"})]
)
def test_a_cell_needs_numpy_alone_and_a_page_nothing_that_is_slow_to_load(tmp_path, part, other):
    program = f"import sys, sphinx_claims.{part}; print({other} & sys.modules.keys())"
    assert run(tmp_path, "-c", program) == (0, "set()\n")


def test_the_package_has_no_word_of_a_paper():
    for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.js"), *PACKAGE.rglob("*.json")]:
        if "tests" not in path.parts:
            text = path.read_text(encoding="utf-8").lower()
            assert not [word for word in ("sparse", "neuron", "relu", "parity") if word in text], path
