"""What skipping inactive neurons saves on a GPU: ``python -m tests.benchmarks.skipping_gpu`` on one that has it.

It needs PyTorch and Triton, which nothing else here needs, and takes a minute and a half on an H100.

Layers y = U relu(W x) in bfloat16, with weights of their own and active sets that are given, are computed one after the
other, as in a model: so the rows of a layer have left the cache when its turn comes again. Four ways are timed:

* *dense*: two products of cuBLAS;
* *skipped*: two kernels that gather the rows of the union of the batch's sets into products on tensor cores;
* *copied*: the rows of the union are copied, then multiplied by cuBLAS, three lines that a reader would try first;
* *dead*: as many neurons as one input has, the first ones, the same for all inputs.

Tile sizes are chosen on a draw of its own. Then inputs and sets are drawn anew REPEATS times, and a factor is the
quotient of two times of one repetition: its quartiles are stored. What the kernels return is compared with the dense
layer at the same sets in each repetition.

Sets are "even" (all neurons alike) or "uneven" (frequencies like 1/rank). For one input, *predicted* finds the set by
scores of rank RANK, a threshold and a compaction, and *second* computes the first product densely and skips in the
second alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl

from sparse_book.experiments import RESULTS

# Inputs of a layer, its neurons, the share that is active, kinds of sets, sizes of batches.
SETTINGS = (
    (8192, 32768, 0.03, ("even", "uneven"), (1, 2, 4, 8, 16, 32, 64, 128)),
    (4096, 16384, 0.03, ("even", "uneven"), (1, 2, 4, 8, 16, 32, 64)),
    (8192, 32768, 0.1, ("even",), (1, 2, 4, 8, 16)),
    (8192, 32768, 0.01, ("even",), (1, 4, 16, 64)),
)
# Weights of all layers together, eight gigabytes: 1 % of them are more than the caches of 50 and 60 MB.
WEIGHTS = 2**32
# An odd number, of which the median is one.
REPEATS = 9
RANK = 128
# The products are rounded to bfloat16, 8 bits, between the layers.
TOLERANCE = 0.02
# Bytes that a program has on the chip for the tiles of all stages of its pipeline: 227 KiB on both cards.
ON_CHIP = 227 * 1024
# Rows of a tile, its columns and depth in the first product, columns and depth in the second, parts of its sum, warps.
TILES = tuple(
    (rows, *rest)
    for rows in (16, 64)
    for rest in (
        (16, 256, 128, 32, 16, 4),
        (32, 128, 128, 64, 16, 4),
        (32, 256, 256, 32, 32, 8),
        (64, 64, 128, 64, 8, 4),
        (16, 512, 64, 64, 8, 4),
    )
)

Way = Callable[[int], Any]


@triton.jit
def first_product(
    X, W, UNION, Z, m, size, D: tl.constexpr, S: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """Z = relu(X W^T) at the neurons of UNION."""
    row = tl.program_id(1) * BM + tl.arange(0, BM)
    place = tl.program_id(0) * BN + tl.arange(0, BN)
    neuron = tl.load(UNION + place, mask=place < size, other=0).to(tl.int64)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, D, BK):
        column = start + tl.arange(0, BK)
        x = tl.load(X + row[:, None] * D + column[None, :], mask=row[:, None] < m, other=0.0)
        w = tl.load(W + neuron[None, :] * D + column[:, None], mask=place[None, :] < size, other=0.0)
        total += tl.dot(x, w)
    inside = (row[:, None] < m) & (place[None, :] < size)
    tl.store(Z + row[:, None] * S + place[None, :], tl.maximum(total, 0.0).to(tl.bfloat16), mask=inside)


@triton.jit
def second_product(
    Z,
    U,
    UNION,
    Y,
    m,
    size,
    D: tl.constexpr,
    S: tl.constexpr,
    BM: tl.constexpr,
    BD: tl.constexpr,
    BJ: tl.constexpr,
    PARTS: tl.constexpr,
):
    """Y += Z U at the neurons of UNION, a part of the sum in each program."""
    row = tl.program_id(2) * BM + tl.arange(0, BM)
    column = tl.program_id(0) * BD + tl.arange(0, BD)
    total = tl.zeros((BM, BD), tl.float32)
    part = tl.cdiv(tl.cdiv(size, PARTS), BJ) * BJ
    for start in range(0, part, BJ):
        place = tl.program_id(1) * part + start + tl.arange(0, BJ)
        neuron = tl.load(UNION + place, mask=place < size, other=0).to(tl.int64)
        z = tl.load(Z + row[:, None] * S + place[None, :], mask=(row[:, None] < m) & (place[None, :] < size), other=0.0)
        u = tl.load(U + neuron[:, None] * D + column[None, :], mask=place[:, None] < size, other=0.0)
        total += tl.dot(z, u)
    tl.atomic_add(Y + row[:, None] * D + column[None, :], total, mask=row[:, None] < m)


@triton.jit
def compaction(SCORE, THRESHOLD, UNION, COUNT, size, BLOCK: tl.constexpr):
    """UNION = the places where the score reaches the threshold, at most ``size``, in the order in which blocks end."""
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    above = (tl.load(SCORE + place).to(tl.float32) >= tl.load(THRESHOLD)).to(tl.int32)
    to = tl.cumsum(above, 0) - above + tl.atomic_add(COUNT, tl.sum(above, 0))
    tl.store(UNION + to, place, mask=(above > 0) & (to < size))


@dataclass
class Layers:
    """Layers of one shape, their weights, and how many neurons one input activates."""

    W: list[Any]
    U: list[Any]
    few: int

    @classmethod
    def random(cls, inputs: int, neurons: int, share: float) -> Layers:
        """As many as WEIGHTS allows, with Gaussian weights."""
        number = WEIGHTS // (2 * inputs * neurons)
        W, U = (
            [(torch.randn(neurons, inputs, device="cuda") / size**0.5).bfloat16() for _ in range(number)]
            for size in (inputs, neurons)
        )
        return cls(W, U, round(share * neurons))

    def active_sets(self, m: int, kind: str) -> Any:
        """For each of m inputs ``few`` neurons without replacement, by the smallest exponential clocks."""
        neurons = len(self.W[0])
        clocks = torch.rand(m, neurons, device="cuda").clamp_min(1e-30).log().neg()
        if kind == "uneven":
            clocks *= 1 + torch.randperm(neurons, device="cuda")
        return clocks.topk(self.few, largest=False).indices


class Draw:
    """Inputs and active sets of each layer, and the ways to compute the layers."""

    def __init__(self, layers: Layers, m: int, kind: str, tiles: tuple[int, ...] = TILES[0]) -> None:
        self.layers = layers
        self.tiles = tiles
        neurons, inputs = layers.W[0].shape
        self.X = [torch.randn(m, inputs, device="cuda").bfloat16() for _ in layers.W]
        self.unions = [layers.active_sets(m, kind).unique().int() for _ in layers.W]
        self.Z = torch.empty(m, neurons, device="cuda", dtype=torch.bfloat16)
        self.Y = torch.empty(m, inputs, device="cuda")

    def dense(self, i: int) -> Any:
        return torch.relu(self.X[i] @ self.layers.W[i].t()) @ self.layers.U[i]

    def dead(self, i: int) -> Any:
        few = self.layers.few
        return torch.relu(self.X[i] @ self.layers.W[i][:few].t()) @ self.layers.U[i][:few]

    def copied(self, i: int) -> Any:
        W, U = (A[i].index_select(0, self.unions[i]) for A in (self.layers.W, self.layers.U))
        return torch.relu(self.X[i] @ W.t()) @ U

    def skipped(self, i: int) -> Any:
        self.first(i, self.unions[i])
        return self.second(i, self.unions[i], self.Z)

    def first(self, i: int, union: Any) -> None:
        """The first product at the neurons of the union."""
        m, inputs = self.X[i].shape
        rows, columns, depth, *_, warps = self.tiles
        grid = (triton.cdiv(len(union), columns), triton.cdiv(m, rows))
        stages = min(4, ON_CHIP // (2 * depth * (rows + columns)))
        first_product[grid](
            self.X[i],
            self.layers.W[i],
            union,
            self.Z,
            m,
            len(union),
            inputs,
            self.Z.shape[1],
            rows,
            columns,
            depth,
            num_warps=warps,
            num_stages=stages,
        )

    def second(self, i: int, union: Any, Z: Any) -> Any:
        """The second product of what Z has in its first columns."""
        m, inputs = self.Y.shape
        rows, _, _, columns, depth, parts, warps = self.tiles
        self.Y.zero_()
        grid = (inputs // columns, parts, triton.cdiv(m, rows))
        second_product[grid](
            Z,
            self.layers.U[i],
            union,
            self.Y,
            m,
            len(union),
            inputs,
            Z.shape[1],
            rows,
            columns,
            depth,
            parts,
            num_warps=warps,
        )
        return self.Y

    def compare(self) -> None:
        """Stop if the kernels are far from the dense layer at the same sets, relative to its largest entry."""
        W, U = self.layers.W[0].float(), self.layers.U[0].float()
        inside = torch.zeros(len(W), device="cuda")
        inside[self.unions[0].long()] = 1
        expected = (torch.relu(self.X[0].float() @ W.t()) * inside) @ U
        error = float((self.skipped(0) - expected).abs().max() / expected.abs().max())
        if not error < TOLERANCE:
            raise ValueError(f"the kernels are off by {error:.1g} of the largest entry, for {len(self.Y)} inputs")


def seconds(way: Way, layers: int) -> float:
    """The time of ``way(i)`` for all layers, one after the other, by a graph."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        way(0)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(layers):
            way(i)
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    graph.replay()
    start.record()
    for _ in range(10):
        graph.replay()
    end.record()
    torch.cuda.synchronize()
    return float(start.elapsed_time(end)) / 10000


