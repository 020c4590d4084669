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
    places = range(len(found))
    left.bar(places, [one.max_active / one.s for one in found.values()], color="0.85", label="most")
    left.bar(places, [one.mean_active / one.s for one in found.values()], color="C0", label="on average")
    left.bar(places, [one.dead / one.s for one in found.values()], width=0.3, color="C3", label="dead")
    left.set_xticks([*places], [*found], rotation=45, ha="right", rotation_mode="anchor", fontsize=8)
    left.set(title="Active at one input", ylabel="share of the neurons", ylim=(0, 1.02))
    right.set(title="Used by a batch (dots: inputs in a row)", xlabel="inputs in the batch")
    colours = colormaps["viridis"](linspace(0, 0.9, len(found)))
    for colour, (name, one) in zip(colours, found.items(), strict=True):
        sizes = [m for m in BATCHES if m <= one.inputs]
        right.plot(sizes, [one.union(m) / one.s for m in sizes], color=colour, label=name)
        if one.in_a_row is not None:
            right.plot(RUN, one.in_a_row / one.s, "o", color=colour)
    right.set_xscale("log", base=2)
    right.xaxis.set_major_formatter("{x:g}")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    if found:
        left.legend(frameon=False, fontsize=8)
        right.legend(frameon=False, fontsize=7, ncols=1 + len(found) // 9)
    return figure
