"""Networks with and without keys: which have them, and the bits that are read."""

import numpy as np

from sparse_book.chapter_8 import keyed_networks
from sparse_core.network import SparseNetwork
from sparse_core.network.activity import keys

RNG = np.random.default_rng(0)


def test_the_first_four_networks_have_keys_and_the_last_two_have_none():
    uniform = RNG.choice(np.array([-1, 1], np.int8), (keyed_networks.POINTS, keyed_networks.N))
    found = keyed_networks.planted(uniform, np.random.default_rng(1))
    shares = [keys(net.W, net.b).any(axis=1).mean() for net, _ in found.values()]
    assert shares[:4] == [1, 1, 1, 1] and 0.9 < shares[4] < 1 and shares[5:] == [0, 0]
    assert all(0 < net.active(X).mean() < 0.04 for net, X in found.values())


def test_the_bits_read_are_those_until_the_outcome_is_certain():
    """Point by point and neuron by neuron, from the definition."""
    net = SparseNetwork(RNG.standard_normal(6), RNG.integers(-3, 4, (6, 5)), RNG.integers(-2, 5, 6))
    X = RNG.choice([-1, 1], (20, 5))
    order = np.argsort(-np.abs(net.W).sum(axis=0), kind="stable")
    read = 0
    for x in X:
        for w, b in zip(net.W, net.b, strict=True):
            for t in range(5):
                known, rest = order[:t], order[t:]
                if w[known] @ x[known] + np.abs(w[rest]).sum() <= b:
                    break
                read += 1
    share, same = keyed_networks.bits_read(net, X)
    assert np.isclose(share, read / (20 * 6 * 5)) and same
