"""Values by hand: a line of ``by_hand.txt`` is a call and what it returns, written out; below, what takes a loop."""

import math

import numpy as np
import pytest

from sparse_book import halfspaces
from sparse_book.chapter_6 import grid_boxes
from sparse_core.bounds import ours, paper
from sparse_core.hardness import reductions
from sparse_core.network import SparseNetwork
from tests.core.calls import NAMES, table

BY_HAND = table("by_hand.txt")


@pytest.mark.parametrize("call, value", BY_HAND, ids=[call for call, _ in BY_HAND])
def test_by_hand(call, value):
    found, expected = (eval(text, {**vars(math), **NAMES}) for text in (call, value))
    assert found == pytest.approx(expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("bound", [ours.lemma_6, paper.lemma_6])
@pytest.mark.parametrize("p", [0, 1])
def test_a_constant_neuron_has_no_boundary(bound, p):
    assert bound(p, 5) == 0


@pytest.mark.parametrize(
    "first, tails", [(None, {0: 3.75, 1: 1.25, 2: 0.625, 5: 0.25}), (3.0, {0: 3.75, 1: 1, 2: 0.5, 3: 0.25, 5: 0.125})]
)
def test_tails_of_weight_3_at_degree_1_one_half_at_2_and_a_quarter_at_4(first, tails):
    """AS = 5 and Var = 3.75."""
    for d, tail in tails.items():
        assert ours.tail_from_average_sensitivity(5.0, d, 3.75, first) == pytest.approx(tail, rel=1e-12)


@pytest.mark.parametrize("r", [2, 3, 7, 10, 49, 1000])
def test_the_buckets_of_an_exact_correlation_are_not_lost_to_round_off(r):
    W = math.sqrt(paper.bucket_norm(5, 3, r))
    bound = paper.lemma_9(r, 3, 1, W, 2.0, form="repaired") / r
    assert paper.lemma_10(5, 3, 1, 1.0, 2.0, 1 - 2 / r, form="repaired") == pytest.approx(bound, rel=1e-12)


@pytest.mark.parametrize("D", [np.eye(5), [1, 0], [[1, 1], [0, 0]]])
def test_there_is_no_box_without_two_entries_on_each_side(D):
    assert grid_boxes.box_in(D) is None


def test_an_active_neuron_that_round_off_may_have_made_is_between_0_and_1():
    found = SparseNetwork([1], [[1, 1]], [0.3]).sparsity([[0.1, 0.2]])  # 0.1 + 0.2 > 0.3 by round-off
    assert (found.lower, found.upper, found.exact) == (0, 1, False)


@pytest.mark.parametrize("S", [[0, 3], (3, 0), {0, 3}, np.array([0, 3]), iter([0, 3])])
def test_a_parity_is_named_by_any_sequence_or_by_its_bits(S):
    assert np.array_equal(reductions.parity(S, 5).W, reductions.parity(0b1001, 5).W)


def test_threshold_functions_up_to_permuting_and_complementing_variables():
    """OEIS A000617; Muroga, Threshold Logic, 1971, table 2.3.2."""
    assert [len(halfspaces.canonical(n)) for n in range(6)] == [2, 3, 5, 10, 27, 119]
