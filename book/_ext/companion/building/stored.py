"""The notebooks of book/: whether somebody edited one since it was written from the Markdown beside it."""

import contextlib
import json
from collections.abc import Iterable

from companion.building import chapters
from companion.places import BOOK

ADVICE = (
    "{}: edited by hand, while the book is made from the Markdown beside it. Make the edit in the .md file, which "
    "JupyterLab opens as a notebook by 'Open With', 'Notebook'; or give it up: delete the .ipynb, then run `refresh`"
)


def edited(names: Iterable[str]) -> str:
    """What to do about the notebooks of these names that somebody edited; nothing where nobody did.

    The id of a cell is a digest of what `refresh` wrote: an edit changes the cell and leaves the id, and a cell that
    was added has another kind of id. Running a notebook and saving it is no edit.
    """
    found = []
    for name in names:
        with contextlib.suppress(OSError, KeyError, TypeError, ValueError):  # a broken one is written anew
            cells = json.loads((BOOK / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
            texts = [
                "".join(cell["source"]).strip() for cell in cells if not cell["id"].startswith(chapters.digest(cell))
            ]
            if first := next(filter(None, texts), ""):
                found.append(f"book/{name}.ipynb, at {first.splitlines()[0][:40]!r}")
    return ADVICE.format("; ".join(found)) if found else ""
