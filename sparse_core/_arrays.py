"""Arrays: the types that signatures name, the slices in which long arrays are walked, the threads that walk them."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from functools import cache
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Integers", "each", "parallel", "slices", "threads"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Item = TypeVar("Item")
Result = TypeVar("Result")


def slices(length: int, size: int) -> Iterator[slice]:
    """[0, size), [size, 2 size), ...: the slices that make up ``length``, the last one perhaps shorter.

    >>> list(slices(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return (slice(start, min(start + size, length)) for start in range(0, length, size))


@cache
def _blas(with_scipy: bool) -> Any:
    """The BLAS of NumPy, and that of SciPy if it is loaded; each has threads of its own."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def _libraries() -> Any:
    return _blas("scipy.linalg" in sys.modules)


def threads() -> int:
    """The number of threads of BLAS now, which is that of large calls: see ``sparse_core``. 1 where BLAS does not say.

    >>> from threadpoolctl import threadpool_limits
    >>> with threadpool_limits(1):
    ...     threads()
    1
    """
    return min((library.num_threads for library in _libraries().lib_controllers), default=1)


_limiting = Lock()


def parallel(work: Callable[[Item], Result], items: Iterable[Item], large: bool = True) -> Iterator[Result]:
    """map(work, items), in order, as many items at a time as BLAS has threads, and BLAS with one thread in each.

    So the results have the same bits for any number of threads, and ``parallel`` inside ``work`` takes one thread.
    Starting threads takes about 0.1 ms, and a thread that has waited for another is slow to wake: calls of NumPy within
    ``work`` should take 0.1 ms too. Without ``large`` no threads are started, and BLAS still has one.

    >>> list(parallel(abs, [1, -2, 3]))
    [1, 2, 3]
    """
    with _limiting:  # else two callers could take each other's limit for the one to restore
        number = threads()
        limit = _libraries().limit(limits=1) if number > 1 else nullcontext()
    with limit:
        if number == 1 or not large:
            yield from map(work, items)
            return
        with ThreadPoolExecutor(number - 1) as pool:  # and this thread
            ahead: deque[tuple[Future[Result], Item]] = deque()
            for item in items:
                ahead.append((pool.submit(work, item), item))
                if len(ahead) > 2 * number:  # results that wait take memory
                    yield _first(work, ahead)
            while ahead:
                yield _first(work, ahead)


def _first(work: Callable[[Item], Result], ahead: deque[tuple[Future[Result], Item]]) -> Result:
    """The first result; while another thread is at it, this one does what none has begun, and so has not to be woken.

    >>> with ThreadPoolExecutor(1) as pool:
    ...     _first(abs, deque([(pool.submit(abs, -1), -1), (pool.submit(abs, -2), -2)]))
    1
    """
    for i, (future, item) in enumerate(ahead):
        if ahead[0][0].done():
            break
        if future.cancel():
            done: Future[Result] = Future()
            done.set_result(work(item))
            ahead[i] = done, item
    return ahead.popleft()[0].result()


def each(work: Callable[[Item], None], items: Iterable[Item], large: bool) -> None:
    """work(item) for each item, as ``parallel`` does it.

    >>> found = []
    >>> each(found.append, [1, 2], large=False)
    >>> found
    [1, 2]
    """
    for _ in parallel(work, items, large):
        pass
