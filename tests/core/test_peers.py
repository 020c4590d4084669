"""The same numbers from other people's code, with the version that was compared, and from published tables."""

from fractions import Fraction
from itertools import product

import flint
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.preprocessing import PolynomialFeatures

import sparse_meter
from sparse_book import halfspaces
from sparse_core.cube import fourier, hypercube
from sparse_core.hardness import modular
from sparse_core.learning import lowdegree, moments, risks
from sparse_core.learning.interactions import interactions
from sparse_core.learning.moments import Sample

# boofun 1.3.0: tables of 0 and 1 in the order of our points, the function -1 where the table is 1


BOOLEAN = st.integers(1, 8).flatmap(lambda n: st.lists(st.booleans(), min_size=1 << n, max_size=1 << n))


@pytest.mark.filterwarnings("ignore")  # of its compiler
@settings(max_examples=20)
@given(BOOLEAN, st.sampled_from([-1.0, -0.3, 0.0, 0.5, 0.9, 1.0]))
def test_boolean_functions_are_those_of_boofun(table, rho):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")  # nothing here is worth compiling
        import boofun

    peer, values = boofun.create([int(entry) for entry in table]), 1 - 2 * np.array(table, dtype=int)
    n, weights = len(table).bit_length() - 1, peer.spectral_weight_by_degree()
    assert fourier.walsh_transform(values) == pytest.approx(peer.fourier())
    assert fourier.influences(values) == pytest.approx(peer.influences())
    assert fourier.average_sensitivity(values) == pytest.approx(peer.total_influence())
    assert fourier.sensitivity(values).tolist() == [peer.sensitivity_at(x) for x in range(1 << n)]
    assert fourier.weight_by_degree(values) == pytest.approx([weights.get(k, 0.0) for k in range(n + 1)])
    assert fourier.noise_sensitivity(values, rho) == pytest.approx((1 - peer.noise_stability(rho)) / 2)


# scikit-learn 1.9.1


@pytest.mark.parametrize("n, degree, m", [(1, 1, 10), (4, 2, 60), (5, 5, 200), (7, 3, 300)])
@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_polynomial_regression_is_that_of_scikit_learn(n, degree, m, ridge):
    rng = np.random.default_rng(n)
    X, y = rng.choice([-1, 1], (m, n)), rng.standard_normal(m)
    features = PolynomialFeatures(degree, interaction_only=True)
    peer = Ridge(ridge * m, fit_intercept=False, solver="cholesky") if ridge else LinearRegression(fit_intercept=False)
    coefficients = peer.fit(features.fit_transform(X), y).coef_
    masks = (features.powers_ << np.arange(n)).sum(axis=1)
    found = moments.least_squares(Sample.checked(X, y), degree, ridge=ridge, tolerance=1e-12).coefficients
    assert dict(zip(hypercube.monomials(n, degree).tolist(), found, strict=True)) == pytest.approx(
        dict(zip(masks.tolist(), coefficients, strict=True)), abs=1e-8
    )
    if not ridge:
        model = lowdegree.LowDegreeRegressor(degree, method="least_squares").fit(X, y)
        assert model.predict(X) == pytest.approx(peer.predict(features.transform(X)), abs=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_trained_networks_have_the_outputs_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, Z = rng.standard_normal((200, 5)), rng.standard_normal((50, 5))
    mlp = MLPRegressor(hidden_layer_sizes=(12,), random_state=0, max_iter=30).fit(X, X[:, 0] * X[:, 1])
    assert sparse_meter.as_network(mlp)(Z) == pytest.approx(mlp.predict(Z))
    mlp = MLPClassifier(hidden_layer_sizes=(12,), random_state=0, max_iter=30).fit(X, X[:, 0] * X[:, 1] > 0)
    assert 1 / (1 + np.exp(-sparse_meter.as_network(mlp)(Z))) == pytest.approx(mlp.predict_proba(Z)[:, 1])


# python-flint 0.9.0


@pytest.mark.parametrize("p", [2, 3, 7, 31, 101, 2**31 - 1])
def test_elimination_is_that_of_flint(p):
    rng = np.random.default_rng(p)
    for rows, columns in product((1, 2, 5, 8), repeat=2):
        A = rng.integers(0, p, (rows, columns)) * rng.integers(0, 2, (rows, columns))
        peer = flint.nmod_mat(rows, columns, A.ravel().tolist(), p)
        assert modular.rank(A, p) == peer.rank()
        if rows == columns == modular.rank(A, p):
            b = rng.integers(0, p, rows)
            solution = peer.solve(flint.nmod_mat(rows, 1, b.tolist(), p))
            assert modular.solve(A, b, p).tolist() == [int(entry) for entry in solution.entries()]


# sympy 1.14.0


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("degree", [0, 1])
def test_the_risk_of_averaging_is_the_mean_over_all_samples(m, degree):
    """E |f - h|^2 for h = a + b x on one coordinate, over all samples of m points, as polynomials in a and b."""
    a, b = sympy.symbols("a b")
    risk = 0
    for sample in product((1, -1), repeat=m):
        labels = [a + b * x for x in sample]
        found = [
            sum(labels) / sympy.Integer(m),
            sum(x * y for x, y in zip(sample, labels, strict=True)) / sympy.Integer(m),
        ]
        risk += (found[0] - a) ** 2 + ((found[1] if degree else 0) - b) ** 2
    exact = sympy.lambdify((a, b), sympy.expand(risk / 2**m))
    for values in ((1.0, 0.0), (0.0, 1.0), (2.0, -3.0), (0.5, 7.0)):
        weights = np.square(values)
        assert risks.averaging_risk(weights, degree, m) == pytest.approx(float(exact(*values)))


# Published tables


@pytest.mark.parametrize("n, count", [*enumerate([2, 3, 6, 22])])
def test_boolean_functions_up_to_symmetry_are_those_of_oeis_a000616(n, count):
    """Each class of functions up to permuting and complementing variables adds up to one."""
    tables = (np.array(table) for table in product((False, True), repeat=1 << n))
    assert sum(Fraction(1, halfspaces.orbit_size(table)) for table in tables) == count


def test_the_share_of_single_inputs_is_that_of_the_indices_of_sobol():
    """Ishigami's function, whose first-order indices have the sum 0.7562."""

    def ishigami(x):
        return np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])

    indices = stats.sobol_indices(
        func=lambda x: ishigami(x.T), n=4096, dists=[stats.uniform(-np.pi, 2 * np.pi)] * 3, random_state=0
    )
    grid = np.tile(np.linspace(-np.pi, np.pi, 1001), (3, 1)).T
    found = interactions(ishigami, grid, evaluations=2**18, random_state=0)
    assert found.low < indices.first_order.sum() < found.high < found.low + 0.12
    assert found.estimate == pytest.approx((0.7562, 0.7562), abs=0.03)  # three colours: p = 1
