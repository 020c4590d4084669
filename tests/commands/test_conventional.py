"""The usual commands of Python work here: in a copy without _build, and without the settings of make.py.

CI runs pip, pytest, papermill and nbval on the book itself, in jobs of their own.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest
from companion import places
from companion.building import commands

import make
from tests.commands import small_repository

ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in make.ENVIRONMENT}
OUTPUT = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
BUILD = ["-c", commands.JUPYTER_BOOK, "build", ".", "-q", "-W", "--keep-going"]


def attempt(folder, *words):
    """(exit code, what was said) of Python, given these words."""
    done = subprocess.run([sys.executable, *words], cwd=folder, env=ENVIRONMENT, **OUTPUT)
    return done.returncode, done.stdout


def run(folder, *words):
    code, said = attempt(folder, *words)
    assert code == 0, said


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """The repository without what is generated in it."""
    generated = shutil.ignore_patterns("_build", ".*", "__pycache__", "build", "dist", "*.egg-info")
    return shutil.copytree(make.ROOT, tmp_path_factory.mktemp("clone") / "a copy", ignore=generated)


@pytest.fixture(scope="module")
def archives(clone):
    """(the source archive, the wheel that is built from it), as by `python -m build`"""
    run(clone, "-c", "from setuptools import build_meta; build_meta.build_sdist('dist')")
    source = next(clone.glob("dist/*.tar.gz"))
    with tarfile.open(source) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # which Python has since 3.11.4
        archive.extractall(clone / "dist")
    unpacked = next(path for path in (clone / "dist").iterdir() if path.is_dir())
    run(unpacked, "-c", "from setuptools import build_meta; build_meta.build_wheel('..')")
    return source, next(clone.glob("dist/*.whl"))


def test_source_archive_and_wheel_hold_every_module_of_both_packages(clone, archives):
    with tarfile.open(archives[0]) as source, zipfile.ZipFile(archives[1]) as wheel:
        in_source = {name.partition("/")[2] for name in source.getnames()}
        in_wheel = set(wheel.namelist())
    parts = ("sparse_*/**", "sphinx_claims", "sphinx_claims/pages", "sphinx_claims/site")
    modules = {str(path.relative_to(clone)) for part in parts for path in clone.glob(f"{part}/*.py")}
    modules |= {f"{name}/py.typed" for name in ("sparse_core", "sparse_meter", "sparse_book", "sphinx_claims")}
    modules |= {str(path.relative_to(clone)) for path in clone.glob("sparse_book/experiments/results/*.*")}
    assert len(modules) > 40
    assert modules <= in_source and modules <= in_wheel
    assert {name for name in in_wheel if ".dist-info/" not in name} == modules


def pages(root):
    """The pages, without the checksums that Sphinx adds to the names of files that are there from an earlier build."""
    found = small_repository.files(root / "_build/html")
    return {name: re.sub(rb"[?]v=\w+", b"", text) for name, text in found.items() if name.endswith(".html")}


def test_sphinx_alone_executes_what_changed_and_shows_it_or_leaves_the_site_as_it_was(small):
    root = small
    before = small_repository.files(root).keys()
    code, said = attempt(root, *BUILD)
    assert code == 0 and "01-a: 2 cells" in said and "WARNING" not in said, said
    first = pages(root)
    assert b"n is 3" in first["book/01-a.html"] and b"n is 3" in first["book/ledger.html"]
    source = root / "book/01-a.md"
    source.write_text(source.read_text().replace("n = 3", "n = 1 / 0"))
    code, said = attempt(root, *BUILD)
    assert code != 0 and "Traceback" not in said
    assert "jupyter-book: stopped: 01-a, cell [1]: ZeroDivisionError: division by zero (full traceback:" in said
    assert pages(root) == first
    made = small_repository.files(root).keys() - before
    assert all(name.startswith("_build/") or "__pycache__" in name for name in made)


@pytest.mark.usefixtures("executed")
def test_a_stored_notebook_runs_under_nbval_and_another_output_fails(small):
    shutil.copy(places.BOOK / "conftest.py", small / "book")
    code, _, errors = small_repository.run(small, "refresh", "1")
    assert code == 0, errors
    shutil.rmtree(small / "_build")
    code, said = attempt(small, "-m", "pytest", "--nbval", "book/01-a.ipynb")
    assert code == 0 and "2 passed" in said, said
    stored = small / "book/01-a.ipynb"
    stored.write_text(stored.read_text().replace("n is 3", "n is 4"))
    code, said = attempt(small, "-m", "pytest", "--nbval", "book/01-a.ipynb")
    assert code == 1 and "1 failed" in said, said


@pytest.mark.skipif(os.name == "nt", reason="/dev/null is of POSIX")
def test_tests_run_where_their_cache_cannot_be_written(clone):
    shutil.rmtree(clone / "_build", ignore_errors=True)  # of a test before
    (clone / "_build").symlink_to("/dev/null/none")  # nor what the settings of the commands name
    code, said = attempt(clone, "-m", "pytest", "-o", "cache_dir=/dev/null/none", "tests/core/cube/test_packed.py")
    (clone / "_build").unlink()
    assert code == 0 and "could not create cache path" in said, said
