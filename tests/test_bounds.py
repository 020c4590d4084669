"""The bounds: hand-computed values, limits and monotonicity, and the quantities that they bound."""

from fractions import Fraction
from math import comb, exp, inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_core import fourier, hypercube
from sparse_core.bounds import ours, paper

real_functions = st.integers(0, 6).flatmap(
    lambda n: st.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).normal(size=2**n))
)


@given(real_functions, st.integers(0, 6), st.floats(0, 0.99))
def test_both_forms_of_the_tail_bound_hold_and_ours_is_the_smaller(f, d, rho):
    ns, tail = fourier.noise_sensitivity(f, rho), fourier.tail(f, d)
    assert tail <= ours.claim_2_1_tail(ns, rho, d) * (1 + 1e-9)
    assert ours.claim_2_1_tail(ns, rho, d) <= paper.claim_2_1_tail(ns, rho, d)
    assert tail <= ours.tail_from_average_sensitivity(fourier.average_sensitivity(f), d) * (1 + 1e-9) + 1e-12


def test_the_tail_bounds_are_equalities_for_a_parity_just_above_the_degree():
    parity = hypercube.character(0b111, hypercube.points(3))
    assert ours.tail_from_average_sensitivity(fourier.average_sensitivity(parity), 2) == 1
    assert ours.claim_2_1_tail(fourier.noise_sensitivity(parity, 0.5), 0.5, 2) == pytest.approx(1)
    assert paper.claim_2_1_tail(0.1, 0.5, 0) == inf  # rho^0 = 1: the printed bound is empty at degree 0


def test_claim_2_1_needs_a_nonnegative_correlation():
    """E9: x_0 x_1 with rho = -1/2 has NS 3/8 and tail 1 above degree 1, more than 2 (3/8) / (1 + 1/2)."""
    parity = hypercube.character(0b11, hypercube.points(2))
    assert fourier.noise_sensitivity(parity, -0.5) == 0.375 and fourier.tail(parity, 1) == 1
    assert Fraction(2) * Fraction(3, 8) / (1 - Fraction(-1, 2)) < 1
    for form in (paper.claim_2_1_tail, ours.claim_2_1_tail):
        with pytest.raises(ValueError, match="'rho' must be at least 0"):
            form(0.375, -0.5, 1)


@pytest.mark.parametrize("n", [1, 2, 5, 50, 400])
def test_lemma_6_on_symmetric_halfspaces(n):
    """AS of 1{sum x > n - 2h} counts the edges of one layer: (1/4) 2 (n - h) C(n, h) / 2^n with h + 1 layers inside."""
    for h in range(n):
        p = Fraction(sum(comb(n, i) for i in range(h + 1)), 2**n)
        AS = Fraction(2 * (n - h) * comb(n, h), 4 * 2**n)
        if p < 1 - 1e-9:  # closer to 1, ln(1/p) is lost to round-off
            assert AS <= ours.lemma_6(p, n) * (1 + 1e-6)
        assert ours.lemma_6(p, n) == pytest.approx(paper.lemma_6(p, n, constant=1 / sqrt(2)))


def test_lemma_6_by_hand_and_at_the_ends():
    assert ours.lemma_6(0.25, 3) == pytest.approx(0.25 * sqrt(3 * log(4) / 2))
    assert ours.lemma_6(0, 3) == ours.lemma_6(1, 3) == paper.lemma_6(0, 3) == paper.lemma_6(1, 3) == 0


def test_lemma_7_by_hand():
    r, N = 6, 1 + 10 + 45
    exact = (4 / 0.1) * (N * r + ours.selection_constant(4, 8) * log(2 * r / 0.05))
    assert ours.lemma_7(10, 2, 2, 0.1, 0.05) == pytest.approx(exact)
    assert paper.lemma_7(10, 2, 2, 0.1, 0.05) == pytest.approx(100 * 4 * log(20) / 0.1)
    assert ours.lemma_7(5000, 5000, 1, 0.1, 0.05) == paper.lemma_7(5000, 5000, 1, 0.1, 0.05) == inf


@given(st.floats(0.1, 10), st.floats(1.1, 20))
def test_the_selection_constant_solves_both_chernoff_bounds(good, ratio):
    bad, c = good * ratio, ours.selection_constant(good, good * ratio)
    t = (bad - good) / log(ratio)
    assert good < t < bad
    for mean in (good, bad):  # crossing t from either side costs exp(-ln(1/q)) with c ln(1/q) samples, for range 4
        assert exp(-c / 4 * (t * log(t / mean) - t + mean)) == pytest.approx(exp(-1))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: paper.lemma_6(1.5, 3), "'p' must be at most 1"),
        (lambda: ours.lemma_6(0.5, 0), "'n' must be at least 1"),
        (lambda: ours.lemma_7(3, 1, 1, 0, 0.1), "'eps' must be positive"),
        (lambda: paper.lemma_7(3, 1, 1, 0.1, 1), "'delta' must be less than 1"),
        (lambda: ours.claim_2_1_tail(0.1, 1, 1), "'rho' must be less than 1"),
        (lambda: ours.tail_from_average_sensitivity(-1, 1), "'AS' must be at least 0"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
