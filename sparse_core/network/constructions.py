r"""Networks that are sparse by construction, and dense ones for comparison.

The neurons of a junta, of an address, of a code or of a tree are active on disjoint subcubes or Hamming balls; a
packing searches for half-spaces of which no more than k meet at any point. Where weights are not integers, biases keep
a small distance from the values at which a neuron must be inactive, so that round-off decides nothing.

Paper: sections 1 and 4 (juntas, indexing), Appendix A. Codes, trees, packings and the tight family are ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Array
from ..cube.hypercube import character, points
from .activity import blocks
from .network import SparseNetwork

__all__ = [
    "appendix_a", "code_caps", "dense_parity", "gaussian_units", "hamming", "indexing", "junta", "random_paths",
    "random_sparse", "tight", "tree",
]  # fmt: skip

# Distance from a bias to the values below it at which the neuron must be inactive, for unit weight vectors: a hundred
# times the tolerance of an integer programme, 1e-6.
BIAS_GAP = 1e-4
# Binary digits of a threshold Gamma: 13 of 53 are left, so that its multiples up to 2^13 are exact.
THRESHOLD_DIGITS = 40
# By how much a threshold is increased, relative to it: two units in the last of 40 binary digits.
RELATIVE_GAP = 2.0**-39


def _rounded_up(x: ArrayLike) -> Array:
    """The least number with 40 binary digits that is at least x."""
    mantissa, exponent = np.frexp(x)
    return np.asarray(np.ldexp(np.ceil(np.ldexp(mantissa, THRESHOLD_DIGITS)), exponent - THRESHOLD_DIGITS))


def junta(
    table: ArrayLike, n: int | None = None, coordinates: Sequence[int] | None = None, half: bool = False
) -> SparseNetwork:
    """g(x) = sum_{a in {-1, 1}^p} g(a) relu(<a, x> - p + 1): any function of p bits, 1-sparse (`junta-networks`).

    table : the 2^p values g(a), any reals, in the order of ``hypercube.points(p)``.
    coordinates : those of the n inputs that g reads, in the order of the bits of the index; 0, ..., p - 1 by default.
    half : whether to take relu((<a, x> - p + 2) / 2) instead, of half the scale (`ours-junta-half-scale`).

    For |g| <= 1 the scale is W = sqrt(p), B = |p - 1|, or half of (sqrt(p), |p - 2|). The paper prints B = p (`E8`).

    >>> junta([1, -1, -1, 1], n=5, coordinates=[4, 0])([[1, 1, 1, 1, 1], [-1, 1, 1, 1, 1]])
    array([ 1., -1.])
    """
    values, p = checks.length_2n("table", table)
    n = checks.size("n", p if n is None else n, p)
    listed = checks.listed("coordinates", range(p) if coordinates is None else coordinates)
    read = [checks.integer("coordinates", i, 0, n - 1) for i in listed]
    if len(read) != p or len(set(read)) != p:
        raise ValueError(f"Argument 'coordinates' must be {p} different coordinates, not {read}.")
    W = np.zeros((1 << p, n))
    b = np.full(1 << p, p - 1.0)
    W[:, read] = points(p)
    return SparseNetwork(values, W / 2, (b - 1) / 2) if checks.flag("half", half) else SparseNetwork(values, W, b)


def indexing(b: int) -> SparseNetwork:
    """Index_b(x, y) = sum_{a in {-1, 1}^b} relu(<a, x> + y_a / 2 - b + 1/2) = (1 + y_x) / 2, the bit at x: 1-sparse.

    The address x is the first b coordinates; address i of ``hypercube.points(b)`` reads coordinate b + i. The neuron at
    the address is active when its bit is 1, half of the time (`indexing`).

    >>> indexing(1)([[1, -1, 1], [-1, -1, 1]])          # addresses 0 and 1 of the bits (-1, 1)
    array([0., 1.])
    """
    b = checks.integer("b", b, 0, 12)
    s = 1 << b
    return SparseNetwork(np.ones(s), np.hstack([points(b), np.eye(s) / 2]), np.full(s, b - 0.5))


def appendix_a(
    b: int,
    q: int,
    gamma: float | None = None,
    weights: ArrayLike | None = None,
    *,
    rng: np.random.Generator | None = None,
) -> SparseNetwork:
    """F(x, y) = sum_{a in {-1, 1}^b} relu(<w_a, y> + Gamma (<x, a> - b)): dense weights, sparse still (`appendix-a`).

    b, q : bits of the address x, which come first, and of the data y.
    gamma : Gamma >= 0, sqrt(q) by default, as in the paper.
    weights : (2^b, q), the w_a in the order of ``hypercube.points(b)``. By default Gaussian unit vectors from rng.

    If ||w_a||_1 <= 2 Gamma for all a, it is 1-sparse and F = relu(<w_x, y>) (`appendix-a-exact`): Gamma >= sqrt(q) / 2
    suffices for unit vectors, and the paper's Gamma = sqrt(q) for ||w_a||_2 <= 2 (`E28`). Gamma is rounded up, by less
    than 1e-11 of it, so that Gamma (<a, a> - b) is 0 exactly and no round-off of ||w_a||_1 = 2 Gamma breaks sparsity.

    >>> appendix_a(4, 28, gamma=14, weights=np.ones((16, 28))).sparsity()      # n = 32
    1, exact by pair certificates
    """
    b = checks.integer("b", b, 0, 12)
    q = checks.size("q", q)
    if weights is not None:
        w = checks.real_array("weights", weights, 2, shape=(1 << b, q))
    elif rng is not None:
        w = checks.generator("rng", rng).standard_normal((1 << b, q))
        w /= np.linalg.norm(w, axis=1, keepdims=True)
    else:
        raise ValueError("Argument 'weights' or argument 'rng', to draw them, must be given.")
    threshold = float(_rounded_up(checks.real("gamma", math.sqrt(q) if gamma is None else gamma, 0)))
    excess = max(math.fsum([*row, -2 * threshold]) for row in np.abs(w).tolist())
    if 0 < excess <= 1e-12 * threshold:
        threshold = float(_rounded_up(threshold * (1 + RELATIVE_GAP)))
    return SparseNetwork(np.ones(1 << b), np.hstack([threshold * points(b), w]), np.full(1 << b, threshold * b))


def tight(p: int, k: int, n: int | None = None) -> SparseNetwork:
    """h = k sum_{a in {-1, 1}^p} chi(a) relu(<a, x> - p + 2) = 2k chi(x): AS(h) = 4 k^2 W^2, the most that is possible.

    chi is the parity of p bits, each neuron has k copies, and n = p by default. s = k 2^p, W = sqrt(p), B = |p - 2|,
    AS = 4 k^2 p: equality in `ours-average-sensitivity`.

    >>> net = tight(2, 3)
    >>> net.values(), net.sparsity(), net.scale.W**2
    (array([ 6., -6., -6.,  6.]), 3, exact by enumeration of 4 points, 2.0000000000000004)
    """
    p = checks.integer("p", p, 1, 20)
    k = checks.size("k", k)
    parity = junta(character((1 << p) - 1, points(p)), n)
    return SparseNetwork(np.tile(parity.u, k), np.tile(parity.W, (k, 1)), np.tile(parity.b - 1, k))


def dense_parity(n: int) -> SparseNetwork:
    """chi(x) = (-1)^n relu(t + n + 1) + 2 sum_{j < n} (-1)^(n - j - 1) relu(t + n - 2j), t = x_1 + ... + x_n: dense.

    n + 1 neurons with the weights (1, ..., 1) compute the parity of all n bits as a zigzag in t; all of them are active
    at the point (1, ..., 1) (`dense-parity`).

    >>> dense_parity(2).values(), dense_parity(2).sparsity()
    (array([ 1., -1., -1.,  1.]), 3, exact by enumeration of 4 points)
    """
    n = checks.size("n", n)
    j = np.arange(n)
    u = np.r_[(-1) ** n, 2 * (-1) ** (n - j - 1)]
    return SparseNetwork(u, np.ones((n + 1, n)), np.r_[-n - 1, 2 * j - n])


def code_caps(codewords: ArrayLike, bias: float) -> SparseNetwork:
    """h(x) = sum_c relu(<c, x> - bias) = sum_c 2 max((n - bias) / 2 - d(c, x), 0): a Hamming ball around each codeword.

    The number of active neurons at x is the number of codewords c at distance d(c, x) < (n - bias) / 2.

    >>> code_caps(hamming(3), bias=3).active_count(points(7)[:5])       # radius < 2: a perfect code
    array([1, 1, 1, 1, 1], dtype=int32)
    """
    C = checks.signs("codewords", codewords)
    return SparseNetwork(np.ones(len(C)), C, np.full(len(C), checks.real("bias", bias)))


def hamming(r: int) -> NDArray[np.int8]:
    """{c in {-1, 1}^n : XOR of the positions 1, ..., n of its entries -1 is 0}, n = 2^r - 1: the Hamming code, in rows.

    It has 2^(n - r) words at pairwise distances of at least 3; each point of the cube is within distance 1 of just one.

    >>> hamming(2)
    array([[ 1,  1,  1],
           [-1, -1, -1]], dtype=int8)
    """
    n = (1 << checks.integer("r", r, 1, 4)) - 1
    X = points(n)
    syndrome = np.bitwise_xor.reduce(np.where(X < 0, np.arange(1, n + 1), 0), axis=1)
    return np.compress(syndrome == 0, X, axis=0)


def tree(paths: ArrayLike, weights: ArrayLike, constants: ArrayLike | None = None) -> SparseNetwork:
    """h(x) = relu(<v_l, x> + c_l) at the leaf l that x reaches: one neuron for each leaf of a decision tree, 1-sparse.

    paths : (s, n) with entries -1, 0, 1; x reaches the one leaf l with whose nonzero entries it agrees.
    weights, constants : (s, n) and (s,), the v_l and c_l; constants are 0 by default.

    Neuron l is relu(<v_l, x> + c_l + Gamma_l (<path_l, x> - length_l)), with Gamma_l just above (||v_l||_1 + c_l) / 2,
    as in `appendix-a`: one wrong turn makes it inactive.

    >>> tree([[1, 0], [-1, 1], [-1, -1]], weights=[[0, 1], [0, 0], [0, 0]], constants=[0, 2, 3]).values()
    array([1., 2., 0., 3.])
    """
    P = checks.real_array("paths", paths, 2)
    if not np.isin(P, (-1, 0, 1)).all():
        raise ValueError("Argument 'paths' must have entries -1, 0 and 1 only.")
    shared = (P @ P.T == np.abs(P) @ np.abs(P).T) & ~np.eye(len(P), dtype=bool)  # no coordinate separates the two
    if shared.any():
        raise ValueError(f"Argument 'paths' must be disjoint; rows {tuple(np.argwhere(shared)[0].tolist())} are not.")
    V = checks.real_array("weights", weights, 2, shape=P.shape).astype(np.float64)
    c = checks.real_array("constants", np.zeros(len(P)) if constants is None else constants, 1, shape=(len(P),))
    gamma = _rounded_up(np.maximum(np.abs(V).sum(axis=1) + c, 0) / 2 * (1 + RELATIVE_GAP))
    return SparseNetwork(np.ones(len(P)), V + gamma[:, None] * P, gamma * np.abs(P).sum(axis=1) - c)


def random_paths(n: int, depth: int, *, rng: np.random.Generator) -> NDArray[np.int8]:
    """The 2^depth leaves of a random decision tree, for ``tree``; a node queries a coordinate not yet used on its path.

    >>> random_paths(3, 1, rng=np.random.default_rng(0))
    array([[ 0,  0,  1],
           [ 0,  0, -1]], dtype=int8)
    """
    n = checks.size("n", n, 0)
    rng = checks.generator("rng", rng)
    paths = np.zeros((1, n), dtype=np.int8)
    for _ in range(checks.integer("depth", depth, 0, min(n, 16))):
        queried = [rng.choice(np.flatnonzero(path == 0)) for path in paths]
        paths = np.repeat(paths, 2, axis=0)
        paths[::2][np.arange(len(queried)), queried] = 1
        paths[1::2][np.arange(len(queried)), queried] = -1
    return paths


def random_sparse(n: int, s: int, k: int, *, rng: np.random.Generator) -> SparseNetwork:
    """A greedy packing of s half-spaces with max_x |R_x| <= k on the cube: dense Gaussian unit weights, signs for u.

    All 2^n points are enumerated, n <= 20; no k-sparse network has more than k 2^n neurons that are not dead. Step by
    step, a direction is drawn and reflected so that it points at a random point with fewer than k active neurons. The
    bias is the least for which the neuron is inactive at the points with k active ones and active on at most its share
    k / s of the cube. A neuron with less than a tenth of its share is rejected; each rejection lowers that minimum by
    1 %.

    >>> random_sparse(8, 20, 2, rng=np.random.default_rng(0)).sparsity()
    2, exact by enumeration of 256 points
    """
    n = checks.integer("n", n, 1, 20)
    k = checks.integer("k", k, 1)
    s = checks.integer("s", s, 1, k << n)
    rng = checks.generator("rng", rng)
    X = points(n).astype(np.float64)
    count = np.zeros(len(X), dtype=np.int64)
    share = min(k * len(X) // s, len(X) - 1)
    minimum = share / 10
    W = np.zeros((s, n))
    b = np.zeros(s)
    placed = 0
    while placed < s:
        w = np.abs(rng.standard_normal(n)) * X[rng.choice(np.flatnonzero(count < k))]
        w /= np.linalg.norm(w)
        z = X @ w
        bias = BIAS_GAP + max(z[count >= k].max(initial=-np.inf), np.partition(z, -share - 1)[-share - 1])
        active = np.count_nonzero(z > bias)
        if active < max(minimum, 1):
            minimum *= 0.99
            continue
        W[placed] = w
        b[placed] = bias
        count += z > bias - BIAS_GAP / 2  # so no active point is missed because of round-off
        placed += 1
    return SparseNetwork(rng.choice([-1.0, 1.0], s), W, b)


def gaussian_units(n: int, s: int, *, rng: np.random.Generator) -> SparseNetwork:
    """sum_j relu(<w_j, x> - b) with Gaussian unit vectors w_j and b = max_x of the second largest <w_j, x>: 1-sparse.

    That is the least common bias, by enumeration and up to 1e-4. For larger n hardly any neuron is active with it
    (`gaussian-remark`).

    >>> net = gaussian_units(8, 16, rng=np.random.default_rng(0))
    >>> net.sparsity(), float(net.active_count().mean())
    (1, exact by enumeration of 256 points, 0.11328125)
    """
    n = checks.integer("n", n, 1, 22)
    s = checks.size("s", s, 2)
    rng = checks.generator("rng", rng)
    W = rng.standard_normal((s, n))
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    bias = max(np.partition(x @ W.T, s - 2, axis=1)[:, s - 2].max() for _, x in blocks(None, n, s))
    return SparseNetwork(np.ones(s), W, np.full(s, bias + BIAS_GAP))
