"""What bounds under product laws compare: by hand on one column, and on the uniform cube as other functions have it."""

from itertools import product

import numpy as np
import pytest

from sparse_book.chapter_7 import product_laws
from sparse_book.chapter_7.gradient_proof import random_network
from sparse_core.network import SparseNetwork, gradients

COIN = np.array([-1.0, 1.0]), np.full(2, 0.5)
RARE = np.array([-1.0, 1.0]), np.array([0.9, 0.1])


def test_on_the_uniform_cube_they_are_the_bounds_by_gradients():
    net = random_network(np.random.default_rng(3), 3, 4)
    found = {name: value[0] for name, value in product_laws.sides([(net, [COIN] * 3)]).items()}
    edges, signs = gradients.edges(net), gradients.signs(net)
    expected = {
        "I": edges.sensitivity.mean(),
        "G": gradients.differences(net).var(axis=0).sum(),
        "signs": signs.bound,
        "covariance": signs.covariance_bound,
        "zero bias": edges.slope.mean(),
        "gradient": edges.gradient.mean(),
        "boundary": edges.bound,
        "ranges": found["deviations"],
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_on_three_values_of_one_column():
    """relu(x) at -1, 0, 2 with chances 1/2, 1/4, 1/4: the mean of x is 0, its variance 3/2, rho(2) = 11/2."""
    column = np.array([-1.0, 0.0, 2.0]), np.array([0.5, 0.25, 0.25])
    found = product_laws.sides([(SparseNetwork([1], [[1]], [0]), [column])])
    switches = 2 / 8 * 3**2 + 2 / 16 * 2**2  # x and x' on two sides of 0, at distances 3 and 2
    spread = 11 / 8 - (11 / 8) ** 2 / 3
    expected = {"I": 3 / 4, "G": 0, "ranges": 9 / 4, "deviations": 3 / 2, "signs": 11 / 8, "covariance": spread,
                "uncorrelated": 11 / 4, "zero bias": 1 / 2 * 2, "gradient": 1 / 4,
                "boundary": (1 / 2 + (switches / 8) ** 0.5) ** 2}  # fmt: skip
    assert {name: value[0] for name, value in found.items()} == pytest.approx(expected)


def test_two_neurons_that_are_always_active_together_are_correlated():
    pair = SparseNetwork([1, 1], [[1, 1], [1, 1]], [0, 0])
    assert product_laws.sides([(pair, [RARE, RARE])])["uncorrelated"] == np.inf


def test_first_rare_bits_are_one_at_a_time_and_their_mean_is_the_formula():
    nets = [product_laws.first_rare_bit(signs) for signs in product((-1, 1), repeat=4)]
    assert {int(net.sparsity()) for net in nets} == {1}
    assert nets[0].scale.W == pytest.approx(1)
    found = product_laws.sides((net, [RARE] * 4) for net in nets)["I"]
    assert found.mean() / 4 == pytest.approx(product_laws.rare_bits(4, 0.1)) and found.max() > found.mean()
