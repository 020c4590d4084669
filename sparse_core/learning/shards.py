r"""Samples in many files: S_T = sum over the shards of sum_i y_i chi_T(x_i), on one machine or on a cluster.

A shard is a pair of ``.npy`` files, points and labels. Whoever does the work, the sums are taken along one fixed tree,
the halves of the list of shards, so that the bits of the result depend on the shards only. If the length of each but
the last is a multiple of ``Moments.block``, they are those of one ``update`` with all samples.

The cluster is Dask's (``pip install "sparse-activations[dask]"``), which is imported only when a scheduler is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .._arrays import AHEAD_ITEMS, map_blocks, threads
from .moments import Moments
from .sample import Sample

__all__ = ["Shard", "moments", "save", "saved", "sum_by_halves"]

Sum = TypeVar("Sum")
# Bytes of a file up to which it is read at once, by one thread: mapping it, or starting another thread, takes longer.
SMALL_FILE_BYTES = 1 << 20


class Shard(NamedTuple):
    """The files of some samples: points, rows of -1 and 1, and labels."""

    X: Path
    y: Path

    def samples(self) -> Sample:
        """X and y, checked, as memory maps or, from small files, as arrays; ``Moments.update`` takes them.

        A missing file is a FileNotFoundError, a broken one a ValueError, both with its name.
        """
        try:
            return Sample.checked(_array(self.X), _array(self.y))
        except (MemoryError, OSError):
            raise
        except Exception as error:  # of ours, of NumPy, and of the parsers that NumPy gives a broken file to
            raise ValueError(f"{self.X} and {self.y.name}: {error}") from None

    def moments(self, degree: int) -> Moments:
        """sum_i y_i chi_T(x_i) over the samples of this shard."""
        sample = self.samples()
        return Moments(sample.X.shape[1], degree).update(sample)


def _array(path: Path) -> NDArray[Any]:
    large = path.stat().st_size > SMALL_FILE_BYTES
    return np.asarray(np.load(path, mmap_mode="r" if large else None, allow_pickle=False))


def save(folder: str | PathLike[str], samples: Iterable[tuple[ArrayLike, ArrayLike]]) -> list[Shard]:
    """X-00000.npy and y-00000.npy, X-00001.npy and y-00001.npy, ...: one shard for each pair (X, y) of the iterable.

    >>> from tempfile import TemporaryDirectory
    >>> X, y = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]], dtype=np.int8), np.array([1, -1, -1, 1])
    >>> with TemporaryDirectory() as folder:
    ...     shards = save(folder, [(X[:2], y[:2]), (X[2:], y[2:])])
    ...     moments(saved(folder), degree=2).coefficients
    array([0., 0., 0., 1.])
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    shards = []
    for i, (X, y) in enumerate(samples):
        shards.append(_shard(folder, f"{i:05d}"))
        for path, array in zip(shards[-1], (X, y), strict=True):
            np.save(path, np.asarray(array))
    return shards


def saved(folder: str | PathLike[str]) -> list[Shard]:
    """The shards that ``save`` has written to a folder, in order.

    >>> saved("no folder of that name")
    []
    """
    return [_shard(folder, path.stem.removeprefix("X-")) for path in sorted(Path(folder).glob("X-*.npy"))]


def _shard(folder: str | PathLike[str], name: str) -> Shard:
    return Shard(Path(folder) / f"X-{name}.npy", Path(folder) / f"y-{name}.npy")


def moments(shards: Sequence[Shard], degree: int, scheduler: Any = None) -> Moments:
    """sum over the shards of their moments, added along the tree of halves.

    The scheduler is None for this process, or who else does the work: a ``dask.distributed.Client``, whose workers must
    see the files under the same paths, or a name that Dask knows, such as "threads". N shards take N - 1 additions,
    log2 N deep, each of which moves two doubles per moment, whatever the number of samples.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     moments(save(folder, [([[1, -1], [1, 1]], [1.0, 3.0]), ([[-1, 1]], [5.0])]), 1).coefficients
    array([ 3.        , -0.33333333,  2.33333333])
    """
    if not len(shards):
        raise ValueError("Argument 'shards' must name at least one shard; it is empty.")
    degree = checks.integer("degree", degree, 0)
    if scheduler is None:
        large = shards[0].X.stat().st_size > SMALL_FILE_BYTES
        together = AHEAD_ITEMS * threads()
        ready: list[Moments] = []

        def next_moments(i: int) -> Moments:
            if not ready:
                some = shards[i : i + together]
                ready.extend(reversed(map_blocks(lambda shard: shard.moments(degree), some, large)))
            return ready.pop()

        return sum_by_halves(next_moments, Moments.__add__, 0, len(shards))
    try:
        from dask.delayed import delayed
    except ImportError:
        raise ImportError("Argument 'scheduler' needs Dask: pip install 'sparse-activations[dask]'") from None
    part = delayed(Shard.moments, pure=True)
    add = delayed(Moments.__add__, pure=True)
    total: Moments = sum_by_halves(lambda i: part(shards[i], degree), add, 0, len(shards)).compute(scheduler=scheduler)
    return total


def sum_by_halves(leaf: Callable[[int], Sum], add: Callable[[Sum, Sum], Sum], start: int, stop: int) -> Sum:
    """leaf(start) + ... + leaf(stop - 1), as the sum of its two halves.

    At most 1 + log2(stop - start) partial sums are in memory at a time.

    >>> sum_by_halves(str, "({}+{})".format, 0, 5)
    '((0+1)+(2+(3+4)))'
    """
    if stop - start == 1:
        return leaf(start)
    middle = (start + stop) // 2
    return add(sum_by_halves(leaf, add, start, middle), sum_by_halves(leaf, add, middle, stop))
