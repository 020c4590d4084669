"""Blocks of work on several threads: their order, their limits, and the threads that BLAS keeps."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from sparse_core._arrays import each, map_blocks, threads


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.mark.parametrize("number", [1, 2, 3])
def test_results_come_in_order_and_blas_keeps_its_threads(number):
    """Inside, BLAS has one thread, and so have blocks in a block."""
    with threadpool_limits(number, "blas"):
        assert threads() == number
        found = map_blocks(lambda i: (i, blas_threads(), threads(), map_blocks(abs, [-i])), range(20))
        assert found == [(i, {1}, 1, [i]) for i in range(20)]
        assert blas_threads() == {number}


def test_no_more_items_are_begun_than_a_few_beyond_the_one_that_is_used():
    begun, used = [], []

    def use(_):
        used.append(len(begun))

    with threadpool_limits(2, "blas"):
        each(begun.append, range(100), use=use)
    assert len(used) == len(begun) == 100
    assert all(started <= done + 5 for done, started in enumerate(used, 1))


def test_two_items_run_at_the_same_time():
    meet = threading.Barrier(2, timeout=60)
    with threadpool_limits(2, "blas"):
        assert sorted(map_blocks(lambda _: meet.wait(), range(2))) == [0, 1]


@pytest.mark.parametrize("number", [1, 2])
def test_an_error_leaves_no_limit_behind_even_while_its_traceback_lives(number):
    with threadpool_limits(number, "blas"):
        for work, use in ((lambda i: 1 // i, abs), (abs, lambda i: 1 // i)):
            with pytest.raises(ZeroDivisionError) as caught:
                each(work, [1, 0, 2], use=use)
            assert caught.tb and blas_threads() == {number}


@pytest.mark.parametrize("large", [True, False])
def test_of_two_callers_at_once_the_first_to_end_leaves_one_thread_to_the_other(large):
    both, ended = threading.Barrier(2, timeout=60), threading.Event()

    def second():
        def work(i):
            if i == 0:
                both.wait()
                assert ended.wait(60)
            return blas_threads()

        return map_blocks(work, range(3), large)

    with threadpool_limits(2, "blas"), ThreadPoolExecutor(1) as pool:
        later = []
        map_blocks(lambda _: (later.append(pool.submit(second)), both.wait()), [0], large)
        ended.set()
        assert later[0].result(60) == [{1}] * 3
        assert blas_threads() == {2}
