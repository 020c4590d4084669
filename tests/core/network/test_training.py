"""Training: gradients against differences, penalties, noise, the choice by validation, and statistics."""

from itertools import pairwise
from math import cos, pi, sqrt

import numpy as np
import pytest

from sparse_core.network import SparseNetwork, training


def objective(parameters, x, y, l1, decay):
    """The printed formula, as it stands."""
    u, W, b = parameters
    H = np.maximum(x @ W.T - b, 0)
    return np.mean((H @ u - y) ** 2) / 2 + l1 * H.sum(axis=1).mean() + decay / 2 * (np.sum(u**2) + np.sum(W**2))


def differences(parameters, objective):
    """The gradient by central differences, one entry after the other."""
    gradient = [np.zeros_like(p) for p in parameters]
    for p, g in zip(parameters, gradient, strict=True):
        for j in np.ndindex(p.shape):
            kept, sides = p[j], []
            for h in (1e-6, -1e-6):
                p[j] = kept + h
                sides.append(objective())
            p[j], g[j] = kept, (sides[0] - sides[1]) / 2e-6
    return gradient


@pytest.mark.parametrize("l1, decay", [(0.0, 0.0), (0.3, 0.0), (0.0, 0.2), (0.1, 0.1)])
def test_the_gradient_is_that_of_the_objective(l1, decay):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((7, 3)), rng.standard_normal(7)
    parameters = [rng.standard_normal(4), rng.standard_normal((4, 3)), rng.standard_normal(4)]
    expected = differences(parameters, lambda: objective(parameters, x, y, l1, decay))
    for found, slope in zip(training._gradient(parameters, x, y, l1, decay), expected, strict=True):
        assert found == pytest.approx(slope, rel=1e-5, abs=1e-7)


def sample(rng, m=200):
    X = rng.choice([-1.0, 1.0], (m, 8))
    return X, np.maximum(X[:, 0] + X[:, 1] - 1, 0) - np.maximum(-X[:, 0] - X[:, 1] - 1, 0)


def slow_fit(X, y, width, rng, validation=None, l1=0.0, decay=0.0, steps=2000, rate=0.005, batch=64):
    """The recipe, as the documentation states it: the last network and all that validation sees."""
    n, batch, rows, met = X.shape[1], min(batch, len(X)), [], []
    parameters = [rng.standard_normal(width) / sqrt(width), rng.standard_normal((width, n)) * sqrt(2 / n)]
    parameters.append(np.zeros(width))
    step = training._adam(parameters)
    for t in range(1, steps + 1):
        if len(rows) < batch:
            rows = rng.permutation(len(X)).tolist()
        now, rows = rows[:batch], rows[batch:]
        gradient = training._gradient(parameters, X[now], y[now], l1, decay)
        step(gradient, rate / 2 + rate / 2 * cos(pi * t / steps))
        if t % training.LOOK == 0 or t == steps:
            met.append(SparseNetwork(*[p.copy() for p in parameters]))
    return met


def same(net, other):
    return [pytest.approx(p, rel=1e-6, abs=1e-9) for p in (other.u, other.W, other.b)] == [net.u, net.W, net.b]


@pytest.mark.parametrize(
    "m, options", [(80, {}), (12, {"batch": 4}), (7, {"batch": 1, "l1": 0.1}), (9, {"decay": 0.1})]
)
def test_fit_is_its_recipe(m, options):
    X, y = sample(np.random.default_rng(6), m)
    options = {"steps": 30, "rate": 0.1, **options} if options else {}
    last = slow_fit(X, y, 3, np.random.default_rng(1), **options)[-1]
    assert same(training.fit(X, y, 3, rng=np.random.default_rng(1), **options), last)


