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
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from .._arrays import Array
from . import _bets, _colours
from ._inputs import Inputs, inputs
from ._score import Score, pilot

__all__ = ["Interactions", "interactions"]

# An eighth of the evaluations, but no more than these, are a pilot sample: a line, ranges, the number of colours.
MOST_PILOT = 1 << 14
# With fewer evaluations, times 2^order, it would say little; for a larger order there are more than one can count.
LEAST = 256
MOST_ORDER = 22


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
        # rounded outwards, as what is printed is certified as well
        low = floor(1000 * self.low) / 10
        high = ceil(1000 * self.high) / 10
        of = "variance of f as clipped" if self.clipped else "variance"
        return (
            f"{self.inputs}: the best sum of functions of {each} explains {low:.1f}% to {high:.1f}% of the {of} "
            f"({100 * self.confidence:g}% confidence, {self.evaluations} evaluations, {self.clipped:.2%} clipped)"
        )

    def plot(self, ax: Any = None) -> Any:
        """The interval, with the estimate inside it, on given or new axes of matplotlib, which are returned."""
        if ax is None:
            from matplotlib import pyplot

            figure = pyplot.figure(figsize=(6, 1.6), layout="constrained")
            ax = figure.add_subplot()
        certified = f"{100 * self.confidence:g}% confidence"
        width = self.high - self.low
        ax.barh(0, width, 0.3, self.low, alpha=0.5, label=certified)
        low, high = self.estimate
        ax.barh(0, high - low, 0.6, low, alpha=0.5, label="estimate")
        ax.set(xlim=(0, 1), yticks=[])
        ax.set_xlabel(f"explained by functions of at most {self.order} of {self.inputs}")
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
    order = checks.integer("order", order, 1, min(law.count - 1, MOST_ORDER))
    evaluations = checks.size("evaluations", evaluations, LEAST << order)
    confidence = checks.real("confidence", confidence, above=0, below=1)
    if not isinstance(random_state, np.random.Generator | None):
        checks.integer("random_state", random_state, 0)
    rng = np.random.default_rng(random_state)

    slopes = np.zeros(len(law.label))
    score = Score(f, slopes)
    first = min(evaluations // 8, MOST_PILOT)
    variance, unexplained = pilot(score, law, clip, first, rng)
    left = evaluations - score.evaluations
    share = unexplained / variance
    square = score.width**2
    colours = _colours.number(law.count, order, share, square / variance, left)
    T, V = _sample(score, law, order, colours, left, rng)

    p = _colours.chance(law.count, order, colours)
    most, least = _colours.extremes(order, colours)
    most_V = score.range(law) ** 2 / 2
    return Interactions(
        low=_bets.low(T, V, p, square * most, confidence),
        high=_bets.high(T, V, square * least, most_V, confidence),
        estimate=_estimate(T, V, p),
        order=order,
        confidence=confidence,
        evaluations=score.evaluations,
        colours=colours,
        clip=(score.low, score.high),
        clipped=score.clipped / score.evaluations,
        inputs=law.words,
    )


def _sample(
    score: Score, law: Inputs, order: int, colours: int, evaluations: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """T, and V, half the squared difference of f at independent points, for as many samples as there may be."""
    corners = _colours.corners(order, colours)
    T = []
    V = []
    samples = evaluations // len(corners)
    palette = np.arange(law.count) % colours
    for x, y in law.pairs(samples, rng):
        palettes = np.tile(palette, (len(x), 1))
        chosen = rng.permuted(palettes, axis=1)
        colour = chosen[:, law.label]
        lines = []
        rests = []
        for corner in corners:
            exchanged = corner >> colour & 1
            mixture = np.where(exchanged, y, x)
            line, rest = score(mixture)
            lines.append(line)
            rests.append(rest)
        T.append(_colours.statistic(np.array(rests), order, colours))
        values = np.add(lines, rests)
        differences = values - values[::-1]
        halves = differences**2 / 2
        V.append(halves.mean(axis=0))
    return np.concatenate(T), np.concatenate(V)


def _estimate(T: Array, V: Array, p: float) -> tuple[float, float]:
    """Both ends without an allowance for chance."""
    variance = max(V.mean(), np.finfo(float).tiny)
    share = T.mean() / variance
    low = np.clip(1 - share / p, 0, 1)
    high = np.clip(1 - share, 0, 1)
    return float(low), float(high)
