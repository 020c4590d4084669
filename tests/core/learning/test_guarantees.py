"""Certificates of tails: against their definition, on networks whose G and variance are known, and when they err."""

from math import inf, log, sqrt

import numpy as np
import pytest
from scipy import stats

from sparse_core.cube import fourier
from sparse_core.learning import guarantees
from sparse_core.learning.guarantees import Certificate, certify, empirical_bernstein
from sparse_core.network import SparseNetwork, constructions
from sparse_core.network.gradients import differences, ranges
from sparse_core.network.training import Layered

RNG = np.random.default_rng
GRID = 4 * 0.99 ** np.arange(700)


def bend(net):
    """G / Var, from the Fourier weights."""
    weights = fourier.weight_by_degree(net.values())
    return (np.arange(2, len(weights)) @ weights[2:]) / weights[1:].sum()


def test_empirical_bernstein_by_hand():
    width = log(2 / 0.1)
    found = empirical_bernstein([0.0, 1.0, 2.0], -1, 3, 0.1)
    assert found == pytest.approx(1 + sqrt(2 * 1.0 * width / 3) + 7 * 4 * width / 6)
    assert empirical_bernstein([2.0, 2.0], 2, 2, 0.1) == 2
    large = np.array([2.0**100, -(2.0**100)], dtype=np.float32)  # whose squares overflow in single precision
    assert empirical_bernstein(large, *large[::-1], 0.1) == pytest.approx(
        2.0**100 * (sqrt(2 * 2 * width / 2) + 7 * 2 * width / 3)
    )
    with pytest.raises(ValueError, match="Argument 'values' must be between 0.0 and 1.0"):
        empirical_bernstein([0.5, 1.5], 0, 1, 0.1)
    with pytest.raises(ValueError, match="Argument 'high' must be at least 1.0, not 0.0."):
        empirical_bernstein([1.0, 1.0], 1, 0, 0.1)
    with pytest.raises(ValueError, match="the number of values"):
        empirical_bernstein([1.0], 0, 1, 0.1)


def test_empirical_bernstein_errs_more_rarely_than_it_says():
    """On the worst kind of variable, one that is rarely not 0; the mean alone errs in half of the cases."""
    rng = RNG(0)
    samples = (rng.random((2000, 100)) < 0.05).astype(float)
    upper = np.array([empirical_bernstein(x, 0, 1, 0.2) for x in samples])
    assert np.mean(upper < 0.05) <= 0.2 < np.mean(samples.mean(axis=1) < 0.05)


def reference(net, pairs, delta, rng, grid=GRID):
    """The two ratios by their definition, one number at a time."""
    n = net.n
    pilot = net(rng.choice([-1.0, 1.0], (1000, n))).var(ddof=1)
    x = rng.choice([-1.0, 1.0], (pairs, n))
    y = rng.choice([-1.0, 1.0], (pairs, n))
    Q = ((differences(net, x) - differences(net, y)) ** 2).sum(axis=1) / 2
    E = (net(x) - net(y)) ** 2 / 2
    B = (ranges(net) ** 2).sum() / 2
    found = [inf, inf]
    for which in (0, 1):
        for g in grid:
            c = 10 * g * pilot
            Z = np.maximum(Q - g * E, -c) if which == 0 else Q - g * E
            extra = sqrt(2 * Z.var(ddof=1) * log(2 / delta) / pairs) + 7 * (B + c) * log(2 / delta) / (3 * (pairs - 1))
            if which == 1:
                extra = stats.t.ppf(1 - delta, pairs - 1) * Z.std(ddof=1) / sqrt(pairs)
            if Z.mean() + extra > 0:
                break
            found[which] = g
    return found, Q.mean() / E.mean()


@pytest.mark.parametrize("seed", [0, 1])
def test_the_certificate_is_that_of_the_definition(seed):
    net = constructions.random_sparse(6, 8, 2, rng=RNG(seed))
    found = certify(net, 20_000, 0.05, rng=RNG(1))
    (ratio, asymptotic), estimate = reference(net, 20_000, 0.05, RNG(1))
    assert found == pytest.approx(Certificate(ratio, asymptotic, estimate))
    assert bend(net) < found.asymptotic < found.ratio < inf and found.estimate == pytest.approx(bend(net), rel=0.05)
    assert found.tail(3) == found.ratio / 4
    layered = Layered((net.W, net.u[None]), (net.b, np.array([7.0])))
    assert certify(layered, 20_000, 0.05, rng=RNG(1)) == pytest.approx(found)


