"""Activity: signs in rational arithmetic, from the definition, against the exact sums of parts."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_core.cube import hypercube
from sparse_core.network import activity
from tests.core.naive import active as signs
from tests.core.naive import neurons_at_ties

RNG = np.random.default_rng(0)


FAMILIES = {
    "integers": lambda s, n: (RNG.integers(-3, 4, (s, n)), RNG.integers(-3, 4, s)),
    "Gaussian": lambda s, n: (RNG.standard_normal((s, n)), RNG.standard_normal(s)),
    "tenths, with ties": lambda s, n: (RNG.integers(-3, 4, (s, n)) / 10, RNG.integers(-3, 4, s) / 10),
    "roots, with ties": lambda s, n: (RNG.integers(-2, 3, (s, n)) / np.sqrt(7), RNG.integers(-2, 3, s) / np.sqrt(7)),
    "many scales": lambda s, n: (10.0 ** RNG.integers(-60, 60, (s, n)), 10.0 ** RNG.integers(-60, 60, s)),
    "subnormal": lambda s, n: (RNG.integers(-3, 4, (s, n)) * 5e-324, RNG.integers(-3, 4, s) * 5e-324),
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [1, 4, 7])
def test_activity_on_the_cube_is_exact(family, n):
    W, b = (np.asarray(a, dtype=float) for a in FAMILIES[family](6, n))
    X = hypercube.points(n)
    found, counts = activity.active(W, b, X), activity.count(W, b)
    assert np.array_equal(found, signs(W, b, X)) and found.dtype == bool
    assert np.array_equal(counts, signs(W, b, X).sum(axis=1)) and counts.dtype == np.int32


@pytest.mark.parametrize("e", [10, 60, 110, 200, 1000])
@pytest.mark.parametrize("sign", [-1, 1])
def test_the_last_part_decides(e, sign):
    W = np.array([[1.0, -1.0, 2.0**-60, -(2.0**-60), sign * 2.0**-e]])
    assert activity.active(W, np.zeros(1), np.ones((1, 5))).item() == (sign > 0)


def test_far_out_a_bias_that_is_the_rounded_value_is_no_tie():
    """b = fl(<w, x>): the sign is that of the rounding error of fl."""
    for step in range(1000):
        W, X = RNG.integers(1, 10, (1, 5)) / 10, RNG.integers(-(2**20), 2**20 + 1, (1, 5)).astype(float)
        X = -np.abs(X) if step % 2 else X
        value = sum(Fraction(w) * int(x) for w, x in zip(W[0].tolist(), X[0].tolist(), strict=True))
        b = np.array([float(value)])
        assert activity.active(W, b, X).item() == activity.count(W, b, X).item() == (value > Fraction(float(value)))


@pytest.mark.parametrize("side", [-1, 1])
def test_far_out_on_either_side_a_tie_in_tenths_is_none_as_stored(side):
    W, x, y = np.array([[0.1, 0.2, -0.3], [-0.1, -0.2, 0.3]]), *RNG.integers(2**17, 2**18, (2, 100))
    X = side * np.column_stack([3 * x, 3 * y, x + 2 * y]).astype(float)
    assert np.array_equal(activity.active(W, np.zeros(2), X), signs(W, np.zeros(2), X))


def test_no_sum_over_a_part_exceeds_2_to_the_53_units():
    W, b, X = RNG.uniform(0.5, 1, (9, 6)), RNG.uniform(0.5, 1, 9), np.full((1, 6), 3.0)
    parts = activity.parts(W, b, X)
    assert np.array_equal(sum(parts), np.column_stack([W, b]))
    for A in parts:
        rows = [[Fraction(t) for t in row] for row in A.tolist()]
        assert all(3 * sum(map(abs, row)) * max(t.denominator for t in row) <= 2**53 for row in rows)


def test_at_points_with_fractions_float64_decides():
    W, b, X = np.array([[1.0, 2.0**-60]]), np.array([0.5]), np.array([[0.5, 0.5]])
    assert signs(W, b, X).item() and not activity.active(W, b, X).item() and activity.round_off(W, b, X) > 2.0**-61


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.sampled_from([np.float32, np.float64]))
def test_beyond_the_round_off_float_signs_are_right(seed, n, dtype):
    rng = np.random.default_rng(seed)
    W, b, X = rng.standard_normal((4, n)), rng.standard_normal(4) / 8, rng.standard_normal((9, n)).astype(dtype)
    clear = np.abs(X.astype(float) @ W.T - b) > activity.round_off(W, b, X)
    assert clear.any()
    assert np.array_equal(activity.active(W, b, X)[clear], signs(W, b, X)[clear])


@pytest.mark.parametrize("largest", [0.25, 3.0])
def test_the_round_off_is_the_bound_of_its_formula(largest):
    W, b, X = RNG.standard_normal((4, 5)), RNG.standard_normal(4), np.array([[largest, 0, 0, 0, 0], [-largest] * 5])
    expected = [7 * (sum(map(abs, w)) * largest + abs(t)) for w, t in zip(W, b, strict=True)]
    assert activity.round_off(W, b, X) / 2.0**-52 == pytest.approx(expected, rel=1e-14)
    assert activity.round_off(W, b, X[:0]) / 2.0**-52 == pytest.approx(7 * np.abs(b), rel=1e-14)


@pytest.mark.parametrize("block", [1, 10, 64, 10**6])
def test_the_size_of_the_blocks_changes_nothing(block, monkeypatch):
    W, b = RNG.standard_normal((5, 6)), RNG.standard_normal(5)
    X = hypercube.points(6)
    monkeypatch.setattr(activity, "BLOCK_ENTRIES", block)
    walked = list(activity.blocks(None, 6, 5))
    assert np.array_equal(np.concatenate([x for _, x in walked]), X)
    assert max(x.size for _, x in walked) <= max(block, 6) and len(walked) <= max(1, -(-64 // max(1, block // 6)))
    assert np.array_equal(activity.count(W, b), signs(W, b, X).sum(axis=1))
    assert np.array_equal(activity.active(W, b, X), signs(W, b, X))


@pytest.mark.parametrize("family", FAMILIES)
def test_dead_means_active_nowhere(family):
    W, b = (np.asarray(a, dtype=float) for a in FAMILIES[family](40, 4))
    b = np.where(np.arange(40) % 2, b, np.abs(W).sum(axis=1))  # half of them at the threshold, or next to it
    assert np.array_equal(activity.dead(W, b), ~signs(W, b, hypercube.points(4)).any(axis=0))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [1, 3, 5])
def test_a_key_is_a_coordinate_whose_wrong_sign_silences(family, n):
    """At every point of the cube; no other coordinate with a weight does that, unless the neuron is dead."""
    W, b = (np.asarray(a, dtype=float) for a in FAMILIES[family](20, n))
    b = np.where(np.arange(20) % 2, b, np.abs(W).sum(axis=1) - 2 * np.abs(W[:, 0]))  # half of them at the threshold
    X, found, alive = hypercube.points(n), activity.keys(W, b), ~activity.dead(W, b)
    active = signs(W, b, X)
    for j, c in np.ndindex(20, n):
        wrong = X[:, c] == -np.sign(W[j, c])
        assert found[j, c] == (alive[j] and W[j, c] != 0 and not active[wrong, j].any())
    assert found.dtype == bool


@pytest.mark.parametrize("seed", range(30))
def test_keys_at_ties_are_exact(seed):
    W, b = neurons_at_ties(seed)
    found = activity.keys(W, b)
    for w, bias, row in zip(W.tolist(), b.tolist(), found, strict=True):
        size = [abs(Fraction(t)) for t in w]
        margin = sum(size) - Fraction(bias)
        assert row.tolist() == [2 * t >= margin > 0 for t in size]


@pytest.mark.parametrize(("n", "s"), [(27, 1), (60, 1), (20, 2**14)])
def test_an_unreasonable_walk_is_refused(n, s):
    with pytest.raises(ValueError) as caught:
        activity.size(None, n, s)
    assert str(caught.value) == (
        f"2**{n} points with {s} neurons are too many to enumerate: give the points wanted as 'X', "
        "or bound the count with sparsity(method='pairs') or sparsity(method='milp')."
    )
    assert activity.size(np.zeros((3, n)), n, s) == 3
    assert [activity.size(None, *most) for most in ((26, 1), (26, 2**7), (20, 2**13))] == [2**26, 2**26, 2**20]


def test_the_union_over_a_batch_is_the_mean_over_all_batches():
    """Over all sets of m of seven inputs; which neurons are active together makes no difference."""
    Z = RNG.random((7, 9)) < 0.3
    Z[:, 0], Z[:, 1] = False, True
    apart = np.array([RNG.permutation(column) for column in Z.T]).T
    assert not np.array_equal(Z, apart)
    for m in range(1, 8):
        for sets in (Z, apart):
            sizes = [sets[list(batch)].any(axis=0).sum() for batch in combinations(range(7), m)]
            assert activity.union(Z.sum(axis=0), inputs=7, m=m) == pytest.approx(np.mean(sizes), rel=1e-12)


@pytest.mark.parametrize("inputs, m", [(10, 10), (1437, 1), (1437, 64), (10**6, 1000), (10**15, 3), (10**5, 50000)])
def test_the_union_is_exact_for_any_number_of_inputs(inputs, m):
    counts = [0, 1, 2, inputs // 3, 10**4 % inputs, inputs - 1, inputs]
    terms = [1 - Fraction(comb(inputs - c, m), comb(inputs, m)) if min(c, m) < 2000 else 1 for c in counts]
    assert activity.union(counts, inputs, m) == pytest.approx(float(sum(terms)), rel=1e-13)
