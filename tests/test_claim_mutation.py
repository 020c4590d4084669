"""The last run over the claims: it speaks of the present code, it caught enough, and what it missed is argued."""

import ast
import os
import sys
from pathlib import Path

import chapters
import perturbations
import pytest

import make
from sparse_core import ledger

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "mutation"))
import claims as mutation  # noqa: E402 (its folder is on the path now)
import formulas  # noqa: E402

LEAST = 0.85  # the share of the claims of which another constant or another exponent is caught
RESULTS = perturbations.read()

# The committed result


@pytest.mark.parametrize("chapter", perturbations.chapters())
def test_result_is_not_stale(chapter):
    assert chapter not in perturbations.stale(RESULTS), f"stale: run `python3 make.py mutate --claims {chapter}`"


@pytest.mark.parametrize("kind", ["inequalities", "identities"])
def test_enough_perturbations_are_caught(kind):
    claims, some, every = perturbations.counts(RESULTS)[kind]
    assert claims > 30
    assert every == claims
    assert some >= LEAST * claims


def test_each_claim_without_a_caught_constant_or_exponent_is_argued_and_no_other():
    missed = {name for name, c in perturbations.by_claim(RESULTS).items() if not c["constant"] and not c["caught"]}
    arguments = perturbations.argued()
    assert set(arguments) == missed
    assert [name for name, why in arguments.items() if len(why) < 40] == []


# The harness

CHAPTER = """
import numpy as np
from sparse_core import bounds, ledger
n, k = np.array([4, 9, 16]), 2

measured = k * np.sqrt(n)
{bound}
ledger.check("lemma-9", measured, bound, evidence="exact", over="n", control={{"nothing": 0.0}})
"""


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setattr(ledger, "check", ledger.check)  # a run replaces it
    return lambda bound: list(mutation.Run(CHAPTER.format(bound=bound).split("\n\n")).records())


forks = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
]


class TestHarness:
    pytestmark = forks

    def test_a_tight_bound_is_caught_in_constant_and_exponent(self, run):
        (record,) = run("bound = k * n**0.5")
        assert (record["constant"], record["caught"], record["tried"], record["side"]) == (True, 2, 2, "right")

    def test_a_loose_bound_is_caught_in_neither(self, run):
        (record,) = run("bound = 10**9 + n**0.5")
        assert (record["constant"], record["caught"]) == (False, 0)
        assert record["not caught"][:2] == ["10 ** 9", "n ** 0.5"]

    def test_an_exponent_inside_a_function_of_the_page(self, run):
        (record,) = run("def root(x):\n    return k * x**0.5\nbound = root(n)")
        assert (record["caught"], record["tried"]) == (2, 2)

    def test_an_exponent_inside_the_bounds(self, run):
        (record,) = run("bound = k * np.array([bounds.paper.sup_norm(int(v), 1, 1.0, 0.0) for v in n])")
        assert (record["caught"], record["not caught"]) == (2, ["sup_norm: W"])  # W = 1

    def test_the_run_leaves_the_true_bound_in_place(self, run):
        run("bound = k * np.array([bounds.paper.sup_norm(int(v), 1, 1.0, 0.0) for v in n])")
        from sparse_core import bounds

        assert bounds.paper.sup_norm(4, 2, 1.0, 0.5) == 5

    def test_data_that_both_sides_share_are_not_a_bound(self, run):
        (record,) = run("measured = bound = k * n**0.5")
        assert record["caught"] == 0


@pytest.mark.parametrize(
    "relation, left, right, caught",
    [("<=", [1.0, 3.0], [2.0, 4.0], True), ("<=", [1.0], [2.5], False), ("==", [0], [0], True), ("==", [2], [2], True)],
)
def test_another_constant(relation, left, right, caught):
    a, b, exact = ledger._sides("lemma-9", left, right)
    assert mutation.fails((a, mutation.perturbed(b, relation), exact), relation, 1e-9, 0.0) is caught


