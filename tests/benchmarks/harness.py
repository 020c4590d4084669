r"""Interleaved pairs: the sides of a case take turns, each in a process of its own.

    def ours(n):                                     # the set-up: made once, not timed
        x = np.random.default_rng(0).standard_normal(1 << n)
        return lambda: fourier.walsh_transform(x)    # what is timed; its result is compared with the base's

    case = Case("walsh", {"sparse_core": ours, "pyfwht": theirs}, {"n": 20}, twice=("sparse_core",))
    record = pairs(case)

The first side is the base, and a ratio is another side's time over the base's: above 1, the base is faster. A side
is a function of the case's ``args`` at the top of a file, and runs with one thread; those named in ``twice`` run once
more with two. It does its imports itself, so that a library that is missing or breaks fails on its own side only; that
failure and its reason are part of the record.

Times are those of the clock; ``busy`` is the processor time over it, in the last turn: is the machine idle? The
first call is the warm-up; when it takes longer than ``ONCE`` seconds it is the measurement. Peak memory is what a side
takes beyond its data and its imports.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import runpy
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

ENOUGH = 12.0  # seconds after which three turns do
SHORTEST = 0.02  # seconds of a turn: shorter calls are repeated
ONCE = 5.0  # seconds of a warm-up that is not followed by more turns
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Run(NamedTuple):
    """What a side may return in place of the function that is timed: with ``view``, what is compared of its result
    (None: nothing is), and ``facts`` for the record, which the first call may add to."""

    call: Callable[[], Any]
    view: Callable[[Any], Any] | None = lambda result: result
    facts: dict[str, Any] = {}


Side = Callable[..., Callable[[], Any] | Run]


@dataclass(frozen=True)
class Case:
    """What is measured: the sides, the base first, at these arguments; ``quick`` cases are the ones of a quick run."""

    group: str
    sides: dict[str, Side]
    args: dict[str, Any] = field(default_factory=dict)
    quick: bool = False
    twice: tuple[str, ...] = ()
    rounds: int = 9  # turns of each side
    limit: float = 400.0  # seconds after which a side has failed

    @property
    def name(self) -> str:
        return " ".join([self.group, *(f"{key}={value}" for key, value in self.args.items())])


def pairs(case: Case, rounds: int = 9) -> dict[str, Any]:
    """The record of a case: times in seconds, peak memory in MB, ratios (min, median, max), differences, failures."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        players, rounds = {}, min(rounds, case.rounds)
        for label, threads in [(x, k) for x in case.sides for k in (1, 2) if k == 1 or x in case.twice]:
            player = _Player(case, case.sides[label], threads, Path(folder) / f"{len(players)}.npy")
            players[twin(label) if threads == 2 else label] = player
            stack.callback(player.leave)
            player.warm_up()
        start = time.monotonic()
        for turn in range(rounds):
            if turn >= min(3, rounds) and time.monotonic() - start > ENOUGH:
                break
            for player in players.values():
                player.turn()
        base, *others = players
        return {
            "group": case.group,
            "args": case.args,
            "sides": {label: player.record for label, player in players.items()},
            "ratios": {label: _ratio(players[label], players[base]) for label in others},
            "differences": {label: _difference(players[label], players[base]) for label in others},
        }


def twin(label: str) -> str:
    """The name of a side that runs with two threads."""
    return f"{label}, 2 threads"


def _ratio(side: _Player, base: _Player) -> list[float] | None:
    if side.failed or base.failed:
        return None
    ours, theirs = base.record["seconds"], side.record["seconds"]
    turns = max(len(ours), len(theirs))
    all_ = [theirs[min(i, len(theirs) - 1)] / ours[min(i, len(ours) - 1)] for i in range(turns)]
    return [min(all_), statistics.median(all_), max(all_)]


