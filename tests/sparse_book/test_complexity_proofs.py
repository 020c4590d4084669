"""The inequalities of the longer proofs: they hold on random instances, some of them nearly with equality."""

import numpy as np
import pytest

from sparse_book.chapter_6 import complexity_proofs


@pytest.mark.parametrize(
    "draw, closest", [("increments", 0.999), ("stages", 0.5), ("on_a_line", 0.2), ("two_layers", 0.85)]
)
def test_each_inequality_holds_and_one_is_close(draw, closest):
    rng = np.random.default_rng(1)
    left, right = map(np.concatenate, zip(*[getattr(complexity_proofs, draw)(rng) for _ in range(20)], strict=True))
    assert (left <= right * (1 + 1e-7) + 1e-9).all()
    assert (left[right > 0] / right[right > 0]).max() > closest


def test_caps_are_counted_and_copies_of_one_are_too_many():
    rng = np.random.default_rng(0)
    for e, n, tau in ((0.1, 3, 0.0), (0.3, 5, 0.15)):
        left, right = complexity_proofs.caps(rng, e, n, tau)
        assert (left <= right).all() and left.max() > 0
    left, right = complexity_proofs.caps(rng, 0.3, 4, 0.15, same=True)
    assert (left > right).any()


def test_the_potential_is_the_maximum_over_a_fine_grid():
    line = np.linspace(-1, 1, 401)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    rng = np.random.default_rng(2)
    for _ in range(20):
        X, y = rng.standard_normal((3, 2)), 3 * rng.standard_normal(2)
        c, eta = rng.uniform(0.1, 1, 3), rng.uniform(1, 3)
        allowed = grid[(np.abs(grid @ X.T) <= c).all(axis=1) & (np.linalg.norm(grid, axis=1) <= 0.7)]
        best = (allowed @ y - eta / 2 * (allowed**2).sum(axis=1)).max()
        found = complexity_proofs._potential(y, X, c, 0.7, eta)
        assert best - 1e-9 <= found <= best + 0.05
