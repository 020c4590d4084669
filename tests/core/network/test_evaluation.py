"""The dense pass by loops; the truth table of a network by points, along either way; the choice of the way."""

import numpy as np
import pytest

from sparse_core.cube import hypercube
from sparse_core.network import SparseNetwork, activity, constructions, evaluation
from tests.core.naive import by_formula


@pytest.fixture
def rare(monkeypatch):
    """Every neuron is taken sparsely, in blocks of few pairs and few neurons."""
    for name, value in (("NEURON_COST_POINTS", 0), ("PAIR_COST_POINTS", 0), ("PAIR_BLOCK", 5)):
        monkeypatch.setattr(evaluation, name, value)


@pytest.fixture
def dense(monkeypatch):
    """The output weights of the neurons that a truth table gives to the dense pass."""
    seen, dense_pass = [], evaluation.dense_pass
    monkeypatch.setattr(evaluation, "dense_pass", lambda u, *net: seen.extend(u) or dense_pass(u, *net))
    return seen


@pytest.mark.usefixtures("rare")
@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("s", [0, 1, 8])
def test_integers_give_exactly_the_values_of_the_formula(n, s):
    rng = np.random.default_rng([n, s])
    net = SparseNetwork(rng.integers(-3, 4, s), rng.integers(-3, 4, (s, n)), rng.integers(-4, 9, s))
    assert np.array_equal(net.values(), by_formula(net, hypercube.points(net.n)))


@pytest.mark.usefixtures("rare")
@pytest.mark.parametrize("seed", range(3))
def test_real_weights_up_to_round_off(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(activity, "BLOCK_ENTRIES", 64)
    net = SparseNetwork(rng.standard_normal(40), rng.standard_normal((40, 8)), rng.uniform(-1, 5, 40))
    np.testing.assert_allclose(net.values(), by_formula(net, hypercube.points(net.n)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("block", [1, 20, 10**6])
@pytest.mark.parametrize("wide", [3, 100])
@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.float64])
def test_the_dense_pass_at_given_points(block, wide, dtype, monkeypatch):
    rng = np.random.default_rng(3)
    u, W, b = rng.integers(-3, 4, 7).astype(float), rng.integers(-3, 4, (7, 5)) / 4, rng.integers(-4, 9, 7) / 4
    monkeypatch.setattr(evaluation, "DENSE_NEURONS", wide)
    monkeypatch.setattr(activity, "BLOCK_ENTRIES", block)
    monkeypatch.setattr(evaluation, "UNBLOCKED_MULTIPLY_ADDS", 0 if block < 10**6 else block)
    X = (rng.integers(-9, 10, (11, 5)) / (1 if dtype == np.int8 else 8)).astype(dtype)
    expected = [sum(t * max(w @ x - a, 0) for t, w, a in zip(u, W, b, strict=True)) for x in X.astype(float)]
    assert np.array_equal(evaluation.dense_pass(u, W, b, X), expected)


def test_both_ways_in_one_table():
    """Rare neurons and common ones at the real thresholds, and a dead one, against the dense pass."""
    rng = np.random.default_rng(0)
    sparse, dead = constructions.appendix_a(4, 13, rng=rng), SparseNetwork([1], np.ones((1, 17)), [17])
    common = SparseNetwork(rng.standard_normal(5), rng.standard_normal((5, 17)), np.zeros(5))
    net = sparse + common + dead
    values = net.values()
    np.testing.assert_allclose(values, evaluation.dense_pass(net.u, net.W, net.b, None), rtol=0, atol=1e-11)
    assert np.array_equal(np.flatnonzero((sparse + dead).values()), np.flatnonzero(sparse.active_count()))


@pytest.mark.parametrize("n", [16, 17])
def test_each_neuron_is_computed_the_cheaper_way(n, dense):
    """A sparse neuron costs 2^14 + 8 (its active points), a dense one 2^n; of few coordinates the share is exact."""
    rng = np.random.default_rng(n)
    low, W = n - n // 2, np.zeros((60, n))
    for half in (slice(0, 5), slice(low, low + 5)):
        W[:, half] = rng.integers(-1, 2, W[:, half].shape)
    net = SparseNetwork(np.arange(1, 61), W, rng.integers(-1, 8, 60))
    active = net.active(hypercube.points(n)).sum(axis=0)
    assert np.array_equal(net.values(), net(hypercube.points(n)))
    assert dense == net.u[2**14 + 8 * active >= 2**n].tolist() and 10 < len(dense) < 50


def test_the_active_pairs_of_a_table_are_limited(monkeypatch):
    net = constructions.junta(np.ones(64), n=16)
    monkeypatch.setattr(evaluation, "MAX_POINTS_N", 16)
    monkeypatch.setattr(activity, "MAX_PAIRS", 1 << 16)  # as many as there are; a dense pass would take 2^22
    assert np.array_equal(net.values(), np.ones(1 << 16))
    monkeypatch.setattr(activity, "MAX_PAIRS", (1 << 16) - 1)
    with pytest.raises(ValueError, match=r"2\*\*16 points with 64 neurons are too many"):
        net.values()
    monkeypatch.setattr(activity, "MAX_PAIRS", 1 << 18)
    with pytest.raises(ValueError, match=r"2\*\*16 points with 72 neurons are too many"):
        (net + SparseNetwork(np.ones(8), np.ones((8, 16)), np.zeros(8))).values()
