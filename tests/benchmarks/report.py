"""The last run that was kept, results.json, as the columns of tables and the points of figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results.json"
TWO = ", 2 threads"  # ends the name of a side that runs with two
Record = dict[str, Any]


def load() -> dict[str, Any]:
    """Date, commit, machine, versions, and the records of all cases by name."""
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return results


def place(results: dict[str, Any]) -> dict[str, list[str]]:
    """When, where and with what the run was made."""
    libraries = dict(results["versions"])
    rows = {
        "date": results["date"],
        "commit": results["commit"],
        **results["machine"],
        "Python": libraries.pop("Python"),
        "libraries": ", ".join(f"{name} {version}" for name, version in libraries.items()),
        "cases": len(results["cases"]),
    }
    return {"what": list(rows), "value": [str(value) for value in rows.values()]}


def select(results: dict[str, Any], group: str) -> list[Record]:
    """The records of a group."""
    return [record for record in results["cases"].values() if record["group"] == group]


def ratios(record: Record) -> dict[str, float]:
    """How many times as long as the first side each other side took.

    >>> ratios({"sides": {"ours": {"seconds": 2.0}, "theirs": {"seconds": 3.0}}})
    {'theirs': 1.5}
    """
    base, *others = record["sides"]
    return {label: record["sides"][label]["seconds"] / record["sides"][base]["seconds"] for label in others}


def speeds(results: dict[str, Any]) -> dict[str, list[float]]:
    """For each other library and what it does, how much longer it takes, case by case, sorted; one thread."""
    by_peer: dict[str, list[float]] = {}
    for record in results["cases"].values():
        for label, ratio in ratios(record).items() if "sparse_core" in record["sides"] else ():
            if not label.endswith(TWO):
                by_peer.setdefault(f"{record['group']}: {label}", []).append(ratio)
    return {name: sorted(values) for name, values in by_peer.items()}


def duration(seconds: float) -> str:
    """
    >>> duration(0.00123)
    '1.23 ms'
    """
    scale, unit = (1, "s") if seconds >= 1 else (1e3, "ms") if seconds >= 1e-3 else (1e6, "µs")
    return f"{seconds * scale:.3g} {unit}"


def told(record: Record, label: str) -> str:
    """A side in words: its time, how many times that of the first side this is, the difference of their results."""
    side, ratio = record["sides"][label], ratios(record)[label]
    text = f"{label} {duration(side['seconds'])}, {ratio:.3g} × as long"
    return text + (f", difference {side['difference']:.0e}" if "difference" in side else "")


def table(records: list[Record]) -> dict[str, list[str]]:
    """One row for each case: the first side, and the other sides beside it."""
    columns: dict[str, list[str]] = {}
    for record in records:
        base, *others = record["sides"]
        args = [f"{key} = {x:,}" if isinstance(x, int) else str(x) for key, x in record["args"].items()]
        row = {"case": ", ".join(args), base: duration(record["sides"][base]["seconds"])}
        row["others"] = "; ".join(told(record, label) for label in others)
        for name, cell in row.items():
            columns.setdefault(name, []).append(cell)
    return columns


def words(points: dict[str, list[float]]) -> str:
    """What a figure of these points shows, for those who do not see it.

    >>> words({"ours": [0.001, 0.25], "theirs": [3]})
    'ours: 0.001, 0.25; theirs: 3.'
    """
    return "; ".join(f"{name}: " + ", ".join(f"{x:.3g}" for x in values) for name, values in points.items()) + "."
