"""Learning curves: fresh samples, their means, and Student's intervals."""

import numpy as np
import pytest
from scipy import stats

from sparse_book.chapter_2 import learning_curves
from sparse_core.cube import fourier, hypercube
from sparse_core.learning.lowdegree import LowDegreeRegressor
from sparse_core.learning.risks import averaging_risk


def test_standardised_has_mean_zero_and_variance_one():
    h = learning_curves.standardised([5.0, 1.0, 2.0, -7.0])
    assert (h.mean(), h.var()) == pytest.approx((0, 1))
    assert learning_curves.standardised(np.array([5, 1, 2, -7], dtype=np.float32)).dtype == np.float64


@pytest.mark.parametrize("d, m", [(0, 1), (1, 2), (1, 3), (2, 2)])
def test_the_mean_over_all_samples_is_the_closed_form(d, m):
    majority = np.sign(hypercube.points(3).sum(axis=1)).astype(float)
    closed = averaging_risk(fourier.weight_by_degree(majority), d, m)
    assert learning_curves.expected_error(majority, d, m) == pytest.approx(closed, rel=1e-12)


def test_each_run_is_a_fit_to_a_fresh_sample_of_the_whole_cube_whose_labels_alone_are_noisy():
    h, seed, drawn = hypercube.character(0b1, hypercube.points(4)).astype(float), np.random.default_rng, set()
    model = LowDegreeRegressor(2, method="averaging")
    found = learning_curves.sample_risks(model, h, 50, 4, rng=seed(5))
    assert len(set(found)) == 4 and not hasattr(model, "coef_")
    assert np.array_equal(found, learning_curves.sample_risks(model, h, 50, 4, rng=seed(5)))
    model = LowDegreeRegressor(1, method="least_squares")
    assert learning_curves.sample_risks(model, h, 100, 2, rng=seed(6)) == pytest.approx(0, abs=1e-20)
    assert learning_curves.sample_risks(model, h, 100, 2, rng=seed(6), noise=lambda y: y + 1.0) == pytest.approx(1.0)
    learning_curves.sample_risks(
        model, np.arange(8.0), 200, 1, rng=seed(4), noise=lambda y: drawn.update(y.tolist()) or y
    )
    assert drawn == set(range(8))


def test_a_curve_has_the_mean_and_the_standard_error_of_its_runs():
    h, model = np.random.default_rng(7).standard_normal(16), LowDegreeRegressor(1)
    curve = learning_curves.learning_curve(model, h, [20.5, 80], 6, rng=np.random.default_rng(8))
    rng = np.random.default_rng(8)
    runs = [learning_curves.sample_risks(model, h, m, 6, rng=rng) for m in (20, 80)]
    assert curve.m.tolist() == [20, 80] and curve.runs == 6
    assert curve.mean == pytest.approx(np.mean(runs, axis=1))
    assert curve.error == pytest.approx(stats.sem(runs, axis=1))


def test_intervals_of_the_mean_are_students():
    runs = np.random.default_rng(9).standard_normal((1, 12))
    curve = learning_curves.Curve(np.array([1]), runs.mean(axis=1), stats.sem(runs, axis=1), 12)
    low, high = stats.ttest_1samp(runs[0], 0).confidence_interval(1 - 0.05 / 30)
    assert curve.half_width(together=30)[0] == pytest.approx((high - low) / 2)
