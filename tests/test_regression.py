"""Polynomial regression: three routes to one minimiser, against the explicit matrix of the monomials."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import characters, sample
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.preprocessing import PolynomialFeatures

from sparse_core import hypercube
from sparse_core.moments import Moments
from sparse_core.regression import choose, distance_kernel, gram, least_squares, solve
from sparse_core.sweep import Sweep

ROUTES = ("gram", "kernel", "cg")


@pytest.mark.parametrize("solver", ROUTES)
@pytest.mark.parametrize("n, degree, m", [(5, 0, 3), (5, 2, 40), (6, 3, 80), (3, 3, 60), (26, 2, 500), (70, 1, 200)])
def test_each_route_is_least_squares_on_the_explicit_matrix(solver, n, degree, m):
    X, y = sample(n, m, n + m)
    naive = np.linalg.lstsq(characters(X, degree), y, rcond=None)[0]
    fit = least_squares(X, y, degree, solver=solver)
    assert fit.solver == solver and fit.coefficients == pytest.approx(naive, abs=1e-9)


@pytest.mark.parametrize("solver", ROUTES)
@pytest.mark.parametrize("m", [30, 300])
def test_each_route_is_ridge_regression_on_the_explicit_matrix(solver, m):
    X, y = sample(8, m, m)
    naive = Ridge(alpha=0.1 * m, fit_intercept=False, solver="svd").fit(characters(X, 3), y).coef_
    assert least_squares(X, y, 3, ridge=0.1, solver=solver).coefficients == pytest.approx(naive, abs=1e-9)


@pytest.mark.parametrize("n, degree, m", [(6, 3, 3000), (10, 3, 20000)])
def test_many_samples_of_few_variables_go_through_the_transform(n, degree, m, monkeypatch):
    X, y = sample(n, m, n)
    naive = np.linalg.lstsq(characters(X, degree), y, rcond=None)[0]
    monkeypatch.delattr(Sweep, "forward")  # the transform has to do without it
    fit = least_squares(X, y, degree, solver="cg")
    assert fit.coefficients == pytest.approx(naive, abs=1e-10) and fit.steps > 0


def test_it_is_linear_regression_on_polynomial_features():
    X, y = sample(9, 400, 2)
    features = PolynomialFeatures(3, interaction_only=True, include_bias=False)
    other = LinearRegression().fit(features.fit_transform(X.astype(float)), y)
    c = least_squares(X, y, 3).coefficients
    assert characters(X, 3) @ c == pytest.approx(other.predict(features.transform(X.astype(float))), abs=1e-9)
    assert c[0] == pytest.approx(other.intercept_) and c[1:10] == pytest.approx(other.coef_[:9])


@pytest.mark.parametrize("solver", ROUTES)
def test_the_shortest_minimiser_where_the_samples_leave_a_choice(solver):
    """A constant coordinate makes two monomials equal: all routes share the weight, cg as well as its steps can."""
    X, y = sample(5, 200, 1)
    X[:, 4] = 1
    naive = np.linalg.pinv(characters(X, 2)) @ y
    c = least_squares(X, y, 2, solver=solver).coefficients
    assert c == pytest.approx(naive, abs=1e-9 if solver != "cg" else 1e-5)
    assert characters(X, 2) @ c == pytest.approx(characters(X, 2) @ naive, abs=1e-9)


@pytest.mark.parametrize("n, degree", [(0, 0), (1, 1), (5, 1), (5, 2), (6, 3), (5, 7), (23, 2), (25, 1), (70, 1)])
def test_the_gram_matrix_needs_only_the_moments_of_twice_the_degree(n, degree):
    X, _ = sample(n, 60, n)
    moments = Moments(n, 2 * degree).update(X, np.ones(60))
    naive = characters(X, degree)
    assert np.array_equal(gram(moments, degree), naive.T @ naive / 60)
    with pytest.raises(ValueError, match="'degree' must be at most"):
        gram(moments, degree + 1)


@given(st.integers(0, 8), st.integers(0, 9))
def test_the_kernel_depends_on_the_distance_alone(n, degree):
    X, _ = sample(n, 12, degree)
    naive = characters(X, degree) @ characters(X, degree).T
    distances = (X[:, None] != X).sum(axis=2)
    assert np.array_equal(distance_kernel(n, degree)[distances], naive)


def test_the_kernel_of_a_wide_cube_at_distance_0_counts_the_monomials():
    kernel = distance_kernel(256, 3)
    assert kernel[0] == hypercube.dimension(256, 3) and kernel[256] == 1 - 256 + 32640 - 2763520


def test_the_rule_takes_the_cheapest_route():
    assert choose(8192, 16, 3) == "gram"
    assert choose(100_000, 64, 3) == "cg"  # D = 43 745: the Gram matrix alone has 15 GB
    assert choose(300, 256, 3, ridge=1e-6) == "kernel"
    assert choose(697, 16, 3) == "gram"  # m = D: conjugate gradients would not end
    assert choose(20_000, 20, 3, memory=1e6) == "cg"
    assert choose(697, 16, 3, memory=1e6) == "cg"  # the only one that fits


def test_solve_falls_back_to_the_shortest_solution():
    A = np.diag([2.0, 0.0, 1e-20])
    assert solve(A, np.array([4.0, 0, 0])).tolist() == [2, 0, 0]
    assert solve(np.diag([2.0, 0.0]), np.array([4.0, 1.0]), ridge=1.0) == pytest.approx([4 / 3, 1])


def test_steps_that_do_not_converge_are_reported(monkeypatch):
    monkeypatch.setattr("sparse_core.regression.MAX_STEPS", 2)
    X, y = sample(8, 60, 0)
    with pytest.warns(ConvergenceWarning, match="stopped after 2 steps"):
        assert least_squares(X, y, 2, solver="cg").steps == 2


@pytest.mark.parametrize("solver", ROUTES)
def test_every_route_refuses_points_off_the_cube(solver):
    X, y = sample(4, 20, 0)
    X[3, 1] = 0
    with pytest.raises(ValueError, match=r"entry \(3, 1\) is 0"):
        least_squares(X, y, 1, solver=solver)


def test_samples_that_are_none_are_refused():
    with pytest.raises(ValueError, match="'X' must have 2 axes"):
        least_squares(np.ones(3), np.ones(3), 1)
    with pytest.raises(ValueError, match="'m' must be at least 1, not 0"):
        least_squares(np.ones((0, 3)), [], 1)
    with pytest.raises(ValueError, match=r"'y' must have shape \(2,\), not \(3,\)"):
        least_squares(np.ones((2, 3)), np.ones(3), 1)


def test_an_unknown_route_is_refused():
    with pytest.raises(ValueError, match="'solver' must be one of 'auto', 'gram', 'kernel', 'cg', not 'qr'"):
        least_squares(*sample(2, 9, 0), 1, solver="qr")
