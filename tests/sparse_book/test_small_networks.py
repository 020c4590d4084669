"""The family of all small-integer networks: complete, without repetition, and with the tables of its members."""

from itertools import combinations_with_replacement, product
from math import comb

import numpy as np
import pytest

from sparse_book import small_networks
from sparse_book.chapter_2 import lemma_9_proof
from sparse_core.learning import lemma_9
from sparse_core.network import SparseNetwork


@pytest.mark.parametrize("n, weight, bias", [(1, 2, 2), (2, 1, 3), (3, 1, 1), (2, 2, 0)])
def test_neurons_are_all_that_are_alive(n, weight, bias):
    w, b = small_networks.neurons(n, weight, bias)
    found = list(zip(map(tuple, w.tolist()), b.tolist(), strict=True))
    wanted = [
        (v, c)
        for v in product(range(-weight, weight + 1), repeat=n)
        for c in range(-bias, bias + 1)
        if not SparseNetwork([1], [v], [c]).dead()[0]
    ]
    assert found == wanted


@pytest.mark.parametrize("count, size", [(1, 3), (4, 1), (5, 2), (4, 4), (3, 0), (0, 3)])
def test_multisets_against_itertools(count, size):
    rows = list(map(tuple, small_networks.multisets(count, size).tolist()))
    assert sorted(rows) == list(combinations_with_replacement(range(count), size))
    assert len(rows) == comb(count + size - 1, size)


@pytest.mark.parametrize("n, s, weight, bias", [(1, 3, 1, 1), (2, 2, 1, 2), (3, 2, 1, 0)])
def test_each_row_is_its_network(n, s, weight, bias):
    family = small_networks.networks(n, s, weight, bias)
    assert len(family.k) == comb(2 * len(small_networks.neurons(n, weight, bias)[1]) + s - 1, s)
    for i in np.random.default_rng(0).choice(len(family.k), 60):
        net = family.network(i)
        assert np.array_equal(family.values[i], net.values())
        assert family.k[i] == net.sparsity()
        assert (family.square[i] ** 0.5, family.bias[i]) == pytest.approx(net.scale)
        mask, labels = family.pattern[i], lemma_9.pattern(net)
        assert np.array_equal(mask[:, None] == mask, labels[:, None] == labels)


def test_no_network_stands_twice():
    family = small_networks.networks(1, 3, 1, 1)
    neurons = np.stack([family.u, family.W[:, :, 0], family.b], axis=-1)
    assert len({tuple(sorted(map(tuple, net))) for net in neurons.tolist()}) == len(neurons)


def test_the_survey_agrees_with_the_single_networks():
    sizes = [(1, 2, 1, 1), (2, 2, 1, 1)]
    found = small_networks.survey(sizes)
    nets = [family.network(i) for family in (small_networks.networks(*size) for size in sizes)
            for i in range(len(family.k))]  # fmt: skip
    table = lemma_9_proof.steps(nets)
    for name in ("n", "s", "k", "B", "AS", "U", "V", "weighted", "square"):
        assert getattr(found, name) == pytest.approx(getattr(table, name), abs=1e-12), name
    assert np.sqrt(found.W2) == pytest.approx(table.W)


def test_a_bound_is_evaluated_with_the_class_of_each_network():
    found = small_networks.survey([(1, 2, 1, 1), (2, 1, 2, 1)])
    values = found.evaluate(lambda n, s, k, W, B: n + 10 * s + 100 * k + 1000 * W**2 + 10**5 * B)
    wanted = found.n + 10 * found.s + 100 * found.k + 1000 * found.W2 + 10**5 * found.B
    assert values == pytest.approx(wanted)
    assert found.evaluate(lambda n, s, k, W, B: k).dtype == np.float64
