r"""Counts of active neurons, which add: how many at a time, which ones, and what that saves.

Everything is counted from *sizes*, an array (inputs, neurons) of numbers >= 0: max(z, 0) of pre-activations z, |a| of
outputs a. A neuron is active where its size is above a threshold. A ``Measurement`` takes the sizes block by block and
keeps counts and maxima over the inputs alone, so that the measurements of shards add.

Paper: Definition 1 (how many are active at most), section 1 on dead and dynamic sparsity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core import checks
from sparse_core._arrays import Array, Integers, slices
from sparse_core.network import activity

from . import tables
from .networks import plain

__all__ = ["ALIGNMENT", "Measurement"]  # the rest is called by ``measure`` and ``watch``

# Sizes that are counted at a time: half a megabyte of float32, so that all passes over them stay in the cache. With
# eight times as many they take nearly twice as long.
BLOCK_ENTRIES = 1 << 17
# Rows of a block, at most; shards whose lengths are multiples of it add to the bits of the whole.
ALIGNMENT = 4096
# Sizes are sorted into intervals, 8 to each power of two: by a float32 without its last BITS bits.
BITS = 20
EDGES = (np.arange(0x7F800000 >> BITS, dtype=np.int32) << BITS).view(np.float32).astype(np.float64)
LARGEST_SINGLE = float(np.finfo(np.float32).max)
# The square of a size is taken to be that of the middle of its interval, which is within 7 % of it.
SQUARES = (EDGES * (1 + 1 / 16)) ** 2
# The share of the sum of squares that is kept where the smallest outputs are dropped, as TEAL does.
ENERGY = 0.9
QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
# A measured share of 0 among m independent inputs excludes, at the level of 5 %, a probability above this number / m.
RULE_OF_THREE = 3.0
# The sizes of a batch in the table of a report, as far as there are inputs.
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
# So many inputs that follow each other are taken together: the batch of which the table of layers speaks.
RUN = 16
# What is added where measurements are, and what must be the same: that of one layer.
SUMS = ("inputs", "active_at", "histogram", "sizes", "runs", "run_used", "images", "image_used")
LAYER = ("s", "n", "outputs", "threshold")
DERIVED = (
    "max_active", "mean_active", "dead", "always_on", "dynamic", "variance", "independent_variance", "coactivation",
    "saved", "in_a_row", "in_an_image",
)  # fmt: skip


@dataclass(eq=False, repr=False)
class Measurement(tables.Shown):
    """Who was active on ``inputs`` inputs, as counts that add: ``first + second`` is the measurement of both samples.

    s, n, outputs : the numbers of neurons, inputs and outputs; None if they are not known.
    active_at : (s,) at how many inputs each neuron was active.
    histogram : (s + 1,) at how many inputs 0, 1, ..., s neurons were active.
    sizes : how many sizes lie between each number of EDGES and the next.
    largest, threshold : the largest size, and the size above which a neuron is active.
    runs, run_used : how often 16 inputs followed each other, and how many neurons at least one of them used, in all.
    images, image_used : the same for the positions of an image, if the layer is one of channels.
    notes : what was measured and what was assumed, in the order in which a report begins with it.
    rest : who was active at the last inputs, fewer than 16, which ``active_at`` has when they are all.
    """

    s: int
    inputs: int
    active_at: Integers
    histogram: Integers
    sizes: Integers
    largest: float
    threshold: float = 0.0
    runs: int = 0
    run_used: int = 0
    images: int = 0
    image_used: int = 0
    n: int | None = None
    outputs: int | None = None
    notes: tuple[str, ...] = ()
    rest: list[NDArray[np.bool_]] = field(default_factory=list, init=False)

    @classmethod
    def of(cls, Z: Any) -> Measurement:
        """The measurement of pre-activations in an array (inputs, neurons).

        >>> Measurement.of([[1.0, -1.0]]).max_active
        1
        """
        Z = checks.real_array("Z", Z, 2)
        found = empty(Z.shape[1])
        count(found, np.where(Z > 0, Z, 0))
        return known(found)

    # How many at a time

    @property
    def max_active(self) -> int:
        """The largest number of neurons that were active at one input: a lower bound on the k of Definition 1."""
        return int(self.histogram.nonzero()[0][-1])

    @property
    def mean_active(self) -> float:
        """The mean over the inputs of the number of active neurons."""
        return int(self.active_at.sum()) / self.inputs

    def quantile(self, q: float) -> int:
        """The least k such that at a share q of the inputs at most k neurons were active.

        >>> Measurement.of([[1.0, -1.0], [2.0, 3.0], [1.0, 1.0]]).quantile(0.5)
        2
        """
        q = checks.real("q", q, 0, 1)
        return int(np.searchsorted(self.histogram.cumsum(), max(1.0, q * self.inputs)))

    @property
    def variance(self) -> float:
        """Var |R_x| over the inputs."""
        distance = np.arange(self.s + 1) - self.mean_active
        return float(self.histogram @ distance**2) / self.inputs

    @property
    def independent_variance(self) -> float:
        """sum_j p_j (1 - p_j): what the variance would be if the neurons were independent."""
        p = self.active_at / self.inputs
        return float(p @ (1 - p))

    @property
    def coactivation(self) -> float | None:
        """Var |R_x| / sum_j p_j (1 - p_j): 1 for independent neurons, more if they fire together, less if in turn."""
        return ratio(self.variance, self.independent_variance)

    # Which ones

    @property
    def dead(self) -> int:
        """The number of neurons that were active at none of the inputs."""
        return int(np.count_nonzero(self.active_at == 0))

    @property
    def always_on(self) -> int:
        """The number of neurons that were active at all of the inputs."""
        return int(np.count_nonzero(self.active_at == self.inputs))

    @property
    def dynamic(self) -> int:
        """The number of neurons that were active at some inputs and not at others."""
        return self.s - self.dead - self.always_on

    # What it buys

    def union(self, m: int) -> float:
        """sum_j (1 - C(M - c_j, m) / C(M, m)): the expected number of neurons that some of m inputs use.

        The m inputs are drawn without replacement from the M measured ones, c_j of which activate neuron j: a batch has
        to compute the neurons that one of its inputs uses. Exact for these inputs, from the counts alone.

        >>> found = Measurement.of([[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]])
        >>> found.union(1), round(found.union(2), 9), found.union(3)
        (1.0, 1.666666667, 2.0)
        """
        return activity.union(self.active_at, self.inputs, m)

    @property
    def at_random(self) -> float | None:
        """The expected number of neurons that some of 16 inputs drawn at random use, if there were so many."""
        return self.union(RUN) if self.inputs >= RUN else None

    @property
    def in_a_row(self) -> float | None:
        """The mean number of neurons that some of 16 inputs use which followed each other, if there were so many."""
        return ratio(self.run_used, self.runs)

    @property
    def in_an_image(self) -> float | None:
        """The mean number of channels that are used somewhere in an image, if the neurons are channels."""
        return ratio(self.image_used, self.images)

    @property
    def saved(self) -> dict[str, float | None]:
        """The share of the layer's multiply-adds that skipping saves, on average.

        "skip outputs": all pre-activations are computed, then the inactive neurons are left out of what follows.
        "skip neurons": the active ones are known before, as by a predictor.
        """
        share = 1 - self.mean_active / self.s
        if self.n is None or self.outputs is None:
            return {"skip outputs": None, "skip neurons": share}
        return {"skip outputs": share * self.outputs / (self.outputs + self.n), "skip neurons": share}

    def dropped(self, kept: float = ENERGY) -> tuple[float, float]:
        """(t, share): outputs smaller than t may be dropped, a share of them all, so that the others keep the energy.

        kept : the share of the sum of squares that the outputs of at least t have, up to 7 % of a size.

        >>> Measurement.of([[8.0, 1.0, 1.0, 0.0]]).dropped()
        (8.0, 0.75)
        """
        energy = (self.sizes * SQUARES).cumsum()
        i = int(np.searchsorted(energy, (1 - checks.real("kept", kept, 0, 1)) * energy[-1], side="right"))
        i = min(i, len(EDGES) - 1)
        return float(EDGES[i]), int(self.sizes[:i].sum()) / int(self.sizes.sum())

    def __add__(self, other: Measurement) -> Measurement:
        """The measurement of both samples of the same layer.

        >>> (Measurement.of([[1.0]]) + Measurement.of([[-1.0], [2.0]])).inputs
        3
        """
        if not isinstance(other, Measurement):
            return NotImplemented
        mine, theirs = vars(self), vars(other)
        for name in LAYER:
            if mine[name] != theirs[name]:
                values = f"{name} is {mine[name]} and {theirs[name]}"
                raise ValueError(f"Measurements must be of the same layer to be added: {values}.")
        both: dict[str, Any] = {name: mine[name] + theirs[name] for name in SUMS}
        both["largest"] = max(self.largest, other.largest)
        both["notes"] = tuple(dict.fromkeys((*self.notes, *other.notes)))
        return replace(self, **both)

    # The report

    def to_dict(self) -> dict[str, Any]:
        """The report as lists, dictionaries, strings and finite numbers, for JSON; None is what is not known.

        >>> Measurement.of([[1.0, -1.0]]).to_dict()["mean_active"]
        1.0
        """
        found = vars(self) | {name: getattr(self, name) for name in DERIVED}
        del found["sizes"], found["rest"]
        found["active"] = {f"{q:g}": self.quantile(q) for q in QUANTILES}
        found["union"] = [{"batch": m, "used": used} for m, used in self._unions()]
        found["dropped"] = dict(zip(("threshold", "share"), self.dropped(), strict=True))
        return dict(tables.for_json(found))

    def __repr__(self) -> str:
        return self.document().text(folded=False)

    @property
    def active_means(self) -> str:
        """What "active" means here, in a sentence."""
        if self.threshold == 0:
            return "Active means an output that is not 0."
        return f"Active means an output of more than {self.threshold:g} in size."

    def document(self) -> tables.Document:
        """What was measured and assumed, and the tables."""
        unions = [[f"{m}", f"{used:.5g}", f"{used / self.s:.1%}"] for m, used in self._unions()]
        saved = [[name, f"{share:.1%}"] for name, share in self.saved.items() if share is not None]
        quantiles = [f"{self.quantile(q)}" for q in QUANTILES]
        parts = (
            ("Quantiles of the number active, over the inputs", [f"{q:.0%}" for q in QUANTILES], [quantiles]),
            ("Neurons that a batch of so many of these inputs uses, expected", ["batch", "used", "share"], unions),
            ("Multiply-adds of the layer", ["saved by", "share"], saved),
        )
        lines = (*self.notes, self.active_means, *self._lines())
        return tables.Document(lines, tuple(tables.Table(*part) for part in parts), "Quantiles, batches, work saved")

    def _lines(self) -> Iterator[str]:
        """The sentences of the report."""
        s = self.s
        inputs = "" if self.n is None else f", {self.n} inputs"
        outputs = "" if self.outputs is None else f", {self.outputs} outputs"
        yield f"{s} neurons{inputs}{outputs}; measured on {self.inputs} inputs."
        yield (
            f"Active at once: at most {self.max_active}, on average {self.mean_active:.5g} of {s} "
            f"({self.mean_active / s:.2%}), at least {self.quantile(0)}."
        )
        yield (
            f"Neurons: {self.dead} dead (active at none of these inputs), {self.always_on} always on, "
            f"{self.dynamic} dynamic."
        )
        if self.dead:
            limit = min(1.0, RULE_OF_THREE / self.inputs)
            yield (
                f"If the inputs are independent, a neuron seen dead is active with probability at most {limit:.2g} "
                "(95 % confidence for each neuron alone)."
            )
        if self.coactivation is not None:
            yield (
                f"The number active has variance {self.variance:.5g}, {self.coactivation:.3g} times that of "
                f"independent neurons ({self.independent_variance:.5g})."
            )
        if self.in_a_row is not None:
            yield (
                f"{RUN} inputs that followed each other used {self.in_a_row:.5g} neurons ({self.in_a_row / s:.1%}); "
                f"{RUN} drawn at random, {self.at_random:.5g} ({self.union(RUN) / s:.1%})."
            )
        if self.in_an_image is not None:
            yield f"An image used {self.in_an_image:.5g} channels ({self.in_an_image / s:.1%}) somewhere."
        if self.largest > 0:
            t, share = self.dropped()
            yield f"The outputs below {t:.3g}, {share:.1%} of all, have {1 - ENERGY:.0%} of the sum of squares."

    def _unions(self) -> list[tuple[int, float]]:
        return [(m, self.union(m)) for m in BATCHES if m <= self.inputs]


def ratio(part: float, whole: float) -> float | None:
    """A quotient, where there is one.

    >>> ratio(1, 2), ratio(1, 0)
    (0.5, None)
    """
    return part / whole if whole else None


def empty(s: int, threshold: float = 0.0) -> Measurement:
    """A layer of s neurons, of which nothing is counted so far.

    >>> empty(3).inputs
    0
    """
    counts = np.zeros(s, np.int64), np.zeros(s + 1, np.int64), np.zeros(len(EDGES), np.int64)
    return Measurement(s, 0, *counts, 0.0, threshold)


def count(found: Measurement, outputs: NDArray[Any]) -> None:
    """Count the sizes of an array (inputs, neurons).

    >>> found = empty(2)
    >>> count(found, np.array([[-1.0, 0.0]]))
    >>> known(found).mean_active
    1.0
    """
    for rows in slices(len(outputs), block_rows(found.s)):
        sizes = np.abs(outputs[rows])
        count_sizes(found, sizes)
        count_active(found, sizes > found.threshold)


def count_sizes(found: Measurement, sizes: NDArray[Any]) -> None:
    """Count how many sizes lie in each of the intervals."""
    found.largest = max(found.largest, float(sizes.max(initial=0)))
    if found.largest > LARGEST_SINGLE:
        sizes = np.minimum(sizes, LARGEST_SINGLE)
    places = np.ascontiguousarray(sizes, np.float32).view(np.int32) >> BITS
    found.sizes += np.bincount(places.ravel(), minlength=len(EDGES))[: len(EDGES)]  # NaN has a place beyond them


def count_active(found: Measurement, active: NDArray[np.bool_]) -> None:
    """Count who is active, 16 inputs at a time that follow each other, also across blocks."""
    found.inputs += len(active)
    found.histogram += np.bincount(active.sum(axis=1, dtype=np.int32), minlength=found.s + 1)
    joined = np.concatenate([*found.rest, active]) if found.rest else active
    runs = len(joined) // RUN
    used = joined[: runs * RUN].view(np.uint8).reshape(runs, RUN, found.s).sum(axis=1, dtype=np.uint8)
    found.runs += runs
    found.run_used += int(np.count_nonzero(used))
    found.active_at += used.sum(axis=0, dtype=np.int64)
    found.rest = [joined[runs * RUN :].copy()] if len(joined) % RUN else []


def known(found: Measurement, **facts: Any) -> Measurement:
    """A copy that does not grow with the measurement, with the last inputs and what else is known of the layer.

    >>> known(Measurement.of([[1.0]]), n=3).n
    3
    """
    arrays = {name: getattr(found, name).copy() for name in ("active_at", "histogram", "sizes")}
    arrays["active_at"] += sum(part.sum(axis=0) for part in found.rest)
    return replace(found, **arrays, **facts)


def block_rows(columns: int) -> int:
    """How many rows of so many columns are counted at a time: a power of two, so that ALIGNMENT is a multiple.

    >>> block_rows(1000)
    128
    """
    return min(ALIGNMENT, 1 << (max(1, BLOCK_ENTRIES // columns).bit_length() - 1))


def blocks(name: str, batches: Iterable[Any], columns: int | None = None) -> Iterator[Array]:
    """Blocks of rows of float32 or float64, all of so many finite columns; all axes of a batch but the last make rows.

    >>> [block.shape for block in blocks("X", [np.ones((2, 3, 4)), np.ones((1, 4))])]
    [(6, 4), (1, 4)]
    """
    for batch in batches:
        array = plain(name, batch)
        if array.ndim < 2 or not array.shape[-1]:
            rule = "must have at least 2 axes, and at least one neuron, which is a column"
            raise ValueError(f"Argument '{name}' {rule}; its shape is {array.shape}.")
        columns = columns or array.shape[-1]
        if array.shape[-1] != columns:
            raise ValueError(f"Argument '{name}' must have {columns} columns, not {array.shape[-1]}.")
        flat = array.reshape(-1, columns)
        for rows in slices(len(flat), block_rows(columns)):
            block = checks.real_array(name, flat[rows], 2, convert=False)
            yield block.astype(np.result_type(block, np.float32))  # a copy: a loader may reuse its memory
