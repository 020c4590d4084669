"""A run that is killed, by SIGKILL or Ctrl-C, leaves no half-built site, no kernel and no Sphinx behind."""

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from tests.commands.small_repository import CHAPTER, start

pytestmark = pytest.mark.skipif(os.name == "nt", reason="process groups and SIGKILL are of POSIX")
signals = pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["SIGKILL", "Ctrl-C"])


def strays(root):
    """The processes that work in the folder or have it among their arguments."""
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(root) or any(str(root) in word for word in process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


# Far longer than each step takes on a busy machine: what waits longer than this waits for ever
PATIENCE = 120


def until(happened, what):
    """Wait until something has happened."""
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, f"{what}: not within {PATIENCE} s"
        time.sleep(0.05)


@signals
def test_a_killed_run_takes_its_kernels_along_and_says_so(small, number):
    mark = small / "running"
    wait = f"import time\nopen({str(mark)!r}, 'w')\ntime.sleep(600)\n"
    (small / "book/01-a.md").write_text(CHAPTER.replace("print(", f"{wait}print("))
    process = start(small, "book")
    until(lambda: process.poll() is not None or mark.exists(), "the chapter runs")
    assert strays(small)
    os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=PATIENCE)
    if number == signal.SIGINT:
        assert (process.returncode, errors) == (1, "book: stopped: interrupted; nothing half built was kept\n")
    until(lambda: not strays(small), "the kernels end")  # a kernel looks for its parent once a second
    assert not (small / "_build/html").exists()


@pytest.mark.usefixtures("executed")
def test_sphinx_ends_with_the_command_that_started_it(small):
    mark = small / "running"
    wait = f"\nimport time\nopen({str(mark)!r}, 'w')\ntime.sleep(600)\n"
    theme = small / "book/_ext/companion/site/theme.py"
    theme.write_text(theme.read_text() + wait)
    process = start(small, "book")
    until(lambda: process.poll() is not None or mark.exists(), "Sphinx runs")
    assert len(strays(small)) == 2
    process.kill()  # it alone, not its group
    process.communicate()
    until(lambda: not strays(small), "Sphinx ends")
    assert not (small / "_build/html").exists()
