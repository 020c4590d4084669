"""python -m tests.benchmarks.run [--quick] [--only NAME]: run the cases, print each one's ratios, and keep the records.

A complete run is kept in results.json, which the page "Performance" shows. After an interruption the same command goes
on with the cases that are missing, if nothing that matters has changed since.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.benchmarks import algebra, inference, machine, samples, training, transforms
from tests.benchmarks.harness import Case, memory, pairs
from tests.benchmarks.report import RESULTS, duration, seconds

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
UNFINISHED = ROOT / "_build" / "bench.json"
CASES = [case for part in (machine, transforms, samples, inference, algebra, training) for case in part.CASES]
VENV = ROOT / ".bench-venv"
TRIED = VENV / "peers.json"  # for each peer that was to be installed, why it could not be, or nothing


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make.py bench")
    parser.add_argument("--quick", action="store_true", help="small cases only, in half a minute")
    parser.add_argument("--only", metavar="NAME", action="append", default=[], help="the cases that begin so")
    options = parser.parse_args(arguments)
    try:
        cases = chosen(CASES, options.only, options.quick)
        if Path(sys.prefix) == VENV:
            install_peers()
    except ValueError as error:
        print(f"bench: stopped: {error}", file=sys.stderr)
        return 2
    complete = len(cases) == len(CASES)
    state, done = environment(), {}
    if complete and UNFINISHED.is_file():
        kept = json.loads(UNFINISHED.read_text(encoding="utf-8"))
        if kept["fingerprint"] == fingerprint(state):
            done = kept["cases"]
            print(f"  going on after {len(done)} cases of an interrupted run")
    for case in cases:
        if case.name not in done:
            done[case.name] = explained(pairs(case, rounds=3 if options.quick else 9))
            if complete:
                write(UNFINISHED, {"fingerprint": fingerprint(state), "cases": done})
        print(line(case.name, done[case.name]), flush=True)
    if complete:
        write(RESULTS, {**state, "cases": {case.name: done[case.name] for case in cases}})
        UNFINISHED.unlink(missing_ok=True)
        print("bench: tests/benchmarks/results.json; `python3 make.py refresh performance` shows it in the book")
    return 0


def install_peers() -> None:
    """Install each library of peers.txt; one that cannot be installed is left out, and its cases say why."""
    tried = json.loads(TRIED.read_text(encoding="utf-8")) if TRIED.is_file() else {}
    for peer in (HERE / "peers.txt").read_text(encoding="utf-8").split():
        if peer not in tried:
            command = [sys.executable, "-m", "pip", "install", "--no-input", "-c", str(HERE / "requirements.txt"), peer]
            done = subprocess.run(command, env={**os.environ, "USE_CUDA": "0"}, capture_output=True, text=True)
            if "Retrying" in done.stderr:
                raise ValueError("no network: the first run downloads the libraries to compare with")
            tried[peer] = (re.findall("ERROR: (.*)", done.stderr) or ["no reason given"])[-1] * bool(done.returncode)
            write(TRIED, tried)


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

    peers = re.findall(r"^([\w-]+)==", (HERE / "peers.txt").read_text(encoding="utf-8"), flags=re.M)
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "commit": commit(),
        "machine": {
            "processor": processor(),
            "cores": os.cpu_count(),
            "memory_gb": round(memory() / 1e9, 1),
            "system": f"{platform.system()} {platform.machine()}",
            "load": round(os.getloadavg()[0], 2),
            "kernel": machine.kernel(),
        },
        "versions": {
            "Python": platform.python_version(),
            "BLAS": f"{blas['name']} {blas['version']}",
            **versions(["numpy", "scipy", "scikit-learn", "sympy", *peers]),
        },
    }


def versions(names: list[str]) -> dict[str, str]:
    """Of the distributions that are installed.

    >>> list(versions(["numpy", "a-library-that-nobody-has"]))
    ['numpy']
    """
    found = {}
    for name in names:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def commit() -> str | None:
    """The commit, with a + where the package or the cases differ from it."""

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
    where = {key: value for key, value in state["machine"].items() if key != "load"}
    digest = hashlib.sha256(json.dumps([where, state["versions"]], sort_keys=True).encode())
    for path in sorted([*HERE.glob("*.py"), *(ROOT / "sparse_core").rglob("*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def explained(record: dict[str, Any]) -> dict[str, Any]:
    """A record whose missing libraries say why they are missing."""
    tried = json.loads(TRIED.read_text(encoding="utf-8")) if TRIED.is_file() else {}
    refused = {peer.partition("==")[0]: reason for peer, reason in tried.items() if reason}
    for side in record["sides"].values():
        missing = re.fullmatch("ModuleNotFoundError: No module named '(.*)'", side.get("failed", ""))
        if missing and missing[1] in refused:
            side["failed"] = f"does not install: {refused[missing[1]]}"
    return record


def write(path: Path, content: dict[str, Any]) -> None:
    """The whole file or nothing of it."""
    path.parent.mkdir(exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    new.replace(path)


def line(name: str, record: dict[str, Any]) -> str:
    """One case: the base, then each other side with its ratio min-median-max, memory, difference, or its failure."""
    parts = []
    for label, side in record["sides"].items():
        text = f"    {label:22}"
        if "failed" in side:
            parts.append(f"{text} failed: {side['failed']}")
            continue
        text += f" {duration(seconds(record, label)):>9} {side['peak_mb']:8.1f} MB"
        if ratio := record["ratios"].get(label):
            text += "   ratio {:.3g} - {:.3g} - {:.3g}".format(*ratio)
        if (difference := record["differences"].get(label)) is not None:
            text += f"   difference {difference:.0e}"
        parts.append(text)
    return "\n".join([f"  {name}", *parts])


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("bench: stopped: interrupted; a complete run goes on from there when it is started again")
