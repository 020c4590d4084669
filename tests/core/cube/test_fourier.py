"""Fourier analysis: each quantity by the route that the module does not take. The naive transform goes bit by bit."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from sparse_core.cube import fourier, hypercube
from tests.core.naive import peak_memory

TYPES = [np.bool_, np.int8, np.uint8, np.int64, np.float32, np.float64]


def butterflies(f):
    """H f by n passes of sums and differences, in the type of f: exact for integers."""
    f, n = np.array(f), len(f).bit_length() - 1
    for i in range(n):
        pairs = f.reshape(-1, 2, 1 << i)
        f = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).reshape(-1)
    return f


def integer_function(n, dtype, seed=0):
    """All values of a short type, and small ones of a long type."""
    low, high = {np.bool_: (0, 2), np.int8: (-128, 128), np.uint8: (0, 256)}.get(dtype, (-9, 10))
    return np.random.default_rng([n, seed]).integers(low, high, 2**n).astype(dtype)


def random_function(n, seed=0):
    return np.random.default_rng([n, seed]).standard_normal(2**n)


def assert_weights_are_those_of_flips(f):
    """Parseval; AS by degrees; each influence by the sets that contain the coordinate; the tail by the sets above."""
    n, T, real = len(f).bit_length() - 1, np.arange(len(f)), f.astype(float)
    weights, found = (butterflies(real) / 2**n) ** 2, fourier.statistics(f)
    by_degree = [weights[hypercube.degrees(n) == k].sum() for k in range(n + 1)]
    containing = [weights[T >> i & 1 == 1].sum() for i in range(n)]
    assert found.weights.dtype == found.influences.dtype == fourier.influences(f).dtype == np.float64
    assert found.weights == pytest.approx(by_degree, rel=1e-12, abs=1e-13)
    assert found.weights.sum() == pytest.approx(np.mean(real**2), rel=1e-12)
    assert found.influences == pytest.approx(containing, rel=1e-12, abs=1e-13)
    assert fourier.influences(f) == pytest.approx(containing, rel=1e-12, abs=1e-13)
    degree_sum = np.arange(n + 1) @ found.weights
    assert fourier.average_sensitivity(f) == pytest.approx(degree_sum, rel=1e-12, abs=1e-13)
    assert np.mean(fourier.sensitivity(f)) == pytest.approx(fourier.average_sensitivity(f), rel=1e-12)
    for d in range(n + 2):
        assert fourier.tail(f, d) == pytest.approx(weights[hypercube.degrees(n) > d].sum(), rel=1e-12, abs=1e-13)


@settings(max_examples=60)
@given(st.integers(0, 12), st.sampled_from(TYPES), st.integers(0, 99))
def test_flips_and_weights_agree(n, dtype, seed):
    assert_weights_are_those_of_flips(integer_function(n, dtype, seed))


@pytest.mark.parametrize("n", [0, 1, 2, 5, 9, 14, 15, 17, 20])
def test_flips_and_weights_of_real_functions_agree(n):
    assert_weights_are_those_of_flips(random_function(n))


@settings(max_examples=60)
@given(st.integers(0, 10), st.sampled_from(TYPES), st.integers(0, 99), st.sampled_from([2, 3, 100]))
def test_sensitivity_from_its_definition(n, dtype, seed, values):
    """Of tables of two values, which are counted in bits, and of others."""
    f = (integer_function(n, np.int64, seed) % values).astype(dtype)
    x, real = np.arange(2**n), f.astype(float)
    squares = np.array([(real - real[x ^ 1 << i]) ** 2 / 4 for i in range(n)]).reshape(n, 2**n)
    assert np.array_equal(fourier.sensitivity(f), squares.sum(axis=0))
    assert np.array_equal(fourier.influences(f), squares.sum(axis=1) / 2**n)
    assert fourier.sensitivity(f).dtype == np.float64
    assert fourier.average_sensitivity(f) == squares.sum() / 2**n


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


@settings(max_examples=60)
@given(st.integers(0, 20), st.sampled_from(TYPES), st.integers(1, 3), st.integers(0, 99))
def test_integers_of_every_type_are_added_exactly(n, dtype, stride, seed):
    f = np.repeat(integer_function(n, dtype, seed), stride)[::stride]
    result = fourier.inverse_walsh_transform(f)
    assert result.dtype == (np.float32 if dtype == np.float32 else np.float64)
    assert np.array_equal(result, butterflies(f.astype(np.int64)))
    assert np.array_equal(fourier.walsh_transform(f) * 2**n, result)


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64])
@pytest.mark.parametrize("function", [fourier.walsh_transform, fourier.statistics])
def test_peak_memory_is_three_tables(function, dtype):
    assert peak_memory(function, integer_function(20, dtype)) <= 3 * 2**23 + 2**16


@pytest.mark.parametrize("n", [3, 16])
@pytest.mark.parametrize("bad", [{5: np.nan}, {0: np.inf}, {7: -np.inf}, {2: np.inf, 3: -np.inf}])
def test_one_infinity_among_many_values_is_found(n, bad):
    """The transform looks at one of its sums."""
    f = np.ones(2**n)
    f[list(bad)] = list(bad.values())
    with warnings.catch_warnings(), pytest.raises(ValueError, match=rf"'values'.*finite; entry \({min(bad)},\) is"):
        warnings.simplefilter("error")
        fourier.walsh_transform(f)


@pytest.mark.parametrize("function", [fourier.sensitivity, fourier.influences])
def test_numbers_beyond_double_precision_are_refused_by_name(function):
    with np.errstate(over="ignore"), pytest.raises(ValueError, match="^Argument 'values' must be finite; entry"):
        function(np.array([np.longdouble(10) ** 4000, 0, 1, 2]))


@pytest.mark.parametrize("values", [[1e200, -1e200], [1e200, -1e200, 3.0, 5.0], [1e160, 0.0, 0.0, 0.0]])
@pytest.mark.parametrize("function", [fourier.sensitivity, fourier.influences, fourier.statistics])
def test_values_whose_squares_overflow_are_refused_by_name(function, values):
    with pytest.raises(ValueError, match="^Argument 'values' must have squares that are finite"):
        function(values)


@pytest.mark.parametrize("function", [fourier.walsh_transform, fourier.statistics])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_bits_are_the_same_for_any_number_of_threads(function, dtype):
    f, found = random_function(18).astype(dtype), []
    for number in (1, 2, 3):
        with threadpool_limits(number, "blas"):
            found.append(np.hstack(function(f)).tobytes())
    assert len(set(found)) == 1
