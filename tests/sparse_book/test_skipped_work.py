"""What is left of one over the share of active neurons is what the stored networks and times say."""

from pathlib import Path

import numpy as np
import pytest

from sparse_book import skipped_work
from sparse_book.experiments import stockfish
from sparse_core.network import activity


def test_a_batch_reads_the_union_of_its_neurons_and_of_its_blocks():
    """Single neurons as in the proposition; blocks as in samples of independent neurons."""
    layer = skipped_work.Layer("", np.array([0, 1, 3, 8, 5, 2, 2, 4]), 8)
    for m in (1, 2, 5, 8):
        assert layer.read(1, m) == pytest.approx(activity.union(layer.counts, 8, m) / 8)
    rng = np.random.default_rng(0)
    column = np.arange(8)[:, None] < layer.counts  # where each neuron is active, before its inputs are shuffled
    read = [rng.permuted(column, axis=0)[:3].any(axis=0).reshape(-1, 2).any(axis=1).mean() for _ in range(4000)]
    assert layer.read(2, 3) == pytest.approx(np.mean(read), abs=0.01)


def test_the_engine_needs_fewer_blocks_than_if_its_neurons_were_independent():
    chess = skipped_work.layers()[1]
    active, blocks = (stockfish.stored()[f"17.1 {name}"].mean() / len(chess.counts) for name in ("active", "blocks"))
    assert chess.read(1, 1) == pytest.approx(active)
    assert 4 * blocks < chess.read(stockfish.BLOCK, 1)


def test_times_are_said_at_the_settings_that_they_were_measured_at():
    settings = [(one["neurons"], one["p"], one["b"], one["m"], one["name"]) for one in skipped_work.timed()]
    assert len(set(settings)) == len(settings)
    assert {(0, 0.03, 1, 1, "H100"), (0, 0.03, 1, 64, "H200"), (2, None, 4, 1, "engine")} <= set(settings)


def test_the_picture_can_be_read_and_says_its_numbers():
    figure = skipped_work.picture(p=0.1, m=4)
    assert not figure.faults
    assert "Of 10 times 2.9 are left for 4 inputs" in figure.alt


def test_the_page_says_how_much_faster_one_input_ran():
    page = (Path(__file__).parents[2] / "book" / "three-percent.md").read_text(encoding="utf-8")
    few, more = sorted(one["factor"] for one in skipped_work.timed() if (one["p"], one["m"]) == (0.03, 1))
    assert f"one input ran {few:.0f} and {more:.0f} times faster" in page


def test_chapter_9_says_at_which_batch_skipping_is_slower():
    text = (Path(__file__).parents[2] / "book" / "09-buys.md").read_text(encoding="utf-8")
    factors = [one["factor"] for one in skipped_work.timed() if (one["p"], one["m"]) == (0.03, 128)]
    assert len(factors) == 2 and max(factors) < 1 and "for 128 it is slower than the dense layer" in text
