"""What the proofs of chapter 7 compare: by other ways, on small networks, and on networks whose numbers are known."""

import numpy as np
import pytest

from sparse_book.chapter_7 import gradient_proof
from sparse_book.chapter_7.gradient_proof import disjoint
from sparse_core.cube import fourier, hypercube
from sparse_core.network import SparseNetwork, constructions
from sparse_core.network.training import Layered


def network(seed, n=4, s=5):
    rng = np.random.default_rng(seed)
    return SparseNetwork(rng.choice([-1.0, 1, 2], s), rng.standard_normal((s, n)), rng.uniform(-0.5, 1, s))


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
    assert gradient_proof.shares(net)[0] == pytest.approx(G)
    assert gradient_proof.tails(net)[:, 1] == pytest.approx(G / np.array([2, 3, 4]))
    Q, E = gradient_proof.all_pairs(net)
    assert (Q.mean(), E.mean()) == pytest.approx((G, net.values().var()))


def test_one_run_agrees_with_least_squares():
    net = network(1)
    error, bound = gradient_proof.one_run(net, 2, 60, 0.9, np.random.default_rng(3))
    rows = np.random.default_rng(3).integers(0, 16, 60)
    masks = hypercube.monomials(4, 2)
    Phi = np.array([hypercube.character(int(T), hypercube.points(4)) for T in masks]).T[rows]
    fitted = np.linalg.lstsq(Phi, net.values()[rows], rcond=None)[0]
    gap = fitted - fourier.walsh_transform(net.values())[masks]
    assert error == pytest.approx(gap @ gap) and 0 < error < bound
    assert gradient_proof.one_run(net, 2, 12, 0.1, np.random.default_rng(3)) == (0.0, 0.0)


def test_the_mean_alone_certifies_what_is_false_about_half_of_the_time():
    certified, plain = gradient_proof.false_certificates(network(2), np.random.default_rng(0), trials=200)
    assert certified <= 0.05 and 0.2 < plain < 0.9


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
