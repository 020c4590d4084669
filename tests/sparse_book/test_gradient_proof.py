"""What the proofs of chapter 7 compare: by other ways, on small networks, and on networks whose numbers are known."""

import numpy as np
import pytest

from sparse_book.chapter_7 import gradient_proof
from sparse_book.chapter_7.gradient_proof import disjoint
from sparse_core.cube import fourier, hypercube
from sparse_core.learning import guarantees
from sparse_core.network import SparseNetwork, constructions, gradients
from sparse_core.network.training import Layered


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
    Q, E = gradient_proof.all_pairs(net)
    assert (Q.mean(), E.mean()) == pytest.approx((G, net.values().var()))


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


def test_the_mean_alone_certifies_what_is_false_about_half_of_the_time():
    net = network(2)
    certified, plain = gradient_proof.false_certificates(net, np.random.default_rng(0), trials=200)
    assert certified <= 0.05 and 0.2 < plain < 0.9
    smaller = SparseNetwork(net.u / 64, net.W, net.b)  # a network of another size has the same ratio
    assert gradient_proof.false_certificates(smaller, np.random.default_rng(0), trials=200) == (certified, plain)
    (Q, E), rng = gradient_proof.all_pairs(net), np.random.default_rng(0)
    pairs = [tuple(rng.integers(0, 16, (2, 60))) for _ in range(200)]
    g, V = 0.999 * Q.mean() / E.mean(), E.mean()
    assert plain == np.mean([np.maximum(Q[xy] - g * E[xy], -3 * g * V).mean() <= 0 for xy in pairs])


def test_a_trained_network_is_measured_as_on_the_whole_cube(monkeypatch):
    monkeypatch.setattr(gradient_proof, "BLOCK", 5000)
    net = constructions.random_sparse(8, 24, 2, rng=np.random.default_rng(0))
    layered = Layered((net.W, np.stack([net.u, net.u])), (net.b, np.array([-1.0, 0.0])))
    found = gradient_proof.on_trained(layered, 20_000, 4000, np.random.default_rng(1))
    variance = net.values().var()
    tails = [fourier.tail(net.values(), d) / variance for d in (1, 2)]
    assert found.measured == pytest.approx(tails, rel=0.05)
    assert found.measured[0] < found.rival < 2 * tails[0]
    G = np.arange(2, 9) @ fourier.weight_by_degree(net.values())[2:] / variance
    assert G / 2 < found.certified[0] and found.certified[1] == found.certified[0] * 2 / 3
    assert found.asymptotic[0] == pytest.approx(G / 2, rel=0.05)
    assert found.asymptotic[1] == pytest.approx(found.asymptotic[0] * 2 / 3)
    again = guarantees.certify(layered, 20_000, 0.05, rng=np.random.default_rng(1))
    assert (found.certified[0], found.asymptotic[0]) == (again.tail(1), again.asymptotic / 2)


def test_the_reach_is_attained_by_one_neuron():
    net = Layered((np.array([[1.0, -2.0]]), np.array([[3.0]])), (np.array([-1.0]), np.array([5.0])))
    X = hypercube.points(2)
    h = net(X)[:, 0]
    assert gradient_proof.reach(net, np.array([-5.0, 0, 0])) == np.abs(h + 5).max() == 12
    assert gradient_proof.reach(net, np.array([1.0, 0.5, -1.0])) == max(12 - 5 - 1, 5 + 1) + 1.5
    assert gradient_proof.reach(net, np.array([10.0, 0, 0])) == np.abs(h - 10).max() == 15
    awake = Layered(net.W, (np.array([-5.0]), net.b[1]))  # 2 <= z <= 8
    assert gradient_proof.reach(awake, np.array([30.0, 0, 0])) == 30 + 5 - 3 * 2


def test_pairs_of_points_give_the_weight_above_degree_2():
    """From all points of a cube: the squares of the low coefficients, less the pairs of a point with itself."""
    x = hypercube.points(4).astype(np.float32)
    r = np.random.default_rng(0).standard_normal(16)
    low = np.sum([(hypercube.character(int(T), x) @ r) ** 2 for T in hypercube.monomials(4, 2)])
    expected = np.mean(r**2) - (low - len(hypercube.monomials(4, 2)) * (r @ r)) / (16 * 15)
    assert gradient_proof._above_two(x, r) == pytest.approx(expected)


def test_on_the_uniform_cube_product_laws_give_the_bound_by_gradients():
    net = network(3)
    found = gradients.edges(net)
    expected = found.sensitivity.mean(), found.bound, found.gradient.mean()
    assert gradient_proof.on_product(net, (-1.0, 1.0), (0.5, 0.5)) == pytest.approx(expected)


def test_on_three_values_of_one_coordinate():
    """relu(x) at -1, 0, 2: I = Var = 3/4, P[x > 0] = 1/4; x and y are on two sides of 0 at distances 3 and 2."""
    second = (2 / 8 * 3**2 + 2 / 16 * 2**2) / 8
    found = gradient_proof.on_product(SparseNetwork([1], [[1]], [0]), (-1.0, 0.0, 2.0), (0.5, 0.25, 0.25))
    assert found == pytest.approx((3 / 4, (1 / 2 + second**0.5) ** 2, 1 / 4))


def test_the_limit_for_an_exact_fit_is_that_of_the_range_alone(monkeypatch):
    """x_1 + x_2 + 2 is between 0 and 4, the fit off its mean by at most 2: 4 is the reach, 2 the variance."""
    monkeypatch.setattr(gradient_proof, "BLOCK", 5000)
    net = Layered((np.eye(2), np.ones((1, 2))), (np.full(2, -1.0), np.zeros(1)))
    found = gradient_proof.on_trained(net, 100, 20, np.random.default_rng(3))
    assert found.rival == pytest.approx(7 * 4**2 * np.log(2 / 0.05) / (3 * (20 * 5000 - 1)) / 2, rel=3e-3)
