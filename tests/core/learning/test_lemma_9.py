"""(U) and (V): against flips written out point by point."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_core.cube import fourier, hypercube
from sparse_core.learning import lemma_9
from sparse_core.network import SparseNetwork, activity, constructions, gradients
from tests.core.naive import network


def by_flips(net):
    """The four quantities, one point and one bit at a time."""
    U = V = boundary = jump = 0.0
    X = hypercube.points(net.n)
    for x in X:
        for i in range(net.n):
            y = x.copy()
            y[i] *= -1
            (hx, hy), (Rx, Ry) = net([x, y]), net.active([x, y])
            change = bool((Rx != Ry).any())
            U += (hx - hy) ** 2 / 4 * (not change)
            V += (hx - hy) ** 2 / 4 * change
            boundary += change
            jump += hx**2 * change
    return np.array([U, V, boundary, jump]) / len(X)


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 10))
def test_split_agrees_with_flips_point_by_point(seed, n, s):
    net = network(seed, n, s)
    parts = lemma_9.split(net.values(), lemma_9.pattern(net))
    assert parts == pytest.approx(by_flips(net), abs=1e-12)
    assert parts.U + parts.V == pytest.approx(fourier.average_sensitivity(net.values()), abs=1e-12)


@pytest.mark.parametrize("n, dtype", [(255, np.uint8), (256, np.uint16)])
def test_flips_are_counted_in_the_shortest_type_that_holds_them(n, dtype):
    """relu(x_1 + ... + x_n - n + 1) at (1, ..., 1), where each flip makes its neuron inactive: h falls from 1 to 0."""
    found = lemma_9.flips(SparseNetwork([1], np.ones((1, n)), [n - 1]), np.ones((1, n), dtype=np.int8))
    assert found.changes.dtype == dtype and found.changes.tolist() == [[n]] and found.crossings.tolist() == [n]
    assert (found.h[0], found.same[0], found.other[0]) == (1, 0, n / 4)


def test_flips_at_listed_points_are_those_on_the_cube():
    net = network(3, 4, 5)
    whole, listed = lemma_9.flips(net), lemma_9.flips(net, hypercube.points(4).tolist())
    assert all(np.array_equal(a, b) for a, b in zip(whole, listed, strict=True))
    with pytest.raises(ValueError, match=r"Argument 'X' must have shape \(any, 4\), not \(1, 3\)"):
        lemma_9.flips(net, [[1, 1, 1]])


def test_splits_by_hand():
    # every flip of one of its two bits changes the one active neuron, and the parity from -1 to 1
    junta, empty = constructions.junta([1, -1, -1, 1], n=3), SparseNetwork([], np.zeros((0, 3)), [])
    assert lemma_9.split(junta.values(), lemma_9.pattern(junta)) == (0, 2, 2, 2)
    assert lemma_9.pattern(empty).tolist() == [0] * 8
    assert lemma_9.split(empty.values(), lemma_9.pattern(empty)) == (0, 0, 0, 0)
    assert lemma_9.split(np.array([100, -100], dtype=np.int8), [0, 0]) == (10_000, 0, 0, 0)  # no overflow in eight bits
    assert lemma_9.split(np.float32([2.0**100, 0]), [0, 0]).U == 2.0**198  # nor in single precision
    assert lemma_9.split([3.0], [0]) == (0, 0, 0, 0)  # no bit, no edge


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 12))
def test_labels_agree_exactly_when_the_active_sets_do(seed, n, s):
    net = network(seed, n, s)
    labels, R = lemma_9.pattern(net), net.active(hypercube.points(n))
    same = (R[:, None] == R).all(axis=2)
    assert np.array_equal(labels[:, None] == labels, same)


def test_networks_along_leading_axes():
    nets = [[network(3 * i + j, 3, 4) for j in range(3)] for i in range(2)]
    values, labels = (
        np.array([[f(net) for net in row] for row in nets]) for f in (SparseNetwork.values, lemma_9.pattern)
    )
    together = lemma_9.split(values, labels)
    assert together.V.shape == (2, 3)
    assert together.jump[1, 2] == lemma_9.split(values[1, 2], labels[1, 2]).jump


@pytest.mark.parametrize("X", [None, np.random.default_rng(1).standard_normal((20, 4))], ids=["cube", "other points"])
def test_flips_are_those_of_the_definition(X):
    net = network(5, 4, 6)
    found = lemma_9.flips(net, X)
    for row, x in enumerate(hypercube.points(4) if X is None else X):
        near = np.where(np.eye(4, dtype=bool), -x, x)
        steps, changes = (net([x]) - net(near)) ** 2 / 4, net.active([x]) != net.active(near)
        crosses = changes.any(axis=1)
        assert found.h[row] == pytest.approx(net([x])[0]) and np.array_equal(found.active[row], net.active([x])[0])
        assert (found.same[row], found.other[row]) == pytest.approx((steps[~crosses].sum(), steps[crosses].sum()))
        assert np.array_equal(found.changes[row], changes.sum(axis=0)) and found.crossings[row] == crosses.sum()


@pytest.mark.parametrize("pass_over_flips", [lemma_9.flips, gradients.edges])
def test_no_flip_copies_the_points(pass_over_flips, monkeypatch):
    """A copy for each of n flips is n^2 numbers for each point; the points that were given stay as they are."""
    net, seen = network(3, n=6, s=4), []

    def watch(name):
        settled = getattr(activity, name)
        monkeypatch.setattr(activity, name, lambda *given: seen.append(given[-2]) or settled(*given))

    watch("settled")
    watch("settled_pairs")
    X = hypercube.points(6)[::5].astype(float)
    before = X.copy()
    pass_over_flips(net, X)
    assert len(seen) >= 6 and len({x.ctypes.data for x in seen}) == 1
    assert np.array_equal(X, before)
