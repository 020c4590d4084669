"""python -m tests.benchmarks.run [options of pytest and pytest-benchmark]: measure, and keep what a whole run gives.

Without options all cases are measured, and results.json, which the page "Performance" shows, is written anew. Otherwise
nothing is kept unless --benchmark-json=FILE asks for it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from tests.benchmarks.report import RESULTS

HERE = Path(__file__).resolve().parent
# The libraries to compare with, and numba, without which boofun is thirty times as slow
PEERS = (HERE / "peers.txt").read_text(encoding="utf-8").split()
INSTALL = [sys.executable, "-m", "pip", "install", "--no-input", "-q", "-c", str(HERE / "requirements.txt")]


def main(arguments: list[str]) -> int:
    import pytest

    if Path(sys.prefix).name == ".bench-venv":
        install_peers()
    os.environ |= dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"], "1")
    load = round(os.getloadavg()[0], 2)
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder, "raw.json")
        kept = [] if arguments else [f"--benchmark-json={raw}"]
        code = pytest.main(["-c", str(HERE / "pytest.ini"), str(HERE / "speed.py"), *kept, *arguments])
        if code == 0 and kept:
            results = condensed(json.loads(raw.read_text(encoding="utf-8")), load)
            RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
            print(f"bench: {RESULTS}; `python3 make.py refresh performance` shows it in the book")
    return int(code)


def install_peers() -> None:
    """Install the libraries to compare with, once; the sides of one that cannot be installed are skipped."""
    for peer in PEERS:
        stamp = Path(sys.prefix, peer)
        if not stamp.exists() and subprocess.run([*INSTALL, peer], env={**os.environ, "USE_CUDA": "0"}).returncode:
            print(f"bench: {peer} is not installed, as pip says above; its sides are skipped")
        stamp.touch()


def condensed(raw: dict[str, Any], load: float) -> dict[str, Any]:
    """Of what pytest-benchmark says: when, where and with what, and for each case its sides."""
    cases: dict[str, Any] = {}
    for record in raw["benchmarks"]:
        facts, times = record["extra_info"], record["stats"]
        case = cases.setdefault(record["group"], {"group": facts.pop("group"), "args": facts.pop("args"), "sides": {}})
        seconds = {"seconds": float(f"{times['median']:.4g}"), "rounds": times["rounds"]}
        label = facts.pop("side")
        case["sides"][label] = seconds | facts
    machine, commit = raw["machine_info"], raw["commit_info"]
    libraries = {"numpy", "scipy", "scikit-learn", *(peer.partition("==")[0] for peer in PEERS)}
    return {
        "date": raw["datetime"][:10],
        "commit": commit["id"][:12] + "+" * commit["dirty"] if commit.get("id") else None,
        "machine": {
            "processor": machine["cpu"].get("brand_raw", "unknown"),
            "cores": machine["cpu"]["count"],
            "system": f"{machine['system']} {machine['machine']}",
            "load at the start": load,
        },
        "versions": {"Python": machine["python_version"]}
        | dict(sorted((package.name, package.version) for package in distributions() if package.name in libraries)),
        "cases": cases,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
