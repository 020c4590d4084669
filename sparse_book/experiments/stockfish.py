r"""How sparse a deployed network is: the first dense layer of the chess engine Stockfish, which skips inactive neurons.

``python -m sparse_book.experiments.stockfish ENGINE NETWORK ...`` lets the engine play GAMES games against itself,
compares each network that the engine has as well with its command ``eval``, and writes ``results/stockfish.npz``.
A NETWORK is a .nnue file or an executable that contains one. What is stored was measured on the networks of version
15.1 and 17.1, which Debian 12 and 13 have in their package stockfish, and of 16, nn-5af11540bbfe.nnue of
https://tests.stockfishchess.org/nns; the games were played by 17.1.

An input is a list of bits, one for each piece, square and region of the king, from the side of each player. For each
side the first layer has *units*, clipped to 0 ... 127; the product of two units is a *neuron*, the input of the first
dense layer. It is active if it is not 0 after it was rounded. Since version 16 the engine skips blocks of four neurons
that are all inactive, exactly.

Licences: the engine is under GPL-3, and nothing of it is copied here; its networks are under CC0; the games are ours.

Paper: section 1, on sparsity that makes inference cheap.
"""

from __future__ import annotations

import hashlib
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparse_core._arrays import Array

from . import RESULTS
from .emergence import BATCHES

__all__ = ["SIZES", "VERSIONS", "Engine", "Network", "bits", "disagreement", "play", "replay", "shares", "stored"]

# Names of versions by the first digits of their networks' SHA-256.
VERSIONS = {"ad9b42354671": "15.1", "5af11540bbfe": "16", "1c0000000000": "17.1"}
GAMES = 60
# Plies of an opening at random; of a game at most.
OPENING, LONGEST = 8, 200
# Nodes that are searched for a move; for the score of an opening, in hundredths of a pawn, that is still even.
NODES, NODES_OPENING, EVEN = 1500, 3000, 150
# Sizes of batches, which a game is long enough for.
SIZES = BATCHES[:-1]
# After how many plies of each game the network is compared with the engine.
COMPARED = (10, 25, 40, 60, 80)
# Batches of positions at random; positions for the comparison with Definition 2 and of pieces on random squares.
DRAWS, SOME = 400, 200
# The engine skips four neurons at a time.
BLOCK = 4

BITS, BUCKETS, WIDTHS = 22528, 8, (1024, 1536, 3072)
_VERSION, _PACKED = struct.pack("<I", 0x7AF32F20), b"COMPRESSED_LEB128"
PAWN, ROOK, KING = 1, 4, 6

Board = NDArray[np.int8]
Bits = tuple[NDArray[np.int64], NDArray[np.int64]]


class Position(NamedTuple):
    """64 squares from a1 to h8: 1 ... 6 for pawn, knight, bishop, rook, queen and king, negative if black."""

    board: Board
    white: bool


