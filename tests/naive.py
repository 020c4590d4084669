"""What several test files compute the slow way."""

from itertools import combinations

import numpy as np


def sample(n, m, seed):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (m, n), dtype=np.int8) * 2 - 1, rng.normal(size=m)


def characters(X, degree):
    """The matrix of all monomials at all points, in the order of ``hypercube.supports``."""
    sets = [T for i in range(min(degree, X.shape[1]) + 1) for T in combinations(range(X.shape[1]), i)]
    sets.sort(key=lambda T: (len(T), T[::-1]))
    return np.column_stack([np.prod(X[:, list(T)], axis=1, dtype=float) for T in sets])
