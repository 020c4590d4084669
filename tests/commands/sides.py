"""Sides of the cases in test_benchmarks.py. Each runs in a process of its own, which executes this file: it imports no
more than they need."""

import os

import numpy as np

from tests.benchmarks.harness import Run


def base(n):
    return lambda: np.arange(n, dtype=float)


def shifted(n):
    facts = {"threads": os.environ["OMP_NUM_THREADS"], "core": os.environ.get("OPENBLAS_CORETYPE")}
    return Run(lambda: np.arange(n) + 1.0, lambda result: result - 0.5, facts)


def shorter(n):
    return lambda: np.arange(n - 1)


def greedy(n):
    return lambda: np.ones(1 << 58)  # 2 EiB, more than any address space


def missing(n):
    import a_library_that_nobody_has

    return a_library_that_nobody_has


def talkative(n):
    print("{not json")
    return base(n)


def crashing(n):
    os._exit(3)


def endless(n):
    def run():
        while True:
            pass

    return run
