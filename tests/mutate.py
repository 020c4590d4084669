"""python3 tests/mutate.py cube/fourier: which small changes of a module do its tests not notice?

mutmut, installed once into an environment of its own, changes each function of that module in every way that it knows
(an operator, a constant, an argument, ...), one change at a time, and runs tests/core/cube/test_fourier.py and the
values by hand until a test fails. It works on a copy: outside _build nothing is written into the repository. Without
a name it takes the module of today, of those that have such tests.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / "_build" / "mutmut"
MUTMUT = "mutmut==3.8.1"
SETTINGS = """
[tool.mutmut]
source_paths = ["sparse_core"]
only_mutate = ["{source}"]
also_copy = ["book", "make.py", "sparse_book", "sparse_meter"]
pytest_add_cli_args = ["-o", "addopts=", "-p", "no:cacheprovider"]
pytest_add_cli_args_test_selection = ["{tests}", "tests/core/test_by_hand.py"]
"""


def of_today():
    """One module of ``sparse_core`` each day, in turn."""
    tests = sorted((ROOT / "tests/core").glob("*/test_*.py"))
    names = [f"{path.parent.name}/{path.stem.removeprefix('test_')}" for path in tests]
    modules = [name for name in names if (ROOT / f"sparse_core/{name}.py").is_file()]
    return modules[date.today().toordinal() % len(modules)]


def main(name):
    part, _, module = name.rpartition("/")
    source, tests = Path("sparse_core", f"{name}.py"), Path("tests/core", part, f"test_{module}.py")
    if missing := [str(path) for path in (source, tests) if not (ROOT / path).is_file()]:
        sys.exit(f"mutate: stopped: there is no {missing[0]}")
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (VENV / "ready").exists():
        venv.create(VENV, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", ROOT / "requirements-dev.txt", MUTMUT], check=True)
        (VENV / "ready").touch()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "_build", "__pycache__"))
        with (copy / "pyproject.toml").open("a") as settings:
            settings.write(SETTINGS.format(source=source.as_posix(), tests=tests.as_posix()))
        environment = {**os.environ, "PYTHONPATH": ""}
        subprocess.run([python, "-m", "mutmut", "run"], cwd=copy, env=environment, check=True)
        subprocess.run([python, "-m", "mutmut", "results"], cwd=copy, env=environment, check=True)
        codes = json.loads((copy / f"mutants/{source}.meta").read_text())["exit_code_by_key"].values()
    print(f"{name}: {len(codes)} mutants, {sum(code == 0 for code in codes)} survive")


if __name__ == "__main__":
    main(*sys.argv[1:] or [of_today()])
