"""What was measured of the transformers of chapter 8 and of networks of other people, as pictures and tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .. import figures
from ..experiments import transformer
from ..runs import interval

__all__ = ["models", "models_table", "settings", "verse"]

# The line of a verse that is shown: of the stored windows, and of the layers.
WINDOW, LAYER, FIRST, LENGTH = 2, 2, "The morning", 18
# Of the neurons that are active somewhere in the line every third is drawn.
DRAWN = 3
# The settings of the script that trained them, in words; the first is the one that the chapter shows.
SETTINGS = {
    "relu": "512 neurons, rate 0.0005",
    "narrow": "128 neurons",
    "wide": "2048 neurons",
    "no decay": "no weight decay",
    "fast": "rate 0.002",
    "gelu": "GELU",
    "gelu fast": "GELU, rate 0.002",
}
# What networks of other people read.
READ = {
    "EfficientNet-lite0": "photographs",
    "crepe tiny": "spoken pitch",
    "PP-OCR": "scanned print",
    "AntiBERTy": "antibodies",
    "CHGNet": "minerals",
}


def verse() -> figures.Live:
    """Which neurons of a layer are active at each letter of a line, in the order of the first time."""
    read = transformer.stored()
    text = "".join(read["letters"][read["shown codes"][WINDOW]])
    start = text.index(FIRST)
    letters = list(text[start : start + LENGTH])
    on = np.unpackbits(read["shown"], axis=-1).astype(bool)[LAYER, WINDOW, start : start + LENGTH]
    ever = np.flatnonzero(on.any(axis=0))
    rows = ever[np.argsort(on[:, ever].argmax(axis=0), kind="stable")][::DRAWN]
    fig, ax = figures.canvas(size=(7.6, 3.4))
    places = [np.flatnonzero(here) for here in on[:, rows]]
    for at, here in enumerate(places):
        ax.bar(at, 0.9, 0.95, here - 0.45, color=figures.COLOURS[0])
    ax.set_xticks(range(LENGTH), letters, family="monospace", fontsize=8)
    ax.set(
        title="Each letter has its own few neurons",
        xlabel="letter that is read",
        ylabel=f"{len(rows)} of {on.shape[1]} neurons, blue if active",
        yticks=[],
        xlim=(-0.5, LENGTH - 0.5),
        ylim=(len(rows) - 0.5, -0.5),
    )
    ax.tick_params(length=0)
    ax.grid(False)
    alt = (
        f"The line “{''.join(letters)}”: {on.mean():.0%} of the neurons of layer {LAYER + 1} are active at a letter, "
        f"{len(ever) / on.shape[1]:.0%} at some letter of the line."
    )
    counts = on.sum(axis=1).tolist()
    given = {
        "letters": letters,
        "rows": len(rows),
        "neurons": on.shape[1],
        "active": [here.tolist() for here in places],
        "counts": counts,
    }
    return figures.Live("verse", fig, alt, given, data={"letter": letters, "active": counts})


def settings() -> figures.Table:
    """The transformers in all settings that were run: shares in per cent of all four layers, at the end."""
    rows = []
    for name, words in SETTINGS.items():
        path = transformer.runs(name, "path")
        if not len(path):
            continue
        end, held = path[:, -1], transformer.runs(name, "needed").mean(axis=1)
        rows.append(
            {
                "setting": words,
                "runs": str(len(path)),
                "steps": f"{end[0, 0]:.0f}",
                "active": _runs(100 * end[:, 2:6].mean(axis=1), 1),
                "never active": _runs(100 * end[:, 6:].mean(axis=1), 1),
                "hold 99 % of the squares": _runs(100 * held, 1),
                "loss": _runs(end[:, 1], 2),
            }
        )
    return figures.Table.of_rows(rows)


def _runs(values: NDArray[np.float64], digits: int) -> str:
    """The mean with its interval; of one run the number alone."""
    return interval(values, digits) if len(values) > 1 else f"{values[0]:.{digits}f}"


def models() -> figures.Figure:
    """Shares of the neurons of networks of other people: at one input, at 16 in a row, at 16 at random."""
    rows = transformer.others()
    names = (
        ("one input", "active", 0, "AntiBERTy"),
        ("16 in a row", "row", 2, "CHGNet"),  # on a phone there is no room for two words beside each other
        ("16 at random", "union", 1, "AntiBERTy"),
    )
    fig, ax = figures.canvas(size=(7.0, 4.4))
    heights, middles, height = [], {}, 0.0
    for model, read in READ.items():
        layers = [row for row in rows if row["model"] == model]
        heights += [height + i for i in range(len(layers))]
        middles[f"{read}\n{model}"] = height + (len(layers) - 1) / 2
        height += len(layers) + 2
    for row, at in zip(rows, heights, strict=True):
        ax.plot([row["active"], row["union"]], [at, at], color=figures.INK, alpha=0.2, linewidth=1, label="_")
    for words, kind, hue, model in names:
        colour = figures.COLOURS[hue]
        ax.plot([row[kind] for row in rows], heights, "osD"[hue], color=colour, markersize=4, label=words)
        first = [row["model"] for row in rows].index(model)
        place = max(rows[first][kind], 0.2)  # right of the axis, on a phone too
        ax.text(place, heights[first] - 1.2, words, color=colour, ha="center", va="center", fontsize=9)
    ax.set_yticks(list(middles.values()), list(middles))
    ax.set(xlabel="share of the neurons of a layer", xlim=(-0.02, 1.02), ylim=(height - 2, -1))
    ax.set_title("Few layers are sparse; there neighbours share")
    said = (
        f"{row['model']}, {row['layer']}: {row['active']:.0%}, {row['row']:.0%} and {row['union']:.0%}" for row in rows
    )
    return figures.Figure(fig, "Active at one input, at 16 in a row, at 16 at random: " + "; ".join(said) + ".")


def models_table() -> figures.Table:
    """The same networks, a row for each: the least and the largest share of their layers, in per cent."""
    rows = []
    for model, read in READ.items():
        layers = [row for row in transformer.others() if row["model"] == model]
        rows.append(
            {
                "reads": read,
                "network": model,
                "activation": layers[0]["activation"],
                "layers": str(len(layers)),
                "active": _span([layer["active"] for layer in layers]),
                "never active": _span([layer["dead"] for layer in layers]),
                "hold 99 % of the squares": _span([layer["needed"] for layer in layers]),
            }
        )
    return figures.Table.of_rows(rows)


def _span(shares: Sequence[float]) -> str:
    return "–".join(dict.fromkeys(f"{100 * end:.0f}" for end in (min(shares), max(shares))))
