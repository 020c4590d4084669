"""Where in a model neurons are counted: a ``Site`` for each activation function and the linear map before it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .counting import RUN, Counter, Measurement

__all__: list[str] = []  # called by ``watch``


@dataclass(eq=False)
class Site:
    """An activation function where it is used, what was counted of it, and who reads it.

    own : the module that returns it, or in which it is called.
    readers : the linear maps that read it, with the numbers of their outputs.
    gate : whether it counts only if a linear map reads it; ``replaced``, whether a product or a top-k took its place.
    experts : of how many experts its neurons are, if of several.
    scope : of experts, the module that picks their inputs.
    rows : of experts, for each choice of them: the inputs, their experts, and who was active.
    """

    own: str
    function: str
    s: int
    threshold: float
    module: bool
    gate: bool = False
    product: bool = False
    replaced: bool = False
    readers: dict[str, int] = field(default_factory=dict)
    writer: str = ""
    n: int | None = None
    experts: int = 0
    scope: str | None = None
    precision: str = ""
    said: dict[str, None] = field(default_factory=dict)
    rows: dict[Any, list[Any]] = field(default_factory=dict)
    counter: Any = None

    @property
    def stays(self) -> bool:
        """Whether it is a layer of the report."""
        return (
            self.counter is not None and self.counter.inputs > 0 and bool(self.readers or not self.gate | self.replaced)
        )

    def add(self, A: NDArray[Any], axis: int, keep: NDArray[np.bool_] | None) -> None:
        """Count outputs whose neurons are along an axis, at the inputs that are kept."""
        self.counter = self.counter or Counter(self.s, self.threshold)
        if axis < A.ndim - 1:
            self.said["Neurons are channels, inputs are positions."] = None
            images = (np.abs(A) > self.threshold).any(axis=tuple(range(axis + 1, A.ndim)))
            self.counter.images += images.size // self.s
            self.counter.image_used += int(np.count_nonzero(images))
        rows = np.moveaxis(A, axis, -1).reshape(-1, self.s)
        self.counter.add(rows if keep is None else rows[keep])

    def add_rows(self, A: NDArray[Any], expert: Any, tokens: Any, choice: tuple[Any, int, int], keep: Any) -> None:
        """Keep who is active in rows (tokens, width), each of an expert, until all experts of a choice have run."""
        chosen, total, self.experts = choice
        self.counter = self.counter or Counter(self.s * self.experts, self.threshold)
        expert = np.broadcast_to(expert, len(A))
        if keep is not None:
            here = keep[tokens]
            A, expert, tokens = A[here], expert[here], (keep.cumsum() - 1)[tokens[here]]
            total = int(keep.sum())
        sizes = np.abs(A)
        self.counter.count_sizes(sizes)
        self.rows.setdefault((chosen, total), []).append((tokens, expert, sizes > self.threshold))

    def finish(self) -> None:
        """Count the inputs of which all experts have run; a neuron of one that was not chosen is not active."""
        for (_, total), parts in self.rows.items():
            tokens, expert, active = (np.concatenate(part) for part in zip(*parts, strict=True))
            tokens, expert = tokens.astype(np.intp), expert.astype(np.intp)
            counter, s = self.counter, self.s
            counter.sizes[0] += total * counter.s - active.size
            numbers = np.bincount(tokens, active.sum(axis=1), minlength=total)
            counter.count_inputs(numbers.astype(np.intp))
            runs = total // RUN
            counter.runs += runs
            place = expert * (runs + 1) + np.minimum(tokens // RUN, runs)
            order = np.argsort(place, kind="stable")
            places, starts = np.unique(place[order], return_index=True)
            if len(places):
                at = np.add.reduceat(active[order], starts, axis=0, dtype=np.int64)
                counter.run_used += int(np.count_nonzero(at[places % (runs + 1) < runs]))
                np.add.at(counter.active_at.reshape(-1, s), places // (runs + 1), at)
        self.rows.clear()

    def measurement(self, name: str) -> Measurement:
        """What was counted, and where."""
        kind = f"the function {self.function}" if self.function != "what enters it" else self.function
        what = f"outputs of {kind}" if self.function != "what enters it" else kind
        read = f", read by {' and '.join(self.readers)}" if self.readers else ""
        seen = [f"Layer {name}: {what}{f' in {self.own}' if self.own else ''}{read}, seen while the model ran."]
        if self.experts:
            seen.append(
                f"Neurons are {self.experts} experts times {self.s}; those of an expert not chosen are not active."
            )
        seen += [*self.said, f"Precision: {self.precision}."]
        outputs = next(iter(self.readers.values()), None)
        found: Measurement = self.counter.measurement(n=self.n, outputs=outputs, notes=tuple(seen))
        return found


def named(sites: list[Site]) -> dict[str, Site]:
    """Sites by the modules that are their activation functions, or else by the linear maps that read them."""
    modules = [site.own for site in sites if site.module and not site.product]
    found: dict[str, Site] = {}
    for site in sites:
        own = site.module and not site.product and modules.count(site.own) == 1
        name = site.own if own else next(iter(site.readers), "")
        if not name or name in found:
            name = f"{name or f'{site.own}.{site.function}'.strip('.')} after {site.writer}".removesuffix(" after ")
        times = sum(1 for other in found if other.partition(" #")[0] == name)
        found[f"{name} #{times + 1}" if times else name] = site
    return found
