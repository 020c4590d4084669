"""Moments of many samples: exact beyond single precision, in memory that does not grow."""

import tracemalloc

import numpy as np
import pytest
from naive import characters, sample

from sparse_core.learning.moments import Moments


def test_all_three_ways_are_exact_for_signs_and_for_more_samples_than_single_precision_can_count(monkeypatch):
    """2^24 + 11 equal points: every sum is that number, which float32 does not have."""
    m = 2**24 + 11
    X, y = np.broadcast_to(np.array([[-1, 1]], dtype=np.int8), (m, 2)), np.broadcast_to(np.int8(1), m)
    expected = m * characters(X[:1], 2)[0]
    assert int(np.float32(m)) != m
    assert np.array_equal(Moments(2, 2).update(X, y).sums, expected)  # by the transform
    monkeypatch.setattr("sparse_core.learning.moments.TABLE_N", -1)
    assert np.array_equal(Moments(2, 2).update(X, y).sums, expected)  # by counting
    twos = np.full(2**16, 2, dtype=np.int8)
    blocks = Moments(2, 2).update((X[: 2**16], twos) for _ in range(2**8 + 1))
    assert np.array_equal(blocks.sums, 2 * (2**24 + 2**16) * characters(X[:1], 2)[0])  # by products of float32


def test_single_precision_is_accurate_to_single_precision_at_any_number_of_samples():
    X, y = sample(10, 1024, 0)
    single = Moments(10, 3).update((X, y.astype(np.float32)) for _ in range(300)).coefficients
    double = Moments(10, 3).update(X, y).coefficients
    assert 0 < np.abs(single - double).max() < 1e-7


@pytest.mark.parametrize("labels", ["normal", "signs"])
def test_memory_does_not_grow_with_the_number_of_samples(labels, monkeypatch):
    """At most eight doubles per moment, three factors, and the piece of the samples that is read at a time."""
    n, shards = 12, 300
    monkeypatch.setattr("sparse_core.learning.moments.CHUNK", 1 << 14)
    X, y = sample(n, 1024, 0)
    y = y if labels == "normal" else np.sign(y)
    moments = Moments(n, 3)
    rows, words = (1 << 14) // n, {"normal": 1024, "signs": (1 << 14) // n // 64}[labels]
    limit = 8 * moments._sums.nbytes + 3 * 8 * 66 * words + 4 * 16 * n * rows  # C(12, 2) = 66
    tracemalloc.start()
    moments.update((X.copy(), y.copy()) for _ in range(shards))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert moments.count == shards * 1024 and peak < limit < shards * (X.nbytes + y.nbytes) / 2
