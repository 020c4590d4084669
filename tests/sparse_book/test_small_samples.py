"""The samples with known complexities, against the exact complexity by packing, and the learner's failures by hand."""

import numpy as np
import pytest

from sparse_book.small_samples import common_part, failures, orthonormal
from sparse_core.general import rademacher


@pytest.mark.parametrize(("s", "k"), [(1, 1), (2, 1), (3, 1), (3, 2), (4, 4)])
def test_the_closed_form_on_orthonormal_points_is_the_packing(s, k):
    assert orthonormal(5, s, k) == pytest.approx(rademacher.expected(np.eye(5), s, k).value)


@pytest.mark.parametrize("m", [2, 7])
def test_points_with_a_common_part_have_equal_products(m):
    gram = common_part(m) @ common_part(m).T
    assert np.allclose(gram, np.eye(m) + (1 - np.eye(m)) / (1 + np.sqrt(m)))


def test_a_member_that_agrees_and_errs_at_a_point_that_is_never_seen_is_a_failure():
    members = np.array([[0.0, 0.0], [0.0, 1.0]])

    def count(masses):
        rng = np.random.default_rng(0)
        return failures(members, np.array(masses), 4, lambda rng: np.zeros(2), rng, 0.1, 50)

    assert count([0.0, 1.0]) == 0  # the second point is always seen, and excludes the second member
    assert count([1.0, 0.0]) == 0  # it is never seen, and costs nothing
    assert 0 < count([0.7, 0.3]) < 1
