"""Fourier analysis: each quantity by the route that the module does not take. The naive transform is the direct sum."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparse_core import fourier, hypercube

SIZES = range(15)


def direct_sum(values):
    """fhat(T) = 2^-n sum_x f(x) chi_T(x), with the characters multiplied out."""
    n = len(values).bit_length() - 1
    X = hypercube.points(n).astype(float)
    chi = np.array([np.prod(X[:, [j for j in range(n) if T >> j & 1]], axis=1) for T in range(2**n)])
    return chi @ values / 2**n


def random_function(n, seed=0):
    return np.random.default_rng([n, seed]).standard_normal(2**n)


@pytest.mark.parametrize("n", range(9))
def test_transform_is_the_direct_sum(n):
    f = random_function(n)
    assert np.allclose(fourier.walsh_transform(f), direct_sum(f), rtol=0, atol=1e-13)


@pytest.mark.parametrize("n", [*SIZES, 16])
def test_inverse_transform_inverts(n):
    f = random_function(n)
    assert np.allclose(fourier.inverse_walsh_transform(fourier.walsh_transform(f)), f, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n", range(8))
def test_characters_transform_to_unit_vectors(n):
    X = hypercube.points(n)
    for T in range(2**n):
        assert np.array_equal(fourier.walsh_transform(hypercube.character(T, X)), np.eye(2**n)[T])


@pytest.mark.parametrize("n", SIZES)
def test_parseval(n):
    f = random_function(n)
    assert fourier.weight_by_degree(f).sum() == pytest.approx(np.mean(f**2), rel=1e-12)


@pytest.mark.parametrize("n", SIZES)
def test_average_sensitivity_is_the_weighted_sum_of_degrees(n):
    f = random_function(n)
    by_degree = np.arange(n + 1) @ fourier.weight_by_degree(f)
    assert fourier.average_sensitivity(f) == pytest.approx(by_degree, rel=1e-12)


@pytest.mark.parametrize("n", SIZES)
def test_influence_is_the_weight_of_the_sets_that_contain_it(n):
    f = random_function(n)
    T = np.arange(2**n)
    weights = fourier.walsh_transform(f) ** 2
    expected = [weights[T >> i & 1 == 1].sum() for i in range(n)]
    assert np.allclose(fourier.influences(f), expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize("n", range(8))
def test_sensitivity_from_its_definition(n):
    f = random_function(n)
    naive = [sum((f[i] - f[i ^ 1 << j]) ** 2 for j in range(n)) / 4 for i in range(2**n)]
    assert np.allclose(fourier.sensitivity(f), naive, rtol=1e-12, atol=0)
    assert np.mean(fourier.sensitivity(f)) == pytest.approx(fourier.average_sensitivity(f), rel=1e-12)


@pytest.mark.parametrize("n", range(7))
@pytest.mark.parametrize("rho", [-1.0, -0.5, 0.0, 0.3, 0.9, 1.0])
def test_noise_sensitivity_by_enumeration_of_the_noise(n, rho):
    """E over all pairs (x, y), each flip pattern with its probability."""
    f = random_function(n)
    flips = hypercube.degrees(n).astype(float)
    probability = ((1 - rho) / 2) ** flips * ((1 + rho) / 2) ** (n - flips)
    x = np.arange(2**n)
    naive = sum(probability[z] * np.mean((f - f[x ^ z]) ** 2) / 4 for z in range(2**n))
    assert fourier.noise_sensitivity(f, rho) == pytest.approx(naive, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_claim_2_1_tail(n, rho):
    f = random_function(n)
    for d in range(1, n + 1):
        assert fourier.tail(f, d) <= 2 * fourier.noise_sensitivity(f, rho) / (1 - rho**d) * (1 + 1e-12)


def test_claim_2_1_tail_fails_for_negative_rho():
    f = hypercube.character(0b11, hypercube.points(2))
    assert fourier.tail(f, 1) == 1.0 > 2 * fourier.noise_sensitivity(f, -0.5) / (1 + 0.5) == 0.5


@pytest.mark.parametrize("n", SIZES)
def test_tail_is_the_weight_above_the_degree(n):
    f = random_function(n)
    weights = fourier.walsh_transform(f) ** 2
    for d in range(n + 2):
        assert fourier.tail(f, d) == pytest.approx(weights[hypercube.degrees(n) > d].sum(), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("n", [1, 3, 5, 9, 13])
def test_majority_has_its_published_influences(n):
    """Each influence of majority on odd n is C(n-1, (n-1)/2) / 2^(n-1); O'Donnell (2014), section 2.2."""
    maj = np.sign(hypercube.points(n).sum(axis=1, dtype=int))
    assert np.allclose(fourier.influences(maj), comb(n - 1, (n - 1) // 2) / 2 ** (n - 1), rtol=1e-14, atol=0)


@settings(max_examples=30)
@given(st.integers(0, 10), st.sampled_from([np.int8, np.int64, np.bool_, np.float32, np.float64]), st.integers(0, 99))
def test_every_real_type_gives_the_same_transform(n, dtype, seed):
    f = np.random.default_rng(seed).integers(0, 2, 2**n).astype(dtype)
    result = fourier.walsh_transform(f)
    assert result.dtype == (np.float32 if dtype == np.float32 else np.float64)
    assert np.array_equal(result, fourier.walsh_transform(f.astype(float)))


def test_the_argument_is_left_alone():
    f = random_function(11)[::2]
    before = f.copy()
    fourier.walsh_transform(f)
    fourier.sensitivity(f)
    assert np.array_equal(f, before)


def test_float32_tables_are_measured_in_double_precision():
    f = np.where(np.random.default_rng(0).random(2**16) < 0.5, -1, 1).astype(np.float32)
    assert fourier.average_sensitivity(f) == fourier.average_sensitivity(f.astype(float))


@pytest.mark.parametrize(
    "values, error, message",
    [
        ([], ValueError, r"power of two, 2\*\*n, not 0"),
        ([1, 2, 3], ValueError, r"power of two, 2\*\*n, not 3"),
        ([[1, 2]], ValueError, "have 1 axes, not 2"),
        ([1, np.nan], ValueError, r"finite; entry \(1,\) is nan"),
        ([1, np.inf], ValueError, r"finite; entry \(1,\) is inf"),
        ([1j, 0], TypeError, "real numbers, not of type complex"),
        (["a", "b"], TypeError, "real numbers, not of type"),
    ],
)
@pytest.mark.parametrize(
    "function",
    [
        fourier.walsh_transform,
        fourier.weight_by_degree,
        fourier.sensitivity,
        fourier.influences,
        fourier.average_sensitivity,
    ],
)
def test_errors_name_the_argument_the_rule_and_the_value(function, values, error, message):
    with pytest.raises(error, match="Argument 'values' must .*" + message):
        function(values)


def test_noise_rates_outside_the_unit_interval_are_refused():
    with pytest.raises(ValueError, match="'rho' must be at most 1, not 1.5"):
        fourier.noise_sensitivity([1, -1], 1.5)
    with pytest.raises(ValueError, match="'degree' must be at least 0, not -1"):
        fourier.tail([1, -1], -1)
