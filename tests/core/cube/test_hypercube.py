"""The cube and its conventions."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_core.cube import hypercube


@pytest.mark.parametrize("n", range(9))
def test_points_are_all_of_the_cube_in_bit_order(n):
    X = hypercube.points(n)
    assert X.shape == (2**n, n) and X.dtype == np.int8
    naive = [[1 - 2 * (i >> j & 1) for j in range(n)] for i in range(2**n)]
    assert X.tolist() == naive


@given(st.integers(0, 12), st.data())
def test_blocks_of_points_are_slices(n, data):
    stop = data.draw(st.integers(0, 2**n))
    start = data.draw(st.integers(0, stop))
    assert np.array_equal(hypercube.points(n, start, stop), hypercube.points(n)[start:stop])


def test_a_larger_cube_is_walked_in_blocks(monkeypatch):
    monkeypatch.setattr(hypercube, "MAX_POINTS_N", 3)
    assert len(hypercube.points(3)) == len(hypercube.points(5, 4, 12)) == 8


@given(st.integers(1, 62), st.integers(0, 2**32))
def test_index_inverts_points(n, seed):
    for i in (seed % 2**n, 2**n - 1):
        assert hypercube.index(hypercube.points(n, i, i + 1)).tolist() == [i]


@pytest.mark.parametrize("n", range(7))
def test_characters_are_products_and_signs_of_popcounts(n):
    X = hypercube.points(n)
    for T in range(2**n):
        naive = [int(np.prod([x[j] for j in range(n) if T >> j & 1])) for x in X]
        assert hypercube.degrees(n)[T] == T.bit_count()
        for chi in (hypercube.character(T, X), hypercube.character(T, X.astype(float))):
            assert chi.dtype == np.int8
            assert chi.tolist() == naive == [(-1) ** (i & T).bit_count() for i in range(2**n)]


@pytest.mark.parametrize("n, degree", [(0, 0), (0, 3), (1, 1), (5, 0), (5, 2), (6, 6), (6, 9), (40, 2)])
def test_monomials_are_the_sets_by_degree(n, degree):
    masks = hypercube.monomials(n, degree)
    naive = [sorted(sum(1 << j for j in T) for T in combinations(range(n), i)) for i in range(min(degree, n) + 1)]
    assert masks.tolist() == [m for level in naive for m in level]
    assert len(masks) == sum(comb(n, i) for i in range(degree + 1))


@pytest.mark.parametrize("n, degree", [(0, 0), (0, 2), (1, 3), (6, 0), (6, 3), (7, 7), (40, 2)])
def test_supports_are_the_members_of_the_monomials(n, degree):
    levels = hypercube.supports(n, degree)
    assert [level.shape for level in levels] == [(comb(n, i), i) for i in range(min(degree, n) + 1)]
    assert {level.dtype for level in levels} == {np.dtype(np.int32)}
    masks = [sum(1 << int(j) for j in T) for level in levels for T in level]
    assert masks == hypercube.monomials(n, degree).tolist()
    assert all((np.diff(level, axis=1) > 0).all() for level in levels)
    assert hypercube.dimension(n, degree) == len(masks)
