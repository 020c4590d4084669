"""Constructions: the functions they promise, point by point, and sparsity by an independent count."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import hadamard

from sparse_core.cube import fourier, hypercube
from sparse_core.network import constructions


def counts(net):
    """|R_x| over the cube in plain float arithmetic, for weights where no value is near 0 unless it is exact."""
    return (hypercube.points(net.n) @ net.W.T - net.b > 1e-12).sum(axis=1)


# Juntas


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("p", range(9))
def test_junta_neurons_are_the_indicators_of_the_points(p, half):
    """Their values form the identity matrix, so that every real table is represented, and one neuron is active."""
    net = constructions.junta(np.ones(2**p), half=half)
    X = hypercube.points(p)
    assert np.array_equal(np.maximum(X @ net.W.T - net.b, 0), np.eye(2**p))
    assert np.array_equal(net.active(X), np.eye(2**p, dtype=bool))
    assert net.sparsity() == 1
    assert net.scale == pytest.approx((math.sqrt(p) / 2, abs(p - 2) / 2) if half else (math.sqrt(p), abs(p - 1)))


@given(st.integers(0, 2**32 - 1), st.integers(0, 4), st.integers(0, 4), st.booleans())
def test_junta_reads_its_coordinates(seed, p, more, half):
    rng = np.random.default_rng(seed)
    table, n = rng.standard_normal(2**p), p + more
    read = rng.permutation(n)[:p]
    net = constructions.junta(table, n, read.tolist(), half)
    X = hypercube.points(n)
    assert np.array_equal(net(X), table[[sum(1 << i for i in range(p) if x[read[i]] < 0) for x in X]])
    assert np.array_equal(net.active_count(), np.ones(2**n))
    assert (net.n, net.s) == (n, 2**p)


# Indexing and Appendix A


@pytest.mark.parametrize("b", [0, 1, 2, 3, 4])
def test_indexing_reads_the_addressed_bit(b):
    net = constructions.indexing(b)
    bits = (np.arange(2**net.n)[:, None] >> np.arange(net.n)) & 1
    address = bits[:, :b] @ (1 << np.arange(b))
    value = 1 - bits[np.arange(len(bits)), b + address]  # -1 mapped to 0
    assert (net.n, net.s) == (b + 2**b, 2**b)
    assert np.array_equal(net.values(), value)
    assert np.array_equal(net.active_count(), value)  # so max K = 1 and Pr[K = 1] = 1/2
    assert net.matters().all()
    assert net.scale == pytest.approx((math.sqrt(b + 0.25), abs(b - 0.5)))


@pytest.mark.parametrize(("b", "q"), [(0, 3), (1, 4), (2, 5), (3, 7)])
def test_appendix_a_evaluates_the_addressed_vector(b, q):
    rng = np.random.default_rng(b)
    net = constructions.appendix_a(b, q, rng=rng)
    X = hypercube.points(b + q)
    w = net.W[np.arange(len(X)) % 2**b, b:]
    assert np.allclose(np.linalg.norm(net.W[:, b:], axis=1), 1)
    assert np.allclose(net(X), np.maximum((w * X[:, b:]).sum(axis=1), 0), rtol=0, atol=1e-10)
    assert counts(net).max() == 1 == net.sparsity()
    assert (net.W != 0).all()
    assert np.allclose(net.b, math.sqrt(q) * b) and np.allclose(np.abs(net.W[:, :b]), math.sqrt(q))


@pytest.mark.parametrize("q", [1, 2, 3, 4])
def test_appendix_a_threshold_on_both_sides(q):
    """All pairs of sign vectors, b = 1: one neuron at 2 Gamma = ||w||_1; just below it two, if both can be positive."""
    for w in hypercube.points(2 * q).reshape(-1, 2, q):
        at = constructions.appendix_a(1, q, gamma=q / 2, weights=w)
        assert counts(at).max() == 1 == at.sparsity()
        below = constructions.appendix_a(1, q, gamma=q / 2 - 0.125, weights=w)
        assert below.sparsity() == counts(below).max() == 1 + (w[0] @ w[1] > 0)


@pytest.mark.parametrize("gamma", [0, 0.1, 1, 14, math.pi, 1e6])
def test_gamma_is_rounded_up_so_that_gamma_times_b_is_exact(gamma):
    net = constructions.appendix_a(3, 4, gamma=gamma, weights=np.ones((8, 4)))
    assert gamma <= net.W[0, 0] <= gamma * (1 + 1e-11)
    assert {Fraction(bias) for bias in net.b.tolist()} == {3 * Fraction(float(net.W[0, 0]))}
    assert net.W[0, 0] == 14 or gamma != 14


@pytest.mark.parametrize("q", [2, 3, 5, 6, 7, 10, 11, 13, 28])
def test_appendix_a_at_a_threshold_that_rounds(q):
    """Unit vectors with ||w||_1 = 2 Gamma = sqrt(q) in real arithmetic are 1-sparse as stored; below stays below."""
    w, gamma = np.random.default_rng(q).choice([-1.0, 1.0], (8, q)) / math.sqrt(q), math.sqrt(q) / 2
    net = constructions.appendix_a(3, q, gamma=gamma, weights=w)
    assert gamma <= net.W[0, 0] <= gamma * (1 + 1e-11) and net.sparsity(method="pairs") == 1
    assert all(math.fsum([*abs(row), -2 * net.W[0, 0]]) <= 0 for row in w)
    for below in (gamma * (1 - 1e-9), gamma / 2):
        moved = constructions.appendix_a(3, q, gamma=below, weights=w).W[0, 0]
        assert below <= moved <= below * (1 + 2.0**-39)


# The tight family and dense parity


@pytest.mark.parametrize(("p", "k"), [*itertools.product([1, 2, 3, 4, 5], [1, 2, 3]), (3, 4), (3, 6), (3, 8)])
def test_tight_attains_the_average_sensitivity_bound(p, k):
    net = constructions.tight(p, k, n=p + 2)
    parity = np.prod(hypercube.points(p + 2)[:, :p], axis=1)
    assert np.array_equal(net.values(), 2 * k * parity)
    assert fourier.average_sensitivity(net.values()) == 4 * k**2 * p
    assert net.scale == pytest.approx((math.sqrt(p), abs(p - 2)))
    assert np.array_equal(net.active_count(), np.full(2 ** (p + 2), k)) and net.sparsity() == k
    assert net.s == k * 2**p
    assert constructions.tight(p, k).n == p


@pytest.mark.parametrize("n", range(1, 13))
def test_dense_parity(n):
    net = constructions.dense_parity(n)
    assert np.array_equal(net.values(), np.prod(hypercube.points(n), axis=1))
    assert net.s == n + 1 == net.sparsity() and (net.W == 1).all()
    assert net.matters().all()


# Codes and trees


@pytest.mark.parametrize("r", [2, 3, 4])
def test_hamming_code_is_perfect(r):
    C = constructions.hamming(r)
    n = 2**r - 1
    assert C.shape == (2 ** (n - r), n) and set(np.unique(C)) == {-1, 1}
    net = constructions.code_caps(C, n - 4)
    assert np.array_equal(net.active_count(), np.ones(2**n))  # each point in one ball of radius 1
    assert {tuple(c * d) for c in C[:16] for d in C} <= {tuple(c) for c in C}  # linear; the weights: test_peers


def test_caps_of_reed_muller():
    C = np.concatenate([hadamard(16), -hadamard(16)])
    nets = {bias: constructions.code_caps(C, bias) for bias in (4, 6, 8)}
    assert {bias: int(net.sparsity()) for bias, net in nets.items()} == {4: 6, 6: 4, 8: 1}
    X = hypercube.points(16)[::97]
    for bias, net in nets.items():
        d = (X[:, None] != C).sum(axis=2)
        assert np.array_equal(net.active_count(X), (d < (16 - bias) / 2).sum(axis=1))
        assert np.array_equal(net(X), np.maximum(16 - bias - 2 * d, 0).sum(axis=1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "depth"), [(1, 0), (3, 3), (6, 2), (9, 4)])
def test_tree_evaluates_the_leaf_that_is_reached(n, depth, dtype):
    rng = np.random.default_rng(n)
    paths = constructions.random_paths(n, depth, rng=rng)
    assert paths.shape == (2**depth, n) and paths.dtype == np.int8 and (np.abs(paths).sum(axis=1) == depth).all()
    V, c = rng.standard_normal(paths.shape).astype(dtype), rng.standard_normal(len(paths)).astype(dtype)
    c[0] = -100  # below all of <v, x>: such a leaf needs no Gamma
    net, V, c = constructions.tree(paths, V, c), V.astype(float), c.astype(float)
    assert net.sparsity() <= 1 and net.W.dtype == np.float64
    X = hypercube.points(n)
    reached = [[i for i, path in enumerate(paths) if (x[path != 0] == path[path != 0]).all()] for x in X]
    assert {len(leaves) for leaves in reached} == {1}
    leaf = np.array(reached)[:, 0]
    affine = (V[leaf] * X).sum(axis=1) + c[leaf]
    assert np.allclose(net(X), np.maximum(affine, 0), rtol=0, atol=1e-10)
    assert np.array_equal(net.active_count(), affine > 0)
    least = np.maximum(np.abs(V).sum(axis=1) + c, 0) / 2
    assert np.allclose(net.W - V, least[:, None] * paths, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("tenths", [1, 3, 7])
def test_a_tree_at_its_threshold_is_not_at_the_mercy_of_rounding(tenths):
    paths = constructions.random_paths(8, 3, rng=np.random.default_rng(0))
    net = constructions.tree(paths, np.full((8, 8), tenths / 10) * (paths == 0))
    assert net.sparsity() == 1 == net.sparsity(method="pairs")


# Random networks


@pytest.mark.parametrize(
    ("n", "s", "k"),
    [(1, 2, 1), (3, 8, 1), (4, 16, 1), (4, 40, 3), (6, 60, 1), (8, 20, 2), (10, 256, 4), (12, 64, 1), (3, 2, 5)],
)
def test_random_sparse_is_sparse_and_alive(n, s, k):
    net = constructions.random_sparse(n, s, k, rng=np.random.default_rng(s))
    assert (net.n, net.s) == (n, s)
    assert counts(net).max() == min(k, s) == net.sparsity()
    assert n != 8 or net.sparsity(method="milp", time_limit=10_000) == k  # the gaps are wide enough for its tolerance
    assert not net.dead().any() and (net.W != 0).all() and set(net.u.tolist()) <= {-1.0, 1.0}
    assert np.allclose(np.linalg.norm(net.W, axis=1), 1)


@pytest.mark.parametrize(
    ("n", "s", "k", "seed"),
    [(4, 16, 1, 4), (6, 12, 6, 6), (6, 60, 1, 8), (8, 20, 2, 8), (8, 3, 3, 8), (10, 60, 4, 10), (10, 256, 4, 8)],
)
def test_random_sparse_packs_as_it_says(n, s, k, seed):
    """Each bias is the least that spares the points with k active neurons and gives at most the share k / s."""
    net, rng = constructions.random_sparse(n, s, k, rng=np.random.default_rng(seed)), np.random.default_rng(seed)
    X, share, refused, count = hypercube.points(n), min(k * 2**n // s, 2**n - 1), 0, np.zeros(2**n, dtype=int)
    for W, b in zip(net.W, net.b, strict=True):
        for demand in share / 10 * 0.99 ** np.arange(refused, 10**4):
            w = abs(rng.standard_normal(n)) * X[rng.choice(np.flatnonzero(count < k))]
            z = X @ w / np.linalg.norm(w)
            bias = max([*z[count == k], sorted(z)[-share - 1]]) + constructions.BIAS_GAP
            if (z > bias).sum() >= max(demand, 1):
                break
            refused += 1
        assert W == pytest.approx(w / np.linalg.norm(w), abs=1e-12) and b == pytest.approx(bias, abs=1e-12)
        count += z > bias
    assert count.max() == k and np.array_equal(net.u, rng.choice([-1, 1], s))


def test_random_constructions_are_reproducible():
    for build in (
        lambda rng: constructions.random_sparse(6, 12, 2, rng=rng),
        lambda rng: constructions.appendix_a(2, 3, rng=rng),
        lambda rng: constructions.gaussian_units(6, 5, rng=rng),
    ):
        one, two, other = (build(np.random.default_rng(seed)) for seed in (1, 1, 2))
        assert np.array_equal(one.W, two.W) and np.array_equal(one.b, two.b)
        assert not np.array_equal(one.W, other.W)


@pytest.mark.parametrize(("n", "s"), [(5, 8), (8, 16), (10, 6), (4, 2000)])
def test_gaussian_units_have_the_smallest_bias(n, s):
    net = constructions.gaussian_units(n, s, rng=np.random.default_rng(n))
    assert np.allclose(np.linalg.norm(net.W, axis=1), 1)
    top = np.sort(hypercube.points(n) @ net.W.T, axis=1)[:, -2].max()
    assert np.unique(net.b).tolist() == pytest.approx([top + constructions.BIAS_GAP])
    assert net.sparsity() == 1
    assert ((hypercube.points(n) @ net.W.T > top - 1e-9).sum(axis=1)).max() == 2
