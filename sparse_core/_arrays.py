"""The types of arrays in signatures, slices of long arrays, and the threads that work on them."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["AHEAD_ITEMS", "Array", "Integers", "each", "map_blocks", "one_thread", "slices", "threads"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Item = TypeVar("Item")
Result = TypeVar("Result")

# Items per thread that are begun before the first result is used: with 2 no thread waits for the caller, and few
# finished results are held in memory.
AHEAD_ITEMS = 2


def slices(length: int, size: int) -> Iterator[slice]:
    """[0, size), [size, 2 size), ...: the slices that make up ``length``, the last one perhaps shorter.

    >>> list(slices(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return (slice(start, min(start + size, length)) for start in range(0, length, size))


_controllers: dict[bool, Any] = {}


def _blas() -> Any:
    """The threads of the BLAS of NumPy, and of that of SciPy once it is loaded. Finding them takes 1 to 3 ms."""
    with_scipy = "scipy.linalg" in sys.modules
    if with_scipy not in _controllers:
        from threadpoolctl import ThreadpoolController

        _controllers[with_scipy] = ThreadpoolController().select(user_api="blas")
    return _controllers[with_scipy]


def threads() -> int:
    """The number of threads of BLAS now, which is that of large calls: see ``sparse_core``. 1 where BLAS does not say.

    >>> from threadpoolctl import threadpool_limits
    >>> with threadpool_limits(1):
    ...     threads()
    1
    """
    return min((library.num_threads for library in _blas().lib_controllers), default=1)


_limiting = Lock()
_inside = 0
_limit: Any = None


def _release() -> None:
    """Let any thread set limits: threadpoolctl 3.8 obeys only the first one that did."""
    for library in _blas().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


@contextmanager
def one_thread() -> Iterator[int]:
    """BLAS with one thread while any caller is inside; the number that it had, which is 1 for all but the first.

    >>> with one_thread(), one_thread() as number:
    ...     number
    1
    """
    global _inside, _limit
    with _limiting:
        number = threads()
        if not _inside:
            _release()
            _limit = _blas().limit(limits=1)
        _inside += 1
    try:
        yield number
    finally:
        with _limiting:
            _inside -= 1
            if not _inside:
                _release()
                _limit.restore_original_limits()
                _release()


def each(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    large: bool = True,
    use: Callable[[Result], object] = lambda result: None,
) -> None:
    """use(work(item)) for each item, in order; work on as many threads as BLAS has, and BLAS with one in each.

    So the results have the same bits for any number of threads, and ``each`` inside ``work``, or in another thread at
    the same time, takes one. Starting threads takes about 0.1 ms, and a waiting thread is slow to resume: each call of
    NumPy within ``work`` should take 0.1 ms or more. Without ``large`` no threads are started, and BLAS still has one.

    >>> each(abs, [1, -2, 3], use=print)
    1
    2
    3
    """
    with one_thread() as number:
        if number == 1 or not large:
            for item in items:
                use(work(item))
            return
        with ThreadPoolExecutor(number) as pool:
            ahead: deque[Future[Result]] = deque()
            for item in items:
                ahead.append(pool.submit(work, item))
                if len(ahead) > AHEAD_ITEMS * number:
                    use(ahead.popleft().result())
            while ahead:
                use(ahead.popleft().result())


def map_blocks(work: Callable[[Item], Result], items: Iterable[Item], large: bool = True) -> list[Result]:
    """[work(item) for each item], as ``each`` does it.

    >>> map_blocks(abs, [1, -2, 3])
    [1, 2, 3]
    """
    results: list[Result] = []
    each(work, items, large, results.append)
    return results
