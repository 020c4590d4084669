"""The records of the last run that was kept, results.json, as the columns of tables and the points of figures."""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import Any

from tests.benchmarks.growth import LAWS
from tests.benchmarks.harness import twin
from tests.benchmarks.limits import GOALS, LIMITS, LOW, Rates, least

RESULTS = Path(__file__).resolve().parent / "results.json"
Record = dict[str, Any]


def load() -> dict[str, Any]:
    """Date, commit, machine, versions, and the records of all cases by name."""
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return results


def place(results: dict[str, Any]) -> dict[str, list[str]]:
    """When, where and with what the run was made."""
    libraries, records = dict(results["versions"]), results["cases"].values()
    busy = [side["busy"] for r in records for label, side in r["sides"].items() if "2" not in label and "busy" in side]
    rows = {
        "date": results["date"],
        "commit": results["commit"],
        **results["machine"],
        "processor time of one thread": f"{statistics.median(busy):.0%} of the clock's",
        "Python": libraries.pop("Python"),
        "BLAS": libraries.pop("BLAS"),
        "BLAS kernels for": select(results, "product")[0]["sides"]["numpy"]["kernel"],
        "libraries": ", ".join(f"{name} {version}" for name, version in libraries.items()),
        "cases": f"{len(records)}, {'all' if results['complete'] else 'not all'}",
    }
    return {"what": list(rows), "value": [str(value) for value in rows.values()]}


def select(results: dict[str, Any], group: str) -> list[Record]:
    """The records of a group."""
    return [record for record in results["cases"].values() if record["group"] == group]


def first(record: Record) -> dict[str, Any]:
    """What is known of the side to which the others are compared."""
    return next(iter(record["sides"].values()))


def size(record: Record) -> str:
    """The arguments of a case in words."""
    args = record["args"].items()
    return ", ".join(f"{key} = {value:,}" if isinstance(value, int) else str(value) for key, value in args)


def seconds(record: Record, side: str) -> float | None:
    """The median time of a side; None where it is missing or has failed.

    >>> seconds({"sides": {"ours": {"seconds": [3.0, 1.0, 2.0]}}}, "ours")
    2.0
    """
    times = record["sides"].get(side, {}).get("seconds")
    return statistics.median(times) if times else None


def words(points: dict[str, list[float]]) -> str:
    """What a figure of these points shows, for those who do not see it.

    >>> words({"ours": [0.001, 0.25], "theirs": [3]})
    'ours: 0.001, 0.25; theirs: 3.'
    """
    return "; ".join(f"{name}: " + ", ".join(f"{x:.3g}" for x in found) for name, found in points.items()) + "."


def told(record: Record, label: str) -> str:
    """A side in words: time, memory, ratio median (min to max), difference; or why it failed."""
    side, ratio, difference = record["sides"][label], record["ratios"].get(label), record["differences"].get(label)
    if "failed" in side:
        return f"{label} failed: {side['failed']}"
    text = f"{label} {duration(seconds(record, label))}, {side['peak_mb']:,.0f} MB"
    text += ", {1:.3g} × as long ({0:.3g} to {2:.3g})".format(*ratio) if ratio else ""
    return text + (f", difference {difference:.0e}" if difference is not None else "")


def table(records: list[Record], results: dict[str, Any]) -> dict[str, list[str]]:
    """One row for each case: the first side, its share of the limit, and the other sides with one thread."""
    rows = []
    for record in records:
        base, *others = record["sides"]
        time, share = seconds(record, base), fraction(results, record)
        row = {"case": size(record), base: duration(time) if time else "failed"}
        row |= {"memory": f"{first(record)['peak_mb']:,.0f} MB" if time else ""}
        row |= {"of the limit": f"{share:.0%}" if share else ""}
        rows.append(
            row | {"others": "; ".join(told(record, label) for label in others if not label.endswith(twin("")))}
        )
    return columns(rows)


def columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def speeds(results: dict[str, Any]) -> dict[str, list[float]]:
    """For each other library and what it does, how much longer it takes, case by case, sorted; one thread."""
    found: dict[str, list[float]] = {}
    for record in results["cases"].values():
        for label, ratio in record["ratios"].items() if "sparse_core" in record["sides"] else ():
            if ratio and not label.endswith(twin("")):
                found.setdefault(f"{record['group']}: {label}", []).append(ratio[1])
    return {name: sorted(ratios) for name, ratios in found.items()}


def machine(results: dict[str, Any]) -> dict[str, list[str]]:
    """What this machine did in a second."""
    rates = Rates(results)
    speeds = {
        f"bytes read and written, {bits} MB at a time": rates.copy(bits << 20) / (bits << 20) for bits in (1, 256)
    }
    speeds |= {f"operations of a product, {name}": rates.product(name, 1) for name in ("float32", "float64")}
    speeds |= {record["args"]["name"]: rates.step(record["args"]["name"], 1) for record in select(results, "step")}
    return {
        "what": list(speeds),
        "million per second": [f"{1e-6 / time:,.{0 if time < 1e-8 else 2}f}" for time in speeds.values()],
    }


