"""The network of the chess engine: a small one by hand, the rules by which pieces move, what is stored, the engine."""

import shutil
import struct

import numpy as np
import pytest

from sparse_book.experiments import stockfish
from sparse_book.runs import interval

ENGINE = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
# Castling on both sides, a pawn that is taken in passing, and a pawn that becomes a knight.
RULES = "e2e4 d7d5 e4e5 f7f5 e5f6 b8c6 g1f3 c8g4 f1e2 d8d6 e1g1 e8c8 f6g7 a7a6 g7h8n"


def packed(values):
    """Signed numbers of seven bits a byte."""
    out = bytearray()
    for value in values:
        while not -64 <= value < 64:
            out.append(value & 127 | 128)
            value >>= 7
        out.append(value & 127)
    return stockfish._PACKED + struct.pack("<I", len(out)) + bytes(out)


def a_network(width, pack, rng):
    """The bytes of a network with few weights that are not 0, and those weights by row."""
    rows = {}
    weights = np.zeros((stockfish.BITS, width), "<i2")
    for bit in rng.choice(stockfish.BITS, 50, replace=False):
        rows[bit] = rng.integers(-200, 200, width)
        weights[bit] = rows[bit]
    material = np.zeros(stockfish.BITS * stockfish.BUCKETS, "<i4")
    bias = rng.integers(-150, 150, width).astype("<i2")
    parts = [values.tobytes() if not pack else packed(values.ravel().tolist()) for values in (bias, weights, material)]
    layers = [b"".join(rng.integers(-9, 9, size).astype(kind).tobytes()
                       for shape in ((16, width), (32, 32), (1, 32))
                       for kind, size in (("<i4", shape[0]), ("i1", shape[0] * shape[1])))
              for _ in range(stockfish.BUCKETS)]  # fmt: skip
    hashes = struct.pack("<II", 5, 9)
    head = stockfish._VERSION + struct.pack("<II", 5 ^ 9, 3) + b"abc"
    body = hashes[:4] + b"".join(parts) + b"".join(hashes[4:] + layer for layer in layers)
    return head + body, bias, rows


@pytest.mark.parametrize("pack", [False, True])
def test_a_network_is_read_wherever_it_begins_and_its_neurons_are_products(pack, tmp_path, monkeypatch):
    monkeypatch.setattr(stockfish, "BITS", 500)
    data, bias, rows = a_network(1024, pack, np.random.default_rng(0))
    (tmp_path / "engine").write_bytes(b"program" + stockfish._VERSION + b"no network" + data + b"rest")
    network = stockfish.Network.read(tmp_path / "engine")
    assert network.width == 1024 and np.array_equal(network.bias, bias)
    some, others = list(rows)[:20], list(rows)[20:]
    neurons = network.neurons((np.array(some), np.array(others)))
    for side, indices in enumerate((some, others)):
        z = bias.astype(int) + sum(rows[bit].astype(int) for bit in indices)
        for j in range(0, 512, 37):
            first, second = (min(max(int(z[i]), 0), 127) for i in (j, j + 512))
            assert neurons[512 * side + j] == first * second // 128
    with pytest.raises(ValueError, match="must contain a network of 1024, 1536, 3072 neurons"):
        (tmp_path / "broken").write_bytes(data[:-1])
        stockfish.Network.read(tmp_path / "broken")


def test_the_pieces_move_by_the_rules():
    board = list(stockfish.replay(RULES))[-1].board.reshape(8, 8)
    rows = ["".join(".PNBRQKkqrbnp"[piece] for piece in row) for row in board]
    assert rows == ["RNBQ.RK.", "PPPPBPPP", ".....N..", "......b.", "...p....", "p.nq....", ".pp.p..p", "..kr.bnN"]


def test_both_sides_see_the_first_position_alike():
    first, second = stockfish.replay("e2e4")
    assert sorted(stockfish.bits(first)[0]) == sorted(stockfish.bits(first)[1])
    # The king on e1 is in region 31; the pawn moves from square 12 to 28. Who is to move comes first.
    before, after = stockfish.bits(first)[0], stockfish.bits(second)[1]
    assert sorted(set(after) ^ set(before)) == [31 * 704 + 12, 31 * 704 + 28]


def test_what_is_stored_is_about_the_stored_games():
    table = stockfish.stored()
    games = [str(game) for game in table["games"]]
    positions = sum(1 + len(game.split()) for game in games)
    assert len(games) == stockfish.GAMES and table["disagreement"] < 0.01
    for version, name in zip(stockfish.VERSIONS.values(), stockfish.VERSIONS, strict=True):
        active, counts = table[f"{version} active"], table[f"{version} counts"]
        assert str(table[f"{version} name"]) == name
        assert len(active) == positions and active.sum() == counts.sum(dtype=int)
        assert stockfish.shares(version, "blocks").mean() > stockfish.shares(version, "active").mean()
        assert interval(stockfish.shares(version, "units")).startswith("0.3")
    # The raster is White's half of the first game, in the network of the engine that played it.
    on = np.unpackbits(table["raster"], axis=1)
    assert on.shape == (1 + len(games[0].split()), 3072 // 2)


@pytest.mark.skipif(ENGINE is None, reason="the engine is not installed: apt-get install stockfish")
def test_the_engine_agrees_and_its_network_gives_what_is_stored(tmp_path):
    engine = stockfish.Engine(ENGINE)
    network = stockfish.Network.read(stockfish.Path(ENGINE))
    games = [str(game) for game in stockfish.stored()["games"][:2]]
    some = [" ".join(game.split()[:plies]) for game in games for plies in stockfish.COMPARED]
    assert stockfish.disagreement(engine, network, some) < 0.01
    network.layers[3][0][1][:] = 0  # another network does not agree
    assert stockfish.disagreement(engine, network, some) > 0.1
    board = "".join(engine.ask(f"position startpos moves {RULES}\nd\nisready", "readyok"))
    assert "2kr1bnN/1pp1p2p/p1nq4/3p4/6b1/5N2/PPPPBPPP/RNBQ1RK1 b" in board
    assert len(stockfish._opening(engine, np.random.default_rng(1)).split()) in (0, stockfish.OPENING)
    engine.close()
    version = stockfish.VERSIONS.get(network.name)
    if version:
        again = [int((network.neurons(stockfish.bits(position)) > 0).sum()) for position in stockfish.replay(games[0])]
        assert np.array_equal(again, stockfish.stored()[f"{version} active"][: len(again)])
