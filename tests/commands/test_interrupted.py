"""A run that is killed, by SIGKILL or Ctrl-C, leaves no half-built site, and the next one repairs what it left.

At a random one of the file operations of a run, by make.py or by what it started, the whole process group gets the
signal: a file that was to be written is then empty, a folder half removed. Chapters and Sphinx take no time here; a
further run, with a kernel, is killed while a cell runs.
"""

import json
import os
import random
import shutil
import signal
import time
from pathlib import Path

import psutil
import pytest
import small_repository
from small_repository import CHAPTER, files, start

pytestmark = pytest.mark.skipif(os.name == "nt", reason="process groups and SIGKILL are of POSIX")
signals = pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["SIGKILL", "Ctrl-C"])

EXECUTE = """

def execute(notebook, *_):
    for count, cell in enumerate(code_cells(notebook), 1):
        cell.execution_count = count
    return notebook
"""
SPHINX = """
import pathlib, sys
def main():
    out, stage = map(pathlib.Path, sys.argv[-2:])
    for page in sorted(path for path in (stage / "book").iterdir() if path.is_file()):
        html = out / "_build/html" / page.name
        html.parent.mkdir(parents=True, exist_ok=True)
        html.write_bytes(page.read_bytes())
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


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """The small repository with the hook, and without what takes time."""
    root = small_repository.write(tmp_path_factory.mktemp("interrupted") / "tiny")
    shutil.rmtree(root / "book/assets")
    with (root / "book/_ext/companion/chapters.py").open("a") as chapters:
        chapters.write(EXECUTE)
    texts = {"jupyter_book/__init__.py": "", "jupyter_book/cli/__init__.py": "", "jupyter_book/cli/main.py": SPHINX}
    texts |= {"book/_ext/companion/downloads.py": "def write(*_): pass\n", "sitecustomize.py": HOOK}
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def run(root, command, at=0, number=signal.SIGKILL):
    """(exit code, what was said) with the signal at the given file operation."""
    counter = root.parent / "operations"
    counter.unlink(missing_ok=True)
    environment = {"INTERRUPT": f"{counter}|{root}|{at}|{int(number)}", "PYTHONPATH": str(root)}
    process = start(root, command, PYTHONDONTWRITEBYTECODE="1", **environment)
    output, errors = process.communicate(timeout=120)
    return process.returncode, output + errors


def again(root):
    """Remove what was built."""
    shutil.rmtree(root / "_build", ignore_errors=True)
    for path in (root / "book").glob("*.ipynb"):
        path.unlink()


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


@pytest.mark.parametrize("command, points", [("book", 5), ("refresh", 2)])
@signals
def test_the_next_run_repairs_what_a_killed_one_left(tiny, command, points, number):
    again(tiny)
    code, said = run(tiny, command)
    assert code == 0, said
    total = (tiny.parent / "operations").stat().st_size
    reference, stored = files(tiny / "_build/html"), notebooks(tiny)
    for at in random.Random(f"{command} {number}").sample(range(1, total + 1), points):
        again(tiny)
        code, said = run(tiny, command, at, number)
        assert code == -signal.SIGKILL if number == signal.SIGKILL else code != 0 or at > total - 2, (at, said)
        assert number == signal.SIGKILL or "Traceback" not in said, (at, said)
        assert files(tiny / "_build/html") in (None, reference), (at, said)
        assert notebooks(tiny).items() <= stored.items(), (at, said)
        assert not strays(tiny), at
        code, said = run(tiny, command)
        assert code == 0, (at, said)
        assert (files(tiny / "_build/html"), notebooks(tiny)) == (reference, stored), (at, said)


@signals
def test_a_killed_run_takes_its_kernels_along_and_says_so(small, number):
    mark = small / "running"
    wait = f"import time\nopen({str(mark)!r}, 'w')\ntime.sleep(600)\n"
    (small / "book/01-a.md").write_text(CHAPTER.replace("print(", f"{wait}print("))
    process = start(small, "book")
    while process.poll() is None and not mark.exists():
        time.sleep(0.05)
    assert strays(small)
    os.killpg(process.pid, number)
    _, errors = process.communicate()
    if number == signal.SIGINT:
        assert (process.returncode, errors) == (1, "book: stopped: interrupted; nothing half built was kept\n")
    while strays(small):  # a kernel looks for its parent once a second
        time.sleep(0.1)
    assert not (small / "_build/html").exists()