class Network:
    """The numbers of a network file, whose hashes must agree, and the neurons and values that they give."""

    def __init__(self, data: memoryview, width: int) -> None:
        self._data, self._at = data, len(_VERSION)
        self.width = width
        whole, size = self._take("<u4", 2)
        self._at += int(size)  # a description
        of_units = self._take("<u4", 1)[0]
        self.bias = self._numbers("<i2", width)
        self.weights = self._numbers("<i2", BITS * width).reshape(BITS, width)
        self.material = self._numbers("<i4", BITS * BUCKETS).reshape(BITS, BUCKETS)
        hashes, self.layers = zip(*(self._bucket() for _ in range(BUCKETS)), strict=True)
        if set(hashes) != {whole ^ of_units}:
            raise ValueError("the hashes of the network do not agree")
        self.name = hashlib.sha256(data[: self._at]).hexdigest()[:12]

    @classmethod
    def read(cls, path: Path) -> Network:
        """The first network in a file, where the number of its version is followed by layers with the right hashes."""
        data, at = path.read_bytes(), -1
        while (at := data.find(_VERSION, at + 1)) >= 0:
            for width in WIDTHS:
                try:
                    return cls(memoryview(data)[at:], width)
                except ValueError:
                    continue
        raise ValueError(f"{path} must contain a network of {', '.join(map(str, WIDTHS))} neurons")

    def _take(self, kind: str, count: int) -> NDArray[Any]:
        values = np.frombuffer(self._data, kind, count, self._at)
        self._at += values.nbytes
        return values

    def _bucket(self) -> tuple[int, list[tuple[NDArray[np.int64], NDArray[np.int64]]]]:
        hashed = int(self._take("<u4", 1)[0])
        shapes = ((16, self.width), (32, 32), (1, 32))
        return hashed, [(self._take("<i4", shape[0]).astype(np.int64),
                         self._take("i1", shape[0] * shape[1]).reshape(shape).astype(np.int64))
                        for shape in shapes]  # fmt: skip

    def _numbers(self, kind: str, count: int) -> NDArray[Any]:
        """Integers as they are, or since version 16 in seven bits a byte, of which the eighth says that more follow."""
        if bytes(self._data[self._at : self._at + len(_PACKED)]) != _PACKED:
            return self._take(kind, count)
        self._at += len(_PACKED)
        octets = self._take("u1", int(self._take("<u4", 1)[0]))
        ends = np.flatnonzero(octets < 128)
        starts = np.append(0, ends[:-1] + 1)
        if len(ends) != count:
            raise ValueError(f"{len(ends)} packed numbers in place of {count}")
        values = np.where(octets[ends] & 64, np.int64(-1) << 7 * (ends - starts + 1), 0)
        for i in range(int((ends - starts).max()) + 1):
            more = starts + i <= ends
            values[more] |= (octets[starts[more] + i].astype(np.int64) & 127) << 7 * i
        return values.astype(kind)

    def units(self, indices: NDArray[np.int64]) -> NDArray[np.int32]:
        """The clipped units of one side in two rows, the factors of its neurons."""
        z = self.bias + self.weights[indices].sum(axis=0, dtype=np.int32)
        return np.asarray(np.clip(z, 0, 127)).reshape(2, -1)

    def neurons(self, seen: Bits) -> NDArray[np.int64]:
        """The inputs of the first dense layer: of the side to move, then of the other."""
        return np.concatenate([self.units(indices).prod(axis=0, dtype=np.int64) >> 7 for indices in seen])

    def values(self, seen: Bits) -> NDArray[np.int64]:
        """What material and position are worth in each bucket, in the engine's units, for the side to move."""
        x = self.neurons(seen)
        material = (self.material[seen[0]].sum(axis=0) - self.material[seen[1]].sum(axis=0)) / 2
        position = []
        for (b0, W0), (b1, W1), (b2, W2) in self.layers:
            z = W0 @ x + b0
            hidden = np.concatenate([np.minimum(z[:15] ** 2 >> 19, 127), np.clip(z[:15] >> 6, 0, 127)])
            y = np.clip((W1[:, :30] @ hidden + b1) >> 6, 0, 127)
            position.append((W2 @ y + b2)[0] + int(z[15] * 9600 / 8128))
        return np.trunc(np.array([material, position]) / 16).astype(np.int64)


def bits(position: Position) -> Bits:
    """The indices of the bits that are 1, one for each piece, for the side to move and for the other side.

    >>> [len(indices) for indices in bits(next(replay("")))]
    [32, 32]
    """
    squares = np.flatnonzero(position.board)
    pieces = position.board[squares]
    seen = []
    for white in (position.white, not position.white):
        own = 1 if white else -1
        king = int(squares[pieces == own * KING][0])
        # Black sees the board from its side, and each side so that its king is on the files e to h.
        turned = (0 if white else 56) ^ (0 if king % 8 >= 4 else 7)
        rank, file = divmod(king ^ turned, 8)
        region = 4 * (7 - rank) + 7 - file
        kind = np.minimum(2 * (np.abs(pieces) - 1) + (np.sign(pieces) != own), 10).astype(np.int64)
        seen.append((squares ^ turned) + 64 * kind + 704 * region)
    return seen[0], seen[1]


