"""Polynomial regression: two routes to one minimiser, against the explicit matrix of the monomials."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from sparse_core.cube import hypercube
from sparse_core.learning import moments as regression
from sparse_core.learning.lowdegree import LowDegreeRegressor
from sparse_core.learning.moments import Moments, Sample, choose, conjugate_gradients, gram, least_squares, solve
from tests.core.naive import characters, sample

ROUTES = ("gram", "cg")
EXACT = {"tolerance": 1e-12}
SHAPES = [(0, 0, 3), (5, 0, 3), (5, 2, 40), (6, 3, 300), (3, 3, 60), (26, 2, 500)]


@pytest.mark.parametrize(
    "n, degree, m, solver", [(70, 1, 200, "cg"), *((*s, route) for s in SHAPES for route in ROUTES)]
)
def test_each_route_is_least_squares_on_the_explicit_matrix(n, degree, m, solver):
    X, y = sample(n, m, n + m)
    naive = np.linalg.lstsq(characters(X, degree), y, rcond=None)[0]
    fit = least_squares(Sample(X, y), degree, solver=solver, **EXACT)
    assert fit.solver == solver and fit.coefficients == pytest.approx(naive, abs=1e-10)
    assert (fit.steps > 0) == (solver == "cg")
    assert least_squares(Sample(X, y), degree, solver=solver).coefficients == pytest.approx(naive, abs=1e-5)


@given(
    st.integers(0, 6), st.integers(0, 4), st.integers(0, 2**32 - 1), st.sampled_from(ROUTES), st.sampled_from([0.3, 2])
)
def test_each_route_solves_the_equations_of_ridge_regression(n, degree, seed, solver, share):
    m = int(np.ceil(share * hypercube.dimension(n, degree)))
    X, y = sample(n, m, seed)
    phi = characters(X, degree)
    c = least_squares(Sample(X, y), degree, ridge=0.05, solver=solver, **EXACT).coefficients
    assert phi.T @ (y - phi @ c) / m == pytest.approx(0.05 * c, abs=1e-10)


def test_labels_of_single_precision_are_welcome():
    X, y = sample(8, 300, 0)
    for solver in ROUTES:
        single = least_squares(Sample(X, y.astype(np.float32)), 2, solver=solver).coefficients
        assert single.dtype == np.float64
        assert single == pytest.approx(least_squares(Sample(X, y), 2, solver=solver).coefficients, abs=2e-6)


def test_a_pivot_that_only_round_off_made_positive_is_not_divided_by():
    X, y = hypercube.points(3)[[0, 2, 2, 3, 4, 4, 4, 4, 4, 5, 5, 6]], np.arange(12.0)
    shortest = np.linalg.pinv(characters(X, 2), rcond=1e-9) @ y
    assert least_squares(Sample(X, y), 2, solver="gram").coefficients == pytest.approx(shortest)


@pytest.mark.parametrize("solver", ROUTES)
def test_the_shortest_minimiser_where_the_samples_leave_a_choice(solver):
    """A constant coordinate makes two monomials equal: all routes share the weight, cg as well as its steps can."""
    X, y = sample(5, 200, 1)
    X[:, 4] = 1
    naive = np.linalg.pinv(characters(X, 2)) @ y
    c = least_squares(Sample(X, y), 2, solver=solver, tolerance=1e-11).coefficients
    assert c == pytest.approx(naive, abs=1e-9 if solver == "gram" else 1e-5)
    assert characters(X, 2) @ c == pytest.approx(characters(X, 2) @ naive, abs=1e-9)


@pytest.mark.parametrize(
    "n, degree", [(0, 0), (1, 1), (5, 1), (5, 2), (6, 3), (5, 7), (23, 2), (24, 3), (33, 2), (62, 1)]
)
def test_the_gram_matrix_needs_only_the_moments_of_twice_the_degree(n, degree):
    X, _ = sample(n, 60, n)
    moments = Moments(n, 2 * degree).update(X, np.ones(60))
    naive = characters(X, degree)
    assert np.array_equal(gram(moments, degree), naive.T @ naive / 60)
    with pytest.raises(ValueError, match="'degree' must be at most"):
        gram(moments, degree + 1)


def test_several_right_sides_are_solved_as_one_by_one():
    A, _ = positive(60)
    b = np.random.default_rng(1).standard_normal((60, 2))
    assert solve(A.copy(), b) == pytest.approx(np.column_stack([solve(A.copy(), column) for column in b.T]), abs=1e-12)


@pytest.mark.parametrize(
    "m, n, degree, route",
    [
        (8192, 16, 3, "gram"),
        (20_000, 20, 3, "gram"),
        (200, 62, 1, "gram"),
        (100_000, 64, 3, "cg"),  # D = 43 745: the Gram matrix alone has 15 GB
        (300, 256, 3, "cg"),
        (697, 16, 3, "gram"),  # m = D: conjugate gradients would not end
        (10**6, 20, 5, "cg"),
        (10**5, 40, 2, "cg"),
        (1641, 40, 2, "gram"),  # m < 2 D: the steps would be many
        (200, 63, 1, "cg"),  # 64 monomials, which are no bit masks
        (50, 4, 1, "gram"),  # all are quick, this one is exact
        (10**60, 10**6, 10**60, "cg"),
        (10**60, 63, 10**60, "cg"),
    ],
)
def test_a_rule_for_each_route(m, n, degree, route):
    assert choose(m, n, degree) == route


def test_the_rule_decides():
    assert [least_squares(Sample(*sample(n, 100, 0)), 1).solver for n in (62, 63)] == ["gram", "cg"]


def fits(X, y):
    """What each route and each method finds, from samples of several blocks."""
    yield from (least_squares(Sample(X, y), 3, solver=solver).coefficients for solver in ROUTES)
    for method in ("averaging", "threshold"):
        model = LowDegreeRegressor(2, method, level=0.5).fit(X, y)
        yield from (model.coef_, model.predict(X), LowDegreeRegressor(2, method).fit(X, np.sign(y)).coef_)


def test_the_bits_do_not_tell_the_number_of_threads(monkeypatch):
    monkeypatch.setattr(regression, "PARALLEL", 0)
    X, y = sample(16, 60_000, 5)
    y = y + X[:, 0] + X[:, 3] * X[:, 7]
    with threadpool_limits(1, "blas"):
        alone = list(fits(X, y))
    with threadpool_limits(3, "blas"):
        for found, expected in zip(fits(X, y), alone, strict=True):
            assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    "A, b, x",
    [
        (
            np.diag([2.0, 0.0, 1e-14]),
            [4.0, 0, 1e-14],
            [2, 0, 0],
        ),  # up to 1e-12 of the largest, an eigenvalue is rounding
        ([[1.0, 1.0], [1.0, 1.0 + 2**-52]], [2.0, 2.0], [1, 1]),  # Cholesky factors exist, and would give (2, 0)
        (np.ones((60, 60)), np.ones(60), np.ones(60) / 60),  # the shortest of many
        (np.diag(np.geomspace(1, 1e-6, 60)), np.geomspace(1, 1e-6, 60), np.ones(60)),
    ],
    ids=["singular", "singular but for rounding", "large and singular", "ill-conditioned"],
)
@pytest.mark.filterwarnings("ignore")  # of a user who wants no warnings
def test_solve_finds_the_shortest_solution(A, b, x):
    assert solve(np.array(A), np.array(b)) == pytest.approx(np.array(x), rel=1e-6)


def test_solve_is_exact_where_the_matrix_is_far_from_singular_and_adds_the_ridge(monkeypatch):
    monkeypatch.delattr(np.linalg, "pinv")
    A, b = positive(9)
    assert A @ solve(A.copy(), b) == pytest.approx(b, rel=1e-12, abs=1e-13)
    assert solve(np.diag([2.0, 0.0]), np.array([4.0, 1.0]), ridge=1.0) == pytest.approx([4 / 3, 1])


# --- Conjugate gradients ---


def test_steps_that_do_not_converge_are_reported(monkeypatch):
    message = r"^Conjugate gradients stopped after 0 steps with a relative residual of 1.0e\+00; a positive ridge or"
    with pytest.warns(ConvergenceWarning, match=message + " more samples would help.$"):
        c, steps = conjugate_gradients(lambda c, dtype: 0 * c, np.ones(2), 1e-6)
    assert steps == 0 and not c.any()
    monkeypatch.setattr(regression, "MAX_STEPS", 2)
    with pytest.warns(ConvergenceWarning, match="stopped after 2 steps"):
        assert least_squares(Sample(*sample(8, 60, 0)), 2, solver="cg").steps == 2


@given(st.integers(1, 20), st.integers(0, 2**32 - 1), st.sampled_from([1e-2, 1e-6, 1e-10]))
def test_conjugate_gradients_keep_their_tolerance_in_double_precision(size, seed, tolerance):
    A, b = positive(size, seed)
    c, _ = conjugate_gradients(lambda v, dtype: (A.astype(dtype) @ v.astype(dtype)).astype(float), b, tolerance)
    assert np.linalg.norm(A @ c - b) <= tolerance * np.linalg.norm(b)


def positive(size, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(3 * size, size))
    return Z.T @ Z / (3 * size) + 0.1 * np.eye(size), rng.normal(size=size)


@pytest.mark.parametrize("k", range(1, 7))
def test_each_step_is_the_best_of_its_krylov_space(k, monkeypatch):
    """x_k minimises x^T A x / 2 - b^T x over the span of b, A b, ..., A^(k-1) b."""
    A, b = positive(9)
    monkeypatch.setattr(regression, "MAX_STEPS", k)
    with pytest.warns(ConvergenceWarning, match=f"stopped after {k} steps with a relative residual of"):
        x, _ = conjugate_gradients(lambda v, dtype: A @ v, b, 1e-14)
    Q = np.linalg.qr(np.column_stack([np.linalg.matrix_power(A, i) @ b for i in range(k)]))[0]
    assert x == pytest.approx(Q @ np.linalg.solve(Q.T @ A @ Q, Q.T @ b), rel=1e-8)


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-5])
def test_steps_end_as_soon_as_the_residual_is_half_the_tolerance(tolerance, monkeypatch):
    A, b = positive(12)
    _, steps = conjugate_gradients(lambda v, dtype: A @ v, b, tolerance)
    residuals = []
    for k in (steps - 1, steps):
        monkeypatch.setattr(regression, "MAX_STEPS", k)
        with pytest.warns(ConvergenceWarning, match=f"stopped after {k} steps"):
            c, _ = conjugate_gradients(lambda v, dtype: A @ v, b, 1e-14)
        residuals.append(np.linalg.norm(b - A @ c) / np.linalg.norm(b))
    assert residuals[1] <= tolerance / 2 < residuals[0]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_tolerance_of_0_or_1_asks_for_all_or_nothing():
    X, y = sample(6, 200, 0)
    fit = least_squares(Sample(X, y), 1, solver="cg", tolerance=0)
    assert fit.coefficients == pytest.approx(least_squares(Sample(X, y), 1, solver="gram").coefficients, abs=1e-14)
    assert least_squares(Sample(X, y), 1, solver="cg", tolerance=1).steps == 0
    assert least_squares(Sample(X, 0 * y), 1, solver="cg").steps == 0
