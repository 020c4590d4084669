"""Shards: one tree of sums, the same bits in this process, in threads and on a cluster of two processes."""

import os
import pickle
import re
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from sparse_core.cube import hypercube
from sparse_core.learning.moments import Moments, moments, save, saved, sum_by_halves

N, DEGREE, M = 12, 3, 20_000


def samples(rng, integers):
    X = rng.choice([-1, 1], (M, N)).astype(np.int8)
    return X, X[:, 0] * X[:, 1] + (rng.integers(-3, 4, M) if integers else rng.standard_normal(M))


def cut(folder, X, y, rows):
    return save(folder, [(X[i : i + rows], y[i : i + rows]) for i in range(0, len(X), rows)])


def character(X, T):
    return np.prod(X[:, [i for i in range(N) if T >> i & 1]], axis=1, dtype=float)


@pytest.fixture(scope="module")
def client():
    """Two processes of one thread each; the port is a free one, as two of these may run on one machine."""
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(host="127.0.0.1", memory_limit=0, **options) as cluster, Client(cluster) as client:
        assert len({os.getpid(), *client.run(os.getpid).values()}) == 3
        yield client


@pytest.mark.parametrize("integers", [True, False], ids=["integer labels", "real labels"])
@pytest.mark.parametrize("scheduler", ["client", "threads", "synchronous"])
def test_a_cluster_gives_the_bits_of_one_process(tmp_path, request, scheduler, integers):
    rng = np.random.default_rng(1)
    X, y = samples(rng, integers)
    shards = cut(tmp_path, X, y, Moments(N, DEGREE).block)
    who = request.getfixturevalue("client") if scheduler == "client" else scheduler
    alone, together = moments(shards, DEGREE), moments(shards, DEGREE, who)
    assert len(shards) > 4
    assert together.count == M
    assert np.array_equal(together.sums, alone.sums)
    assert np.array_equal(together.sums, Moments(N, DEGREE).update(X, y).sums)  # the shards are aligned with blocks
    naive = [(y * character(X, T)).sum() for T in hypercube.monomials(N, DEGREE)]
    np.testing.assert_allclose(together.sums, naive, rtol=0, atol=1e-9)


def test_a_worker_that_is_killed_on_the_way_leaves_the_same_bits(tmp_path, client):
    X, y = samples(np.random.default_rng(7), integers=False)
    shards = cut(tmp_path, X, y, 100)
    (worker, *_) = client.run(os.getpid).values()
    threading.Timer(0.1, os.kill, (worker, signal.SIGKILL)).start()
    assert np.array_equal(moments(shards, DEGREE, client).sums, moments(shards, DEGREE).sums)


@pytest.mark.parametrize("rows", [1, 7, 2048, M])
def test_shards_of_any_length_give_the_sum_up_to_rounding(tmp_path, rows):
    X, y = samples(np.random.default_rng(2), integers=False)
    X, y = X[: 40 * rows], y[: 40 * rows]
    cut(tmp_path, X, y, rows)
    whole = Moments(N, DEGREE).update(X, y)
    np.testing.assert_allclose(moments(saved(tmp_path), DEGREE).sums, whole.sums, rtol=0, atol=1e-10)


def test_the_files_are_found_in_the_order_in_which_they_were_saved(tmp_path):
    X, y = samples(np.random.default_rng(3), integers=True)
    shards = cut(tmp_path / "new" / "folder", X, y, 400)
    assert saved(tmp_path / "new" / "folder") == shards
    assert np.array_equal(np.concatenate([np.load(shard.X) for shard in shards]), X)
    assert np.array_equal(np.concatenate([np.load(shard.y) for shard in shards]), y)


@pytest.mark.parametrize("stop", [1, 2, 3, 64, 100])
def test_the_tree_is_as_deep_as_log2_and_keeps_the_order(stop):
    assert sum_by_halves(lambda i: [i], lambda a, b: a + b, 0, stop) == list(range(stop))
    assert sum_by_halves(lambda i: 0, lambda a, b: 1 + max(a, b), 0, stop) == (stop - 1).bit_length()


