r"""Counts of active neurons, which add: how many at a time, which ones, and what that saves.

A ``Measurement`` keeps counts and maxima over inputs alone, so that the measurements of shards add. ``measuring`` makes
it of models and layers; here are the blocks in which rows are counted.

Paper: Definition 1 (how many are active at most), section 1 on dead and dynamic sparsity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core import checks
from sparse_core._arrays import Integers, each, slices
from sparse_core.network import activity
from sparse_core.network.network import Scale

from . import tables
from .layer import KINDS, Unit, plain

__all__ = ["ALIGNMENT", "Measurement", "Measurements"]  # the rest is called by ``measure``

# Entries of the pre-activations that are computed and counted at a time: 4 MB of float32. With more, the passes over
# them leave the cache; with fewer, a product takes longer, by 6 % at 128 rows of 768 inputs.
BLOCK_ENTRIES = 1 << 20
# Rows of inputs to a block, at most. The rows of a block are a power of two, so that they divide this one.
ALIGNMENT = 4096
# The sweep counts z >= t for these t, from 0.0002 to 1024: fixed, so that the sweeps of shards add.
THRESHOLDS = tuple(2.0**e for e in range(-12, 11))
# Outputs are sorted by size into intervals, 32 to each power of two: by a float32 without its last MANTISSA bits.
MANTISSA = 18
SIZES = ((np.arange(0x7F800000 >> MANTISSA, dtype=np.int32) + 1) << MANTISSA).view(np.float32).astype(np.float64)
SIZES[-1] = np.finfo(np.float32).max
MIDDLES = np.append(0.0, (SIZES[1:] + SIZES[:-1]) / 2)
# Sizes that are sorted at a time: memory for half a megabyte of numbers is kept, and not asked for again.
SLICE_ENTRIES = 1 << 16
# Counting a number that is given takes about as long as this many multiply-adds.
GIVEN_PRODUCTS = 64
# Neurons below which given numbers are copied, so that those of a neuron stand beside each other.
NARROW = 128
# Truth values that a byte counts.
BYTE = 255
# The shares of the outputs that CATS and TEAL drop at least and at most.
DROPPED = (0.5, 0.9)
QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
# Groups of the histogram of a report.
BARS = 12
# A measured share of 0 among m independent inputs excludes, at the level of 5 %, a probability above this number / m.
RULE_OF_THREE = 3.0
# The sizes of a batch in the table of a report, as far as there are inputs.
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
# What "active" means, by the kind of the unit; for all others it is the size of an output.
POSITIVE = "a pre-activation above 0, that is an output that is not 0"
ABOVE_ITS_OWN = "a pre-activation above its threshold ({}), that is an output not 0"
MEANINGS = {
    "relu": POSITIVE, "relu2": POSITIVE, "shifted": ABOVE_ITS_OWN, "thresholded": ABOVE_ITS_OWN,
    "top-k": "a pre-activation above 0 and among the {} largest of its input, that is an output not 0",
    "nonzero": "an output that is not 0",
}  # fmt: skip
MORE = "Histogram, batches, thresholds, work saved"


@dataclass(frozen=True, eq=False, repr=False)
class Measurement(tables.Shown):
    """Who was active on ``inputs`` inputs, as counts that add: ``first + second`` is the measurement of both samples.

    s, n, outputs : the numbers of neurons, inputs and outputs; None if they are not known.
    active_at : (s,) at how many inputs each neuron was active.
    histogram : (s + 1,) at how many inputs 0, 1, ..., s neurons were active.
    scale, balanced_W : (W, B) of Definition 2, the largest over all outputs, and max_j |u_j| ||w_j||, which is the W of
        the same function with the weights balanced; None where Definition 2 does not apply.
    R : the largest norm of an input.
    unit : who counts as active, as ``Unit`` writes it: pre-activations z > 0, or |outputs| above a threshold.
    largest : the largest z, the pre-activation minus threshold, or |output|.
    sweep_total, sweep_max : for each of THRESHOLDS t, the sum and the maximum over the inputs of the number of
        neurons with z >= t (above their own threshold, and among the k largest, if the unit has these).
    sizes : where outputs are counted by their size, how many of them lie in each interval [SIZES[i - 1], SIZES[i]).
    notes : what was measured and what was assumed, in the order in which a report begins with it.
    """

    s: int
    unit: str
    inputs: int
    active_at: Integers
    histogram: Integers
    sweep_total: Integers
    sweep_max: Integers
    largest: float
    n: int | None = None
    outputs: int | None = None
    gated: bool = False
    sizes: Integers | None = None
    scale: Scale | None = None
    balanced_W: float | None = None
    R: float | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, Z: Any, activation: str | Unit = "relu") -> Measurement:
        """The measurement of pre-activations, or of outputs, in an array: ``measure(Z)``."""
        return of_arrays("network", Z, Unit.parse(activation))

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
        counted = [(int(k), int(self.histogram[k])) for k in self.histogram.nonzero()[0]]
        total = sum(k * m for k, m in counted)
        squares = sum(k * k * m for k, m in counted)
        return (self.inputs * squares - total**2) / self.inputs**2

    @property
    def independent_variance(self) -> float:
        """sum_j p_j (1 - p_j): what the variance would be if the neurons were independent."""
        m = self.inputs
        return sum(int(c) * (m - int(c)) for c in self.active_at) / m**2

    @property
    def coactivation(self) -> float | None:
        """Var |R_x| / sum_j p_j (1 - p_j): 1 for independent neurons, more if they fire together, less if in turn."""
        return self.variance / self.independent_variance if self.independent_variance else None

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

    @property
    def effective(self) -> int:
        """The number of neurons that remain when those that were active nowhere are deleted."""
        return self.s - self.dead

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
    def saved(self) -> dict[str, float | None]:
        """The share of the layer's multiply-adds that skipping saves, on average and at the worst input.

        "delete the dead": those never active here. "skip outputs": all pre-activations are computed, then the inactive
        neurons are left out of what follows. "skip neurons": the active ones are known before, as by a predictor.
        """
        inactive = 1 - self.mean_active / self.s
        worst = 1 - self.max_active / self.s
        later: float | None = None
        if self.n is not None and self.outputs is not None:
            after = self.outputs + self.n * self.gated
            later = after / (after + self.n) if after else 0.0
        return {
            "delete the dead": self.dead / self.s,
            "skip outputs": None if later is None else inactive * later,
            "skip outputs, worst input": None if later is None else worst * later,
            "skip neurons": inactive,
            "skip neurons, worst input": worst,
        }

    @property
    def sweep(self) -> list[tuple[float, float, int]]:
        """(t, mean, maximum) of the number of neurons with z >= t, for each threshold t; the first is z > 0."""
        found = zip(THRESHOLDS, self.sweep_total, self.sweep_max, strict=True)
        return [(0.0, self.mean_active, self.max_active), *((t, int(a) / self.inputs, int(b)) for t, a, b in found)]

    @property
    def dropping(self) -> list[tuple[float, float, float]]:
        """(t, share, squares): the least t of SIZES below which are 50, and 90 % of the outputs; None of it by sign.

        share is exactly that of the outputs with |output| < t, which a program drops that cuts there, as CATS and TEAL
        do; squares is about their share of the sum of squares of all outputs.
        """
        if self.sizes is None:
            return []
        below = self.sizes.cumsum()
        squares = (self.sizes * MIDDLES**2).cumsum()
        found = []
        for share in DROPPED:
            i = int(np.searchsorted(below, share * below[-1]))
            part = float(squares[i] / squares[-1]) if squares[-1] else 0.0
            found.append((float(SIZES[i]), int(below[i]) / int(below[-1]), part))
        return found

    def __add__(self, other: Measurement) -> Measurement:
        """The measurement of both samples of the same layer.

        >>> first, second = Measurement.of([[1.0, -1.0]]), Measurement.of([[2.0, 3.0], [1.0, 1.0]])
        >>> (first + second).max_active, (first + second).inputs
        (2, 3)
        """
        if not isinstance(other, Measurement):
            return NotImplemented
        same = ("s", "n", "outputs", "unit", "gated", "scale", "balanced_W")
        for name in same:
            if getattr(self, name) != getattr(other, name):
                raise ValueError(
                    f"Measurements must be of the same layer to be added: {name} is {getattr(self, name)} and "
                    f"{getattr(other, name)}."
                )
        sums = ("inputs", "active_at", "histogram", "sweep_total")
        both = {name: getattr(self, name) + getattr(other, name) for name in sums}
        both["sweep_max"] = np.maximum(self.sweep_max, other.sweep_max)
        both["largest"] = max(self.largest, other.largest)
        both["sizes"] = None if self.sizes is None or other.sizes is None else self.sizes + other.sizes
        both["R"] = None if self.R is None or other.R is None else max(self.R, other.R)
        both["notes"] = tuple(dict.fromkeys((*self.notes, *other.notes)))
        return Measurement(**{**vars(self), **both})

    # The report

    def to_dict(self) -> dict[str, Any]:
        """The report as lists, dictionaries, strings and finite numbers, for JSON; None is what is not known.

        >>> list(Measurement.of([[1.0, -1.0]]).to_dict())[:4]
        ['notes', 'active_means', 's', 'unit']
        """
        derived = [
            "max_active", "mean_active", "dead", "always_on", "dynamic", "effective", "variance",
            "independent_variance", "coactivation", "saved",
        ]  # fmt: skip
        found: dict[str, Any] = {"notes": list(self.notes), "active_means": self.active_means}
        for name, value in vars(self).items():
            if name not in ("notes", "sizes"):
                found[name] = value.tolist() if isinstance(value, np.ndarray) else value
        found["scale"] = None if self.scale is None else self.scale._asdict()
        found |= {name: getattr(self, name) for name in derived}
        found["active"] = {f"{q:g}": self.quantile(q) for q in QUANTILES}
        found["union"] = [{"batch": m, "used": used} for m, used in self._unions()]
        found["sweep"] = [{"threshold": t, "mean": mean, "max": most} for t, mean, most in self.sweep]
        found["dropping"] = [{"threshold": t, "share": share, "squares": part} for t, share, part in self.dropping]
        return found

    def __repr__(self) -> str:
        return "\n".join(map(tables.printable, self.document().lines))

    @property
    def active_means(self) -> str:
        """What "active" means here, in a sentence."""
        kind, _, value = self.unit.partition(":")
        kind = kind.partition(",")[0]
        what = MEANINGS.get(kind, "an output of more than {} in size").format(value or "one for each neuron")
        gate = " of the gate" if self.gated and kind in KINDS else " (gate times value)" if self.gated else ""
        return f"Active means {what}{gate}."

    def document(self) -> tables.Document:
        """What was measured and assumed, and the tables."""
        quantiles = [f"{self.quantile(q)}" for q in QUANTILES]
        size = "z" if self.unit.startswith(KINDS) else "|output|"
        unions = [[f"{m}", f"{used:.5g}", f"{used / self.s:.1%}"] for m, used in self._unions()]
        saved = [[name, f"{share:.1%}"] for name, share in self.saved.items() if share is not None]
        parts = (
            tables.Table(
                "Quantiles of the number active, over the inputs", [f"{q:.0%}" for q in QUANTILES], [quantiles]
            ),
            tables.Table("Histogram of the number active", ["active neurons", "inputs"], self._bars()),
            tables.Table(
                "Neurons that a batch of so many of these inputs uses, expected", ["batch", "used", "share"], unions
            ),
            tables.Table("With a threshold", [f"{size} at least", "mean active", "at most"], self._sweep_rows()),
            tables.Table("Multiply-adds of the layer", ["saved by", "share"], saved),
        )
        lines = (*self.notes, self.active_means, *self._lines())
        return tables.Document(lines, tuple(part for part in parts if part.rows), MORE)

    def _lines(self) -> Iterator[str]:
        """The sentences of the report."""
        s = self.s
        many = "" if self.n is None else f", {self.n} inputs"
        outputs = "" if self.outputs is None else f", {self.outputs} outputs"
        gated = ", gated" if self.gated else ""
        yield f"{s} neurons{many}{outputs}{gated}; measured on {self.inputs} inputs."
        yield (
            f"Active at once: at most {self.max_active}, on average {self.mean_active:.5g} of {s} "
            f"({self.mean_active / s:.2%}), at least {self.quantile(0)}."
        )
        for t, share, part in self.dropping:
            yield (
                f"Dropping outputs below {t:.4g} in size, as CATS and TEAL do, drops {share:.1%} of them, with "
                f"about {part:.2g} of the sum of squares."
            )
        yield (
            f"Neurons: {self.dead} dead (active at none of these inputs), {self.always_on} always on, "
            f"{self.dynamic} dynamic; {self.effective} remain without the dead."
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
        if self.scale is not None:
            W, B = self.scale
            yield f"Scale (Definition 2): W = {W:.5g}, B = {B:.5g}; with balanced weights W = {self.balanced_W:.5g}."
        if self.R is not None:
            yield f"Largest norm of an input: R = {self.R:.5g}."

    def _unions(self) -> list[tuple[int, float]]:
        return [(m, self.union(m)) for m in BATCHES if m <= self.inputs]

    def _bars(self) -> list[list[str]]:
        """The histogram in at most BARS groups of equal width."""
        low = self.quantile(0)
        width = -(-(self.max_active + 1 - low) // BARS)
        rows = []
        for start in range(low, self.max_active + 1, width):
            end = min(start + width, self.s + 1) - 1
            count = int(self.histogram[start : end + 1].sum())
            rows.append([f"{start}" if start == end else f"{start} to {end}", f"{count}"])
        return rows

    def _sweep_rows(self) -> list[list[str]]:
        """The thresholds at which something changes."""
        rows: list[list[str]] = []
        before = self.mean_active
        for threshold, mean, most in self.sweep:
            if not rows or abs(mean - before) > 0.01 * self.mean_active:
                rows.append([f"{threshold:.4g}" if threshold else "as above", f"{mean:.5g}", f"{most}"])
                before = mean
        return rows


class Measurements(tables.Shown, dict[str, Measurement]):
    """The measurements of the layers of one model, by their names; printed, a line for each.

    >>> Measurements({"fc1": Measurement.of([[1.0, -1.0]])}).text().splitlines()[-1]
    'fc1    2        1 (50.00%)   1        1     a pre-activation above 0, that is an output that is not 0'
    """

    def __init__(self, found: Mapping[str, Measurement], notes: tuple[str, ...] = ()) -> None:
        if not isinstance(found, Mapping):
            raise TypeError(f"Argument 'found' must be a mapping from names to measurements, not {found!r}.")
        super().__init__(found)
        self.notes = notes

    def to_dict(self) -> dict[str, Any]:
        """Dictionaries for JSON, by the names of the layers."""
        return {"notes": [*self.notes], "layers": {name: found.to_dict() for name, found in self.items()}}

    def document(self) -> tables.Document:
        """What was assumed, and a line for each layer."""
        header = ["layer", "neurons", "mean active", "at most", "dead", "active means"]
        rows = [
            [
                tables.printable(name), f"{one.s}", f"{one.mean_active:.5g} ({one.mean_active / one.s:.2%})",
                f"{one.max_active}", f"{one.dead}", one.active_means.removeprefix("Active means ").rstrip("."),
            ]
            for name, one in self.items()
        ]  # fmt: skip
        return tables.Document(self.notes, (tables.Table("Layers", header, rows),), "", shown=1)


def of_arrays(name: str, Z: Any, unit: Unit, **facts: Any) -> Measurement:
    """The measurement of pre-activations, or of outputs that were seen, whose weights are not known.

    >>> of_arrays("Z", [[0.5, 0.0]], Unit("nonzero")).max_active
    1
    """

    def count(block: NDArray[Any]) -> Measurement:
        checks.integer("k", unit.k or 1, 1, block.shape[1])
        if not np.isfinite(block.max() - block.min()):
            checks.entries(name, block, np.isfinite(block), "must be finite")
        # Of few neurons the counts of an input are slow where they stand beside each other in memory.
        return counted(np.asfortranarray(block) if block.shape[1] < NARROW else block, unit, **facts)

    return added(name, Z, count)


def counted(z: NDArray[Any], unit: Unit, up: NDArray[Any] | None = None, label: str = "", **facts: Any) -> Measurement:
    """The counts of a block of pre-activations z; up is what outputs are multiplied by.

    label : the unit of the report, if another one.

    >>> counted(np.array([[2.0, 1.0, -3.0]]), Unit("shifted", 1.0)).max_active
    1
    """
    m, s = z.shape
    sizes = None
    limit = 0.0
    if unit.by_size:
        z = unit.output(z)
        z = np.abs(z if up is None else z * up)
        limit = float(unit.threshold)
        if unit.kind != "nonzero":
            single = np.minimum(z, float(SIZES[-1])).astype(np.float32, copy=False)
            places = (single.view(np.int32) >> MANTISSA).ravel("K")
            parts = [np.bincount(places[part], minlength=SIZES.size) for part in slices(len(places), SLICE_ENTRIES)]
            sizes = np.sum(parts, axis=0)
    elif np.any(unit.threshold):
        z = z - np.asarray(unit.threshold, dtype=z.dtype)
    if unit.k is not None:
        z = _keep_largest(z, unit.k)
    active = z > limit
    largest = float(z.max())
    above = np.empty_like(active)
    none = np.zeros(1, np.int64)
    reached = [_along(np.greater_equal(z, t, out=above), 1) if t <= largest else none for t in THRESHOLDS]
    return Measurement(
        s=s, unit=label or repr(unit), inputs=m, active_at=_along(active, 0),
        histogram=np.bincount(_along(active, 1).astype(np.intp), minlength=s + 1),
        sweep_total=np.array([counts.sum() for counts in reached]),
        sweep_max=np.array([counts.max() for counts in reached]), largest=largest, sizes=sizes, **facts,
    )  # fmt: skip


def _along(flags: NDArray[np.bool_], axis: int) -> Integers:
    """How many are true along an axis: across memory in bytes, which is three times as quick as in longer integers."""
    flags = np.moveaxis(flags.view(np.uint8), axis, 0)
    if flags.strides[0] == 1:
        return np.asarray(flags.sum(axis=0, dtype=np.min_scalar_type(len(flags))), np.int64)
    parts = [flags[part].sum(axis=0, dtype=np.uint8) for part in slices(len(flags), BYTE)]
    return np.asarray(np.sum(parts, axis=0, dtype=np.int64))


def added(
    name: str, X: Any, count: Callable[[NDArray[Any]], Measurement], n: int | None = None, s: int | None = None
) -> Measurement:
    """The sum of the measurements of all rows of X in blocks, as float32 or float64; X has n columns, for s neurons.

    >>> added("X", [np.ones((2, 3)), np.ones((1, 3))], lambda z: counted(z, Unit())).inputs
    3
    """

    def blocks() -> Iterator[NDArray[Any]]:
        columns = n
        for part in (parts := given(name, X)):
            batch = _as_rows(name, part)
            columns = batch.shape[1] if columns is None else columns
            if batch.shape[1] != columns:
                raise ValueError(f"Argument '{name}' must have {columns} columns, not {batch.shape[1]}.")
            if n is None and columns == 0:
                raise ValueError(f"Argument '{name}' must have at least one neuron, which is a column; it has none.")
            rows = min(ALIGNMENT, 1 << (max(1, BLOCK_ENTRIES // (s or columns)).bit_length() - 1))
            kind = np.float32 if np.can_cast(batch.dtype, np.float32) else np.float64
            copied = parts is X  # since a loader may reuse its memory
            yield from (batch[block].astype(kind, copy=copied) for block in slices(len(batch), rows))

    total: list[Measurement] = []
    large = not isinstance(X, np.ndarray) or X.size * (s or GIVEN_PRODUCTS) >= activity.THREAD_MULTIPLY_ADDS
    each(count, blocks(), large, lambda part: total.append(total.pop() + part if total else part))
    if not total:
        raise ValueError(f"Argument '{name}' must have at least one row, which is an input; it has none.")
    return total[0]


def _keep_largest(z: NDArray[Any], k: int) -> NDArray[Any]:
    """z with 0 in each row for all but the k largest, of equal ones the first."""
    s = z.shape[1]
    least = np.partition(z, s - k, axis=1)[:, s - k, None]
    out = z < least
    extra = s - np.count_nonzero(out, axis=1) - k
    for i in np.flatnonzero(extra):
        equal = np.flatnonzero(z[i] == least[i])
        out[i, equal[len(equal) - extra[i] :]] = True
    return np.where(out, 0, z)


def given(name: str, X: Any) -> Iterable[Any]:
    """The batches in X: X alone, if it is one array, nested lists or one dictionary, and otherwise what X iterates.

    >>> len(list(given("X", [[1, 2], [3, 4]]))), len(list(given("X", [np.ones((2, 2)), np.ones((1, 2))])))
    (1, 2)
    """
    if isinstance(X, (str, bytes)) or not (hasattr(X, "__iter__") or hasattr(X, "__array__")):
        raise TypeError(f"Argument '{name}' must be an array or an iterable of arrays, not {type(X).__name__}.")
    if isinstance(X, (list, tuple)):
        several = len(X) > 0 and is_batch(X[0])
    else:
        several = not (hasattr(X, "shape") or isinstance(X, Mapping))
    return X if several else [X]


def is_batch(X: Any) -> bool:
    """Whether X is an array or tensor of inputs, or a dictionary, and no row of numbers.

    >>> is_batch(np.ones((2, 3))), is_batch([1, 2])
    (True, False)
    """
    return getattr(X, "ndim", 0) >= 2 or isinstance(X, Mapping)


def _as_rows(name: str, X: Any) -> NDArray[Any]:
    """A (rows, columns) array of float32 or float64, not checked to be finite; all axes but the last make the rows."""
    array = plain(name, X)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"Argument '{name}' must be an array of real numbers, not of type {array.dtype}.")
    if array.ndim < 2:
        raise ValueError(f"Argument '{name}' must have at least 2 axes, not {array.ndim} (its shape is {array.shape}).")
    return array.reshape(-1, array.shape[-1]) if array.size else array.reshape(0, array.shape[-1])
