"""The requirements: each lock holds those of its .txt file, and all that they need on each Python and system."""

import ast
import re
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires

import pytest
from companion import places
from companion.building import chapters
from packaging.requirements import Requirement

import make

PROJECT = tomllib.loads((make.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def requirements(name):
    """The requirements of a file, without hashes and comments."""
    lines = (make.ROOT / name).read_text(encoding="utf-8").replace("\\\n", "").splitlines()
    texts = [re.split(" --hash| #|^#", line)[0] for line in lines]
    return [Requirement(text) for text in texts if text.strip() and not text.startswith("-")]


def canonical(name):
    return re.sub("[-_.]+", "-", name).lower()


BOOK = requirements("requirements.lock")
LOCKED = requirements("requirements-dev.lock")
# What tests and measures of pages import
NOT_OF_THE_BOOK = {"playwright", "pypdf"}


@pytest.mark.parametrize(
    "name, lock",
    [("requirements.txt", BOOK), ("requirements-dev.txt", LOCKED), ("tests/benchmarks/requirements.txt", LOCKED)],
    ids=["book", "all", "benchmarks"],
)
def test_the_lock_holds_each_requirement_at_the_same_version(name, lock):
    locked = {(canonical(one.name), str(one.specifier)) for one in lock}
    wanted = {(canonical(one.name), str(one.specifier)) for one in requirements(name)}
    assert wanted and wanted <= locked


def test_the_package_allows_what_is_locked_and_has_no_upper_bounds():
    locked = {canonical(one.name): str(one.specifier).removeprefix("==") for one in LOCKED}
    extras = [text for texts in PROJECT["optional-dependencies"].values() for text in texts]
    for one in map(Requirement, [*PROJECT["dependencies"], *extras]):
        assert one.specifier.contains(locked[canonical(one.name)])
        assert {part.operator for part in one.specifier} == {">="}
    assert PROJECT["requires-python"] == ">={}.{}".format(*make.OLDEST)


def test_the_book_needs_a_part_of_what_the_tests_need():
    small, large = ({(one.name, str(one.specifier), str(one.marker)) for one in lock} for lock in (BOOK, LOCKED))
    assert small < large
    text = (make.ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    assert "\n-r requirements.txt\n" in text


def imported(text):
    """The packages that a program imports."""
    modules = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules.append(node.module)
    return {module.partition(".")[0] for module in modules}


def test_what_the_book_imports_is_in_its_lock():
    programs = [
        path
        for folder in ("book/_ext", "sparse_core", "sparse_meter", "sparse_book", "sphinx_claims")
        for path in make.ROOT.glob(f"{folder}/**/*.py")
    ]
    texts = [make.ROOT.joinpath("make.py").read_text(), *(path.read_text(encoding="utf-8") for path in programs)]
    for source in chapters.sources(places.BOOK).values():
        texts += [cell["source"] for cell in chapters.code_cells(chapters.read(source))]
    names = packages_distributions()
    theirs = set().union(*map(imported, texts)) - NOT_OF_THE_BOOK
    needed = {canonical(one) for root in theirs for one in names.get(root, ())}
    assert len(needed) > 10 and needed <= {canonical(one.name) for one in BOOK} | {"sparse-activations"}


@pytest.mark.parametrize("package", ["sparse_core", "sparse_meter"])
def test_the_package_names_all_that_it_imports(package):
    """What it imports at the top of a module is installed with it, what it imports elsewhere perhaps by an extra."""
    extras = [text for texts in PROJECT["optional-dependencies"].values() for text in texts]
    always, sometimes = (
        {canonical(Requirement(text).name) for text in texts}
        for texts in (PROJECT["dependencies"], [*PROJECT["dependencies"], *extras])
    )
    names = packages_distributions()
    for path in make.ROOT.glob(f"{package}/**/*.py"):
        text = path.read_text(encoding="utf-8")
        top = [ast.unparse(node) for node in ast.parse(text).body if isinstance(node, (ast.Import, ast.ImportFrom))]
        for source, allowed in (("\n".join(top), always), (text, sometimes)):
            needed = {canonical(one) for root in imported(source) for one in names.get(root, ())}
            assert needed - {"sparse-activations"} <= allowed, path
    assert "threadpoolctl" in always


@pytest.mark.parametrize("version", ["3.11.0", "3.12.1", "3.13.0", "3.14.0"])
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("lock", [LOCKED, BOOK], ids=["all", "book"])
def test_what_the_installed_packages_need_is_locked(version, system, lock):
    place = {"python_version": version.rpartition(".")[0], "python_full_version": version, "sys_platform": system}
    place |= {"platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[system]}
    place |= {"os_name": "nt" if system == "win32" else "posix", "implementation_name": "cpython", "extra": ""}
    names = {one.name for one in lock if one.marker is None or one.marker.evaluate(place)}
    for name in names:
        try:
            needs = map(Requirement, requires(name) or [])
        except PackageNotFoundError:  # of another system
            continue
        for need in needs:
            if need.marker is None or need.marker.evaluate(place):
                assert canonical(need.name) in names, f"{name} needs {need}"
