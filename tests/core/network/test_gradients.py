"""Gradients and edges: against definitions, finite differences and closed forms."""

import numpy as np
import pytest

from sparse_core.cube import fourier, hypercube
from sparse_core.network import SparseNetwork, constructions
from sparse_core.network.gradients import active_norms, differences, edges, gradients, signs
from sparse_core.network.training import Layered
from tests.core import naive


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


@pytest.mark.parametrize("net", [*map(network, range(10)), naive.network(0, 7, 20)])
def test_the_slope_is_the_closed_form_and_the_sensitivity_that_of_the_cube(net):
    """The last has weights that are integers, and so edges that end where a neuron is 0."""
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


def test_one_layer_is_the_case_of_several():
    """Also of two, of which the second adds 1 to each neuron: it is always active, and h changes by a constant."""
    net = network(4)
    layered = Layered((net.W, net.u[None]), (net.b, np.array([7.0])))
    for one, other in zip(edges(net), edges(layered), strict=True):
        assert one == pytest.approx(other)
    deeper = edges(Layered((net.W, np.eye(net.s), net.u[None]), (net.b, -np.ones(net.s), np.zeros(1))))
    assert np.isnan(deeper.slope).all()
    for one, other in zip(edges(net), deeper._replace(slope=edges(net).slope), strict=True):
        assert one == pytest.approx(other)


@pytest.mark.parametrize("p", [1, 2, 3, 4])
def test_parities_are_extremal(p):
    found = edges(constructions.tight(p, 1))
    assert found.slope.mean() == pytest.approx(4 * p)
    assert found.bound == pytest.approx(4 * p)
    assert found.gradient.mean() == pytest.approx(p)


def test_at_a_kink_of_any_layer_the_derivative_of_relu_is_0():
    for biases in ([[1], [0], [0]], [[0], [1], [0]]):  # relu(relu(x - 1)), relu(relu(x) - 1)
        net = Layered((np.eye(1),) * 3, tuple(map(np.array, biases)))
        assert gradients(net, [[1.0], [1.5]]).tolist() == [[0], [1]]


@pytest.mark.parametrize("seed", range(5))
def test_the_gradients_by_sign_add_up_neuron_by_neuron(seed):
    net = network(seed)
    found = signs(net)
    layered = Layered((net.W, net.u[None]), (net.b, np.array([7.0])))
    for x, plus, minus in zip(hypercube.points(net.n), *found, strict=True):
        R = [j for j in range(net.s) if net.W[j] @ x > net.b[j]]
        for part, sign in ((plus, 1), (minus, -1)):
            rows = [abs(net.u[j]) * net.W[j] for j in R if sign * net.u[j] > 0]
            assert part == pytest.approx(np.sum(rows, axis=0) if rows else np.zeros(net.n))
    assert found.positive - found.negative == pytest.approx(gradients(net, hypercube.points(net.n)))
    assert all(a == pytest.approx(b) for a, b in zip(found, signs(layered), strict=True))
    squares = [np.mean([g @ g for g in part]) for part in found]
    spreads = [np.mean([(g - part.mean(0)) @ (g - part.mean(0)) for g in part]) for part in found]
    assert found.bound == pytest.approx(2 * sum(np.sqrt(squares)) ** 2)
    assert found.covariance_bound == pytest.approx(2 * sum(np.sqrt(spreads)) ** 2)
    assert edges(net).sensitivity.mean() <= found.bound * (1 + 1e-9)


def test_a_neuron_without_output_has_no_sign():
    net = SparseNetwork([1, 0], [[1, 2], [3, 4]], [0, 0])
    assert np.array_equal(signs(net).negative, np.zeros((4, 2)))


def test_each_output_and_each_point_has_its_own_numbers():
    net = network(1)
    two = Layered((net.W, np.stack([net.u, -2 * net.u])), (net.b, np.zeros(2)))
    X = hypercube.points(4)[[7, 2]]
    assert active_norms(two, X, output=1) == pytest.approx(2 * active_norms(net, X))
    assert signs(two, X, output=1).positive == pytest.approx(2 * signs(net).negative[[7, 2]])
    assert differences(two, X, output=1) == pytest.approx(-2 * differences(net, X))
    for function in (gradients, active_norms, differences):
        assert np.array_equal(function(two, X), function(two, X, output=0))
    assert np.array_equal(edges(two, X).gradient, edges(net, X).gradient)
    assert np.array_equal(signs(two, X).positive, signs(net, X).positive)


