"""Training: the gradient against differences, the price of activation, and the choice by validation."""

import numpy as np
import pytest

from sparse_core import training
from sparse_core.network import SparseNetwork


def objective(parameters, x, y, l1, decay):
    """The printed formula, as it stands."""
    u, W, b = parameters
    H = np.maximum(x @ W.T - b, 0)
    return np.mean((H @ u - y) ** 2) / 2 + l1 * H.sum(axis=1).mean() + decay / 2 * (np.sum(u**2) + np.sum(W**2))


@pytest.mark.parametrize("l1, decay", [(0.0, 0.0), (0.3, 0.0), (0.0, 0.2), (0.1, 0.1)])
def test_the_gradient_is_that_of_the_objective(l1, decay):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((7, 3)), rng.standard_normal(7)
    parameters = [rng.standard_normal(4), rng.standard_normal((4, 3)), rng.standard_normal(4)]
    gradient = training._gradient(parameters, x, y, l1, decay)
    for i, p in enumerate(parameters):
        for j in np.ndindex(p.shape):
            sides = []
            for h in (1e-6, -1e-6):
                moved = [q.copy() for q in parameters]
                moved[i][j] += h
                sides.append(objective(moved, x, y, l1, decay))
            assert gradient[i][j] == pytest.approx((sides[0] - sides[1]) / 2e-6, rel=1e-5, abs=1e-7)


def sample(rng, m=200):
    X = rng.choice([-1.0, 1.0], (m, 8))
    return X, np.maximum(X[:, 0] + X[:, 1] - 1, 0) - np.maximum(-X[:, 0] - X[:, 1] - 1, 0)


def test_learns_what_it_can_represent():
    X, y = sample(np.random.default_rng(1))
    h = training.fit(X, y, 32, rng=np.random.default_rng(0), steps=1500)
    assert isinstance(h, SparseNetwork) and h.s == 32
    assert np.mean((h(X) - y) ** 2) < 1e-3 * y.var()


def test_a_price_on_activations_makes_them_rare_and_decay_makes_weights_small():
    X, y = sample(np.random.default_rng(2))
    free, sparse, small = (
        training.fit(X, y, 16, rng=np.random.default_rng(0), **price) for price in ({}, {"l1": 0.02}, {"decay": 0.02})
    )
    assert sparse.active_count(X).mean() < 0.5 * free.active_count(X).mean()
    assert np.linalg.norm(small.W) < 0.8 * np.linalg.norm(free.W)


def test_validation_chooses_among_the_networks_met():
    rng = np.random.default_rng(3)
    X, y = sample(rng, 40)
    y = y + rng.standard_normal(40)
    held_out = sample(rng, 400)
    chosen, last = (
        training.fit(X, y, 64, rng=np.random.default_rng(0), steps=800, validation=v) for v in (held_out, None)
    )
    errors = [np.mean((h(held_out[0]) - held_out[1]) ** 2) for h in (chosen, last)]
    assert errors[0] < errors[1]


def test_the_generator_decides():
    X, y = sample(np.random.default_rng(4))
    nets = [training.fit(X, y, 4, rng=np.random.default_rng(seed), steps=50) for seed in (0, 0, 1)]
    assert np.array_equal(nets[0].W, nets[1].W) and not np.array_equal(nets[0].W, nets[2].W)


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"width": 0}, ValueError, "'width' must be at least 1"),
        ({"l1": -1}, ValueError, "'l1' must be at least 0"),
        ({"steps": 0}, ValueError, "'steps' must be at least 1"),
        ({"y": np.zeros(3)}, ValueError, r"'y' must have shape \(200,\)"),
        ({"validation": (np.zeros((2, 3)), np.zeros(2))}, ValueError, r"'validation' must have shape \(any, 8\)"),
        ({"X": np.zeros((0, 8)), "y": []}, ValueError, "'the number of points X' must be at least 1"),
        ({"rng": 0}, TypeError, "'rng' must be a numpy.random.Generator"),
    ],
)
def test_refuses(changes, error, message):
    X, y = sample(np.random.default_rng(5))
    with pytest.raises(error, match=message):
        training.fit(**{"X": X, "y": y, "width": 4, "rng": np.random.default_rng(0), "steps": 10, **changes})
