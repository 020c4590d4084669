"""One small picture for an idea, with the numbers that it is drawn from; book/assets/pictures.js moves each of them.

Print and pages without scripts show the picture as it is drawn here, so it says what it has to say when nothing moves.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparse_core.cube import hypercube
from sparse_core.network import SparseNetwork, constructions

from . import figures
from .small_samples import THREE_POINTS

__all__ = ["Choice", "choices", "edge", "lookup", "lowered", "patterns", "queries", "three_points"]

Array = NDArray[np.float64]
BLUE, ORANGE, GREEN, PURPLE, GREY = figures.COLOURS
# Where the three points are drawn; a combination of the points is drawn at the same combination of these places.
PLACES = np.array([[-0.72, -0.5], [0.72, -0.3], [0.0, 0.95]])
# Of the adversary that answers 0: an average that is further from it than this contradicts the answer.
TOLERANCE = 0.3


def _sign(value: float) -> str:
    return "+" if value > 0 else "\N{MINUS SIGN}"


def _signs(values: Any) -> str:
    return " ".join(map(_sign, values))


# --- A step and a ReLU along one edge ---


def edge() -> figures.Live:
    """A step and a ReLU along an edge of the cube, from -1 to 1: where they switch, one jumps and the other is 0."""
    fig, axes = figures.canvas(2, size=(6.9, 2.4))
    curves = {
        "step: jumps by 1": ([-1, 0, 0, 1], [0, 0, 1, 1], ORANGE),
        "ReLU: starts from 0": ([-1, 0, 1], [0, 0, 1], BLUE),
    }
    for ax, (name, (x, y, colour)) in zip(axes, curves.items(), strict=True):
        ax.plot(x, y, color=colour, label=f"_{name}")
        ax.plot(0, 0, "o", color=colour, label="_switch")
        ax.text(-1, 0.75, name, color=colour)
        ax.set(xticks=(-1, 0, 1), xticklabels=("$-1$", "$b$", "$1$"), yticks=(0, 1), ylim=(-0.1, 1.2))
    return figures.Live(
        "edge", fig, "At b the step jumps from 0 to 1; the ReLU rises from 0 there, to 1 at the end.", {}
    )


# --- The look-up network ---


def lookup() -> figures.Live:
    """Indexing with two address bits as a circuit: the neuron of the address that is typed reads its data bit."""
    net = constructions.indexing(2)
    bits = np.array([1, -1, 1, -1, 1, -1])
    values = np.maximum(net.W @ bits - net.b, 0)
    fig, ax = figures.canvas(size=(6.4, 3.6))
    inputs = [(0.0, -i - 0.7 * (i > 1)) for i in range(net.n)]
    neurons = [(1.0, -0.8 - 1.35 * j) for j in range(net.s)]
    for (j, i), weight in np.ndenumerate(net.W):
        if weight:
            agrees = weight * bits[i] > 0
            ax.plot(*zip(inputs[i], neurons[j], strict=True), color=BLUE if agrees else figures.INK, label="_wire",
                    linestyle="-" if agrees else ":", alpha=1 if agrees else 0.4, linewidth=1.4)  # fmt: skip
    for i, (place, bit) in enumerate(zip(inputs, bits, strict=True)):
        ax.text(place[0] - 0.14, place[1], f"$x_{i + 1}$" if i < 2 else f"$y_{i - 1}$", ha="right", va="center")
        _disc(ax, place, _sign(bit), ORANGE if i < 2 else BLUE, bit > 0)
    for j, place in enumerate(neurons):
        ax.plot(*zip(place, (1.8, -2.85), strict=True), color=BLUE if values[j] else figures.INK, label="_wire",
                linestyle="-" if values[j] else ":", alpha=1 if values[j] else 0.4, linewidth=1.4)  # fmt: skip
        ax.text(place[0], place[1] + 0.42, _signs(net.W[j, :2]), ha="center", fontsize=9)
        _disc(ax, place, f"{values[j]:g}", BLUE if values[j] else figures.INK, values[j] > 0)
    _disc(ax, (1.8, -2.85), f"{values.sum():g}", BLUE)
    ax.text(1.8, -3.45, "output", ha="center")
    ax.set(xlim=(-0.35, 2), ylim=(-6.2, 0.5))
    ax.axis("off")
    (lit,) = np.flatnonzero(values)
    alt = (
        f"Address {_signs(bits[:2])}: of the {net.s} neurons only number {lit + 1} is active; it reads its data bit, 1."
    )
    return figures.Live("lookup", fig, alt, {"W": net.W.tolist(), "b": net.b.tolist()}, data=_table(net))


def _table(net: SparseNetwork) -> dict[str, Any]:
    """The inputs of a network beside the neuron that is active, 0 for none, and the output."""
    X = hypercube.points(net.n)
    active = net.active(X)
    columns = {f"bit {i + 1}": X[:, i] for i in range(net.n)}
    return {**columns, "active neuron": np.where(active.any(1), active.argmax(1) + 1, 0), "output": net(X)}


def _disc(ax: Any, place: Any, words: str, colour: str, full: Any = True) -> None:
    ax.plot(*place, "o", markersize=17, color=colour, mfc=colour if full else "#ffffff", label="_disc")
    ax.text(*place, words, ha="center", va="center", fontsize=9, color="#ffffff" if full else figures.INK)


# --- The adversary of statistical queries ---


def queries() -> figures.Live:
    """Sixteen parities of four bits, of which the answer 0 to three questions crosses off six."""
    names = ["".join(f"$x_{i + 1}$" for i in range(4) if T >> i & 1) or "1" for T in range(16)]
    crossed = {1, 2, *range(8, 12)}  # two questions about one parity, one about four
    fig, ax = figures.canvas(size=(5.2, 2.6))
    for T, name in enumerate(names):
        x, y = T % 4, -(T // 4)
        ax.text(x, y, name, ha="center", va="center", alpha=0.5 if T in crossed else 1)
        if T in crossed:
            strike = {"arrowstyle": "-", "color": ORANGE, "linewidth": 1.8}
            ax.annotate("", (x + 0.35, y + 0.3), (x - 0.35, y - 0.3), arrowprops=strike)
    ax.set(xlim=(-0.5, 3.5), ylim=(-3.5, 0.5), xticks=np.arange(-0.5, 4), yticks=-np.arange(-0.5, 4),
           xticklabels=[], yticklabels=[])  # fmt: skip
    ax.tick_params(length=0)
    alt = f"Two questions about one parity and one about four cross off {len(crossed)} of 16; to each the answer is 0."
    data = {"set": range(16), "crossed off": [T in crossed for T in range(16)]}
    return figures.Live("queries", fig, alt, {"tau": TOLERANCE}, data)


# --- Three points ---


class Choice(NamedTuple):
    """The two neurons that follow a pattern of signs: a row each of integer weights, and their output signs."""

    signs: tuple[int, ...]
    names: tuple[str, str]
    coefficients: NDArray[np.int64]
    outputs: tuple[int, int]

    @property
    def weights(self) -> NDArray[np.int64]:
        """The weight vectors: combinations of the three points."""
        return np.asarray(self.coefficients @ THREE_POINTS)

    @property
    def values(self) -> NDArray[np.int64]:
        """<w, x> of each neuron at each point; what is not positive is silent."""
        return np.asarray(self.weights @ THREE_POINTS.T)

    @property
    def sums(self) -> NDArray[np.int64]:
        """What the signs make of the values of each neuron."""
        return np.asarray(np.array(self.outputs) * (np.maximum(self.values, 0) @ np.array(self.signs)))

    @property
    def earns(self) -> Array:
        """The same for weight vectors of length 1 and points of length 1."""
        squares = (self.weights**2).sum(axis=1)
        return np.asarray(self.sums / np.sqrt(6 * squares))

    @property
    def correlation(self) -> float:
        """(1/3) sum_i zeta_i h(x_i) / (W R)."""
        return float(self.earns.sum()) / 3


def choices() -> list[Choice]:
    """The best pair of neurons, one of them active at each point, for each of the eight patterns of signs.

    >>> round(sum(one.correlation for one in choices()) / 8, 6)
    0.825028
    """
    chosen = []
    for signs in itertools.product((1, -1), repeat=3):
        if signs[0] == signs[1]:
            rows, names, outputs = [[1, 1, 0], [0, 0, 1]], ("x₁ + x₂", "x₃"), (signs[0], signs[2])
        elif signs[0] == signs[2]:
            rows, names, outputs = [[3, -1, 3], [-1, 3, 0]], ("3x₁ − x₂ + 3x₃", "3x₂ − x₁"), (signs[0], signs[1])
        else:
            rows, names, outputs = [[-1, 3, 3], [3, -1, 0]], ("3x₂ − x₁ + 3x₃", "3x₁ − x₂"), (signs[1], signs[0])
        chosen.append(Choice(signs, names, np.array(rows), outputs))
    return chosen


def _direction(coefficients: NDArray[np.int64], weights: NDArray[np.int64]) -> Array:
    return np.asarray(coefficients @ PLACES * np.sqrt(6 / (weights @ weights)))


def three_points() -> figures.Live:
    """Eight patterns of signs on the three points, each with its two neurons and what they earn."""
    cases = choices()
    mean = sum(one.correlation for one in cases) / 8
    allowed = (2 / 3) ** 0.5
    fig, axes = figures.canvas(4, rows=2, size=(7.2, 4.4))
    for ax, one in zip(axes.flat, cases, strict=True):
        for row, weights, colour, values in zip(one.coefficients, one.weights, (BLUE, ORANGE), one.values, strict=True):
            x, y = _direction(row, weights)
            ax.plot([0, x], [0, y], color=colour, linewidth=2.2, label="_neuron")
            for i in np.flatnonzero(values > 0):
                ax.plot([0, PLACES[i, 0]], [0, PLACES[i, 1]], ":", color=figures.INK, linewidth=1, label="_point")
                ax.plot(*PLACES[i], "o", color=colour, markersize=14, label="_point")
                ax.text(*PLACES[i], _sign(one.signs[i]), color="#ffffff", ha="center", va="center")
                ax.text(*PLACES[i] + (0.25, -0.05), f"$x_{i + 1}$", va="center")
        ax.text(0, -1.05, f"{one.correlation:.4f}", ha="center")
        ax.set(xlim=(-1.25, 1.25), ylim=(-1.2, 1.3), aspect="equal")
        ax.axis("off")
    fig.suptitle(f"Two neurons divide three points:\n{mean:.4f} a point, {allowed:.4f} allowed", fontsize=10.5)
    listed = "; ".join(f"{_signs(one.signs)} {one.correlation:.4f}" for one in cases)
    given = {
        "mean": mean,
        "conjectured": allowed,
        "places": PLACES.tolist(),
        "cases": [
            {
                "signs": one.signs,
                "value": one.correlation,
                "neurons": [
                    {
                        "name": name,
                        "direction": _direction(row, weights).tolist(),
                        "values": values.tolist(),
                        "square": int(weights @ weights),
                        "sum": int(total),
                        "earns": float(earns),
                    }
                    for name, row, weights, values, total, earns in zip(
                        one.names, one.coefficients, one.weights, one.values, one.sums, one.earns, strict=True
                    )
                ],
            }
            for one in cases
        ],
    }
    alt = f"What two neurons earn, by the signs: {listed}. The mean is {mean:.4f}, allowed {allowed:.4f}."
    signs = [_signs(one.signs) for one in cases]
    earned = [one.correlation for one in cases]
    return figures.Live("points", fig, alt, given, {"signs": signs, "correlation": earned})


# --- A table of signs, and the lowered copy ---


def patterns(rows: int = 10) -> figures.Live:
    """Tables of random signs in three columns; each pattern has a neuron, active in its rows where the pattern is +."""
    rng = np.random.default_rng(0)
    tosses = rng.choice([-1, 1], (6, rows, 3))
    u = np.array([1, 1, -1])
    own = (tosses[0] == u).all(axis=1)
    fig, ax = figures.canvas(size=(4.4, 3.6))
    for (b, i), sign in np.ndenumerate(tosses[0]):
        active = own[b] and u[i] > 0
        ax.plot(i, -b, "s", markersize=16, color=BLUE if active else figures.INK, mfc=BLUE if active else "#ffffff",
                alpha=1 if active else 0.5, markeredgewidth=0.6, label="_sign")  # fmt: skip
        ax.text(i, -b, _sign(sign), ha="center", va="center", color="#ffffff" if active else figures.INK, fontsize=9)
    for b in np.flatnonzero(own):
        ax.text(-0.6, -b, "has it", ha="right", va="center", fontsize=9)
    ax.text(-0.6, 1.1, "pattern $u$", ha="right", va="center")
    for i, sign in enumerate(u):
        ax.text(i, 1.1, _sign(sign), ha="center", va="center")
    ax.set(xlim=(-2, 2.6), ylim=(-rows + 0.3, 1.7))
    ax.axis("off")
    stands = f"{_signs(u)} stands in {own.sum()} of {rows} rows"
    alt = f"{stands}; its neuron is active at {2 * own.sum()} points, all of sign +."
    return figures.Live("patterns", fig, alt, {"tosses": tosses.tolist()})


def lowered(accuracy: float = 0.25) -> figures.Live:
    """A neuron, a copy within its accuracy, and the same copy lowered by that: silent where the neuron is."""
    fig, ax = figures.canvas(size=(6.4, 3.0))
    z = np.linspace(-1, 1, 401)
    copy = z + accuracy * (1 - z) / 2  # errs by its accuracy at the left end, and by nothing at the right
    for name, argument, colour, kind in (
        ("copy", copy, ORANGE, "--"),
        ("neuron", z, figures.INK, "-"),
        ("lowered copy", copy - accuracy, GREEN, "--"),
    ):
        ax.plot(z, np.maximum(argument, 0), kind, color=colour, label=name)
    ax.axvspan(-1, 0, color=figures.INK, alpha=0.07, linewidth=0)
    ax.text(-0.95, 1.05, "the neuron is silent")
    ax.set(xlabel="$z$", xlim=(-1, 1), ylim=(-0.05, 1.3))
    ax.name_curves()
    alt = (
        f"At z = -0.1 the neuron is 0, a copy of accuracy {accuracy:g} is {np.interp(-0.1, z, copy):.4f}, "
        "and 0 once it is lowered."
    )
    return figures.Live("lowered", fig, alt, {})