@pytest.mark.parametrize(
    "formula, variants",
    [
        ("x ** k", [["x ** (k - 1)", "x ** (k + 1)"]]),
        ("sqrt(x)", [["x ** 0", "x ** 1"]]),
        ("n * 3", [["n ** 0 * 3", "n ** 2 * 3"]]),
        ("3 / net.W", [["3 / net.W ** 0", "3 / net.W ** 2"]]),
        ("[0] * n", []),
        ("a[2 * n] + len(range(n * k)) + zeros(n * k)", []),
        ("[1 for i in range(5) if n * k]", []),
        ("f'{n ** 2}'", []),
        ("n + k", []),
    ],
)
def test_exponents_of_a_formula(formula, variants):
    tree = ast.parse(formula, mode="eval")
    found = [[ast.unparse(formulas.replaced(tree, node, v)) for v in near] for node, near in formulas.sites(tree)]
    assert found == variants
    assert ast.unparse(tree) == formula


def test_what_is_executed_again():
    cells = ["import numpy as np\nrng = np.random.default_rng(0)", "x = rng.random(3)", "y = []", "y.append(x)"]
    cells += ["other = 5", "z = [y, rng.random(2)]", "y = 0", "total = z"]
    chapter = formulas.Chapter(cells)
    assert chapter.slice(8, {"z"}) == {0, 1, 2, 3, 4, 6}
    assert chapter.rerun({4}, 8) == [1, 2, 3, 4, 6, 8]  # the generator starts again, and z keeps the list of its own
    assert chapter.rerun({6}, 8) == [1, 2, 3, 4, 6, 8]
    assert chapter.rerun(set(), 8) == [8]


def test_names_of_a_statement():
    (function,) = ast.parse("def f(x):\n    y = x + a\n    return [y * b for b in c]").body
    assert formulas.names(function) == ({"a", "c"}, {"f"}, set())
    (loop,) = ast.parse("for i in r:\n    t = []\n    t.append(i)\n    total += i\n    table[i] = 1").body
    assert formulas.names(loop)[2] == {"total", "table"}


# The page


@pytest.mark.parametrize("chapter", perturbations.chapters())
def test_the_code_is_that_of_the_notebook(chapter):
    path = ROOT / "book" / f"{chapter}.md"
    cells = [cell.source for cell in chapters.code_cells(chapters.read(path))]
    assert [cell.strip() for cell in perturbations.code_cells(path.read_text(encoding="utf-8"))] == cells


def test_the_command():
    assert make.parse(["mutate", "--claims", "02-uniform"]) == ("mutate", {"claims": True, "names": ["02-uniform"]})


def result(**changes):
    record = {
        "claim": "lemma-9",
        "relation": "<=",
        "constant": False,
        "caught": 0,
        "tried": 2,
        "side": "",
        "slack": 4.0,
    }
    return {"date": "2026-01-01", "commit": "abc", "code": "", "records": [{**record, "controls": 1, **changes}]}


CLAIM = {"id": "lemma-9", "label": "Lemma 9"}


def test_the_table_says_what_was_caught_and_why_not():
    text = "\n".join(perturbations.section([CLAIM], {"02-uniform": result()}, {"lemma-9": "No tight instance."}))
    assert "below 0.25 of itself" in text and "No tight instance." in text
    assert "  - not caught\n  - not caught\n  - caught\n  - 4×" in text
    assert "for 0 of 1 (0%), and something, the hypotheses counted in, for 1 of 1 (100%)" in text


def test_the_table_says_what_is_stale():
    text = "\n".join(perturbations.section([CLAIM], {"02-uniform": result()}, {}))
    assert "Lemma 9</a> (stale)" in text and "`02-uniform`" in text
    fresh = {name: {**result(), "code": perturbations.digest(name)} for name in perturbations.chapters()}
    assert "tale" not in "\n".join(perturbations.section([CLAIM], fresh, {}))


def test_without_a_result_there_is_no_table():
    assert perturbations.section([CLAIM], {}, {}) == []


def test_a_bound_of_the_package_that_the_chapter_names_is_part_of_its_digest(monkeypatch, tmp_path):
    for name, text in {
        "book/01-x.md": "```{code-cell} ipython3\na = outer()\n```\n",
        "sparse_core/bounds/a.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(perturbations, "ROOT", tmp_path)

    def digest(code):
        (tmp_path / "sparse_core" / "bounds" / "a.py").write_text(code)
        return perturbations.digest("01-x")

    code = "def outer():\n    return inner()\n\ndef inner():\n    return {}\n\ndef other():\n    return {}\n"
    assert digest(code.format(1, 1)) == digest(code.format(1, 2)) != digest(code.format(2, 1))
    assert digest(code.format(1, 1)) == digest(code.format(1, 1).replace("):\n", "):\n    '''Words.'''\n"))
