"""Training: the printed recipes, with gradients by complex steps; the choice by validation; and statistics."""

from itertools import pairwise
from math import cos, pi, sqrt

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from sparse_core._arrays import threads
from sparse_core.network import SparseNetwork, training

RNG = np.random.default_rng


def relu(z):
    return np.where(np.real(z) > 0, z, 0)


def gradient(parameters, objective):
    """By complex steps, one entry after the other: Im f(p + ih) / h, exact up to round-off for such small h."""
    slopes = []
    for i, p in enumerate(parameters):
        slope = np.zeros(p.shape)
        for j in np.ndindex(p.shape):
            moved = [q.astype(complex) for q in parameters]
            moved[i][j] += 1e-30j
            slope[j] = objective(*moved).imag / 1e-30
        slopes.append(slope)
    return slopes


def steps_of(optimiser, parameters):
    """Momentum and Adam as they are printed: a function of the gradient and the rate that moves the parameters."""
    mean, square = ([np.zeros(p.shape) for p in parameters] for _ in range(2))
    t = 0

    def step(slopes, rate):
        nonlocal t
        t += 1
        for p, m, v, g in zip(parameters, mean, square, slopes, strict=True):
            if optimiser == "sgd":
                m[...] = 0.9 * m + g
                p -= rate * m
            else:
                m[...] = 0.9 * m + 0.1 * g
                v[...] = 0.999 * v + 0.001 * g**2
                p -= rate * sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-8)

    return step


# Regression


def sample(rng, m=200):
    X = rng.choice([-1.0, 1.0], (m, 8))
    return X, np.maximum(X[:, 0] + X[:, 1] - 1, 0) - np.maximum(-X[:, 0] - X[:, 1] - 1, 0)


def slow_fit(X, y, width, rng, l1=0.0, decay=0.0, steps=2000, rate=0.005, batch=64):
    """The recipe, as the documentation states it: all networks that validation sees, the last one at the end."""
    n, batch, rows, met = X.shape[1], min(batch, len(X)), [], []
    parameters = [rng.standard_normal(width) / sqrt(width), rng.standard_normal((width, n)) * sqrt(2 / n)]
    parameters.append(np.zeros(width))
    step = steps_of("adam", parameters)

    def objective(u, W, b):
        H = relu(X[now] @ W.T - b)
        penalty = l1 * H.sum(axis=1).mean() + decay / 2 * (np.sum(u**2) + np.sum(W**2))
        return np.mean((H @ u - y[now]) ** 2) / 2 + penalty

    for t in range(1, steps + 1):
        if len(rows) < batch:
            rows = rng.permutation(len(X)).tolist()
        now, rows = rows[:batch], rows[batch:]
        step(gradient(parameters, objective), rate / 2 + rate / 2 * cos(pi * t / steps))
        if t % training.VALIDATE_EVERY == 0 or t == steps:
            met.append(SparseNetwork(*[p.copy() for p in parameters]))
    return met


def same(net, other):
    return [pytest.approx(p, rel=1e-6, abs=1e-9) for p in (other.u, other.W, other.b)] == [net.u, net.W, net.b]


@pytest.mark.parametrize(
    "m, unit, options",
    [
        (80, 1, {}),
        (12, 1, {"batch": 4}),
        (7, 1, {"batch": 1, "l1": 0.1}),
        (9, 1, {"decay": 0.1}),
        (12, 1e-9, {"batch": 4}),  # the gradient in W is less than Adam's 1e-8
    ],
)
def test_fit_is_its_recipe(m, unit, options):
    X, y = sample(RNG(6), m)
    options = {"steps": 30, "rate": 0.1, **options} if options else {}
    last = slow_fit(unit * X, y, 2, RNG(1), **options)[-1]
    assert same(training.fit(unit * X, y, 2, rng=RNG(1), **options), last)


