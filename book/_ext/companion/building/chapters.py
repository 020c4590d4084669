"""A chapter as three things: its Markdown source, a notebook, and that notebook executed."""

import asyncio
import contextlib
import copy
import hashlib
import logging
import math
import os
import queue
import re
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.places import Stop, text_of

# A notebook, one of its cells, and an output of that, as nbformat has them: what JSON can hold, under names
Notebook = dict[str, Any]
Cell = dict[str, Any]
Output = dict[str, Any]

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# A cell that runs for longer, in seconds, is stopped: the slowest chapter takes two minutes in all on two busy cores.
CELL_SECONDS = 1800
# The relative and absolute tolerance to which the numbers of two outputs agree. Most are shown with three or four
# digits, so that a larger difference is that of another number.
OUTPUT_RTOL = 1e-6
OUTPUT_ATOL = 1e-9
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")


class ChapterError(Stop):
    """A chapter that cannot be read or does not run to its end, with the whole traceback where there is one."""

    def __init__(self, line: str, traceback: str = "") -> None:
        super().__init__(line)
        self.traceback = traceback


def sources(book: Path) -> dict[str, Path]:
    """The Markdown pages that are executed, by name: those with a notebook's header, or with a code cell."""
    texts = {path: text_of(path) for path in sorted(book.glob("*.md"), key=lambda path: path.stem)}
    executed = re.compile(r"\A---\n(?:(?!---\n).*\n)*?\s*format_name: myst|^`{3,}\{code-cell\}", flags=re.MULTILINE)
    return {path.stem: path for path, text in texts.items() if executed.search(text)}


def read(source: Path) -> Notebook:
    """The notebook of a Markdown source."""
    import jupytext

    try:
        notebook: Notebook = jupytext.read(source, fmt="md:myst")
    except Exception as error:  # of jupytext, of YAML, and of what else a broken file can bring about
        raise ChapterError(f"{source.name} cannot be read: {' '.join(str(error).split())}") from None
    notebook["metadata"].update(METADATA)
    name_cells(notebook["cells"])
    return notebook


def name_cells(cells: Sequence[Cell]) -> None:
    """Give each cell an id that changes only when its type, text or tags do."""
    seen: dict[str, int] = {}
    for cell in cells:
        key = digest(cell)
        seen[key] = seen.get(key, 0) + 1
        cell["id"] = key if seen[key] == 1 else f"{key}-{seen[key]}"


def digest(cell: Cell) -> str:
    """Eight digits that tell a cell from others: of its type, its text and its tags."""
    tags = "".join(cell["metadata"].get("tags", []))
    return hashlib.sha256((cell["cell_type"] + "".join(cell["source"]) + tags).encode()).hexdigest()[:8]


def execute(notebook: Notebook, folder: str | Path = ".", **options: Any) -> Notebook:
    """The notebook with its outputs, run in a fresh kernel; options are those of nbclient."""
    import papermill

    kernel = {"kernel_name": "python3", "execution_timeout": CELL_SECONDS, "extra_arguments": ["--log-level=CRITICAL"]}
    kernel |= {"resources": {"metadata": {"path": str(folder)}}, **options}
    try:
        done: Notebook = papermill.execute_notebook(notebook, None, progress_bar=False, **kernel)
    except papermill.PapermillExecutionError as error:
        traceback = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(error.traceback))
        message = ": ".join(filter(None, [error.ename, *error.evalue.strip().splitlines()[-1:]]))
        raise ChapterError(f"cell [{error.exec_count}]: {message}", traceback) from None
    except (RuntimeError, TimeoutError) as error:  # the kernel died, or a cell never ended
        raise ChapterError(" ".join(str(error).split())[:200] or type(error).__name__) from None
    for number, cell in enumerate(code_cells(done), 1):
        if cell["execution_count"] is None:  # it is empty, or one before it ended the kernel without an error
            raise ChapterError(f"code cell {number} was not executed: {cell['source'].strip()[:60]!r}")
    done["metadata"] = METADATA
    for cell in done["cells"]:
        for key in ("papermill", "execution"):
            cell["metadata"].pop(key, None)
        if not cell["metadata"].get("tags", True):
            del cell["metadata"]["tags"]
    return done


def with_outputs(notebook: Notebook, run: Notebook) -> Notebook:
    """A notebook as its source is now, with the outputs of a run of the same code cells."""
    shown = copy.deepcopy(notebook)
    shown["metadata"] = METADATA
    for cell, done in zip(code_cells(shown), code_cells(run), strict=True):
        cell["outputs"] = done["outputs"]
        cell["execution_count"] = done["execution_count"]
    return shown


