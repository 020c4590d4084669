"""Gradients and edges: against definitions, finite differences and closed forms."""

import numpy as np
import pytest

from sparse_core.cube import fourier, hypercube
from sparse_core.network import SparseNetwork, constructions
from sparse_core.network.gradients import edges, gradients
from sparse_core.network.training import Layered


def network(seed, n=4, s=5):
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((s, n)) * (rng.random((s, n)) < 0.8)
    return SparseNetwork(rng.standard_normal(s), W, rng.uniform(-0.5, 1, s) * np.abs(W).sum(axis=1))


def deep(seed, sizes=(3, 5, 4, 2)):
    rng = np.random.default_rng(seed)
    W = tuple(rng.standard_normal((t, s)) for s, t in zip(sizes, sizes[1:], strict=False))
    return Layered(W, tuple(rng.uniform(-0.5, 1, len(w)) for w in W))


@pytest.mark.parametrize("seed", range(5))
def test_gradients_are_finite_differences(seed):
    X = np.random.default_rng(seed).standard_normal((20, 4))
    for net, value in (
        (network(seed), network(seed)),
        (deep(seed, (4, 5, 3, 2)), lambda x: deep(seed, (4, 5, 3, 2))(x)[:, 1]),
    ):
        found = gradients(net, X, output=1) if isinstance(net, Layered) else gradients(net, X)
        step = 1e-6 * np.eye(4)
        expected = np.array([(value(X + e) - value(X - e)) / 2e-6 for e in step]).T
        assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_the_slope_is_the_closed_form_and_the_sensitivity_that_of_the_cube(seed):
    net = network(seed)
    found = edges(net)
    X = hypercube.points(net.n).astype(float)
    z = X @ net.W.T - net.b
    slope = 0.0
    for i in range(net.n):
        v, w = net.u * net.W[:, i], net.W[:, i]
        other = z - 2 * X[:, [i]] * w
        theta = (np.maximum(z, 0) - np.maximum(other, 0)) / np.where(w == 0, 1, z - other)
        for a, b in np.ndindex(net.s, net.s):
            same = np.minimum(theta[:, a], theta[:, b])
            opposite = np.maximum(theta[:, a] + theta[:, b] - 1, 0)
            slope += v[a] * v[b] * np.mean(same if w[a] * w[b] > 0 else opposite)
    assert found.slope.mean() == pytest.approx(slope, rel=1e-12)
    assert found.sensitivity == pytest.approx(fourier.sensitivity(net.values()), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("net", [network(0), network(1), deep(2)], ids=["one layer", "another", "three layers"])
def test_given_points_give_what_the_cube_gives(net):
    n = net.n if isinstance(net, SparseNetwork) else net.W[0].shape[1]
    rows = [5, 0, 3]
    for whole, part in zip(edges(net), edges(net, hypercube.points(n)[rows]), strict=True):
        assert part == pytest.approx(whole[rows], rel=1e-9, abs=1e-12, nan_ok=True)


def test_the_boundary_counts_the_weights_of_the_neurons_that_switch():
    net = network(3)
    active = net.active(hypercube.points(net.n))
    v = np.abs(net.u[:, None] * net.W)
    expected = np.zeros(2**net.n)
    for i in range(net.n):
        switched = active != active[np.arange(2**net.n) ^ (1 << i)]
        expected += (switched @ v[:, i]) ** 2
    assert edges(net).boundary == pytest.approx(expected)


def test_one_layer_is_the_case_of_several():
    net = network(4)
    layered = Layered((net.W, net.u[None]), (net.b, np.array([7.0])))
    for one, other in zip(edges(net), edges(layered), strict=True):
        assert one == pytest.approx(other)


@pytest.mark.parametrize("p", [1, 2, 3, 4])
def test_parities_are_extremal(p):
    found = edges(constructions.tight(p, 1))
    assert found.slope.mean() == pytest.approx(4 * p)
    assert found.bound == pytest.approx(4 * p)
    assert found.gradient.mean() == pytest.approx(p)


def test_several_layers_have_no_slope():
    assert np.isnan(edges(deep(0)).slope).all()