@pytest.mark.parametrize("held_out", [None, 30])
def test_fit_each_is_fit_for_each_penalty(held_out):
    X, y = sample(RNG(9))
    options = {"steps": 450, "validation": held_out and sample(RNG(10), held_out)}
    penalties = [(0, 0), (0.05, 0), (0, 0.05), (0.02, 0.01)]
    nets = training.fit_each(X, y, 6, penalties, rng=RNG(1), **options)
    for net, (l1, decay) in zip(nets, penalties, strict=True):
        assert same(net, training.fit(X, y, 6, l1=l1, decay=decay, rng=RNG(1), **options))
    assert not np.allclose(nets[0].W, nets[1].W)


def test_points_in_single_precision_are_fitted_in_single_precision():
    X, y = sample(RNG(9))
    single, double = (
        training.fit(X.astype(dtype), y, 6, rng=RNG(1), steps=30, l1=0.01, decay=0.01)
        for dtype in (np.float32, np.float64)
    )
    for p, q in zip((single.u, single.W, single.b), (double.u, double.W, double.b), strict=True):
        assert np.array_equal(p, p.astype(np.float32)) and not np.array_equal(p, q)
        assert p == pytest.approx(q, abs=1e-4)


def test_validation_takes_the_least_mean_square_among_the_networks_that_it_sees(monkeypatch):
    monkeypatch.setattr(training, "VALIDATE_EVERY", 4)
    X, y = sample(RNG(7), 20)
    Z, _ = sample(RNG(8), 30)
    chosen = set()
    met = slow_fit(X, y, 5, RNG(1), steps=38, rate=0.2)
    for target in (-2.0, -0.5, 0.0, 0.5, 2.0):
        best = int(np.argmin([np.mean((h(Z) - target) ** 2) for h in met]))
        arguments = {"validation": (Z, np.full(30, target)), "steps": 38, "rate": 0.2}
        assert same(training.fit(X, y, 5, rng=RNG(1), **arguments), met[best])
        chosen.add(best)
    assert len(met) == 10 and len(chosen) > 1


@pytest.mark.parametrize("arguments, missing", [({"rng": RNG(0), "epochs": 3}, "'epochs'"), ({}, "'rng'")])
def test_errors_name_the_function_that_was_called(arguments, missing):
    with pytest.raises(TypeError, match=rf"^fit\(\) .*{missing}"):
        training.fit(np.ones((2, 2)), np.ones(2), 2, **arguments)


# Layered networks


def layers(rng, sizes=(3, 5, 4, 3)):
    return [(rng.standard_normal((t, s)), rng.standard_normal(t)) for s, t in pairwise(sizes)]


def test_layered_is_its_formula_and_a_score_is_a_sparse_network():
    rng = np.random.default_rng(1)
    parameters, x = layers(rng, (3, 6, 2)), rng.standard_normal((9, 3))
    net = training.Layered(*zip(*parameters, strict=True))
    (V, a), (U, c) = parameters
    direct = np.array([[sum(U[i, j] * max(V[j] @ p - a[j], 0) for j in range(6)) - c[i] for i in range(2)] for p in x])
    np.testing.assert_allclose(net(x), direct, atol=1e-12)
    np.testing.assert_allclose(net.score(1)(x) - c[1], direct[:, 1], atol=1e-12)
    assert np.array_equal(net.activations(x)[0] > 0, net.score(0).active(x))
    assert np.array_equal(net.predict(x), net(x).argmax(axis=1))
    with pytest.raises(ValueError, match="this one has 2"):
        training.Layered(*zip(*layers(rng), strict=True)).score(0)


def parity(rng, m=300):
    X = rng.choice([-1.0, 1.0], (m, 6))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def slow_classify(
    X, y, widths, rng, optimiser="sgd", rate=0.03, epochs=50, batch=64, l1=0.0, decay=0.0, flip=0.0, relabel=0.0
):
    """The recipe, as the documentation states it: the parameters W_1, b_1, W_2, ..."""
    classes, batch = max(y) + 1, min(batch, len(X))
    shapes = [(t, s) for s, t in pairwise([X.shape[1], *widths, classes])]
    weights = [rng.standard_normal(shape) * sqrt(2 / shape[1]) for shape in shapes]
    parameters = [p for W in weights for p in (W, np.zeros(len(W)))]
    step = steps_of(optimiser, parameters)

    def objective(*parameters):
        h, total = points[now], 0.0
        for W, b in zip(parameters[:-2:2], parameters[1:-2:2], strict=True):
            h = relu(h @ W.T - b)
            total += l1 * h.sum(axis=1)
        scores = h @ parameters[-2].T - parameters[-1]
        total += np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(now)), shown[now]]
        return total.mean() + decay / 2 * sum(np.sum(W**2) for W in parameters[::2])

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
            step(gradient(parameters, objective), rate)
    return parameters


