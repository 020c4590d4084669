"""The pictures: what they draw is what the package computes, and without a script they say it too."""

import json

import numpy as np
import pytest

from sparse_book import pictures
from sparse_book.small_samples import THREE_POINTS
from sparse_core.general import rademacher


@pytest.mark.parametrize("one", pictures.choices(), ids=lambda one: str(one.signs))
def test_two_neurons_follow_the_signs_as_well_as_any_two(one):
    active = one.values > 0
    assert active.sum(axis=0).max() == 1  # never both at one point
    assert one.correlation == pytest.approx(rademacher.empirical(THREE_POINTS / 6**0.5, one.signs, 2, 1))
    by_hand = [max(value, 0) * sign for value, sign in zip(one.values[0], one.signs, strict=True)]
    assert one.sums[0] == one.outputs[0] * sum(by_hand)


def test_three_squares_decide_the_sum_that_is_checked_by_hand():
    assert 1.41**2 < 2 and 4.12**2 < 17 and 2.45**2 > 6
    assert 3 + 2 * 1.41 + 4.12 > 4 * 2.45
    mean = sum(one.correlation for one in pictures.choices()) / 8
    assert 18 * mean == pytest.approx(3 + 2 * 2**0.5 + 17**0.5 + 2 * 6**0.5)  # 3 sums of 1 and 2 sqrt(2/3), and others


def test_the_sign_of_every_point_where_the_neuron_of_a_pattern_is_active_is_positive():
    figure = pictures.patterns()
    assert "2 of 10 rows" in figure.alt and "4 points" in figure.alt
    tosses = np.array(json.loads(figure.given)["tosses"])
    assert tosses.shape == (6, 10, 3) and len(np.unique(tosses.reshape(6, -1), axis=0)) == 6
