"""The records of the last complete run, results.json, as the columns of tables and the points of figures."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results.json"
Record = dict[str, Any]


def load() -> dict[str, Any]:
    """Date, commit, machine, versions, and the records of all cases by name."""
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return results


def place(results: dict[str, Any]) -> dict[str, list[str]]:
    """When, where and with what the run was made; what it did not record is left out.

    >>> machine = {"processor": "abacus", "cores": 1, "memory_gb": 0.5, "system": "wood", "load": 0.1}
    >>> versions = {"Python": "3.12", "BLAS": "beads 1", "numpy": "2.4", "scipy": "1.17"}
    >>> place({"date": "2024-07-01", "commit": None, "machine": machine, "versions": versions})["value"]
    ['2024-07-01', 'abacus', '1', '0.5 GB', 'wood', '0.1', '3.12', 'beads 1', 'numpy 2.4, scipy 1.17']
    """
    machine, libraries = results["machine"], dict(results["versions"])
    rows = {
        "date": results["date"],
        "commit": results["commit"],
        "processor": machine["processor"],
        "cores": machine["cores"],
        "memory": f"{machine['memory_gb']} GB",
        "system": machine["system"],
        "load at the start": machine["load"],
        "Python": libraries.pop("Python"),
        "BLAS": libraries.pop("BLAS"),
        "BLAS kernels for": machine.get("kernel"),
        "libraries": ", ".join(f"{name} {version}" for name, version in libraries.items()),
    }
    kept = {name: str(value) for name, value in rows.items() if value is not None}
    return {"what": list(kept), "value": list(kept.values())}


def select(results: dict[str, Any], group: str, **args: Any) -> list[Record]:
    """The records of a group, those with these arguments."""
    found = [record for record in results["cases"].values() if record["group"] == group]
    return [record for record in found if args.items() <= record["args"].items()]


def seconds(record: Record, side: str) -> float | None:
    """The median time of a side; None where it is missing or has failed.

    >>> seconds({"sides": {"ours": {"seconds": [3.0, 1.0, 2.0]}}}, "ours")
    2.0
    """
    times = record["sides"].get(side, {}).get("seconds")
    return statistics.median(times) if times else None


def curve(records: list[Record], side: str, x: Callable[[Record], float]) -> tuple[list[float], list[float]]:
    """(x of each record, the times of a side), where it came to an end."""
    points = [(x(record), time) for record in records if (time := seconds(record, side))]
    return [x for x, _ in points], [time for _, time in points]


def words(curves: dict[str, tuple[list[float], list[float]]], x: str, y: str) -> str:
    """What a figure of these curves shows, for those who do not see it.

    >>> words({"ours": ([10, 12], [0.001, 0.25])}, "n", "seconds")
    'ours, n: seconds: 10: 0.001, 12: 0.25.'
    """
    parts = (
        f"{name}, {x}: {y}: " + ", ".join(f"{a:.3g}: {b:.3g}" for a, b in zip(*xy, strict=True))
        for name, xy in curves.items()
    )
    return "; ".join(parts) + "."


def rate(results: dict[str, Any], group: str, of: str, **args: Any) -> float:
    """What the machine does in a second: ``of`` is "bytes" or "operations"."""
    (record,) = select(results, group, **args)
    (side,) = record["sides"].values()
    return float(side[of] / statistics.median(side["seconds"]))


def table(records: list[Record]) -> dict[str, list[str]]:
    """One row for each side of each record: times, memory, ratio min, median and max, difference."""
    rows = []
    for record in records:
        size = ", ".join(
            f"{key} = {value:,}" if isinstance(value, int) else str(value) for key, value in record["args"].items()
        )
        for label, side in record["sides"].items():
            ratio, difference = (record[key].get(label) for key in ("ratios", "differences"))
            time = seconds(record, label)
            rows.append(
                {
                    "size": size,
                    "side": label,
                    "time": duration(time) if time else "failed",
                    "memory": f"{side['peak_mb']:,.0f} MB" if time else "",
                    "its time / the first's": "{:.3g} – {:.3g} – {:.3g}".format(*ratio) if ratio else "",
                    "difference": f"{difference:.0e}" if difference is not None else "",
                }
            )
            size = ""
    return {name: [row[name] for row in rows] for name in rows[0]}


def failures(results: dict[str, Any]) -> dict[str, list[str]]:
    """The sides that did not come to an end, and why."""
    rows = [
        (name, label, side["failed"])
        for name, record in results["cases"].items()
        for label, side in record["sides"].items()
        if "failed" in side
    ]
    return dict(zip(("case", "side", "reason"), map(list, zip(*rows, strict=True)), strict=True)) if rows else {}


def duration(time: float) -> str:
    """
    >>> duration(0.00123), duration(123.4), duration(4.56e-6)
    ('1.23 ms', '123 s', '4.56 µs')
    """
    unit, factor = ("s", 1) if time >= 1 else ("ms", 1e3) if time >= 1e-3 else ("µs", 1e6)
    return f"{time * factor:.3g} {unit}"
