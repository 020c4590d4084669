r"""How much of any model is a sum of functions of few inputs: an interval, certified at both ends, from evaluations.

f is a function of independent inputs: columns of a table that are shuffled, uniform bits, or masks that say which
features come from one row and which from another. W is the variance of its terms of more than d inputs (ANOVA, Sobol'
or Fourier): a sum of functions of d inputs each explains at most the share 1 - W / Var f, and the best one that much.

*Block lemma.* Fix a set S of inputs, exchange it between two independent points x, y, which gives x', y', and let
D = f(x) + f(y) - f(x') - f(y'). Then E D^2 / 4 is the variance of the terms that S splits. For as a function of two
variables, x_S and the rest, f = constant + a + b + r; D cancels the first three, and is a sum of four uncorrelated
copies of r, with signs.

*Colours.* Colour the inputs at random with q colours, as evenly as possible; x^c, y^c are x, y with colour c exchanged.

    T = (1 - q/4) (f(x) - f(y))^2 / 2 + sum_c [(f(x^c) - f(y^c))^2 / 8 - (f(x) - f(x^c)) (f(y^c) - f(y)) / 2].

The squares have together the mean Var f, and a product, without its factor, twice the variance of the terms inside its
colour. So E T is the variance of the terms that meet two colours, and lies between p W and W for d = 1, where p is the
chance that two inputs have different colours. T is 0 if f is additive, and D^2 / 4 if q = 2. For larger d there are
d + 1 colours, and T is the squared alternating sum over the 2^(d+1) mixtures of x and y, divided by their number.

*Bets.* Let Z_k(s) <= b be independent, decrease in s, and have mean 0 at s = s0. For 0 <= l < 1 / b the product of
1 - l Z_k(s0) has mean 1, and so has the mean of such products over fixed l: it reaches 1 / delta with probability at
most delta (Markov). It grows with s, so the least s at which it does is at least s0, except with this probability.
For the lower end Z = T / p - s V, for the upper end Z = (1 - s) V - T, where E V = Var f. If b decreases with s as
well, a bet l >= 1 / b counts as lost, and the mean still grows with s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import ceil, comb, inf, log, log2, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from .._arrays import Array
from ._inputs import Inputs, inputs

__all__ = ["Interactions", "interactions"]

# An eighth of the evaluations, but no more than these, are a pilot sample: a line, ranges, the number of colours.
MOST_PILOT = 1 << 14
# With fewer evaluations, times 2^order, it would say little.
LEAST = 256
# What the line leaves may go beyond its range on the pilot sample by this part of it: little more is then clipped.
MARGIN = 0.1
# The bets halve from 0.99 / b on, so many times: the best is about E Z / E Z^2, which is small if large Z are rare.
FEWEST_BETS = 12
# Bisections of [0, 1]: the error is below 1e-7.
STEPS = 24
# Chance widens the interval by about this many largest T over the samples: 2 (ln(2 / delta) + ln 12) = 12 for the range
# of T, the rest for its variance. On networks, boosted trees and bits, at 2^13 to 2^18 evaluations, the colours that
# follow make it at most a fifth wider than the best.
NOISE = 32
# Beyond these many colours even a million evaluations are too few.
MOST_COLOURS = 32
# The largest value of f whose squares are surely floats.
MOST_VALUE = 1e60


@dataclass(frozen=True)
class Interactions:
    """Sums of functions of ``order`` inputs explain ``low`` to ``high`` of the variance; ``print`` says it in words.

    low, high : certified together: the best such sum explains at least ``low``, and none explains more than ``high``.
    estimate : the same ends without an allowance for chance.
    clip, clipped : where f, or what a line leaves of it, was clipped, and the share of the evaluations that it changed.
    """

    low: float
    high: float
    estimate: tuple[float, float]
    order: int
    confidence: float
    evaluations: int
    colours: int
    clip: tuple[float, float]
    clipped: float
    inputs: str

    def __str__(self) -> str:
        each = "single inputs" if self.order == 1 else f"at most {self.order} inputs"
        return (
            f"{self.inputs}: the best sum of functions of {each} explains {self.low:.1%} to {self.high:.1%} of the "
            f"variance ({self.confidence:.0%} confidence, {self.evaluations} evaluations, {self.clipped:.2%} clipped)"
        )

    def plot(self, ax: Any = None) -> Any:
        """The interval, with the estimate inside it, on given or new axes of matplotlib, which are returned."""
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.figure(figsize=(6, 1.6), layout="constrained").add_subplot()
        low, high = self.estimate
        ax.barh(0, self.high - self.low, 0.3, self.low, alpha=0.5, label=f"{self.confidence:.0%} confidence")
        ax.barh(0, high - low, 0.6, low, alpha=0.5, label="estimate")
        ax.set(xlim=(0, 1), yticks=[], xlabel=f"explained by functions of at most {self.order} of {self.inputs}")
        ax.legend(loc="upper left")
        return ax


def interactions(
    f: Callable[[Array], ArrayLike], X: ArrayLike | None = None, *, n: int | None = None,
    pair: tuple[ArrayLike, ArrayLike] | None = None, groups: ArrayLike | None = None, order: int = 1,
    evaluations: int = 2**16, confidence: float = 0.95, clip: tuple[float, float] | None = None,
    random_state: int | np.random.Generator | None = None,
) -> Interactions:  # fmt: skip
    """The share of Var f that sums of functions of ``order`` inputs explain, between two ends that are certified.

    Parameters
    ----------
    f : any model, as a function from rows to a number for each: ``lambda x: forest.predict_proba(x)[:, 1]`` with
        scikit-learn, ``lambda x: net(torch.from_numpy(x).float()).detach().numpy()[:, 3]`` with PyTorch.
    X : the law of the inputs, as a table: each column comes from a random row of its own (shuffled columns).
    n : in place of X, uniform points of {-1, 1}^n.
    pair : in place of X, masks: each feature comes from the one or the other of two rows, by a fair coin. Of two
        tables each sample takes two random rows, and variances are means over them.
    groups : a label for each column; the columns of one label are one input, such as a patch of an image.
    order : sums of functions of so many inputs each; 1: additive functions.
    evaluations : of f, at most.
    clip : an interval that contains f, such as (0, 1). If it is not given, what a linear fit leaves of f is clipped
        to its range on a pilot sample, and a little more. What is certified is said of the clipped function.

    >>> found = interactions(lambda x: x[:, 0] + x[:, 1] * x[:, 2] / 2, n=10, random_state=0)
    >>> bool(found.low < 0.8 < found.high)                                      # Var f = 1 + 1 / 4
    True
    >>> print(str(found)[:68])
    10 uniform bits: the best sum of functions of single inputs explains
    """
    checks.function("f", f)
    law = inputs(X, n, pair, groups)
    order = checks.integer("order", order, 1, law.count - 1)
    evaluations = checks.size("evaluations", evaluations, LEAST << order)
    confidence = checks.real("confidence", confidence, above=0, below=1)
    if not isinstance(random_state, np.random.Generator | None):
        checks.integer("random_state", random_state, 0)
    rng = np.random.default_rng(random_state)

    score = _Score(f, np.zeros(len(law.label)))
    variance, unexplained = _pilot(score, law, clip, min(evaluations // 8, MOST_PILOT), rng)
    left = evaluations - score.evaluations
    colours = _colours(law.count, order, unexplained / variance, score.width**2 / variance, left)
    T, V = _sample(score, law, order, colours, left, rng)

    p = _chance(law.count, order, colours)
    most, least = (score.width**2 * extreme for extreme in _extremes(order, colours))
    most_V = float(score.width + np.abs(score.slopes) @ law.spans) ** 2 / 2
    low = 1 - _smallest(lambda s: T / p - s * V, lambda s: most / p, confidence)
    high = _smallest(lambda s: (1 - s) * V - T, lambda s: (1 - s) * most_V - least, confidence)
    share = T.mean() / max(V.mean(), np.finfo(float).tiny)
    estimate = (float(np.clip(1 - share / p, 0, 1)), float(np.clip(1 - share, 0, 1)))
    return Interactions(
        low, high, estimate, order, confidence, score.evaluations, colours, (score.low, score.high),
        score.clipped / score.evaluations, law.words,
    )  # fmt: skip


@dataclass
class _Score:
    """f as a line and a rest that is clipped to [low, high]; the evaluations so far, and how many were clipped."""

    f: Callable[[Array], ArrayLike]
    slopes: Array
    low: float = -inf
    high: float = inf
    evaluations: int = 0
    clipped: int = 0

    @property
    def width(self) -> float:
        return self.high - self.low

    def __call__(self, points: Array) -> tuple[Array, Array]:
        """The line and the clipped rest at some points."""
        line = points @ self.slopes  # before f, which may write into what it is given
        given = np.asarray(self.f(points))
        if given.shape != (len(points),) or given.dtype.kind not in "biuf":
            found = f"{given.shape} of type {given.dtype}"
            raise ValueError(f"Argument 'f' must give one number for each of {len(points)} rows, not {found}.")
        values = given.astype(np.float64)
        checks.entries("f", values, np.abs(values) <= MOST_VALUE, f"must give numbers of at most {MOST_VALUE} in size")
        rest = np.clip(values - line, self.low, self.high)
        self.evaluations += len(points)
        self.clipped += int((rest != values - line).sum())
        return line, rest


def _pilot(score: _Score, law: Inputs, clip: Any, size: int, rng: np.random.Generator) -> tuple[float, float]:
    """Fix the line, and where what it leaves is clipped; the variance of f, and of what the line leaves."""
    if clip is not None:
        ends = checks.real_array("clip", clip, 1, shape=(2,))
        score.low, score.high = float(ends[0]), checks.real("clip[1]", ends[1], above=float(ends[0]))
    columns = law.widest()[: size // 8]  # a slope needs some points
    blocks = [(x[:, columns], score(x)[1]) for x, _ in law.pairs(size, rng)]
    x, y = (np.concatenate(part) for part in zip(*blocks, strict=True))
    if y.var() == 0:
        raise ValueError(f"Argument 'f' must vary; it is {y[0]} at each of {size} points, where clip is {clip}.")
    rest = y
    if clip is None:
        slopes, left = _line(x, y)
        if np.ptp(left) < np.ptp(y):
            score.slopes[columns] = slopes
            rest = left
        margin = max(MARGIN * np.ptp(rest), 1e-9 * np.ptp(y))  # a line may leave nothing
        score.low, score.high = float(rest.min() - margin), float(rest.max() + margin)
    return float(y.var()), float(rest.var())


def _line(x: Array, y: Array) -> tuple[Array, Array]:
    """The slopes that fit one half of a sample best, and what they leave of the other half."""
    half = len(y) // 2
    scale = x.std(axis=0) + (x.std(axis=0) == 0)
    slopes = np.linalg.lstsq((x[:half] - x.mean(axis=0)) / scale, y[:half] - y.mean(), rcond=1e-6)[0] / scale
    return slopes, (y - x @ slopes)[half:]


def _colours(inputs: int, order: int, unexplained: float, spread: float, evaluations: int) -> int:
    """The number of colours for which the interval will be about narrowest."""
    if order > 1:
        return order + 1

    def expected(colours: int) -> float:
        gap = unexplained * (1 / _chance(inputs, order, colours) - 1)
        return gap + NOISE * spread * _extremes(order, colours)[0] * len(_corners(order, colours)) / evaluations

    return min(range(2, min(inputs, MOST_COLOURS) + 1), key=expected)


def _chance(inputs: int, order: int, colours: int) -> float:
    """The chance p that order + 1 inputs have different colours.

    >>> _chance(4, 1, 2)
    0.6666666666666666
    """
    sizes = np.bincount(np.arange(inputs) % colours).tolist()
    return sum(map(prod, combinations(sizes, order + 1))) / comb(inputs, order + 1)


def _corners(order: int, colours: int) -> list[int]:
    """The exchanged colours of each mixture to evaluate, as bits; what stands at the other end is opposite.

    >>> _corners(1, 3)
    [0, 1, 2, 4, 3, 5, 6, 7]
    """
    if colours == order + 1:
        return list(range(1 << colours))
    first = [0, *(1 << colour for colour in range(colours))]
    return first + [(1 << colours) - 1 - corner for corner in reversed(first)]


def _statistic(H: Array, order: int, colours: int) -> Array:
    """T from the values at the corners, a row for each."""
    if colours == order + 1:
        signs = np.array([(-1.0) ** corner.bit_count() for corner in range(len(H))])
        return np.asarray((signs @ H) ** 2 / len(H))
    x, *u = H[: colours + 1]
    y, *v = H[:colours:-1]
    T = (1 - colours / 4) * (x - y) ** 2 / 2
    for a, b in zip(u, v, strict=True):
        T += (a - b) ** 2 / 8 - (x - a) * (b - y) / 2
    return np.asarray(T)


def _extremes(order: int, colours: int) -> tuple[float, float]:
    """T is at most the one and at least the other, if f lies between 0 and 1."""
    if colours == order + 1:
        return 2.0 ** (colours - 2), -0.5  # 0, but a bound is to be positive
    return colours / 2, (1 - colours) / 2


def _sample(
    score: _Score, law: Inputs, order: int, colours: int, evaluations: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """T, and V, half the squared difference of f at independent points, for as many samples as there may be."""
    corners = _corners(order, colours)
    T, V = [], []
    for x, y in law.pairs(evaluations // len(corners), rng):
        palette = np.tile(np.arange(law.count) % colours, (len(x), 1))
        colour = rng.permuted(palette, axis=1)[:, law.label]
        lines, rests = np.transpose([score(np.where(corner >> colour & 1, y, x)) for corner in corners], (1, 0, 2))
        values = lines + rests
        T.append(_statistic(rests, order, colours))
        V.append(((values - values[::-1]) ** 2).mean(axis=0) / 2)
    return np.concatenate(T), np.concatenate(V)


def _smallest(Z: Callable[[float], Array], most: Callable[[float], float], confidence: float) -> float:
    """The least s at which bets against E Z(s) >= 0 multiply the stake by 2 / (1 - confidence); else 1.

    Z(s) and most(s), which it does not exceed, decrease. A bet that could lose more than the stake at s counts as lost.
    """
    count = FEWEST_BETS + ceil(log2(most(0) / most(1)))
    bets = 0.99 / most(1) * 0.5 ** np.arange(count)
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        s = (low + high) / 2
        logs = [np.log1p(-bet * Z(s)).sum() for bet in bets[bets * most(s) < 1]]
        rich = np.logaddexp.reduce(logs) - log(count) >= log(2 / (1 - confidence))
        low, high = (low, s) if rich else (s, high)
    return high
