r"""Counts of active neurons, which add: how many at a time, which ones, and what that saves.

Everything is counted from *sizes*, an array (inputs, neurons) of numbers >= 0: max(z, 0) of pre-activations z, |a| of
outputs a. A neuron is active where its size is above a threshold. A ``Measurement`` takes the sizes block by block and
keeps counts and maxima over the inputs alone, so that the measurements of shards add.

Paper: Definition 1 (how many are active at most), section 1 on dead and dynamic sparsity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
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
# Of one in so many inputs: to count all sizes takes longer than all other counts together.
SAMPLED = 2
LARGEST_SINGLE = np.finfo(np.float32).max
# The square of a size is taken to be that of the middle of its interval, which is within 7 % of it.
SQUARES = (EDGES * (1 + 1 / 16)) ** 2
# The share of the sum of squares that is kept where the smallest outputs are dropped, as TEAL does.
ENERGY = 0.9
# The sizes of a batch in the table of a report, as far as there are inputs.
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
# So many inputs that follow each other are taken together: the batch of which the table of layers speaks.
RUN = 16
# What is added where measurements are, and what must be the same: that of one layer.
SUMS = ("inputs", "active_at", "histogram", "sizes", "runs", "run_used", "images", "image_used")
LAYER = ("s", "threshold")
# What the tables show of a layer, and how it is written.
COLUMNS = {
    "neurons": "", "inputs": "", "threshold": "g", "mean_active": ".5g", "share": ".1%", "max_active": "", "dead": "",
    "always_on": "", "coactivation": ".3g", "at_random": ".5g", "in_a_row": ".5g", "in_an_image": ".5g",
    "dropped": ".1%",
}  # fmt: skip
MEANING = (
    "Active: larger than the threshold in size. Dead: active at none of these inputs; always on: at all of them.",
    f"At random, in a row: how many neurons some of {RUN} inputs use; in an image: some of its positions.",
    "Coactivation: the variance of the number active, 1 for independent neurons. "
    f"Dropped: the share of the outputs, the smallest, that have {1 - ENERGY:.0%} of the sum of squares, "
    "counted at every second input.",
)
MORE = "What was assumed, and what the words mean"


@dataclass(eq=False, repr=False)
class Measurement(tables.Shown):
    """Who was active on ``inputs`` inputs, as counts that add: ``first + second`` is the measurement of both samples.

    s : the number of neurons.
    active_at : (s,) at how many inputs each neuron was active.
    histogram : (s + 1,) at how many inputs 0, 1, ..., s neurons were active.
    sizes : how many sizes lie between each number of EDGES and the next, of every second input.
    threshold : the size above which a neuron is active.
    runs, run_used : how often 16 inputs followed each other, and how many neurons at least one of them used, in all.
    images, image_used : the same for the positions of an image, if the layer is one of channels.
    notes : what was measured and what was assumed, in the order in which a report says it.
    rest : who was active at the last inputs, fewer than 16, which ``active_at`` has when there are no more.
    """

    s: int
    inputs: int
    active_at: Integers
    histogram: Integers
    sizes: Integers
    threshold: float
    rest: NDArray[np.bool_]
    runs: int = 0
    run_used: int = 0
    images: int = 0
    image_used: int = 0
    notes: tuple[str, ...] = ()

    # How many at a time

    @property
    def max_active(self) -> int:
        """The largest number of neurons that were active at one input: a lower bound on the k of Definition 1."""
        return int(self.histogram.nonzero()[0][-1])

    @property
    def mean_active(self) -> float:
        """The mean over the inputs of the number of active neurons."""
        return int(self.active_at.sum()) / self.inputs

    @property
    def share(self) -> float:
        """The mean share of the neurons that were active."""
        return self.mean_active / self.s

    @property
    def coactivation(self) -> float | None:
        """Var |R_x| / sum_j p_j (1 - p_j): 1 for independent neurons, more if they fire together, less if in turn."""
        p = self.active_at / self.inputs
        variance = self.histogram @ (np.arange(self.s + 1) - self.mean_active) ** 2 / self.inputs
        return ratio(float(variance), float(p @ (1 - p)))

    # Which ones

    @property
    def dead(self) -> int:
        """The number of neurons that were active at none of the inputs."""
        return int(np.count_nonzero(self.active_at == 0))

    @property
    def always_on(self) -> int:
        """The number of neurons that were active at all of the inputs."""
        return int(np.count_nonzero(self.active_at == self.inputs))

    # What it buys

    def union(self, m: int) -> float:
        """sum_j (1 - C(M - c_j, m) / C(M, m)): the expected number of neurons that some of m inputs use.

        The m inputs are drawn without replacement from the M measured ones, c_j of which activate neuron j: a batch has
        to compute the neurons that one of its inputs uses. Exact for these inputs, from the counts alone.

        >>> from sparse_meter import measure
        >>> found = measure([[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]]).only
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

    def dropped(self, kept: float = ENERGY) -> tuple[float, float]:
        """(t, share): outputs smaller than t may be dropped, a share of them all, so that the others keep the energy.

        kept : the share of the sum of squares that the outputs of at least t have, up to 7 % of a size.

        >>> from sparse_meter import measure
        >>> measure([[8.0, 1.0, 1.0, 0.0]]).only.dropped()
        (8.0, 0.75)
        """
        energy = (self.sizes * SQUARES).cumsum()
        i = int(np.searchsorted(energy, (1 - checks.real("kept", kept, 0, 1)) * energy[-1], side="right"))
        i = min(i, len(EDGES) - 1)
        return float(EDGES[i]), int(self.sizes[:i].sum()) / int(self.sizes.sum())

    def __add__(self, other: Measurement) -> Measurement:
        """The measurement of both samples of the same layer.

        >>> from sparse_meter import measure
        >>> (measure([[1.0]]).only + measure([[-1.0], [2.0]]).only).inputs
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
        both["notes"] = tuple(dict.fromkeys((*self.notes, *other.notes)))
        return replace(self, **both)

    # The report

    def numbers(self) -> dict[str, Any]:
        """What the tables show, by the names of their columns; None is what is not known."""
        found = {name: getattr(self, name) for name in COLUMNS if name not in ("neurons", "dropped")}
        return {"neurons": self.s, **found, "dropped": self.dropped()[1]}

    def to_dict(self) -> dict[str, Any]:
        """The report as lists, dictionaries, strings and finite numbers, for JSON.

        >>> from sparse_meter import measure
        >>> measure([[1.0, -1.0]]).only.to_dict()["mean_active"]
        1.0
        """
        arrays = {name: getattr(self, name) for name in ("active_at", "histogram", "notes")}
        union = [{"batch": m, "used": self.union(m)} for m in self.batches()]
        return dict(tables.for_json(self.numbers() | arrays | {"union": union}))

    def __repr__(self) -> str:
        return self.document().text(folded=False)

    @property
    def finding(self) -> str:
        """How many are active, and the layer without the dead ones, in a sentence."""
        s, dead = self.s, self.dead
        seen = f"Active at an input: on average {self.mean_active:.5g} of {tables.counted(s, 'neuron')} "
        seen += f"({self.share:.2%}), at most {self.max_active}."
        if not dead:
            return f"{seen} None is dead: each is active at some input."
        if dead == s:
            return f"{seen} None is active at any."
        left = f"{tables.counted(s - dead, 'neuron')}, {self.mean_active / (s - dead):.2%} active"
        are, them = ("is", "it") if dead == 1 else ("are", "them")
        return f"{seen} Dead {are} {dead}, and without {them} the layer has {left}."

    def document(self) -> tables.Document:
        """The finding, the tables, and what was measured and assumed."""
        known = {name: value for name, value in self.numbers().items() if value is not None}
        numbers = [[name.replace("_", " "), shown(name, value)] for name, value in known.items()]
        used = [[f"{m}", f"{self.union(m):.5g}", f"{self.union(m) / self.s:.1%}"] for m in self.batches()]
        parts = (
            tables.Table("Active neurons", ["what", "number"], numbers),
            tables.Table("Neurons that a batch of these inputs uses, expected", ["batch", "used", "share"], used),
        )
        return tables.Document((self.finding,), parts, MORE, shown=1, remarks=(*self.notes, *MEANING))

    def batches(self) -> list[int]:
        """The sizes of batches for which there were inputs enough."""
        return [m for m in BATCHES if m <= self.inputs]


def shown(column: str, value: Any) -> str:
    """A number of a column as text.

    >>> shown("share", 0.5), shown("in_an_image", None)
    ('50.0%', '-')
    """
    return "-" if value is None else format(value, COLUMNS[column])


def ratio(part: float, whole: float) -> float | None:
    """A quotient, where there is one.

    >>> ratio(1, 2), ratio(1, 0)
    (0.5, None)
    """
    return part / whole if whole else None


def empty(s: int, threshold: float = 0.0, above: float | None = None) -> Measurement:
    """A layer of s neurons of which nothing is counted so far; a threshold ``above`` of the user takes precedence.

    >>> empty(3).inputs
    0
    """
    if above is not None:
        threshold = above
    counts = np.zeros(s, np.int64), np.zeros(s + 1, np.int64), np.zeros(len(EDGES), np.int64)
    return Measurement(s, 0, *counts, threshold, rest=np.zeros((0, s), np.bool_))


def count(found: Measurement, outputs: NDArray[Any]) -> None:
    """Count the sizes of an array (inputs, neurons).

    >>> found = empty(2)
    >>> count(found, np.array([[-1.0, 0.0]]))
    >>> found.histogram
    array([0, 1, 0])
    """
    for rows in slices(len(outputs), block_rows(found.s)):
        sizes = np.abs(outputs[rows])
        count_sizes(found, sizes[-found.inputs % SAMPLED :: SAMPLED])
        count_active(found, sizes > found.threshold)


def count_sizes(found: Measurement, sizes: NDArray[Any]) -> None:
    """Count how many sizes lie in each of the intervals."""
    if sizes.dtype != np.float32:
        sizes = np.minimum(sizes, LARGEST_SINGLE).astype(np.float32)
    places = np.ascontiguousarray(sizes).view(np.int32) >> BITS
    found.sizes += np.bincount(places.ravel(), minlength=len(EDGES))[: len(EDGES)]  # NaN has a place beyond them


def count_active(found: Measurement, active: NDArray[np.bool_]) -> None:
    """Count who is active, 16 inputs at a time that follow each other, also across blocks."""
    found.inputs += len(active)
    found.histogram += np.bincount(active.sum(axis=1, dtype=np.int32), minlength=found.s + 1)
    joined = active
    if len(found.rest):
        joined = np.concatenate([found.rest, active])
    runs = len(joined) // RUN
    used = joined[: runs * RUN].view(np.uint8).reshape(runs, RUN, found.s).sum(axis=1, dtype=np.uint8)
    found.runs += runs
    found.run_used += int(np.count_nonzero(used))
    found.active_at += used.sum(axis=0, dtype=np.int64)
    found.rest = joined[runs * RUN :].copy()


def known(found: Measurement, notes: tuple[str, ...]) -> Measurement:
    """A copy that does not grow with the measurement, with the last inputs and what is known of the layer.

    >>> known(empty(1), ("Nothing.",)).notes
    ('Nothing.',)
    """
    arrays = {name: getattr(found, name).copy() for name in ("active_at", "histogram", "sizes")}
    arrays["active_at"] += found.rest.sum(axis=0)
    return replace(found, **arrays, rest=found.rest[:0], notes=notes)


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
    inputs = 0
    for batch in batches:
        array = plain(name, batch)
        if array.ndim < 2 or not array.shape[-1]:
            rule = "must have at least 2 axes, and at least one neuron, which is a column"
            raise ValueError(f"Argument '{name}' {rule}; its shape is {array.shape}.")
        columns = columns or array.shape[-1]
        if array.shape[-1] != columns:
            raise ValueError(f"Argument '{name}' must have {columns} columns, not {array.shape[-1]}.")
        flat = array.reshape(-1, columns)
        inputs += len(flat)
        for rows in slices(len(flat), block_rows(columns)):
            block = checks.real_array(name, flat[rows], 2, convert=False)
            yield block.astype(np.result_type(block, np.float32))  # a copy: a loader may reuse its memory
    if not inputs:
        raise ValueError(f"Argument '{name}' must have at least one row, which is an input; it has none.")