def test_norms_of_the_active_rows_are_singular_values():
    assert active_norms(SparseNetwork([2], [[1.0]], [0])).tolist() == [2, 0]  # no row, no norm
    net = network(2)
    v = net.u[:, None] * net.W
    for R, norm in zip(net.active(hypercube.points(net.n)), active_norms(net), strict=True):
        assert norm == pytest.approx(max(np.linalg.svd(v[R])[1], default=0.0))
    assert active_norms(net, [[1, 1, 1, 1], [-1, 1, 1, 1]]) == pytest.approx(active_norms(net)[:2])


@pytest.mark.parametrize("net", [network(0), network(1), deep(2), deep(3, (4, 5, 1))])
def test_differences_are_half_the_change_from_minus_one_to_one(net):
    n = net.n if isinstance(net, SparseNetwork) else net.W[0].shape[1]
    X = hypercube.points(n)
    h = net.values() if isinstance(net, SparseNetwork) else net(X)[:, 0]
    D = differences(net)
    for i in range(n):
        up = np.array([h[hypercube.index(np.where(np.arange(n) == i, 1, x)[None])[0]] for x in X])
        down = np.array([h[hypercube.index(np.where(np.arange(n) == i, -1, x)[None])[0]] for x in X])
        assert D[:, i] == pytest.approx((up - down) / 2)
    weights = fourier.weight_by_degree(h)
    assert D.var(axis=0).sum() == pytest.approx(np.arange(2, n + 1) @ weights[2:])
    assert differences(net, X[[3, 1]]) == pytest.approx(D[[3, 1]])


def test_signs_are_for_one_hidden_layer():
    for function in (signs, active_norms):
        with pytest.raises(ValueError, match="Argument 'net' must have one hidden layer, not 2."):
            function(deep(0))
        with pytest.raises(ValueError, match="Argument 'X' must be given for n = 40"):
            function(SparseNetwork([1], np.ones((1, 40)), [0]))
    wide = Layered((np.ones((33, 21)), np.ones((1, 33)), np.ones((1, 1))), (np.zeros(33), np.zeros(1), np.zeros(1)))
    with pytest.raises(ValueError, match="Argument 'X' must be given for n = 21"):  # its widest layer decides
        edges(wide)


def test_the_cube_is_enumerated_up_to_the_size_that_is_allowed(monkeypatch):
    monkeypatch.setattr("sparse_core.network.gradients.MAX_NUMBERS", 5 << 4)
    assert differences(network(0)).shape == (16, 4)
    with pytest.raises(ValueError, match="Argument 'X' must be given for n = 4"):
        differences(network(0, s=6))


@pytest.mark.parametrize("seed", range(3))
def test_the_edges_of_several_layers_are_those_of_the_definition(seed):
    """Point by point and bit by bit; the derivatives by the outputs of a layer are differences of what follows it."""
    net = deep(seed)
    X = hypercube.points(3).astype(float)

    def onwards(layer, y):
        for W, b in zip(net.W[layer:-1], net.b[layer:-1], strict=True):
            y = np.maximum(W @ y - b, 0)
        return net.W[-1][1] @ y

    def neurons(x):
        z, g = [], []
        for layer, (W, b) in enumerate(zip(net.W[:-1], net.b[:-1], strict=True), start=1):
            z.append(W @ x - b)
            x = np.maximum(z[-1], 0)
            steps = 1e-6 * np.eye(len(x))
            g.append([(onwards(layer, x + step) - onwards(layer, x - step)) / 2e-6 for step in steps])
        return np.concatenate(z), np.concatenate(g)

    found = edges(net, output=1)
    for x, boundary in zip(X, found.boundary, strict=True):
        z, g = neurons(x)
        expected = 0.0
        for i in range(3):
            z_near, g_near = neurons(np.where(np.arange(3) == i, -x, x))
            switched = (z > 0) != (z_near > 0)
            expected += (switched @ np.abs([g_near * z, g * z_near]).sum(axis=0) / 2) ** 2
        assert boundary == pytest.approx(expected, rel=1e-6)
    slopes = gradients(net, X, output=1)
    assert found.sensitivity == pytest.approx(fourier.sensitivity(net(X)[:, 1]), rel=1e-9)
    assert found.gradient == pytest.approx((slopes**2).sum(axis=1))
    assert found.increasing == pytest.approx(2 * (np.maximum(X * slopes, 0) ** 2).sum(axis=1))
    assert found.sensitivity.mean() <= found.bound * (1 + 1e-9)


def test_blocks_smaller_than_a_layer_hold_one_point(monkeypatch):
    net = network(0)
    whole = [*edges(net), differences(net)]
    monkeypatch.setattr("sparse_core.network.gradients.BLOCK_ENTRIES", 3)
    assert all(part == pytest.approx(rows) for part, rows in zip([*edges(net), differences(net)], whole, strict=True))