@pytest.mark.parametrize(
    "m, widths, options",
    [
        (130, (3,), {}),
        (20, (3, 2), {"batch": 5, "optimiser": "adam", "l1": 0.1, "decay": 0.2}),
        (19, (2, 2, 2), {"batch": 5, "flip": 0.3}),
        (20, (3, 2), {"batch": 5, "l1": 0.3, "decay": 0.1}),
        (21, (4,), {"batch": 4, "relabel": 0.5}),
        (9, (4,), {"epochs": 7}),
    ],
)
def test_classify_is_its_recipe(m, widths, options):
    X, y = parity(RNG(2), m)
    options = {"epochs": 4, "rate": 0.1, **options} if options else {}
    net = training.classify(X, y, widths, rng=RNG(1), **options)
    slow = slow_classify(X, y, widths, RNG(1), **options)
    found = [p for layer in zip(net.W, net.b, strict=True) for p in layer]
    assert [pytest.approx(p, rel=1e-6, abs=1e-9) for p in slow] == found


def test_points_in_single_precision_are_classified_in_single_precision():
    X, y = parity(RNG(0), 50)
    single, double = (
        training.classify(X.astype(dtype), y, (8, 4), rng=RNG(0), epochs=5, flip=0.1)
        for dtype in (np.float32, np.float64)
    )
    assert {p.dtype for p in (*single.W, *single.b)} == {np.dtype(np.float32)}
    assert {p.dtype for p in (*double.W, *double.b)} == {np.dtype(np.float64)}
    for W, V in zip(single.W, double.W, strict=True):
        assert W == pytest.approx(V, abs=1e-4)


@pytest.mark.filterwarnings("error")
def test_scores_may_be_huge():
    """The shares of the classes are 0 and 1 up to 1e-300; the exponentials themselves have no place in a double."""
    x = 1e6 * np.array([[1.0, 0.5], [0.25, -1.0]])
    start, after = (training.classify(x, [1, 0], (8,), rng=RNG(0), rate=rate, epochs=1) for rate in (0, 1e-9))
    (W, V), (b, a) = start.W, start.b
    H = np.maximum(x @ W.T - b, 0)
    shares = np.eye(2)[np.argmax(H @ V.T - a, axis=1)]
    assert not np.array_equal(shares, [[0, 1], [1, 0]])
    assert after.W[1] == pytest.approx(V - 1e-9 * (shares - [[0, 1], [1, 0]]).T @ H / 2, rel=1e-6)


def test_classify_is_watched_at_its_start_and_after_each_epoch():
    X, y = parity(RNG(0), 50)
    seen = []
    first = training.classify(X, y, (4,), rng=RNG(0), epochs=3, watch=lambda h: seen.append(h.W[0].sum()))
    assert len(set(seen)) == 4 and seen[-1] == first.W[0].sum()


@pytest.mark.parametrize("train", [training.fit, training.classify])
def test_the_products_of_a_step_are_on_one_thread(train, monkeypatch):
    """For more they are too small: chapter 8, where nobody set OMP_NUM_THREADS, took three times as long."""
    seen, step = [], training._gradient
    monkeypatch.setattr(training, "_gradient", lambda *given: seen.append(threads()) or step(*given))
    with threadpool_limits(2, "blas"):
        size = 8 if train is training.fit else (8,)
        train(np.eye(4), [0, 1, 0, 1], size, rng=RNG(0), **({"steps": 3} if size == 8 else {"epochs": 3}))
        seen.append(threads())
    assert len(seen) == 4 and set(seen[:-1]) == {1} and seen[-1] == 2