@pytest.mark.parametrize("held_out", [None, 30])
def test_fit_each_is_fit_for_each_penalty(held_out):
    X, y = sample(np.random.default_rng(9))
    options = {"steps": 450, "validation": held_out and sample(np.random.default_rng(10), held_out)}
    prices = [(0, 0), (0.05, 0), (0, 0.05), (0.02, 0.01)]
    nets = training.fit_each(X, y, 6, prices, rng=np.random.default_rng(1), **options)
    for net, (l1, decay) in zip(nets, prices, strict=True):
        assert same(net, training.fit(X, y, 6, l1=l1, decay=decay, rng=np.random.default_rng(1), **options))
    assert not np.allclose(nets[0].W, nets[1].W)


def test_points_in_single_precision_are_fitted_in_single_precision(monkeypatch):
    X, y = sample(np.random.default_rng(9))
    seen, gradient = [], training._gradient
    monkeypatch.setattr(training, "_gradient", lambda *a: seen.append(gradient(*a)) or seen[-1])
    single, double = (
        training.fit(X.astype(dtype), y, 6, rng=np.random.default_rng(1), steps=30, l1=0.01, decay=0.01)
        for dtype in (np.float32, np.float64)
    )
    assert [{g.dtype for g in some} for some in (seen[0], seen[-1])] == [{np.dtype("f4")}, {np.dtype("f8")}]
    assert single.W == pytest.approx(double.W, abs=1e-4) and not np.array_equal(single.W, double.W)


def test_validation_takes_the_least_mean_square_among_the_networks_at_every_look(monkeypatch):
    monkeypatch.setattr(training, "LOOK", 4)
    X, y = sample(np.random.default_rng(7), 20)
    Z, _ = sample(np.random.default_rng(8), 30)
    chosen = set()
    for target in (-2.0, -0.5, 0.0, 0.5, 2.0):
        met = slow_fit(X, y, 5, np.random.default_rng(1), steps=38, rate=0.2)
        best = int(np.argmin([np.mean((h(Z) - target) ** 2) for h in met]))
        arguments = {"validation": (Z, np.full(30, target)), "steps": 38, "rate": 0.2}
        assert same(training.fit(X, y, 5, rng=np.random.default_rng(1), **arguments), met[best])
        chosen.add(best)
    assert len(met) == 10 and len(chosen) > 1


def test_steps_are_those_of_momentum_and_of_adam():
    """Each printed formula on numbers, one parameter at a time; a gradient of 1e-9 is less than Adam's 1e-8."""
    rng, sizes = np.random.default_rng(0), np.array([1.0, 1e-3, 1e-9])
    gradients, rates = rng.standard_normal((6, 3)) * sizes, rng.random(6)
    for optimiser in ("sgd", "adam"):
        p = [np.zeros(2), np.zeros(1)]
        step = training.OPTIMISERS[optimiser](p)
        slow, mean, square = [0.0] * 3, [0.0] * 3, [0.0] * 3
        for t, (g, rate) in enumerate(zip(gradients, rates, strict=True), 1):
            step([g[:2], g[2:]], rate)
            for i in range(3):
                if optimiser == "sgd":
                    mean[i] = 0.9 * mean[i] + g[i]
                    slow[i] -= rate * mean[i]
                else:
                    mean[i], square[i] = 0.9 * mean[i] + 0.1 * g[i], 0.999 * square[i] + 0.001 * g[i] ** 2
                    bias = sqrt(1 - 0.999**t) / (1 - 0.9**t)
                    slow[i] -= rate * bias * mean[i] / (sqrt(square[i]) + 1e-8)
            assert [*p[0], *p[1]] == pytest.approx(slow, rel=1e-9)
        with pytest.raises(ValueError, match="shorter"):
            step([gradients[0, :2]], 0.1)


# Layered networks


def layers(rng, sizes=(3, 5, 4, 3)):
    return [(rng.standard_normal((t, s)), rng.standard_normal(t)) for s, t in pairwise(sizes)]