def replay(game: str) -> Iterator[Position]:
    """The positions of a game, the first and that after each of its moves, such as "e2e4 e7e5".

    >>> [int((position.board != 0).sum()) for position in replay("e2e4 d7d5 e4d5")]
    [32, 32, 32, 31]
    """
    back = np.array([4, 2, 3, 5, 6, 3, 2, 4])
    board = np.concatenate([back, np.full(8, PAWN), np.zeros(32), np.full(8, -PAWN), -back]).astype(np.int8)
    white = True
    yield Position(board.copy(), white)
    for move in game.split():
        start, end = (ord(move[i]) - ord("a") + 8 * (int(move[i + 1]) - 1) for i in (0, 2))
        piece = board[start]
        if abs(piece) == KING and abs(end - start) == 2:  # castling moves a rook as well
            corner = end + 1 if end > start else end - 2
            board[(start + end) // 2], board[corner] = board[corner], 0
        if abs(piece) == PAWN and (end - start) % 8 and not board[end]:  # a pawn that is taken in passing
            board[start // 8 * 8 + end % 8] = 0
        board[end] = np.sign(piece) * (" pnbrqk".index(move[4]) if len(move) == 5 else abs(piece))
        board[start] = 0
        white = not white
        yield Position(board.copy(), white)


class Engine:
    """A running engine, which is asked in its protocol UCI."""

    def __init__(self, path: str) -> None:
        self._process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask("setoption name Threads value 1\nsetoption name Hash value 16\nisready", "readyok")

    def ask(self, command: str, last: str) -> list[str]:
        """What the engine prints, up to a line that begins with ``last``."""
        if self._process.stdin is None or self._process.stdout is None:
            raise ValueError("the engine must have pipes")
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        lines = []
        for line in self._process.stdout:
            lines.append(line)
            if line.startswith(last):
                return lines
        raise ValueError(f"the engine ended where {last!r} was expected")

    def close(self) -> None:
        self._process.communicate("quit\n")


def play(engine: Engine, run: int) -> str:
    """A game of the engine against itself after a random opening that leaves it even."""
    rng = np.random.default_rng([7, run])
    game = ""
    while not game:
        game = _opening(engine, rng)
    engine.ask("ucinewgame\nisready", "readyok")
    # A position that occurs three times is a draw.
    while len(game.split()) < LONGEST and _occurrences(game) < 3:
        move = engine.ask(f"position startpos moves {game}\ngo nodes {NODES}", "bestmove")[-1].split()[1]
        if move == "(none)":
            break
        game += f" {move}"
    return game


def _opening(engine: Engine, rng: np.random.Generator) -> str:
    """OPENING random moves, or nothing if the game is over or one side is ahead."""
    game = ""
    for _ in range(OPENING):
        listed = engine.ask(f"position startpos moves {game}\ngo perft 1", "Nodes searched")
        moves = sorted(line.split(":")[0] for line in listed if re.match(r"[a-h][1-8][a-h][1-8].?: 1", line))
        if not moves:
            return ""
        game = f"{game} {moves[rng.integers(len(moves))]}".strip()
    engine.ask("ucinewgame\nisready", "readyok")
    said = "".join(engine.ask(f"position startpos moves {game}\ngo nodes {NODES_OPENING}", "bestmove"))
    scores = re.findall(r"score cp (-?\d+)", said)
    return game if scores and abs(int(scores[-1])) < EVEN and "score mate" not in said else ""


def _occurrences(game: str) -> int:
    """How often the last position of a game occurs in it."""
    seen = [(position.board.tobytes(), position.white) for position in replay(game)]
    return seen.count(seen[-1])


def disagreement(engine: Engine, network: Network, games: list[str]) -> float:
    """The largest difference of a network's values and the engine's command ``eval`` at the ends of games, in pawns.

    ``eval`` prints the values of all buckets, rounded, in a unit that depends on the pieces: one factor for a position
    is fitted. A position in check has no values.
    """
    worst = 0.0
    for game in games:
        said = engine.ask(f"position startpos moves {game}\neval\nisready", "readyok")
        rows = [re.findall(r"[-+]? *\d+\.\d+", line) for line in said if re.match(r"\|  \d  ", line)]
        if rows:
            shown = np.array([[float(value.replace(" ", "")) for value in row[:2]] for row in rows]).T
            ours = network.values(bits(list(replay(game))[-1]))
            unit = (shown * ours).sum() / (ours**2).sum()
            worst = max(worst, float(np.abs(shown - unit * ours).max()))
    return worst


def stored() -> dict[str, NDArray[Any]]:
    """What was measured, by name; the names of what belongs to a network begin with its version.

    >>> counts = stored()["17.1 counts"]
    >>> len(counts), int(counts.min()) > 0                 # neurons, and none is dead
    (3072, True)
    """
    with np.load(RESULTS / "stockfish.npz") as table:
        return dict(table)


def shares(version: str, name: str) -> Array:
    """The mean share of "units", "active" neurons or "blocks" of four that is not 0, for each game.

    >>> len(shares("16", "active")), float(shares("16", "active").mean().round(2))
    (60, 0.12)
    """
    table = stored()
    width = len(table[f"{version} counts"])
    parts = {"units": 2 * width, "active": width, "blocks": width // BLOCK}
    lengths = [len(str(game).split()) + 1 for game in table["games"]]
    games = np.split(table[f"{version} {name}"] / parts[name], np.cumsum(lengths)[:-1])
    return np.array([game.mean() for game in games])


def measure(network: Network, games: list[str]) -> dict[str, Any]:
    """What is stored of a network.

    *active*, *blocks*, *units*: how many neurons, blocks of four and units are active, for each position; *counts*: at
    how many positions each neuron is. *union*: the share of neurons that is active at one of a batch of positions at
    random, a row for each batch, a column for each of SIZES; *row*: of positions in a row, the mean over a game, a row
    for each game, nan if it is shorter. *scattered*: the share of active neurons if the same pieces stand on random
    squares.
    """
    positions = [list(replay(game)) for game in games]
    lengths = [len(game) for game in positions]
    every = [position for game in positions for position in game]
    rng = np.random.default_rng(0)
    active = np.array([network.neurons(bits(position)) > 0 for position in every])
    units = [sum(int((network.units(indices) > 0).sum()) for indices in bits(position)) for position in every]
    runs = np.split(active, np.cumsum(lengths)[:-1])
    return {
        "name": network.name,
        "active": active.sum(axis=1, dtype=np.uint16),
        "blocks": active.reshape(len(active), -1, BLOCK).any(axis=2).sum(axis=1, dtype=np.uint16),
        "units": np.array(units, np.uint16),
        "counts": active.sum(axis=0, dtype=np.uint16),
        "union": np.array([[active[rng.choice(len(active), m, replace=False)].any(axis=0).mean() for m in SIZES]
                           for _ in range(DRAWS)], np.float32),
        "row": np.array([[_in_a_row(run, m) for m in SIZES] for run in runs], np.float32),
        "scattered": np.array([(network.neurons(bits(_scattered(every[i], rng))) > 0).mean()
                               for i in rng.choice(len(every), SOME)], np.float32),
    }  # fmt: skip


def _in_a_row(active: NDArray[np.bool_], m: int) -> float:
    if len(active) < m:
        return np.nan
    windows = np.lib.stride_tricks.sliding_window_view(active, m, axis=0)
    return float(np.mean([window.any(axis=1).mean() for window in windows]))


def _scattered(position: Position, rng: np.random.Generator) -> Position:
    return Position(rng.permutation(position.board), position.white)


def bound(network: Network, games: list[str]) -> list[float]:
    """4 k^2 W^2 as in Definition 2, and what it bounds: the squared changes if one piece at a time is removed, summed.

    Of one output of the first dense layer, that which the engine adds to its evaluation. W counts a neuron with the
    lengths of the weights of both of its units. The sum over the pieces is a part of that over all bits; its mean over
    SOME positions is taken.
    """
    every = [position for game in games for position in replay(game)]
    rng = np.random.default_rng(1)
    length = np.sqrt((network.weights.astype(np.float32) ** 2).sum(axis=0)).reshape(2, -1).sum(axis=0)
    W = max(float((np.abs(layers[0][1][15]) * np.tile(length, 2)).max()) for layers in network.layers)
    most, sums = 0, []
    for position in (every[i] for i in rng.choice(len(every), SOME)):
        weights = network.layers[(np.count_nonzero(position.board) - 1) // 4][0][1][15]
        seen = bits(position)
        x = network.neurons(seen)
        most = max(most, int((x > 0).sum()))
        squares = np.flatnonzero(np.abs(position.board[position.board != 0]) != KING)
        without = [network.neurons((np.delete(seen[0], i), np.delete(seen[1], i))) for i in squares]
        sums.append(sum(float(weights @ (x - other)) ** 2 for other in without))
    return [4 * most**2 * W**2, float(np.mean(sums))]


def generate(engine_path: str, paths: list[Path]) -> None:
    """Play, compare the engine's own network with its ``eval``, measure all, and store."""
    engine = Engine(engine_path)
    games = [play(engine, run) for run in range(GAMES)]
    own = Network.read(Path(engine_path))
    some = [" ".join(game.split()[:plies]) for game in games for plies in COMPARED]
    first = [bits(position)[0 if position.white else 1] for position in replay(games[0])]
    table: dict[str, Any] = {
        "games": np.array(games),
        "disagreement": disagreement(engine, own, some),
        "bound": bound(own, games),
        # White's neurons in the first game.
        "raster": np.packbits([own.units(seen).prod(axis=0) >= 128 for seen in first], axis=1),
    }
    engine.close()
    for path in paths:
        network = Network.read(path)
        version = VERSIONS.get(network.name, network.name)
        table |= {f"{version} {name}": value for name, value in measure(network, games).items()}
    np.savez_compressed(RESULTS / "stockfish.npz", **table)


if __name__ == "__main__":
    generate(sys.argv[1], [Path(path) for path in sys.argv[2:]])
