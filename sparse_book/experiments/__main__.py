"""The command ``python -m sparse_book.experiments NAME ...``."""

import sys
import time

from . import NAMES, generate

if __name__ == "__main__":
    for name in sys.argv[1:] or NAMES:
        start = time.perf_counter()
        generate(name)
        print(f"{name}: {time.perf_counter() - start:.0f} s")
        if name == "skipping":
            print("skipping: the CPU was measured; for a GPU run python -m tests.benchmarks.skipping_gpu on it")
