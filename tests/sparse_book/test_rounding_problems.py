"""The small problems of chapter 4: all secrets and inputs, and the inner product from binary digits."""

import itertools

import numpy as np
import pytest

from sparse_book.chapter_4.rounding_problems import SIZES, affine, everything, problems
from sparse_core.hardness import reductions


@pytest.mark.parametrize(("q", "m"), [(2, 3), (5, 2), (3, 1)])
def test_everything_is_each_row_once(q, m):
    assert list(map(tuple, everything(q, m).tolist())) == list(itertools.product(range(q), repeat=m))


@pytest.mark.parametrize("q", [2, 5, 8])
def test_the_signs_of_the_digits_give_the_inner_product(q):
    Y = everything(q, 2)
    for w in Y:
        v, c = affine(w, q)
        assert np.array_equal(reductions.digits(Y, q) @ v + c, Y @ w)


def test_there_is_one_problem_for_each_secret():
    found = problems()
    assert len(found) == sum(q**m for q, _, m in SIZES)
    assert all(len(Y) == q ** len(w) for q, _, w, Y in found)
