"""The requirements: every file that pip may install has a known hash, and nothing that is needed is missing."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires

import pytest
from packaging.requirements import Requirement

import make


def requirements(name):
    """The requirements that a file pins, each line without its hashes."""
    lines = (make.ROOT / name).read_text(encoding="utf-8").replace("\\\n", "").splitlines()
    return [Requirement(line.split(" --hash=")[0]) for line in lines if line and not line.startswith("#")]


def canonical(name):
    return re.sub("[-_.]+", "-", name).lower()


PINNED = requirements("requirements.txt")
DIRECT = tomllib.loads((make.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]["book"]


@pytest.mark.parametrize("some", [list(map(Requirement, DIRECT)), requirements("tests/benchmarks/requirements.txt")])
def test_the_pins_are_those_of_the_direct_requirements_and_of_the_benchmarks(some):
    pins = {(canonical(pin.name), str(pin.specifier)) for pin in PINNED}
    assert some and {(canonical(one.name), str(one.specifier)) for one in some} <= pins


@pytest.mark.parametrize("version", ["3.11.9", "3.12.1", "3.13.0"])
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_what_the_installed_packages_need_is_pinned(version, system):
    """On each Python and each system the pins name all that the direct requirements need."""
    place = {"python_version": version.rpartition(".")[0], "python_full_version": version, "sys_platform": system}
    place |= {"platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[system]}
    place |= {"os_name": "nt" if system == "win32" else "posix", "implementation_name": "cpython", "extra": ""}
    names = {pin.name for pin in PINNED if pin.marker is None or pin.marker.evaluate(place)}
    for name in names:
        try:
            needs = map(Requirement, requires(name) or [])
        except PackageNotFoundError:  # of another system
            continue
        for need in needs:
            if need.marker is None or need.marker.evaluate(place):
                assert canonical(need.name) in names, f"{name} needs {need}"