def fraction(results: dict[str, Any], record: Record) -> float | None:
    """The least time over that of the first side."""
    shortest, time = least(results, record), seconds(record, next(iter(record["sides"])))
    return shortest / time if shortest and time else None


def fractions(results: dict[str, Any]) -> list[tuple[Record, float]]:
    """(record, its fraction) where a limit is known."""
    return [(r, f) for r in results["cases"].values() if (f := fraction(results, r)) is not None]


def limits(results: dict[str, Any]) -> dict[str, list[str]]:
    """The least work of each group, what was aimed at, how many cases take more than four times as long, and why."""
    rows = []
    for group, (_, work, why) in LIMITS.items():
        shares = [(record, share) for record, share in fractions(results) if record["group"] == group]
        slow, aim = sum(share < LOW for _, share in shares), ""
        if group in GOALS:
            goal, words, applies = GOALS[group]
            reached = [share >= goal for record, share in shares if applies(record["args"], first(record))]
            aim = f"{goal:.0%} for {words}: {sum(reached)} of {len(reached)}"
        row = {"group": group, "least work": work, "goal, reached by": aim}
        rows.append(row | {f"below {LOW:.0%}": f"{slow} of {len(shares)}", "why": why if slow else ""})
    return columns(rows)


def cores(results: dict[str, Any]) -> list[dict[str, Any]]:
    """For each case with two threads: the times of its first side, how many times faster each side was, same bits?"""
    rows = []
    for record in results["cases"].values():
        times = {label: [seconds(record, x) for x in (label, twin(label))] for label in record["sides"]}
        faster = {label: one / two for label, (one, two) in times.items() if one and two}
        base = next(iter(record["sides"]))
        if base in faster:
            same = record["differences"][twin(base)]
            row = {"case": f"{record['group']}: {size(record)}", "1 thread": duration(times[base][0])}
            row |= {"2 threads": duration(times[base][1]), "times faster": faster.pop(base)}
            row |= {"same bits": "" if same is None else "yes" if same == 0 else f"to {same:.0e}"}
            rows.append(row | {"others, times faster": "; ".join(f"{label} {x:.3g}" for label, x in faster.items())})
    return rows


def growth(results: dict[str, Any]) -> dict[str, dict[str, list[float]]]:
    """For each law: what varies, the predicted time and memory, the measured ones."""
    found = {}
    for name, law in LAWS.items():
        records = [r for r in select(results, f"growth: {name}") if "failed" not in first(r)]
        of = [{"active": 1.0, **first(r), **r["args"]} for r in records]
        found[name] = {
            "x": [x[law.varies] for x in of],
            "work": [law.time(x) for x in of],
            "space": [law.memory(x) for x in of],
            "seconds": [statistics.median(x["seconds"]) for x in of],
            "MB": [max(x["peak_mb"], 0.1) for x in of],
        }
    return found


def workers(records: list[Record]) -> dict[str, list[str]]:
    """The memory of a worker of a cluster, at rest and at its peak; whether one was killed during the first call."""
    rows = []
    for record in records:
        for label, side in record["sides"].items():
            if "worker_mb" in side:
                memory = {"at rest": f"{side['rest_mb']:,.0f} MB", "at the peak": f"{side['worker_mb']:,.0f} MB"}
                rows.append(
                    {"size": size(record), "workers": label, **memory, "killed": "yes" if side["killed"] else ""}
                )
    return columns(rows)


def exponents(results: dict[str, Any]) -> dict[str, list[str]]:
    """The slopes of log time and log memory against their laws; where a law is constant, against what varies."""
    rows = []
    for name, data in growth(results).items():
        if len(data["x"]) > 1:
            law, row = LAWS[name], {"computation": name}
            row["varies"] = f"{law.varies} = {data['x'][0]:,} … {data['x'][-1]:,}"
            for what, words, predicted, measured in (
                ("time", law.time_words, data["work"], data["seconds"]),
                ("memory", law.memory_words, data["space"], data["MB"]),
            ):
                flat = max(predicted) == min(predicted)
                row[f"{what}, predicted"] = f"{words}: {0 if flat else 1}"
                row[f"{what}, fitted"] = f"{slope(data['x'] if flat else predicted, measured):.2f}"
            rows.append(row)
    return columns(rows)


def slope(x: list[float], y: list[float]) -> float:
    """The exponent e of the power law y ~ x^e that fits best.

    >>> slope([1, 10, 100], [3, 300, 30000])
    2.0
    """
    return round(statistics.linear_regression([math.log(v) for v in x], [math.log(v) for v in y]).slope, 6)


def duration(time: float) -> str:
    """
    >>> duration(0.00123), duration(123.4), duration(4.56e-6)
    ('1.23 ms', '123 s', '4.56 µs')
    """
    unit, factor = ("s", 1) if time >= 1 else ("ms", 1e3) if time >= 1e-3 else ("µs", 1e6)
    return f"{time * factor:.3g} {unit}"
