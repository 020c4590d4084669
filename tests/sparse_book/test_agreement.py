"""The comparison of formulas with the package: settings in their domains, and a changed constant is noticed."""

import numpy as np
import pytest

from sparse_book import agreement, ledger
from sparse_core.bounds import ours


def test_settings_are_in_their_ranges_and_leave_room_for_sparsity():
    chosen = agreement.settings(["k", "s", "n", "W"], np.random.default_rng(3), count=200)
    assert all(1 <= one["k"] <= one["s"] / 2 and 2 <= one["n"] <= 60 and 0.3 <= one["W"] <= 3 for one in chosen)
    assert len({one["s"] for one in chosen}) > 50 and type(chosen[0]["k"]) is int


def test_equal_functions_give_a_record_that_names_its_settings():
    record = agreement.compare(
        "ours-lemma-6-constant", "lemma_6", ours.lemma_6, lambda p, n: ours.lemma_6(p, n), seed=4
    )
    assert (record.evidence, record.count, record.seed) == ("sampled", agreement.SETTINGS, 4)
    assert record.over == "settings: lemma_6 and the formula"


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_a_constant_that_is_changed_in_one_place_is_noticed(factor):
    with pytest.raises(ledger.LedgerError, match="ours-tail-from-sensitivity fails on 40 of 40 settings"):
        agreement.compare(
            "ours-tail-from-sensitivity", "tail", ours.tail_from_average_sensitivity,
            lambda AS, d: factor * AS / (d + 1), seed=0,
        )  # fmt: skip
