"""SparseNetwork: the function by loops, its algebra, its scale, and what it refuses."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_core.cube import hypercube
from sparse_core.network import Scale, SparseNetwork
from tests.core import naive


def random_network(seed, n=4, s=5):
    return naive.network(seed, n, s, integers=False)


def test_networks_are_equal_by_value():
    net = SparseNetwork([1, -2], [[1, 0], [0, 3]], [0, 4])
    for same in (SparseNetwork(np.int8([1, -2]), np.float32([[1, -0.0], [0, 3]]), [-0.0, 4]), copy.deepcopy(net)):
        assert same == net and hash(same) == hash(net) and {net: 1}[same] == 1
    for u, W, b in (([1, 2], net.W, net.b), (net.u, -net.W, net.b), (net.u, net.W, [0, 5]), ([1], [[1, 0]], [0])):
        assert SparseNetwork(u, W, b) != net
    assert SparseNetwork([], np.zeros((0, 2)), []) != SparseNetwork([], np.zeros((0, 3)), [])
    assert net != 1 and len({net, net.scaled(1), net.scaled(2)}) == 2


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 6),
    st.integers(0, 6),
    st.integers(0, 5),
    st.sampled_from("b i2 f4 f8 O".split()),
)
def test_function_and_activity_by_loops(seed, n, s, rows, dtype):
    net = random_network(seed, n, s)
    X = 3 * np.random.default_rng(seed + 1).standard_normal((rows, n))
    X = X.astype(float).tolist() if dtype == "O" and rows else X.astype(dtype if dtype != "O" else float)
    h, A = net(X), net.active(X)
    assert (h.shape, h.dtype, A.shape, A.dtype) == ((rows,), np.float64, (rows, s), np.bool_)
    points = np.array(X, dtype=float).reshape(rows, n)
    assert h == pytest.approx(naive.by_formula(net, points), rel=1e-12, abs=1e-12)
    assert np.array_equal(A, naive.active(net.W, net.b, points))
    assert np.array_equal(net.active_count(X), A.sum(axis=1))


@given(st.integers(0, 2**32 - 1), st.floats(-8, 8))
def test_algebra(seed, c):
    net, other = random_network(seed), random_network(seed + 1, s=3)
    X = hypercube.points(4)
    assert np.allclose((net + other)(X), net(X) + other(X), rtol=0, atol=1e-12)
    assert np.allclose(net.scaled(c)(X), c * net(X), rtol=0, atol=1e-12)
    for j in range(net.s):
        alone = SparseNetwork(net.u[[j]], net.W[[j]], net.b[[j]])
        assert np.allclose(net.remove(j)(X) + alone(X), net(X), rtol=0, atol=1e-12)
        assert net.remove(j).s == net.s - 1


def test_a_neuron_matters_iff_its_removal_changes_the_function():
    rng = np.random.default_rng(0)
    found = set()
    for _ in range(200):
        W, b = rng.integers(-2, 3, (4, 3)), rng.integers(-1, 6, 4)
        net = SparseNetwork(rng.integers(-1, 2, 4), W, b)
        changes = [not np.array_equal(net.remove(j).values(), net.values()) for j in range(4)]
        assert net.matters().tolist() == changes
        assert net.dead().tolist() == [not net.active(hypercube.points(3))[:, j].any() for j in range(4)]
        found |= {*zip(changes, net.dead().tolist(), strict=True)}
    assert found == {(True, False), (False, False), (False, True)}


def test_scale_is_definition_2():
    net = random_network(0)
    W = max(abs(u) for u in net.u) * max(math.hypot(*w) for w in net.W)
    B = max(abs(u) for u in net.u) * max(abs(b) for b in net.b)
    assert net.scale == pytest.approx((W, B), rel=1e-15)
    assert isinstance(net.scale, Scale) and (net.scale.W, net.scale.B) == net.scale
    assert net.scaled(-3).scale == pytest.approx((3 * W, 3 * B), rel=1e-15)
    assert SparseNetwork([], np.empty((0, 2)), []).scale == (0, 0)


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.float64])
def test_arrays_are_protected_copies(dtype):
    u, W, b = np.ones(2, dtype), np.ones((2, 3), dtype), np.ones(2, dtype)
    net = SparseNetwork(u, W, b)
    u[:] = W[:] = b[:] = 7
    assert all((a == 1).all() and a.dtype == np.float64 for a in (net.u, net.W, net.b))
    for one in (net, copy.copy(net), copy.deepcopy(net), pickle.loads(pickle.dumps(net)), net + net, net.remove(0)):
        for a in (one.u, one.W, one.b):
            with pytest.raises(ValueError, match="read-only"):
                a[0] = 2
    assert np.array_equal(pickle.loads(pickle.dumps(net)).W, net.W)
    with pytest.raises(AttributeError, match="does not change: .* 'u'"):
        net.u = u
