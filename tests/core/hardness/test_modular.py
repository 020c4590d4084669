"""Linear algebra mod p against all solutions (and in test_peers against FLINT); Arora-Ge against all secrets."""

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_core.hardness import modular


def everything(q, m):
    """All of Z_q^m, as rows."""
    return np.array(list(product(range(q), repeat=m)), dtype=np.int64)


def tables(q):
    """All maps of Z_q to labels, up to renaming the labels."""
    partial = [[0]]
    for _ in range(q - 1):
        partial = [table + [label] for table in partial for label in range(max(table) + 2)]
    return partial


def printed(p, q):
    return np.arange(q) % p


# Elimination


@given(st.integers(2, 40), st.integers(0, 5), st.integers(1, 2), st.integers(0, 2**32))
def test_every_modulus_against_all_candidates(N, rows, n, seed):
    rng = np.random.default_rng(seed)
    A, b = rng.integers(-N, N, (rows, n)), rng.integers(-N, N, rows)
    if rng.random() < 0.5:
        b = A @ rng.integers(0, N, n)
    candidates = everything(N, n)
    solutions = candidates[((candidates @ A.T - b) % N == 0).all(axis=1)].tolist()
    if solutions:
        assert modular.solve(A, b, N).tolist() in solutions
    else:
        with pytest.raises(ValueError, match="no solution: the equations contradict"):
            modular.solve(A, b, N)


@pytest.mark.parametrize("p, rows, n", [(2, 200, 130), (3, 90, 70), (8, 90, 70), (2**31, 30, 20), (360, 60, 40)])
def test_a_long_system_returns_its_secret(p, rows, n):
    rng = np.random.default_rng(p)
    A, x = rng.integers(0, p, (rows, n)), rng.integers(0, p, n)
    b = A @ (x // 2**16) % p * 2**16 % p + A @ (x % 2**16) % p  # no product above 2^63
    assert np.array_equal(modular.solve(A % p, b, p), x)
    b[-1] += 1
    with pytest.raises(ValueError, match="no solution"):
        modular.solve(A, b, p)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 127, 128, 129])
def test_words_of_64_bits_have_no_seams(n):
    rng = np.random.default_rng(n)
    A = rng.integers(0, 2, (n + 40, n))
    x = rng.integers(0, 2, n)
    assert modular.rank(A, 2) == n and np.array_equal(modular.solve(A, A @ x, 2), x)
    assert modular.rank(A[: n // 2 + 1], 2) <= n // 2 + 1


# Linearisation


@pytest.mark.parametrize("q", [2, 3, 5, 7])
def test_a_polynomial_vanishes_on_its_label_and_nowhere_else(q):
    for table in tables(q)[:200]:
        for label in set(table):
            c = modular.vanishing(table, label)
            values = [sum(int(v) * t**k for k, v in enumerate(c)) % q for t in range(q)]
            assert [v == 0 for v in values] == [entry == label for entry in table]
            assert len(c) == table.count(label) + 1 and c.dtype == np.int64


@given(st.sampled_from([3, 5]), st.integers(1, 3), st.integers(0, 2**32))
def test_the_monomials_of_the_secret_solve_the_system(q, m, seed):
    rng = np.random.default_rng(seed)
    table, w, Y = printed(2, q), rng.integers(0, q, m), rng.integers(0, q, (30, m))
    A, b = modular.system(Y, table[Y @ w % q], table)
    d = modular.degree(table)
    exponents = [a for k in range(1, d + 1) for a in everything(k + 1, m)[:, ::-1] if a.sum() == k]
    values = {tuple(a.tolist()): int(np.prod(w**a)) for a in exponents}
    order = []
    for k in range(1, d + 1):
        order += sorted((a for a in values if sum(a) == k), reverse=True)
    assert A.shape[1] == comb(m + d, d) - 1 == len(order)
    assert ((A @ [values[a] for a in order] - b) % q == 0).all()


@pytest.mark.parametrize("q, m, w", [(2, 3, [0, 1, 1]), (3, 2, [1, 2]), (5, 2, [1, 3]), (5, 1, [2]), (7, 1, [1])])
def test_all_samples_determine_the_monomials_iff_the_exponents_connect(q, m, w):
    """Against the rank of the equations of all q^m samples, for every table of labels and every degree."""
    Y = everything(q, m)
    for table in map(np.array, tables(q)):
        for d in range(1, q):
            A, _ = modular.system(Y, table[Y @ w % q], table, d)
            assert (modular.rank(A, q) == A.shape[1]) == modular.connected(table, d)


@pytest.mark.parametrize("p, q, m", [(2, 3, 4), (2, 5, 6), (3, 7, 4), (15, 31, 3)])
def test_arora_ge_finds_the_secret_from_the_stated_number_of_samples(p, q, m):
    for seed in range(5):
        rng = np.random.default_rng([q, seed])
        table, w = printed(p, q), rng.integers(0, q, m)
        w[0] = 1
        Y = rng.integers(0, q, (int(2 * modular.arora_ge_samples(m, table)[1]), m))
        assert modular.arora_ge(Y, table[Y @ w % q], table).tolist() == w.tolist()


@pytest.mark.parametrize("m, p, q, d", [(12, 2, 5, 2), (40, 2, 11, 5), (10, 15, 31, 2)])
def test_sample_counts(m, p, q, d):
    N, mean = modular.arora_ge_samples(m, printed(p, q))
    assert modular.degree(printed(p, q)) == d
    assert N == comb(m + d, d) - 1 and mean == pytest.approx(N / ((1 - d / q) / q))
