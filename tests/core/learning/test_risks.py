"""Exact risks: against predictions on the whole cube; the statistics of learning curves."""

import numpy as np
import pytest
from scipy import stats

from sparse_core.cube import fourier, hypercube
from sparse_core.learning import risks
from sparse_core.learning.lowdegree import LowDegreeRegressor

METHODS = ("averaging", "least_squares", "threshold")


def fitted(method, n, seed):
    rng = np.random.default_rng(seed)
    X = rng.choice([-1, 1], (200, n))
    ridge = 0.01 if method == "least_squares" else 0.0
    labels = X[:, 0] * X[:, 1] + 0.2 * rng.standard_normal(200)
    return LowDegreeRegressor(2, method=method, ridge=ridge).fit(X, labels)


@pytest.mark.parametrize("method", METHODS)
def test_the_risk_is_the_mean_squared_error_on_the_whole_cube(method):
    h = np.random.default_rng(1).standard_normal(64)
    model = fitted(method, 6, 0)
    error = np.mean((model.predict(hypercube.points(6)) - h) ** 2)
    assert risks.risk(model, fourier.walsh_transform(h)) == pytest.approx(error)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [7, 70])
def test_the_risk_from_the_coefficients_that_are_not_zero(method, n):
    # the target and the model depend on a few coordinates that are known, so other points decide nothing
    model, target = fitted(method, n, 2), {(0, 1): 1.0, (): -0.5, (0, 3, 5): 2.0}
    names = model.monomials_ if n > 62 else [[i for i in range(n) if T >> i & 1] for T in model.monomials_.tolist()]
    found = {tuple(i for i in T if i >= 0): c for T, c in zip(names, model.coef_, strict=True)}
    gaps = [found.get(T, 0) - target.get(T, 0) for T in set(found) | set(target)]
    assert risks.risk(model, target) == pytest.approx(np.sum(np.square(gaps)))
    if n == 7:
        table = np.zeros(2**n, np.float32)
        table[[0b11, 0, 0b101001]] = 1.0, -0.5, 2.0
        assert risks.risk(model, table) == pytest.approx(risks.risk(model, target))


@pytest.mark.parametrize("n", [3, 70])
def test_the_sets_of_a_target_are_read_in_any_order_and_refused_by_name(n):
    X = np.ones((8, n))
    X[:, :3] = hypercube.points(3)
    model = LowDegreeRegressor(2, method="averaging").fit(X, X[:, 0] * X[:, 1])
    assert risks.risk(model, {(1, 0): 1.0}) == risks.risk(model, {(0, 1): 1.0})
    assert n > 3 or risks.risk(model, {(1, 0): 1.0}) == 0
    for sets, error, words in [
        ({1: 1.0}, TypeError, "must have tuples of coordinates as keys, not 1"),
        ({(0, n): 1.0}, ValueError, f"must be at most {n - 1}, not {n}"),
        ({(0.5,): 1.0}, TypeError, "must be an integer, not 0.5"),
        ({(0, 0): 1.0}, ValueError, r"must name each set once and by different coordinates, not \(0, 0\)"),
        ({(0, 1): 1.0, (1, 0): 1.0}, ValueError, r"must name each set once .*, not \(1, 0\)"),
        ({(0,): np.nan}, ValueError, "must be finite, not nan"),
        ([0.0, 1.0], ValueError, f"must have length 2\\*\\*{n}, not 2"),
    ]:
        with pytest.raises(error, match=f"Argument 'coefficients' {words}"):
            risks.risk(model, sets)


def test_standardised_has_mean_zero_and_variance_one():
    h = risks.standardised([5.0, 1.0, 2.0, -7.0])
    assert (h.mean(), h.var()) == pytest.approx((0, 1))
    assert risks.standardised(np.array([5, 1, 2, -7], dtype=np.float32)).dtype == np.float64


