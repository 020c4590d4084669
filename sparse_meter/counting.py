r"""How many neurons are active on given inputs, which ones, and what that saves: counted once, in one pass.

``measure`` takes a layer and its inputs, or its pre-activations alone, in memory, in a memory map or in batches, and
returns a ``Measurement``. All that it keeps are counts and maxima over inputs, so that the measurements of shards add.
Which neurons are active is decided by the arithmetic of the arrays, as when the layer runs: in float32, or in float64
if the layer or the inputs are. (``SparseNetwork.active`` decides it exactly at integer points.)

Paper: Definition 1 (how many are active at most), Definition 2 (the scale), section 1 on dead and dynamic sparsity.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from itertools import chain
from math import isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core import checks
from sparse_core._arrays import Integers, each
from sparse_core.network.activity import THREAD_MULTIPLY_ADDS
from sparse_core.network.network import Scale, SparseNetwork

from . import tables
from .layer import Layer, Unit, as_layer, last_step, plain

__all__ = ["ALIGNMENT", "Measurement", "measure"]

# Entries of the pre-activations that are computed and counted at a time: 4 MB of float32. With more, the passes over
# them leave the cache; with fewer, a product takes longer, by 6 % at 128 rows of 768 inputs.
BLOCK_ENTRIES = 1 << 20
# Rows of inputs to a block, at most. All such numbers are powers of two, so that they divide this one.
ALIGNMENT = 1024
# The sweep counts z >= t for these t, from 0.0002 to 1024: fixed, so that the sweeps of shards add.
THRESHOLDS = tuple(2.0**e for e in range(-12, 11))
QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
# Groups of the histogram of a report.
BARS = 12
# A measured share of 0 among m independent inputs excludes, at the level of 5 %, a probability above this number / m.
RULE_OF_THREE = 3.0
# The sizes of a batch in the table of a report, as far as there are inputs.
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
# Factors that are multiplied neuron by neuron; with more, a table over the counts takes less time.
FACTORS = 1024
# The largest size of an entry of the inputs: the sum of the squares of a row is then a float64.
MAX_SIZE = 1e150


@dataclass(frozen=True, eq=False, repr=False)
class Measurement:
    """Who was active on ``inputs`` inputs, as counts that add: ``first + second`` is the measurement of both samples.

    s, n, outputs : the numbers of neurons, inputs and outputs; None if they are not known.
    active_at : (s,) at how many inputs each neuron was active.
    histogram : (s + 1,) at how many inputs 0, 1, ..., s neurons were active.
    scale, balanced_W : (W, B) of Definition 2, the largest over all outputs, and max_j |u_j| ||w_j||, which is the W of
        the same function with the weights balanced; None where Definition 2 does not apply.
    R : the largest norm of an input.
    largest : the largest pre-activation minus threshold.
    sweep_total, sweep_max : for each of THRESHOLDS t, the sum and the maximum over the inputs of the number of
        neurons with z >= t (above their own threshold, and among the k largest, if the unit has these).
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
    scale: Scale | None = None
    balanced_W: float | None = None
    R: float | None = None
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

    def quantile(self, q: float) -> int:
        """The least k such that at a share q of the inputs at most k neurons were active.

        >>> measure([[1.0, -1.0], [2.0, 3.0], [1.0, 1.0]]).quantile(0.5)
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

        >>> found = measure([[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]])
        >>> found.union(1), round(found.union(2), 9), found.union(3)
        (1.0, 1.666666667, 2.0)
        """
        m = checks.integer("m", m, 1, self.inputs)
        M = self.inputs
        counts = self.active_at
        unused: NDArray[Any]
        if m <= FACTORS:  # the factors (M - c - i) / (M - i), i < m, of which one is 0 if c > M - m
            unused = np.ones(self.s)
            for i in range(m):
                unused *= np.maximum(M - i - counts, 0) / (M - i)
        else:  # the same number has the factors (M - m - i) / (M - i), i < c; from `last` on it is below 2^-53
            last = min(M, int(64 * M / m) + 1)
            i = np.arange(last)
            product = np.concatenate([[1.0], np.cumprod(np.maximum(M - m - i, 0) / (M - i))])
            unused = product[np.minimum(counts, last)]
        return float((1 - unused).sum())

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

    def __add__(self, other: Measurement) -> Measurement:
        """The measurement of both samples of the same layer.

        >>> first, second = measure([[1.0, -1.0]]), measure([[2.0, 3.0], [1.0, 1.0]])
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
        return replace(
            self,
            inputs=self.inputs + other.inputs,
            active_at=self.active_at + other.active_at,
            histogram=self.histogram + other.histogram,
            sweep_total=self.sweep_total + other.sweep_total,
            sweep_max=np.maximum(self.sweep_max, other.sweep_max),
            largest=max(self.largest, other.largest),
            R=None if self.R is None or other.R is None else max(self.R, other.R),
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
        )

    # The report

    def text(self) -> str:
        """The report, as text."""
        parts = [f"{title}\n{tables.as_text(*part)}" for title, part in self._parts().items()]
        notes = [tables.printable(note) for note in self.notes]
        return "\n\n".join([repr(self), *parts, "\n".join(notes)]).strip()

    def to_dict(self) -> dict[str, Any]:
        """The report as lists, dictionaries, strings and finite numbers, for JSON; None is what is not known.

        >>> sorted(measure([[1.0, -1.0]]).to_dict())[:5]
        ['R', 'active', 'active_at', 'always_on', 'balanced_W']
        """
        derived = [
            "max_active", "mean_active", "dead", "always_on", "dynamic", "effective", "variance",
            "independent_variance", "coactivation", "saved",
        ]  # fmt: skip
        found: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        found = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in found.items()}
        found["notes"] = list(self.notes)
        found["scale"] = None if self.scale is None else self.scale._asdict()
        found |= {name: getattr(self, name) for name in derived}
        found["active"] = {f"{q:g}": self.quantile(q) for q in QUANTILES}
        found["union"] = [{"batch": m, "used": used} for m, used in self._unions()]
        found["sweep"] = [{"threshold": t, "mean": mean, "max": most} for t, mean, most in self.sweep]
        return found

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        shown = f"<p>{'<br>'.join(map(html.escape, self._lines()))}</p>"
        parts = "".join(tables.as_html(*part, caption=[title]) for title, part in self._parts().items())
        shown += f"<details><summary>Histogram, thresholds, work saved</summary>{parts}</details>"
        return shown + "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)

    def _lines(self) -> Iterator[str]:
        """The sentences of the report."""
        s = self.s
        many = "" if self.n is None else f", {self.n} inputs"
        outputs = "" if self.outputs is None else f", {self.outputs} outputs"
        unit = f"{'gated ' if self.gated else ''}{self.unit}"
        yield f"{s} neurons{many}{outputs}, {unit}; measured on {self.inputs} inputs."
        yield (
            f"Active at once: at most {self.max_active}, on average {self.mean_active:.5g} of {s} "
            f"({self.mean_active / s:.2%}), at least {self.quantile(0)}."
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

    def _parts(self) -> dict[str, tuple[list[str], list[list[str]]]]:
        """The tables of the report, by their titles."""
        saved = [[name, f"{share:.1%}"] for name, share in self.saved.items() if share is not None]
        quantiles = [f"{self.quantile(q)}" for q in QUANTILES]
        found = {
            "Quantiles of the number active, over the inputs": ([f"{q:.0%}" for q in QUANTILES], [quantiles]),
            "Histogram of the number active": (["active neurons", "inputs"], self._bars()),
            "Neurons that a batch of so many of these inputs uses, expected": (
                ["batch", "used", "share"],
                [[f"{m}", f"{used:.5g}", f"{used / self.s:.1%}"] for m, used in self._unions()],
            ),
            "With a threshold": (["z at least", "mean active", "at most"], self._sweep_rows()),
            "Multiply-adds of the layer": (["saved by", "share"], saved),
        }
        return {title: part for title, part in found.items() if part[1]}

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
                rows.append([f"{threshold:.4g}" if threshold else "> 0", f"{mean:.5g}", f"{most}"])
                before = mean
        return rows


def measure(network: Any, X: Any = None, *, layer: str | None = None, unit: str | Unit | None = None) -> Measurement:
    """max_x |R_x|, mean |R_x|, who is dead, dynamic or always on, and more, over all the inputs.

    Parameters
    ----------
    network, layer : as for ``as_layer``: arrays, a ``SparseNetwork``, a module of PyTorch, a model of Keras or
        scikit-learn, a ``files.read(path)``. Without X, the pre-activations z themselves, an array (inputs, neurons).
    X : inputs (m, n), one in each row. Of more axes than two, all but the last count inputs, as positions in batches.
        An array, a memory map, a tensor, or an iterable of such batches, which is read once.
    unit : "relu", "relu2", "shifted:t", "thresholded:t" or "top-k:k", where the network does not say: see ``Unit``.

    Notes
    -----
    Samples of independent inputs bound a maximum from below, and a share up to a confidence interval. If the lengths of
    shards are multiples of ALIGNMENT, the sum of their measurements is that of the whole to the last bit; otherwise
    only signs of pre-activations within round-off of 0 may differ. Those of given pre-activations never do.

    The pre-activations of one layer of any model in PyTorch, saved while it runs; "sparse-meter measure Z.npy" or
    measure(numpy.load("Z.npy", mmap_mode="r")) then counts:

        saved = []

        def save(module, inputs, output):
            saved.append(output.detach().float().cpu().flatten(0, -2))

        handle = model.layers[3].fc1.register_forward_hook(save)
        with torch.no_grad():
            for batch in loader:
                model(batch)
        handle.remove()
        numpy.save("Z.npy", torch.cat(saved))

    >>> found = measure(([1, -1], [[1, 1], [-1, -1]], [1, 1]), [[1, 1], [1, -1], [-1, -1], [-1, 1]])
    >>> found.max_active, found.mean_active, found.dead, found.saved["skip neurons"]
    (1, 0.5, 0, 0.75)
    """
    if X is None:
        return _of_pre_activations(network, unit)
    network, X = last_step(network, X)
    known = as_layer(network, layer, unit)
    W = known.W
    shift = known.b + np.asarray(known.unit.threshold, dtype=known.b.dtype)
    reach = float(np.abs(W).sum(axis=1, dtype=np.float64).max())
    offset = float(np.abs(shift).max())
    scale, balanced_W = _scale(known)

    def count(block: NDArray[Any]) -> Measurement:
        dtype = np.result_type(block, W, shift)
        size = max(float(block.max(initial=0)), -float(block.min(initial=0)))
        if not (size < MAX_SIZE and size * reach + offset < float(np.finfo(dtype).max) / 4):
            checks.entries("X", block, np.isfinite(block), "must be finite")
            raise ValueError(f"Arguments 'network' and 'X' must be smaller: sums of theirs overflow {dtype.name}.")
        R = sqrt(np.einsum("ij,ij->i", block, block, dtype=np.float64).max())
        z = block.astype(dtype, copy=False) @ W.T.astype(dtype, copy=False)
        z -= shift
        return _counted(
            z, known.unit, n=known.n, outputs=known.outputs, gated=known.up is not None, scale=scale,
            balanced_W=balanced_W, R=R, notes=(*known.notes, f"Computed in {dtype.name}."),
        )  # fmt: skip

    batches = _batches("X", X)
    large = not isinstance(batches, list) or batches[0].size * known.s >= THREAD_MULTIPLY_ADDS
    return _sum("X", count, _blocks("X", batches, known.n, known.s), large)


def _of_pre_activations(Z: Any, unit: str | Unit | None) -> Measurement:
    """The measurement of pre-activations z, whose weights are not known."""
    if isinstance(Z, (Layer, SparseNetwork)) or hasattr(Z, "state_dict") or hasattr(Z, "coefs_"):
        raise ValueError("Argument 'X' must be given: the inputs on which the network is measured.")
    name = "network"
    known = Unit.parse(unit or "relu")
    batches = iter(_batches(name, Z))
    first = next(batches, None)
    if first is None or not first.size:
        raise ValueError(f"Argument '{name}' must be pre-activations of at least one input and one neuron.")
    s = first.shape[1]
    checks.integer("k", known.k or 1, 1, s)
    notes = ("Pre-activations were given: the weights and the inputs are not known.",)

    def count(block: NDArray[Any]) -> Measurement:
        if not np.isfinite(block.max() - block.min()):
            checks.entries(name, block, np.isfinite(block), "must be finite")
        return _counted(block - np.asarray(known.threshold, dtype=block.dtype), known, notes=notes)

    return _sum(name, count, _blocks(name, chain([first], batches), s, s), first.size >= BLOCK_ENTRIES)


def _counted(z: NDArray[Any], unit: Unit, **facts: Any) -> Measurement:
    """The counts of z > 0, for pre-activations minus thresholds z, which are overwritten."""
    if unit.k is not None:
        _keep_largest(z, unit.k)
    m, s = z.shape
    largest = float(z.max())
    active = z > 0
    sweep_total = np.zeros(len(THRESHOLDS), np.int64)
    sweep_max = np.zeros(len(THRESHOLDS), np.int64)
    for i, threshold in enumerate(THRESHOLDS):
        if largest < threshold:
            break
        K = _row_sums(z >= threshold)
        sweep_total[i] = K.sum()
        sweep_max[i] = K.max()
    return Measurement(
        s=s, unit=repr(unit), inputs=m, active_at=active.sum(axis=0),
        histogram=np.bincount(_row_sums(active), minlength=s + 1),
        sweep_total=sweep_total, sweep_max=sweep_max, largest=largest, **facts,
    )  # fmt: skip


def _row_sums(flags: NDArray[np.bool_]) -> Integers:
    """The number of True in each row; 4 times as quick as count_nonzero."""
    return np.asarray(flags.sum(axis=1, dtype=np.uint32), dtype=np.int64)


def _sum(
    name: str, count: Callable[[NDArray[Any]], Measurement], blocks: Iterable[NDArray[Any]], large: bool
) -> Measurement:
    """The measurement of all blocks."""
    total: list[Measurement] = []
    each(count, blocks, large, lambda part: total.append(total.pop() + part if total else part))
    if not total:
        raise ValueError(f"Argument '{name}' must have at least one row, which is an input; it has none.")
    return total[0]


def _keep_largest(z: NDArray[Any], k: int) -> None:
    """Set to 0 in each row all but the k largest, of equal ones the first."""
    s = z.shape[1]
    least = np.partition(z, s - k, axis=1)[:, s - k, None]
    out = z < least
    extra = s - np.count_nonzero(out, axis=1) - k
    for i in np.flatnonzero(extra):
        equal = np.flatnonzero(z[i] == least[i])
        out[i, equal[len(equal) - extra[i] :]] = True
    np.copyto(z, 0, where=out)


def _batches(name: str, X: Any) -> Iterable[NDArray[Any]]:
    """X as arrays of rows: one in a list if X is one array, otherwise those that an iterable gives, copied."""
    if isinstance(X, (str, bytes, dict)) or not (hasattr(X, "__iter__") or hasattr(X, "__array__")):
        raise TypeError(f"Argument '{name}' must be an array or an iterable of arrays, not {type(X).__name__}.")
    several = isinstance(X, (list, tuple)) and len(X) > 0 and getattr(X[0], "ndim", 0) >= 2
    if several or not (isinstance(X, (list, tuple)) or hasattr(X, "shape")):
        return (_as_rows(name, batch).copy() for batch in X)  # a copy, since a loader may reuse its memory
    return [_as_rows(name, X)]


def _as_rows(name: str, X: Any) -> NDArray[Any]:
    """A (rows, columns) array of float32 or float64, not checked to be finite; all axes but the last make the rows."""
    array = plain(name, X)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"Argument '{name}' must be an array of real numbers, not of type {array.dtype}.")
    if array.ndim < 2:
        raise ValueError(f"Argument '{name}' must have at least 2 axes, not {array.ndim} (its shape is {array.shape}).")
    return array.reshape(-1, array.shape[-1]) if array.size else array.reshape(0, array.shape[-1])


def _blocks(name: str, batches: Iterable[NDArray[Any]], columns: int, s: int) -> Iterator[NDArray[Any]]:
    """All rows in blocks for s neurons, whatever the lengths of the batches; the last block may be shorter."""
    rows = min(ALIGNMENT, 1 << (max(1, BLOCK_ENTRIES // s).bit_length() - 1))
    pending: list[NDArray[Any]] = []
    missing = rows
    for batch in batches:
        if batch.shape[1] != columns:
            raise ValueError(f"Argument '{name}' must have {columns} columns, not {batch.shape[1]}.")
        start = 0
        while start < len(batch):
            piece = batch[start : start + missing]
            start += len(piece)
            missing -= len(piece)
            pending.append(piece.astype(np.float32 if np.can_cast(piece.dtype, np.float32) else np.float64, copy=False))
            if missing == 0:
                yield np.concatenate(pending)
                pending = []
                missing = rows
    if pending:
        yield np.concatenate(pending)


def _scale(layer: Layer) -> tuple[Scale | None, float | None]:
    """(W, B) of Definition 2, the largest over all outputs, and max_j |u_j| ||w_j||; None where it does not apply."""
    if layer.U is None or not len(layer.U) or layer.up is not None or layer.unit.kind not in ("relu", "shifted"):
        return None, None
    norms = np.sqrt(np.einsum("ij,ij->i", layer.W, layer.W, dtype=np.float64))
    u = np.abs(layer.U).max(axis=0).astype(np.float64)
    largest = float(u.max())
    scale = Scale(largest * float(norms.max()), largest * float(np.abs(layer.b + layer.unit.threshold).max()))
    if not (isfinite(scale.W) and isfinite(scale.B)):
        raise ValueError("Argument 'network' must have smaller weights: its scale (W, B) is not a finite number.")
    return scale, float((u * norms).max())
