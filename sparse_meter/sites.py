"""Where in a model neurons are counted: a ``Site`` for each activation function and the linear map before it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core._arrays import slices

from .counting import Measurement, block_rows, count, count_active, count_sizes, known

__all__: list[str] = []  # called by ``watch``


@dataclass(eq=False)
class Site:
    """An activation function where it is used, what was counted of it, and who reads it.

    own : the module that returns it, or in which it is called; ``leaf``, whether that may be nothing else.
    writer : the linear map before it.
    gate : whether it counts only if a linear map reads it; ``replaced``, whether a product or a top-k took its place.
    readers : the linear maps that read it, in order.
    said : what its report says beside the numbers; ``pads``, whether padding may be counted that no mask hides.
    experts, keep : of a mixture, how many there are, and for each input whether it is kept;
    parts : the inputs and experts of rows and who is active, until all experts have run.
    """

    own: str
    leaf: bool
    function: str
    writer: str
    gate: bool
    found: Measurement
    replaced: bool = False
    readers: dict[str, None] = field(default_factory=dict)
    said: dict[str, None] = field(default_factory=dict)
    pads: bool = False
    experts: int = 0
    keep: Any = None
    parts: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def stays(self) -> bool:
        """Whether it is a layer of the report."""
        return self.found.inputs > 0 and bool(self.readers or not (self.gate or self.replaced))

    @property
    def names(self) -> list[str]:
        """The names by which it may be chosen."""
        return [name for name in (self.own, *self.readers) if name]

    def add(self, A: NDArray[Any], axes: tuple[int, ...], keep: Any) -> None:
        """Count outputs whose neurons are along these axes, at the inputs that are kept."""
        if axes == (1,) and A.ndim > 2:
            self.said["Neurons are channels, inputs are positions."] = None
            used = (np.abs(A) > self.found.threshold).any(axis=tuple(range(2, A.ndim)))
            self.found.images += used.size // self.found.s
            self.found.image_used += int(np.count_nonzero(used))
        rows = np.moveaxis(A, axes, range(-len(axes), 0)).reshape(-1, self.found.s)
        count(self.found, rows[keep])

    def add_rows(self, A: NDArray[Any], slots: NDArray[Any], keep: Any, total: int) -> None:
        """Count outputs, a row for each input of an expert; who is active waits for the other experts."""
        s = A.shape[-1]
        self.said[f"Neurons are {self.experts} experts times {s}; those of one not chosen are not active."] = None
        self.keep = np.zeros(total, np.bool_)
        self.keep[keep] = True
        here = (slots >= 0) & self.keep[slots // self.experts]
        sizes = np.abs(A.reshape(-1, s)[here])
        count_sizes(self.found, sizes)
        self.parts.append((slots[here], sizes > self.found.threshold))

    def finish(self) -> None:
        """Count the inputs of which all experts have run; a neuron of one that was not chosen is not active."""
        slots, active = (np.concatenate(part) for part in zip(*self.parts, strict=True))
        self.parts.clear()
        order = np.argsort(slots, kind="stable")
        starts = np.searchsorted(slots[order], np.arange(len(self.keep) + 1) * self.experts)
        for rows in slices(len(self.keep), block_rows(self.found.s)):
            here = order[starts[rows.start] : starts[rows.stop]]
            block = np.zeros(((rows.stop - rows.start) * self.experts, active.shape[1]), np.bool_)
            block[slots[here] - rows.start * self.experts] = active[here]
            count_active(self.found, block.reshape(-1, self.found.s)[self.keep[rows]])
        self.found.sizes[0] += self.found.s * int(self.keep.sum()) - active.size

    def measurement(self, name: str) -> Measurement:
        """What was counted, and where."""
        inside = f", in {self.own}" * (self.own != "")
        read = f", read by {' and '.join(self.readers)}" * bool(self.readers)
        return known(self.found, (f"Layer {name}: {self.function}{inside}{read}, seen while it ran.", *self.said))


# The function of a site that is named by a linear map, whatever is before it.
ENTERS = "what enters it"


def named(sites: list[Site]) -> dict[str, Site]:
    """Sites by the modules that are their activation functions, or else by the linear maps that read them."""
    owners = [site.own for site in sites]
    found: dict[str, Site] = {}
    for site in sites:
        name = next(iter(site.readers), "")
        if site.leaf and owners.count(site.own) == 1:
            name = site.own
        if not name or name in found:
            name = name or f"{site.own}.{site.function}".strip(".")
            name += f" after {site.writer}" * (site.writer != "")
        times = sum(other.partition(" #")[0] == name for other in found)
        if times:
            name = f"{name} #{times + 1}"
        found[name] = site
    return found
