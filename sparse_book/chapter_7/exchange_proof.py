r"""What the theorems on exchanged inputs compare, on product spaces that are small enough for all pairs of points.

A function is a table f with one axis for each input; ``laws`` holds the probabilities of the entries along each axis.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain, combinations, permutations, product

import numpy as np
from scipy.stats import binom

from sparse_core._arrays import Array

__all__ = [
    "colourings",
    "errors",
    "extremes",
    "frequency_of_errors",
    "halves",
    "mixtures",
    "sets",
    "spaces",
    "variances",
]


def spaces(rng: np.random.Generator, count: int) -> Iterator[tuple[Array, list[Array]]]:
    """Random functions of four inputs with two or three values each under random laws; pairs alone; all four at once.

    >>> [f.ndim for f, laws in spaces(np.random.default_rng(0), 2)]
    [4, 4, 4, 4]
    """
    for _ in range(count):
        sizes = rng.integers(2, 4, 4)
        yield rng.standard_normal(sizes), [rng.dirichlet(np.ones(size)) for size in sizes]
    bits = [np.full(2, 0.5)] * 4
    signs = np.array(list(product([-1.0, 1.0], repeat=4)))
    yield (signs[:, 0] * signs[:, 1] + signs[:, 1] * signs[:, 2]).reshape(2, 2, 2, 2), bits
    yield signs.prod(axis=1).reshape(2, 2, 2, 2), bits


def variances(f: Array, laws: Sequence[Array]) -> dict[tuple[int, ...], float]:
    """sigma_T^2 for each set T of inputs, from the definition: means over some inputs, differences from it in others.

    >>> variances(np.array([[0.0, 0.0], [0.0, 4.0]]), [np.full(2, 0.5)] * 2)
    {(): 1.0, (0,): 1.0, (1,): 1.0, (0, 1): 1.0}
    """
    found = {}
    for T in _subsets(f.ndim):
        term = f
        for i, law in enumerate(laws):
            mean = np.expand_dims(np.tensordot(term, law, axes=(i, 0)), i)
            term = term - mean if i in T else mean + 0 * term
        found[T] = float((reduce(np.multiply.outer, laws) * term**2).sum())
    return found


def sets(f: Array, laws: Sequence[Array]) -> Array:
    """For each set S of inputs E D^2 / 4, the sum of sigma_T^2 over the T that S splits, and over those that it meets.

    >>> sets(np.array([[0.0, 0.0], [0.0, 4.0]]), [np.full(2, 0.5)] * 2).tolist()
    [[0.0, 0.0, 0.0], [1.0, 1.0, 2.0], [1.0, 1.0, 2.0], [0.0, 0.0, 3.0]]
    """
    terms = variances(f, laws)
    split = [sum(v for T, v in terms.items() if {*T} & {*S} and {*T} - {*S}) for S in terms]
    met = [sum(v for T, v in terms.items() if {*T} & {*S}) for S in terms]
    return np.transpose([[_exchanged(f, laws, S) for S in terms], split, met])


def halves(f: Array, laws: Sequence[Array]) -> tuple[float, float]:
    """W^{>1}, and the mean of E D^2 / 4 over the halves of the inputs.

    >>> halves(np.array([[0.0, 0.0], [0.0, 4.0]]), [np.full(2, 0.5)] * 2)
    (1.0, 1.0)
    """
    terms = variances(f, laws)
    means = [_exchanged(f, laws, S) for S in terms if 2 * len(S) == f.ndim]
    return sum(v for T, v in terms.items() if len(T) > 1), float(np.mean(means))


def colourings(f: Array, laws: Sequence[Array], q: int) -> Array:
    """For each balanced colouring E T, and the sums of sigma_S^2 over the S that meet two colours, and one.

    >>> colourings(np.array([[0.0, 0.0], [0.0, 4.0]]), [np.full(2, 0.5)] * 2, 2).tolist()
    [[1.0, 1.0, 3.0], [1.0, 1.0, 3.0]]
    """
    return np.array([[_coloured(f, laws, colour), *_meeting(f, laws, colour, (2, 1))] for colour in _balanced(f, q)])


def mixtures(f: Array, laws: Sequence[Array], q: int) -> Array:
    """For each balanced colouring E A^2 / 2^q, and the sums of sigma_S^2 over the S that meet q colours, and q - 1.

    >>> mixtures(np.array([[0.0, 0.0], [0.0, 4.0]]), [np.full(2, 0.5)] * 2, 2).tolist()
    [[1.0, 1.0, 3.0], [1.0, 1.0, 3.0]]
    """
    rows = []
    for colour in _balanced(f, q):
        A = reduce(np.add, [(-1) ** len(some) * _mixed(f, colour, some) for some in _subsets(q)])
        rows.append([_mean_of_pairs(A**2 / 2**q, laws), *_meeting(f, laws, colour, (q, q - 1))])
    return np.array(rows)


def extremes(q: int) -> tuple[float, float]:
    """The least and the largest T with q colours, where f is 0 or 1 at each of the 2 q + 2 points.

    >>> extremes(2)
    (-0.5, 1.0)
    """
    x, y, *rest = np.array(list(product([0.0, 1.0], repeat=2 * q + 2))).T
    T = _statistic(x, y, rest[:q], rest[q:])
    return float(T.min()), float(T.max())


def errors() -> Array:
    """Levels delta, and how often K(s_0) >= 1 / delta in games with two outcomes: one bet or eight, one round or more.

    >>> bool((errors()[:, 1] <= errors()[:, 0]).all())
    True
    """
    bets = [0.99], (0.5 ** np.arange(1, 9)).tolist()
    games = product((0.055, 0.11, 0.25), (1.0, 9.0, 19.0), (1, 30, 100), bets)
    return np.array([(level, frequency_of_errors(a, samples, some, level)) for level, a, samples, some in games])


def frequency_of_errors(a: float, samples: int, bets: Sequence[float], delta: float) -> float:
    """Pr[K >= 1 / delta], exactly, where each Z is -a with probability 1 / (1 + a), and else 1: a fair game.

    >>> round(frequency_of_errors(9.0, 1, [0.99], 0.11), 12)                                # 1 + 0.99 * 9 > 1 / 0.11
    0.1
    """
    rare = np.arange(samples + 1)
    K = np.mean([(1 - bet) ** (samples - rare) * (1 + bet * a) ** rare for bet in bets], axis=0)
    return float(binom.pmf(rare, samples, 1 / (1 + a))[K * delta >= 1].sum())


def _subsets(n: int) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(range(n), size) for size in range(n + 1))


def _balanced(f: Array, q: int) -> list[tuple[int, ...]]:
    """The colourings of the inputs with q colours, as evenly as possible."""
    return sorted(set(permutations(i % q for i in range(f.ndim))))


def _meeting(f: Array, laws: Sequence[Array], colour: Sequence[int], least: Iterable[int]) -> list[float]:
    """The sum of sigma_S^2 over the S that meet at least so many colours."""
    terms = variances(f, laws)
    return [sum(v for S, v in terms.items() if len({colour[i] for i in S}) >= count) for count in least]


def _exchanged(f: Array, laws: Sequence[Array], S: Sequence[int]) -> float:
    colour = [int(i in S) for i in range(f.ndim)]
    x, y_, x_, y = (_mixed(f, colour, some) for some in ((), (0,), (1,), (0, 1)))
    return _mean_of_pairs((x + y - x_ - y_) ** 2 / 4, laws)


def _coloured(f: Array, laws: Sequence[Array], colour: Sequence[int]) -> float:
    palette = range(max(colour) + 1)
    a = [_mixed(f, colour, [c]) for c in palette]
    b = [_mixed(f, colour, [other for other in palette if other != c]) for c in palette]
    return _mean_of_pairs(_statistic(_mixed(f, colour, ()), _mixed(f, colour, palette), a, b), laws)


def _statistic(x: Array, y: Array, a: Sequence[Array], b: Sequence[Array]) -> Array:
    """T from the values of f at x and y, and at the points with one colour exchanged."""
    T = (1 - len(a) / 4) * (x - y) ** 2 / 2
    for f_x, f_y in zip(a, b, strict=True):
        T = T + (f_x - f_y) ** 2 / 8 - (x - f_x) * (f_y - y) / 2
    return T


def _mixed(f: Array, colour: Sequence[int], taken: Iterable[int]) -> Array:
    """f at x with the inputs of some colours from y, for all pairs of points: x in rows, y in columns."""
    points = np.indices(f.shape).reshape(f.ndim, -1)
    some = [np.where(c in taken, p[None], p[:, None]) for c, p in zip(colour, points, strict=True)]
    return np.asarray(f[tuple(some)])


def _mean_of_pairs(values: Array, laws: Sequence[Array]) -> float:
    chance = reduce(np.multiply.outer, laws).ravel()
    return float(chance @ values @ chance)
