"""The usual commands of Python work here: in a copy without _build, and without the settings of make.py."""

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile

import pytest

import make

VERSION = tomllib.loads((make.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
OFFLINE = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in make.ENVIRONMENT}


def run(*words, folder):
    """What Python prints, given these words; it must succeed."""
    command = [sys.executable, *map(str, words)]
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """The repository without what is generated in it."""
    generated = shutil.ignore_patterns("_build", ".*", "__pycache__", "build", "dist", "*.egg-info")
    return shutil.copytree(make.ROOT, tmp_path_factory.mktemp("clone") / "a copy", ignore=generated)


@pytest.fixture(scope="module")
def archives(clone):
    """(the source archive, the wheel that is built from it), as by `python -m build`"""
    run("-c", "from setuptools import build_meta; build_meta.build_sdist('dist')", folder=clone)
    source = next(clone.glob("dist/*.tar.gz"))
    with tarfile.open(source) as archive:
        archive.extractall(clone / "dist", filter="data")
    unpacked = next(path for path in (clone / "dist").iterdir() if path.is_dir())
    run("-c", "from setuptools import build_meta; build_meta.build_wheel('..')", folder=unpacked)
    return source, next(clone.glob("dist/*.whl"))


def test_source_archive_and_wheel_hold_every_module_of_both_packages(clone, archives):
    with tarfile.open(archives[0]) as source, zipfile.ZipFile(archives[1]) as wheel:
        in_source = {name.partition("/")[2] for name in source.getnames()}
        in_wheel = set(wheel.namelist())
    modules = {str(path.relative_to(clone)) for path in clone.glob("sparse_*/**/*.py")}
    modules |= {"sparse_core/py.typed", "sparse_book/py.typed"}
    assert len(modules) > 40
    assert modules <= in_source and modules <= in_wheel
    assert {name for name in in_wheel if ".dist-info/" not in name} == modules


@pytest.mark.parametrize("editable", [False, True])
def test_pip_installs_the_package_and_its_command(clone, tmp_path, editable):
    words = ["-m", "pip", "install", *OFFLINE, "--prefix", tmp_path, *["-e"] * editable, "."]
    run(*words, folder=clone)
    packages = next(tmp_path.rglob("site-packages"))
    start = f"import site; site.addsitedir({str(packages)!r}); import sparse_core, sparse_book"
    shown = run("-c", f"{start}; print(sparse_core.__version__, sparse_core.__file__)", folder=tmp_path)
    assert shown == f"{VERSION} {(clone if editable else packages) / 'sparse_core/__init__.py'}\n"
    assert list(tmp_path.glob("*/sparse-core*"))


def test_pytest_runs_without_make(clone):
    shown = run("-m", "pytest", "-p", "no:cacheprovider", "tests/core/cube/test_packed.py", folder=clone)
    assert "[100%]" in shown


def test_papermill_executes_a_stored_notebook(clone, tmp_path):
    out = tmp_path / "out.ipynb"
    run("-m", "papermill", "--no-progress-bar", "book/thirty-minutes.ipynb", out, folder=clone)
    assert '"exception": null' in out.read_text(encoding="utf-8")
