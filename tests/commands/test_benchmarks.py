"""The measuring itself: the sides of a case agree, and what is kept of a run. No time is asserted."""

import inspect
import json

import numpy as np
import pytest
from companion.building import kept

import make
from sparse_core.cube import hypercube
from tests.benchmarks import report, run, speed
from tests.benchmarks.samples import expansion, order, samples


def test_every_case_has_a_name_of_its_own_and_sides_that_take_its_arguments():
    assert len({speed.named(case) for case in speed.CASES}) == len(speed.CASES) > 30
    for case in speed.CASES:
        for side in case.sides.values():
            assert inspect.signature(side).bind(**case.args)
    groups = {case.group for case in speed.CASES}
    assert {case.group for case in speed.CASES if case.quick} == groups - {"processes"}


def test_scikit_learns_monomials_are_ours_in_another_order():
    X, y = samples(6, 3, 40)
    features = expansion(3).fit_transform(X.astype(float))
    ours = np.array([np.prod(X[:, [i for i in range(6) if T >> i & 1]], axis=1) for T in hypercube.monomials(6, 3)])
    assert np.array_equal(features[:, order(6, 3)], ours.T)
    assert set(samples(6, 3, 40, "signs")[1]) == {-1.0, 1.0}


# The command


def bench(monkeypatch, capfd, tmp_path, *words):
    """The exit code of `make.py bench`, and what it says; a build of the site beside it is not waited for."""
    pytest.importorskip("pytest_benchmark")
    monkeypatch.setattr(kept, "BUILD", tmp_path / "_build")
    monkeypatch.setenv("COMPANION_NO_VENV", "1")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # a worker of these tests, which measures nothing
    try:
        code = make.main(["bench", *words])
    except SystemExit as ended:
        code = ended.code
    return code, "".join(capfd.readouterr())


def test_a_part_is_measured_and_kept_only_where_it_is_told(monkeypatch, capfd, tmp_path):
    before, path = report.RESULTS.read_bytes(), tmp_path / "part.json"
    code, said = bench(monkeypatch, capfd, tmp_path, "-m", "quick", "-k", "rank", f"--benchmark-json={path}")
    assert code == 0 and "2 passed" in said and "p=5" not in said
    kept = run.condensed(json.loads(path.read_text()), load=0.5)
    assert list(kept["cases"]) == ["rank rows=600 columns=512 p=2"]
    sides = kept["cases"]["rank rows=600 columns=512 p=2"]["sides"]
    assert list(sides) == ["sparse_core", "python-flint"] and kept["versions"]["numpy"] == np.__version__
    assert all(side["seconds"] > 0 and side["difference"] == 0 and "side" not in side for side in sides.values())
    assert report.RESULTS.read_bytes() == before


def test_what_measures_nothing_fails(monkeypatch, capfd, tmp_path):
    code, _ = bench(monkeypatch, capfd, tmp_path, "-k", "nothing")
    assert code not in (0, None)


def test_a_side_that_computes_something_else_ends_the_run(monkeypatch):
    """Or one that returns fewer numbers; the first side with two threads must have the same bits."""

    class Benchmark:
        pedantic = staticmethod(lambda call, rounds, iterations: call())

    def sides(shift, length=3):
        return {"first": lambda: lambda: np.arange(3.0), "second": lambda: lambda: np.arange(length) + shift}

    for shift, length, same in [(0, 3, True), (1e-7, 3, True), (1e-5, 3, False), (0, 1, False)]:
        monkeypatch.setattr(speed, "FIRST", {})
        case = speed.Case("test", sides(shift, length), {})
        speed.test_side(Benchmark(), case, "first")
        if same:
            speed.test_side(Benchmark(), case, "second")
        else:
            with pytest.raises(AssertionError):
                speed.test_side(Benchmark(), case, "second")
    changing = iter(np.arange(20) * 1e-9)
    case = speed.Case("changing", {"first": lambda: lambda: 1 + next(changing)}, {}, twice=True)
    assert [side.values[1] for side in speed.sides(case)] == ["first", "first" + report.TWO]
    speed.test_side(Benchmark(), case, "first")
    with pytest.raises(AssertionError):
        speed.test_side(Benchmark(), case, "first" + report.TWO)


# The page


def test_the_report_has_a_row_for_each_case_and_ratios_to_the_first_side():
    theirs = {"seconds": 0.5, "difference": 1e-7}
    sides = {"sparse_core": {"seconds": 0.25}, "sparse_core" + report.TWO: {"seconds": 0.2}, "theirs": theirs}
    kept = {"cases": {n: {"group": "sums", "args": {"n": n}, "sides": sides} for n in (10, 2000)}}
    table = report.table(report.select(kept, "sums"))
    assert table["case"] == ["n = 10", "n = 2,000"] and table["sparse_core"] == ["250 ms"] * 2
    assert table["others"][0].endswith("theirs 500 ms, 2 × as long, difference 1e-07")
    assert report.speeds(kept) == {"sums: theirs": [2, 2]}


def test_the_kept_results_are_of_the_cases():
    """All of them, unless a library could not be installed where they were measured."""
    kept = report.load()["cases"]
    named = {speed.named(case): [side.values[1] for side in speed.sides(case)] for case in speed.CASES}
    assert list(kept) == list(named)
    for name, record in kept.items():
        assert set(record["sides"]) <= set(named[name])
