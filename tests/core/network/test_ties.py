"""Who is active at a tie: every path of the package decides as rational arithmetic on the stored numbers does."""

import numpy as np
import pytest

from sparse_core.cube import hypercube
from sparse_core.learning import lemma_9
from sparse_core.network import SparseNetwork, gradients
from sparse_core.network.training import Layered
from sparse_meter import measure
from sparse_meter.examiner import observation
from tests.core import naive

TENTHS = np.random.default_rng(0).integers(-3, 4, (40, 3)) / 10
NETS = {
    "0.1 + 0.2 - 0.3": ([[0.1, 0.2, -0.3], [-0.1, -0.2, 0.3]], [0, 0]),
    "0.1 + 0.1 + 0.1 - 0.3": ([[0.1, 0.1, 0.1]], [0.3]),
    "round-off of a larger neuron": ([[0.1, 0.2, -0.3], [1e9, 1e9, 1e9]], [0, 3e9]),
    "a weight below the round-off": ([[0.1, 0.2, 1e-30], [0.1, 0.2, 1e-30]], [0.3, 0.1 + 0.2]),
    "tenths": (TENTHS, TENTHS.sum(axis=1)),
    "tenths that cancel": (TENTHS, np.zeros(40)),
    "integers": (10 * TENTHS, np.ones(40)),
}


def cases():
    for name, (W, b) in NETS.items():
        W, b = np.array(W, dtype=float), np.array(b, dtype=float)
        u = np.where(np.arange(len(b)) % 3 == 0, -2.0, 1.0)
        yield pytest.param(SparseNetwork(u, W, b), id=name)


@pytest.mark.parametrize("net", [*cases()])
@pytest.mark.filterwarnings("error")
def test_every_path_decides_a_tie_alike(net):
    X = hypercube.points(net.n)
    active = naive.active(net.W, net.b, X)
    v = net.u[:, None] * net.W
    counts = active.sum(axis=1)
    assert np.array_equal(net.active(X), active)
    assert np.array_equal(net.active_count(), counts)
    assert net.sparsity() == net.sparsity(X) == counts.max()
    assert np.array_equal(net.dead(), ~active.any(axis=0))
    assert gradients.gradients(net, X) == pytest.approx(active @ v)
    found = gradients.signs(net)
    assert found.positive - found.negative == pytest.approx(active @ v)
    edges = gradients.edges(net)
    assert edges.gradient == pytest.approx(((active @ v) ** 2).sum(axis=1))
    on_edges = [active ^ active[np.arange(len(X)) ^ (1 << i)] for i in range(net.n)]
    assert edges.boundary == pytest.approx(sum((on_edges[i] @ np.abs(v[:, i])) ** 2 for i in range(net.n)))
    assert np.isfinite(edges.slope).all()
    for flips in (lemma_9.flips(net), lemma_9.flips(net, X)):
        assert np.array_equal(flips.active, active)
        assert np.array_equal(flips.changes, sum(on_edges))
    assert np.array_equal(observation.visit(net, X, exact=True, cube=True).active, active)
    measured = measure(net, X).only
    assert np.array_equal(measured.active_at, active.sum(axis=0))
    assert measured.max_active == counts.max()
    layered = Layered((net.W, net.u[None], np.ones((1, 1))), (net.b, np.array([-1e9]), np.zeros(1)))  # both layers on
    assert gradients.gradients(layered, X) == pytest.approx(active @ v)
    assert gradients.edges(layered).gradient == pytest.approx(edges.gradient)


def test_as_stored_three_tenths_are_less_than_their_sum():
    net = SparseNetwork([1], [[0.1, 0.1, 0.1]], [0.3])
    x = np.ones((1, 3))
    assert net.active(x).all() and gradients.gradients(net, x).all() and measure(net, x).only.max_active == 1
