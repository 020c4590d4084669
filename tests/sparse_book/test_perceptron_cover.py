"""The run of the perceptron and the peeling: the facts behind `ours-theorem-e`, on random and extremal data."""

import numpy as np
import pytest

from sparse_book.chapter_6.perceptron_cover import SHADE, homogeneous, peel, perceptron


def instances(count=60):
    rng = np.random.default_rng(0)
    for _ in range(count):
        m, n = rng.integers(2, 30), rng.integers(2, 8)
        X, w = rng.standard_normal((m, n)), rng.standard_normal(n)
        yield X, w, np.linalg.norm(w) * np.linalg.norm(X, axis=1).max()


def replay(X, word, e):
    """The values of the steps of a word, without knowledge of w."""
    step = e / (X**2).sum(axis=1).max()
    return X @ sum((np.sign(i) * step * X[abs(i) - 1] for i in word), np.zeros(X.shape[1]))


def test_the_cover_is_within_e_after_few_steps():
    for X, w, M in instances():
        for e in (M / 2, M / 5, M / 11):
            cover = perceptron(X, w, e)
            assert np.abs(cover.values - X @ w).max() <= e * (1 + 1e-9)
            assert len(cover.word) < (M / e) ** 2
            step = e**2 / (X**2).sum(axis=1).max()
            assert (np.diff(cover.distances) < -step * (1 - 1e-9)).all()


def test_the_word_alone_gives_the_values():
    for X, w, M in instances():
        cover = perceptron(X, w, M / 7)
        assert np.allclose(replay(X, cover.word, M / 7), cover.values, atol=1e-12)


def test_a_gap_of_e_needs_no_step():
    assert perceptron([[1.0]], [0.5], e=0.5).word == [] and perceptron([[1.0]], [-0.5], e=0.499).word == [-1]


def test_the_layers_partition_the_active_set():
    for X, w, M in instances():
        X[0] = 0  # a point with f = 0 is not active
        f, peeling = X @ w, peel(X, w, M, 8)
        assert len(peeling.layers) == len(peeling.words) == 8
        assert np.array_equal(peeling.layers.sum(axis=0) + peeling.rest, f > 0)
        for level, layer in enumerate(peeling.layers, start=1):
            assert (f[layer] <= 2 * M / 2 ** ((level - 1) / 2) + 1e-12).all()
        assert (f[peeling.rest] <= 2 * M / 2**4 + 1e-12).all()


def test_the_steps_of_all_scales_share_one_budget():
    for X, w, M in instances():
        lengths = np.array([len(word) for word in peel(X, w, M, 10).words])
        assert lengths @ 2.0 ** -np.arange(1, 11) < 1


def test_layers_are_fixed_by_the_words():
    for X, w, M in instances(20):
        peeling, before, v = peel(X, w, M, 6), np.zeros(len(X), dtype=bool), np.zeros(len(X))
        for level, (layer, word) in enumerate(zip(peeling.layers, peeling.words, strict=True), start=1):
            scale = M / 2 ** (level / 2)
            v = v + replay(X, word, SHADE * scale)
            assert np.abs(v - X @ w).max() < scale
            assert np.array_equal(layer, (v > scale) & ~before)
            before |= layer


def test_homogeneous_coordinates_keep_the_values_and_the_product_of_norms():
    rng = np.random.default_rng(1)
    for _ in range(50):
        X, w, W, B = rng.standard_normal((9, 3)), rng.standard_normal(3), *rng.uniform(0.1, 3, 2)
        w, c = w * rng.uniform() * W / np.linalg.norm(w), rng.uniform(-B, B)
        X1, w1 = homogeneous(X, w, c, W, B)
        R = np.linalg.norm(X, axis=1).max()
        assert np.allclose(X1 @ w1, X @ w - c)
        assert np.linalg.norm(w1) * np.linalg.norm(X1, axis=1).max() <= W * R + B + 1e-12
    X1, w1 = homogeneous([[3.0, 4.0], [1.0, 0.0]], [0.6, 0.8], c=-2.0, W=1.0, B=2.0)  # ||w|| = W, |c| = B: equality
    assert np.linalg.norm(w1) * np.linalg.norm(X1, axis=1).max() == pytest.approx(1.0 * 5.0 + 2.0)


def test_points_whose_squares_overflow_take_the_same_steps():
    X, w, far = np.array([[3.0, 4.0], [1.0, 0.0]]), [1.0, 2.0], 2.0**600
    near, cover = perceptron(X, w, 0.5), perceptron(far * X, w, 0.5 * far)
    assert cover.word == near.word and np.array_equal(cover.values, far * near.values)


def test_an_accuracy_of_a_thousandth_is_the_finest():
    assert len(perceptron([[1.0]], [1.0], 1e-3).word) == 999
    assert perceptron([[0.0]], [1.0], 1e-3).word == []  # where all points are 0, b is 1
    with pytest.raises(ValueError, match="'e' must be at least 0.001, not 0.00099"):
        perceptron([[1.0]], [1.0], 0.00099)
    assert len(peel([[1.0]], [1.0], 1.03, 20).words) == 20  # gamma_20 = 1.03 / 1024
    with pytest.raises(ValueError, match="'M' must be at least 1.024"):
        peel([[1.0]], [1.0], 1.02, 20)


def test_single_precision_is_left_before_the_first_step():
    X, w = np.float32([[0.3, 0.7], [0.9, -0.1]]), np.float32([0.1, 0.6])
    found, expected = perceptron(X, w, 0.01), perceptron(X.astype(np.float64), w.astype(np.float64), 0.01)
    assert found.word == expected.word and np.array_equal(found.distances, expected.distances)
