"""What the chapters on experiments share."""

import numpy as np
import pytest

from sparse_book import runs
from sparse_book.figures import canvas


def test_a_split_has_each_image_once_and_depends_on_the_run():
    X, y, test, classes = runs.digits(0, 1)
    assert set(np.unique(X)) == {-1.0, 1.0} and len(X) + len(test) == 1797
    other = runs.digits(0, 2)
    assert not np.array_equal(X, other[0])
    whole = [np.sort(np.concatenate(part).view("i4").sum(axis=1)) for part in ((X, test), (other[0], other[2]))]
    assert np.array_equal(*whole) and set(y) == set(classes) == set(range(10))


def test_the_interval_is_students():
    values = np.random.default_rng(0).standard_normal((4000, 5))
    covered = np.abs(values.mean(axis=1)) <= runs.half_width(values.T)
    assert 0.94 < covered.mean() < 0.96
    assert runs.interval([1.0, 1.0]) == "1.00 ± 0.00"
    low, high = runs.confidence(values[0])
    assert ((low + high) / 2, (high - low) / 2) == pytest.approx((values[0].mean(), float(runs.half_width(values[0]))))


def test_means_are_drawn_with_their_intervals():
    _, ax = canvas()
    values = np.array([[1.0, 2], [3, 4], [5, 6]])
    runs.means(ax, [1, 2], values, color="black")
    assert ax.lines[0].get_ydata().tolist() == [3, 4]
    (first, _) = ax.collections[0].get_segments()
    assert first[:, 1] == pytest.approx(runs.confidence(values[:, 0]))


def test_the_overlap_of_splits_widens_an_interval_as_the_corrected_test_does():
    """Nadeau and Bengio: the variance is that of one split times 1/J + n_test/n_train."""
    values = np.array([1.0, 2.0, 4.0, 5.0])
    plain, wide = runs.half_width(values), runs.half_width(values, runs.OVERLAP)
    assert wide / plain == pytest.approx(np.sqrt(1 + 4 * 360 / 1437))
    assert runs.over_splits(values, 3) == runs.interval(values, 3, runs.OVERLAP) != runs.interval(values, 3)
    low, high = runs.confidence(values, runs.OVERLAP)
    assert (high - low) / 2 == pytest.approx(wide) and (high + low) / 2 == 3
