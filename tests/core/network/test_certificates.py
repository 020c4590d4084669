"""Certificates: none may exclude what happens, and pairs are decided as in rational arithmetic."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from sparse_core.cube import hypercube
from sparse_core.network import activity, certificates
from tests.core.naive import neurons_at_ties


def neurons(seed, s=7, n=5):
    """Alive neurons, normalised: Gaussian ones, small integers, and multiples of 1/sqrt(7) with ties that round."""
    rng = np.random.default_rng(seed)
    W, b = rng.integers(-2, 3, (s, n)).astype(float), rng.integers(-1, 4, s).astype(float)
    if seed % 3 == 0:
        W, b = rng.standard_normal((s, n)), rng.standard_normal(s) + 1
    elif seed % 3 == 1:
        W, b = W / np.sqrt(7), b / np.sqrt(7)
    alive = ~activity.dead(W, b)
    return certificates.normalised(W[alive], b[alive])


SEEDS = range(30)


@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_at_ties_are_decided_in_rational_arithmetic(seed):
    """A convex function is least at a bend: a pair is compatible iff no bend and no common key excludes it."""
    W, b = certificates.normalised(*neurons_at_ties(seed, s=20))
    graph, S = certificates.compatible(W, b), activity.keys(W, b) * np.sign(W)
    for j, i in itertools.combinations(range(len(b)), 2):
        bends = [(abs(y), abs(x)) for x, y in zip(W[j].tolist(), W[i].tolist(), strict=True) if x * y < 0]
        separated = (S[j] * S[i] < 0).any() or any(certificates.excluded(W[[j, i]], b[[j, i]], c) for c in bends)
        assert graph[j, i] == graph[i, j] == (not separated)
    assert not graph.diagonal().any()


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("seed", range(10))
def test_a_pair_of_many_coordinates_at_a_tie_is_decided_in_rational_arithmetic(seed, order):
    """w is almost dead, and almost 0 where the two bend: almost all that is summed cancels."""
    w, v = np.random.default_rng(seed).uniform(-1, 1, (2, 80))
    w[0], v[0] = 2.0**-20, -0.75
    b = np.abs(w).sum() - w[0]
    c = [-Fraction(v[0]), Fraction(w[0])]
    rows = [[Fraction(t) for t in row.tolist()] for row in (w, v)]
    tie = (sum(abs(c[0] * x + c[1] * y) for x, y in zip(*rows, strict=True)) - c[0] * Fraction(b)) / c[1]
    W, b = np.array([w, v])[::order], np.array([b, float(tie)])[::order]
    graph = certificates.compatible(*certificates.normalised(W, b))
    assert graph[0, 1] == (not certificates.excluded(W, b, c[::order]))


@pytest.mark.parametrize("parts, grains, excess", [(1, 118, 12), (2, 236, 13)])
def test_what_a_sum_loses_to_rounding_proves_nothing(parts, grains, excess):
    """V has parts so small that each is lost beside 1/8, but together they let the pair be active at the bends."""
    tiny = 2.0**-56
    blocks = np.array_split(np.full(grains, tiny), parts)
    rest = np.concatenate([np.concatenate([np.full(8, 1 / 8 / parts), block / parts]) for block in blocks])
    w = np.append(np.zeros(len(rest)), [0.5, 0.5])
    v = np.append(rest, [-0.5, -0.5])
    W, b = np.stack([w, v]), np.array([0.5, 0.5 + excess * 2.0**-53])
    assert not certificates.excluded(W, b, [1, 1])
    assert certificates.compatible(W, b)[0, 1]


def test_exact_arithmetic_decides_a_tie():
    W, b = np.array([[1.0, 0.1], [-1.0, 0.2]]), np.array([0.1, 0.2])
    assert Fraction(0.1) + Fraction(0.2) == sum(map(Fraction, b.tolist()))
    assert certificates.excluded(W, b, [1, 1])
    assert not certificates.excluded(W, np.nextafter(b, 0), [1, 1])
    assert not certificates.excluded(W, b, [0, 0]) and not certificates.excluded(W, b, [1, -1])
    assert certificates.excluded(np.vstack([W, W[:1]]), np.r_[b, 9], [1, 1, 0])  # the third takes no part


@pytest.mark.parametrize("seed", SEEDS)
def test_groups_are_exclusive_and_cover(seed):
    W, b = neurons(seed)
    graph = certificates.compatible(W, b)
    groups = certificates.exclusive_groups(graph)
    assert sorted(itertools.chain(*groups)) == list(range(len(b)))
    assert not any(graph[j, i] for group in groups for j, i in itertools.combinations(group, 2))
    assert len(groups) >= activity.count(W, b).max()
    degree = np.sort(graph.sum(axis=1))[::-1]
    assert len(groups) <= max(min(d + 1, i) for i, d in enumerate(degree.tolist(), 1))  # Welsh and Powell


def test_neurons_with_equally_many_partners_are_grouped_in_their_order():
    graph, pairs = np.zeros((99, 99), dtype=bool), range(0, 99, 3)  # j and j + 1 meet, and j + 2 meets none
    graph[pairs, np.add(pairs, 1)] = graph[np.add(pairs, 1), pairs] = True
    assert certificates.exclusive_groups(graph) == [[*pairs, *range(2, 99, 3)], [*range(1, 99, 3)]]


@pytest.mark.parametrize("seed", SEEDS)
def test_largest_count_bounds_the_count(seed):
    W, b = neurons(seed)
    groups = certificates.exclusive_groups(certificates.compatible(W, b))
    bound, corner = certificates.largest_count(W, b, groups, 30)
    assert activity.count(W, b).max() <= bound <= len(groups)
    assert activity.count(W, b, corner).max() <= bound
    if seed % 3 != 1:  # no ties that round
        assert activity.count(W, b, corner)[0] == bound == activity.count(W, b).max()


def test_normalised_divides_by_powers_of_two_and_keeps_the_signs():
    W, b = np.array([[6.0, 0.3], [0.0, 0.0], [1e300, 1e-5]]), np.array([-2.0, 0.7, 1e299])
    V, a = certificates.normalised(W, b)
    top = np.maximum(np.abs(V).max(axis=1), np.abs(a))
    assert ((0.5 <= top) & (top < 1)).all()
    assert (np.log2([6.0, 0.7, 1e300]) - np.log2(top)).tolist() == pytest.approx([3, 0, 997])
    assert np.array_equal(activity.active(V, a, hypercube.points(2)), activity.active(W, b, hypercube.points(2)))
    assert certificates.normalised(np.zeros((1, 0)), np.array([-2.0]))[1].tolist() == [-0.5]
