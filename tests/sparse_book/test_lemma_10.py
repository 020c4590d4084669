"""Appendix B's buckets: distributions in fractions, the paper's sampling scheme step by step, and equation (17)."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_book.chapter_2 import lemma_10
from sparse_core.cube import hypercube
from sparse_core.network import SparseNetwork

F = Fraction
rates = st.fractions(-1, F(49, 50), max_denominator=60)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("r", [1, 2, 3, 5])
def test_buckets_are_noise_of_rate_one_over_r(n, r):
    assert lemma_10.bucket_distribution(n, r) == lemma_10.noise_distribution(n, 1 - F(2, r))


@given(st.integers(1, 3), rates)
def test_the_distributions_agree_exactly_when_the_number_is_an_integer(n, rho):
    r = lemma_10.bucket_count(rho)
    assert r <= 2 / (1 - rho) < r + 1
    assert sum(lemma_10.noise_distribution(n, rho)) == sum(lemma_10.bucket_distribution(n, min(r, 4))) == 1
    distance = lemma_10.total_variation(
        lemma_10.noise_distribution(n, rho), lemma_10.noise_distribution(n, 1 - F(2, r))
    )
    assert (distance == 0) == (2 / (1 - rho) == r)


def test_the_scheme_as_the_paper_words_it():
    """z, buckets, signs v, one bucket flipped: the joint distribution of (x, y), every case listed."""
    n, r = 2, 3
    pairs = {}
    cases = list(product(hypercube.points(n), product(range(r), repeat=n), hypercube.points(r), range(r)))
    for z, bucket, v, e in cases:
        w = v.copy()
        w[e] *= -1
        pair = tuple((z * v[list(bucket)]).tolist()), tuple((z * w[list(bucket)]).tolist())
        pairs[pair] = pairs.get(pair, 0) + F(1, len(cases))
    flipped = lemma_10.bucket_distribution(n, r)
    for x in hypercube.points(n):
        for y in hypercube.points(n):
            T = sum(1 << int(i) for i in np.flatnonzero(x != y))
            assert pairs.get((tuple(x.tolist()), tuple(y.tolist())), 0) == flipped[T] / 2**n


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 4))
def test_the_restriction_is_h_at_the_glued_point(seed, n, r):
    rng = np.random.default_rng(seed)
    net = SparseNetwork(*(rng.integers(-3, 4, shape) for shape in (4, (4, n), 4)))
    bucket, z = rng.integers(0, r, n), rng.choice([-1, 1], n)
    H, v = lemma_10.restriction(net, bucket, z, r), hypercube.points(r)
    assert np.array_equal(H(v), net(z * v[:, bucket]))
    assert np.array_equal(H.active(v), net.active(z * v[:, bucket]))
    assert H.sparsity() <= net.sparsity()
