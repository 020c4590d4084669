"""The measuring itself: what a side returns, takes and breaks on is recorded. No time is asserted."""

import contextlib
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
from tests.benchmarks import limits, report
from tests.benchmarks import run as bench
from tests.benchmarks.harness import Case, pairs
from tests.benchmarks.samples import expansion, order, samples
from tests.commands.sides import base, crashing, endless, greedy, missing, shifted, shorter, talkative


def record(twice=(), **sides):
    return pairs(Case("test", {"base": base, **sides}, {"n": 10}, twice=twice), rounds=2)


def test_sides_take_turns_and_are_compared(monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")
    found = record(("base", "shifted"), shifted=shifted, shorter=shorter, talkative=talkative)
    assert found["args"] == {"n": 10}
    assert [len(side["seconds"]) for side in found["sides"].values()] == [2] * 6
    assert found["differences"] == {
        "base, 2 threads": 0,
        **dict.fromkeys(("shifted", "shifted, 2 threads"), 0.5 / 9),
        "shorter": float("inf"),
        "talkative": 0,
    }
    facts = [[found["sides"][name][fact] for fact in ("threads", "core")] for name in ("shifted", "shifted, 2 threads")]
    assert facts == [["1", None], ["2", None]]
    times = [found["sides"][name]["seconds"] for name in ("shifted", "base")]
    ratios = sorted(one / other for one, other in zip(*times, strict=True))
    assert found["ratios"]["shifted"] == [ratios[0], pytest.approx(sum(ratios) / 2), ratios[1]]
    assert json.loads(json.dumps(found)) == found
    assert [row["same bits"] for row in report.cores({"cases": {"test": found}})] == ["yes"]


@pytest.mark.parametrize(
    ("side", "reason"),
    [
        (missing, "ModuleNotFoundError: No module named 'a_library_that_nobody_has'"),
        (greedy, "out of memory: Unable to allocate 2.00 EiB"),
        (crashing, "its process ended with code 3"),
    ],
)
def test_a_side_that_breaks_is_recorded_with_its_reason(side, reason):
    found = record(side=side)
    assert found["sides"]["side"]["failed"].startswith(reason)
    assert (found["ratios"]["side"], found["differences"]["side"]) == (None, None)
    assert len(found["sides"]["base"]["seconds"]) == 2
    assert reason in report.told(found, "side")


def test_a_side_that_does_not_end_is_stopped():
    found = pairs(Case("test", {"endless": endless}, {"n": 10}, limit=2.0))
    assert found["sides"]["endless"] == {"seconds": [], "failed": "stopped after 2 s"}


# The cases


def test_every_case_has_a_name_of_its_own_and_sides_that_take_its_arguments():
    assert len({case.name for case in bench.CASES}) == len(bench.CASES) > 30
    for case in bench.CASES:
        assert set(case.twice) <= set(case.sides)
        for side in case.sides.values():
            assert inspect.signature(side).bind(**case.args)
    groups = {case.group for case in bench.CASES}
    assert {case.group for case in bench.CASES if case.quick} == groups > {*limits.LIMITS, *limits.GOALS}


def test_scikit_learns_monomials_are_ours_in_another_order():
    X, y = samples(6, 3, 40)
    features = expansion(3).fit_transform(X.astype(float))
    ours = np.array([np.prod(X[:, [i for i in range(6) if T >> i & 1]], axis=1) for T in hypercube.monomials(6, 3)])
    assert np.array_equal(features[:, order(6, 3)], ours.T)
    assert set(samples(6, 3, 40, "signs")[1]) == {-1.0, 1.0}


def test_the_package_imports_no_peer():
    modules = [module.name for module in pkgutil.walk_packages(sparse_core.__path__, "sparse_core.")]
    script = f"""
import importlib, sys
for name in {modules!r}:
    importlib.import_module(name)
print(sorted({{"tests", "boofun", "boolforge", "dask", "flint", "pyfwht"}} & set(sys.modules)))
"""
    assert len(modules) > 30
    assert subprocess.check_output([sys.executable, "-c", script], text=True) == "[]\n"


# The command


def test_a_complete_run_is_kept_and_a_part_of_one_only_where_it_is_told(monkeypatch, tmp_path, capsys):
    cases = [Case("first", {"base": base}, {"n": 1}, quick=True), Case("second", {"base": base}, {"n": 2})]
    monkeypatch.setattr(bench, "CASES", cases)
    monkeypatch.setattr(bench, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(bench, "UNFINISHED", tmp_path / "_build" / "bench.json")
    assert bench.main(["--quick"]) == bench.main(["--only", "second"]) == 0
    assert not list(tmp_path.iterdir())
    assert bench.main(["--quick", "--output", str(tmp_path / "part.json")]) == bench.main([]) == 0
    part, kept = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("part", "results"))
    assert (part["complete"], list(part["cases"])) == (False, ["first n=1"])
    assert (kept["complete"], list(kept["cases"])) == (True, ["first n=1", "second n=2"])
    assert kept["versions"]["numpy"] == np.__version__
    assert not bench.UNFINISHED.exists()
    assert capsys.readouterr().out.count("first n=1") == 3


def test_without_git_the_commit_is_not_recorded(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert bench.commit() is None


@pytest.mark.parametrize(
    "words, code, said",
    [
        (["--only", "rank rows=600 columns=512 p=2"], 0, "0e+00"),
        (["--only", "nothing"], 2, "bench: stopped: there is no case 'nothing'; the groups are copy, product, step, "),
        (["--all"], 2, "unrecognized arguments: --all"),
    ],
)
def test_from_the_command_line(words, code, said, monkeypatch, capfd):
    monkeypatch.setenv("COMPANION_NO_VENV", "1")
    with pytest.raises(SystemExit) if code else contextlib.nullcontext() as ended:
        assert make.main(["bench", *words]) == 0
    assert not code or ended.value.code == code
    output, errors = capfd.readouterr()
    assert said in output + errors
    assert "p=5" not in output


# The page


def made(group, args, seconds, **facts):
    return {
        "group": group,
        "args": args,
        "sides": {"sparse_core": {"seconds": [seconds], "peak_mb": 3, **facts}},
        "ratios": {},
        "differences": {},
    }


def test_the_limit_is_the_least_work_at_the_rates_of_the_run():
    """A product at 10^9 operations a second: 2 m D = 2 * 500 * 11 operations take 11 microseconds at least."""
    rate = made("product", {"precision": "float64"}, 2.0, amount=2 * 10**9)
    cases = [made("coefficients", {"n": 4, "d": 2, "m": 500}, x) for x in (22e-6, 110e-6)]
    results = {"cases": dict(enumerate([rate, *cases]))}
    assert [report.fraction(results, case) for case in cases] == [pytest.approx(0.5), pytest.approx(0.1)]
    assert report.fraction(results, rate) is None
    assert "1 of 2" in report.limits(results)["below 25%"]
    assert report.table(cases, results)["of the limit"] == ["50%", "10%"]


def test_exponents_are_slopes_against_the_predictions():
    sizes = [10**3, 10**4, 10**5]
    args = [{"n": 4, "d": 2, "m": m} for m in sizes]
    cases = [made("growth: more samples", a, 1e-6 * a["m"] ** 1.5) for a in args]
    row = report.exponents({"cases": dict(enumerate(cases))})
    assert (row["time, fitted"], row["memory, fitted"]) == (["1.50"], ["0.00"])


def test_the_report_has_a_row_for_each_case():
    cases = [
        Case("sums", {"base": base, "shifted": shifted}, {"n": 10}),
        Case("sums", {"base": base, "missing": missing}, {"n": 20}),
    ]
    kept = {"cases": {case.name: pairs(case, rounds=2) for case in cases}}
    table = report.table(report.select(kept, "sums"), kept)
    assert table["case"] == ["n = 10", "n = 20"]
    assert table["others"][0].startswith("shifted ") and table["others"][0].endswith(", difference 6e-02")
    assert table["others"][1] == "missing failed: ModuleNotFoundError: No module named 'a_library_that_nobody_has'"


def test_the_kept_results_are_of_the_cases():
    results = report.load()
    names = [case.name for case in bench.CASES]
    assert [name for name in names if name in results["cases"]] == list(results["cases"])
    assert results["complete"] == (len(results["cases"]) == len(names))
