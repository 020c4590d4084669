r"""Networks whose neurons have the same shares p_j = 1/4 and the same weights' lengths, but active sets that differ.

Eight neurons on 16 bits. Each is active where two *address* bits have the signs it asks for, exactly, and is there an
affine function of all bits, with slopes 1/sqrt(14) on the others. Which two bits, and which signs:

* *exclusive*: the four settings of bits 0, 1 and the four of bits 2, 3; two neurons are active at each point.
* *independent*: bits 2 j, 2 j + 1 for neuron j.
* *blocks*: one setting of bits 0, 1 for four neurons, one of bits 2, 3 for the others.
* *nested*: one setting of bits 0, 1 for all.

So E K = 2 for all families, where K is the number of active neurons, and Var K = 0, 1.5, 6, 12. (The nested sets are
equal: sets of one probability can be nested in no other way.)

A cell is (family, signs, run), signs of the output weights "random" or "equal". *Above degree 1* is the part of AS
that is not linear, sum_{|T| >= 2} |T| w_T, and *covariances* the sum that bounds a quarter of it. The risks of both
learners, for each of SIZES, are relative to Var h.

Paper: section 3, whose proofs use the number of active neurons only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparse_core._arrays import Array
from sparse_core.cube import fourier, hypercube
from sparse_core.network import SparseNetwork

from . import learners, seed_of
from .learners import Row

__all__ = ["CELLS", "FAMILIES", "SIZES", "complexity", "covariances", "family", "measure"]

N = 16
NEURONS = 8
FAMILIES = ("exclusive", "independent", "blocks", "nested")
RUNS = 10
SIZES = (256, 1024, 4096)
RHO = 0.9
CELLS = [(name, signs, run) for run in range(RUNS) for signs in ("random", "equal") for name in FAMILIES]
# Points and signs with which the complexity is estimated: its mean over signs is then known to about 1 %.
SAMPLE = 256
DRAWS = 200


def family(name: str, signs: str, rng: np.random.Generator) -> SparseNetwork:
    """A network of the family; whatever the family, each neuron is active on a quarter of the cube.

    >>> net = family("independent", "equal", np.random.default_rng(0))
    >>> net.active(hypercube.points(16)).mean(axis=0).tolist() == [0.25] * 8
    True
    """
    j = np.arange(NEURONS)
    first = {"exclusive": j // 4 * 2, "independent": 2 * j, "blocks": j // 4 * 2, "nested": 0 * j}[name]
    asked = rng.choice([-1, 1], (NEURONS, 2))
    if name == "exclusive":
        asked = np.stack([1 - 2 * (j % 2), 1 - 2 * (j // 2 % 2)], axis=1)
    if name in ("blocks", "nested"):  # the signs of the first neuron that has these bits
        asked = asked[first * 2]
    slope = (N - 2) ** -0.5
    W = slope * rng.choice([-1, 1], (NEURONS, N))
    # The other slopes add to sqrt(14) at most, and so much an address bit weighs, but for a millionth that lifts what
    # is exactly 0 off the threshold: two right bits make the neuron active whatever the others are, one is too few.
    reach = (N - 2) * slope
    W[j, first] = (1 + 1e-6) * reach * asked[:, 0]
    W[j, first + 1] = (1 + 1e-6) * reach * asked[:, 1]
    u = rng.choice([-1, 1], NEURONS) if signs == "random" else np.ones(NEURONS)
    return SparseNetwork(u, W, np.full(NEURONS, (1 + 5e-7) * reach))


def complexity(net: SparseNetwork, X: NDArray[np.int8], signs: Array) -> float:
    """The mean over rows of signs of (W/m) sum_j ||sum_{i: j in R_i} zeta_i x_i||, for the scale W of the network.

    That is the Rademacher complexity of sum_j 1[j in R_x] <v_j, x>, ||v_j|| <= W, with the active sets of the network.
    """
    active = net.active(X)
    sums = np.einsum("di,ij,in->djn", signs, active.astype(np.float64), X.astype(np.float64), optimize=True)
    return float(net.scale.W * np.linalg.norm(sums, axis=2).sum(axis=1).mean() / len(X))


def covariances(net: SparseNetwork) -> float:
    """sum over u_j u_l > 0 of Cov(1[j in R_x], 1[l in R_x]) <v_j, v_l>, v_j = u_j w_j, on the cube.

    By the theorem on covariances four times that is no less than the part of AS above degree 1.

    >>> covariances(SparseNetwork([1, 1, -1], [[1, 0], [1, 0], [0, 1]], [0, 0, 0]))
    1.25
    """
    active = net.active(hypercube.points(net.n)).astype(np.float64)
    share = active.mean(axis=0)
    C = active.T @ active / len(active) - np.outer(share, share)
    v = net.u[:, None] * net.W
    return float((C * (v @ v.T))[np.outer(net.u, net.u) > 0].sum())


def measure(name: str, signs: str, run: int) -> Row:
    rng = np.random.default_rng(seed_of("correlation", name, signs, run))
    net = family(name, signs, rng)
    h = net.values()
    cube = hypercube.points(N)
    rows = rng.integers(0, len(h), max(SIZES))
    row = {
        "Var K": net.active_count().var(),
        "variance": h.var(),
        "average sensitivity": fourier.average_sensitivity(h),
        "above degree 1": fourier.average_sensitivity(h) - fourier.weight_by_degree(h)[1],
        "covariances": covariances(net),
        "noise sensitivity": fourier.noise_sensitivity(h, RHO),
        "complexity": complexity(net, cube[rows[:SAMPLE]], rng.choice([-1.0, 1.0], (DRAWS, SAMPLE))),
    }
    return row | learners.risks(
        cube[rows], h[rows], SIZES, lambda f: np.mean((f(cube) - h) ** 2) / h.var(), rng=rng
    )  # fmt: skip
