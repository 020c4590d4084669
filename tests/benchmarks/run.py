"""python -m tests.benchmarks.run [--quick] [--only NAME] [--output FILE]: run the cases, print and keep their records.

A complete run is kept in results.json, which the page "Performance" shows. What an interrupted one has done stands in
_build/bench.json, of the same form; the same command goes on with the cases that are missing, if nothing that matters
has changed since. Other runs are kept where FILE says.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.benchmarks import growth, inference, machine, others, samples, transforms
from tests.benchmarks.harness import Case, memory, pairs
from tests.benchmarks.report import RESULTS, told

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
UNFINISHED = ROOT / "_build" / "bench.json"
CASES = [case for part in (machine, transforms, inference, growth, others, samples) for case in part.CASES]
PEERS = (HERE / "peers.txt").read_text(encoding="utf-8").split()
VENV = ROOT / ".bench-venv"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make.py bench")
    parser.add_argument("--quick", action="store_true", help="small cases only, in a minute or two")
    parser.add_argument("--only", metavar="NAME", action="append", default=[], help="the cases that begin so")
    parser.add_argument("--output", metavar="FILE", type=Path, help="where to keep the records; a part is not, without")
    options = parser.parse_args(arguments)
    try:
        cases = chosen(CASES, options.only, options.quick)
        if Path(sys.prefix) == VENV:
            install_peers()
    except ValueError as error:
        print(f"bench: stopped: {error}", file=sys.stderr)
        return 2
    complete, state, done = len(cases) == len(CASES), environment(), {}
    if complete and UNFINISHED.is_file():
        kept = json.loads(UNFINISHED.read_text(encoding="utf-8"))
        if kept["fingerprint"] == fingerprint(state):
            done = kept["cases"]
            print(f"  going on after {len(done)} cases of an interrupted run")
    for case in cases:
        if case.name not in done:
            done[case.name] = pairs(case, rounds=3 if options.quick else 9)
            if complete:
                write(UNFINISHED, {**state, "complete": False, "fingerprint": fingerprint(state), "cases": done})
        print(f"  {case.name}", *(told(done[case.name], x) for x in done[case.name]["sides"]), sep="\n    ", flush=True)
    if target := options.output or (RESULTS if complete else None):
        write(target, {**state, "complete": complete, "cases": {case.name: done[case.name] for case in cases}})
        print(f"bench: {target}; `python3 make.py refresh performance` shows tests/benchmarks/results.json in the book")
    if complete:
        UNFINISHED.unlink(missing_ok=True)
    return 0


def install_peers() -> None:
    """Install the libraries to compare with, once; one that cannot be installed fails in its cases."""
    for peer in PEERS:
        if not (VENV / peer).exists():
            command = [sys.executable, "-m", "pip", "install", "--no-input", "-c", str(HERE / "requirements.txt"), peer]
            done = subprocess.run(command, env={**os.environ, "USE_CUDA": "0"}, capture_output=True, text=True)
            if "Retrying" in done.stderr:
                raise ValueError("no network: the first run downloads the libraries to compare with")
            if done.returncode:
                print(f"  {peer} does not install: {done.stderr.strip()[-300:]}")
            (VENV / peer).touch()


def chosen(cases: list[Case], only: list[str], quick: bool) -> list[Case]:
    """The cases whose name, or group, or name's beginning is asked for.

    >>> [case.name for case in chosen([Case("a", {}, {"n": 1}), Case("b", {})], ["a"], quick=False)]
    ['a n=1']
    """
    for name in only:
        if not any(case.name.startswith(name) for case in cases):
            groups = ", ".join(dict.fromkeys(case.group for case in cases))
            raise ValueError(f"there is no case {name!r}; the groups are {groups}")
    return [case for case in cases if (case.quick or not quick) and (not only or case.name.startswith(tuple(only)))]


def environment() -> dict[str, Any]:
    """When and where this runs, and with what."""
    import numpy as np

    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    wanted = {"numpy", "scipy", "scikit-learn", *(peer.partition("==")[0] for peer in PEERS)}
    found = {package.name: package.version for package in importlib.metadata.distributions()}
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "commit": commit(),
        "machine": {
            "processor": processor(),
            "cores": os.cpu_count(),
            "memory": f"{memory() / 1e9:.1f} GB",
            "system": f"{platform.system()} {platform.machine()}",
            "load at the start": round(os.getloadavg()[0], 2),
        },
        "versions": {
            "Python": platform.python_version(),
            "BLAS": f"{blas['name']} {blas['version']}",
            **{name: version for name, version in sorted(found.items()) if name in wanted},
        },
    }


def commit() -> str | None:
    """The commit, with a + where the package or the cases differ from it; None without git or a repository."""
    if not shutil.which("git"):
        return None

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--", "sparse_core", "tests/benchmarks/*.py")
    return git("rev-parse", "--short=12", "HEAD") + "+" * bool(changed) or None


def processor() -> str:
    cpu = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", cpu.read_text()) if cpu.is_file() else None
    return found[1] if found else platform.processor() or "unknown"


def fingerprint(state: dict[str, Any]) -> str:
    """What an interrupted run must have in common with the one that goes on."""
    digest = hashlib.sha256(json.dumps([state["machine"]["processor"], state["versions"]]).encode())
    for path in sorted([*HERE.glob("*.py"), *(ROOT / "sparse_core").rglob("*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def write(path: Path, content: dict[str, Any]) -> None:
    """The whole file or nothing of it; a list of numbers stands on one line."""
    path.parent.mkdir(exist_ok=True)
    new = path.with_suffix(".new")
    text = re.sub(r"\[[^\][{}]*\]", lambda numbers: " ".join(numbers[0].split()), json.dumps(content, indent=1))
    new.write_text(text + "\n", encoding="utf-8")
    new.replace(path)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("bench: stopped: interrupted; a complete run goes on from there when it is started again")
