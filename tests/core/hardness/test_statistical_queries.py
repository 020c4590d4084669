"""Statistical queries: every answer against the average written out, every exclusion against all answers so far."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparse_core.cube import fourier, hypercube
from sparse_core.hardness import statistical_queries


def table_query(table):
    """phi(x, y) = table[row of x, 0 for y = 1 and 1 for y = -1]."""
    return lambda X, y: table[hypercube.index(X), (np.asarray(y) < 0).astype(int)]


def random_query(m, rng, kind):
    if kind == "random":
        return table_query(rng.uniform(-1, 1, (1 << m, 2)))
    if kind == "signs":
        return table_query(rng.choice([-1.0, 1.0], (1 << m, 2)))
    T = int(rng.integers(1 << m))
    return lambda X, y: hypercube.character(T, X) * y


def truth(phi, S, m):
    """E phi(x, chi_S(x))."""
    X = hypercube.points(m)
    return np.mean(phi(X, hypercube.character(S, X)))


KINDS = ("random", "signs", "character")


# Queries


@pytest.mark.parametrize("m", range(1, 7))
@pytest.mark.parametrize("kind", KINDS)
def test_a_query_splits_and_its_average_is_a_coefficient(m, kind):
    rng, X = np.random.default_rng(m), hypercube.points(m)
    phi = random_query(m, rng, kind)
    phi0, phi1 = statistical_queries.label_parts(phi, X)
    assert np.max(np.abs(phi0) + np.abs(phi1)) <= 1 + 1e-15
    for y in (1, -1):
        assert np.allclose(phi(X, np.full(len(X), y)), phi0 + y * phi1, rtol=0, atol=1e-15)
    for S in range(1 << m):
        expected = truth(phi, S, m)
        naive = np.mean(phi0) + np.mean(phi1 * hypercube.character(S, X))
        assert naive == pytest.approx(expected, abs=1e-14)
        oracle = statistical_queries.StatisticalQueryOracle(X, hypercube.character(S, X), tau=0.1)
        assert oracle.query(phi) == pytest.approx(expected, abs=1e-14)


@settings(max_examples=40)
@given(st.integers(1, 8), st.sampled_from(KINDS), st.floats(0.01, 1), st.integers(0, 99))
def test_a_query_excludes_fewer_than_tau_to_the_minus_two(m, kind, tau, seed):
    assert len(statistical_queries.excluded_parities(lambda X, y: X[:, 0] * y, m, tau=1.0)) == 0  # not even at tau
    phi = random_query(m, np.random.default_rng(seed), kind)
    out = statistical_queries.excluded_parities(phi, m, tau)
    assert len(out) * tau**2 < 1
    mean = np.mean(statistical_queries.label_parts(phi, hypercube.points(m))[0])
    away = [S for S in range(1 << m) if abs(truth(phi, S, m) - mean) > tau + 1e-12]
    near = [S for S in range(1 << m) if abs(truth(phi, S, m) - mean) > tau - 1e-12]
    assert set(away) <= set(out.tolist()) <= set(near)


@pytest.mark.parametrize("j", range(5))
def test_bent_functions_have_flat_spectra_and_exclude_as_many_parities_as_parseval_allows(j):
    """The inner product is its own dual: the coefficient at T is 2^-j times the function at T (Rothaus 1976)."""
    phi1 = statistical_queries.bent(j)
    assert np.array_equal(fourier.walsh_transform(phi1), 2.0**-j * phi1) and phi1.dtype == np.int8
    out = statistical_queries.excluded_parities(lambda X, y: phi1 * y, 2 * j, 2.0**-j * (1 - 1e-9)) if j else [0]
    assert len(out) == 4**j


# The honest oracle


@pytest.mark.parametrize("sample", [1, 10, 1000])
def test_answers_from_samples_keep_the_tolerance(sample):
    X = hypercube.points(6)
    phi = table_query(np.random.default_rng(0).uniform(-1, 1, (64, 2)))
    oracle = statistical_queries.StatisticalQueryOracle(
        X, hypercube.character(5, X), 0.05, sample=sample, rng=np.random.default_rng(1)
    )
    answers = np.array([oracle.query(phi) for _ in range(300)])
    assert oracle.queries == 300
    assert np.abs(answers - truth(phi, 5, 6)).max() <= 0.05 + 1e-15
    assert len(set(answers)) > 1


def test_an_answer_is_the_mean_of_as_many_rows_as_asked_for():
    X, y = np.zeros((9, 1)), np.arange(9) / 8
    oracle = statistical_queries.StatisticalQueryOracle(X, y, tau=2.0, sample=5, rng=np.random.default_rng(2))
    assert oracle.query(lambda X, y: y) == np.random.default_rng(2).choice(y, 5).mean()


# The adversary


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 5), st.sampled_from(["fewest", "uninformed"]), st.floats(0.02, 1), st.integers(0, 99), st.data())
def test_the_remaining_parities_agree_with_all_answers_and_no_other_does(m, answers, tau, seed, data):
    rng, oracle = np.random.default_rng(seed), statistical_queries.AdversarialOracle(m, tau, answers)
    asked = []
    for i in range(8):
        phi = random_query(m, rng, data.draw(st.sampled_from(KINDS)))
        v = oracle.query(phi)
        asked.append((phi, v))
        error = np.array([max(abs(truth(f, S, m) - v) for f, v in asked) for S in range(1 << m)])
        assert (error[oracle.alive] <= tau + 1e-12).all()
        assert (error[~oracle.alive] > tau - 1e-12).all()
        assert oracle.remaining == oracle.alive.sum() >= 1
        assert oracle.queries == i + 1
        if answers == "fewest":
            assert oracle.remaining > (1 << m) - (i + 1) / tau**2 or oracle.remaining == 1


@pytest.mark.parametrize("tau", [0.05, 0.15, 0.4])
@pytest.mark.parametrize("seed", range(5))
def test_no_answer_would_have_kept_more(tau, seed):
    m, rng = 4, np.random.default_rng(seed)
    oracle = statistical_queries.AdversarialOracle(m, tau)
    for kind in ("signs", "random", "signs", "character", "signs"):
        phi, before = random_query(m, rng, kind), oracle.alive.copy()
        values = np.array([truth(phi, S, m) for S in np.flatnonzero(before)])
        candidates = np.concatenate([values + tau, values - tau, values])
        best = max(int((np.abs(values - v) <= tau + 1e-12).sum()) for v in candidates)
        uninformed = np.mean(statistical_queries.label_parts(phi, hypercube.points(m))[0])
        v = oracle.query(phi)
        assert oracle.remaining == best
        if (np.abs(values - uninformed) <= tau - 1e-12).sum() == best:
            assert v == pytest.approx(uninformed, abs=1e-15)


def test_parities_at_both_ends_of_the_tolerance_stay():
    for sets, coefficients, answer in (([0, 1], [0.5, 0.0], 0.25), ([1], [-0.5], -0.25)):
        oracle = statistical_queries.AdversarialOracle(1, tau=0.25)
        assert oracle.query_spectrum(sets, coefficients) == answer and oracle.remaining == oracle.alive.sum() == 2


def test_the_uninformed_adversary_answers_e_phi0_while_it_can():
    oracle = statistical_queries.AdversarialOracle(2, 0.4, "uninformed")
    answers = [oracle.query(lambda X, y, S=S: (hypercube.character(S, X) * y + 1) / 2) for S in range(4)]
    assert answers == [0.5, 0.5, 0.5, pytest.approx(1.0, abs=0.4)]
    assert oracle.remaining == 1 and oracle.alive[3]


@pytest.mark.parametrize("answers", ["fewest", "uninformed"])
def test_a_query_is_its_spectrum(answers):
    rng = np.random.default_rng(3)
    one, two = (statistical_queries.AdversarialOracle(5, 0.2, answers) for _ in range(2))
    for _ in range(60):
        c = fourier.walsh_transform(statistical_queries.bent(1))
        T = rng.permutation(32)[:4]
        phi1 = fourier.inverse_walsh_transform(np.bincount(T, c, minlength=32)) * 0.5
        assert one.query(lambda X, y, phi1=phi1: phi1 * y) == pytest.approx(two.query_spectrum(T, c * 0.5), abs=1e-12)
        assert np.array_equal(one.alive, two.alive)


@pytest.mark.parametrize("left", [1, 3])
@pytest.mark.parametrize("tau, j", [(0.4, 0), (0.24, 1), (0.1, 2)])
def test_the_block_learner_always_finds_the_parity(tau, j, left):
    class Oracle(statistical_queries.AdversarialOracle):
        def query_spectrum(self, sets, coefficients):
            assert self.remaining > left  # no query more than needed
            return super().query_spectrum(sets, coefficients)

    for answers in ("fewest", "uninformed"):
        oracle = Oracle(6, tau, answers)
        statistical_queries.block_learner(oracle, j, left=left, rng=np.random.default_rng(1))
        assert oracle.remaining <= left
