"""The steps of Lemma 9 against the network point by point; tables over the layers against those of the cube."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_book.chapter_2.lemma_9_proof import Steps, layers, split_layers, steps
from sparse_core.cube import fourier, hypercube
from sparse_core.learning import lemma_9
from sparse_core.network import SparseNetwork
from tests.core.naive import network


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 6))
def test_the_steps_of_the_proof_point_by_point(seed, n, s):
    net = network(seed, n, s)
    found = Steps(*(column[0] for column in steps([net])))
    X = hypercube.points(n)
    active = [np.flatnonzero(R) for R in net.active(X)]
    pieces = [(net.u[R] @ net.W[R], net.u[R] @ net.b[R]) for R in active]
    lengths = [net.u[R] ** 2 @ np.sum(net.W[R] ** 2, axis=1) for R in active]
    assert (found.n, found.s, found.k) == (n, s, net.sparsity())
    assert (found.W, found.B) == pytest.approx(net.scale)
    assert found.AS == pytest.approx(fourier.average_sensitivity(net.values()), abs=1e-12)
    assert (found.U, found.V, found.boundary, found.jump) == pytest.approx(
        lemma_9.split(net.values(), lemma_9.pattern(net))
    )
    assert found.norm == pytest.approx(max(np.linalg.norm(w) for w, _ in pieces))
    assert found.offset == max(abs(b) for _, b in pieces)
    assert found.piece == pytest.approx(np.mean([w @ w for w, _ in pieces]))
    assert found.single == pytest.approx(sum(fourier.average_sensitivity(g) for g in net.active(X).T))
    assert found.budget == pytest.approx(np.mean([len(R) for R in active]))
    assert found.largest == max(abs(net(X)))
    assert found.weighted == pytest.approx(np.mean([len(R) * v for R, v in zip(active, lengths, strict=True)]))
    assert found.square == np.mean([len(R) ** 2 for R in active])


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 4))
def test_layers_agree_with_the_cube(seed, n, s):
    u, c, b = np.random.default_rng(seed).integers(-2, 3, (3, s))
    net = SparseNetwork(u, np.outer(c, np.ones(n)), b)
    values, labels = layers(n, u, c, b)
    ones = (hypercube.points(n) == 1).sum(axis=1)
    assert np.array_equal(values[ones], net.values())
    on_cube = lemma_9.split(net.values(), lemma_9.pattern(net))
    assert split_layers(values, labels) == pytest.approx(on_cube, abs=1e-12)
