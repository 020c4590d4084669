"""A picture of the layers of a model: how many neurons are active at once, and how many a batch uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy import linspace

from .counting import RUN, Measurement

__all__: list[str] = []  # called by ``Layers.plot``

# Names of so many letters stand beside each other; longer ones are turned.
SHORT = 4


def layers(found: Mapping[str, Measurement]) -> Any:
    """A figure of Matplotlib with the share of active neurons by layer, and of those that a batch uses.

    >>> layers({}).axes[0].get_ylabel()
    'share of the neurons'
    """
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    colours = colormaps["viridis"](linspace(0, 0.9, len(found)))
    for (name, one), colour in zip(found.items(), colours, strict=True):
        left.bar(name, one.max_active / one.s, color="0.85")
        left.bar(name, one.share, color=colour)
        right.plot(one.batches(), [one.union(m) / one.s for m in one.batches()], color=colour, label=name)
        if one.in_a_row is not None:
            right.plot(RUN, one.in_a_row / one.s, "o", color=colour)
    if any(len(name) > SHORT for name in found):
        left.tick_params("x", rotation=90, labelsize=8)
    left.set(title="Active at one input: most, and on average", ylabel="share of the neurons", ylim=(0, 1.02))
    right.set_xscale("log", base=2)
    right.xaxis.set_major_formatter("{x:.0f}")
    right.set(title="Used by a batch (dots: inputs in a row)", xlabel="inputs in the batch")
    if found:
        right.legend(frameon=False, fontsize=7, ncols=1 + len(found) // 9)
    return figure
