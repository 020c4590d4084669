"""The average sensitivity of trained networks, and bounds on it, from a sample of points: the first figure."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sparse_core import bounds
from sparse_core._arrays import Array
from sparse_core.network import gradients, training
from sparse_core.network.training import Layered

from .. import figures

__all__ = ["drawn", "ladder", "table", "trained"]

# The mark of each bound, the row in which it is named, and the height of its name over that row: three names in one
# row would touch on a phone.
MARKS = {"gradient": ("o", 0, 0.34), "any function": ("|", 3, -0.62), "sparsity": ("s", 0, 0.34)}


def trained() -> dict[str, Layered]:
    """Networks trained on digits in black and white, by the number of their layers.

    >>> list(trained())
    ['1 layer', '1 layer, noise', '2 layers', '3 layers']
    """
    from sklearn.datasets import load_digits

    digits = load_digits()
    pixels = np.where(digits.data > 7.5, 1, -1).astype(np.float32)

    def network(*widths: int, flip: float = 0, relabel: float = 0) -> Layered:
        return training.classify(
            pixels, digits.target, widths, optimiser="adam", rate=0.002, epochs=20, rng=np.random.default_rng(0),
            flip=flip, relabel=relabel,
        )  # fmt: skip

    return {
        "1 layer": network(128),
        "1 layer, noise": network(128, flip=0.1, relabel=0.2),
        "2 layers": network(64, 32),
        "3 layers": network(32, 32, 32),
    }


def ladder(net: Layered, X: Array, output: int = 0) -> dict[str, float]:
    """AS of a score, and bounds on it, from a sample X of uniform points.

    >>> net = Layered((np.eye(2), np.ones((1, 2))), (np.full(2, -1.0), np.zeros(1)))            # x_1 + x_2 + 2
    >>> found = ladder(net, np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]))
    >>> found["AS"], found["any function"], found["sparsity"]
    (2.0, 4.0, 4.0)
    """
    found = gradients.edges(net, X, output=output)
    active = [H > 0 for H in net.activations(X)]
    widths = [len(W) for W in net.W[:-1]]
    norms = [float(np.linalg.norm(W, axis=1).max()) for W in net.W[:-1]]
    most = [int(some.sum(axis=1).max()) for some in active]
    u = float(np.abs(net.W[-1][output]).max())
    rungs = {
        "AS": float(found.sensitivity.mean()),
        "slope": float(found.slope.mean()),
        "first": float(found.gradient.mean()),
        "gradient": found.bound,
        "any function": X.shape[1] * float(net(X)[:, output].var()),
        "sparsity": bounds.ours.average_sensitivity_depth(norms, most, widths, u),
    }
    if len(most) == 1:
        squares = gradients.active_norms(net, X, output=output) ** 2
        rungs["signs"] = gradients.signs(net, X, output=output).bound
        rungs["operator norm"] = 4 * float(np.mean(active[0].sum(axis=1) * squares))
    return rungs


def drawn(ladders: Mapping[str, Mapping[str, float]]) -> figures.Figure:
    """Each bound over the average sensitivity, a row for each network."""
    fig, ax = figures.canvas(size=(6.8, 2.8))
    for row, found in enumerate(ladders.values()):
        for name, (mark, named, above) in MARKS.items():
            at, colour = found[name] / found["AS"], figures.INK if mark == "|" else figures.COLOURS[2]
            ax.plot(at, -row, mark, color=colour, markersize=8, markeredgewidth=2)
            if row == named:
                ax.text(at / 1.8, above - row, name, color=colour)  # right of the blue line
    ax.axvline(1, color=figures.COLOURS[0])
    ax.text(1.15, 0.95, "the sensitivity itself", color=figures.COLOURS[0])
    ax.set(xscale="log", xlabel="bound / average sensitivity (1 is best)", ylim=(-3.8, 1.5))
    ax.set_title("The gradient comes near, counting does not")
    ax.set_yticks([-row for row in range(4)], list(ladders))
    said = (
        f"{name}: gradient {found['gradient'] / found['AS']:.1f}, any function "
        f"{found['any function'] / found['AS']:.0f}, sparsity {found['sparsity'] / found['AS']:.0e}"
        for name, found in ladders.items()
    )
    return figures.Figure(fig, f"Bound over average sensitivity: {'; '.join(said)}.")


def table(ladders: Mapping[str, Mapping[str, float]]) -> figures.Table:
    """The average sensitivity, and what bounds it over it."""
    columns = {"slope J": ("slope", ".2f"), "E|grad|^2": ("first", ".2f"), "gradient": ("gradient", ".1f"),
               "signs": ("signs", ".1f"), "operator norm": ("operator norm", ".1f"),
               "n Var": ("any function", ".0f"), "sparsity": ("sparsity", ".1e")}  # fmt: skip
    rows = {"network": list(ladders), "AS": [f"{found['AS']:.3g}" for found in ladders.values()]}
    for title, (name, digits) in columns.items():
        ratios = [found.get(name, np.nan) / found["AS"] for found in ladders.values()]
        rows[f"{title} / AS"] = ["" if np.isnan(ratio) else f"{ratio:{digits}}" for ratio in ratios]
    return figures.Table(rows)
