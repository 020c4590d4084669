"""The last mutation run: it speaks of the present sources, it killed enough, and each survivor is argued."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "mutation"))
import run as mutation

LEAST = 0.9  # the share of the mutants that the tests of their module must notice
FINISHED = [module for module in mutation.modules() if module not in mutation.UNFINISHED]
RESULTS = {module: record for module, record in mutation.read().items() if module in FINISHED}


@pytest.mark.parametrize("module", FINISHED)
def test_result_is_not_stale(module):
    assert module not in mutation.stale(RESULTS), f"stale: run `python3 make.py mutate {module}`"


def test_enough_mutants_are_killed():
    assert mutation.totals(RESULTS)[0] > 10_000
    for record in RESULTS.values():
        assert len(record["survivors"]) <= (1 - LEAST) * record["mutants"]


@pytest.mark.parametrize("module", FINISHED)
def test_each_survivor_is_argued(module):
    arguments = mutation.argued()
    survivors = [(module, s["function"], *s["change"]) for s in RESULTS.get(module, {}).get("survivors", [])]
    assert [s for s in survivors if len(arguments.get(s, "")) < 15] == []


def test_no_argument_speaks_of_a_dead_mutant():
    survivors = {(m, s["function"], *s["change"]) for m, record in RESULTS.items() for s in record["survivors"]}
    arguments = {argument for argument in mutation.argued() if argument[0] in FINISHED}
    assert arguments - survivors == set()


def test_every_module_is_finished_or_said_not_to_be():
    assert set(mutation.UNFINISHED) <= set(mutation.modules())
    assert set(RESULTS) == set(FINISHED)


def test_changed_source_is_stale():
    module = FINISHED[0]
    record = {**RESULTS[module], "sources": "of another day"}
    assert module in mutation.stale({**RESULTS, module: record})


def test_a_module_without_result_is_stale():
    assert mutation.stale({}) == mutation.modules()
