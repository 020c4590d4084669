"""Moments of samples: direct sums, exact for integers, in little memory, from pieces that add."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_core.cube import hypercube
from sparse_core.learning import moments as module
from sparse_core.learning.moments import BLOCK, Moments, Monomials, Sample, values_of
from tests.core.naive import characters, peak_memory, sample

shapes = st.tuples(st.integers(0, 7), st.integers(0, 8), st.integers(0, 30), st.integers(0, 2**32 - 1))


@given(shapes, st.sampled_from(["signs", "integers"]))
def test_moments_of_integers_are_exact_sums(shape, labels):
    n, degree, m, seed = shape
    X, y = sample(n, m, seed, labels)
    moments = Moments(n, degree).update(X, y)
    naive = characters(X, min(degree, n)).T @ y if m else np.zeros(hypercube.dimension(n, degree))
    assert np.array_equal(moments.sums, naive) and moments.count == m


@pytest.mark.parametrize("n, degree", [(70, 1), (70, 2), (70, 3), (30, 4), (24, 5)])
@pytest.mark.parametrize("labels", ["integers", "signs"])
def test_the_order_is_that_of_the_supports_for_any_n(n, degree, labels):
    X, y = sample(n, 200, 3, labels)
    sums = Moments(n, degree).update(X, y).sums
    sets = [T for level in hypercube.supports(n, degree) for T in level.tolist()]
    assert len(sums) == len(sets)
    for i in np.random.default_rng(0).integers(0, len(sets), 300):
        assert sums[i] == np.dot(np.prod(X[:, sets[i]], axis=1), y)


@given(shapes, st.sampled_from([1, 3, 32]), st.sampled_from([1, 200, 1 << 19]))
def test_sums_and_values_are_products_with_the_explicit_matrix(shape, pivots, entries):
    n, degree, m, seed = shape
    X, y = sample(n, m, seed)
    c = np.random.default_rng(seed).normal(size=hypercube.dimension(n, degree))
    phi = characters(X, min(degree, n)) if m else np.zeros((0, len(c)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PIVOTS", pivots)
        patch.setattr(module, "ENTRIES", entries)
        chi = Monomials(X.T.astype(float), degree)
        assert chi.values(c) == pytest.approx(phi @ c, rel=1e-12, abs=1e-12)
        assert chi.sums(y) == pytest.approx(phi.T @ y, rel=1e-12, abs=1e-12)
        assert values_of(c, Sample(X, y), degree) == pytest.approx(phi @ c, rel=1e-12, abs=1e-12)
        assert Moments(n, degree).update(X, y).sums == pytest.approx(phi.T @ y, rel=1e-12, abs=1e-12)


@pytest.fixture
def seen(monkeypatch):
    """The types in which products are taken from now on; the transform takes none."""
    seen, plain = [], Monomials.__init__
    recorded = lambda self, X, degree: seen.append(X.dtype.name) or plain(self, X, degree)  # noqa: E731
    monkeypatch.setattr(Monomials, "__init__", recorded)
    return seen


@pytest.mark.parametrize(
    "labels, types",
    [
        ([1, -1, 1], {"float32"}),
        ([2, -1, 0], {"float32"}),
        ([2**12, 3, 1], {"float32"}),  # a block of 4096 has sums up to 2^24, which single precision counts to
        ([2**12 + 1, 3, 1], {"float64"}),
        ([0.5, 1, 1], {"float64"}),
        (np.array([0.5, 1, 1], dtype=np.float32), {"float32"}),
    ],
)
def test_small_integers_are_multiplied_in_single_precision(labels, types, seen):
    X, _ = sample(12, 3, 0)
    moments = Moments(12, 2).update(X, labels)
    assert set(seen) == types and np.allclose(moments.sums, characters(X, 2).T @ np.array(labels), rtol=1e-6)
    whole = Moments(12, 1).update(np.ones((4095, 12), dtype=np.int8), np.full(4095, labels[0]))
    assert whole.sums.tolist() == [4095 * labels[0]] * 13  # beyond 2^24 in double precision


def test_the_transform_is_taken_when_the_samples_of_an_array_are_many(seen):
    even = 10 * 2**10 // hypercube.dimension(10, 1)
    X, y = sample(10, even + 1, 0, "integers")
    Moments(10, 1).update(X[1:], y[1:])
    assert seen
    seen.clear()
    expected = Moments(10, 1).update(X, y)
    assert not seen
    shards = Moments(10, 1).update(X[1:], y[1:]).update(X[:1], y[:1])  # of which none is enough
    assert seen and np.array_equal(shards.sums, expected.sums)


def test_points_and_labels_are_checked_part_by_part(monkeypatch):
    monkeypatch.setattr("sparse_core.learning.moments.ENTRIES", 40)
    X, y = sample(4, 25, 0)
    assert Sample.checked(X, y).X is X and Sample.checked(X, y).y is y
    with pytest.raises(ValueError, match=r"'y' must be finite; entry \(24,\) is nan"):
        Sample.checked(X, np.append(y[:24], np.nan))
    X[24, 3] = 2
    with pytest.raises(ValueError, match=r"'X\[20:\]' must have .*; entry \(4, 3\) is 2"):  # 10 rows at a time
        Sample.checked(X, y)


@given(st.integers(0, 50), st.integers(1, 60))
def test_the_blocks_of_a_sample_make_it_up_with_labels_as_floats(m, size):
    X, y = sample(3, m, 0, "integers")
    blocks = list(Sample.checked(X, y).blocks(size))
    assert [len(block.y) for block in blocks] == [size] * (m // size) + [m % size] * (m % size > 0)
    assert np.array_equal(np.concatenate([X[:0], *(block.X for block in blocks)]), X)
    assert np.array_equal(np.concatenate([y[:0], *(block.y for block in blocks)]), y)
    assert all(block.y.dtype == np.float64 for block in blocks)
    assert (Sample.checked(X).y == np.ones(m)).all()


def test_a_memory_map_is_read_in_blocks_and_never_copied(tmp_path):
    X, y = sample(8, 200_000, 0)
    for name, array in {"X": X.astype(float), "y": y}.items():
        np.save(tmp_path / f"{name}.npy", array)
    points, labels = (np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in "Xy")
    expected = Moments(8, 1).update(X, y).sums
    found = Moments(8, 1)
    assert peak_memory(found.update, points, labels) < points.nbytes / 2
    assert np.array_equal(found.sums, expected)


@pytest.mark.parametrize("labels", ["normal", "signs", "integers"])
def test_an_update_is_all_or_nothing(labels, monkeypatch):
    X, y = sample(8, 5000, 0, labels)
    moments = Moments(8, 2).update(X[:100], y[:100])
    before = moments.sums
    add_sample = Moments._add_sample

    def interrupted(self, sample):
        add_sample(self, sample)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Moments, "_add_sample", interrupted)
        moments.update(X[:100], y[:100])
    with pytest.raises(ValueError, match="'X' must have 8 columns, not 7"):
        moments.update(X[:, :7], y)
    X[4999, 7] = 0
    with pytest.raises(ValueError, match=r"'X' must have entries -1 and 1 only; entry \(4999, 7\) is 0"):
        moments.update(X, y)
    assert np.array_equal(moments.sums, before) and moments.count == 100
    assert moments.update(X[:4999], y[:4999]).count == 5099


@pytest.mark.parametrize("n, degree, columns", [(16, 1, 4096), (16, 3, 4096), (64, 3, 260), (64, 4, 16)])
def test_as_many_characters_are_formed_as_fit_a_cache(n, degree, columns, monkeypatch):
    """2^19 of them, or those of 16 points if these are more."""
    shapes = []
    monkeypatch.setattr(Monomials, "__init__", lambda self, X, degree: shapes.append(X.shape))
    monkeypatch.setattr(Monomials, "sums", lambda self, y: 0.0)
    Moments(n, degree).update(sample(n, 4096, 0)[0], np.full(4096, 0.5))
    assert shapes[0] == (n, columns) and sum(m for _, m in shapes) == BLOCK == 4096


# --- Many samples ---


@pytest.mark.parametrize("labels", ["normal", "integers"])
def test_the_moments_of_pieces_add_in_any_order_to_the_bits_of_the_whole(labels):
    """Pieces of whole blocks do; those of other lengths to rounding, for labels that are no integers."""
    X, y = sample(12, 5 * BLOCK, 1, labels)
    whole = Moments(12, 3).update(X, y)
    for size, exact in ((BLOCK, True), (2 * BLOCK, True), (700, labels == "integers")):
        parts = [Moments(12, 3).update(X[i : i + size], y[i : i + size]) for i in range(0, len(X), size)]
        for order in (parts, parts[::-1]):
            total = sum(order, Moments(12, 3))
            assert total.count == len(X) and total.sums == pytest.approx(whole.sums, rel=0, abs=1e-9)
            assert np.array_equal(total.sums, whole.sums) or not exact


def test_both_ways_are_exact_for_signs_and_for_more_samples_than_single_precision_can_count(monkeypatch):
    """2^24 + 11 equal points: every sum is that number, which float32 does not have."""
    m = 2**24 + 11
    X, y = np.broadcast_to(np.array([[-1, 1]], dtype=np.int8), (m, 2)), np.broadcast_to(np.int8(1), m)
    expected = m * characters(X[:1], 2)[0]
    assert int(np.float32(m)) != m
    assert np.array_equal(Moments(2, 2).update(X, y).sums, expected)  # by the transform
    monkeypatch.setattr("sparse_core.learning.moments.TABLE_N", -1)
    assert np.array_equal(Moments(2, 2).update(X, y).sums, expected)  # by products of float32


def test_single_precision_is_accurate_to_single_precision_at_any_number_of_samples():
    X, y = sample(10, 1024, 0)
    single = Moments(10, 3)
    for _ in range(300):
        single.update(X, y.astype(np.float32))
    double = Moments(10, 3).update(X, y)
    assert 0 < np.abs(single.coefficients - double.coefficients).max() < 1e-7


@pytest.mark.parametrize("labels", ["normal", "signs"])
def test_memory_does_not_grow_with_the_number_of_samples(labels):
    """At most eight doubles per moment, a few pieces of the matrix, and a few shards at a time."""
    n, shards = 12, 800
    X, y = sample(n, 1024, 0)
    y = y if labels == "normal" else np.sign(y)
    moments = Moments(n, 3)
    limit = 8 * 8 * len(moments.sums) + 3 * 8 * 66 * 4096 + 64 * (X.nbytes + y.nbytes)  # C(12, 2) = 66
    peak = peak_memory(lambda: [moments.update(X.copy(), y.copy()) for _ in range(shards)])
    assert moments.count == shards * 1024 and peak < limit < shards * (X.nbytes + y.nbytes) / 2
