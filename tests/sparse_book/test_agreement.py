"""The comparison of formulas with the package: settings in their domains, and a changed constant is noticed."""

import numpy as np
import pytest

from sparse_book import agreement, ledger
from sparse_core.bounds import ours


def test_settings_are_in_their_ranges_and_leave_room_for_sparsity():
    chosen = agreement.settings(["k", "s", "n", "W"], np.random.default_rng(3), count=200)
    assert all(1 <= one["k"] <= one["s"] / 2 and 2 <= one["n"] <= 60 and 0.3 <= one["W"] <= 3 for one in chosen)
    assert len({one["s"] for one in chosen}) > 50 and type(chosen[0]["k"]) is int


def test_a_record_names_the_seed_of_its_settings():
    assert agreement.compare("eq-U", "eq_U", lambda k, W: k * W, lambda k, W: W * k, seed=4).seed == 4


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_a_constant_that_is_changed_in_one_place_is_noticed(factor):
    with pytest.raises(ledger.LedgerError, match="ours-tail-from-sensitivity fails on 40 of 40 settings"):
        agreement.compare(
            "ours-tail-from-sensitivity", "tail", ours.tail_from_average_sensitivity,
            lambda AS, d: factor * AS / (d + 1), seed=0,
        )  # fmt: skip
