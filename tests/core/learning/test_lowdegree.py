"""The low-degree estimators: against naive paths and closed forms, and as scikit-learn estimators."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

from sparse_core.cube import hypercube
from sparse_core.learning import lowdegree
from sparse_core.learning.lowdegree import LowDegreeRegressor
from sparse_core.learning.moments import Moments
from tests.core.naive import characters, sample


def majority(X, a, b, c):
    return np.sign(X[:, a] + X[:, b] + X[:, c].astype(float))


# --- The three methods ---


SHAPES = [(4, 0, 50), (6, 2, 50), (7, 3, 200), (5, 9, 50), (62, 1, 90), (26, 2, 600)]
CASES = [(method, *shape) for method in ("averaging", "least_squares") for shape in SHAPES]


@pytest.mark.parametrize("method, n, degree, m", [*CASES, ("averaging", 70, 2, 50)])
def test_coefficients_and_predictions_are_those_of_the_explicit_matrix(method, n, degree, m):
    (X, y), (Z, _) = sample(n, m, n), sample(n, 30, 99)
    phi = characters(X, degree)
    naive = phi.T @ y / m if method == "averaging" else np.linalg.lstsq(phi, y, rcond=None)[0]
    model = LowDegreeRegressor(degree, method).fit(X, y)
    assert model.coef_ == pytest.approx(naive, abs=1e-14 if method == "averaging" else 1e-9)
    assert model.predict(Z) == pytest.approx(characters(Z, degree) @ naive, abs=1e-8)


@pytest.mark.parametrize("n", [8, 70])
def test_threshold_is_least_squares_over_the_large_means(n):
    X, noise = sample(n, 300, n)
    y = 2 * majority(X, 1, 4, 6) + 0.5 + noise
    model = LowDegreeRegressor(2, "threshold", level=0.7).fit(X, y)
    features = characters(X, 2)
    means = features.T @ (y - y.mean()) / 300
    means[0] = y.mean()
    kept = np.abs(means) > 0.7 * np.sqrt(2 * np.log(len(means)) * np.var(y) / 300)
    assert 3 <= kept.sum() < 100
    assert model.coef_ == pytest.approx(np.linalg.lstsq(features[:, kept], y, rcond=None)[0], abs=1e-10)
    Z, _ = sample(n, 30, 99)
    assert model.predict(Z) == pytest.approx(characters(Z, 2)[:, kept] @ model.coef_, abs=1e-10)
    sets = [sum(1 << i for i in T) for level in hypercube.supports(n, 2) for T in level.tolist()]
    names = model.monomials_ if n <= 62 else [sum(1 << int(i) for i in T if i >= 0) for T in model.monomials_]
    assert list(names) == [sets[i] for i in np.flatnonzero(kept)]


@pytest.mark.parametrize("mean", [0.0, 1e6])
def test_a_large_mean_of_the_labels_lets_no_false_monomial_pass(mean):
    """With uncentred labels the means of y chi_T have variance (Var y + mean^2) / m: nearly all would pass."""
    X, noise = sample(12, 400, 3)
    y = mean + 5 * X[:, 2] + noise
    assert LowDegreeRegressor(2, "threshold").fit(X, y).monomials_.tolist() == [0] * (mean > 0) + [1 << 2]
    naive = np.abs(characters(X, 2).T @ y / 400) > np.sqrt(2 * np.log(79) * np.var(y) / 400)
    assert mean == 0 or naive.sum() > 70


def test_the_ends_of_a_threshold(monkeypatch):
    X, _ = sample(6, 50, 0)
    nothing = LowDegreeRegressor(2, "threshold").fit(X, np.zeros(50))
    assert len(nothing.coef_) == len(nothing.monomials_) == 0 and (nothing.predict(X) == 0).all()
    first = LowDegreeRegressor(2, "threshold").fit(X, 3.0 * X[:, 0] - 5.0 * X[:, 0] * X[:, 1])
    assert first.monomials_.tolist() == [1, 3] and first.coef_ == pytest.approx([3, -5])
    assert first.predict(X.astype(object)) == pytest.approx(first.predict(X))
    for value in (0.1, 1 / 3, 1e-8):  # a constant has no noise whatever the rounding
        constant = LowDegreeRegressor(2, "threshold").fit(X, np.full(50, value))
        assert constant.predict(X) == pytest.approx(np.full(50, value))
    cube, y = hypercube.points(2), np.array([1.0, 2.0, 4.0, 9.0])
    every = LowDegreeRegressor(2, "threshold", level=0).fit(cube, y)
    assert len(every.coef_) == 4 and every.predict(cube) == pytest.approx(y)
    X, noise = sample(8, 5001, 1)
    y = 2 * majority(X, 1, 4, 6) + noise
    whole, half = (LowDegreeRegressor(2, "threshold").fit(points, y) for points in (X, X.astype(np.float16)))
    assert half.coef_ == pytest.approx(whole.coef_, abs=1e-12)  # in double precision, whatever the type of the points
    monkeypatch.setattr(lowdegree, "BLOCK_ENTRIES", 1000)
    monkeypatch.setattr("sparse_core.learning.moments.ENTRIES", 1000)
    parts = LowDegreeRegressor(2, "threshold").fit(X, y)
    assert parts.coef_ == pytest.approx(whole.coef_) and parts.predict(X) == pytest.approx(whole.predict(X))


def test_monomials_name_the_coefficients_on_both_sides_of_a_machine_word():
    for n in (62, 63):
        X, y = sample(n, 300, n)
        model = LowDegreeRegressor(2).fit(X, y)
        first = model.monomials_[: n + 2]
        if n == 62:
            assert first.tolist() == [0] + [1 << j for j in range(62)] + [3]
        else:
            assert first.tolist() == [[-1, -1]] + [[j, -1] for j in range(63)] + [[0, 1]]
        y = 3.0 * X[:, 5] * X[:, n - 1]
        kept = LowDegreeRegressor(2, "threshold").fit(X, y)
        assert kept.monomials_.tolist() == ([1 << 5 | 1 << 61] if n == 62 else [[5, 62]])
        assert kept.coef_ == pytest.approx([3.0])


# --- As an estimator ---


def test_least_squares_takes_as_many_samples_as_monomials_or_a_ridge():
    X, y = hypercube.points(2), np.array([1.0, 2.0, 4.0, 9.0])
    model = LowDegreeRegressor(1, "least_squares").fit(X[:3], y[:3])
    assert model.coef_ == pytest.approx(np.linalg.solve(characters(X[:3], 1), y[:3]))
    assert (model.solver_, model.n_iter_) == ("gram", 0)
    ridged = LowDegreeRegressor(1, "least_squares", ridge=0.3).fit(X[:2], y[:2])
    phi = characters(X[:2], 1)
    assert ridged.coef_ == pytest.approx(np.linalg.solve(phi.T @ phi / 2 + 0.3 * np.eye(3), phi.T @ y[:2] / 2))


def test_a_fit_leaves_nothing_of_the_fit_before_and_keeps_its_degree():
    X, y = sample(6, 60, 0)
    model = LowDegreeRegressor(1, "least_squares").fit(X, y).set_params(method="threshold").fit(X, y)
    assert not hasattr(model, "solver_") and not hasattr(model, "n_iter_")
    model.set_params(method="averaging").fit(X, y).set_params(degree=2)
    assert model.predict(X) == pytest.approx(characters(X, 1) @ model.coef_)
    assert len(model.monomials_) == len(model.coef_) == 7


OPTIONS = [
    {"method": "averaging"},
    {"method": "least_squares"},
    {"method": "threshold", "level": 0.5},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(map(str, options.values())))
def test_scikit_learn_s_checks_pass_on_points_of_the_cube(options, monkeypatch):
    """All of check_estimator, its real data mapped to signs entry by entry, after scikit-learn's own validation."""
    validate = lowdegree.validate_data

    def on_the_cube(estimator, X, *args, **kwargs):
        valid = validate(estimator, X, *args, **kwargs)
        X, *y = valid if isinstance(valid, tuple) else (valid,)
        signs = 1 - 2 * (np.floor(7 * np.asarray(X, dtype=float)).astype(int) % 2)
        return (signs, *y) if y else signs

    monkeypatch.setattr(lowdegree, "validate_data", on_the_cube)
    results = check_estimator(LowDegreeRegressor(1, **options), on_skip=None)
    assert {result["status"] for result in results} <= {"passed", "skipped"} and len(results) > 40


