r"""The exact empirical minimiser over classes of networks that can be listed, and over a random class of one's size.

On five bits there are 32 neurons relu(<c, x> - 1), c in {-1, 1}^5. H_k has all sums of at most four of them, with
signs, of which no more than k are active at any point. The target is drawn from H_1; *random* is a part of H_4 of the
size of H_1 that contains it. Labels have noise as large as the target's standard deviation.

A cell is (run,). The risks, for each of SIZES, are relative to the variance of the target.

Paper: section 5, whose learner minimises over the class of Definition 2.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core.cube import hypercube

from . import seed_of
from .learners import Row

__all__ = ["CELLS", "CLASSES", "SIZES", "listed", "measure"]

BITS = 5
NEURONS = 4
CLASSES = (1, 2, 4)
SIZES = (32, 64, 128, 256)
RUNS = 30
CELLS = [(run,) for run in range(RUNS)]


@cache
def listed() -> tuple[NDArray[np.float32], dict[int, int]]:
    """The values of the networks in rows, those of H_1 first, then the rest of H_2 and of H_4; and where each ends.

    >>> listed()[1]
    {1: 6848, 2: 391808, 4: 617088}
    """
    X = hypercube.points(BITS).astype(np.float32)
    H = np.maximum(X @ X.T - 1, 0).T  # a neuron in each row
    values, most = [], []
    for count in range(1, NEURONS + 1):
        chosen = H[np.array(list(combinations(range(len(H)), count)))]
        signs = hypercube.points(count).astype(np.float32)
        values.append(np.einsum("gj,cjx->cgx", signs, chosen).reshape(-1, len(H)))
        most.append(np.repeat((chosen > 0).sum(axis=1).max(axis=1), len(signs)))
    order = np.argsort(np.concatenate(most), kind="stable")
    ends = {k: int(sum(np.sum(m <= k) for m in most)) for k in CLASSES}
    return np.concatenate(values)[order], ends


def measure(run: int) -> Row:
    rng = np.random.default_rng(seed_of("minimiser", run))
    values, ends = listed()
    planted = int(rng.integers(ends[1]))
    target = values[planted]
    random = np.append(rng.choice(len(values), ends[1] - 1, replace=False), planted)
    parts: dict[str, Any] = {f"H_{k}": slice(end) for k, end in ends.items()} | {"random": random}
    row: Row = {name: [] for name in parts}
    for m in SIZES:
        x = rng.integers(0, len(target), m).astype(np.intp)
        y = target[x] + target.std() * rng.standard_normal(m)
        # The empirical risk, up to what is the same for all.
        loss = values**2 @ np.bincount(x, minlength=len(target)) - 2 * values @ np.bincount(x, y, minlength=len(target))
        for name, part in parts.items():
            best = values[part][loss[part].argmin()]
            row[name].append(np.mean((best - target) ** 2) / target.var())
    return row