def execute_all(notebooks: Mapping[str, Notebook], folder: Path) -> Iterator[tuple[str, Notebook | Exception, float]]:
    """(name, the executed notebook or the exception, seconds) of each as they finish: one a core at a time, the first
    ones first, each in a process of its own."""
    from companion.building import kernels  # which needs packages

    waiting = iter(notebooks)
    cells = [cell["source"] for notebook in notebooks.values() for cell in code_cells(notebook)]
    forks = len(notebooks) > 1 and sys.platform == "linux"  # elsewhere a fork is not safe, or there is none
    nursery = kernels.Nursery(kernels.imports(cells)) if forks else None
    options = {"kernel_manager_class": nursery.manager} if nursery else {}
    kernels.resolve()
    finished: queue.Queue[tuple[str, Notebook | Exception, float]] = queue.Queue()

    def work() -> None:
        for name in waiting:
            start = time.perf_counter()
            try:
                outcome: Notebook | Exception = execute(notebooks[name], folder, **options)
            except Exception as error:
                outcome = error
            with contextlib.suppress(RuntimeError):  # jupyter_core leaves the event loop of this thread open
                asyncio.get_event_loop().close()
            finished.put((name, outcome, time.perf_counter() - start))

    logging.disable(logging.CRITICAL)  # what matters is raised
    try:
        for _ in range(os.cpu_count() or 1):
            threading.Thread(target=work, daemon=True).start()  # Ctrl-C does not wait for them
        for _ in notebooks:
            yield finished.get()
    finally:
        logging.disable(logging.NOTSET)
        if nursery:  # its kernels end with it
            nursery.close()


def code_cells(notebook: Notebook) -> list[Cell]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def text_only(outputs: Sequence[Output]) -> list[Output]:
    """The outputs that a reader of a diff can judge and a test can compare: streams, errors and text/plain."""
    kept = []
    for output in outputs:
        if "data" in output:
            output = output.copy()
            output["data"] = {mime: value for mime, value in output["data"].items() if mime == "text/plain"}
            output["metadata"] = {}
        if output.get("data", True):
            kept.append(output)
    return kept


def differences(outputs: Sequence[Output], stored: Sequence[Output]) -> list[str]:
    """What differs between the text of a cell's outputs and that of the stored ones, in words; nothing where the
    words agree, and the numbers to a relative 1e-6."""
    now = texts(outputs)
    then = texts(stored)
    if now.keys() != then.keys():
        return [f"outputs of the kinds {sorted(now)} in place of {sorted(then)}"]
    return [f"{kind}: {now[kind]!r}, stored {then[kind]!r}" for kind in then if not same_text(now[kind], then[kind])]


def texts(outputs: Sequence[Output]) -> dict[str, str]:
    """All text of each kind; a stream may arrive in parts, and between other outputs."""
    kinds: dict[str, str] = {}
    for output in text_only(outputs):
        kind = str(output.get("name", output["output_type"]))
        text = output.get("text") or output.get("data", {}).get("text/plain") or output.get("evalue", "")
        kinds[kind] = kinds.get(kind, "") + "".join(text) + ("" if "text" in output else "\n")
    return kinds


def same_text(now: str, then: str) -> bool:
    words = [[part.strip() for part in NUMBER.split(" ".join(text.split()))] for text in (now, then)]
    numbers = [map(float, NUMBER.findall(text)) for text in (now, then)]
    return words[0] == words[1] and all(
        math.isclose(left, right, rel_tol=OUTPUT_RTOL, abs_tol=OUTPUT_ATOL)
        for left, right in zip(*numbers, strict=True)
    )


def agree(cell: Cell, stored: Cell) -> bool:
    """Whether the outputs of a code cell are those of the stored one. Where long training amplifies the round-off of a
    processor, the tag of nbval says that outputs are not compared."""
    ignored = "nbval-ignore-output" in cell["metadata"].get("tags", [])
    return ignored or not differences(cell["outputs"], stored["outputs"])


def dump(notebook: Notebook) -> str:
    """A notebook as JSON text that differs only where the notebook does; each line of a cell is a line of the file."""
    import nbformat

    text: str = nbformat.writes(nbformat.from_dict(notebook))
    return text + "\n"
