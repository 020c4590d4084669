"""max_x |R_x|: every method against rational arithmetic at every point, and the honesty of what it says."""

import copy
import json
import pickle
import re

import numpy as np
import pytest

from sparse_core.cube import hypercube
from sparse_core.network import SparseNetwork, constructions, sparsity
from tests.core import naive


def random_network(seed):
    """Gaussian weights, small integers, or multiples of 1/sqrt(7), whose ties round."""
    rng = np.random.default_rng(seed)
    n, s = int(rng.integers(1, 7)), int(rng.integers(1, 8))
    if seed % 3 == 0:
        return SparseNetwork(np.ones(s), rng.standard_normal((s, n)), rng.standard_normal(s) + 1)
    unit = 1 if seed % 3 == 1 else np.sqrt(7)
    return SparseNetwork(np.ones(s), rng.integers(-3, 4, (s, n)) / unit, rng.integers(-2, 6, s) / unit)


@pytest.mark.parametrize("seed", range(60))
def test_all_methods_enclose_the_truth(seed):
    net, found = random_network(seed), {}
    k = naive.active(net.W, net.b, hypercube.points(net.n)).sum(axis=1).max()
    for method in sparsity.METHODS:
        found[method] = net.sparsity(method=method)
        assert found[method].lower <= k <= found[method].upper == int(found[method])
        assert found[method].exact == (found[method].lower == found[method].upper)
        assert net.active_count(found[method].witness[None])[0] == found[method].lower
        assert set(np.unique(found[method].witness)) <= {-1, 1}
        assert found[method].witness.dtype == np.int8 and found[method].witness.shape == (net.n,)
    assert found["enumeration"].exact and found["auto"].exact
    sample = hypercube.points(net.n)[::3]
    assert net.sparsity(sample) == net.active_count(sample).max() and net.sparsity(sample).method == "sample"
    assert found["milp"] <= found["pairs"]
    if seed % 3 != 2:
        assert found["milp"].exact and found["milp"] == k


@pytest.mark.parametrize(
    ("net", "method", "name", "text"),
    [
        (constructions.junta(np.ones(16)), "auto", "enumeration", "1, exact by enumeration of 16 points"),
        (constructions.junta(np.ones(16), n=200), "auto", "enumeration", "1, exact by enumeration of 16 points"),
        (constructions.junta(np.ones(256), half=True), "pairs", "pairs", "1, exact by pair certificates"),
        (constructions.indexing(8), "auto", "pairs", "1, exact by pair certificates"),
        (SparseNetwork(np.ones(3), np.eye(3), np.zeros(3)), "milp", "milp", "3, exact by integer programming"),
    ],
)
def test_it_says_which_method_decided(net, method, name, text):
    found = net.sparsity(method=method)
    assert repr(found) == text and found.method == name


@pytest.mark.parametrize(("variables", "pairs", "name"), [(3, 24, "enumeration"), (3, 23, "pairs"), (2, 24, "pairs")])
def test_enumeration_is_the_first_choice_up_to_its_limits(variables, pairs, name, monkeypatch):
    monkeypatch.setattr(sparsity, "MAX_POINTS_N", variables)
    monkeypatch.setattr(sparsity, "AUTO_PAIRS", pairs)
    found = SparseNetwork(np.ones(3), np.eye(3), np.zeros(3)).sparsity()
    assert (found, found.lower, found.method) == (3, 3, name)


def test_a_witness_is_the_corner_where_a_neuron_is_largest_or_its_neighbour(monkeypatch):
    alternating = SparseNetwork([1], [[1, -1, 1, -1, 1, -1]], [5])
    assert alternating.sparsity(method="pairs").witness.tolist() == [1, -1, 1, -1, 1, -1]
    between = SparseNetwork([1, 1], [[1, 1, 1], [-1, -1, 1]], [0.5, 0.5])  # the corners (1, 1, 1) and (-1, -1, 1)
    for limit, lower in [(18, 2), (17, 1)]:
        monkeypatch.setattr(sparsity, "MAX_NEIGHBOUR_ENTRIES", limit)
        assert between.sparsity(method="pairs").lower == lower


def test_undecided_is_said():
    net = constructions.random_sparse(10, 40, 2, rng=np.random.default_rng(0))
    open_case = net.sparsity(method="pairs")
    assert open_case.lower <= 2 < open_case and not open_case.exact
    assert re.fullmatch(
        r"at most \d+, certified by pair certificates; at least \d, by a witness; undecided between", repr(open_case)
    )
    assert net.sparsity() == net.sparsity(method="milp") == 2


def test_an_integer_programme_that_gives_up_does_not_lose_the_bound_of_the_pairs():
    rng = np.random.default_rng(0)
    net = SparseNetwork(np.ones(16), rng.standard_normal((16, 40)), np.full(16, 16.0))
    given_up = net.sparsity(method="milp", time_limit=0)
    assert given_up.method == "pairs" and given_up == net.sparsity(method="pairs") < net.s


def test_a_large_network_is_decided_beyond_enumeration():
    rng = np.random.default_rng(0)
    net = SparseNetwork(np.ones(12), rng.standard_normal((12, 32)), np.full(12, 16.0))
    found = net.sparsity()
    assert found.exact and found.method == "milp"
    assert net.active_count(found.witness[None])[0] == found


def test_it_is_an_integer_that_travels():
    k = SparseNetwork([1, 1], [[1, 1], [1, -1]], [-1, 1]).sparsity()
    assert k == 2 and k <= 2 and k + 1 == 3 and list(range(k)) == [0, 1] and json.dumps([k]) == "[2]"
    assert f"{k} {k:3d} {k!s} {k!r}" == "2   2 2 2, exact by enumeration of 4 points"
    for other in (pickle.loads(pickle.dumps(k)), copy.copy(k), copy.deepcopy(k)):
        assert (other, other.lower, repr(other)) == (k, k.lower, repr(k))
        assert np.array_equal(other.witness, k.witness)


@pytest.mark.parametrize("method", sparsity.METHODS)
def test_dead_and_empty_networks_have_sparsity_zero(method):
    empty = np.empty
    for net in (
        SparseNetwork([1], [[1, 1]], [2]),
        SparseNetwork([], empty((0, 3)), []),
        SparseNetwork([1], empty((1, 0)), [0]),
    ):
        assert net.sparsity(method=method) == 0 and net.sparsity(method=method).exact
    assert constructions.junta([2.5]).sparsity(method=method) == 1
