"""Boxes: the box lemma where its hypothesis holds, stripping, and the arithmetic of box neurons on the cube."""

from itertools import combinations, product

import numpy as np
import pytest

from sparse_book.chapter_6.grid_boxes import monochromatic_boxes, neuron, point, symbols


def test_stripping_covers_three_quarters():
    rng = np.random.default_rng(2)
    zeta = rng.choice([-1, 1], (16, 256))
    boxes, covered = monochromatic_boxes(zeta)
    assert covered.dtype == bool and covered.mean() > 0.75 and len(boxes) <= zeta.size / 4
    assert len(boxes) * 4 == covered.sum()  # disjoint
    assert all(abs(zeta[np.ix_(*box)].sum()) == 4 for box in boxes)


def test_stripping_ends_below_the_least_density():
    zeta = -np.ones((4, 8))
    zeta[np.ix_((0, 2), (1, 5))] = 1  # of density 1/8
    assert [(0, 2), (1, 5)] in monochromatic_boxes(zeta)[0]


@pytest.mark.parametrize("r", [3, 4])
def test_any_four_symbols_are_independent(r):
    rows = symbols(r, 0)
    for four in combinations(range(len(rows)), 4):
        counts = np.bincount((rows[list(four)] < 0).T.astype(int) @ [1, 2, 4, 8], minlength=16)
        assert (counts == rows.shape[1] // 16).all()


def test_the_neuron_is_the_mean_of_its_points():
    rows = symbols(3, 4)
    box = [(0, 3), (1, 6)]
    mean = np.mean([point(rows, tau).astype(float) for tau in product(*box)], axis=0)
    assert np.array_equal(neuron(rows, box), mean) and neuron(rows, box).dtype == rows.dtype
