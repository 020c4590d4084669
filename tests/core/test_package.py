"""The package as a whole: documented by examples that run, layered, and light to import."""

import importlib
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import sparse_core
from tests.core.calls import MODULES

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SLOW = {"matplotlib", "sklearn", "scipy.stats"}
FUNCTIONS = [
    (module, name)
    for module in MODULES
    for name in getattr(importlib.import_module(module), "__all__", [])
    if inspect.isfunction(function := getattr(importlib.import_module(module), name)) and function.__module__ == module
]


def documentation(module, name):
    return inspect.getdoc(getattr(importlib.import_module(module), name)) or ""


def test_every_public_function_shows_an_example():
    """In the package of the book a call in a chapter, a test or the package does, as of what draws or trains."""
    paths = [*ROOT.glob("book/*.md"), *ROOT.glob("tests/sparse_book/*.py"), *ROOT.glob("sparse_book/**/*.py")]
    called = {*re.findall(r"(?<!def )\b(\w+)\(", "".join(path.read_text(encoding="utf-8") for path in paths))}
    untold = [(module, name) for module, name in FUNCTIONS if ">>>" not in documentation(module, name)]
    assert len(FUNCTIONS) > 150
    assert [one for one in untold if not (one[0].startswith("sparse_book") and one[1] in called)] == []


def test_every_module_says_what_it_is_about_and_exports():
    modules = [importlib.import_module(name) for name in MODULES]
    assert [module.__name__ for module in modules if len(inspect.getdoc(module).splitlines()[0]) <= 20] == []
    names = [(module, name) for module in modules for name in getattr(module, "__all__", [])]
    assert [(module.__name__, name) for module, name in names if not hasattr(module, name)] == []


def test_a_section_on_parameters_has_nothing_else():
    """Entries "name : meaning", whose further lines are indented; then the end or another section."""
    wrong = []
    for module, name in FUNCTIONS:
        section = documentation(module, name).partition("Parameters\n----------\n")[2]
        entries = re.split(r"\n\n(?:\w+\n---|>>> )", section)[0]
        wrong += [(name, line) for line in entries.splitlines() if not re.match(r"$| |[\w, ]+ : ", line)]
    assert wrong == []


def test_what_is_slow_to_load_is_loaded_by_the_estimator_and_the_book_alone():
    """And of the book's modules not by that one which a build of the site reads."""
    light = [module for module in MODULES if not module.startswith("sparse_book.")] + ["sparse_book.figure_svg"]
    light.remove("sparse_core.learning.lowdegree")
    code = f"import sys; import {', '.join(light)}; print(*{SLOW} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True) == "\n"


def test_the_estimator_is_loaded_when_it_is_used():
    code = """if True:
        import sys, sparse_core.cube
        assert not {"scipy", "sklearn"} & set(sys.modules)
        import sparse_core.learning
        assert "sklearn" not in sys.modules
        from sparse_core.learning import LowDegreeRegressor, lowdegree
        assert sparse_core.LowDegreeRegressor is LowDegreeRegressor is lowdegree.LowDegreeRegressor
    """
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_an_import_leaves_the_process_as_it_was():
    """Warnings, floating-point errors, the locale, random numbers, the environment, signals; and no peer is loaded."""
    modules = set(MODULES) - {"sparse_book.figures"}
    code = f"""if True:
        import locale, os, random, signal, sys, warnings
        import numpy as np, scipy.optimize, scipy.sparse, scipy.special, scipy.linalg, sklearn.base, sklearn.utils
        def state():
            user = locale.setlocale(locale.LC_ALL), dict(os.environ)
            handlers = [signal.getsignal(number) for number in signal.valid_signals()]
            draws = random.getstate(), repr(np.random.get_state())
            return list(warnings.filters), np.geterr(), user, handlers, draws
        before = state()
        import {", ".join(sorted(modules))}
        assert state() == before
        assert not {{"tests", "boofun", "boolforge", "dask", "flint", "pyfwht"}} & set(sys.modules)
    """
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_figures_without_matplotlib_say_how_to_get_it():
    code = "import sys; sys.modules['matplotlib'] = None; import sparse_book.figures"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    last = done.stderr.splitlines()[-1]
    assert last == "ModuleNotFoundError: Figures need matplotlib: pip install matplotlib"


@pytest.mark.parametrize("readme", [(ROOT / "README.md").read_text(encoding="utf-8"), PROJECT["readme"]["text"]])
def test_the_example_of_the_readme_runs(readme):
    block = next(b.split("```")[0] for b in readme.split("```python\n")[1:])
    names: dict = {}
    exec(block, names)
    assert repr(names["net"].sparsity()) == "1, exact by enumeration of 64 points"


def test_one_version_is_named_everywhere():
    version = PROJECT["version"]
    assert sparse_core.__version__ in (version, "0.0.0.dev0")  # the second where the package is not installed
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version = {{{version}}}" in (ROOT / "book" / "literature.md").read_text(encoding="utf-8")
    released = ".dev" not in version
    first = next(line for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines() if line[:3] == "## ")
    assert first.startswith(f"## {version} " if released else "## Unreleased")
    assert ("\ndate-released: " in (ROOT / "CITATION.cff").read_text(encoding="utf-8")) == released
