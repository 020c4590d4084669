"""What the checks on exchanged inputs compare, on functions whose terms are known."""

from itertools import product

import numpy as np
import pytest

from sparse_book.chapter_7 import exchange_proof

BITS = [np.full(2, 0.5)] * 3
SIGNS = np.array([-1.0, 1.0])
# x_1 + 2 x_2 x_3 + 3 x_1 x_2 x_3
TABLE = np.array([x + 2 * y * z + 3 * x * y * z for x, y, z in product(SIGNS, repeat=3)]).reshape(2, 2, 2)


def test_the_terms_of_a_polynomial_are_its_monomials():
    found = {T: v for T, v in exchange_proof.variances(TABLE, BITS).items() if abs(v) > 1e-12}
    assert found == pytest.approx({(0,): 1, (1, 2): 4, (0, 1, 2): 9})


def test_biased_bits_by_hand():
    """x is 1 with probability 3/4, else 0: x_1 x_2 has main effects of variance (3/4)^2 3/16, and (3/16)^2 is left."""
    law = [np.array([0.25, 0.75])] * 2
    found = exchange_proof.variances(np.array([[0.0, 0.0], [0.0, 1.0]]), law)
    assert found == pytest.approx({(): 81 / 256, (0,): 27 / 256, (1,): 27 / 256, (0, 1): 9 / 256})


def test_an_exchange_finds_what_it_splits():
    """For the sets {}, {1}, {2}, {3}, {1, 2}, {1, 3}, {2, 3}, {1, 2, 3}."""
    measured, split, met = exchange_proof.sets(TABLE, BITS).T
    assert measured == pytest.approx(np.array([0, 9, 13, 13, 13, 13, 9, 0]), abs=1e-12)
    assert split == pytest.approx(measured) and met == pytest.approx(np.array([0, 10, 13, 13, 14, 14, 13, 14]))


def test_the_two_ends_are_attained_by_pairs_and_by_products_of_all():
    pairs, everything = list(exchange_proof.spaces(np.random.default_rng(0), 0))
    assert exchange_proof.halves(*pairs) == pytest.approx((2, 2 * 2 / 3))
    assert exchange_proof.halves(*everything) == pytest.approx((1, 1))


def test_colours_find_what_meets_them():
    measured, two, one = exchange_proof.colourings(TABLE, BITS, 2).T  # of three inputs one has a colour of its own
    assert measured == pytest.approx(two) and sorted(two) == pytest.approx([9, 13, 13]) and one == pytest.approx(14)
    measured, three, two = exchange_proof.mixtures(TABLE, BITS, 3).T
    assert measured == pytest.approx(three) and three == pytest.approx(9) and two == pytest.approx(13)


@pytest.mark.parametrize("q", [2, 3, 4, 5])
def test_extremes_of_T(q):
    assert exchange_proof.extremes(q) == ((1 - q) / 2, q / 2)


def test_errors_as_in_a_simulation():
    bets = 0.5 ** np.arange(1, 5)
    Z = np.where(np.random.default_rng(0).random((20_000, 40)) < 0.1, -9, 1)
    K = np.mean([np.prod(1 - bet * Z, axis=1) for bet in bets], axis=0)
    expected = exchange_proof.frequency_of_errors(9.0, 40, bets, 0.2)
    assert np.mean(K >= 5) == pytest.approx(expected, abs=0.005) and 0.01 < expected < 0.2
