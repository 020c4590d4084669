r"""Failures of sparsity, each provoked, and the number that gives it away, which needs no planted network.

* *patterns*: the bits that a learner of juntas finds in each of two samples of m points, for each m of SIZES: how well
  the two sets agree (bits in both, among those in either), and whether the first is right.
* *promise*: a 1-sparse network, the neurons 3 relu(x_1 + 1) and 3 relu(1 - x_1) with opposite signs, beside 32 copies
  of a neuron that is active where q other bits are 1, for each q of CORNERS: whether 256 points *look* 1-sparse, the
  share of 4000 *fresh* points with more than one active neuron, AS, and its bound.
* *weights*: 32 neurons on 12 bits that read three bits each, and a packing with k = 1: the share of zero weights, and
  E K^2.

(The fourth failure, s near n, is in ``sparsity``.) A cell is (failure, run).

Paper: Definition 1 and Remark 11, and what they do not promise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparse_core import bounds
from sparse_core._arrays import Array
from sparse_core.cube import fourier, hypercube
from sparse_core.learning.lowdegree import LowDegreeRegressor
from sparse_core.network import SparseNetwork, constructions

from . import seed_of
from .learners import Row

__all__ = ["CELLS", "CORNERS", "SIZES", "bits_found", "broken", "measure", "reads_three", "recovered"]

RUNS = 20
BITS = 15
RELEVANT = 3
SIZES = (25, 50, 100, 200, 400, 800)
# The threshold of the learner, in units of the noise level: chosen by hand; the audit of chapter 8 tries others.
LEVEL = 1.5
N = 12
CORNERS = (10, 8, 6, 4, 2)
COPIES = 32
SAMPLE = 256
FRESH = 4000
# Points on which a recovered network is compared with the planted one.
COMPARED = 1000
CELLS = [(name, run) for run in range(RUNS) for name in ("patterns", "promise", "weights")]


def bits_found(X: NDArray[np.int8], y: Array, level: float = LEVEL) -> list[int]:
    """The bits of the monomials up to degree 2 whose estimated coefficients exceed ``level`` times the noise level.

    >>> from sparse_core.cube import hypercube
    >>> X = hypercube.points(5)
    >>> bits_found(X, X[:, 1] + 2.0 * X[:, 1] * X[:, 4])
    [1, 4]
    """
    fit = LowDegreeRegressor(2, "threshold", level=level).fit(X, y - y.mean())
    return [i for i in range(X.shape[1]) if (fit.monomials_ >> i & 1).any()]


def recovered(n: int, m: int, values: Array, rng: np.random.Generator, level: float = LEVEL) -> bool:
    """Whether a planted table network on n bits is found from m examples: its active sets, in some order, and values.

    ``values`` is its table, a number for each setting of the relevant bits, which are drawn. It is compared on fresh
    points. If the table of the bits that were found has more rows than there are examples, the learner gives up.

    >>> recovered(6, 400, np.arange(4.0), np.random.default_rng(0))
    True
    >>> recovered(6, 400, np.array([1.0, -1.0, -1.0, 1.0]), np.random.default_rng(0), level=99)
    False
    """
    bits = rng.choice(n, len(values).bit_length() - 1, replace=False)
    planted = constructions.junta(values, n, bits.tolist())
    X = rng.choice(np.array([-1, 1], np.int8), (m + COMPARED, n))
    y = planted(X[:m])
    fresh = X[m:]
    seen = bits_found(X[:m], y, level)
    if 1 << len(seen) > m:
        return False
    table = np.zeros(1 << len(seen))
    table[hypercube.index(X[:m, seen])] = y
    learned = constructions.junta(table, n, seen)
    sets = [set(map(bytes, net.active(fresh).T)) for net in (planted, learned)]
    return sets[0] == sets[1] and np.allclose(learned(fresh), planted(fresh))


def broken(q: int) -> SparseNetwork:
    """The network of the second failure; its last neurons are active together at a share 2^-q of the points.

    >>> int(broken(4).active_count().max()), float(np.mean(broken(4).active_count() > 1))
    (33, 0.0625)
    """
    first = np.eye(N)[0]
    corner = np.r_[0, np.ones(q), np.zeros(N - 1 - q)]
    pair = SparseNetwork([3, -3], [first, -first], [-1, -1])
    return pair + SparseNetwork(np.ones(COPIES), np.tile(corner, (COPIES, 1)), np.full(COPIES, q - 1))


def reads_three(rng: np.random.Generator) -> SparseNetwork:
    """32 neurons without biases, each with three weights of the same size that are not 0.

    >>> float((reads_three(np.random.default_rng(0)).W == 0).mean())
    0.75
    """
    W = np.zeros((32, N))
    for row in W:
        row[rng.choice(N, 3, replace=False)] = rng.choice([-1, 1], 3) / 3**0.5
    return SparseNetwork(rng.choice([-1, 1], 32), W, np.zeros(32))


def measure(name: str, run: int) -> Row:
    rng = np.random.default_rng(seed_of("signatures", name, run))
    return {"patterns": _patterns, "promise": _promise, "weights": _weights}[name](rng)


def _patterns(rng: np.random.Generator) -> Row:
    row: Row = {"agreement": [], "right": []}
    for m in SIZES:
        bits = rng.choice(BITS, RELEVANT, replace=False).tolist()
        planted = constructions.junta(rng.standard_normal(1 << RELEVANT), BITS, bits)
        samples = [rng.choice(np.array([-1, 1], np.int8), (m, BITS)) for _ in range(2)]
        first, second = (set(bits_found(X, planted(X))) for X in samples)
        row["agreement"].append(len(first & second) / max(len(first | second), 1))
        row["right"].append(float(first == set(bits)))
    return row


def _promise(rng: np.random.Generator) -> Row:
    row: Row = {"looks": [], "fresh": [], "AS": [], "bound": []}
    for q in CORNERS:
        net = broken(q)
        K = net.active_count()
        rows = rng.integers(0, len(K), SAMPLE + FRESH)
        row["looks"].append(float(K[rows[:SAMPLE]].max() <= 1))
        row["fresh"].append(np.mean(K[rows[SAMPLE:]] > 1))
        row["AS"].append(fourier.average_sensitivity(net.values()))
        row["bound"].append(bounds.ours.remark_11(net.scale.W, 1, net.s, float(np.mean(K > 1))))
    return row


def _weights(rng: np.random.Generator) -> Row:
    nets = reads_three(rng), constructions.random_sparse(N, 32, 1, rng=rng)
    return {
        "zeros": [np.mean(net.W == 0) for net in nets],
        "E K^2": [np.mean(net.active_count() ** 2.0) for net in nets],
    }
