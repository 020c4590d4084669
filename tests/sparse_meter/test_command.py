"""The command for those who have arrays: the report of ``examine`` in three forms, and one line for what is broken."""

import json
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from sparse_core import __version__
from sparse_meter import command, examine, measure

ROOT = Path(__file__).parents[2]
NET = {"u": np.array([1.0, -1.0]), "W": np.array([[1.0, 1.0, 1.0], [-1.0, 0.0, 0.0]]), "b": np.array([0.0, 0.5])}
COMMAND = [sys.executable, "-c", "import sys; from sparse_meter.command import main; sys.exit(main())"]


@pytest.fixture
def stored(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("net.npz", **NET)
    np.save("X.npy", [[0.5, 1.0, -1.0], [2.0, 0.0, 0.0]])
    return tmp_path


def run(capsys, *arguments):
    """(exit code, output, errors) of the command."""
    return command.main(["examine", *arguments]), *capsys.readouterr()


def test_the_wheel_installs_the_command():
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    module, _, name = scripts["sparse-meter"].partition(":")
    assert getattr(import_module(module), name) is command.main


def test_the_text_is_that_of_the_report(stored, capsys):
    assert run(capsys, "net.npz") == (0, f"{examine(tuple(NET.values())).text()}\n", "")
    expected = examine(tuple(NET.values()), np.load("X.npy"))
    assert run(capsys, "net.npz", "--x", "X.npy") == (0, f"{expected.text()}\n", "")
    assert command.main(["measure", "net.npz", "--x", "X.npy"]) == 0
    assert capsys.readouterr().out == f"{measure(tuple(NET.values()), np.load('X.npy')).text()}\n"
    assert command.main(["measure", "X.npy", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["layers"]["0"]["max_active"] == 2


def test_json_is_standard_json_with_the_rows_of_the_report(stored, capsys):
    def refuse(name):
        raise AssertionError(name)

    found = json.loads(run(capsys, "net.npz", "--format", "json")[1], parse_constant=refuse)
    assert [row["id"] for row in found["rows"]] == [row.id for row in examine(tuple(NET.values()))]
    assert found["summary"][-3].endswith("statements apply.")


def test_the_version(capsys):
    with pytest.raises(SystemExit) as end:
        command.main(["--version"])
    assert end.value.code == 0 and capsys.readouterr().out == f"sparse-meter {__version__}\n"


@pytest.mark.parametrize("command_line", [["examine"], ["measure", "--x", "X.npy"]], ids=["examine", "measure"])
@pytest.mark.parametrize("character, shown", [("\x1b[31m", "\\x1b[31m"), ("\u202e", "\\u202e"), ("\n", "\\n")])
def test_the_name_of_a_file_sends_nothing_to_the_terminal_in_a_page_either(
    stored, capsys, command_line, character, shown
):
    (stored / "net.npz").rename(stored / f"evil{character}.npz")
    name, *rest = [f"evil{character}.npz", *command_line[1:]]
    assert command.main([command_line[0], name, *rest, "--format", "html"]) == 0
    page = capsys.readouterr().out
    assert f"<h1>evil{shown}.npz</h1>" in page and character not in page.partition("<h1>")[2].partition("</h1>")[0]


def test_html_is_a_page_of_its_own(stored, capsys):
    Path("net.npz").rename("a & b.npz")
    page = run(capsys, "a & b.npz", "--format", "html")[1]
    assert page.startswith("<!doctype html>") and "<h1>a &amp; b.npz</h1>" in page and page.isascii()
    assert page.count("<table") == page.count("</table>") > 3 and "http" not in page


def test_a_square_array_may_be_the_wrong_way_round(stored, capsys):
    np.savez("square.npz", u=[1, 1], W=[[1.0, 2.0], [0.0, 1.0]], b=[0, 0])
    code, output, error = run(capsys, "square.npz")
    assert (code, error) == (0, "") and "W is square: if its columns are the neurons" in output


SPOILED = {
    "missing.npz": (None, "No such file"),
    "text.npz": (b"u, W, b", "text.npz must be a file of NumPy; it does not begin like a .npz"),
    "empty.npz": (b"", "empty.npz must be a file of NumPy"),
    "half.npz": ("half", "half.npz cannot be read: File is not a zip file"),
    "objects.npz": ({**NET, "u": np.array([{}, None])}, "Object arrays cannot be loaded"),
    "net.pt": (b"", "must name a file .npy, .npz, .csv, not net.pt"),
    "X.npy": (None, "Argument 'network' must be arrays"),
    "less.npz": ({"u": NET["u"], "weights": NET["W"]}, "less.npz must have the arrays u, W and b; it lacks W, b"),
    "columns.npz": ({**NET, "W": NET["W"].T}, "Argument 'W' must have one neuron in each row.* pass W.T"),
    "nan.npz": ({**NET, "b": [0, np.nan]}, "Argument 'b' must be finite; entry"),
    "words.npz": ({**NET, "b": ["0", "1"]}, "Argument 'b' must be an array of real numbers"),
    "huge.npz": ({**NET, "W": 1e300 * NET["W"]}, r"Argument 'network' must have a scale .*, not inf"),
    "escape\x1b[31m.npz": ({"u": NET["u"], "b": NET["b"]}, r"escape\\x1b\[31m.npz must have the arrays"),
    "encrypted.npz": ((4, b"\1\0"), "encrypted"),
    "method.npz": ((6, b"\x63\0"), "compression method is not supported"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_broken_network_is_refused_in_one_line(name, stored, capsys):
    content, words = SPOILED[name]
    if isinstance(content, tuple):  # two bytes of each entry of the archive's directory
        place, value = content
        parts = Path("net.npz").read_bytes().split(b"PK\1\2")
        changed = [part[:place] + value + part[place + 2 :] for part in parts[1:]]
        Path(name).write_bytes(b"PK\1\2".join([parts[0], *changed]))
    elif isinstance(content, dict):
        np.savez(name, **content)
    elif content is not None:
        Path(name).write_bytes(Path("net.npz").read_bytes()[:400] if content == "half" else content)
    code, output, error = run(capsys, name)
    assert (code, output, error.count("\n")) == (2, "", 1)
    assert re.search(words, error), error


@pytest.mark.parametrize(
    "X, words",
    [("net.npz", "Argument 'X' must"), ("thin.npy", "Argument 'X' must have"), ("head.csv", "it has no rows")],
)
def test_broken_inputs_are_refused_in_one_line(X, words, stored, capsys):
    np.save("thin.npy", np.ones((4, 2)))
    Path("head.csv").write_text("height,width\n")
    code, output, error = run(capsys, "net.npz", "--x", X)
    assert (code, output, error.count("\n")) == (2, "", 1) and words in error


def test_a_reader_may_stop_reading(stored):
    with subprocess.Popen([*COMMAND, "examine", "net.npz"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
