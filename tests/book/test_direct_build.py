"""`jupyter-book build .` in a clone, without make.py: the whole book, executed, or one line and the site as it was."""

import os
import re
import subprocess
import sys

import small_repository
from companion import build

COMMAND = [sys.executable, "-c", build.JUPYTER_BOOK, "build", ".", "-q", "-W", "--keep-going"]


def run(root):
    """(exit code, what was said), in a process that does not know where the packages of this repository are."""
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "COMPANION_NO_VENV")}
    done = subprocess.run(
        COMMAND, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return done.returncode, done.stdout


def pages(root):
    """The pages, without the checksums that Sphinx adds to the names of files that are there from an earlier build."""
    found = small_repository.files(root / "_build/html")
    return {name: re.sub(rb"[?]v=\w+", b"", text) for name, text in found.items() if name.endswith(".html")}


def test_sphinx_alone_executes_what_changed_and_shows_it_or_leaves_the_site_as_it_was(tmp_path):
    root = small_repository.write(tmp_path / "small")
    before = small_repository.files(root).keys()
    code, said = run(root)
    assert code == 0 and "01-a: 2 cells" in said and "WARNING" not in said, said
    first = pages(root)
    assert b"n is 3" in first["book/01-a.html"] and b"n is 3" in first["book/ledger.html"]
    code, said = run(root)
    assert code == 0 and "cells" not in said, said
    assert pages(root) == first
    source = root / "book/01-a.md"
    source.write_text(source.read_text().replace("n = 3", "n = 1 / 0"))
    code, said = run(root)
    assert code != 0 and "Traceback" not in said
    assert "jupyter-book: stopped: 01-a, cell [1]: ZeroDivisionError: division by zero (full traceback:" in said
    assert pages(root) == first
    made = small_repository.files(root).keys() - before
    assert all(name.startswith("_build/") or "__pycache__" in name for name in made)