def test_each_run_is_a_fit_to_a_fresh_sample_of_the_whole_cube_whose_labels_alone_are_noisy():
    h, seed, drawn = hypercube.character(0b1, hypercube.points(4)).astype(float), np.random.default_rng, set()
    model = LowDegreeRegressor(2, method="averaging")
    found = risks.sample_risks(model, h, 50, 4, rng=seed(5))
    assert len(set(found)) == 4 and not hasattr(model, "coef_")
    assert np.array_equal(found, risks.sample_risks(model, h, 50, 4, rng=seed(5)))
    model = LowDegreeRegressor(1, method="least_squares")
    assert risks.sample_risks(model, h, 100, 2, rng=seed(6)) == pytest.approx(0, abs=1e-20)
    assert risks.sample_risks(model, h, 100, 2, rng=seed(6), noise=lambda y: y + 1.0) == pytest.approx(1.0)
    risks.sample_risks(model, np.arange(8.0), 200, 1, rng=seed(4), noise=lambda y: drawn.update(y.tolist()) or y)
    assert drawn == set(range(8))


def test_a_curve_has_the_mean_and_the_standard_error_of_its_runs():
    h, model = np.random.default_rng(7).standard_normal(16), LowDegreeRegressor(1)
    curve = risks.learning_curve(model, h, [20.5, 80], 6, rng=np.random.default_rng(8))
    rng = np.random.default_rng(8)
    runs = [risks.sample_risks(model, h, m, 6, rng=rng) for m in (20, 80)]
    assert curve.m.tolist() == [20, 80] and curve.runs == 6
    assert curve.mean == pytest.approx(np.mean(runs, axis=1))
    assert curve.error == pytest.approx(stats.sem(runs, axis=1))


def test_intervals_of_the_mean_are_students():
    runs = np.random.default_rng(9).standard_normal((1, 12))
    curve = risks.Curve(np.array([1]), runs.mean(axis=1), stats.sem(runs, axis=1), 12)
    low, high = stats.ttest_1samp(runs[0], 0).confidence_interval(0.95)
    assert curve.half_width()[0] == pytest.approx((high - low) / 2)
    low, high = stats.ttest_1samp(runs[0], 0).confidence_interval(1 - 0.05 / 30)
    assert curve.half_width(together=30)[0] == pytest.approx((high - low) / 2)


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_learning_curves_agree_with_the_closed_forms(noise):
    """Averages over 100 samples, four standard errors. For least squares the form is an approximation: 2 % more."""
    n, degree, rng = 12, 2, np.random.default_rng(5)
    cube = hypercube.points(n)
    h = np.abs(cube[:, :6].sum(1) + cube[:, 6] * 1.5) + np.sign(cube[:, [0, 7, 8]].sum(1))
    h = risks.standardised(h)
    weights = fourier.weight_by_degree(h)
    assert 0.05 < weights[degree + 1 :].sum() < 0.5
    forms = {"averaging": (risks.averaging_risk, 0.0), "least_squares": (risks.least_squares_risk, 0.02)}

    def noisy(y):
        return y + np.sqrt(noise) * rng.normal(size=len(y))

    for m in (4 * 79, 8 * 79):
        for method, (form, slack) in forms.items():
            model = LowDegreeRegressor(degree, method)
            found = risks.sample_risks(model, h, m, 100, rng=rng, noise=noisy)
            expected = form(weights, degree, m, noise)
            assert abs(found.mean() - expected) <= 4 * found.std() / 10 + slack * expected


def test_the_closed_forms_by_hand():
    weights = [0.25, 0.5, 0.125, 0.125]  # n = 3
    assert risks.averaging_risk(weights, 1, 10) == pytest.approx(0.25 + (4 * 1 - 0.75) / 10)
    assert risks.averaging_risk(weights, 1, 10, noise=2) == pytest.approx(0.25 + (4 * 3 - 0.75) / 10)
    assert risks.least_squares_risk(weights, 1, 10) == pytest.approx(0.25 * (1 + 4 / 5))
    assert risks.least_squares_risk(weights, 1, 10, noise=2) == pytest.approx(0.25 + 2.25 * 4 / 5)
    assert risks.least_squares_risk(weights, 1, 6) == pytest.approx(0.25 * (1 + 4))
