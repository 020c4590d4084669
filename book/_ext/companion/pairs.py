"""A chapter stands in two files, X.md and X.ipynb, and either may be edited: in an editor or in JupyterLab.

X.md is what the book is made from. The metadata of X.ipynb hold the sha256 of the cells on which the two last agreed,
so that the file whose cells have another one is the file that was edited since. Outputs are no part of it.
"""

import hashlib
import json
import re

from companion import Stop, chapters, text_of

# The key of the fingerprint in the metadata of a stored notebook.
KEY = "companion"
# What the book reads of a cell's metadata; the rest is how JupyterLab shows it.
KEPT = ("tags", "mystnb")
# The options of a code cell, as YAML.
OPTIONS = re.compile(r"^(`{3,}\{code-cell\}.*\n---\n)((?:(?!---\n).*\n)+)(?=---\n)", re.M)


def cells_of(notebook):
    """(type, source, options) of each cell that is not empty, without what one of the two formats does not keep."""
    found = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"]).strip()
        options = {key: cell["metadata"][key] for key in KEPT if cell["metadata"].get(key)}
        if source:
            found.append((cell["cell_type"], source, options))
    return found


def fingerprint(notebook):
    return hashlib.sha256(json.dumps(cells_of(notebook), sort_keys=True).encode()).hexdigest()


def stored_metadata(notebook):
    """The metadata of book/X.ipynb when it agrees with X.md."""
    return {**chapters.METADATA, KEY: {"agreed": fingerprint(notebook)}}


def carried(source):
    """The new texts of X.md and X.ipynb, by path, if cells of X.ipynb alone were edited; nothing if none were.

    Where both were edited, or Markdown cannot hold what a cell has, it stops. A notebook that is missing or broken, or
    does not say on what it agreed, is left to `refresh`, which writes it anew.
    """
    import jupytext
    import nbformat

    path = source.with_suffix(".ipynb")
    try:
        stored = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        agreed = stored["metadata"][KEY]["agreed"]
        edited = fingerprint(stored)
    except Exception:  # of the file, of JSON, of what should stand in it
        return {}
    markdown = fingerprint(chapters.read(source))
    if edited in (markdown, agreed):
        return {}
    both = f"book/{path.name} and book/{source.name}"
    if markdown != agreed:
        raise Stop(f"{both} were both edited: undo one of them (`git checkout` and its name), then run this again")
    text = text_of(source)
    notebook = jupytext.reads(text, fmt="md:myst")
    notebook.cells = stored.cells
    for cell in notebook.cells:
        cell.metadata = {key: cell.metadata[key] for key in KEPT if key in cell.metadata}
    written = with_options_of(text, jupytext.writes(notebook, fmt="md:myst"))
    written = text[: body(text)] + written[body(written) :]
    if fingerprint(jupytext.reads(written, fmt="md:myst")) != edited:
        raise Stop(f"{both} differ in a cell that Markdown cannot hold: make this edit in book/{source.name}")
    stored["metadata"][KEY] = {"agreed": edited, "carried": True}  # until `refresh` has written it anew
    return {source: written, path: chapters.dump(stored)}


def body(text):
    """Where the text begins after the header of a Markdown source."""
    header = re.match(r"---\n(?:(?!---\n).*\n)*---\n", text)
    return header.end() if header else 0


def with_options_of(text, written):
    """The written Markdown with the options of cells in the words of the text, where they mean the same."""
    import yaml

    def meaning(options):
        return json.dumps(yaml.safe_load(options), sort_keys=True)

    known = {meaning(options): options for _, options in OPTIONS.findall(text)}
    return OPTIONS.sub(lambda match: match[1] + known.get(meaning(match[2]), match[2]), written)