def test_a_few_pairs_are_judged_by_the_quantile_of_their_number():
    """With four pairs Student's quantile is far from the normal one, and from that of one pair more or less."""
    net = SparseNetwork([1, -1, 0.3], [[1, 0.5], [-1, -0.5], [1, 1]], [-2, -2, 1])
    found = [certify(net, 4, 0.1, rng=RNG(seed)).asymptotic for seed in range(40)]
    assert found == pytest.approx([reference(net, 4, 0.1, RNG(seed))[0][1] for seed in range(40)])
    assert 5 < np.isfinite(found).sum() < 35
    # with two pairs g may fail and a smaller one pass again, which does not count
    bent = SparseNetwork([1, 1, 1], [[2, 2, -2], [0, 1, -1], [-1, 1, 2]], [0, -2, 1])
    found = [certify(bent, 2, 0.1, rng=RNG(seed)).asymptotic for seed in range(20)]
    assert found == pytest.approx([reference(bent, 2, 0.1, RNG(seed))[0][1] for seed in range(20)])


def test_each_output_is_certified_by_itself():
    one, other = (constructions.random_sparse(5, 8, 2, rng=RNG(seed)) for seed in (0, 1))
    other = SparseNetwork(10 * other.u, other.W, other.b)  # of another size: so are the ranges of its differences
    both = Layered(
        (np.concatenate([one.W, other.W]), np.kron(np.eye(2), np.ones(8)) * np.concatenate([one.u, other.u])),
        (np.concatenate([one.b, other.b]), np.zeros(2)),
    )
    for output, net in enumerate((one, other)):
        assert certify(both, 5000, 0.1, rng=RNG(3), output=output) == pytest.approx(certify(net, 5000, 0.1, rng=RNG(3)))
    assert certify(both, 5000, 0.1, rng=RNG(3)) == certify(both, 5000, 0.1, rng=RNG(3), output=0)


def test_an_affine_function_is_certified_as_far_as_the_sample_allows(monkeypatch):
    net = SparseNetwork([1, -1], [[1, 0.5], [-1, -0.5]], [-2, -2])
    few, many = (certify(net, pairs, 0.05, rng=RNG(0)) for pairs in (200, 20_000))
    assert few.estimate == many.estimate == 0 and 0.05 < few.ratio < 0.06
    fine = 0.06 * 0.9999 ** np.arange(3000)  # steps of 1 % would hide the cut and the pilot
    expected = reference(net, 200, 0.05, RNG(0), fine)[0][0]
    assert many.ratio == many.asymptotic == few.asymptotic == pytest.approx(4 * 0.99**699)
    monkeypatch.setattr(guarantees, "RATIOS", fine)
    assert certify(net, 200, 0.05, rng=RNG(0)).ratio == expected


def test_what_is_certified_by_luck_is_rare():
    """A parity of three bits has G = 3 Var; 60 pairs say less at times, but are too few for a certificate."""
    parity = constructions.tight(3, 1)
    found = [certify(parity, 60, 0.05, rng=RNG(seed)) for seed in range(40)]
    assert all(one.ratio > 3 for one in found)
    assert 0 < sum(one.estimate < 3 for one in found) < 40 and sum(one.asymptotic < 2.97 for one in found) <= 5


def test_a_constant_has_no_ratio_and_every_certificate():
    found = certify(SparseNetwork([1], [[0.0, 0.0]], [-1]), 10, 0.1, rng=RNG(0))
    assert found.estimate == inf and found.ratio == found.asymptotic == min(guarantees.RATIOS)


def test_single_precision_is_left_before_the_differences_are_taken():
    net = constructions.random_sparse(6, 8, 2, rng=RNG(0))
    large = Layered((net.W.astype(np.float32), net.u[None].astype(np.float32)), (net.b.astype(np.float32), np.zeros(1)))
    exact = SparseNetwork(large.W[1][0], large.W[0], large.b[0])
    assert certify(large, 500, 0.1, rng=RNG(2)).estimate == pytest.approx(
        certify(exact, 500, 0.1, rng=RNG(2)).estimate, rel=1e-12
    )


def test_arguments_are_checked():
    net = constructions.tight(2, 1)
    with pytest.raises(ValueError, match="Argument 'pairs' must be at most 67108864, not"):  # 2^27 over n
        certify(net, 10**9, 0.1, rng=RNG(0))
    with pytest.raises(ValueError, match="Argument 'd' must be at least 1, not 0."):
        Certificate(1.0, 1.0, 1.0).tail(0)


def test_rounding_takes_no_value_out_of_its_range():
    """Two parities of two bits: Q reaches half the squared length of the ranges, and in floats 4e-16 more."""
    parity = constructions.tight(2, 1)
    net = SparseNetwork(np.kron([0.8, 0.6], parity.u), np.tile(0.3 * parity.W, (2, 1)), np.tile(parity.b, 2))
    assert 2 < certify(net, 5000, 0.1, rng=RNG(0)).ratio < 4  # G = 2 Var