def cross_entropy(parameters, x, y, l1, decay):
    """The printed formula, as it stands: one point at a time."""
    total = 0.0
    for point, label in zip(x, y, strict=True):
        h = point
        for W, b in parameters[:-1]:
            h = np.maximum(W @ h - b, 0)
            total += l1 * h.sum()
        scores = parameters[-1][0] @ h - parameters[-1][1]
        total -= np.log(np.exp(scores[label]) / np.exp(scores).sum())
    return total / len(x) + decay / 2 * sum(np.sum(W**2) for W, _ in parameters)


@pytest.mark.parametrize("sizes", [(3, 6, 3), (3, 5, 4, 3), (3, 5, 4, 4, 3)], ids=["1 layer", "2 layers", "3 layers"])
@pytest.mark.parametrize("l1, decay", [(0.0, 0.0), (0.3, 0.2)])
def test_the_gradient_of_layers_is_that_of_the_objective(sizes, l1, decay):
    rng = np.random.default_rng(0)
    parameters, x, y = layers(rng, sizes), rng.standard_normal((7, 3)), rng.integers(0, 3, 7)
    flat = [p for layer in parameters for p in layer]
    expected = differences(flat, lambda: cross_entropy(parameters, x, y, l1, decay))
    for found, slope in zip(training._backward(parameters, x, y, l1, decay), expected, strict=True):
        assert found == pytest.approx(slope, rel=1e-4, abs=1e-6)


def test_layered_is_its_formula_and_a_score_is_a_sparse_network():
    rng = np.random.default_rng(1)
    parameters, x = layers(rng, (3, 6, 2)), rng.standard_normal((9, 3))
    net = training.Layered(*zip(*parameters, strict=True))
    (V, a), (U, c) = parameters
    direct = np.array([[sum(U[i, j] * max(V[j] @ p - a[j], 0) for j in range(6)) - c[i] for i in range(2)] for p in x])
    np.testing.assert_allclose(net(x), direct, atol=1e-12)
    np.testing.assert_allclose(net.score(1)(x) - c[1], direct[:, 1], atol=1e-12)
    assert np.array_equal(net.activations(x)[0] > 0, net.score(0).active(x))
    with pytest.raises(ValueError, match="this one has 2"):
        training.Layered(*zip(*layers(rng), strict=True)).score(0)


def parity(rng, m=300):
    X = rng.choice([-1.0, 1.0], (m, 6))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.mark.parametrize("widths", [(32,), (16, 16), (16, 16, 16)])
@pytest.mark.parametrize("optimiser, rate", [("sgd", 0.1), ("adam", 0.01)])
def test_classify_learns_a_parity(widths, optimiser, rate):
    X, y = parity(np.random.default_rng(0))
    net = training.classify(X, y, widths, rng=np.random.default_rng(0), optimiser=optimiser, rate=rate, epochs=60)
    assert np.mean(net.predict(X) == y) > 0.98
    assert [h.shape for h in net.activations(X)] == [(300, width) for width in widths]


def slow_classify(
    X, y, widths, rng, optimiser="sgd", rate=0.03, epochs=50, batch=64, l1=0.0, decay=0.0, flip=0.0, relabel=0.0
):
    """The recipe, as the documentation states it."""
    classes, batch = max(y) + 1, min(batch, len(X))
    shapes = [(t, s) for s, t in pairwise([X.shape[1], *widths, classes])]
    layers = [(rng.standard_normal(shape) * sqrt(2 / shape[1]), np.zeros(shape[0])) for shape in shapes]
    step = training.OPTIMISERS[optimiser]([p for layer in layers for p in layer])
    for _ in range(epochs):
        points, shown = X, y
        if flip:
            points = X * (1 - 2 * (rng.random(X.shape) < flip))
        if relabel:
            wrong, other = rng.random(len(y)) < relabel, rng.integers(0, classes, len(y))
            shown = np.array([b if c else a for a, b, c in zip(y, other, wrong, strict=True)])
        rows = rng.permutation(len(X)).tolist()
        while len(rows) >= batch:
            now, rows = rows[:batch], rows[batch:]
            step(training._backward(layers, points[now], shown[now], l1, decay), rate)
    return layers


