"""Set packing: the dynamic programme against every choice of sets."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_core.general import packing
from sparse_core.general.packing import pack

tables = st.integers(1, 3).flatmap(lambda m: st.lists(st.integers(-2, 9), min_size=2**m, max_size=2**m))


def by_enumeration(values, s, k):
    """The best total over all multisets of at most s sets, at most k of them on each point."""
    m = len(values).bit_length() - 1

    def fits(sets):
        return all(sum(mask >> i & 1 for mask in sets) <= k for i in range(m))

    choices = (sets for t in range(s + 1) for sets in combinations_with_replacement(range(1, len(values)), t))
    return max(sum(values[mask] for mask in sets) for sets in choices if fits(sets))


@given(tables, st.integers(0, 3), st.integers(1, 2))
def test_agrees_with_every_choice(values, s, k):
    assert pack(values, s, k).tolist() == [by_enumeration(values, t, k) for t in range(s + 1)]


def test_the_empty_set_is_worth_nothing():
    assert pack([7, 1], s=3, k=1).tolist() == [0, 1, 1, 1]


def test_more_sets_than_room_do_not_help():
    best = pack(np.random.default_rng(0).random(2**6), s=40, k=2)
    assert (np.diff(best) >= 0).all() and best[12] == best[40]
    assert np.diff(best)[:3] == pytest.approx(sorted(np.diff(best)[:3], reverse=True))


def test_the_table_may_be_as_large_as_the_limit(monkeypatch):
    monkeypatch.setattr(packing, "MAX_STATES", 3 * 2**2)  # t = 0, 1, 2 and two points of capacity 1
    assert pack([0, 3, 3, 5], s=2, k=1).tolist() == [0, 5, 6]
    monkeypatch.setattr(packing, "MAX_STATES", 3 * 2**2 - 1)
    with pytest.raises(ValueError, match="^2 points with k = 1 and s = 2 need a table of more than 11 numbers"):
        pack([0, 3, 3, 5], s=2, k=1)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([1, 2, 3], 1, 1), "power of two"),
        (([0, 1], -1, 1), "'s' must be at least 0"),
        (([0, 1], 1, 0), "'k' must be at least 1"),
        ((np.zeros(2**14), 14, 3), "14 points with k = 3 and s = 14"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        pack(*arguments)
