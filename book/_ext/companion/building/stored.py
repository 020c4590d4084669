"""The notebooks of book/, for people: the words of a page as every viewer shows them, its code, and its pictures.

They are written from the Markdown beside them and from the executed cells; one that was edited is told from that.
"""

import base64
import contextlib
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from companion.building import chapters, outlines
from companion.building.chapters import Cell, Notebook, Output
from companion.building.plain import Writer
from companion.places import BOOK
from sparse_book.figure_svg import MIME, standalone
from sphinx_claims.record import EVIDENCE

ADVICE = (
    "{}: edited by hand, while the book is made from the Markdown beside it. Make the edit in the .md file, which "
    "JupyterLab opens as a notebook by 'Open With', 'Notebook'; or give it up: delete the .ipynb, then run `refresh`"
)
# The first cell: where the page stands, and after what it runs.
HEADER = (
    "*{page} of the book Sparse Activations, Executable. It is made from `book/{name}.md`: edit that. In a clone of "
    "the repository it runs after `pip install -r requirements.txt -e .`; its copy, which the site offers, runs in any "
    "folder.*"
)
# What every viewer shows of an output, also in a notebook that nobody has run on this machine
SHOWN = ("text/plain", "image/png")
# The line of a record up to its instances; of a refutation these are the two sides.
HEAD = re.compile(rf"^.* · (?:refuted|(?:{'|'.join(EVIDENCE)}) · [^·\n]*)", re.M)


def written(name: str, executed: Notebook, site: str) -> Notebook:
    """The notebook of a page for people, of its executed cells; ``site``, if it is known, is where links lead."""
    writer = Writer(name, site)
    page = f"[A page]({site}/book/{name}.html)" if site else "A page"
    cells = [markdown(HEADER.format(page=page, name=name))]
    for cell in executed["cells"]:
        if cell["cell_type"] == "code":
            cells += [code(cell), *caption(writer, cell)]
        elif text := writer.plain(cell["source"]):
            cells.append(markdown(text))
    chapters.name_cells(cells)
    return {**executed, "metadata": chapters.METADATA, "cells": cells}


def markdown(text: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def code(cell: Cell) -> Cell:
    """A code cell with what every viewer shows of its outputs; what the site hides is hidden in Jupyter, too."""
    tags = cell["metadata"].get("tags", [])
    hides = {"hide-input": "source_hidden", "hide-output": "outputs_hidden"}
    hidden = {key: True for tag, key in hides.items() if tag in tags}
    metadata = {"tags": tags} if tags else {}
    if hidden:
        metadata["jupyter"] = hidden
    outputs = [shown for output in cell["outputs"] if (shown := pictured(output)).get("data", True)]
    return {**cell, "metadata": metadata, "outputs": outputs}


def pictured(output: Output) -> Output:
    """An output as a notebook keeps it: its text, and a picture that needs neither style nor script of the site."""
    if "data" not in output:
        return output
    data = {kind: output["data"][kind] for kind in SHOWN if kind in output["data"]}
    drawn = "".join(output["data"].get("text/html", ""))
    if "<svg" in drawn and len(data) < len(SHOWN):
        data["text/html"] = "".join(images(drawn))
    return {**output, "data": data, "metadata": {}}


def images(drawn: str) -> Iterator[str]:
    """HTML with each drawing as an image: viewers take the elements of SVG away and show an image."""
    first, *parts = drawn.split("<svg")
    yield first
    for part in parts:
        body, _, rest = part.partition("</svg>")
        svg = f"<svg{body}</svg>"
        words = ET.fromstring(svg).get("aria-label", "")
        coded = base64.b64encode(standalone(svg, words, words).encode()).decode()
        yield f'<img alt="{escape(words)}" src="data:image/svg+xml;base64,{coded}">{rest}'


def caption(writer: Writer, cell: Cell) -> Iterator[Cell]:
    """What the site prints below a figure, and where it moves, as a cell of its own."""
    figure = cell["metadata"].get("mystnb", {}).get("figure", {})
    if "name" not in figure:
        return
    words = f"**Fig. {outlines.number(figure['name'], 'figures', writer.name)}.** {writer.plain(figure['caption'])}"
    data = [output["data"] for output in cell["outputs"] if MIME in output.get("data", {})]
    if any("start" in one[MIME] or "data-live=" in "".join(one["text/html"]) for one in data):
        words += " On the site this figure moves; here is its first frame."
    yield markdown(words)


def with_kept(fresh: Notebook, path: Path) -> Notebook:
    """A notebook with the stored outputs of each cell that is the same and says the same: a picture stays as it is,
    whichever version of Python or Matplotlib draws it now. Where its look changed, delete the file first."""
    import nbformat

    with contextlib.suppress(OSError, KeyError, TypeError, ValueError, AttributeError):  # a broken one is written anew
        old = {cell["id"]: cell for cell in nbformat.read(path, as_version=4)["cells"]}
        for cell in chapters.code_cells(fresh):
            then = old.get(cell["id"])
            if then and kinds(cell) == kinds(then) and heads(cell) == heads(then) and chapters.agree(cell, then):
                cell["outputs"] = then["outputs"]
    return fresh


def kinds(cell: Cell) -> list[list[str]]:
    """What stands in each output of a cell: who saves a notebook after a run stores more than `refresh`."""
    return [sorted(output.get("data", output)) for output in cell["outputs"]]


def heads(cell: Cell) -> list[str]:
    """The claim, the evidence and the number of instances of each record that a cell shows: also where the rest of its
    outputs is not compared, these depend on no processor."""
    texts = ["".join(output.get("data", {}).get("text/plain", "")) for output in cell["outputs"]]
    return HEAD.findall("\n".join(texts))


def edited(names: Iterable[str]) -> str:
    """What to do about the notebooks of these names that somebody edited; nothing where nobody did.

    The id of a cell is a digest of what `refresh` wrote: an edit changes the cell and leaves the id, and a cell that
    was added has another kind of id. Running a notebook and saving it is no edit.
    """
    found = []
    for name in names:
        with contextlib.suppress(OSError, KeyError, TypeError, ValueError):  # a broken one is written anew
            cells = json.loads((BOOK / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
            changed = [cell for cell in cells if not cell["id"].startswith(chapters.digest(cell))]
            texts = ["".join(cell["source"]).strip() for cell in changed]
            if first := next(filter(None, texts), ""):
                found.append(f"book/{name}.ipynb, at {first.splitlines()[0][:40]!r}")
    return ADVICE.format("; ".join(found)) if found else ""