@pytest.mark.parametrize(
    "m, widths, options",
    [
        (130, (3,), {}),
        (20, (3, 2), {"batch": 5, "optimiser": "adam", "l1": 0.1, "decay": 0.2}),
        (19, (2, 2, 2), {"batch": 5, "flip": 0.3}),
        (21, (4,), {"batch": 4, "relabel": 0.5}),
        (9, (4,), {"epochs": 7}),
    ],
)
def test_classify_is_its_recipe(m, widths, options):
    X, y = parity(np.random.default_rng(2), m)
    options = {"epochs": 4, "rate": 0.1, **options} if options else {}
    net = training.classify(X, y, widths, rng=np.random.default_rng(1), **options)
    slow = slow_classify(X, y, widths, np.random.default_rng(1), **options)
    assert len(net.W) == len(net.b) == len(slow)
    for W, b, (V, a) in zip(net.W, net.b, slow, strict=True):
        assert W == pytest.approx(V, rel=1e-6, abs=1e-9) and b == pytest.approx(a, rel=1e-6, abs=1e-9)


def test_points_in_single_precision_are_classified_in_single_precision():
    X, y = parity(np.random.default_rng(0), 50)
    single, double = (
        training.classify(X.astype(dtype), y, (8, 4), rng=np.random.default_rng(0), epochs=5, flip=0.1)
        for dtype in (np.float32, np.float64)
    )
    assert {p.dtype for p in (*single.W, *single.b)} == {np.dtype(np.float32)}
    assert {p.dtype for p in (*double.W, *double.b)} == {np.dtype(np.float64)}
    for W, V in zip(single.W, double.W, strict=True):
        assert W == pytest.approx(V, abs=1e-4)


def test_scores_may_be_huge():
    """The shares of the classes are those of the exponentials, which themselves have no place in a double."""
    layers = [(np.eye(2), np.zeros(2)), (np.array([[1.0, 0.0], [0.0, 1.0]]), np.zeros(2))]
    gradient = training._backward(layers, np.array([[2000.0, 1000.0], [1.0, 1.0]]), np.array([1, 0]), 0.0, 0.0)
    assert gradient[2] == pytest.approx(np.array([[1000, 500], [-1000, -500]]) + np.array([[-0.25], [0.25]]))


def test_classify_is_decided_by_its_generator_and_watched():
    X, y = parity(np.random.default_rng(0), 50)
    seen = []
    first = training.classify(
        X, y, (4,), rng=np.random.default_rng(0), epochs=3, watch=lambda h: seen.append(h.W[0].sum())
    )
    nets = [first, *(training.classify(X, y, (4,), rng=np.random.default_rng(seed), epochs=3) for seed in (0, 1))]
    assert np.array_equal(nets[0].W[0], nets[1].W[0]) and not np.array_equal(nets[0].W[0], nets[2].W[0])
    assert len(set(seen)) == 4 and seen[-1] == first.W[0].sum()


# Statistics


def test_statistics_against_the_definitions():
    A = np.random.default_rng(0).random((40, 6)) < [0.5, 0.2, 0.8, 0.5, 0, 1]
    A[:, 3] = A[:, 0]
    found, K, p = training.activation_statistics(A), A.sum(axis=1), A.mean(axis=0)
    C = np.abs(np.corrcoef(A[:, :4].T.astype(float)))
    assert found[:6] == pytest.approx((A.mean(), 1 / 6, 1 / 6, K.mean(), K.var(), K.max()))
    assert found.spread == pytest.approx(np.var(K) / np.sum(p * (1 - p)))
    assert found.correlation == pytest.approx((C.sum() - 4) / 12)
    copies = training.activation_statistics(np.tile(A[:, :1], 10))
    assert (copies.spread, copies.correlation) == pytest.approx((10, 1))


def test_statistics_where_nothing_varies():
    assert training.activation_statistics(np.zeros((3, 2))) == (0, 1, 0, 0, 0, 0, 1, 0)