def _difference(side: _Player, base: _Player) -> float | None:
    """max |difference| of the results over max |result|, where both sides show one."""
    import numpy as np

    if side.failed or base.failed or not (side.result.exists() and base.result.exists()):
        return None
    one, other = np.load(side.result), np.load(base.result)
    if one.shape != other.shape:
        return math.inf
    return float(np.abs(one - other).max(initial=0) / (np.abs(other).max(initial=0) or 1))


class _Player:
    """One side in its process; after a failure it sits out."""

    def __init__(self, case: Case, side: Side, threads: int, result: Path) -> None:
        self.record: dict[str, Any] = {"seconds": []}
        self.result, self.limit, self.loops = result, case.limit, 1
        root = str(Path(__file__).resolve().parents[2])
        words = [side.__code__.co_filename, side.__name__, json.dumps(case.args), str(result)]
        settings = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}  # it slows BLAS
        settings["PYTHONPATH"] = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
        self.process = subprocess.Popen(
            [sys.executable, "-P", __file__, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=settings | dict.fromkeys(THREADS, str(threads)),
        )

    @property
    def failed(self) -> bool:
        return "failed" in self.record

    def warm_up(self) -> None:
        """The first call loads what the side needs, and a second one tells how often to repeat a short one."""
        if (seconds := self._ask()) and seconds > ONCE:
            self.record["seconds"] = [seconds]
            self.leave()
        elif seconds and (seconds := self._ask()):
            self.loops = max(1, math.ceil(SHORTEST / seconds))

    def turn(self) -> None:
        if not self.failed and self.process.poll() is None and (seconds := self._ask()):
            self.record["seconds"].append(seconds)

    def leave(self) -> None:
        self.process.kill()
        self.process.communicate()

    def _ask(self) -> float | None:
        """Seconds of one call, the mean over ``loops``; None after a failure."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(f"{self.loops}\n")
            self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], self.limit)
        answer = json.loads(self.process.stdout.readline() or "{}") if ready else {}
        if not ready:
            answer["failed"] = f"stopped after {self.limit:.0f} s"
        elif not answer:
            code = self.process.wait()
            answer["failed"] = f"its process ended with {f'signal {-code}' if code < 0 else f'code {code}'}"
        seconds = answer.pop("seconds", None)
        self.record.update(answer)
        if self.failed:
            self.leave()
        return seconds


# The process of a side


def _serve(path: str, name: str, args: str, result: str) -> None:
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints goes astray

    def report(**answer: Any) -> None:
        print(json.dumps(answer), file=channel, flush=True)

    try:
        _limit_memory()
        made = runpy.run_path(path)[name](**json.loads(args))
        run = made if isinstance(made, tuple) else Run(made)
        at_rest, answer = _from_now(), {}
        for line in sys.stdin:
            start, at_work = time.perf_counter(), time.process_time()
            for _ in range(int(line)):
                outcome = run.call()
            seconds, at_work = time.perf_counter() - start, time.process_time() - at_work
            if not answer:  # the warm-up, which is one call
                answer = {"peak_mb": round(max(0.0, peak() - at_rest), 1), **run.facts}
                if run.view is not None:
                    import numpy as np

                    np.save(result, np.asarray(run.view(outcome)))
            del outcome
            report(seconds=float(f"{seconds / int(line):.4g}"), busy=round(at_work / seconds, 2), **answer)
    except MemoryError as error:
        report(failed=f"out of memory: {error}" if str(error) else "out of memory")
    except Exception as error:
        report(failed=f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")


def memory() -> int:
    """The bytes of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _limit_memory() -> None:
    """Let a side that asks for more than 4/5 of the machine fail, rather than everything else on it."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory() * 4 // 5,) * 2)


def peak() -> float:
    """The largest resident memory of this process so far, in MB."""
    with contextlib.suppress(OSError), open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _from_now() -> float:
    """Let the peak start from now; the memory of now."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")
    return peak()


if __name__ == "__main__":
    _serve(*sys.argv[1:])
