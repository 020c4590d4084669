r"""A ladder of bounds on one network, from what is measured to what knows its size only: what sparsity explains.

Each rung is a proved upper bound on the one below it, for every network, and is named after what it gives up: signs
that cancel, neurons that use different inputs, the mean number of active neurons for the largest, sparsity itself. The
factors multiply to the distance between the network and the top.

With v_j = u_j w_j, a_i(x) = sum_{j in R_x} |v_ji| and W = max_j ||v_j||, the W of the ``balanced`` network, under
uniform bits

    AS(h) <= J(h) <= (|grad h| + b/2)^2 <= (|a| + b/2)^2 <= 4 |a|^2
          <= 4 E |R_x| sum_{j in R_x} ||v_j||^2 <= 4 W^2 E |R_x|^2 <= 4 k^2 W^2 <= 4 s^2 W^2

in root mean squares |.| over x, where b is that of the sums of |v_ji| over the neurons that flip i switches. The second
inequality is `ours-gradient`, the others up to 4 |a|^2 are steps of its proof; the next two are
`ours-average-sensitivity`. At given points, whatever their distribution (`ours-average-sensitivity-product`),

    E |grad h|^2 <= E |a|^2 <= E |R_x| sum_{j in R_x} ||v_j||^2 <= W^2 E |R_x|^2 <= k^2 W^2 <= s^2 W^2.

Beside the ladder under uniform bits stand n Var h, which bounds the average sensitivity of every function, s^2 W^2,
that of every network, and the bound by gradients of either sign (`ours-gradient-signs`), which is at most 4 |a|^2: for
some networks they are above a rung, for others below.

Paper: sections 3 and 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, inf, log, prod, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sparse_core import checks
from sparse_core._interval import Interval, exactly
from sparse_core.bounds import ours
from sparse_core.learning.interactions import interactions
from sparse_core.network.sparsity import Sparsity

from .. import tables
from .observation import Observation, observe
from .outputs import balanced
from .table import least_squares

__all__ = ["Chain", "Ladder", "Rung", "explain"]

# What the rungs give up.
KINKS = "kinks within an edge"
SWITCHING = "neurons that switch"
CANCELLATION = "cancellation"
ALL_SWITCH = "all active neurons switch"
ALIGNMENT = "alignment"
LENGTHS = "unequal lengths"
MEAN = "mean against maximum"
SPARSITY = "sparsity"
MARKOV = "Markov's inequality for degrees"
# Two formulas of the ladder under uniform bits that the sentence is about.
GRADIENT = "(rms |grad h| + b/2)^2"
COUNTED = "4 W^2 E |R_x|^2"
# That by gradients at single points, beside the ladder.
SIGNS = "2 (rms |grad h+| + rms |grad h-|)^2"
# How much sums of functions of single inputs explain is measured from so many evaluations, the fewer the larger the
# network, so that they take a second or two; and with the columns of at most so many rows, which are copied.
SHARE_EVALUATIONS, SHARE_PRODUCTS = (1 << 9, 1 << 14), 1 << 33
MOST_ROWS = 1 << 12
# Rungs that differ by less than this are called equal: sums over 2^20 points stay well below it.
RTOL = 1e-9


class Rung(NamedTuple):
    """A bound: the id of its claim, its formula and value, and what it gives up compared with the rung below."""

    id: str
    formula: str
    value: Interval
    gives_up: str = ""


@dataclass(frozen=True)
class Chain:
    """Rungs of which each is at most the next, and bounds beside them that are no part of this order."""

    title: str
    rungs: tuple[Rung, ...]
    beside: tuple[Rung, ...] = ()

    @property
    def factors(self) -> dict[str, float]:
        """How many times the rung below it each rung is, by what it gives up.

        >>> Chain("", (Rung("sensitivity", "AS", exactly(2)), Rung("eq-U", "k^2", exactly(8), MEAN))).factors
        {'mean against maximum': 4.0}
        """
        values = [rung.value.value for rung in self.rungs]
        ratios = [_ratio(above, below) for below, above in zip(values, values[1:], strict=False)]
        return dict(zip([rung.gives_up for rung in self.rungs[1:]], ratios, strict=True))


@dataclass(frozen=True, repr=False)
class Ladder(tables.Shown):
    """What sparsity explains of one network, in a ``sentence``; the chains of bounds behind it; and what else applies.

    ``assumed`` says how the network and the inputs were taken, ``simplicity`` how much sums of functions of single
    inputs explain. The first chain is about the network, the others are about learning it. ``print`` shows all of it.
    """

    sentence: str
    chains: tuple[Chain, ...]
    notes: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    simplicity: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """What a report begins with."""
        return (self.simplicity, self.sentence) if self.simplicity else (self.sentence,)

    @property
    def factors(self) -> dict[str, float]:
        """The factors of the first chain."""
        return self.chains[0].factors

    def document(self) -> tables.Document:
        """The sentences, the chain of the network, what was assumed and noted, and the other chains."""
        remarks = (*self.assumed, *self.notes)
        more = "What was assumed, and the same for learning it"
        return tables.Document(self.sentences, tuple(map(_table, self.chains)), more, 1, remarks=remarks)

    def to_dict(self) -> dict[str, Any]:
        """Lists, dictionaries, strings and numbers for JSON, as ``Report.to_dict``.

        >>> found = explain(([1], [[1]], [-1])).to_dict()                              # h(x) = x + 1
        >>> found["chains"][0]["rungs"][1]
        {'id': 'ours-gradient', 'formula': 'J(h)', 'value': [1.0, 1.0, 1.0], 'gives_up': 'kinks within an edge'}
        """
        chains = [
            {
                "title": chain.title,
                "rungs": [rung._asdict() for rung in chain.rungs],
                "beside": [rung._asdict() for rung in chain.beside],
                "factors": chain.factors,
            }
            for chain in self.chains
        ]
        words = {name: getattr(self, name) for name in ("assumed", "simplicity", "sentence", "notes")}
        found = {**words, "chains": chains}
        plain: dict[str, Any] = tables.for_json(found)
        return plain


def _table(chain: Chain) -> tables.Table:
    """Each rung with its value, its factor over the one below, and what it gives up; then what stands beside them."""
    factors = ["", *map(_number, chain.factors.values())]
    rows = [
        [rung.formula, tables.Claim(rung.id), _shown(rung.value), factor, rung.gives_up]
        for rung, factor in zip(chain.rungs, factors, strict=True)
    ]
    for rung in chain.beside:
        rows.append([rung.formula, tables.Claim(rung.id), _shown(rung.value), "", f"({rung.gives_up})"])
    return tables.Table(chain.title, ["bound", "statement", "value", "times", "gives up"], rows, headed=True)


def _number(x: float) -> str:
    return f"{x:.3g}" if x < 1000 else f"{x:.4g}"


def _shown(x: Interval) -> str:
    return f"{x.value:.4g}" if x.low == x.high else f"{x.value:.4g} in [{_number(x.low)}, {_number(x.high)}]"


def _ratio(above: float, below: float) -> float:
    if above == below:
        return 1.0
    return above / below if below else inf


def explain(
    network: Any, X: ArrayLike | None = None, *, output: int | None = None, k: int | None = None,
    eps: float | None = None, delta: float = 0.05, seed: int = 0,
) -> Ladder:  # fmt: skip
    """AS(h) <= ... <= 4 W^2 E |R_x|^2 <= 4 k^2 W^2 <= 4 s^2 W^2: how much of the way down to h is due to sparsity.

    The arguments are those of ``examine``, whose report contains this ladder. With X it is about E |grad h|^2 at the
    rows of X. Rademacher complexity is about a sample: with X it is bounded at its rows, by the least of all bounds
    that are known, and without X there is none. `ours-theorem-d` can be the least of these only if ln(2m) is more than
    49 times ln(8 L s/k), hence m above 10^43: no sample in memory.

    >>> found = explain(([1, -1], [[1], [-1]], [-1, -1]))                              # h(x) = 2 x
    >>> [rung.value.value for rung in found.chains[0].rungs]
    [4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 16.0]
    """
    known, found, sparsity = observe(network, X, output=output, k=k, seed=seed)
    eps = found.loss(eps)
    ladder = climb(found, sparsity, eps, checks.real("delta", delta, 0, 1), seed)
    return replace(ladder, assumed=(*known.notes, found.inputs))


def climb(f: Observation, k: Sparsity, eps: float, delta: float, seed: int = 0) -> Ladder:
    """The ladder of a network that has been measured, with at most k active neurons; eps, delta of the learners.

    >>> _, found, k = observe(([1], [[1]], [0]), None)                                 # relu(x) = (1 + x) / 2
    >>> climb(found, k, 0.1, 0.05).chains[0].rungs[-1].formula
    '4 s^2 W^2'
    """
    scale = balanced(f.net).scale
    most = max(1, k.upper)
    if not f.cube:
        chain = _at_points(f, k, scale.W)
        learners = _complexity(f, most, *scale), _class(f, most, *scale, eps, delta)
        applies = tuple(_what_applies(f, chain))
        return Ladder(_accounts(chain), (chain, *learners), applies, simplicity=_simplicity(f, seed))
    chain = _on_the_cube(f, k, scale.W)
    learners = _degrees(f, chain, eps, delta), _class(f, most, *scale, eps, delta)
    if f.variance <= f.round_off:
        return Ladder("h is constant on these points, but for rounding.", (chain, *learners))
    notes = [_accounts(chain)]
    if not k.exact:
        notes.append(f"The largest number k of neurons active at once is between {k.lower} and {k.upper}.")
    return Ladder(_verdict(chain), (chain, *learners), tuple(notes), simplicity=_simplicity(f, seed))


# --- The network ---


def _on_the_cube(f: Observation, k: Sparsity, W: float) -> Chain:
    edges = f.edges
    N = len(f.edge_rows)
    v = f.net.u[:, None] * f.net.W
    active = f.active[f.edge_rows]
    count = f.K[f.edge_rows]
    absolute = ((active @ np.abs(v)) ** 2).sum(axis=1)
    squares = count * (active @ (v**2).sum(axis=1))
    n, s = f.net.n, f.net.s
    rungs = (
        Rung("sensitivity", "AS(h)", f.mean(edges.sensitivity)),
        Rung("ours-gradient", "J(h)", f.mean(edges.slope), KINKS),
        Rung("ours-gradient", GRADIENT, f.with_boundary(edges.gradient), SWITCHING),
        Rung("ours-gradient", "(rms |a| + b/2)^2", f.with_boundary(absolute), CANCELLATION),
        Rung("ours-gradient", "4 E |a|^2", f.mean(4 * absolute), ALL_SWITCH),
        Rung("ours-average-sensitivity", "4 E |R_x| sum ||v_j||^2", f.mean(4 * squares), ALIGNMENT),
        Rung("ours-average-sensitivity", COUNTED, f.mean(4 * W**2 * count**2), LENGTHS),
        Rung("ours-average-sensitivity", "4 k^2 W^2", _between(4 * W**2, k), MEAN),
        Rung("ours-average-sensitivity", "4 s^2 W^2", exactly(4 * W**2 * s**2), SPARSITY),
    )
    spread = f.mean(n * (f.h - f.h.mean()) ** 2)
    by_sign = f.of_roots(*((part**2).sum(axis=1) for part in f.signs))
    beside = (
        Rung("average-sensitivity-fourier", "n Var h", spread, "every function"),
        Rung("ours-average-sensitivity", "s^2 W^2", exactly(W**2 * s**2), "every network, sparse or not"),
        Rung("ours-gradient-signs", SIGNS, by_sign.scaled(2), "gradients at single points"),
    )
    how = "exact" if f.edge_evidence == "exact" else f"estimated from {N} points, with 95 % intervals"
    return Chain(f"Average sensitivity under uniform bits, {how}", rungs, beside)


def _at_points(f: Observation, k: Sparsity, W: float) -> Chain:
    v = f.net.u[:, None] * f.net.W
    gradient = ((f.active @ v) ** 2).sum(axis=1)
    absolute = ((f.active @ np.abs(v)) ** 2).sum(axis=1)
    squares = f.K * (f.active @ (v**2).sum(axis=1))
    product = "ours-average-sensitivity-product"
    rungs = (
        Rung("ours-gradient-product", "E |grad h|^2", f.mean(gradient)),
        Rung(product, "E |a|^2", f.mean(absolute), CANCELLATION),
        Rung(product, "E |R_x| sum ||v_j||^2", f.mean(squares), ALIGNMENT),
        Rung(product, "W^2 E |R_x|^2", f.mean(W**2 * f.K**2), LENGTHS),
        Rung(product, "k^2 W^2", _between(W**2, k), MEAN),
        Rung(product, "s^2 W^2", exactly(W**2 * f.net.s**2), SPARSITY),
    )
    return Chain(f"Mean squared gradient at {len(f.X)} given points", rungs)


def _between(factor: float, k: Sparsity) -> Interval:
    """factor k^2, which is proved for the upper bound on k."""
    return Interval(factor * k.upper**2, factor * k.lower**2, factor * k.upper**2)


# --- In words ---


def _simplicity(f: Observation, seed: int) -> str:
    """How much of Var h sums of functions of single inputs explain: exactly, or certified by ``interactions``."""
    n = f.net.n
    if f.variance <= f.round_off or n < 2:
        return ""
    if f.weights is not None:
        return f"{n} uniform bits: the best affine function explains {f.weights[1] / f.variance:.1%} of the variance."
    X = None if f.cube else f.X
    if X is not None and len(X) > MOST_ROWS:
        X = X[np.random.default_rng(seed).choice(len(X), MOST_ROWS, replace=False)]
    evaluations = int(np.clip(SHARE_PRODUCTS // f.net.W.size, *SHARE_EVALUATIONS))
    try:
        found = interactions(f.net, X, n=n if f.cube else None, evaluations=evaluations, random_state=seed)
    except ValueError as constant:  # at all points of its pilot sample
        return f"How much sums of functions of single inputs explain is not measured: {constant}"
    return f"{found}."


def _verdict(chain: Chain) -> str:
    """How far h is below the most sensitive function of its variance, and what of this active neurons explain."""
    found = {rung.formula: rung.value.value for rung in (*chain.rungs, *chain.beside)}
    measured = found["AS(h)"]
    most = found["n Var h"]
    if measured == 0:
        return "No flip of a single bit changes h."
    counted = found[COUNTED]
    if measured >= most * (1 - RTOL):
        return (
            f"h is as sensitive to flips as a function of its variance can be: AS(h) = {measured:.4g} = n Var h. "
            f"{COUNTED}, which counts active neurons, is {_number(counted / measured)} times that."
        )
    begin = (
        f"h is {_number(most / measured)} times less sensitive to flips than a function of its variance can be "
        f"(AS(h) = {measured:.4g}, n Var h = {most:.4g})."
    )
    formula, without = min((found[rung.formula], rung.formula) for rung in chain.beside if rung.formula != SIGNS)[::-1]
    if counted < without * (1 - RTOL):
        sparse = f"Sparsity explains a factor {_number(without / counted)}: {COUNTED}, which counts active neurons, is "
        sparse += f"{counted:.4g}, and {formula}, which does not, {without:.4g}."
    else:
        sparse = f"Sparsity explains none of it: {COUNTED}, which counts active neurons, is {counted:.4g}, "
        sparse += f"{_number(counted / without)} times {formula}, which does not."
    gradient = min(found[GRADIENT], found[SIGNS])
    if not 0 < gradient < most * (1 - RTOL):
        return f"{begin} {sparse}"
    return f"{begin} {sparse} Gradients explain a factor {_number(most / gradient)}: their bound is {gradient:.4g}."


def _accounts(chain: Chain) -> str:
    """The factors between the measured quantity and the top, that of sparsity first."""
    factors = chain.factors
    whole = prod(factors.values())
    if not 1 < whole < inf:
        low, high = chain.rungs[0], chain.rungs[-1]
        return f"{low.formula} is {_shown(low.value)} and {high.formula} is {_shown(high.value)}."
    sparse = factors.pop(SPARSITY) * factors.pop(MEAN)
    named = {name: factors.pop(name) for name in (CANCELLATION, ALIGNMENT, LENGTHS)}
    if factors:
        named["what edges add"] = prod(factors.values())
    parts = [f"{name} {_number(factor)}" for name, factor in sorted(named.items(), key=lambda item: -round(item[1], 9))]
    return (
        f"Of the factor {_number(whole)} between {chain.rungs[0].formula} and {chain.rungs[-1].formula}, sparsity is "
        f"{_number(sparse)} ({log(sparse) / log(whole):.0%} on a logarithmic scale); {', '.join(parts)}."
    )


def _what_applies(f: Observation, chain: Chain) -> Iterator[str]:
    """What holds at points that are no uniform bits."""
    yield (
        "The statements about uniform bits do not apply to given points. The inequalities of the ladder do, at every "
        "one of them, and the statements about any distribution."
    )
    (counted,) = (rung.value.value for rung in chain.rungs if rung.gives_up == LENGTHS)
    r = float(np.abs(f.X).max()) or 1.0
    yield (
        "If the coordinates were independent, which is not tested, their influence sum_i E Var_i(h) would be at most "
        f"4 r^2 W^2 E |R_x|^2 = {4 * r**2 * counted:.4g}, r = max |x_i| = {r:.4g}."
    )


# --- Learning ---


def _degrees(f: Observation, chain: Chain, eps: float, delta: float) -> Chain:
    """Samples for least squares up to the degree d that a bound A gives: min{A / (d + 1), (A - Var) / d} <= eps."""
    n = f.net.n
    variance = f.mean((f.h - f.h.mean()) ** 2)

    def rung(formula: str, degree: int, gives_up: str = "") -> Rung:
        name, m = least_squares(n, degree, delta)
        return Rung(name, f"degree {degree}, by {formula}", exactly(m), gives_up)

    rungs = []
    own = f.degree(eps)
    if own is not None:
        rungs.append(rung("the Fourier weights", own))
    below: list[str] = []
    for found in chain.rungs:
        below += [found.gives_up] if found.gives_up else []
        # The exact quantity, what needs no enumeration of edges, and what counts neurons.
        if found.gives_up in ("", SWITCHING, LENGTHS, MEAN, SPARSITY):
            A = found.value.high  # so that the number of samples holds where the rung is an estimate
            degree = _degree(A, variance, eps, n)
            rungs.append(rung(found.formula, degree, ", ".join(below) or (MARKOV if rungs else "")))
            below = []
            if degree == n:  # and so for all rungs above
                break
    title = f"Samples for loss {eps:.4g} with probability {1 - delta:g} under uniform bits; {n} is the largest degree"
    return Chain(title, tuple(rungs))


def _degree(A: float, variance: Interval, eps: float, n: int) -> int:
    """The least d with min{A / (d + 1), Var, (A - Var) / d} <= eps, at most n (`ours-tail-affine`)."""
    if min(A, variance.high) <= eps:
        return 0
    levels = min(A / eps - 1, max(1.0, (A - variance.low) / eps))
    return n if levels > n else ceil(levels)


def _class(f: Observation, k: int, W: float, B: float, eps: float, delta: float) -> Chain:
    """Samples for the whole class, with k active neurons and with no bound on their number."""
    n, s = f.net.n, f.net.s
    R = sqrt(n) if f.cube else float(np.linalg.norm(f.X, axis=1).max()) or 1.0
    rungs = tuple(
        Rung("ours-theorem-17-learner", formula, exactly(ours.theorem_17(n, s, most, W, B, R, eps, delta)), gives_up)
        for formula, most, gives_up in (("k active neurons", k, ""), ("s active neurons", s, SPARSITY))
    )
    return Chain(f"Samples for loss {eps:.4g} with probability {1 - delta:g}, any distribution, |x| <= {R:.4g}", rungs)


def _complexity(f: Observation, k: int, W: float, B: float) -> Chain:
    """The least of all bounds for each number of active neurons: what has fewer is in the class of those above."""
    m, s = len(f.X), f.net.s
    R = float(np.linalg.norm(f.X, axis=1).max()) or 1.0
    # The statement asks for a positive mean; 1/m is the least of one that is.
    mean = max(float(f.K.mean()), 1 / m)
    every = ("ours-one-neuron", s * (1 + sqrt(2)) / 2 * (W * R + B) / sqrt(m))
    sparse = (
        ("ours-theorem-e", ours.rademacher(m, s, k, W, B, R, "joint")),
        ("ours-theorem-e-bias", ours.rademacher(m, s, k, W, B, R, "separated")),
        ("rademacher-definition", k * (W * R + B)),
        ("ours-theorem-d", ours.rademacher_width(m, s, k, W, B, R)),
    )
    average = ("ours-theorem-e-mean", ours.rademacher_mean(m, s, mean, W, B, R))
    bounds = (
        ("mean number active", "", (average, *sparse, every)),
        ("k active neurons", MEAN, (*sparse, every)),
        ("s active neurons", SPARSITY, (every, ("rademacher-definition", s * (W * R + B)))),
    )
    rungs = []
    for formula, gives_up, found in bounds:
        name, least = min(found, key=lambda bound: bound[1])
        rungs.append(Rung(name, formula, exactly(least), gives_up))
    named = zip(("joint", "bias apart", "k (WR + B)", "logarithm of s/k"), sparse, strict=True)
    beside = tuple(Rung(name, form, exactly(bound), "k active neurons") for form, (name, bound) in named)
    title = f"Rademacher complexity of the class on the {m} points, the least of the upper bounds"
    return Chain(title, tuple(rungs), beside)