def tiles_for(layers: Layers, m: int, kind: str) -> tuple[int, ...]:
    """The fastest tiles on a draw of its own; those of 64 rows are for large batches."""
    draw = Draw(layers, m, kind)
    times = {}
    for tiles in TILES:
        if m <= 64 if tiles[0] == 16 else m > 16:
            draw.tiles = tiles
            times[tiles] = seconds(draw.skipped, len(layers.W))
    return min(times, key=lambda tiles: times[tiles])


def batch(layers: Layers, m: int, kind: str) -> dict[str, Any]:
    """The share of the union, the time of the dense layer and the factors over it."""
    tiles = tiles_for(layers, m, kind)
    times: dict[str, list[float]] = {"dense": [], "skipped": [], "copied": [], "dead": []}
    unions = []
    for _ in range(REPEATS):
        draw = Draw(layers, m, kind, tiles)
        draw.compare()
        unions += [len(union) / len(layers.W[0]) for union in draw.unions]
        for name, taken in times.items():
            taken.append(seconds(getattr(draw, name), len(layers.W)))
    microseconds = 1e6 * np.median(times["dense"]) / len(layers.W)
    return {
        "union": short(np.mean(unions)),
        "dense, us": short(microseconds),
        "factor": factors(times, "skipped"),
        "copied": factors(times, "copied"),
        "dead": factors(times, "dead"),
    }


