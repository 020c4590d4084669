"""What the proofs of chapter 7 compare for several layers: by other ways, and on networks whose numbers are known."""

from math import prod

import numpy as np
import pytest

from sparse_book.chapter_7 import layers_proof
from sparse_core.cube import fourier, hypercube
from sparse_core.network.training import Layered


def test_random_layers_have_the_sizes_asked_for():
    net = layers_proof.random_layers(np.random.default_rng(0), (3, 5, 2))
    assert [W.shape for W in net.W] == [(5, 3), (2, 5), (1, 2)] and [len(b) for b in net.b] == [5, 2, 1]
    biases = np.concatenate(layers_proof.random_layers(np.random.default_rng(1), (3, 400)).b)
    assert -0.5 <= biases.min() < -0.48 and 0.98 < biases.max() <= 1


@pytest.mark.parametrize("sizes", [(2, 3), (2, 3, 3), (2, 4, 3, 2)])
def test_the_trapezoid_rule_holds_and_needs_its_switches(sizes):
    rng = np.random.default_rng(0)
    gaps = []
    for _ in range(50):
        net = layers_proof.random_layers(rng, sizes)
        x, y = rng.standard_normal((2, 2))
        left, right, smooth = layers_proof.trapezoid(net, x, y)
        values = net(np.stack([x, y]))[:, 0]
        assert left == pytest.approx(values[0] - values[1]) and left == pytest.approx(right, abs=1e-12)
        gaps.append(abs(left - smooth))
    assert max(gaps) > 0.1


@pytest.mark.parametrize(
    "k, s, W", [([1], [2], [1.0]), ([2, 1], [3, 2], [0.5, 2.0]), ([1, 2, 2], [1, 3, 9], [1, 1, 3])]
)
def test_the_steepest_network_attains_the_supremum(k, s, W):
    net = layers_proof.steepest(k, s, W)
    ends = net(hypercube.points(1))[:, 0]
    changing = [min(2 * active, size) for active, size in zip(k, s, strict=True)]
    assert (ends[0] - ends[1]) ** 2 / 4 == pytest.approx(changing[-1] * prod(changing) * prod(W) ** 2)
    for H, active in zip(net.activations(hypercube.points(1)), k, strict=True):
        assert (H > 1e-12).sum(axis=1).max() == active


def test_one_neuron_of_the_solid_network_is_active_at_a_time():
    net = layers_proof.solid((1, 3, 2), 0.2)
    X = np.random.default_rng(0).uniform(-1, 1, (20_000, 6))
    X[: len(X) // 2] = np.sign(X[: len(X) // 2]) * np.abs(X[: len(X) // 2]) ** 0.1
    assert net.active_count(X).max() == 1 and net.scale.W == pytest.approx(1)
    assert layers_proof.solid_formula((1, 3, 2), 0.2) == pytest.approx(fourier.average_sensitivity(net.values()))


def test_along_edges_of_two_opposite_neurons():
    """relu(x + 1/2) - relu(1/2 - x): the slope is 1, 2, 1 on parts of the edge with lengths 1/4, 1/2, 1/4."""
    net = Layered((np.array([[1.0], [-1.0]]), np.array([[1.0, -1.0]])), (np.full(2, -0.5), np.zeros(1)))
    slope, within, outside = layers_proof.along_edges(net, points=4001)
    assert slope == pytest.approx(0.5 + 0.5 * 4, rel=1e-3) and (within, outside) == (8, 2)


def test_exceptions_at_one_corner_and_a_network_without_any():
    net = layers_proof.corner(3, (2, 4), (1.0, 2.0))
    assert np.count_nonzero(net(hypercube.points(3))) == 1
    assert layers_proof.soft(net) == pytest.approx((32.0, 32.0, 0.0))
    steep = layers_proof.steepest([1], [2], [1.0])
    assert layers_proof.soft(steep) == pytest.approx((4.0, 4.0, 4.0))


def test_counts_and_norms_of_neurons_of_different_sizes():
    """relu(x_1) - 3 relu(2 x_2), and a neuron that is never active: norms 1, 2, 1, at most 2 are active, 1 at 3/4."""
    W = np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 1.0]])
    net = Layered((W, np.array([[1.0, -3.0, 2.0]])), (np.array([0.0, 0.0, 2.0]), np.zeros(1)))
    norms = 4 * 9
    slope, within, outside = layers_proof.along_edges(net, points=401)
    assert slope == pytest.approx((1 + 36) / 2, rel=1e-2) and within == outside == 2 * norms * 2 * 2
    first, second = 2 * norms * 1 * 2, 2 / 4 * norms * 3 * 3  # for k = 1
    assert layers_proof.soft(net) == pytest.approx(((1 + 36) / 4, first + second, first))


@pytest.mark.parametrize("x, y", [(0.0, 1.0), (1.0, 0.0)])
def test_the_trapezoid_rule_holds_where_an_end_is_a_kink(x, y):
    net = Layered((np.eye(1), np.eye(1)), (np.zeros(1), np.zeros(1)))  # relu(x)
    assert layers_proof.trapezoid(net, np.array([x]), np.array([y])) == (x - y, x - y, (x - y) / 2)


def test_counts_and_norms_of_two_layers():
    """Three neurons relu(x_1 + x_2 - 1) and relu(-x_2), then one of the former and two of the latter.

    At (1, 1), (-1, 1), (1, -1), (-1, -1) h is 1, 0, 2, 2; 3, 0, 1, 1 neurons of the first layer are active, and 1, 0,
    2, 2 of the second. The squared norms of the layers are 2 and 1, of the output 1.
    """
    W = np.array([[1.0, 1.0]] * 3 + [[0.0, -1.0]]), np.eye(4)[[0, 3, 3]], np.ones((1, 3))
    net = Layered(W, (np.array([1.0, 1.0, 1.0, 0.0]), np.zeros(3), np.zeros(1)))
    norms = 2 * 1 * 1
    slope, within, outside = layers_proof.along_edges(net, points=401)
    assert slope == pytest.approx((0.5 + 0) / 2 + (2.5 + 2) / 2, rel=1e-2)
    assert within == outside == 2 * norms * 2 * (3 * 2)
    first, second = norms * 2 * 2 * (2 * 4), norms * 2 / 4 * 3 * (4 * 3)  # for k = (1, 2), with an exception at (1, 1)
    assert layers_proof.soft(net) == pytest.approx((1 / 8 + 5 / 8, first + second, first))
