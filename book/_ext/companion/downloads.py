"""Each chapter as files to take away: a notebook, a script and its Markdown, which need the package and matplotlib."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from companion import chapters

NEEDS = {  # why a page is not offered
    "index": "its one cell is a picture",
    "performance": "it reads benchmarks/results.json",
    "scaling": "it starts processes, which a script must not do while it is read",
}
HEADER = """\
A page of the book "Sparse Activations, Executable", to run outside its repository.
First, in the repository: pip install . matplotlib
The text is MyST Markdown. In JupyterLab the extension jupyterlab-myst shows it as the book does."""
OF_A_SCRIPT = "Run as a script, it stops at the first check that fails, and is silent when all hold."


def offered(name: str) -> bool:
    """Whether the page of this name can be taken away."""
    return name not in NEEDS


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
    for name in filter(offered, notebooks):
        for suffix, text in files(sources[name].read_text(encoding="utf-8"), notebooks[name]).items():
            (folder / f"{name}.{suffix}").write_text(text, encoding="utf-8")