@pytest.mark.parametrize("method", lowdegree.METHODS)
@pytest.mark.parametrize("n", [5, 63])
def test_the_names_of_the_features_are_those_of_the_monomials(method, n):
    X, _ = sample(n, 2000, 0)
    y = 3.0 * X[:, 0] * X[:, 3] - 2.0 * X[:, 1] + 5
    model = LowDegreeRegressor(2, method, ridge=0.1).fit(X, y)
    names = model.get_feature_names_out()
    assert len(names) == len(model.coef_) and {"1", "x1", "x0*x3"} <= {*names}
    found = dict(zip(names, model.coef_, strict=True))
    assert sorted(sorted(found, key=lambda name: -abs(found[name]))[:3]) == ["1", "x0*x3", "x1"]
    letters = [f"bit {j}" for j in range(n)]
    assert "bit 0*bit 3" in model.get_feature_names_out(letters)
    with pytest.raises(ValueError, match=rf"input_features should have length .* \({n}\), got 1"):
        model.get_feature_names_out(["a"])


def test_the_names_of_a_table_are_kept():
    model = LowDegreeRegressor(3).fit(hypercube.points(3), np.arange(8.0))
    model.feature_names_in_ = np.array(["rain", "wind", "sun"], dtype=object)  # as a fit to a data frame sets it
    assert model.get_feature_names_out()[-1] == model.get_feature_names_out(["rain", "wind", "sun"])[-1]
    assert model.get_feature_names_out().tolist()[3:6] == ["sun", "rain*wind", "rain*sun"]
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        model.get_feature_names_out(["sun", "wind", "rain"])
    model.fit(hypercube.points(3), np.arange(8.0))  # which forgets them
    assert model.get_feature_names_out().tolist()[1] == "x0"
    with pytest.raises(NotFittedError):
        LowDegreeRegressor().get_feature_names_out()


