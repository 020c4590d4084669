"""Blocks of work on several threads: their order, their limits, and the threads that BLAS keeps."""

import threading

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from sparse_core._arrays import parallel, threads


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.mark.parametrize("number", [1, 2, 3])
def test_results_come_in_order_and_blas_keeps_its_threads(number):
    """Inside, BLAS has one thread, and so has a parallel call in a parallel call."""
    with threadpool_limits(number, "blas"):
        assert threads() == number
        found = list(parallel(lambda i: (i, blas_threads(), threads(), list(parallel(abs, [-i]))), range(20)))
        assert found == [(i, {1}, 1, [i]) for i in range(20)]
        assert blas_threads() == {number}


def test_no_more_items_are_begun_than_a_few_beyond_the_one_that_is_asked_for():
    begun = []
    with threadpool_limits(2, "blas"):
        for done, _ in enumerate(parallel(begun.append, range(100)), 1):
            assert len(begun) <= done + 5
    assert len(begun) == 100


def test_two_items_run_at_the_same_time():
    meet = threading.Barrier(2, timeout=60)
    with threadpool_limits(2, "blas"):
        assert sorted(parallel(lambda _: meet.wait(), range(2))) == [0, 1]


@pytest.mark.parametrize("number", [1, 2])
def test_an_error_and_an_early_end_leave_no_limit_behind(number):
    with threadpool_limits(number, "blas"):
        with pytest.raises(ZeroDivisionError):
            list(parallel(lambda i: 1 // i, [1, 0, 2]))
        assert next(results := parallel(abs, [-1, -2, -3])) == 1
        results.close()
        assert blas_threads() == {number}
