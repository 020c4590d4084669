"""The requirements: every file that pip may install has a known hash, and the newest versions can be tried."""

import hashlib
import re
import subprocess
import sys
import zipfile
from importlib.metadata import PackageNotFoundError, requires, version

import pytest
from packaging.requirements import Requirement

import make

LINES = make.PINS.read_text(encoding="utf-8").replace("\\\n", "").splitlines()
PINNED = [line for line in LINES if not line.lstrip().startswith("#")]
CANONICAL = {name: re.sub("[-_.]+", "-", name).lower() for name in make.pinned(make.DIRECT)}
LISTED = '[{"name": "NumPy", "version": "9.0"}, {"name": "scipy", "version": "1.0"}, {"name": "other", "version": "3"}]'


def test_each_requirement_is_pinned_with_hashes():
    assert len(PINNED) == len(make.pinned(make.PINS)) > 100
    for line in PINNED:
        words, *hashes = line.split(" --hash=")
        assert [pin.operator for pin in Requirement(words).specifier] == ["=="]
        assert hashes
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", word.strip()) for word in hashes)


def test_the_pins_are_those_of_the_direct_requirements():
    pins = make.pinned(make.PINS)
    assert {name: pins[CANONICAL[name]] for name in CANONICAL} == make.pinned(make.DIRECT)
    assert "python3 make.py lock" in " ".join(LINES[:2])


@pytest.mark.parametrize("version", ["3.11.9", "3.12.1", "3.13.0"])
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_what_the_installed_packages_need_is_pinned(version, system):
    """On each Python and each system the pins name all that the direct requirements need."""
    place = {"python_version": version.rpartition(".")[0], "python_full_version": version, "sys_platform": system}
    place |= {"platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[system]}
    place |= {"os_name": "nt" if system == "win32" else "posix", "implementation_name": "cpython", "extra": ""}
    given = {Requirement(line.split(" --hash=")[0]) for line in PINNED}
    names = {pin.name for pin in given if pin.marker is None or pin.marker.evaluate(place)}
    for name in names:
        try:
            needs = map(Requirement, requires(name) or [])
        except PackageNotFoundError:  # of another system
            continue
        for need in needs:
            if need.marker is None or need.marker.evaluate(place):
                assert re.sub("[-_.]+", "-", need.name).lower() in names, f"{name} needs {need}"


@pytest.mark.parametrize("peer", ["boofun", "galois", "scikit-learn", "scipy", "sympy"])
def test_the_peers_of_the_tests_are_the_pinned_ones(peer):
    assert version(peer) == make.pinned(make.PINS)[peer]


@pytest.fixture
def wheel(tmp_path):
    """A package with one empty module, as a file."""
    path = tmp_path / "nothing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("nothing.py", "")
        info = "nothing-1.0.dist-info"
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: nothing\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.mark.parametrize("altered", [False, True])
def test_pip_refuses_a_file_with_another_hash(wheel, tmp_path, altered):
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    digest = digest[:-1] + "01"[digest[-1] == "0"] if altered else digest
    (tmp_path / "pins.txt").write_text(f"nothing==1.0 \\\n    --hash=sha256:{digest}\n")
    command = [sys.executable, "-m", "pip", "--isolated", "install", "--no-index", "--find-links", str(tmp_path)]
    command += ["--target", str(tmp_path / "installed"), "-r", str(tmp_path / "pins.txt")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode != 0) == altered
    assert ("DO NOT MATCH THE HASHES" in done.stderr) == altered
    assert (tmp_path / "installed/nothing.py").exists() != altered


def test_the_bar_counts_pins_and_not_the_versions_in_markers(tmp_path):
    pins = "# a==1\nnumpy==2.4.6 \\\n    --hash=sha256:00\nyarl==1.25.1 ; python_full_version == '3.12.*' \\\n"
    (tmp_path / "pins.txt").write_text(pins)
    assert make.pinned(tmp_path / "pins.txt") == {"numpy": "2.4.6", "yarl": "1.25.1"}


@pytest.fixture
def newest(tmp_path, monkeypatch):
    """`make.py latest` with a pip that installs nothing and tests that end as they are told to."""
    (tmp_path / "requirements.in").write_text("numpy==1.0\nscipy==1.0\n")
    (tmp_path / "requirements.txt").write_text("numpy==1.0 \\\n    --hash=sha256:00\nscipy==1.0\n")
    calls = []
    monkeypatch.setattr(make, "BUILD", tmp_path / "_build")
    monkeypatch.setattr(make, "DIRECT", tmp_path / "requirements.in")
    monkeypatch.setattr(make, "PINS", tmp_path / "requirements.txt")
    monkeypatch.setattr(make, "install", lambda command, total=0: calls.append(command))
    monkeypatch.setattr(subprocess, "check_output", lambda *_, **__: LISTED)

    def ends(code):
        monkeypatch.setattr(subprocess, "call", lambda command, **_: calls.append(command) or code)
        return calls

    return ends


def test_latest_says_what_changed_and_passes(newest, capsys):
    calls = newest(0)
    assert make.main(["latest"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1:] == ["  numpy: 1.0 became 9.0", "latest: the unit tests pass with these versions"]
    assert calls[-2][-2:] == ["numpy", "scipy"]  # no pins
    assert calls[-1][1:] == ["-m", "pytest", *make.UNIT_TESTS]
    assert not any(str(make.VENV) in word for command in calls for word in command[1:])


def test_latest_fails_with_the_tests(newest, capsys):
    newest(1)
    assert make.main(["latest"]) == 1
    assert capsys.readouterr().err.startswith("latest: stopped: with these versions pytest ends with exit code 1")


def test_requirements_that_do_not_fit_together_cannot_be_locked(newest, capsys):
    calls = newest(1)
    assert make.main(["lock"]) == 1
    assert capsys.readouterr().err.startswith("lock: stopped: the requirements do not fit together")
    assert "--generate-hashes" in calls[-1]
    newest(0)
    assert make.main(["lock"]) == 0
    assert "pins 2 packages" in capsys.readouterr().out


def test_the_unit_tests_exist():
    assert all((make.ROOT / path).is_dir() for path in make.UNIT_TESTS)
