"""Each chapter as a notebook to take away, which needs the package, a wheel in the folder above, and matplotlib."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nbformat.v4 import new_code_cell

from companion.building import chapters, stored
from companion.places import LEDGER, PACKAGES, Stop
from companion.site import links

# The first cell. A second run, and a run where the package is there, installs nothing.
INSTALL = """\
# The page "{name}" of the book Sparse Activations, Executable. What it needs, where that is not installed:
try:
    import sparse_book
except ModuleNotFoundError:
    %{needs}
"""
# What runs a notebook, and names the cell that fails.
EXECUTE = "from nbclient.cli import main; main()"


def wheel(folder: Path, root: Path) -> None:
    """The package as a file that pip installs, of which each byte follows from the sources."""
    build = f"import os; os.umask(0o022); from setuptools.build_meta import build_wheel; build_wheel({str(folder)!r})"
    with tempfile.TemporaryDirectory() as copied:
        for package in (*PACKAGES, LEDGER):
            shutil.copytree(root / package, f"{copied}/{package}", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "LICENSE"):
            shutil.copy(root / name, copied)
        for path in Path(copied).rglob("*"):  # which the wheel repeats, and git leaves to the umask of whoever clones
            path.chmod(0o755 if path.is_dir() else 0o644)
        run([sys.executable, "-c", build], copied, SOURCE_DATE_EPOCH="315532800")


def notebook(name: str, executed: chapters.Notebook, needs: str) -> str:
    """The file of an executed page: the notebook of book/, with a first cell that installs what it needs."""
    taken = stored.written(name, executed, links.site())
    taken["cells"][0] = new_code_cell(INSTALL.format(name=name, needs=needs).strip(), id="install")
    return chapters.dump(taken)


def write(folder: Path, root: Path, notebooks: Mapping[str, chapters.Notebook]) -> None:
    """The notebook of every page that is offered, and in the folder above them the wheel."""
    folder.mkdir(parents=True, exist_ok=True)
    wheel(folder.parent, root)
    needs = links.requirements(folder.parent)
    for name in notebooks.keys() - links.NEEDS:
        (folder / f"{name}.ipynb").write_text(notebook(name, notebooks[name], needs), encoding="utf-8")


def run(command: list[str], folder: str, **settings: str) -> None:
    """Run a command in a folder where only its environment is known; if it fails, say how."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | settings
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        said = re.sub(r"\x1b\[[\d;]*m", "", done.stderr).split("\n")
        reason = next((line for line in reversed(said) if line.strip()), f"exit code {done.returncode}")
        raise Stop(f"{Path(command[-1]).name}: {reason}")


def run_all(site: Path, root: Path) -> int:
    """Run every notebook of the site in a new environment with the package and matplotlib alone; return how many."""
    notebooks = sorted((site / "_static/downloads").glob("*.ipynb"))
    with tempfile.TemporaryDirectory() as folder:
        python = install(Path(folder), root, next(site.glob("_static/*.whl")))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda path: run([python, "-c", EXECUTE, str(path)], folder), notebooks))
    return len(notebooks)


def install(folder: Path, root: Path, package: Path) -> str:
    """The interpreter of an environment in this folder, with the wheel, matplotlib, and what runs a notebook."""
    venv.create(folder / "venv", with_pip=True)
    python = str(folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    pins = str(root / "requirements.txt")
    needs = ["ipykernel", "matplotlib", "nbclient", str(package)]
    run([python, "-m", "pip", "install", "--no-input", "-c", pins, *needs], str(folder))
    return python
