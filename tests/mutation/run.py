"""Mutation testing: which small changes of the mathematics do the unit tests not notice?

`python3 make.py mutate [MODULE ...]` changes each function of a module in every way that mutmut knows (an operator, a
constant, an argument, a string, ...), one change at a time, and runs the tests of that module until one fails. What is
left alive is written to ``results.json`` with the date, the commit and the digests of the module and of its tests;
``tests/test_mutation.py`` refuses a result whose sources have changed since, and a survivor that nobody has argued in
``argued.toml``, for all modules but those that ``UNFINISHED`` names. Decorated functions are not mutated: mutmut leaves
them alone.
"""

import datetime
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
NOT_MATHEMATICS = {"__init__", "bounds/__init__", "figures", "plotted", "progress", "shards"}
UNFINISHED = {"laboratory"}  # no complete run yet, or survivors without an argument: not counted as tested
SHARED = ("tests/test_bad_input.py",)  # they try every public function
OTHER_TESTS = {
    "bounds/paper": ("tests/test_bounds.py",),
    "bounds/ours": ("tests/test_bounds.py",),
    "bounds/_arguments": ("tests/test_bounds.py",),
    "conjugate": ("tests/test_regression.py",),
    "facts": ("tests/test_statements.py",),
    "sweep": ("tests/test_moments.py",),
}
SETTINGS = """
[tool.mutmut]
source_paths = ["sparse_core"]
only_mutate = ["sparse_core/{module}.py"]
also_copy = ["book", "conftest.py", "make.py"]
pytest_add_cli_args = ["-o", "addopts=", "-p", "no:cacheprovider"]
pytest_add_cli_args_test_selection = {tests}
"""
SURVIVORS = """
import json, sys
from mutmut.__main__ import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
path = sys.argv[1]
verdicts = json.load(open(f"mutants/{path}.meta"))["exit_code_by_key"]
found = {"mutants": len(verdicts), "timeouts": 0, "survivors": []}
for name, code in verdicts.items():
    status = status_by_exit_code[code]
    found["timeouts"] += status == "timeout"
    if status not in ("killed", "timeout"):
        lines = get_diff_for_mutant(name, path=path).splitlines()[3:]
        change = [line[0] + " " + line[1:].strip() for line in lines if line[0] in "-+"]
        function = name.rpartition("__mutmut_")[0].rpartition(".")[2].removeprefix("x_")
        found["survivors"].append({"function": function.replace("xǁ", "").replace("ǁ", "."), "change": change})
        if status != "survived":
            found["survivors"][-1]["status"] = status
print(json.dumps(found))
"""


def modules():
    """The modules of the mathematics, by path without the suffix."""
    package = ROOT / "sparse_core"
    names = (path.relative_to(package).with_suffix("").as_posix() for path in sorted(package.rglob("*.py")))
    return [name for name in names if name not in NOT_MATHEMATICS]


def tests_of(module):
    named = OTHER_TESTS.get(module, (f"tests/test_{module}.py",))
    return [test for test in (*named, *SHARED) if (ROOT / test).exists()]


def digest(paths):
    """sha256 over the files that a result speaks about."""
    return hashlib.sha256(b"".join((ROOT / path).read_bytes() for path in paths)).hexdigest()[:16]


def sources_of(module):
    return [f"sparse_core/{module}.py", *tests_of(module)]


def mutate(module, folder):
    """The record of one module: counts, the survivors, and what they speak about."""
    tests, path, sources = tests_of(module), f"sparse_core/{module}.py", digest(sources_of(module))
    shutil.rmtree(folder, ignore_errors=True)
    unwanted = shutil.ignore_patterns(".git", ".*venv", "_build", "__pycache__", ".*cache*", ".hypothesis", "mutation")
    shutil.copytree(ROOT, folder, ignore=unwanted)
    with (folder / "pyproject.toml").open("a") as settings:
        settings.write(SETTINGS.format(module=module, tests=json.dumps(tests)))
    environment = {**os.environ, "PYTHONPATH": "", "COLUMNS": "80"}
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", str(os.cpu_count() or 1)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"mutate: stopped: mutmut on {module}: {(done.stdout + done.stderr)[-2000:]}")
    show = [sys.executable, "-c", SURVIVORS, path]
    found = json.loads(subprocess.run(show, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE).stdout)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return {"date": today, "commit": commit.strip(), "sources": sources, **found}


def argued():
    """(module, function, change) of each survivor that has an argument, with the argument."""
    import tomllib

    entries = tomllib.loads((HERE / "argued.toml").read_text(encoding="utf-8")).get("survivor", [])
    return {(e["module"], e["function"], *e["change"]): e["why"] for e in entries}


def stale(results):
    """The modules without a result for their present sources and tests."""
    return [name for name in modules() if results.get(name, {}).get("sources") != digest(sources_of(name))]


def totals(results):
    """(mutants, survivors)"""
    return sum(r["mutants"] for r in results.values()), sum(len(r["survivors"]) for r in results.values())


def read():
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


def write(name, record):
    """Add one record to what is there now, so that several runs can share the work."""
    results = {module: entry for module, entry in read().items() if module in modules()} | {name: record}
    text = json.dumps(dict(sorted(results.items())), indent=1, ensure_ascii=False)
    temporary = RESULTS.with_suffix(".tmp")
    temporary.write_text(text + "\n", encoding="utf-8")
    temporary.replace(RESULTS)


def main(chosen, build):
    """Mutate the chosen modules; without a choice, those whose sources or tests have changed since their result."""
    if unknown := set(chosen) - set(modules()):
        raise SystemExit(f"mutate: stopped: there is no module {min(unknown)!r}; they are {', '.join(modules())}")
    for name in chosen or stale(read()):
        folder = build / f"mutation-{os.getpid()}"
        write(name, record := mutate(name, folder))
        shutil.rmtree(folder)
        print(f"  {name}: {record['mutants']} mutants, {len(record['survivors'])} survive", flush=True)
    total, alive = totals({name: record for name, record in read().items() if name not in UNFINISHED})
    print(f"mutate: {total} mutants, {total - alive} killed ({1 - alive / max(total, 1):.1%})")


if __name__ == "__main__":
    main(sys.argv[1:], Path(ROOT / "_build"))
