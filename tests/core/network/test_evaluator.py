"""Sparse inference: equality with the formula, what is touched, and when it is dense."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from sparse_core.cube import hypercube
from sparse_core.network import SparseNetwork, activity, constructions, evaluator
from tests.core.naive import by_formula


@pytest.fixture
def always(monkeypatch):
    """Addresses are used wherever there are keys, however little there is to gain."""
    for name in ("MIN_GROUP_NEURONS", "GATHER_COST_NEURONS", "GROUP_COST_MULTIPLY_ADDS"):
        monkeypatch.setattr(evaluator, name, 0)


def appendix_a(b, q, rng):
    return constructions.appendix_a(b, q, gamma=np.sqrt(q), rng=rng)


@pytest.mark.parametrize("seed, block", [(0, 1 << 18), (1, 1), (2, 37), (3, 64), (4, 1 << 10)])
@pytest.mark.usefixtures("always")
def test_equals_the_formula_on_networks_of_all_kinds(seed, block, monkeypatch):
    monkeypatch.setattr(evaluator, "GATHER_BLOCK_ENTRIES", block)
    monkeypatch.setattr(evaluator, "INPUT_BLOCK_ENTRIES", 4 * block)
    rng = np.random.default_rng(seed)
    X = hypercube.points(8)
    unstructured = SparseNetwork(rng.standard_normal(40), rng.standard_normal((40, 8)), rng.uniform(-1, 5, 40))
    integral = SparseNetwork(rng.standard_normal(40), rng.integers(-2, 3, (40, 8)), rng.integers(0, 9, 40))
    for net in (
        unstructured,
        integral,
        appendix_a(3, 5, rng),
        appendix_a(2, 6, rng) + unstructured,
        constructions.tight(3, 2, 8),
    ):
        np.testing.assert_allclose(net.evaluator()(X), by_formula(net, X), rtol=1e-12, atol=1e-12)


def test_equals_the_dense_pass_and_touches_little(monkeypatch):
    """One neuron and eight keys in each of two groups; those that are dead or have no weight in h are dropped."""
    rng = np.random.default_rng(0)
    one, two = appendix_a(8, 56, rng), appendix_a(8, 56, rng)
    net = one + SparseNetwork(two.u, two.W[:, ::-1], two.b)
    net += SparseNetwork(two.u, two.W, 99 + two.b) + SparseNetwork(0 * two.u, two.W, two.b)
    X = rng.choice(np.array([-1, 1], dtype=np.int8), (5000, 64))  # more than a block
    fast, expected = net.evaluator(), net(X)
    monkeypatch.setattr(evaluator, "dense_pass", lambda u, W, b, X: np.zeros(len(X)) if not len(u) else None)
    np.testing.assert_allclose(fast(X), expected, rtol=0, atol=1e-11)
    touched = fast.multiply_adds(X)
    assert np.array_equal(touched, np.full(5000, 2 * (64 + 8))) and touched.dtype == np.int64


def test_neurons_without_keys_are_all_touched():
    rng = np.random.default_rng(1)
    loose = SparseNetwork(rng.standard_normal(50), rng.standard_normal((50, 64)), np.zeros(50))
    net = appendix_a(9, 55, rng) + loose
    X = rng.choice([-1.0, 1.0], (2000, 64))
    fast = net.evaluator()
    np.testing.assert_allclose(fast(X), net(X), rtol=0, atol=1e-11)
    assert np.array_equal(fast.multiply_adds(X), np.full(2000, 51 * 64 + 9))


def test_goes_back_to_the_dense_pass():
    """For few inputs, for networks without keys, and for inputs that crowd at one full address."""
    rng = np.random.default_rng(2)
    net = appendix_a(8, 56, rng)
    X = rng.choice([-1.0, 1.0], (2000, 64))
    loose = SparseNetwork(np.ones(300), rng.standard_normal((300, 64)), np.zeros(300))
    same = SparseNetwork(np.ones(300), np.tile(net.W[0], (300, 1)), np.full(300, net.b[0]))
    crowd = np.where(np.arange(64) < 8, net.W[0] / np.abs(net.W[0]), X)
    for h, points in ((net, X[:1]), (loose, X), (same, crowd)):
        assert h.evaluator().multiply_adds(points).min() >= h.s * 64
        np.testing.assert_allclose(h.evaluator()(points), h(points), rtol=1e-12, atol=1e-10)
    assert same.evaluator().multiply_adds(X).mean() < 0.1 * 300 * 64


def test_the_bits_are_the_same_for_any_number_of_threads(monkeypatch):
    """With neurons that have keys and others that have not, in many blocks of the evaluator and of the dense pass."""
    monkeypatch.setattr(activity, "BLOCK_ENTRIES", 1 << 12)
    monkeypatch.setattr(activity, "THREAD_MULTIPLY_ADDS", 0)
    monkeypatch.setattr(evaluator, "INPUT_BLOCK_ENTRIES", 1 << 12)
    rng = np.random.default_rng(6)
    net = appendix_a(8, 56, rng)
    net += SparseNetwork(rng.standard_normal(300), rng.standard_normal((300, 64)), np.zeros(300))
    X, found = rng.choice([-1.0, 1.0], (2000, 64)), []
    fast = net.evaluator()
    for number in (1, 2, 3):
        with threadpool_limits(number, "blas"):
            found.append([values.tobytes() for values in (fast(X), net(X), net.active(X), net.active_count(X))])
    assert found[0] == found[1] == found[2]


@pytest.mark.usefixtures("always")
def test_empty_networks_and_empty_inputs():
    empty = SparseNetwork(np.zeros(0), np.zeros((0, 3)), np.zeros(0))
    assert np.array_equal(empty.evaluator()(hypercube.points(3)), np.zeros(8))
    assert constructions.junta(np.ones(8)).evaluator()(np.zeros((0, 3))).shape == (0,)


@given(st.integers(0, 2**32 - 1), st.sampled_from(["i1", "f4", "f8"]))
@settings(max_examples=20)
def test_equals_the_network_at_any_real_points(seed, dtype):
    rng = np.random.default_rng(seed)
    net = appendix_a(8, 8, rng)
    X = rng.choice([-1, 1], (600, 16)).astype(dtype)
    X[-1, 0] = rng.integers(-3, 4)
    np.testing.assert_allclose(net.evaluator()(X), net(X), rtol=1e-12, atol=1e-11)
