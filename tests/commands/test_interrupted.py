"""A run that is killed, by SIGKILL or Ctrl-C, leaves no half-built site, and the next one repairs what it left.

The small repository has chapters that run and a Sphinx that writes in no time. At a random one of the file operations
of a run, by make.py or by what it started, the whole process group gets the signal: a file that was to be written is
then empty, a folder half removed. Two further runs, with kernels, are killed while a cell runs.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import psutil
import pytest
from test_make import CHAPTER, files, make_small

pytestmark = pytest.mark.skipif(os.name == "nt", reason="process groups and SIGKILL are of POSIX")

CHAPTERS = """
import copy, json
class ChapterError(Exception): pass
def read(source):
    return {"cells": [{"cell_type": "code", "outputs": [], "source": source.read_text(encoding="utf-8")}] * 2}
def share_out(words, notebooks): return {}
def execute_all(notebooks, values, **_):
    for name, notebook in notebooks.items():
        done = copy.deepcopy(notebook)
        done["cells"] = [Cell(cell, outputs=[len(name)]) for cell in done["cells"]]
        yield name, done, 1.0
class Cell(dict):
    def __setattr__(self, key, value): self[key] = value
    def __getattr__(self, key): return self[key]
def code_cells(notebook): return notebook["cells"]
def text_only(outputs): return outputs
def same_source(one, other): return [c["source"] for c in one["cells"]] == [c["source"] for c in other["cells"]]
def dump(notebook): return json.dumps(notebook)
"""
SPHINX = """
import pathlib, sys
def main():
    out, stage = map(pathlib.Path, sys.argv[-2:])
    for page in sorted(path for path in stage.rglob("*") if path.is_file()):
        html = out / "_build/html" / page.relative_to(stage)
        html.parent.mkdir(parents=True, exist_ok=True)
        html.write_bytes(page.read_bytes())
    (out / "_build/html/index.html").write_text("the end")
"""
TESTS = """
import make, subprocess, sys
def test_the_site_is_whole():
    stamp = make.STAMP.is_file() and make.STAMP.read_text() == make.source_fingerprint()
    if not stamp:
        subprocess.run([sys.executable, "make.py", "book"], check=True)
    assert (make.BUILD / "html/index.html").read_text() == "the end"
"""
# Counts the file operations below the root in the size of a file, and sends the signal at one of them.
HOOK = """
import os, sys
counter, root, at, number = os.environ["INTERRUPT"].split("|")
busy = False
def hook(event, args):
    global busy
    if busy or event not in ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir"):
        return
    path = args[0] if isinstance(args[0], str) else ""
    writes = event == "open" and path.startswith(root) and args[2] & (os.O_WRONLY | os.O_RDWR)
    if event == "open" and not writes:
        return
    busy = True
    file = os.open(counter, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, b".")
    now = os.fstat(file).st_size
    os.close(file)
    if now == int(at):
        if writes and args[2] & os.O_TRUNC:
            os.close(os.open(path, args[2] & ~os.O_EXCL))
        os.killpg(0, int(number))
    busy = False
sys.addaudithook(hook)
"""
POINTS = {"book": 10, "refresh": 4, "test": 2}  # of each signal


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """The small repository, and beside it the hook."""
    root = make_small(tmp_path_factory.mktemp("interrupted") / "tiny")
    shutil.rmtree(root / "book/assets")
    pages = dict.fromkeys(
        ("book/_ext/companion/ledger_page.py", "book/_ext/companion/downloads.py"), "def write(*_, **__): pass\n"
    )
    quick = {"book/_ext/companion/chapters.py": CHAPTERS, "jupyter_book/cli/main.py": SPHINX, "test_tiny.py": TESTS}
    quick |= dict.fromkeys(("jupyter_book/__init__.py", "jupyter_book/cli/__init__.py"), "")
    for name, text in {**pages, **quick, "../hook/sitecustomize.py": HOOK}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def start(root, command, at=0, number=signal.SIGKILL):
    """make.py in a process group of its own, with the signal at the given file operation."""
    environment = {**os.environ, "COMPANION_NO_VENV": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    counter = root.parent / "operations"
    counter.unlink(missing_ok=True)
    environment["INTERRUPT"] = f"{counter}|{root}|{at}|{int(number)}"
    environment |= {"PYTHONPATH": str(root.parent / "hook"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    more = ["-q", "-p", "no:cacheprovider", "test_tiny.py"] if command == "test" else []
    return subprocess.Popen(
        [sys.executable, "make.py", command, *more],
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )


def run(*arguments):
    process = start(*arguments)
    output, errors = process.communicate(timeout=60)
    return process.returncode, output + errors


def site(root):
    """The files of the site with their contents; None where there is no site."""
    html = root / "_build/html"
    return {name: (html / name).read_bytes() for name in files(html)} if html.exists() else None


def notebooks(root):
    return {path.name: json.loads(path.read_text()) for path in (root / "book").glob("*.ipynb")}


def strays(root):
    """The processes that work in the folder or were told of it."""
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(root) or any(str(root) in word for word in process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def gone(root):
    """Whether nothing of a killed run is left; a kernel looks for its parent once a second."""
    for _ in range(300):
        if not strays(root):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("command", POINTS)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["SIGKILL", "Ctrl-C"])
def test_the_next_run_repairs_what_a_killed_one_left(tiny, command, number):
    rng = random.Random(f"{command} {number}")
    code, said = run(tiny, command)
    assert code == 0, said
    reference, stored = site(tiny), notebooks(tiny)
    if command == "test":
        shutil.rmtree(tiny / "_build")
    elif command == "refresh":
        for path in (tiny / "book").glob("*.ipynb"):
            path.unlink()
    code, said = run(tiny, command)
    total = (tiny.parent / "operations").stat().st_size
    assert code == 0 and total > 3, said
    points = rng.sample(range(1, total + 1), min(POINTS[command], total))

    for at in points:
        if command != "book":
            for made in [*(tiny / "book").glob("*.ipynb"), *(tiny / "_build").glob("site.sha")]:
                made.unlink()
        code, said = run(tiny, command, at, number)
        assert code == -signal.SIGKILL if number == signal.SIGKILL else code != 0 or at > total - 2, (at, said)
        assert number == signal.SIGKILL or "Traceback" not in said, (at, said)
        found = site(tiny)
        assert found in (None, reference), (at, said)
        assert not strays(tiny), at
        for name, notebook in notebooks(tiny).items():
            assert notebook == stored.get(name, notebook), (at, name)
        if command != "refresh" or at == points[-1]:
            code, said = run(tiny, command)
            assert code == 0, (at, said)
            assert site(tiny) == reference, at


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["SIGKILL", "Ctrl-C"])
def test_kernels_end_with_the_run_that_started_them(tmp_path, number):
    root, mark = make_small(tmp_path / "small"), tmp_path / "small" / "running"
    (tmp_path / "hook").mkdir()
    wait = f"import time\nopen({str(mark)!r}, 'w')\ntime.sleep(600)\n"
    (root / "book/01-a.md").write_text(CHAPTER.replace("print(", f"{wait}print("))
    process = start(root, "book")
    while process.poll() is None and not mark.exists():
        time.sleep(0.05)
    assert strays(root)
    os.killpg(process.pid, number)
    process.communicate()
    assert process.returncode == (1 if number == signal.SIGINT else -signal.SIGKILL)
    assert gone(root)
    assert not (root / "_build/html").exists()
