"""The grid family: the networks by explicit vectors, exact expectations, and the bound of `ours-theorem-g`."""

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import binom

from sparse_book.chapter_6 import grid_family
from sparse_book.chapter_6.grid_family import GridFamily, best_family
from sparse_core.network import SparseNetwork


def explicit(family, zeta):
    """The points in R^(N+q) and the network, written out from the docstring of the module."""
    q, N, kappa = family.q, family.N, family.kappa
    X = np.array([[*(np.sqrt(1 - kappa) * np.eye(N)[b]), *(np.sqrt(kappa) * np.eye(q)[i])]
                  for b in range(N) for i in range(q)])  # fmt: skip
    u, W = [], []
    for sign in (1, -1):
        for pattern in product([-1, 1], repeat=q):
            if max(pattern) > 0:
                rows = (sign * zeta == pattern).all(axis=1)
                A, V = family.neuron(rows.sum(), pattern.count(1))
                phi, gamma = np.where(rows, 1 - A, -A) * V, np.where(np.array(pattern) > 0, A, A - 1) * V
                u.append(sign)
                W.append([*(phi / np.sqrt(1 - kappa)), *(gamma / np.sqrt(kappa))])
    return X, SparseNetwork(u, W, np.zeros(len(u)))


@pytest.mark.parametrize("q, N, kappa", [(1, 3, 0.5), (2, 4, 0.3), (3, 5, 0.5), (3, 2, 0.7)])
def test_the_run_agrees_with_the_network_written_out(q, N, kappa):
    rng = np.random.default_rng(q)
    family = GridFamily(q, N, kappa)
    zeta = rng.choice([-1, 1], (N, q))
    X, net = explicit(family, zeta)
    norms = np.linalg.norm(net.W, axis=1)
    assert np.allclose(norms[norms > 0], 1) and net.s == family.s and np.allclose((X**2).sum(axis=1), 1)
    run, h = family.run(zeta), net(X)
    assert ((X @ net.W.T > 1e-9).sum(axis=1) == 1).all() and (run.fewest, run.most, run.agree) == (1, 1, True)
    assert (h * zeta.ravel() > 0).all() and run.value == pytest.approx(h @ zeta.ravel() / family.m)


@pytest.mark.parametrize("q, N, kappa", [(1, 4, 0.5), (2, 3, 0.2), (3, 2, 0.6)])
def test_the_expectation_is_the_mean_over_all_signs(q, N, kappa):
    family = GridFamily(q, N, kappa)
    runs = [family.run(np.array(z).reshape(N, q)).value for z in product([-1, 1], repeat=q * N)]
    assert family.expectation() == pytest.approx(np.mean(runs), rel=1e-12)


@pytest.mark.parametrize("q, N", [(1, 20_000), (3, 1000), (7, 300)])
def test_the_window_of_the_binomial_distribution_leaves_out_nothing(q, N):
    family, p, n = GridFamily(q, N), 2.0**-q, np.arange(N + 1)
    terms = [comb(q, c) * c * (binom.pmf(n, N, p) * n) @ family.neuron(n, c)[1] for c in range(1, q + 1)]
    assert family.expectation() == pytest.approx(2 * sum(terms) / family.m, rel=1e-12)


def test_the_blocks_have_no_seams(monkeypatch):
    family, zeta = GridFamily(2, 7), np.random.default_rng(0).choice([-1, 1], (7, 2))
    whole = family.run(zeta)
    monkeypatch.setattr(grid_family, "BLOCK_PAIRS", 3 * 2)  # two rows at a time
    assert family.run(zeta) == (1, 1, True, pytest.approx(whole.value, rel=1e-12))


def test_a_run_of_neurons_that_do_nothing_says_so():
    class Dead(GridFamily):
        def neuron(self, n, plus):
            A, V = super().neuron(n, plus)
            return A, 0 * V

    assert Dead(2, 3).run(np.ones((3, 2))) == (0, 0, False, 0)


def test_the_bound_is_below_the_ratio():
    for q, kappa, rows in product((1, 2, 5, 10), (0.1, 0.8), (1, 7, 5000)):
        family = GridFamily(q, rows, kappa)
        assert family.bound() <= family.ratio() * (1 + 1e-9)


def test_the_best_family_is_at_least_as_good_as_a_grid_of_kappas():
    at = [GridFamily(3, 500, kappa).ratio() for kappa in np.linspace(0.02, 0.9, 45)]
    assert best_family(3, 500).ratio() >= max(at) - 1e-9
