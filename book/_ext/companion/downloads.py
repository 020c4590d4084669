"""Each chapter as files to take away: a notebook, a script and its Markdown, which need the package and matplotlib."""

import copy
import os
import re
import shutil
import subprocess
import tempfile
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from companion import Stop, chapters

NEEDS = {  # why a page is not offered
    "index": "its cells are pictures",
    "performance": "it reads tests/benchmarks/results.json",
    "scaling": "it starts processes, which a script must not do while it is read",
}
HEADER = """\
A page of the book "Sparse Activations, Executable", to run outside its repository.
First, in the repository: pip install . matplotlib
The text is MyST Markdown. In JupyterLab the extension jupyterlab-myst shows it as the book does."""
OF_A_SCRIPT = "Run as a script, it stops at the first check that fails, and is silent when all hold."


def files(source: str, notebook: Any) -> dict[str, str]:
    """The three texts by their suffixes, from the Markdown source and the executed notebook."""
    import jupytext
    from nbformat.v4 import new_markdown_cell

    taken, script = copy.deepcopy(notebook), copy.deepcopy(notebook)
    for cell in chapters.code_cells(taken):
        cell.outputs = chapters.text_only(cell.outputs)
    taken.cells.insert(0, new_markdown_cell(HEADER.replace("\n", "  \n"), id="header"))
    script.cells.insert(0, new_markdown_cell(f"{HEADER}\n{OF_A_SCRIPT}", id="header"))
    script.metadata = {"jupytext": {"notebook_metadata_filter": "-all", "cell_metadata_filter": "-all"}}
    front, end, text = source.partition("\n---\n")
    comment = "".join(f"% {line}\n" for line in HEADER.splitlines())
    return {
        "ipynb": chapters.dump(taken),
        "py": jupytext.writes(script, fmt="py:percent"),
        "md": f"{front}{end}\n{comment}{text}",
    }


def write(folder: Path, sources: dict[str, Path], notebooks: dict[str, Any]) -> None:
    """The files of every page that is offered."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in notebooks.keys() - NEEDS:
        for suffix, text in files(sources[name].read_text(encoding="utf-8"), notebooks[name]).items():
            (folder / f"{name}.{suffix}").write_text(text, encoding="utf-8")


def run(command: list[str], folder: str) -> None:
    """Run a command in a folder where only its environment is known; if it fails, say how."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise Stop(f"{Path(command[-1]).name}: {(done.stderr.splitlines() or [f'exit code {done.returncode}'])[-1]}")


def run_all(site: Path, root: Path) -> int:
    """Run every script of the site in a new environment with the package and matplotlib alone; return how many."""
    scripts = sorted((site / "_static/downloads").glob("*.py"))
    with tempfile.TemporaryDirectory() as folder:
        python = install(Path(folder), root)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda script: run([python, str(script)], folder), scripts))
    return len(scripts)


def install(folder: Path, root: Path) -> str:
    """The interpreter of an environment in this folder, with the package and matplotlib at their pinned versions."""
    shutil.copytree(root / "sparse_core", folder / "source/sparse_core", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(root / name, folder / "source")
    pins = re.findall(r"^[\w.-]+==[\w.]+", (root / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)
    (folder / "pins.txt").write_text("\n".join(pins))  # with their hashes, pip would ask for the package's too
    venv.create(folder / "venv", with_pip=True)
    python = str(folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    run([python, "-m", "pip", "install", "--no-input", "-c", "pins.txt", "matplotlib", "./source"], str(folder))
    return python
