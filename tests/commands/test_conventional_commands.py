"""What people type who do not know make.py, in a clone where nothing is installed or built."""

import json
import os
import re
import shutil
import subprocess
import sys

import small_repository
from companion import build

import make

BUILD = ["-c", build.JUPYTER_BOOK, "build", ".", "-q", "-W", "--keep-going"]


def run(root, *arguments):
    """(exit code, what was said) of Python in a folder, where it does not know the packages of this repository."""
    environment = {key: value for key, value in os.environ.items() if key not in make.ENVIRONMENT}
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return done.returncode, done.stdout


def pages(root):
    """The pages, without the checksums that Sphinx adds to the names of files that are there from an earlier build."""
    found = small_repository.files(root / "_build/html")
    return {name: re.sub(rb"[?]v=\w+", b"", text) for name, text in found.items() if name.endswith(".html")}


def test_sphinx_alone_executes_what_changed_and_shows_it_or_leaves_the_site_as_it_was(small):
    root = small
    before = small_repository.files(root).keys()
    code, said = run(root, *BUILD)
    assert code == 0 and "01-a: 2 cells" in said and "WARNING" not in said, said
    first = pages(root)
    assert b"n is 3" in first["book/01-a.html"] and b"n is 3" in first["book/ledger.html"]
    code, said = run(root, *BUILD)
    assert code == 0 and "cells" not in said, said
    assert pages(root) == first
    source = root / "book/01-a.md"
    source.write_text(source.read_text().replace("n = 3", "n = 1 / 0"))
    code, said = run(root, *BUILD)
    assert code != 0 and "Traceback" not in said
    assert "jupyter-book: stopped: 01-a, cell [1]: ZeroDivisionError: division by zero (full traceback:" in said
    assert pages(root) == first
    made = small_repository.files(root).keys() - before
    assert all(name.startswith("_build/") or "__pycache__" in name for name in made)


def test_a_stored_notebook_runs_under_nbval_and_papermill_and_an_edit_of_it_counts(small):
    shutil.copy(make.BOOK / "conftest.py", small / "book")
    code, _, errors = small_repository.run(small, "refresh", "1")
    assert code == 0, errors
    shutil.rmtree(small / "_build")
    code, said = run(small, "-m", "pytest", "--nbval", "book/01-a.ipynb")
    assert code == 0 and "2 passed" in said, said
    code, said = run(small, "-m", "papermill", "book/01-a.ipynb", "out.ipynb")
    assert code == 0, said
    notebook = json.loads((small / "book/01-a.ipynb").read_text())
    notebook["cells"][1]["source"] = ["n = 4"]
    (small / "book/01-a.ipynb").write_text(json.dumps(notebook))
    code, said, errors = small_repository.run(small, "book", "--chapter", "1")
    assert code == 0 and "01-a: what was edited in book/01-a.ipynb is now in book/01-a.md" in said, errors
    assert "n is 4" in (small / "_build/preview/book/01-a.html").read_text()
    (small / "book/01-a.md").write_text((small / "book/01-a.md").read_text() + "\nMore.\n")
    notebook["cells"][1]["source"] = ["n = 5"]
    (small / "book/01-a.ipynb").write_text(json.dumps(notebook))
    for command in ("book", "test", "refresh"):
        line = small_repository.stopped(small, command)
        assert "book/01-a.ipynb and book/01-a.md were both edited" in line
