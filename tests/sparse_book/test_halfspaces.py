"""Half-spaces: the list is complete, and the closed forms agree with the cube."""

from math import comb

import pytest

from sparse_book import halfspaces

PUBLISHED = [2, 4, 14, 104, 1882, 94572]  # OEIS A000609: threshold functions of n variables


@pytest.mark.parametrize("n", range(6))
def test_the_orbits_add_up_to_the_published_number(n):
    assert sum(map(halfspaces.orbit_size, halfspaces.canonical(n))) == PUBLISHED[n]


@pytest.mark.parametrize("n", [1, 2, 3, 10, 101, 600])
def test_symmetric_half_spaces_have_the_exact_binomial_probabilities(n):
    layers = [comb(n, a) for a in range(n + 1)]
    p, AS = halfspaces.symmetric(n)
    assert p == pytest.approx([sum(layers[a:]) / 2**n for a in range(1, n + 1)], rel=1e-13)
    assert AS == pytest.approx([a * layers[a] / 2 ** (n + 1) for a in range(1, n + 1)], rel=1e-13)


def test_a_hundred_thousand_coordinates_are_as_accurate():
    n = 10**5
    p, AS = halfspaces.symmetric(n)
    assert p.max() == pytest.approx(1, rel=1e-13) and p.max() <= 1 and p[n - 1] == 0
    assert p[n // 2] + p[n // 2 - 1] == pytest.approx(1, rel=1e-13)
    for a in (44_500, 50_000, 50_001, 51_000, 55_500):
        assert AS[a - 1] == pytest.approx(a * comb(n, a) / 2 ** (n + 1), rel=1e-13)
