"""Each chapter as a notebook to take away, which needs the package and matplotlib.

The package lies in the folder above as a wheel. What needs an address is there only if one is known: of the site, from
COMPANION_SITE in the environment; of the repository, OWNER/NAME or https://github.com/OWNER/NAME, from
COMPANION_REPOSITORY or else from `repository` in _config.yml.
"""

import copy
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

from companion import Stop, chapters

ROOT = Path(__file__).resolve().parents[3]

# The pages that are not offered, with the reason.
NEEDS = {
    "ten-minutes": "its cells are pictures",
    "six-drawings": "its cell is a picture",
    "performance": "it reads tests/benchmarks/results.json",
    "scaling": "it needs Dask, and starts processes",
}
HEADER = """\
A page of the book "Sparse Activations, Executable", to run outside its repository.
First, with the wheel of the site's folder _static where no address is named: {}
The text is MyST Markdown. In JupyterLab the extension jupyterlab-myst shows it as the book does."""
# What runs a notebook, and names the cell that fails.
EXECUTE = "from nbclient.cli import main; main()"


def wheel_in(assets: Path) -> str:
    return next(assets.glob("*.whl")).name


def requirements(assets: Path) -> str:
    """The command that installs what a page needs: the package from the site, the repository or the file beside it."""
    site = os.environ.get("COMPANION_SITE", "").rstrip("/")
    address = repository()
    package = f"{site}/_static/{wheel_in(assets)}" if site else f"git+{address}" if address else wheel_in(assets)
    return f"pip install matplotlib {package}"


def repository() -> str:
    """The address of the repository, or nothing."""
    given = os.environ.get("COMPANION_REPOSITORY") or configured(ROOT / "_config.yml")
    if given and not (found := re.fullmatch(r"(?:https://github\.com/)?([\w-]+/[\w.-]+?)(?:\.git)?/?", given)):
        raise Stop(
            f"COMPANION_REPOSITORY (or repository in _config.yml) must be OWNER/NAME or https://github.com/OWNER/NAME, "
            f"not {given!r}"
        )
    return f"https://github.com/{found[1]}" if given else ""


@cache
def configured(config: Path) -> str:
    """The address in _config.yml; each statement of the book asks for it."""
    return yaml.safe_load(config.read_text(encoding="utf-8"))["repository"]["url"]


def launch(name: str, assets: Path) -> str:
    """Links that run a page elsewhere, if the address of the repository is known."""
    if not (address := repository()):
        return ""
    owner = address.removeprefix("https://github.com/")
    places = {
        "Open in Binder": f"https://mybinder.org/v2/gh/{owner}/HEAD?urlpath=lab/tree/book/{name}.ipynb",
        "in Codespaces": f"https://codespaces.new/{owner}",
        "in Colab": f"https://colab.research.google.com/github/{owner}/blob/HEAD/book/{name}.ipynb",
    }
    links = ", ".join(f'<a href="{target}">{words}</a>' for words, target in places.items())
    return f'<p class="whereabouts">{links} (first <code>%{requirements(assets)}</code>).</p>'


def way_back(name: str) -> str:
    """Where the source of a page stands, how to change it, and where to report an error; nothing without an address."""
    if not (address := repository()):
        return ""
    source = f"book/{name}.md"
    if not (ROOT / source).is_file():
        source = ""  # a page that the claims of all chapters make
    made_from = f"The source of this page is <code>{source}</code>" if source else "This page is made from the chapters"
    links = [f'<a href="{address}">the repository</a>', f'<a href="{new_issue(name)}">report an error</a>']
    if source:
        links.insert(1, f'<a href="{address}/edit/HEAD/{source}">edit this page</a>')
    return f'<p class="take-away">{made_from}: {", ".join(links)}.</p>'


def new_issue(subject: str) -> str:
    """Where to report an error in a page or a statement: a form that names it, or what to do where there is none."""
    if not (address := repository()):
        return "errata.html#report"
    body = f"Where: {subject}\n\nWhat is wrong:\n\nA witness, or a source, if you have one:\n"
    return f"{address}/issues/new?title={quote(f'{subject}: ')}&body={quote(body)}"


def wheel(folder: Path, root: Path) -> None:
    """The package as a file that pip installs, of which each byte follows from the sources."""
    build = f"from setuptools.build_meta import build_wheel; build_wheel({str(folder)!r})"
    with tempfile.TemporaryDirectory() as copied:
        for package in ("sparse_core", "sparse_meter", "sparse_book"):
            shutil.copytree(root / package, f"{copied}/{package}", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "LICENSE"):
            shutil.copy(root / name, copied)
        run([sys.executable, "-c", build], copied, SOURCE_DATE_EPOCH="315532800")


def notebook(executed: Any, needs: str) -> str:
    """The file of an executed notebook: with a header that says what it needs, and with text outputs alone."""
    from nbformat.v4 import new_markdown_cell

    taken = copy.deepcopy(executed)
    for cell in chapters.code_cells(taken):
        cell.outputs = chapters.text_only(cell.outputs)
    taken.cells.insert(0, new_markdown_cell(HEADER.format(needs).replace("\n", "  \n"), id="header"))
    return chapters.dump(taken)


def write(folder: Path, root: Path, notebooks: dict[str, Any]) -> None:
    """The notebook of every page that is offered, and in the folder above them the wheel."""
    folder.mkdir(parents=True, exist_ok=True)
    wheel(folder.parent, root)
    needs = requirements(folder.parent)
    for name in notebooks.keys() - NEEDS:
        (folder / f"{name}.ipynb").write_text(notebook(notebooks[name], needs), encoding="utf-8")


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
