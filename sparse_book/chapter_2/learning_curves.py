r"""Learning curves: the risk of fits to uniform samples of a function on the cube, at several sample sizes.

A risk is E (f - h)^2, twice the paper's loss; each is exact for its fit (``risks.risk``).

Paper: section 3, where Theorem 8 asks how many samples are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from math import ceil, log, log2
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sparse_core import checks
from sparse_core._arrays import Array, Integers
from sparse_core._interval import half_width
from sparse_core.bounds import ours
from sparse_core.cube.fourier import inverse_walsh_transform, walsh_transform
from sparse_core.cube.hypercube import character, degrees, monomials, points
from sparse_core.learning.risks import risk
from sparse_core.network.network import SparseNetwork

if TYPE_CHECKING:  # it loads scikit-learn
    from sparse_core.learning.lowdegree import LowDegreeRegressor

__all__ = ["Curve", "expected_error", "learning_curve", "loss_kept", "sample_risks", "standardised"]


# Of a sample and a point, n m + n: for all 2^(n m) samples at once there are 2^n predictions and, of each of up to 2^n
# characters, m values.
MOST_BITS = 20


def standardised(values: ArrayLike) -> Array:
    """(h - E h) / sqrt(Var h), from the table of h on the cube.

    >>> standardised([3, 1, 1, -1])
    array([ 1.41421356,  0.        ,  0.        , -1.41421356])
    """
    h, _ = checks.length_2n("values", values)
    deviation = float(h.std())
    if deviation == 0:
        raise ValueError("Argument 'values' must not be constant.")
    return np.asarray((h - h.mean()) / deviation, dtype=np.float64)


def expected_error(values: ArrayLike, d: int, m: int) -> float:
    """The squared distance of f from the averages of degree d over m samples, in the mean over all samples.

    It runs through the 2^(nm) samples, for n (m + 1) <= 20: a check of the closed form in ``averaging_risk`` that
    shares nothing with it.

    >>> expected_error([1, -1], 1, 2)
    0.5
    """
    f, n = checks.length_2n("values", values)
    d = checks.integer("d", d, 0, n)
    m = checks.integer("m", m, 1, MOST_BITS // max(n, 1) - 1)
    chi = np.array([character(T, points(n)) for T in monomials(n, d).tolist()], dtype=float)
    draws = np.stack(np.meshgrid(*[np.arange(f.size)] * m), axis=-1).reshape(-1, m)
    estimates = np.einsum("tsm,sm->st", chi[:, draws], f[draws]) / m
    return float(np.mean((estimates @ chi - f) ** 2))


def sample_risks(
    model: LowDegreeRegressor,
    values: ArrayLike,
    m: int,
    runs: int,
    *,
    rng: np.random.Generator,
    noise: Callable[[Array], Array] | None = None,
) -> Array:
    """The risks of ``runs`` fits of a copy of the model, each to m uniform samples (x, h(x)), from the table of h.

    ``noise`` maps y to noisy labels; the risk is that with respect to h all the same.

    >>> from sparse_core.learning import LowDegreeRegressor
    >>> sample_risks(LowDegreeRegressor(1), [1, -1, 1, -1], 100, 3, rng=np.random.default_rng(0)).shape
    (3,)
    """
    h, n = checks.length_2n("values", values)
    m = checks.size("m", m)
    runs = checks.size("runs", runs)
    rng = checks.generator("rng", rng)
    checks.having("model", model, "fit", "predict")
    checks.integer("n", n, 1)
    cube = points(n)
    coefficients = walsh_transform(h)
    measured = []
    for _ in range(runs):
        rows = rng.integers(0, len(h), m)
        y = h[rows] if noise is None else noise(h[rows])
        measured.append(risk(copy(model).fit(cube[rows], y), coefficients))
    return np.array(measured)


class Curve(NamedTuple):
    """Mean risks at the sample sizes m, with their standard errors, each from the same number of runs."""

    m: Integers
    mean: Array
    error: Array
    runs: int

    def half_width(self, together: int = 1) -> Array:
        """Half of the 95 % interval of each mean (Student), or of intervals that hold for ``together`` means at once.

        >>> Curve(np.array([10]), np.array([1.0]), np.array([0.1]), 11).half_width().round(4)
        array([0.2228])
        """
        together = checks.integer("together", together, 1)
        return half_width(self.error, self.runs, 0.05 / together)


def learning_curve(
    model: LowDegreeRegressor, values: ArrayLike, sizes: Iterable[float], runs: int, *, rng: np.random.Generator
) -> Curve:
    """The mean risk over ``runs`` samples of each size, rounded down, with its standard error.

    >>> from sparse_core.learning import LowDegreeRegressor
    >>> curve = learning_curve(LowDegreeRegressor(1), [1, -1, 1, -1], [100, 10000], 5, rng=np.random.default_rng(0))
    >>> bool(curve.mean[1] < curve.mean[0])
    True
    """
    h, _ = checks.length_2n("values", values)
    given = checks.real_array("sizes", sizes if isinstance(sizes, np.ndarray) else checks.listed("sizes", sizes), 1)
    checks.integer("the number of sizes", len(given), 1)
    m = np.array([checks.size("sizes", int(size)) for size in given], dtype=np.int64)
    runs = checks.size("runs", runs, 2)
    rng = checks.generator("rng", rng)
    measured = np.array([sample_risks(model, h, size, runs, rng=rng) for size in m.tolist()])
    return Curve(m, measured.mean(axis=1), measured.std(axis=1, ddof=1) / np.sqrt(runs), runs)


def loss_kept(
    net: SparseNetwork, rng: np.random.Generator, degree: int = 8, share: float = 1.0, delta: float = 0.1
) -> float:
    """The loss of `ours-theorem-8`, over eps, that all but a share delta of 40 runs of its learner keep.

    With eps = 16 k^2 W^2 / 9, for which degree 8 is enough, and a share of the samples of the theorem.

    >>> double = SparseNetwork([1, -1], [[1, 0], [-1, 0]], [-1, -1])
    >>> loss_kept(double, np.random.default_rng(0)) < 1 < loss_kept(double, np.random.default_rng(0), degree=0)
    True
    """
    h = net.values()
    k = int(net.sparsity())
    W, B = net.scale
    eps = 16 * (k * W) ** 2 / 9
    C = k * (W * net.n**0.5 + B)
    r = ceil(log2(2 / delta))
    low = degrees(net.n) <= degree
    choice = ours.selection_constant(ours.LOSS, ours.TAILS) * log(2 * r / delta)
    size, last = (ceil(share * 4 * C**2 / eps * part) for part in (low.sum(), choice))
    uniform = np.full(h.size, 1 / h.size)
    losses = []
    for _ in range(40):
        counts = rng.multinomial(size, uniform, size=r)
        means = [walsh_transform(c * h * h.size / size) * low for c in counts]
        candidates = np.array([inverse_walsh_transform(c) for c in means]).clip(-C, C)
        seen = rng.multinomial(last, uniform)
        best = candidates[((candidates - h) ** 2 @ seen).argmin()]
        losses.append(np.mean((best - h) ** 2) / 2 / eps)
    return float(np.quantile(losses, 1 - delta))
