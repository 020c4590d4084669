r"""Risk against samples as k and s vary: packings of s half-spaces with unit weights, at most k active at a point.

A cell is (k, s, run). The risks of both learners, for each of SIZES, are squared distances to h, exact on the cube. No
polynomial of the learner is nearer than the weight *above degree 3*. *AS* is the average sensitivity.

Paper: Theorems 8 and 17, whose numbers of samples grow with k and s.
"""

from __future__ import annotations

import numpy as np

from sparse_core._arrays import Array
from sparse_core.cube import fourier, hypercube
from sparse_core.network import constructions

from . import learners, seed_of
from .learners import Row

__all__ = ["CELLS", "GRID", "SIZES", "exponents", "measure"]

N = 14
RUNS = 10
SIZES = (128, 256, 512, 1024, 2048, 4096)
# Twelve pairs for the exponents, then s from 2 to N and beyond at k = 2.
GRID = [(k, s) for s in (16, 32, 64) for k in (1, 2, 4, 8)]
PAIRS = GRID + [(2, s) for s in (4, 7, 11, 14, 28)]
CELLS = [(k, s, run) for run in range(RUNS) for k, s in PAIRS]


def measure(k: int, s: int, run: int) -> Row:
    rng = np.random.default_rng(seed_of("sparsity", k, s, run))
    h = constructions.random_sparse(N, s, k, rng=rng).values()
    cube = hypercube.points(N)
    rows = rng.integers(0, len(h), max(SIZES))
    risks = learners.risks(cube[rows], h[rows], SIZES, lambda f: np.mean((f(cube) - h) ** 2), rng=rng)
    exact = {
        "variance": h.var(),
        "AS": fourier.average_sensitivity(h),
        "above degree 3": fourier.weight_by_degree(h)[4:].sum(),
    }
    return exact | risks


def exponents(values: Array) -> Array:
    """(a, b) of the fit c k^a s^b to values at GRID, in rows; a column for each column of values.

    >>> exponents(np.array([[3.0 * k**2 / s] for k, s in GRID])).round(6).tolist()
    [[2.0], [-1.0]]
    """
    design = np.array([[1, np.log(k), np.log(s)] for k, s in GRID])
    return np.asarray(np.linalg.lstsq(design, np.log(values))[0][1:])
