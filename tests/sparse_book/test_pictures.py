"""The pictures: what they draw is what the package computes, and without a script they say it too."""

import json

import numpy as np
import pytest

from sparse_book import pictures
from sparse_book.experiments import stockfish
from sparse_book.small_samples import THREE_POINTS
from sparse_core.general import rademacher
from sparse_core.network import activity


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


def test_a_batch_reads_the_union_of_its_neurons_and_of_its_blocks():
    """Single neurons as in the proposition; blocks as in samples of independent neurons."""
    layer = pictures.Layer("", np.array([0, 1, 3, 8, 5, 2, 2, 4]), 8)
    for m in (1, 2, 5, 8):
        assert layer.read(1, m) == pytest.approx(activity.union(layer.counts, 8, m) / 8)
    rng = np.random.default_rng(0)
    column = np.arange(8)[:, None] < layer.counts  # where each neuron is active, before its inputs are shuffled
    read = [rng.permuted(column, axis=0)[:3].any(axis=0).reshape(-1, 2).any(axis=1).mean() for _ in range(4000)]
    assert layer.read(2, 3) == pytest.approx(np.mean(read), abs=0.01)


def test_the_engine_needs_fewer_blocks_than_if_its_neurons_were_independent():
    chess = pictures.layers()[1]
    active, blocks = (stockfish.stored()[f"17.1 {name}"].mean() / len(chess.counts) for name in ("active", "blocks"))
    assert chess.read(1, 1) == pytest.approx(active)
    assert 4 * blocks < chess.read(stockfish.BLOCK, 1)


def test_times_are_said_at_the_settings_that_they_were_measured_at():
    settings = [(one["neurons"], one["p"], one["b"], one["m"], one["name"]) for one in pictures.timed()]
    assert len(set(settings)) == len(settings)
    assert {(0, 0.03, 1, 1, "H100"), (0, 0.03, 1, 64, "H200"), (2, None, 4, 1, "Engine")} <= set(settings)
