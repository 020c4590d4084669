r"""max_x |R_x|, the largest number of active neurons: counted, or enclosed between a witness and a certificate.

A lower bound is a count at a point; an upper bound an enumeration of all points, or one of the ``certificates``.

Paper: `definition-1`, the k of H_{n,s,k}.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import Array
from ..cube.hypercube import MAX_POINTS_N, points
from . import activity
from .certificates import compatible, exclusive_groups, largest_count, normalised

__all__ = ["METHODS", "Sparsity"]  # the rest is called by ``SparseNetwork``, with arrays that were checked


METHODS = ("auto", "enumeration", "pairs", "milp")
# (point, neuron) pairs up to which "auto" enumerates: a few seconds.
AUTO_PAIRS = 1 << 30
# s^2 n, the entries visited when all pairs of neurons are compared: a minute at most.
MAX_COMPARED_ENTRIES = 1 << 31
# s n^2, the entries of all neighbours of s corners, up to which witnesses are sought there, too: 32 MB at most.
MAX_NEIGHBOUR_ENTRIES = 1 << 22


class Sparsity(int):
    """lower <= max_x |R_x| <= upper: the integer upper, with its evidence. The ``repr`` says it in words.

    >>> k = Sparsity(3, 2, "pairs", "pair certificates")
    >>> k
    at most 3, certified by pair certificates; at least 2, by a witness; undecided between
    >>> print(k, k + 1)
    3 4
    """

    lower: int  # the number of neurons that are active at the witness
    upper: int  # what is proved; the value of the integer
    method: str  # "enumeration", "pairs" or "milp"; "sample" for given points
    how: str  # the same in words
    witness: NDArray[Any] | None
    of: str  # the digest of the (W, b) of the network; "" if that is not known

    def __new__(
        cls, upper: int, lower: int, method: str, how: str, witness: NDArray[Any] | None = None, of: str = ""
    ) -> Sparsity:
        self = super().__new__(cls, upper)
        self.lower = lower
        self.upper = upper
        self.method = method
        self.how = how
        self.witness = witness
        self.of = of
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        # What copies and pickles are made from.
        return self.upper, self.lower, self.method, self.how, self.witness, self.of

    @property
    def exact(self) -> bool:
        """lower = upper."""
        return self.lower == self.upper

    def __str__(self) -> str:
        return str(self.upper)

    def __repr__(self) -> str:
        if self.exact:
            return f"{self.upper}, exact by {self.how}"
        return f"at most {self.upper}, certified by {self.how}; at least {self.lower}, by a witness; undecided between"


def digest(W: Array, b: Array) -> str:
    """What tells the neurons (W, b) from others: equal for arrays of equal shape and entries. It takes O(s n) time.

    >>> W, b = np.zeros((1, 2)), np.ones(1)
    >>> digest(W, b) == digest(-W, b), digest(W, b) == digest(W, -b)
    (True, False)
    """
    entries = np.column_stack([W, b]) + 0.0  # -0.0 becomes 0.0, which it equals
    return blake2b(entries.tobytes(), digest_size=16, salt=W.shape[1].to_bytes(8, "little")).hexdigest()


def on_points(W: Array, b: Array, X: NDArray[Any]) -> Sparsity:
    """max |R_x| over the rows x of X: between two counts, with and without the uncertain signs, unless X is integral.

    >>> on_points(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([0.2, 0.2]), np.array([[0.1, 0.1], [-0.1, 0.2]]))
    2, exact by evaluation of 2 given points
    >>> on_points(np.array([[1.0, 1.0]]), np.array([0.3]), np.array([[0.1, 0.2]]))     # round-off decides the sign
    at most 1, certified by evaluation of 1 given points; at least 0, by a witness; undecided between
    """
    lower = upper = activity.count(W, b, X)
    if not activity.integral(X):
        error = activity.round_off(W, b, X)
        lower, upper = activity.count(W, b + error, X), activity.count(W, b - error, X)
    witness = X[lower.argmax()] if len(X) else None
    how = f"evaluation of {len(X)} given points"
    return Sparsity(int(upper.max(initial=0)), int(lower.max(initial=0)), "sample", how, witness)


def on_cube(W: Array, b: Array, method: str, time_limit: float) -> Sparsity:
    """max |R_x| over the cube, by one of METHODS. A coordinate without weights is not enumerated.

    >>> on_cube(np.array([[1.0, 0.0, 1.0]]), np.array([1.0]), "auto", time_limit=1)
    1, exact by enumeration of 4 points
    """
    used = np.flatnonzero(W.any(axis=0))
    m = len(used)
    cheap = m <= MAX_POINTS_N and len(b) << m <= AUTO_PAIRS
    if method != "enumeration" and not (method == "auto" and cheap):
        return _enclosed(W, b, method, time_limit)
    K = activity.count(W[:, used], b)
    k, best = int(K.max()), int(K.argmax())
    witness = np.ones(W.shape[1], dtype=np.int8)
    witness[used] = points(m, best, best + 1)[0]
    return Sparsity(k, k, "enumeration", f"enumeration of {len(K)} points", witness)


def _enclosed(W: Array, b: Array, method: str, time_limit: float) -> Sparsity:
    """max |R_x| between a witness and a certificate; its method is the last that gave the upper bound."""
    alive = ~activity.dead(W, b)
    W, b = normalised(W[alive], b[alive])
    s, n = W.shape
    if s * s * n > MAX_COMPARED_ENTRIES:
        raise ValueError(f"{s} neurons in {n} variables are too many to compare: give the points wanted as 'X'.")
    groups = exclusive_groups(compatible(W, b))
    corners = np.where(W < 0, -1, 1)  # where each neuron is largest, and then the neighbours of these points
    if s * n * n <= MAX_NEIGHBOUR_ENTRIES:
        neighbours = corners[:, None] * (1 - 2 * np.eye(n, dtype=int))
        corners = np.concatenate([corners, neighbours.reshape(s * n, n)])
    lower, witness = _most_active(W, b, corners)
    by_pairs = Sparsity(len(groups), lower, "pairs", "pair certificates", witness)
    if s == 0 or method == "pairs" or (method == "auto" and by_pairs.exact):
        return by_pairs
    upper, corner = largest_count(W, b, groups, time_limit)
    count, point = _most_active(W, b, corner)
    if count > lower:
        lower, witness = count, point
    if upper > by_pairs.upper:
        return Sparsity(by_pairs.upper, lower, "pairs", by_pairs.how, witness)
    return Sparsity(upper, lower, "milp", "integer programming", witness)


def _most_active(W: Array, b: Array, corners: NDArray[Any]) -> tuple[int, NDArray[np.int8]]:
    """max |R_x| over (1, ..., 1) and the corners given, and a corner at which it is attained."""
    X = np.concatenate([np.ones((1, W.shape[1])), corners]).astype(np.int8)
    K = activity.count(W, b, X)
    return int(K.max()), X[K.argmax()]
