"""Python for the browser: what is fetched is what was tried, and no build needs it."""

import hashlib
import json

import pytest
from companion.building import live
from companion.places import Stop

PACKAGES = {"a": ["B"], "b": [], "c": []}


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def host(tmp_path, monkeypatch):
    """A host with a runtime of one file, and of three packages one that is asked for and one that it needs."""
    folder = tmp_path / "host"
    folder.mkdir()
    packages = {
        name: {"file_name": f"{name}.whl", "sha256": sha(name), "depends": depends}
        for name, depends in PACKAGES.items()
    }
    files = {"pyodide.js": "code", "pyodide-lock.json": json.dumps({"packages": packages})}
    for name, text in {**files, **{f"{name}.whl": name for name in PACKAGES}}.items():
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(live, "RUNTIME", {name: sha(text) for name, text in files.items()})
    monkeypatch.setattr(live, "OPTIONS", {"packages": ["a"], "env": {}})
    monkeypatch.setattr(live, "CACHE", tmp_path / "cache")
    return folder


def test_what_is_needed_is_fetched_once(host):
    assert live.fetch(host.as_uri()) == ["a.whl", "b.whl"]
    kept = {path.name: path.read_bytes() for path in live.CACHE.iterdir()}
    assert kept == {path.name: path.read_bytes() for path in host.iterdir() if path.name != "c.whl"}
    for path in host.iterdir():
        path.unlink()
    assert live.fetch(host.as_uri()) == ["a.whl", "b.whl"]


@pytest.mark.parametrize("name", ["pyodide.js", "pyodide-lock.json", "b.whl"])
def test_another_file_is_refused_and_not_kept(name, host):
    (host / name).write_text("other")
    with pytest.raises(Stop, match=f"{name} from file:.* is another file: its SHA-256 is {sha('other')}, not "):
        live.fetch(host.as_uri())
    assert not (live.CACHE / name).exists()


def test_a_file_that_was_damaged_is_fetched_again(host):
    live.fetch(host.as_uri())
    (live.CACHE / "b.whl").write_text("half")
    live.fetch(host.as_uri())
    assert (live.CACHE / "b.whl").read_text() == "b"


def test_a_host_that_cannot_be_reached_is_named(host):
    (host / "a.whl").unlink()
    with pytest.raises(Stop, match="a.whl cannot be fetched from file:.*--from names another place with it"):
        live.fetch(host.as_uri())


def test_what_the_cells_import_is_compiled_too():
    cell = {"cell_type": "code", "source": "import numpy as np\nif np:\n    from math import comb, sqrt"}
    assert live.imports([{"cells": [cell]}]) == {"import numpy as np", "from math import comb, sqrt"}


def test_without_node_nothing_is_begun(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Stop, match="Node is missing"):
        live.live()
