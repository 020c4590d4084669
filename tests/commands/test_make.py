"""make.py: what it builds twice is the same, what it cannot build it says in one line, and leaves nothing behind."""

import errno
import filecmp
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import pytest
from companion import chapters

import make

CHAPTER = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
---

# A chapter

## Its section

```{code-cell} ipython3
:tags: [parameters]

n = 3
```

```{code-cell} ipython3
from IPython.display import HTML

print(f"n is {n!r}")
HTML('<p>Here <span class="claim" data-claim="lemma-9">Lemma 9</span> was checked.</p>')
```
"""
LEDGER = """
def write(*, stage, executed, only):
    text = [o.get("text") for nb in executed.values() for c in nb["cells"] for o in c.get("outputs", ())]
    (stage / "book" / "ledger.md").write_text(f'# Ledger\\n\\n## Claims\\n\\n<p id="lemma-9">{text} {only}</p>\\n')
"""
TOC = "{format: jb-book, root: book/index, chapters: [{file: book/01-a}, {file: book/02-b}, {file: book/ledger}]}"
BREAK = 'raise ValueError("two lines,\\nof which the last one counts")'


@pytest.fixture
def small(tmp_path):
    """A repository with two small chapters and a ledger that records what it was given."""
    return make_small(tmp_path / "small")


def make_small(root):
    for folder in ("sparse_core", "book/_ext", "book/assets"):
        shutil.copytree(make.ROOT / folder, root / folder, ignore=shutil.ignore_patterns(*make.CACHES))
    for name in ("make.py", "_config.yml"):
        shutil.copy(make.ROOT / name, root / name)
    files = {
        "_toc.yml": TOC,
        "requirements.txt": "# nothing\n",
        "book/_ext/companion/ledger_page.py": LEDGER,
        "book/index.md": "# A small book\n",
        "book/01-a.md": CHAPTER,
        "book/02-b.md": CHAPTER.replace("n = 3", 'word = "b"').replace("{n!r}", "{word!r}"),
        "book/references.bib": "",
        "book/claims.yml": "[{id: lemma-9, label: Lemma 9}]",
    }
    for name, text in files.items():
        (root / name).write_text(text)
    return root


def start(root, *arguments):
    """make.py as a process, in the present environment; it heeds Ctrl-C even if the tests were started to ignore it."""
    environment = {**os.environ, "COMPANION_NO_VENV": "1"}
    heed = None if os.name == "nt" else lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(
        [sys.executable, "make.py", *arguments],
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed,
    )


def run(root, *arguments):
    """(exit code, standard output, standard error) of make.py."""
    process = start(root, *arguments)
    output, errors = process.communicate()
    return process.returncode, output, errors


def stopped(root, *arguments):
    """The one line with which make.py gives up."""
    code, _, errors = run(root, *arguments)
    assert code != 0
    assert errors.count("\n") == 1, errors
    assert not (root / "_build" / "html").exists()
    assert not (root / "_build" / "out").exists()
    return errors


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# Wrong arguments


@pytest.mark.parametrize(
    "line",
    [
        "",
        "bake",
        "book --chaptre 01-a",
        "book --jobs 0",
        "book --jobs two",
        "serve --port eighty",
        "clean all",
        "check -x",
        "bench --all",
    ],
)
def test_wrong_arguments_show_the_usage_and_one_error(line, capsys):
    with pytest.raises(SystemExit) as exit_:
        make.main(line.split())
    errors = capsys.readouterr().err
    assert exit_.value.code != 0
    assert errors.startswith("usage: make.py")
    assert "error: " in errors.splitlines()[-1]


def test_an_unknown_chapter_lists_the_chapters(small):
    assert "'03-c'; the chapters are 01-a, 02-b" in stopped(small, "book", "--chapter", "03-c")


def test_an_unknown_page_to_refresh_lists_the_chapters(small):
    assert "'03-c'; the chapters are 01-a, 02-b" in stopped(small, "refresh", "03-c")


def notebook(tmp_path, *assignments):
    """A chapter whose parameters these lines set."""
    (tmp_path / "chapter.md").write_text(CHAPTER.replace("n = 3", "\n".join(assignments)))
    return chapters.read(tmp_path / "chapter.md")


def test_parameters_go_to_the_chapters_that_have_them(tmp_path):
    notebooks = {"01-a": notebook(tmp_path, "n = 3", "seed = 0"), "02-b": notebook(tmp_path, "n = 4")}
    shares = chapters.share_out(["n=7", "seed=fixed"], notebooks)
    assert shares == {"01-a": {"n": 7, "seed": "fixed"}, "02-b": {"n": 7}}


@pytest.mark.parametrize("word", ["m=1", "n", "=1"])
def test_an_unknown_parameter_lists_the_known_ones(word, tmp_path):
    with pytest.raises(ValueError, match="with name: n, seed"):
        chapters.share_out([word], {"01-a": notebook(tmp_path, "seed = 0", "n = 3")})


# The book


def test_two_builds_are_identical_and_a_warning_leaves_no_site(tmp_path):
    roots = [make_small(tmp_path / name) for name in ("one", "other", "broken")]
    (roots[2] / "book/02-b.md").write_text(CHAPTER.replace("## Its section", "## Its section\n\nSee [](#nowhere)."))
    (one, _), (other, _), (_, broken) = [process.communicate() for process in [start(root, "book") for root in roots]]

    html = [root / "_build" / "html" for root in roots]
    assert one.splitlines()[-1] == f"book: {html[0] / 'index.html'}"
    assert "  01-a: 2 cells, " in one
    assert other.splitlines()[-1] == f"book: {html[1] / 'index.html'}"
    assert "_static/mathjax/tex-chtml.js" in files(html[0])
    assert files(html[0]) == files(html[1])
    assert filecmp.cmpfiles(*html[:2], files(html[0]), shallow=False)[1:] == ([], [])
    assert '<a class="claim" href="ledger.html#lemma-9">Lemma 9</a>' in (html[0] / "book/01-a.html").read_text()

    assert broken.count("\n") == 1
    assert "book/02-b.md, cell 1, line 6" in broken
    assert not html[2].exists()

    code, output, _ = run(roots[0], "book", "--chapter", "01-a", "n=[4]")
    assert (code, output.splitlines()[-1]) == (0, f"book: {roots[0] / '_build/preview/index.html'}")
    assert "n is [4]" in (roots[0] / "_build/preview/book/ledger.html").read_text()
    assert html[0].exists()


@pytest.mark.parametrize("jobs", [1, 3])
def test_as_many_chapters_run_at_a_time_as_there_are_jobs(jobs, monkeypatch, tmp_path):
    together, running, most = threading.Barrier(jobs, timeout=60), [], []

    def execute(notebook, values, bar):
        running.append(notebook)
        together.wait()  # until there are so many
        most.append(len(running))
        together.wait()
        running.remove(notebook)
        return notebook.upper()

    monkeypatch.setattr(chapters, "execute", execute)
    monkeypatch.setattr(logging, "disable", lambda level: None)
    monkeypatch.chdir(tmp_path)
    done = list(chapters.execute_all({name: name for name in "abcdef"}, {}, cwd=tmp_path, jobs=jobs))
    assert sorted((name, outcome) for name, outcome, _ in done) == [(name, name.upper()) for name in "abcdef"]
    assert max(most) == jobs


def test_the_chapter_that_took_longest_comes_first_and_the_times_are_kept(monkeypatch, tmp_path):
    given = []

    def execute_all(notebooks, values, **_):
        given.extend(notebooks)
        return ((name, notebook, 7.0) for name, notebook in notebooks.items())

    monkeypatch.setattr(make, "BUILD", tmp_path)
    monkeypatch.setattr(chapters, "execute_all", execute_all)
    (tmp_path / "seconds.json").write_text('{"01-a": 1.5, "02-b": 20, "gone": 3}')
    notebooks = {name: {"cells": [{"cell_type": "code"}] * 9} for name in ("01-a", "02-b", "03-new")}
    assert list(make.execute(notebooks, {})) == ["01-a", "02-b", "03-new"]
    assert given == ["02-b", "03-new", "01-a"]  # nine cells of a new one count for three seconds
    assert json.loads((tmp_path / "seconds.json").read_text()) == {"01-a": 7, "02-b": 7, "gone": 3, "03-new": 7}


def test_a_failing_cell_is_named_and_leaves_no_site(small):
    (small / "book/02-b.md").write_text(CHAPTER.replace("print(", f"{BREAK}\nprint("))
    (small / "_build/html").mkdir(parents=True)
    line = stopped(small, "book")
    log = small / "_build/02-b.traceback.txt"
    assert line == f"book: stopped: 02-b, cell [2]: ValueError: of which the last one counts (full traceback: {log})\n"
    assert "Traceback" in log.read_text()
    assert "\x1b" not in log.read_text()


def test_a_broken_header_is_named(small):
    (small / "book/02-b.md").write_text(CHAPTER.replace("jupytext:", "jupytext: ["))
    assert stopped(small, "book").startswith("book: stopped: 02-b.md cannot be read: while parsing")


def test_a_ledger_that_does_not_balance_leaves_no_site(small):
    refusal = (
        'def write(**_):\n    import sparse_core.notebook.ledger as l\n    raise l.LedgerError("lemma-9 is owed")\n'
    )
    (small / "book/_ext/companion/ledger_page.py").write_text(refusal)
    assert "lemma-9 is owed" in stopped(small, "book")


CHECK = 'ledger.check("lemma-9", [1.0, 2.0], {bound}, evidence="exhaustive", over="networks", {control})'
CONTROL = 'control={"4 becomes 1": 1.0}'
CLAIM = """
- {id: lemma-9, label: Lemma 9, section: "3", kind: lemma, source: paper, statement: AS is small, verdict: "true",
   chapter: 01-a, owed: exhaustive}