def one_input(layers: Layers) -> dict[str, Any]:
    """Factors for one input: the set given, predicted, and skipped in the second product alone."""
    tiles = tiles_for(layers, 1, "even")
    neurons, inputs = layers.W[0].shape
    left = [torch.randn(RANK, inputs, device="cuda").bfloat16() for _ in layers.W]
    right = [torch.randn(neurons, RANK, device="cuda").bfloat16() for _ in layers.W]
    places = torch.zeros(layers.few, device="cuda", dtype=torch.int32)
    count = torch.zeros(1, device="cuda", dtype=torch.int32)
    times: dict[str, list[float]] = {"dense": [], "given": [], "predicted": [], "second": []}
    for _ in range(REPEATS):
        draw = Draw(layers, 1, "even", tiles)
        scores = [(x @ a.t()) @ b.t() for x, a, b in zip(draw.X, left, right, strict=True)]
        thresholds = [score.float().topk(layers.few).values[:, -1].contiguous() for score in scores]

        def predicted(i: int, draw: Draw = draw, thresholds: list[Any] = thresholds) -> None:
            score = (draw.X[i] @ left[i].t()) @ right[i].t()
            count.zero_()
            compaction[(neurons // 1024,)](score, thresholds[i], places, count, len(places), 1024)
            draw.first(i, places)
            draw.second(i, places, draw.Z)

        def second(i: int, draw: Draw = draw) -> None:
            z = torch.relu(draw.X[i] @ layers.W[i].t())
            draw.second(i, draw.unions[i], z.index_select(1, draw.unions[i]))

        predicted(0)
        expected = (scores[0].float() >= thresholds[0]).nonzero()[:, 1]
        if not set(places.tolist()) <= set(expected.tolist()) or len(set(places.tolist())) < layers.few:
            raise ValueError("the compaction lost or invented a neuron")
        ways = {"dense": draw.dense, "given": draw.skipped, "predicted": predicted, "second": second}
        for name, way in ways.items():
            times[name].append(seconds(way, len(layers.W)))
    return {name: factors(times, name) for name in ("given", "predicted", "second")}


def factors(times: dict[str, list[float]], name: str) -> list[float]:
    """How many times faster than the dense layer: first quartile, median, third quartile."""
    return [short(v) for v in np.quantile(np.divide(times["dense"], times[name]), (0.25, 0.5, 0.75))]


def short(value: Any) -> float:
    """A number to four digits."""
    return float(f"{value:.4g}")


def measure() -> dict[str, Any]:
    """The table of this card."""
    torch.manual_seed(0)
    rows = []
    single: dict[str, Any] = {}
    for inputs, neurons, share, kinds, batches in SETTINGS:
        layers = Layers.random(inputs, neurons, share)
        single = single or one_input(layers)
        for kind in kinds:
            for m in batches:
                setting = {"inputs": inputs, "neurons": neurons, "share": share, "kind": kind, "m": m}
                rows.append(setting | batch(layers, m, kind))
    return {
        "device": torch.cuda.get_device_name(),
        "PyTorch": torch.__version__,
        "Triton": triton.__version__,
        "date": date.today().isoformat(),
        "one input": single,
        "rows": rows,
    }


def store(card: dict[str, Any]) -> None:
    """Replace what is stored of this kind of card."""
    path = RESULTS / "skipping_gpu.json"
    cards = json.loads(path.read_text(encoding="utf-8"))["cards"] if path.exists() else []
    cards = [other for other in cards if other["device"] != card["device"]] + [card]
    lines = [json.dumps(card).replace(', {"inputs"', ',\n  {"inputs"') for card in cards]
    path.write_text('{"cards": [\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8")


if __name__ == "__main__":
    store(measure())
