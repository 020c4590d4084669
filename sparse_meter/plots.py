"""A picture of the layers of a model: how many neurons are active at once, and how many a batch uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy import linspace

from .counting import BATCHES, RUN, Measurement

__all__: list[str] = []  # called by ``Layers.plot``


def layers(found: Mapping[str, Measurement]) -> Any:
    """A figure of Matplotlib with the share of active neurons by layer, and of those that a batch uses.

    >>> layers({}).axes[0].get_ylabel()
    'share of the neurons'
    """
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    names = [*found]
    left.bar(names, [one.max_active / one.s for one in found.values()], color="0.85", label="most")
    left.bar(names, [one.mean_active / one.s for one in found.values()], label="on average")
    left.bar(names, [one.dead / one.s for one in found.values()], width=0.3, color="C3", label="dead")
    left.tick_params("x", rotation=90, labelsize=8)
    left.set(title="Active at one input", ylabel="share of the neurons", ylim=(0, 1.02))
    for colour, (name, one) in zip(colormaps["viridis"](linspace(0, 0.9, len(found))), found.items(), strict=True):
        sizes = [m for m in BATCHES if m <= one.inputs]
        right.plot(sizes, [one.union(m) / one.s for m in sizes], color=colour, label=name)
        if one.in_a_row is not None:
            right.plot(RUN, one.in_a_row / one.s, "o", color=colour)
    right.set_xscale("log", base=2)
    right.set(title="Used by a batch (dots: inputs in a row)", xlabel="inputs in the batch")
    for axes in (left, right) * bool(found):
        axes.legend(frameon=False, fontsize=7, ncols=1 + len(found) // 9)
    return figure
