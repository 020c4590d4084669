"""What several cases share: samples, and scikit-learn's monomials brought into one order."""

from __future__ import annotations

from typing import Any

import numpy as np


def samples(n: int, d: int, m: int, labels: str = "real") -> tuple[np.ndarray, np.ndarray]:
    """m uniform points and the noisy values of a polynomial of degree d with 20 terms, as doubles or otherwise."""
    rng = np.random.default_rng(n)
    X = rng.choice(np.array([-1, 1], dtype=np.int8), (m, n))
    y = 0.5 * rng.standard_normal(m)
    for _ in range(20):
        y += rng.standard_normal() * np.prod(X[:, rng.choice(n, d, replace=False)], axis=1)
    return X, np.where(y > 0, 1.0, -1.0) if labels == "signs" else y.astype(np.float32 if labels == "single" else float)


def expansion(d: int) -> Any:
    """scikit-learn's monomials without squares."""
    from sklearn.preprocessing import PolynomialFeatures

    return PolynomialFeatures(d, interaction_only=True)


def order(n: int, d: int) -> np.ndarray:
    """Where each set of at most d of n coordinates stands in ``sparse_core``, in the order of scikit-learn."""
    from itertools import combinations

    from sparse_core.cube import hypercube

    ours = {
        tuple(sorted(map(int, T))): i
        for i, T in enumerate(T for level in hypercube.supports(n, d) for T in level.tolist())
    }
    return np.array([ours[T] for size in range(d + 1) for T in combinations(range(n), size)])
