"""The last mutation run: it speaks of the present sources, it killed enough, and each survivor is argued."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "mutation"))
import run as mutation

LEAST = 0.9  # the share of the mutants that the tests of their module must notice
RESULTS = mutation.read()


@pytest.mark.parametrize("module", mutation.modules())
def test_result_is_not_stale(module):
    assert module not in mutation.stale(RESULTS), f"stale: run `python3 make.py mutate {module}`"


def test_enough_mutants_are_killed():
    mutants, alive = mutation.totals(RESULTS)
    assert mutants > 5000
    assert alive <= (1 - LEAST) * mutants


@pytest.mark.parametrize("module", mutation.modules())
def test_each_survivor_is_argued(module):
    arguments = mutation.argued()
    survivors = [(module, s["function"], *s["change"]) for s in RESULTS.get(module, {}).get("survivors", [])]
    assert [s for s in survivors if len(arguments.get(s, "")) < 15] == []


def test_no_argument_speaks_of_a_dead_mutant():
    survivors = {(m, s["function"], *s["change"]) for m, record in RESULTS.items() for s in record["survivors"]}
    assert set(mutation.argued()) - survivors == set()


def test_changed_source_is_stale():
    module = mutation.modules()[0]
    record = {**RESULTS[module], "sources": "of another day"}
    assert module in mutation.stale({**RESULTS, module: record})


def test_a_module_without_result_is_stale():
    assert mutation.stale({}) == mutation.modules()
