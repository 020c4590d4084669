"""Exact risks: against predictions on the whole cube."""

import numpy as np
import pytest

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
@pytest.mark.parametrize("n", [7, 62, 63])
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
