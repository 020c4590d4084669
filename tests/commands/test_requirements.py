"""The requirements: the lock holds those of requirements.txt, and all that they need on each Python and system."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires

import pytest
from packaging.requirements import Requirement

import make

PROJECT = tomllib.loads((make.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def requirements(name):
    """The requirements of a file, without hashes and comments."""
    lines = (make.ROOT / name).read_text(encoding="utf-8").replace("\\\n", "").splitlines()
    texts = [re.split(" --hash| #|^#", line)[0] for line in lines]
    return [Requirement(text) for text in texts if text.strip()]


def canonical(name):
    return re.sub("[-_.]+", "-", name).lower()


LOCKED = requirements("requirements.lock")


@pytest.mark.parametrize("name", ["requirements.txt", "tests/benchmarks/requirements.txt"])
def test_the_lock_holds_each_requirement_at_the_same_version(name):
    locked = {(canonical(one.name), str(one.specifier)) for one in LOCKED}
    wanted = {(canonical(one.name), str(one.specifier)) for one in requirements(name)}
    assert wanted and wanted <= locked


def test_the_package_allows_what_is_locked_and_has_no_upper_bounds():
    locked = {canonical(one.name): str(one.specifier).removeprefix("==") for one in LOCKED}
    extras = [text for texts in PROJECT["optional-dependencies"].values() for text in texts]
    for one in map(Requirement, [*PROJECT["dependencies"], *extras]):
        assert one.specifier.contains(locked[canonical(one.name)])
        assert {part.operator for part in one.specifier} == {">="}
    assert PROJECT["requires-python"] == ">={}.{}".format(*make.OLDEST)


@pytest.mark.parametrize("version", ["3.11.0", "3.12.1", "3.13.0", "3.14.0"])
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_what_the_installed_packages_need_is_locked(version, system):
    place = {"python_version": version.rpartition(".")[0], "python_full_version": version, "sys_platform": system}
    place |= {"platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[system]}
    place |= {"os_name": "nt" if system == "win32" else "posix", "implementation_name": "cpython", "extra": ""}
    names = {one.name for one in LOCKED if one.marker is None or one.marker.evaluate(place)}
    for name in names:
        try:
            needs = map(Requirement, requires(name) or [])
        except PackageNotFoundError:  # of another system
            continue
        for need in needs:
            if need.marker is None or need.marker.evaluate(place):
                assert canonical(need.name) in names, f"{name} needs {need}"