"""


@pytest.fixture
def true_small(small):
    """The small repository with the package, the claims and the ledger that the book has."""
    for folder in ("sparse_core", "book/_ext"):
        shutil.rmtree(small / folder)
        shutil.copytree(make.ROOT / folder, small / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(make.BOOK / "notation.md", small / "book")
    (small / "book/claims.yml").write_text(CLAIM)
    (small / "book/published.yml").write_text("lemma-9: Lemma 9\n")
    return small


@pytest.mark.parametrize(
    "cell, reason",
    [
        (CHECK.format(bound="1.5", control=CONTROL), "lemma-9 fails on 1 of 2 networks: 2 <= 1.5 is false"),
        (CHECK.format(bound="4.0", control=CONTROL).replace("lemma-9", "lemma-99"), "unknown claim id 'lemma-99'"),
        (CHECK.format(bound="4.0", control=CONTROL).replace("[1.0, 2.0]", "[]"), "a check over zero instances"),
        (CHECK.format(bound="4.0", control=""), "lemma-9: no negative control"),
        (CHECK.format(bound="4.0", control='control={"4 becomes 3": 3.0}'), "'4 becomes 3' was not caught"),
        ("None", "lemma-9: owes exhaustive evidence in 01-a, and none was found"),
    ],
    ids=["a wrong bound", "an unknown claim", "an empty check", "no control", "a control that holds", "nothing run"],
)
def test_what_the_ledger_refuses_leaves_no_site(true_small, cell, reason):
    text = CHAPTER.replace("print(", "from sparse_core.notebook import ledger\nprint(").split("HTML('")[0]
    (true_small / "book/01-a.md").write_text(f"{text}{cell}\n```\n")
    (true_small / "_build/html").mkdir(parents=True)
    code, _, errors = run(true_small, "book")
    assert code != 0 and errors.startswith("book: stopped: ") and reason in errors
    assert not (true_small / "_build/html").exists()


def test_a_ledger_that_balances_is_built(true_small):
    text = CHAPTER.replace("print(", "from sparse_core.notebook import ledger\nprint(").split("HTML('")[0]
    (true_small / "book/01-a.md").write_text(f"{text}{CHECK.format(bound='4.0', control=CONTROL)}\n```\n")
    code, _, errors = run(true_small, "book", "--chapter", "01-a")
    assert code == 0, errors
    assert "Lemma 9" in (true_small / "_build/preview/book/ledger.html").read_text()


def test_an_interrupted_book_says_so_and_leaves_no_site(small):
    mark = small / "running"
    wait = f"import time\nopen({str(mark)!r}, 'w')\ntime.sleep(600)\n"
    (small / "book/01-a.md").write_text(CHAPTER.replace("print(", f"{wait}print("))
    process = start(small, "book")
    while process.poll() is None and not mark.exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (1, "book: stopped: interrupted; nothing half built was kept\n")
    assert not (small / "_build/html").exists()


def test_refresh_stores_text_and_only_what_changed(small):
    assert run(small, "refresh")[0] == 0
    stored = small / "book/01-a.ipynb"
    outputs = json.loads(stored.read_text())["cells"][-1]["outputs"]
    assert [output.get("text", output.get("data")) for output in outputs] == [
        "n is 3\n",
        {"text/plain": "<IPython.core.display.HTML object>"},
    ]
    before = stored.stat().st_mtime_ns
    (small / "book/02-b.md").write_text(CHAPTER.replace("n = 3", "n = 5"))
    _, output, _ = run(small, "refresh")
    assert "01-a: unchanged" in output
    assert "02-b: 2 cells" in output
    assert "02-b: unchanged" in run(small, "refresh", "01-a")[1]
    assert stored.stat().st_mtime_ns == before
    assert "n is 5" in (small / "book/02-b.ipynb").read_text()


def test_the_fingerprint_follows_the_sources_and_not_the_stored_notebooks(small, monkeypatch):
    monkeypatch.setattr(make, "ROOT", small)
    before = make.source_fingerprint()
    (small / "book/01-a.ipynb").write_text("{}")
    assert make.source_fingerprint() == before
    (small / "sparse_core/more.py").write_text("")
    assert make.source_fingerprint() != before


# The environment


@pytest.fixture
def interpreter(tmp_path, monkeypatch):
    """A Python whose environments say and do what they are told to, at each step of an installation."""
    monkeypatch.setattr(make, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))

    def behaves(output, code):
        (tmp_path / "made").write_text(f'#!/bin/sh\necho "{output}"\nexit {code}\n')
        (tmp_path / "python").write_text(f'#!/bin/sh\nmkdir -p "$5/bin" && cp "{tmp_path}/made" "$5/bin/python"\n')
        for script in ("made", "python"):
            (tmp_path / script).chmod(0o755)

    return behaves


def test_an_interrupted_installation_is_repaired_and_a_finished_one_is_kept(small):
    left = small / ".venv/left-by-an-interrupted-run"
    left.parent.mkdir()
    left.write_text("")
    environment = {key: value for key, value in os.environ.items() if key != "COMPANION_NO_VENV"}
    (small / "book/01-a.md").unlink()
    (small / "book/02-b.md").unlink()
    command = [sys.executable, "make.py", "refresh"]
    said = [subprocess.check_output(command, cwd=small, env=environment, text=True) for _ in range(2)]
    assert not left.exists()
    assert ["first run" in words for words in said] == [True, False]


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("WARNING: Retrying after connection broken by 'NewConnectionError'", "no network"),
        (f"ERROR: Could not install packages: {os.strerror(errno.ENOSPC)}", "the disk is full: free some space"),
        ("ERROR: No matching distribution found for numpy==0", "(No matching distribution found for numpy==0); tried"),
        ("/usr/bin/python3: No module named ensurepip", "apt install python3-venv"),
    ],
)
def test_a_failed_installation_says_why_and_is_tried_again(interpreter, capsys, monkeypatch, output, said):
    monkeypatch.delenv("COMPANION_NO_VENV", raising=False)
    interpreter(output, 1)
    assert make.main(["check"]) == 1
    errors = capsys.readouterr().err
    assert said in errors
    assert errors.count("\n") == 1
    interpreter("Collecting numpy", 0)
    assert make.bootstrap() == str(make.VENV / "bin/python")
    interpreter("a third installation would fail", 1)
    assert make.bootstrap() == str(make.VENV / "bin/python")


def test_a_peer_that_does_not_install_is_left_out_with_its_reason(tmp_path, monkeypatch, capsys):
    def install(command, total=0):
        if command[-1] == "other==2":
            raise make.Refused("it needs a compiler", command)
        if command[-1] == "third==3":
            raise make.Stop("no network")

    monkeypatch.setattr(make, "install", install)
    pins = tmp_path / "requirements.txt"
    pins.write_text("numpy==0\n")
    (tmp_path / "venv").mkdir()
    make.bootstrap(tmp_path / "venv", pins, ["one==1", "other==2"])
    assert json.loads((tmp_path / "venv/refused.json").read_text()) == {"other": "it needs a compiler"}
    assert "  other==2 is left out: it needs a compiler\n" in capsys.readouterr().out
    with pytest.raises(make.Stop, match="no network"):
        make.bootstrap(tmp_path / "venv", pins, ["one==1", "third==3"])


def test_no_network_stops_the_measurements_with_one_line(interpreter, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(make, "BENCH_VENV", tmp_path / ".bench-venv")
    interpreter("WARNING: Retrying after connection broken by 'NewConnectionError'", 1)
    assert make.main(["bench"]) == 1
    errors = capsys.readouterr().err
    assert errors.startswith("bench: stopped: no network")
    assert errors.count("\n") == 1


def test_interrupted_measurements_can_go_on(monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(make, "bootstrap", lambda *_: "python")
    monkeypatch.setattr(subprocess, "run", interrupted)
    assert [make.main(["bench"]), make.main(["bench", "--quick"])] == [1, 1]
    complete, quick = capsys.readouterr().err.splitlines()
    assert complete == "bench: stopped: interrupted; what was measured is kept, and the same command goes on from there"
    assert quick == "bench: stopped: interrupted; nothing half built was kept"


@pytest.mark.parametrize("version", [(3, 10, 14), (3, 14, 0)])
def test_another_python_is_refused(version, monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", version)
    assert make.main(["check"]) == 1
    assert capsys.readouterr().err.startswith("check: stopped: this needs Python 3.11, 3.12 or 3.13")


def test_a_full_disk_is_named(monkeypatch, capsys):
    def full():
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setitem(make.COMMANDS, "clean", full)
    assert make.main(["clean"]) == 1
    assert capsys.readouterr().err.startswith("clean: stopped: the disk is full: free some space")


# The rest


def test_failing_tests_end_in_one_clear_line(small):
    (small / "test_it.py").write_text("def test_it():\n    assert 1 == 2\n")
    code, output, errors = run(small, "test", "-q", "-p", "no:cacheprovider", "test_it.py")
    assert code == 1
    assert "1 failed" in output
    assert errors == "test: stopped: pytest ended with exit code 1; the reasons are above\n"


def test_serve_needs_a_site_and_shows_it(small):
    assert "run `python3 make.py book` first" in stopped(small, "serve")
    (small / "_build/html").mkdir(parents=True)
    (small / "_build/html/index.html").write_text("a site")
    process = start(small, "serve", "--port", "0")
    address = process.stdout.readline().split()[1]
    with urllib.request.urlopen(address) as page:
        assert page.read() == b"a site"
    port = address.split(":")[2].strip("/")
    code, _, errors = run(small, "serve", "--port", port)
    assert code == 1
    assert f"port {port} cannot be used" in errors
    process.send_signal(signal.SIGINT)
    assert "serve: ended" in process.communicate()[0]
    assert process.returncode == 0


def test_clean_removes_what_can_be_made_again(small):
    made_again = [small / name for name in ("_build/html", "book/.ipynb_checkpoints", "sparse_core/__pycache__")]
    kept = small / ".venv/lib/__pycache__"
    for folder in (*made_again, kept):
        folder.mkdir(parents=True)
    assert run(small, "clean")[0] == 0
    assert [folder.exists() for folder in (*made_again, kept)] == [False, False, False, True]