BITS = np.array([[0, 1, 1], [1, 0, 1]])


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, float, list])
def test_bits_are_refused_with_the_way_to_points(kind):
    """As everywhere in the package a bit of 1 is the sign -1, so that bits of row i of the cube are the bits of i."""
    X = BITS.tolist() if kind is list else BITS.astype(kind)
    with pytest.raises(ValueError, match=r"'X' must have entries -1 and 1 only.* Of bits: np.where\(X, -1, 1\)\.$"):
        LowDegreeRegressor(1).fit(X, [1.0, 2.0])
    assert np.where(X, -1, 1).tolist() == hypercube.points(3)[[6, 5]].tolist()
    LowDegreeRegressor(1).fit(np.where(X, -1, 1), [1.0, 2.0])


def test_truth_values_are_no_signs_even_where_all_are_true():
    for call in (lambda X: hypercube.character(1, X), hypercube.index, lambda X: LowDegreeRegressor(1).fit(X, [1, 2])):
        with pytest.raises(ValueError, match="Of bits: np.where"):
            call(np.ones((2, 3), dtype=bool))
    with pytest.raises(ValueError, match=r"entry \(0, 1\) is 0\.$"):  # no bits
        hypercube.index([[-1, 0]])


# --- Interruptions ---


@pytest.mark.parametrize("method", lowdegree.METHODS)
@pytest.mark.parametrize("fitted", [False, True])
def test_an_interrupted_fit_leaves_the_estimator_as_it_was(method, fitted, monkeypatch):
    X, y = sample(6, 200, 0)
    model = LowDegreeRegressor(1, method)
    if fitted:
        model.fit(X, y)
    before = vars(model).copy()

    def interrupt(self, *arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(Moments, "update", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(degree=2).fit(X[:, :5], y)
    assert vars(model) == {**before, "degree": 2}
    if not fitted:
        with pytest.raises(NotFittedError):
            model.predict(X)
