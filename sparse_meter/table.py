r"""left <= right: both sides of every statement that can be computed for one network, and which hypotheses fail there.

``rows`` makes a ``Row`` of each; ``sizes`` are the numbers of samples that the learners need. The ids are those of the
ledger. "printed" is the form of the paper; where it says O(.), the constant is taken as 1, which is not its claim.

Paper: sections 1, 2, 3 and 5; sections 4 and 6 state nothing about a single network.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil, exp, inf, isnan, log, sqrt
from typing import NamedTuple

import numpy as np

from sparse_core._arrays import Array
from sparse_core._interval import Interval, exactly, student
from sparse_core.bounds import ours, paper
from sparse_core.cube.hypercube import dimension
from sparse_core.general import rademacher
from sparse_core.learning.lemma_9 import Flips
from sparse_core.learning.risks import averaging_risk
from sparse_core.network.network import SparseNetwork
from sparse_core.network.sparsity import Sparsity

from .observation import Observation

__all__ = ["Row"]  # the rest is called by ``explain`` and ``examine``

Texts = tuple[str, ...]
ONE = "printed, constant 1"
# The relative tolerance of a comparison: sums over 2^20 points stay well below it.
RTOL = 1e-9
# Up to so many points all sign vectors are tried: 2^5 up to the sign.
ALL_SIGNS_POINTS = 6
# Entries of the largest table of set packing that is filled, in less than a second.
PACKING_ENTRIES = 1 << 18
# Random sign vectors otherwise: the interval is then within a tenth of the value.
DRAWS = 128
# Sign vectors times entries of the sample, at most, beyond which there are fewer draws, but at least MIN_DRAWS: a few
# seconds.
DRAWS_ENTRIES = 1 << 26
MIN_DRAWS = 8


@dataclass(frozen=True)
class Row:
    """left <= right, or left == right, with the evidence and with the hypotheses that do not hold.

    ``trivial`` is a bound for every function of the same variance, or of the same range; ``at`` names the parameters.

    >>> row = Row("lemma-9", ONE, exactly(2.0), exactly(8.0), "exact", trivial=4.0)
    >>> row.verdict, row.slack, row.vacuous
    ('holds', 4.0, True)
    """

    id: str
    form: str
    left: Interval | None
    right: Interval | None
    evidence: str
    failed: Texts = ()
    relation: str = "<="
    trivial: float | None = None
    at: str = ""
    round_off: float = 0.0

    @property
    def applies(self) -> bool:
        """Whether all hypotheses hold."""
        return not self.failed

    @property
    def slack(self) -> float | None:
        """right / left; None if there is no such number."""
        if self.left is None or self.right is None or isnan(self.right.value) or self.relation == "==":
            return None
        if self.left.value == 0:
            return 1.0 if self.right.value == 0 else inf
        return self.right.value / self.left.value

    @property
    def vacuous(self) -> bool:
        """right >= trivial: whether the bound is no stronger than the trivial one."""
        if self.trivial is None or self.right is None:
            return False
        return self.right.value >= self.trivial * (1 - RTOL)

    @property
    def verdict(self) -> str:
        """The word for left <= right: "holds" or "fails", unless a side or the evidence for a verdict is missing."""
        if self.left is None or self.right is None:
            return "not computed"
        if isnan(self.right.value):
            return "not a number"
        error = RTOL * max(abs(self.left.value), abs(self.right.value)) + self.round_off
        if self.relation == "==":
            return "holds" if abs(self.left.value - self.right.value) <= error else "fails"
        if self.left.low > self.right.high + error:
            return "fails"
        if self.left.high <= self.right.low + error:
            return "no counterexample" if "sampled" in self.evidence else "holds"
        seen = self.left.high == inf and self.left.value <= self.right.low + error
        return "no counterexample" if seen else "undecided"


class Statement(NamedTuple):
    """Both sides of a statement; a ``Row`` adds the evidence and the hypotheses that fail."""

    id: str
    form: str
    left: Interval | None
    right: Interval | float | None
    trivial: float | None = None
    at: str = ""


Statements = Iterable[Statement]


class NetworkClass(NamedTuple):
    """H_{n,s,k}^{W,B}: the class whose statements are evaluated."""

    n: int
    s: int
    k: int
    W: float
    B: float


def rows(
    f: Observation, c: NetworkClass, found: Sparsity, sample: Array, d: int, rho: float, eps: float,
    rng: np.random.Generator,
) -> Iterator[Row]:  # fmt: skip
    """Every statement with two computable sides, in the order of the paper; sections 2 and 3 on the cube only.

    f are the measurements, c the class that the network is compared with, ``found`` its sparsity at the points of the
    distribution, ``sample`` (m, n) points for the Rademacher complexities; d, rho and eps are the degree of Fourier
    tails, the correlation of noise and the loss in Theorem 8.

    >>> from sparse_meter.observation import visit
    >>> from sparse_core.cube.hypercube import points
    >>> net = SparseNetwork([1], [[1]], [0])
    >>> f, c = visit(net, points(1), exact=True, cube=True), NetworkClass(1, 1, 1, 1.0, 0.0)
    >>> table = rows(f, c, net.sparsity(), points(1) * 1.0, 1, 0.5, 0.1, np.random.default_rng(0))
    >>> [row.id for row in table if row.form == "printed" and row.verdict == "fails"]       # E13, E14
    ['lemma-9-boundary', 'lemma-9-concavity']
    """
    scale = _unmet_scale(c, f.net)
    member = (*_unmet_sparsity(c, found), *scale)
    yield from _definitions(f.net, c, found)
    if f.cube:
        yield from _uniform(f, f.flips, c, member, scale, d, rho, eps, rng)
    yield from _general(f, c, member, scale, sample, rng)


def _uniform(
    f: Observation, flips: Flips, c: NetworkClass, member: Texts, scale: Texts, d: int, rho: float, eps: float,
    rng: np.random.Generator,
) -> Iterator[Row]:  # fmt: skip
    """The statements of sections 2 and 3."""

    AS = f.mean(flips.same + flips.other)
    noise = f.noise(rho, rng)
    negative = int(np.count_nonzero(f.net.u < 0))
    signs = (f"negative output weights: {negative} of {c.s}",) if negative else ()
    least = 4 * ours.log_width(c.s, c.k)
    small = (f"d = {d}, less than 4 max(3/2, ln(s/k)) = {least:.4g}",) if d < least else ()

    # The statements, those of their hypotheses that fail, and what differs in their rows.
    at_edges = {"evidence": f.edge_evidence}
    parts: list[tuple[Statements, Texts, dict[str, str]]] = [
        (_identities(f, AS, noise, rho), (), {"relation": "=="}),
        (_tails(f, AS, noise, d, rho), (), {}),
        (_halfspaces(f, flips), (), {}),
        (_lemma_9(f, flips, AS, c), member, {}),
        (_nonnegative(f, AS, c), (*member, *signs), {}),
        (_gradients(f, AS, c), (), at_edges),
        (_by_sign(f, AS, c, d), (), at_edges),
        (_convex(f, AS, c), signs, at_edges),
        (_remark_11(f, AS, c), scale, {}),
        (_noise_and_tails(f, c, noise, d, rho, eps), member, {}),
        (_second_order(f, c, d), (*member, *small), {}),
        (_averaging(f, d, eps), (), {}),
    ]
    for statements, failed, differs in parts:
        for statement in statements:
            right = statement.right
            sides = statement._replace(right=exactly(right) if isinstance(right, (int, float)) else right)._asdict()
            yield Row(**{"evidence": f.evidence, **sides, **differs}, failed=failed, round_off=f.round_off)


def _unmet_sparsity(c: NetworkClass, found: Sparsity) -> Texts:
    if found.lower > c.k:
        return (f"not {c.k}-sparse: {found.lower} of {c.s} neurons active at one point",)
    unsettled = f"{c.k}-sparsity is assumed: from {found.lower} to {found.upper} of {c.s} neurons active at one point"
    return (unsettled,) if found.upper > c.k else ()


def _unmet_scale(c: NetworkClass, net: SparseNetwork) -> Texts:
    pairs = (("W", net.scale.W, c.W), ("B", net.scale.B, c.B))
    return tuple(f"{name} is {x:.4g}, more than {y:.4g}" for name, x, y in pairs if x > y * (1 + RTOL))


def _definitions(net: SparseNetwork, c: NetworkClass, found: Sparsity) -> Iterator[Row]:
    kind = "exact" if found.method in ("enumeration", "sample") else "certified"
    active = Interval(found.upper, found.lower, found.upper)
    yield Row("definition-1", "max |R_x| <= k", active, exactly(c.k), kind, trivial=c.s, at=found.how)
    yield Row("definition-2", "||u||_inf max ||w_j|| <= W", exactly(net.scale.W), exactly(c.W), "exact")
    yield Row("definition-2", "||u||_inf max |b_j| <= B", exactly(net.scale.B), exactly(c.B), "exact")


# --- Section 2: Fourier weights and half-spaces ---


def _identities(f: Observation, AS: Interval, noise: Interval, rho: float) -> Statements:
    parts: list[float | None] = [None] * 3
    if f.weights is not None:
        t = np.arange(len(f.weights))
        parts = [float(f.weights @ factor) for factor in (t**0, t, (1 - rho**t) / 2)]
    yield Statement("claim-2-1-parseval", "E h^2", f.mean(f.h**2), parts[0])
    yield Statement("average-sensitivity-fourier", "AS by flips", AS, parts[1])
    yield Statement("claim-2-1-noise", "NS by flips", noise, parts[2], None, f"rho = {rho:g}")


def _tails(f: Observation, AS: Interval, noise: Interval, d: int, rho: float) -> Statements:
    tail = f.tail(d)
    at = f"d = {d}, rho = {rho:g}"
    printed = noise.scaled(2 / (1 - rho**d)) if d else exactly(inf)
    sharper = noise.scaled(2 / (1 - rho ** (d + 1)))
    yield Statement("claim-2-1-tail", "printed", tail, printed, f.variance, at)
    yield Statement("ours-tail-from-sensitivity", "2 NS / (1 - rho^(d+1))", tail, sharper, f.variance, at)
    yield Statement("ours-tail-from-sensitivity", "AS / (d + 1)", tail, AS.scaled(1 / (d + 1)), f.variance, f"d = {d}")
    if d:
        beyond = f.mean(f.flips.same + f.flips.other - (f.h - f.h.mean()) ** 2)
        yield Statement("ours-tail-affine", "(AS - Var) / d", tail, beyond.scaled(1 / d), f.variance, f"d = {d}")


def _halfspaces(f: Observation, flips: Flips) -> Statements:
    """Lemma 6 at the neuron that comes closest."""
    n = f.net.n
    p = f.active.mean(axis=0)
    live = np.flatnonzero((p > 0) & (p < 1))
    forms = (("lemma-6", ONE, paper.lemma_6), ("ours-lemma-6-constant", "constant 1/sqrt(2)", ours.lemma_6))
    if not len(live):
        none = "no neuron is active at some points only"
        yield from (Statement(name, form, None, None, at=none) for name, form, _ in forms)
        return
    ratio = flips.changes[:, live].mean(axis=0) / (p[live] * np.sqrt(-np.log(p[live])))
    j = int(live[ratio.argmax()])
    level = 0.05 / f.net.s  # of each interval, since the neuron is one of s
    left = f.mean(flips.changes[:, j] / 4, level)
    p_j, low, high = (min(max(x, 0.0), 1.0) for x in f.mean(f.active[:, j], level))
    peak = min(max(low, exp(-0.5)), high)
    for name, form, bound in forms:  # p sqrt(ln(1/p)) is concave
        right = Interval(bound(p_j, n), min(bound(low, n), bound(high, n)), bound(peak, n))
        yield Statement(name, form, left, right, n * p_j * (1 - p_j), f"neuron {j}, p = {p_j:.4g}")


# --- Section 3: the uniform distribution ---


def _dense(f: Observation, c: NetworkClass) -> float:
    """AS(h) <= min(s^2 W^2, n Var h), whatever the sparsity."""
    return min(c.s**2 * c.W**2, c.n * f.variance)


def _lemma_9(f: Observation, flips: Flips, AS: Interval, c: NetworkClass) -> Statements:
    n, s, k, W, B = c
    u = f.net.u
    v = u[:, None] * f.net.W
    p = f.active.mean(axis=0)
    norm = np.linalg.norm(f.active @ v, axis=1)
    offset = np.abs(f.active @ (u * f.net.b))
    U = f.mean(flips.same)
    V = f.mean(flips.other)
    jump = f.mean(f.h**2 * flips.crossings)
    boundary = f.mean(flips.crossings / n)
    single = flips.changes.sum(axis=1) / (4 * n)
    dense = _dense(f, c)
    printed = paper.lemma_9(*c)

    yield Statement("lemma-9-decomposition", "||w^R|| <= kW", f.largest(norm), k * W)
    yield Statement("lemma-9-decomposition", "|b^R| <= kB", f.largest(offset), k * B)
    yield Statement("eq-U", "printed", U, paper.eq_U(k, W), dense)
    yield Statement("eq-U", "repaired", U, paper.eq_U(k, W, "repaired"), dense)
    yield Statement("lemma-9-jump", "(V) <= jump", V, jump, dense)
    yield Statement("lemma-9-boundary", "printed", boundary, f.mean(single), 1)
    yield Statement("lemma-9-boundary", "repaired", boundary, f.mean(4 * single), 1)
    yield Statement("lemma-9-budget", "sum p_j <= k", f.mean(f.K), k, s)
    if f.exact:
        spread = exactly(np.sum(p * np.sqrt(-np.log(np.where(p > 0, p, 1)) / n)))
        yield Statement("lemma-9-concavity", "printed", spread, k * sqrt(log(s / k) / n))
        yield Statement("lemma-9-concavity", "repaired", spread, k * sqrt(max(log(s / k), 0.5) / n))
    for form, kind in ((ONE, "printed"), ("repaired", "repaired")):
        t = paper.threshold(*c, form=kind)
        beyond = f.share(np.abs(f.h) > t * (1 + RTOL))
        yield Statement("lemma-9-union", form, beyond, float(n * s) ** -4, 1, f"t = {t:.4g}")
    yield Statement("lemma-9-range", "|h| <= k (W sqrt(n) + B)", f.largest(np.abs(f.h)), paper.sup_norm(n, k, W, B))
    yield Statement("eq-V", ONE, V, printed, dense)
    yield Statement("eq-V", "repaired", V, paper.eq_V(*c, form="repaired"), dense)
    yield Statement("lemma-9-last-line", ONE, jump, printed)
    yield Statement("lemma-9-last-line", "restored, constant 1", jump, paper.lemma_9(*c, form="restored"))
    yield Statement("lemma-9", ONE, AS, printed, dense)
    yield Statement("ours-lemma-9-repaired", "repaired", AS, paper.lemma_9(*c, form="repaired"), dense)

    weighted = f.mean(4 * f.K * (f.active @ np.sum(v**2, axis=1)))
    square = f.mean(4 * W**2 * f.K**2)
    yield Statement("ours-average-sensitivity", "4 E |R_x| sum u_j^2 ||w_j||^2", AS, weighted, dense)
    yield Statement("ours-average-sensitivity", "4 W^2 E |R_x|^2", AS, square, dense)
    yield Statement("ours-average-sensitivity", "min(2k, s)^2 W^2", AS, ours.average_sensitivity(W, k, s), dense)


def _nonnegative(f: Observation, AS: Interval, c: NetworkClass) -> Statements:
    bound = 2 * (c.k * c.W) ** 2
    yield Statement("ours-average-sensitivity-nonnegative", "2 k^2 W^2", AS, bound, _dense(f, c))


def _gradients(f: Observation, AS: Interval, c: NetworkClass) -> Statements:
    edges = f.edges
    at = f"{len(edges.slope)} points"
    slope = exactly(edges.slope.mean())  # the inequality holds at each point, so these points need no interval
    yield Statement("ours-gradient", "mean squared slope J", exactly(edges.sensitivity.mean()), slope, _dense(f, c), at)
    yield Statement("ours-gradient", "gradient and boundary", AS, f.with_boundary(edges.gradient), _dense(f, c), at)


def _by_sign(f: Observation, AS: Interval, c: NetworkClass, d: int) -> Statements:
    """What gradients at single points say, split by the signs of the output weights, and about which quantity."""
    squares = [(part**2).sum(axis=1) for part in f.signs]
    right = f.of_roots(*squares).scaled(2)
    yield Statement("ours-gradient-signs", "2 (rms |grad h+| + rms |grad h-|)^2", AS, right, _dense(f, c))
    spreads = [((part - part.mean(axis=0)) ** 2).sum(axis=1) for part in f.signs]
    G = f.mean(f.bends)
    right = f.of_roots(*spreads).scaled(2)
    yield Statement("ours-covariance", "2 (tr Cov^(1/2) grad h+ + tr Cov^(1/2) grad h-)^2", G, right)
    if d:
        yield Statement("ours-differences", "G / (d + 1)", f.tail(d), G.scaled(1 / (d + 1)), f.variance, f"d = {d}")


def _convex(f: Observation, AS: Interval, c: NetworkClass) -> Statements:
    right = f.mean(f.edges.increasing)
    yield Statement("ours-gradient-nonnegative", "2 E sum (x_i d_i h)_+^2", AS, right, _dense(f, c))


def _remark_11(f: Observation, AS: Interval, c: NetworkClass) -> Statements:
    """Remark 11 at the k that makes its bound least."""
    # For all k at once, by the inequality of Dvoretzky, Kiefer and Wolfowitz at 95 %.
    deviation = 0.0 if f.exact else sqrt(log(2 / 0.05) / (2 * len(f.K)))
    eta = [min(1.0, float(np.mean(f.K > k)) + deviation) for k in range(1, c.s)] + [0.0]
    bounds = [ours.remark_11(c.W, k, c.s, x) for k, x in enumerate(eta, 1)]
    k = 1 + int(np.argmin(bounds))
    at = f"k = {k}, Pr[more active] <= {eta[k - 1]:.3g}"
    yield Statement("ours-remark-11", "sparse with high probability", AS, min(bounds), _dense(f, c), at)


def _noise_and_tails(f: Observation, c: NetworkClass, noise: Interval, d: int, rho: float, eps: float) -> Statements:
    """Noise, a Fourier tail, and the least degree whose tail is at most eps/4, which loss eps requires."""
    at = f"rho = {rho:g}"
    trivial = f.variance / 2
    if rho >= 0:
        yield Statement("lemma-10", ONE, noise, paper.lemma_10(*c, rho), trivial, at)
        yield Statement("lemma-10", "repaired", noise, paper.lemma_10(*c, rho, form="repaired"), trivial, at)
    bound = ours.noise_sensitivity(rho, c.W, c.k, c.s)
    yield Statement("ours-noise-sensitivity", "(1 - rho)/2 min(2k, s)^2 W^2", noise, bound, trivial, at)
    bound = ours.tail_from_average_sensitivity(ours.average_sensitivity(c.W, c.k, c.s), d)
    yield Statement("ours-tail", "min(2k, s)^2 W^2 / (d + 1)", f.tail(d), bound, f.variance, f"d = {d}")
    at = f"eps = {eps:.4g}"
    own = f.degree(eps / ours.LOSS)
    left = None if own is None else exactly(own)
    yield Statement("theorem-8", ONE, left, paper.theorem_8_degree(*c, eps), c.n, at)
    yield Statement("theorem-8", "repaired", left, paper.theorem_8_degree(*c, eps, form="repaired"), c.n, at)
    yield Statement("ours-degree", "degree for loss eps", left, ours.theorem_8_degree(eps, c.W, c.k, c.s), c.n, at)


def _second_order(f: Observation, c: NetworkClass, d: int) -> Statements:
    form = "25.3 k^2 W^2 sqrt(Lambda) d^(-3/2)"
    bound = ours.tail_second_order(d, c.W, c.k, c.s)
    finite = bound if bound < inf else None
    yield Statement("ours-tail-three-halves", form, f.tail(d), finite, f.variance, f"d = {d}")


def _averaging(f: Observation, d: int, eps: float) -> Statements:
    """The first step of Lemma 7: N C^2 / eps samples average to an expected squared distance of at most 2 eps."""
    if f.weights is None:
        yield Statement("ours-lemma-7-explicit", "E (f - h)^2 by averaging", None, None, at=f"d = {d}")
        return
    d = min(d, f.net.n)
    reach = max(eps, float(f.weights[d + 1 :].sum()))
    m = max(1, ceil(dimension(f.net.n, d) * float(np.abs(f.h).max()) ** 2 / reach))
    risk = exactly(averaging_risk(f.weights, d, m))
    yield Statement("ours-lemma-7-explicit", "E (f - h)^2 by averaging", risk, 2 * reach, None, f"d = {d}, m = {m}")


# --- Section 5: general distributions ---


def _general(
    f: Observation, c: NetworkClass, member: Texts, scale: Texts, S: Array, rng: np.random.Generator
) -> Iterator[Row]:
    n, s, k, W, B = c
    m = len(S)
    at = f"m = {m}"
    inside = f.active if S is f.X else f.net.active(S)
    R = float(np.linalg.norm(S, axis=1).max()) or 1.0  # any bound on the norms will do
    M = W * R + B
    budget = exactly(np.sqrt(inside.sum(axis=0)).sum())
    form = "sum |I_j|^(1/2) <= (s k m)^(1/2)"
    yield Row("activation-budget", form, budget, exactly(sqrt(s * k * m)), "exact", member, at=at)
    met = np.unique(inside, axis=1).shape[1]
    count = Interval(met, met, inf)
    kind = "sampled, the sets of this network"
    if m <= ALL_SIGNS_POINTS:
        count = exactly(len(rademacher.active_sets(S)))
        kind = "exact"
    # Both numbers of sets are cut where floats end.
    most = exactly(min(2 * dimension(m - 1, n), 10**300))
    every = float(min(2**m, 10**300))
    yield Row("activation-sets", "2 sum of C(m-1, i), i <= n", count, most, kind, trivial=every, at=at)

    one, kind = _complexity(c._replace(s=1, k=1), S, rng)
    trivial = (1 + sqrt(2)) / 2 * M / sqrt(m)
    form = "(1 + sqrt 2)/2 (WR + B)/sqrt(m)"
    yield Row("ours-one-neuron", form, one, exactly(trivial), kind, scale, trivial=M, at=at)
    right = exactly(paper.dense_rademacher(m, s, W, B, R))
    yield Row("dense-rademacher", ONE, one.scaled(s), right, kind, scale, trivial=s * M, at=at)
    left = one.scaled(s)
    if k < s:
        left, kind = _complexity(c, S, rng, one)
    for name, form, bound in (
        ("theorem-19" if k == 1 else "eq-15", "printed", paper.eq_15(m, n, s, k, W, B, R)),
        ("ours-rademacher-explicit", "repaired", paper.eq_15(m, n, s, k, W, B, R, form="repaired")),
        ("conjecture-20", "printed", paper.conjecture_20(m, s, k, W, B, R)),
        ("ours-theorem-e", "joint", ours.rademacher(m, s, k, W, B, R, "joint")),
        ("ours-theorem-e-bias", "bias apart", ours.rademacher(m, s, k, W, B, R, "separated")),
    ):
        yield Row(name, form, left, exactly(bound), kind, member, trivial=k * M, at=at)
    lower = exactly(W * R * sqrt(s * k / (2 * m)))
    failed = (*member, *_unmet_lower(c, S, R))
    yield Row("ours-rademacher-lower", "W R sqrt(sk/2m) <= R(S)", lower, left, kind, failed, at=at)


def _complexity(
    c: NetworkClass, S: Array, rng: np.random.Generator, one: Interval | None = None
) -> tuple[Interval, str]:
    """R(S): over all signs on few points, otherwise a lower bound from k copies of one neuron, which are k-sparse."""
    m = len(S)
    if m <= ALL_SIGNS_POINTS and (min(c.s, c.k * m) + 1) * (c.k + 1) ** m <= PACKING_ENTRIES:
        return rademacher.expected(S, c.s, c.k, c.W, c.B), "exact"
    if one is None:
        draws = int(np.clip(DRAWS_ENTRIES // S.size, MIN_DRAWS, DRAWS))
        signs = rng.choice([-1.0, 1.0], (draws, m))
        one = student(rademacher.ascents(S, signs, c.W, c.B))
    kind = "a lower bound" if one.low == one.value else "sampled, a lower bound"
    return one.scaled(c.k)._replace(high=inf), kind


def _unmet_lower(c: NetworkClass, S: Array, R: float) -> Texts:
    """The hypotheses of `ours-rademacher-lower` that fail: on the points, and on s, k and m."""
    m = len(S)
    least = float(np.linalg.norm(S, axis=1).min())
    angle = f"{m} points in {c.n} dimensions"
    if m <= c.n:
        gram = S @ S.T
        cosine = float(np.abs(gram - np.diag(np.diag(gram))).max()) / R**2
        angle = f"|<x, y>| reaches {cosine:.4g} R^2" if cosine > RTOL else ""
    unmet = {
        f"not orthogonal: {angle}": angle,
        f"norms from {least:.4g} to {R:.4g}": least < R * (1 - RTOL),
        f"k = {c.k} does not divide s = {c.s}": c.s % c.k,
        f"s/k = {c.s / c.k:.4g} does not divide m = {m}": c.s % c.k or m % (c.s // c.k),
    }
    return tuple(text for text, fails in unmet.items() if fails)


# --- Sizes ---


def least_squares(n: int, d: int, delta: float) -> tuple[str, float]:
    """(id, m): the statement that asks for the fewest samples with which least squares is within twice the tail.

    >>> least_squares(64, 1, 0.1)[0], least_squares(64, 1, 1e-5)[0]
    ('ours-one-run', 'ours-least-squares')
    """
    m = ours.least_squares_samples(n, d, delta)
    single = m == ours.least_squares_samples(n, d, delta, "single")
    return "ours-one-run" if single else "ours-least-squares", m


def sizes(f: Observation, c: NetworkClass, R: float, eps: float, delta: float) -> Iterator[tuple[str, str, float]]:
    """(id, form, m): samples with which each learner reaches loss eps, with probability 1 - delta.

    >>> from sparse_meter.observation import visit
    >>> from sparse_core.cube.hypercube import points
    >>> found = visit(SparseNetwork([1], [[1]], [0]), points(1), exact=True, cube=True)
    >>> [round(m) for _, _, m in sizes(found, NetworkClass(1, 1, 1, 1.0, 0.0), 1.0, 0.1, 0.05)][-3:]
    [530, 67000, 357]
    """
    if f.cube:
        yield "theorem-8", ONE, paper.theorem_8_samples(*c, eps, delta)
        yield "theorem-8", "repaired", paper.theorem_8_samples(*c, eps, delta, form="repaired")
        yield "ours-degree", "the paper's algorithm at our degree", ours.theorem_8_samples(*c, eps, delta)
    low = f.degree(eps / ours.LOSS)
    d = f.degree(eps)
    if low is not None and d is not None:
        C = float(np.abs(f.h).max())
        yield "ours-lemma-7-explicit", f"at degree {low}", ours.lemma_7(c.n, low, C, eps / ours.LOSS, delta)
        name, m = least_squares(c.n, d, delta)
        yield name, f"least squares at degree {d}", m
    yield "theorem-17", ONE, paper.theorem_17(*c, R, eps, delta)
    yield "theorem-17", "repaired", paper.theorem_17(*c, R, eps, delta, form="repaired")
    yield "ours-theorem-17-learner", "rate 1/eps", ours.theorem_17(*c, R, eps, delta)
