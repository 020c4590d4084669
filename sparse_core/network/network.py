r"""Networks with one hidden layer, h(x) = sum_j u_j relu(<w_j, x> - b_j), and which of their neurons are active where.

Neuron j is active at x iff <w_j, x> - b_j > 0, strictly, as ``activity`` decides it; R_x is the set of active neurons.
A network is k-sparse iff |R_x| <= k at every point x of the domain (`definition-1`): here the whole cube, or the rows
of an array.

Paper: section 1, Definitions 1 and 2.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import Array
from . import activity
from .evaluation import dense_pass, truth_table
from .evaluator import SparseEvaluator
from .sparsity import METHODS, Sparsity, digest, on_cube, on_points

__all__ = ["Scale", "SparseNetwork"]


class Scale(NamedTuple):
    """(W, B) = (||u||_inf max_j ||w_j||_2, ||u||_inf max_j |b_j|), the scale of `definition-2`."""

    W: float
    B: float


class SparseNetwork:
    """h(x) = sum_j u_j relu(<w_j, x> - b_j), from arrays u (s,), W (s, n) with the w_j as rows, and b (s,).

    A network does not change: the arrays are float64 copies that cannot be written to. For s = 0 it is the function 0.

    >>> net = SparseNetwork(u=[1, -1], W=[[1, 1], [-1, -1]], b=[1, 1])
    >>> net([[1, 1], [1, -1], [-1, -1]])
    array([ 1.,  0., -1.])
    >>> net
    SparseNetwork(n=2, s=2, W=1.41421, B=1)
    >>> net.sparsity()
    1, exact by enumeration of 4 points
    """

    u: Array
    W: Array
    b: Array

    def __init__(self, u: ArrayLike, W: ArrayLike, b: ArrayLike) -> None:
        W = checks.real_array("W", W, 2)
        u = checks.real_array("u", u, 1, shape=(len(W),))
        b = checks.real_array("b", b, 1, shape=(len(W),))
        self.__setstate__({"u": u.astype(np.float64), "W": W.astype(np.float64), "b": b.astype(np.float64)})

    def __setstate__(self, state: dict[str, Array]) -> None:
        # Also what copies and pickles are restored by; NumPy keeps no read-only flag in them.
        for array in state.values():
            array.setflags(write=False)
        vars(self).update(state)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A SparseNetwork does not change: make a new one in place of setting '{name}'.")

    def __eq__(self, other: object) -> bool:
        """Whether u, W and b are equal, entry by entry: O(s n). Other networks may be the same function.

        >>> net = SparseNetwork([1], [[2, 3]], [0])
        >>> net == SparseNetwork([1.0], [[2.0, 3.0]], [-0.0]), net == net.scaled(2), len({net, net.scaled(1)})
        (True, False, 1)
        """
        if not isinstance(other, SparseNetwork):
            return NotImplemented
        return all(map(np.array_equal, self._arrays(), other._arrays()))

    def __hash__(self) -> int:
        """Of the entries of u, W and b; each call takes O(s n) time and memory."""
        return hash((self.W.shape, *((array + 0.0).tobytes() for array in self._arrays())))  # -0.0 equals 0.0

    def _arrays(self) -> tuple[Array, Array, Array]:
        return self.u, self.W, self.b

    @property
    def n(self) -> int:
        """The number of inputs."""
        return int(self.W.shape[1])

    @property
    def s(self) -> int:
        """The number of neurons."""
        return int(self.W.shape[0])

    @property
    def scale(self) -> Scale:
        """(W, B) = (||u||_inf max_j ||w_j||_2, ||u||_inf max_j |b_j|) (`definition-2`).

        >>> SparseNetwork([2, -1], [[3, 4], [0, 1]], [-1, 6]).scale
        Scale(W=10.0, B=12.0)
        """
        u = np.abs(self.u).max(initial=0)
        w = np.linalg.norm(self.W, axis=1).max(initial=0)
        b = np.abs(self.b).max(initial=0)
        return Scale(float(u * w), float(u * b))

    def __repr__(self) -> str:
        return f"SparseNetwork(n={self.n}, s={self.s}, W={self.scale.W:g}, B={self.scale.B:g})"

    def _points(self, X: ArrayLike) -> NDArray[Any]:
        return checks.real_array("X", X, 2, shape=(None, self.n), convert=False)

    # The function

    def __call__(self, X: ArrayLike) -> Array:
        """h(x) for each row x of X, any real points."""
        return dense_pass(self.u, self.W, self.b, self._points(X))

    def values(self) -> Array:
        """h(x) at all 2^n points of the cube, in the order of ``hypercube.points(n)``, for n <= 26.

        Cost: s n 2^n multiply-adds, or less where neurons are rarely active, and 8 bytes a point; n = 18 and s = 32
        take 0.03 s and 9 MB. Refused where more than 2^33 pairs of a point and a neuron would be visited, half a
        minute.
        """
        return truth_table(self.u, self.W, self.b)

    def evaluator(self) -> SparseEvaluator:
        """h(x) as a ``SparseEvaluator``, which does not compute neurons that are provably inactive at x."""
        return SparseEvaluator(self.u, self.W, self.b)

    def scaled(self, c: float) -> SparseNetwork:
        """c h, by the output weights."""
        return SparseNetwork(checks.real("c", c) * self.u, self.W, self.b)

    def __add__(self, other: SparseNetwork) -> SparseNetwork:
        """h + g: the neurons of both, side by side.

        >>> net = SparseNetwork([1], [[1, 1]], [0])
        >>> net + net.scaled(-1)
        SparseNetwork(n=2, s=2, W=1.41421, B=0)
        """
        if not isinstance(other, SparseNetwork):
            return NotImplemented
        if other.n != self.n:
            raise ValueError(f"Networks must have the same n to be added, not {self.n} and {other.n}.")
        return SparseNetwork(np.r_[self.u, other.u], np.r_[self.W, other.W], np.r_[self.b, other.b])

    def remove(self, j: int) -> SparseNetwork:
        """h - u_j relu(<w_j, x> - b_j): the network without its neuron j, counted from 0."""
        j = checks.integer("j", j, 0, self.s - 1)
        return SparseNetwork(np.delete(self.u, j), np.delete(self.W, j, axis=0), np.delete(self.b, j))

    # Activity

    def active(self, X: ArrayLike) -> NDArray[np.bool_]:
        """[<w_j, x> - b_j > 0] for each row x of X and each neuron j: a (rows, s) array."""
        return activity.active(self.W, self.b, self._points(X))

    def active_count(self, X: ArrayLike | None = None) -> NDArray[np.int32]:
        """|R_x| for each row x of X, or for every point of the cube in the order of ``hypercube.points(n)``.

        Cost: on the cube s n 2^n multiply-adds and 4 bytes a point; n = 18 and s = 32 take 0.05 s and 9 MB. Refused for
        n > 26, and for more than 2^33 pairs of a point and a neuron, half a minute.
        """
        return activity.count(self.W, self.b, None if X is None else self._points(X))

    def dead(self) -> NDArray[np.bool_]:
        """||w_j||_1 <= b_j for each neuron j: whether it is active at no point of the cube, exactly."""
        return activity.dead(self.W, self.b)

    def matters(self) -> NDArray[np.bool_]:
        """u_j != 0 and ||w_j||_1 > b_j for each neuron j: whether its removal changes h on the cube (`removal`).

        >>> SparseNetwork([1, 0, 1], [[1, 1], [1, 1], [1, 1]], [1, 1, 2]).matters()
        array([ True, False, False])
        """
        return np.not_equal(self.u, 0) & ~self.dead()

    def sparsity(self, X: ArrayLike | None = None, method: str = "auto", *, time_limit: float = 30.0) -> Sparsity:
        """max_x |R_x| over the rows of X, or over the whole cube: the smallest k for which the network is k-sparse.

        method : for the whole cube. "enumeration" is exact, and refuses more than 2^33 pairs of a point and a neuron.
            The others find a proved upper bound and a witness. "pairs" proves of pairs of neurons that they are never
            active together, in rational arithmetic where round-off could matter; "milp" is an integer programme, as
            reliable as the bound that the solver, HiGHS, returns. "auto" enumerates when that takes a few seconds, else
            it tries "pairs" and then "milp". Enumeration costs as much as ``active_count``, "pairs" s^2 n operations.
        time_limit : seconds for the integer programme.

        >>> net = SparseNetwork([1, 1], [[1.0] * 40, [-1.0] * 40], [30, 30])
        >>> net.sparsity()
        1, exact by pair certificates
        """
        method = checks.one_of("method", method, METHODS if X is None else METHODS[:1])
        time_limit = checks.real("time_limit", time_limit, 0)
        if X is None:
            k = on_cube(self.W, self.b, method, time_limit)
        else:
            k = on_points(self.W, self.b, self._points(X))
        k.of = digest(self.W, self.b)
        return k
