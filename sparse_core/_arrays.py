"""The types of arrays in signatures, slices of long arrays, and the threads that work on them."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Integers", "each", "parallel", "slices", "threads"]

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


def parallel(work: Callable[[Item], Result], items: Iterable[Item], large: bool = True) -> Iterator[Result]:
    """map(work, items), in order, as many items at a time as BLAS has threads, and BLAS with one thread in each.

    So the results have the same bits for any number of threads, and ``parallel`` inside ``work`` takes one thread.
    Starting threads takes about 0.1 ms, and a waiting thread is slow to resume: each call of NumPy within ``work``
    should take 0.1 ms or more. Without ``large`` no threads are started, and BLAS still has one.

    >>> list(parallel(abs, [1, -2, 3]))
    [1, 2, 3]
    """
    with _limiting:  # otherwise a second caller could find the limit of the first and restore that in the end
        number = threads()
        limit = _blas().limit(limits=1) if number > 1 else nullcontext()
    with limit:
        if number == 1 or not large:
            yield from map(work, items)
            return
        with ThreadPoolExecutor(number) as pool:
            ahead: deque[Future[Result]] = deque()
            for item in items:
                ahead.append(pool.submit(work, item))
                if len(ahead) > AHEAD_ITEMS * number:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()


def each(work: Callable[[Item], None], items: Iterable[Item], large: bool) -> None:
    """work(item) for each item, as ``parallel`` does it.

    >>> found = []
    >>> each(found.append, [1, 2], large=False)
    >>> found
    [1, 2]
    """
    for _ in parallel(work, items, large):
        pass
