"""The corners of the block lemma, and what sums of functions of single inputs explain of models and photographs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import experiments, figures

__all__ = ["MODELS", "models", "photographs", "square", "table"]

# The two points of ``square``, and the sets of inputs that are exchanged between them.
POINTS = ((5, 1, 2), (2, 3, 4))
EXCHANGED = {"none": (), "1": (0,), "2": (1,), "3": (2,), "1, 2": (0, 1), "1, 3": (0, 2), "2, 3": (1, 2),
             "all": (0, 1, 2)}  # fmt: skip
# The cases of ``experiments.simplicity`` in words.
MODELS = {
    "bits, 128": "one layer, bits",
    "bits, 128, noise": "one layer, noise, bits",
    "bits, 64-32": "two layers, bits",
    "bits, 32-32-32": "three layers, bits",
    "shuffled": "digits, P, shuffled pixels",
    "shuffled, logit": "digits, logit, shuffled pixels",
    "an 8": "digits, P, masks 3 / 8",
    "blank": "digits, P, masks 3 / blank",
    "patches": "digits, P, masks of patches",
    "forest": "forest, P",
    "boosting": "boosting, P",
    "boosting, log-odds": "boosting, log-odds",
}
# Those that are drawn, in words that a phone has room for.
DRAWN = {
    "bits, 128": "bits, one layer",
    "bits, 32-32-32": "bits, three layers",
    "shuffled": "digits, shuffled",
    "blank": "digits, 3 / blank",
    "patches": "digits, patches",
    "forest": "forest",
    "boosting": "boosting",
}
FITS = ("linear", "additive")


def square() -> figures.Slider:
    """f = x_1 + x_2 x_3 at two points and at both after some inputs were exchanged, as the corners of a square."""
    return figures.Slider("exchanged", EXCHANGED, _corners, start="2", size=(6.4, 2.7))


def _corners(ax: Any, name: str) -> str:
    S = EXCHANGED[name]
    values = []
    for across, down, label in ((0, 0, "x"), (1, 0, "x'"), (0, 1, "y'"), (1, 1, "y")):
        sources = [across if i in S else down for i in range(3)]
        entries = [POINTS[source][i] for i, source in enumerate(sources)]
        values.append(entries[0] + entries[1] * entries[2])
        for i, (source, entry) in enumerate(zip(sources, entries, strict=True)):
            at = across + 0.15 * (i - 1), -down
            ax.plot(*at, "s", color=figures.COLOURS[source], markersize=19, label="_")
            ax.text(*at, str(entry), color="white", ha="center", va="center")
        ax.text(across, 0.19 - down, f"$f({label})$ = {values[-1]}", ha="center", va="bottom")
    for along in (0, 1):
        ax.plot([0.33, 0.67], [-along, -along], color=figures.INK, linewidth=0.8, label="_")
        ax.plot([along, along], [-0.22, -0.62], color=figures.INK, linewidth=0.8, label="_")
    a, b, c, d = values
    told = f"$D=f(x)+f(y)-f(x')-f(y')$\n= {a} + {d} − {b} − {c} = {a + d - b - c}"
    ax.text(0.5, -1.5, told, ha="center", va="center")
    ax.set(xlim=(-0.42, 1.42), ylim=(-1.8, 0.45))
    ax.set_axis_off()
    return f"{name} exchanged: f(x) = {a}, f(x') = {b}, f(y') = {c}, f(y) = {d}, D = {a + d - b - c}."


def models() -> figures.Figure:
    """The certified intervals of some of the stored runs, with a fit: medians over the runs."""
    rows = {words: _medians(case) for case, words in DRAWN.items()}
    fig, ax = figures.canvas(size=(6.8, 2.8))
    for at, found in enumerate(rows.values()):
        _interval(ax, at, found)
    return _finished(fig, ax, rows, "Sums of single inputs explain much, seldom all")


def photographs() -> figures.Figure:
    """The same for the probability that EfficientNet-lite0 gives to photographs, with patches hidden."""
    rows = {}
    for row in experiments.times("photographs")["rows"]:
        size = f" {row['grid']} × {row['grid']}" if row["grid"] != 7 else ""
        blank = f" {row['blank']}" if row["blank"] != "grey" else ""
        rows[row["photograph"] + size + blank] = {**row, "fits": row["fit"]}
    fig, ax = figures.canvas(size=(6.8, 0.9 + 0.27 * len(rows)))
    for at, found in enumerate(rows.values()):
        _interval(ax, at, found)
    return _finished(fig, ax, rows, "No heat map explains more than the long bars")


def table() -> figures.Table:
    """All the stored runs, in per cent: medians over the runs, and the largest upper end."""
    rows = []
    for case, words in MODELS.items():
        found, runs = _medians(case), experiments.stored("simplicity", case)
        row = {"model": words, "certified": _percent(found["low"], found["high"]),
               "largest high": _percent(runs["high"].max()), "estimate": _percent(*found["estimate"]),
               **{name: _percent(found[name]) for name in ("linear", "additive", "pairs")},
               "pick-freeze": _percent(found["pick-freeze"][0]), "bootstrap": _percent(*found["pick-freeze"][1:]),
               "colours": f"{found['colours']:.0f}"}  # fmt: skip
        rows.append(row)
    return figures.Table.of_rows(rows)


def _percent(*ends: float) -> str:
    return "–".join(f"{100 * end:.1f}" for end in ends)


def _medians(case: str) -> dict[str, Any]:
    runs = experiments.stored("simplicity", case)
    found: dict[str, Any] = {name: np.median(values, axis=0) for name, values in runs.items()}
    return {**found, "fits": max(found[name] for name in FITS)}


def _interval(ax: Any, at: int, found: Mapping[str, Any]) -> None:
    colour = figures.COLOURS[2]
    ax.barh(at, found["high"] - found["low"], 0.42, found["low"], color=colour, alpha=0.45)
    ax.barh(at, found["estimate"][1] - found["estimate"][0], 0.42, found["estimate"][0], color=colour)
    ax.plot(found["fits"], at - 0.36, "o", color=figures.INK, label="_fit")  # beside the bars, whose green hides it


def _finished(fig: Any, ax: Any, rows: Mapping[str, Any], title: str) -> figures.Figure:
    ax.set(xlim=(0, 1), ylim=(len(rows) - 0.4, -0.6), xlabel="share of the variance that a sum explains", title=title)
    ax.set_yticks(range(len(rows)), list(rows))
    said = (f"{name} {_percent(found['low'], found['high'])} %, fit {_percent(found['fits'])} %"
            for name, found in rows.items())  # fmt: skip
    return figures.Figure(fig, "Certified, at least and at most: " + "; ".join(said) + ".")
