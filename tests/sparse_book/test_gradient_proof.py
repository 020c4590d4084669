"""What the proofs of chapter 7 compare: by other ways, on small networks, and on networks whose numbers are known."""

import numpy as np
import pytest

from sparse_book.chapter_7 import gradient_proof
from sparse_book.chapter_7.gradient_proof import disjoint
from sparse_core.cube import fourier, hypercube
from sparse_core.network import SparseNetwork, gradients


def network(seed, n=4, s=5):
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((s, n)) * (rng.random((s, n)) < 0.8)
    return SparseNetwork(rng.choice([-1.0, 1, 2], s), W, rng.uniform(-0.5, 1, s))


def test_disjoint_parities_are_a_sum_of_parities():
    net = disjoint(2, 3, 2)
    X = hypercube.points(6)
    assert net.values() == pytest.approx(4 * sum(X[:, 2 * i] * X[:, 2 * i + 1] for i in range(3)))
    assert set(net.active_count()) == {6} and net.scale.W == pytest.approx(np.sqrt(2))


@pytest.mark.parametrize("seed", range(4))
def test_the_bounds_are_in_order_and_g_is_what_covariances_of_shares_give(seed):
    net = network(seed)
    for sides in (gradient_proof.by_sign(net), gradient_proof.covariances(net)):
        assert np.all(np.diff(sides) >= -1e-9 * max(sides))
    G = gradient_proof.covariances(net)[0]
    ends = gradients.gradients(net, hypercube.points(4)).var(axis=0).sum()
    assert gradient_proof.shares(net) == pytest.approx((G, ends))
    values = net.values()
    AS, V, first = fourier.average_sensitivity(values), values.var(), fourier.weight_by_degree(values)[1]
    for d, row in enumerate(gradient_proof.tails(net), start=1):
        last = (AS - 2 * V + first) / (d - 1) if d > 1 else np.inf
        assert row == pytest.approx((fourier.tail(values, d), G / (d + 1), G / (d + 2), last))


def test_covariances_of_two_neurons_by_hand():
    """relu(x_1) + relu(x_1 + x_2): p = 1/2 and 1/4, C_12 = 1/8, <v_1, v_2> = 1; G = 1/2 from the coefficient 1/2."""
    net = SparseNetwork([1, 1], [[1, 0], [1, 1]], [0, 0])
    G, split, pairs, norm = gradient_proof.covariances(net)
    assert (G, split, pairs) == pytest.approx((0.5, 2 * (1 / 4 + 2 * 3 / 16 + 2 / 8), 4 * (1 / 4 + 2 * 3 / 16 + 2 / 8)))
    assert norm == pytest.approx(4 * (3 + np.sqrt(5)) / 2 * (1 / 4 + 3 / 16))


def test_the_classes_have_the_least_rho_of_the_definition():
    net = SparseNetwork([1, 1], [[1, 0], [1, 1]], [0, 0])
    ((tail, b, c, plain),) = gradient_proof.classes(net)
    # k = 2, W^2 = 2; rho is C_12 <v_1, v_2> / (p_1 p_2 W^2) = 1/2 in (b) and <v_1, v_2> / W^2 = 1/2 in (c)
    assert (tail, b, c, plain) == pytest.approx((1 / 4, 8 * 2, 8 * 1.5, 8))


def test_the_least_rho_of_independent_neurons_is_0():
    """x_1 and x_2, and a neuron of the same sign that is never active: k = 2, W = 1, n = 3."""
    net = SparseNetwork([1, 1, 1], [[1, 0, 0], [0, 1, 0], [0.5, 0.5, 0.5]], [0, 0, 5])
    assert gradient_proof.classes(net) == pytest.approx(np.array([[0, 4, 4, 4], [0, 8 / 3, 8 / 3, 8 / 3]]))
    alone = SparseNetwork([1], [[1, 1]], [0])
    assert gradient_proof.classes(alone) == pytest.approx(np.array([[1 / 4, 4, 4, 4]]))
    assert gradient_proof.shares(SparseNetwork([1], [[1, 1]], [2])) == (0, 0)  # 0 is not above 0


def test_random_networks_have_the_weights_and_biases_that_they_say():
    net = gradient_proof.random_network(np.random.default_rng(0), 5, 400)
    share = net.b / np.abs(net.W).sum(axis=1)
    assert -0.3 <= share.min() < -0.28 and 0.98 < share.max() <= 1
    assert set(net.u) == {-1, 1} and 0.17 < np.mean(net.W == 0) < 0.23


def test_the_formula_of_blocks_of_parities():
    sizes = (1, 2, 3)
    net = gradient_proof.blocks_of_parities(sizes)
    assert net.n == 6 and net.scale.W == pytest.approx(1)
    assert gradient_proof.blocks_formula(sizes) == pytest.approx(fourier.average_sensitivity(net.values()))
    assert gradient_proof.blocks_formula((4,), 0.75) == pytest.approx(4 / 4**1.5)


def test_one_run_agrees_with_least_squares():
    net = network(1)
    error, bound = gradient_proof.one_run(net, 2, 60, 0.9, np.random.default_rng(3))
    rows = np.random.default_rng(3).integers(0, 16, 60)
    masks = hypercube.monomials(4, 2)
    Phi = np.array([hypercube.character(int(T), hypercube.points(4)) for T in masks]).T[rows]
    fitted = np.linalg.lstsq(Phi, net.values()[rows], rcond=None)[0]
    gap = fitted - fourier.walsh_transform(net.values())[masks]
    moment = Phi.T @ (Phi @ gap + net.values()[rows] - Phi @ fitted) / 60
    assert error == pytest.approx(gap @ gap) and error < bound == pytest.approx(moment @ moment / 0.1**2)
    between = np.linalg.eigvalsh(Phi.T @ Phi / 60)[:2].mean()  # the least eigenvalue and the next
    assert gradient_proof.one_run(net, 2, 60, 1 - between, np.random.default_rng(3)) == (0.0, 0.0)
