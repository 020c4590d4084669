"""What skipping saves Stockfish in time: ``python -m tests.benchmarks.stockfish_times SOURCE`` on an idle machine.

SOURCE is the folder of version 17.1 that ``apt-get source stockfish`` unpacks on Debian 13, with the networks in src.
It needs make, g++ and a processor with AVX2, and takes about ten minutes.

The engine is built twice, as it is and with the class of its first dense layer that does not skip. The layer alone is
timed on positions of the stored games; then the engine by its command ``bench``, in pairs of runs that search the same
nodes: user time, less that of a start. What is stored are the times, so that the chapter can give intervals.

The engine is under GPL-3. It is built from its own source, of which nothing is copied.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from sparse_book.experiments import RESULTS, stockfish
from sparse_book.experiments.timing import described

# The class that skips, and the one that takes its place.
SKIPPING, DENSE = "AffineTransformSparseInput<Transformed", "AffineTransform<Transformed"
USED = "-DUSE_SSE2 -DUSE_SSSE3 -DUSE_SSE41 -DUSE_AVX2 -DUSE_POPCNT -mavx2 -mbmi -mpopcnt"
FLAGS = f"-std=c++17 -O3 -DNDEBUG -DIS_64BIT {USED}"
# Positions for the layer, the bucket whose weights it has, its runs, and pairs of runs of the engine.
POSITIONS, BUCKET, RUNS, PAIRS = 500, 4, 10, 40
BENCH = "bench 16 1 12 default depth"


def build(source: Path, target: Path, skipping: bool) -> Path:
    """The engine from a copy of its source, with the layer that skips or without."""
    shutil.copytree(source, target)
    header = target / "src" / "nnue" / "nnue_architecture.h"
    text = header.read_text()
    if SKIPPING not in text:
        raise ValueError(f"{header} must name the class {SKIPPING}...")
    header.write_text(text if skipping else text.replace(SKIPPING, DENSE))
    command = ["make", "build", "ARCH=x86-64-avx2", "COMP=gcc"]
    subprocess.run(command, cwd=target / "src", check=True, stdout=subprocess.DEVNULL)
    return target / "src" / "stockfish"


def layer_times(source: Path, folder: Path) -> list[list[float]]:
    """Nanoseconds for an input of the first dense layer, dense and skipping: the least ones of each run."""
    network = stockfish.Network.read(source / "src" / "nn-1c0000000000.nnue")
    every = [position for game in stockfish.stored()["games"] for position in stockfish.replay(str(game))]
    chosen = np.random.default_rng(2).choice(len(every), POSITIONS, replace=False)
    inputs = np.array([network.neurons(stockfish.bits(every[i])) for i in chosen], np.uint8)
    biases, weights = network.layers[BUCKET][0]
    (folder / "inputs").write_bytes(inputs.tobytes())
    (folder / "layer").write_bytes(biases.astype("<i4").tobytes() + weights.astype("i1").tobytes())
    program = folder / "program"
    code = Path(__file__).with_name("stockfish_layer.cpp")
    subprocess.run(["g++", *FLAGS.split(), f"-I{source / 'src'}", "-o", str(program), str(code)], check=True)
    times = []
    for _ in range(RUNS):
        said = subprocess.run([str(program), "layer", "inputs"], cwd=folder, check=True, capture_output=True, text=True)
        # What interrupts a repetition makes it longer.
        times.append(np.array(said.stdout.split(), float).reshape(-1, 2).min(axis=0).tolist())
    return times


def user_time(engine: Path, command: str) -> tuple[float, int]:
    """Seconds of user time of a command to the engine, and the nodes that it searched."""
    process = subprocess.Popen([engine, *command.split()], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = process.stderr.read() if process.stderr else ""
    _, _, usage = os.wait4(process.pid, 0)
    nodes = re.search(r"Nodes searched *: (\d+)", said)
    return usage.ru_utime, int(nodes.group(1)) if nodes else 0


def engine_times(dense: Path, skipping: Path) -> list[list[float]]:
    """Seconds of user time, dense and skipping, for each pair; they take turns at being the first."""
    pairs, searched = [], set()
    for pair in range(PAIRS):
        times = {}
        for engine in (dense, skipping) if pair % 2 else (skipping, dense):
            start, _ = user_time(engine, "quit")
            took, nodes = user_time(engine, BENCH)
            times[engine] = took - start
            searched.add(nodes)
        pairs.append([times[dense], times[skipping]])
    if len(searched) > 1:
        raise ValueError(f"both engines must search the same nodes, not {sorted(searched)}")
    return pairs


def main(source: Path) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        dense, skipping = (build(source, folder / way, way == "skipping") for way in ("dense", "skipping"))
        load = os.getloadavg()[0]
        layer = layer_times(source, folder)
        engine = engine_times(dense, skipping)
    found = {"layer": layer, "engine": engine, "load": load, **described()}
    (RESULTS / "stockfish_times.json").write_text(json.dumps(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