@pytest.mark.parametrize("scheduler", [None, "synchronous"])
def test_a_bad_shard_is_named(tmp_path, scheduler):
    X, y = samples(np.random.default_rng(4), integers=True)
    shards = cut(tmp_path, X, y, 1000)
    np.save(shards[3].y, y[:999])
    with pytest.raises(ValueError, match=r"X-00003.npy and y-00003.npy: Argument 'y' must have"):
        moments(shards, DEGREE, scheduler)
    np.save(shards[3].X, 2 * X[:1000])
    with pytest.raises(ValueError, match=r"X-00003.npy and"):
        moments(shards, DEGREE, scheduler)


@pytest.mark.parametrize("file", [0, 1], ids=["X", "y"])
@pytest.mark.parametrize(
    "broken",
    [
        lambda path: os.truncate(path, 0),
        lambda path: os.truncate(path, 50),
        lambda path: os.truncate(path, 10_000),
        lambda path: path.write_bytes(pickle.dumps([1, -1])),
        lambda path: np.save(path, np.array([{"an": "object"}], dtype=object), allow_pickle=True),
        lambda path: path.write_bytes(re.sub(rb"'[<|]\w\d'", b"'|O' ", path.read_bytes(), count=1)),
        lambda path: path.write_bytes(path.read_bytes().replace(b"}", b"(", 1)),
        lambda path: np.save(path, 1.0),
    ],
    ids=["empty", "half a header", "truncated", "pickled", "objects", "addresses", "another header", "a scalar"],
)
def test_a_broken_shard_is_named(tmp_path, file, broken):
    (shard,) = save(tmp_path, [samples(np.random.default_rng(4), integers=True)])
    broken(shard[file])
    with pytest.raises(ValueError, match="X-00000.npy and y-00000.npy: "):
        moments([shard], DEGREE)


@pytest.mark.parametrize("file", [0, 1], ids=["X", "y"])
@pytest.mark.parametrize("which", [0, 1], ids=["the first shard", "another"])
def test_a_missing_file_is_named(tmp_path, file, which):
    shards = save(tmp_path, [(np.ones((10, 3)), np.ones(10))] * 2)
    name = shards[which][file].name
    shards[which][file].unlink()
    with pytest.raises(FileNotFoundError, match=name):
        moments(shards, 2)


def test_an_empty_shard_adds_nothing(tmp_path):
    X, y = np.ones((4, 3)), np.arange(4.0)
    shards = save(tmp_path, [(X[:0], y[:0]), (X, y)])
    assert moments(shards, 2).count == 4


def test_no_shards_and_different_n_are_refused(tmp_path):
    with pytest.raises(ValueError, match="n = 3 .* not 4"):
        moments(save(tmp_path / "two", [(np.ones((10, n)), np.ones(10)) for n in (3, 4)]), 2)
    with pytest.raises(ValueError, match="'shards' must name at least one shard"):
        moments(saved(tmp_path), DEGREE)


def test_dask_is_imported_only_for_a_scheduler(tmp_path):
    rng = np.random.default_rng(6)
    save(tmp_path, [(rng.choice([-1, 1], (10, 3)), np.ones(10))])
    script = f"""
import sys
from sparse_core.learning import moments
assert moments.moments(moments.saved({str(tmp_path)!r}), 1).count == 10
assert not {{"dask", "distributed"}} & set(sys.modules)
sys.modules["dask"] = None
try:
    moments.moments(moments.saved({str(tmp_path)!r}), 1, "threads")
except ImportError as error:
    print(error)
"""
    said = subprocess.check_output([sys.executable, "-c", script], text=True)
    assert said == "Argument 'scheduler' needs Dask: pip install dask distributed\n"


def test_the_samples_of_a_shard_stay_in_their_files(tmp_path):
    (shard,) = save(tmp_path, [(np.ones((10, 3), np.int8), np.ones(10))])
    assert all(isinstance(array.base, np.memmap) for array in shard.samples())
