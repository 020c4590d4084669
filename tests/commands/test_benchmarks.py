"""The measuring itself: what a side returns, takes and breaks on is recorded. No time is asserted."""

import inspect
import json
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

import make
import sparse_core
from sparse_core.cube import hypercube
from tests.benchmarks import report
from tests.benchmarks import run as bench
from tests.benchmarks.harness import Case, Run, pairs
from tests.benchmarks.peers import expansion, order, samples

MB = 1 << 17  # doubles


# Sides of the cases below: each runs in a process of its own


def base(n):
    return lambda: np.arange(n, dtype=float)


def shifted(n):
    return Run(lambda: np.arange(n) + 1.0, lambda result: result - 0.5, facts={"operations": n})


def shorter(n):
    return lambda: np.arange(n - 1)


def greedy(n):
    return lambda: np.ones(1 << 40)


def missing(n):
    import a_library_that_nobody_has

    return a_library_that_nobody_has


def talkative(n):
    print("{not json")
    return base(n)


def crashing(n):
    import os

    os._exit(3)


def endless(n):
    def run():
        while True:
            pass

    return run


def record(**sides):
    return pairs(Case("test", {"base": base, **sides}, {"n": 10}), rounds=2)


def test_sides_take_turns_and_are_compared():
    found = record(shifted=shifted, shorter=shorter, talkative=talkative)
    assert found["args"] == {"n": 10}
    assert [len(side["seconds"]) for side in found["sides"].values()] == [2, 2, 2, 2]
    assert found["differences"] == {"shifted": 0.5 / 9, "shorter": float("inf"), "talkative": 0}
    assert found["sides"]["shifted"]["operations"] == 10
    times = [found["sides"][name]["seconds"] for name in ("shifted", "base")]
    ratios = sorted(one / other for one, other in zip(*times, strict=True))
    assert found["ratios"]["shifted"] == [ratios[0], pytest.approx(sum(ratios) / 2), ratios[1]]
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(
    ("side", "reason"),
    [
        (missing, "ModuleNotFoundError: No module named 'a_library_that_nobody_has'"),
        (greedy, "out of memory: Unable to allocate 8.00 TiB"),
        (crashing, "its process ended with code 3"),
    ],
)
def test_a_side_that_breaks_is_recorded_with_its_reason(side, reason):
    found = record(side=side)
    assert found["sides"]["side"]["failed"].startswith(reason)
    assert (found["ratios"]["side"], found["differences"]["side"]) == (None, None)
    assert len(found["sides"]["base"]["seconds"]) == 2
    assert reason in bench.line("test", found)


def test_a_side_that_does_not_end_is_stopped():
    found = pairs(Case("test", {"endless": endless}, {"n": 10}, limit=2.0))
    assert found["sides"]["endless"] == {"seconds": [], "failed": "stopped after 2 s"}


# The cases


def test_every_case_has_a_name_of_its_own_and_sides_that_take_its_arguments():
    assert len({case.name for case in bench.CASES}) == len(bench.CASES) > 30
    for case in bench.CASES:
        for side in case.sides.values():
            assert inspect.signature(side).bind(**case.args)
    assert {case.group for case in bench.CASES if case.quick} > {"copy", "walsh", "coefficients", "regression"}


def test_scikit_learns_monomials_are_ours_in_another_order():
    X, y = samples(6, 3, 40)
    features = expansion(3).fit_transform(X.astype(float))
    ours = np.array([np.prod(X[:, [i for i in range(6) if T >> i & 1]], axis=1) for T in hypercube.monomials(6, 3)])
    assert np.array_equal(features, ours[order(6, 3)].T)
    assert set(samples(6, 3, 40, "signs")[1]) == {-1.0, 1.0}


def test_the_package_imports_no_peer():
    modules = [module.name for module in pkgutil.walk_packages(sparse_core.__path__, "sparse_core.")]
    script = f"""
import importlib, sys
for name in {modules!r}:
    importlib.import_module(name)
print(sorted({{"tests", "boofun", "boolforge", "galois", "pyfwht", "pypuf", "sympy"}} & set(sys.modules)))
"""
    assert len(modules) > 30
    assert subprocess.check_output([sys.executable, "-c", script], text=True) == "[]\n"


# The command


@pytest.fixture
def here(monkeypatch, tmp_path):
    """The command with two small cases, keeping its records in a folder of the test."""
    cases = [Case("first", {"base": base}, {"n": 1}, quick=True), Case("second", {"base": base}, {"n": 2})]
    monkeypatch.setattr(bench, "CASES", cases)
    monkeypatch.setattr(bench, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(bench, "UNFINISHED", tmp_path / "_build" / "bench.json")
    return tmp_path


def test_a_complete_run_is_kept_and_a_part_of_one_is_not(here, capsys):
    assert bench.main(["--quick"]) == bench.main(["--only", "second"]) == 0
    assert not list(here.iterdir())
    assert bench.main([]) == 0
    kept = json.loads((here / "results.json").read_text())
    assert list(kept["cases"]) == ["first n=1", "second n=2"]
    assert {"date", "commit", "machine", "versions"} < kept.keys()
    assert kept["versions"]["numpy"] == np.__version__
    assert not bench.UNFINISHED.exists()
    assert [text.strip() for text in capsys.readouterr().out.splitlines() if "=" in text] == [
        "first n=1",
        "second n=2",
        "first n=1",
        "second n=2",
    ]


@pytest.mark.parametrize(
    "words, code, said",
    [
        (["--only", "rank rows=600 columns=512 p=2"], 0, "difference 0e+00"),
        (["--only", "nothing"], 1, "bench: stopped: there is no case 'nothing'; the groups are copy, product, walsh, "),
        (["--all"], 1, "unrecognized arguments: --all"),
    ],
)
def test_from_the_command_line(words, code, said, monkeypatch, capfd):
    monkeypatch.setenv("COMPANION_NO_VENV", "1")
    assert make.main(["bench", *words]) == code
    output, errors = capfd.readouterr()
    assert said in output + errors
    assert "p=5" not in output


# The page


@pytest.fixture(scope="module")
def kept():
    """The records of two cases, one of them with a side that failed."""
    cases = [
        Case("sums", {"base": base, "shifted": shifted}, {"n": 10}),
        Case("sums", {"base": base, "missing": missing}, {"n": 20}),
        Case("other", {"shifted": shifted}, {"n": 10}),
    ]
    return {"cases": {case.name: pairs(case, rounds=2) for case in cases}}


def test_the_report_has_a_row_for_each_side(kept):
    table = report.table(report.select(kept, "sums"))
    assert table["size"] == ["n = 10", "", "n = 20", ""]
    assert table["side"] == ["base", "shifted", "base", "missing"]
    assert table["time"][3] == "failed" and table["difference"] == ["", "6e-02", "", ""]
    assert report.select(kept, "sums", n=20) == [kept["cases"]["sums n=20"]]
    assert report.failures(kept) == {
        "case": ["sums n=20"],
        "side": ["missing"],
        "reason": ["ModuleNotFoundError: No module named 'a_library_that_nobody_has'"],
    }
    assert report.failures({"cases": {}}) == {}


def test_the_kept_results_are_of_every_case():
    results = report.load()
    assert list(results["cases"]) == [case.name for case in bench.CASES]
    assert {"date", "commit", "machine", "versions"} < results.keys()
