"""make.py: what it builds twice is the same; what it cannot build it says in one line; nothing is left half built."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
import venv
from pathlib import Path

import pytest
import yaml
from companion.building import chapters, commands, kept
from companion.places import Stop

import make
from tests.commands.small_repository import CHAPTER, SECOND, files, run, start, stopped, write

BREAK = 'raise ValueError("two lines,\\nof which the last one counts")'

# Wrong arguments


@pytest.mark.parametrize("line", ["", "bake", "book --chaptre 01-a", "book n=4", "serve 80"])
def test_wrong_arguments_show_the_usage_and_one_error(line, capsys):
    with pytest.raises(SystemExit) as exit_:
        make.main(line.split())
    errors = capsys.readouterr().err
    assert exit_.value.code != 0
    assert errors.startswith("usage: make.py")
    assert "error: " in errors.splitlines()[-1]


def test_an_older_python_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", (3, 10, 14))
    assert make.main(["check"]) == 1
    assert "the book needs 3.11 or newer (tested: Python 3.11 to 3.14)" in capsys.readouterr().err


# The book


def test_two_builds_are_identical_and_each_chapter_runs_once(tmp_path):
    one, other = (write(tmp_path / name) for name in ("one", "another folder"))
    code, output, errors = run(one, "book")
    html = one / "_build/html"
    assert (code, output.splitlines()[-1]) == (0, f"book: {html / 'index.html'}"), errors
    assert "  01-a: 2 cells, " in output and "  02-b: 2 cells, " in output
    assert output.index("  02-b") < output.index("  building the site\n") < output.index("  html: ")
    built = files(html)
    assert "_static/formulas.woff2" in built
    assert b"n is 3" in built["book/01-a.html"] and b"n is 3" in built["book/ledger.html"]

    shutil.copytree(one / "_build/executed", other / "_build/executed")
    code, output, errors = run(other, "book")
    assert code == 0, errors
    assert "cells" not in output
    assert files(other / "_build/html") == built

    # a preview, of one chapter that was changed; the site stays
    (one / "book/01-a.md").write_text(CHAPTER.replace("n = 3", "n = [4]"))
    code, output, _ = run(one, "book", "--chapter", "1")
    preview = one / "_build/preview"
    assert (code, output.splitlines()[-1]) == (0, f"book: {preview / 'book/01-a.html'}")
    assert "n is [4]" in (preview / "book/01-a.html").read_text()
    assert "This is a preview" in (preview / "book/index.html").read_text()
    assert not list(preview.glob("book/0[2-9]*")) and files(html) == built

    # after a cell that fails, the last good preview; after a warning, the last good site
    before = files(preview)
    (one / "book/01-a.md").write_text(CHAPTER.replace("print(", f"{BREAK}\nprint("))
    log = one / "_build/01-a.traceback.txt"
    said = f"book: stopped: 01-a, cell [2]: ValueError: of which the last one counts (full traceback: {log})"
    assert stopped(one, "book", "--chapter", "01-a") == said
    assert "Traceback" in log.read_text() and "\x1b" not in log.read_text()
    assert files(preview) == before and files(html) == built
    (one / "book/01-a.md").write_text(CHAPTER)
    (one / "book/02-b.md").write_text(SECOND.replace("## Its section", "## Its section\n\nSee [](#nowhere)."))
    assert "book/02-b.md, cell 1, line 6" in stopped(one, "book") and files(html) == built


def test_a_preview_of_a_chapter_or_of_its_audit_keeps_the_number_and_leaves_out_the_rest(tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "ROOT", tmp_path)
    pages = ["index", "other", "01-a", "01-a-audit", "02-b", "02-b-audit", "02b-c", "03-d"]
    (tmp_path / "book").mkdir()
    for name in pages:
        (tmp_path / f"book/{name}.md").write_text(f"# Of {name}\n")
    nested = "{{file: book/{0}, sections: [{{file: book/{0}-audit}}]}}"
    numbered = ", ".join([nested.format("01-a"), nested.format("02-b"), "{file: book/02b-c}, {file: book/03-d}"])
    parts = f"[{{chapters: [{{file: book/other}}]}}, {{numbered: 2, chapters: [{numbered}]}}]"
    (tmp_path / "_toc.yml").write_text(f"{{format: jb-book, root: book/index, parts: {parts}}}")
    shown = {
        "02-b": [{"file": "book/01-a"}, {"file": "book/02-b"}],
        "02-b-audit": [{"file": "book/01-a"}, {"file": "book/02-b", "sections": [{"file": "book/02-b-audit"}]}],
        "other": [{"file": "book/other"}],
    }
    for only, chapters_shown in shown.items():
        stage = tmp_path / f"stage of {only}"
        (stage / "book").mkdir(parents=True)
        commands.write_stubs(stage, only)
        (part,) = yaml.safe_load((stage / "_toc.yml").read_text())["parts"]
        assert part["chapters"] == chapters_shown and part.get("numbered") == (2 if only != "other" else None)
        stubs = {f"book/{path.stem}" for path in stage.glob("book/*.md")}
        assert stubs == {"book/index", *(chapter["file"] for chapter in chapters_shown)} - {f"book/{only}"}
    sources = dict.fromkeys(pages)
    assert list(commands.chosen(["2", "02b", "01-a-audit"], sources)) == ["02-b", "02b-c", "01-a-audit"]


@pytest.mark.usefixtures("executed")
def test_an_edit_of_words_or_comments_executes_nothing_and_is_shown(small):
    chapter, module = small / "book/01-a.md", small / "sparse_core/checks.py"
    chapter.write_text(CHAPTER.replace("# A chapter", "# A changed title"))
    module.write_text("# A comment\n" + module.read_text().replace("\n\n\n", "\n\n\n\n"))
    code, output, errors = run(small, "refresh", "1")
    assert (code, output) == (0, "  01-a: written\nrefresh: book/*.ipynb are up to date\n"), errors
    stored = json.loads((small / "book/01-a.ipynb").read_text())["cells"]
    assert "A changed title" in "".join(stored[1]["source"]) and "n is 3" in str(stored[-1]["outputs"])
    module.write_text(module.read_text() + "\nCONSTANT = 1\n")
    assert "  01-a: 2 cells, " in run(small, "refresh", "1")[1]
    chapter.write_text(CHAPTER.replace("n = 3", "n = 4"))
    assert "  01-a: 2 cells, " in run(small, "refresh", "1")[1]


@pytest.mark.parametrize("line, said_at_the_end", [("refresh 1", "01-a: written"), ("clean", "_build is empty")])
@pytest.mark.usefixtures("executed")
def test_a_second_command_waits_for_the_end_of_the_first(small, line, said_at_the_end):
    fcntl = pytest.importorskip("fcntl")
    with (small / "_build/lock").open("w") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        second = start(small, *line.split())
        said = second.stdout.readline()
    assert said == f"  another command builds in {small / '_build'}: waiting for its end\n"
    assert said_at_the_end in second.communicate()[0] and second.returncode == 0


def test_the_build_may_be_on_another_disk_than_the_book(small, tmp_path):
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system here")
    with tempfile.TemporaryDirectory(dir=memory) as other:
        (small / "_build").symlink_to(other)
        assert run(small, "refresh", "1")[0] == 0
    assert "n is 3" in (small / "book/01-a.ipynb").read_text()


@pytest.mark.usefixtures("executed")
def test_what_a_killed_run_was_writing_is_removed_by_the_next(small):
    left = [small / f"{folder}/.a.md.7.partial" for folder in ("book", "_build", "_build/executed")]
    for path in left:
        path.write_text("half of")
    assert run(small, "refresh", "1")[0] == 0
    assert not any(path.exists() for path in left)


def test_a_full_disk_is_reported_with_the_file_and_leaves_nothing(tmp_path, monkeypatch):
    def full(path, *_, **__):
        path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match=f"No space left on device: '{tmp_path}/page.md'"):
        kept.write_atomically(tmp_path / "page.md", "text")
    assert not list(tmp_path.iterdir())


def failing(error):
    def run():
        raise error

    return run


LACKING = ModuleNotFoundError("No module named 'jupytext'")
NO_COPIES = shutil.Error([("a", "b", "no space for b"), ("c", "d", "no space for d")])


@pytest.mark.parametrize(
    "run, said",
    [
        (failing(NO_COPIES), "no space for b"),  # the first of the files
        (failing(PermissionError(errno.EACCES, "Permission denied", "html")), "[Errno 13] Permission denied: 'html'\n"),
        (failing(LACKING), f"No module named 'jupytext': the environment {sys.prefix} lacks a package"),
    ],
)
def test_an_error_of_a_command_is_one_line_with_what_is_needed_to_mend_it(monkeypatch, capsys, run, said):
    run.__doc__ = "Fail."
    monkeypatch.setitem(make.COMMANDS, "clean", run)
    assert make.main(["clean"]) == 1
    errors = capsys.readouterr().err
    assert errors.startswith(f"clean: stopped: {said}") and errors.count("\n") == 1


HEADER = CHAPTER.partition("\n# A chapter")[0]
PICTURE = "![a picture](https://example.org/x.png)"
EXIT = CHAPTER.replace("print(", "import sys\nsys.exit()\nprint(") + "\n```{code-cell}\n7\n```\n"
PATCHES = CHAPTER.replace("print(", "import json\njson.dumps = print\nprint(")
NO_CELL = "02-b stands in _toc.yml and has no code cell"


@pytest.mark.parametrize(
    "line, name, content, reason",
    [
        ("book", "book/02-b.md", EXIT, "cell 3 was not"),
        ("book --chapter 1", "book/01-a.md", PATCHES, "01-a, cell [2], line 4: json.dumps is of a module"),
        ("book", "book/02-b.md", f"{CHAPTER}\n```{{code-cell}}\n\n```\n", "code cell 3 was not executed: ''"),
        ("book", "_toc.yml", b"\xff", "_toc.yml cannot be read: 'utf-8' codec"),
        ("book", "book/assets/a.svg", None, "book/assets/a.svg leads out of the repository, to /"),
        ("book --chapter 1", "book/01-a.md", f"{CHAPTER}\n{PICTURE}\n", "01-a.html loads from another host: <img alt="),
        ("refresh 1", "_build/lock", {}, "_build/lock is a folder, where a file should be: remove it"),
    ],
)
@pytest.mark.usefixtures("executed")
def test_what_is_wrong_stops_the_build_in_one_line(small, tmp_path, line, name, content, reason):
    if content is None:
        (small / name).symlink_to(tmp_path)
    elif content == {}:
        (small / name).mkdir()
    else:
        (small / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    assert reason in stopped(small, *line.split())


@pytest.mark.parametrize(
    "name, content, reason",
    [
        ("03-c", CHAPTER, "03-c has code cells and does not stand in _toc.yml"),
        ("02-b", CHAPTER.replace("jupytext:", "jupytext: ["), "02-b.md cannot be read: while parsing"),
        ("02-b", "# A chapter\n\nWithout a header and a cell.\n", NO_CELL),
        ("02-b", f"{HEADER}\n# A chapter\n\nWithout a cell.\n", NO_CELL),
        ("01-a", b"# \xff\n", "01-a.md cannot be read: 'utf-8' codec"),
    ],
)
def test_a_chapter_that_cannot_be_read_or_shown_is_named(small, monkeypatch, name, content, reason):
    monkeypatch.setattr(commands, "ROOT", small)
    monkeypatch.setattr(commands, "BOOK", small / "book")
    (small / f"book/{name}.md").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(Stop, match=reason):
        commands.read_all()


@pytest.mark.usefixtures("executed")
def test_a_notebook_that_is_broken_is_written_anew(small):
    assert run(small, "refresh", "1")[0] == 0
    stored, (kept,) = small / "book/01-a.ipynb", (small / "_build/executed").glob("01-a.*")
    good = stored.read_text()
    stored.write_text("{")
    assert run(small, "refresh", "1")[0] == 0 and stored.read_text() == good
    kept.write_text(kept.read_text().replace("n is 3", "PROVED"))
    assert "  01-a: 2 cells, " in run(small, "refresh", "1")[1]  # what was edited is executed anew
    assert stored.read_text() == good and "PROVED" not in kept.read_text()


@pytest.mark.parametrize("text", [b"\xff\xfe", b"", b"[]", b'{"nbformat": 4}', b'{"nbformat": 4, "cells": []}'])
def test_what_is_kept_and_is_no_run_of_the_chapter_counts_as_not_kept(text, tmp_path, monkeypatch):
    """Even under the digest of its bytes, which a forgery has and half a file has not."""
    monkeypatch.setattr(commands, "BUILD", tmp_path)
    (tmp_path / "executed").mkdir()
    source = tmp_path / "01-a.md"
    source.write_text(CHAPTER)
    notebook = chapters.read(source)
    run_of_it = {**notebook, "cells": [dict(cell) for cell in notebook["cells"]]}
    for cell in chapters.code_cells(run_of_it):
        cell |= {"outputs": [], "execution_count": 1}
    whole = chapters.dump(run_of_it).encode()
    without = whole.replace(b'"outputs": []', b'"inputs": []')
    for kept_text, used in ((whole, True), (text, False), (without, False)):
        path = tmp_path / f"executed/01-a.digest.{kept.digest(kept_text)[:16]}.ipynb"
        path.write_bytes(kept_text)
        assert (commands.kept_run("01-a", notebook, "digest") is not None) == used
        path.unlink()


def test_a_chapter_that_runs_cannot_change_what_was_kept_of_another_one(tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "BUILD", tmp_path)
    (tmp_path / "executed").mkdir()
    (tmp_path / "01-a.md").write_text(CHAPTER)
    first, second = (chapters.read(tmp_path / "01-a.md") for _ in range(2))
    chapters.code_cells(second)[0]["source"] += "\n# another chapter"
    whole = chapters.dump(first).replace(
        '"outputs": []', '"outputs": [{"name": "stdout", "output_type": "stream", "text": "3"}]'
    )
    path = tmp_path / f"executed/01-a.{kept.execution(first)[:16]}.{kept.digest(whole.encode())[:16]}.ipynb"
    path.write_text(whole)

    def forging(missing, folder):
        path.write_text(whole.replace("3", "4"))
        return [(name, notebook, 0.0) for name, notebook in missing.items()]

    monkeypatch.setattr(chapters, "execute_all", forging)
    done = commands.executed({"01-a": first, "02-b": second})
    assert {output["text"] for cell in chapters.code_cells(done["01-a"]) for output in cell["outputs"]} == {"3"}


def test_what_a_system_or_python_leaves_in_a_folder_is_no_source(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "ROOT", tmp_path)
    names = ("a.py", "below/b.md", ".hidden", ".cache/c.py", "below/__pycache__/d.pyc", "below/.git/e", "f.ipynb")
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    assert list(kept.files_and_bytes(tmp_path)) == [b"a.py", b"a.py", b"below/b.md", b"below/b.md"]


@pytest.mark.parametrize("rubbish", [b"\xff\xfe\x00", b"", b"a stamp\n"])
def test_a_stamp_with_rubbish_is_no_stamp(rubbish, tmp_path, monkeypatch):
    for name, asked in (("STAMP", kept.is_current), ("PROVED", kept.proofs_accepted)):
        monkeypatch.setattr(kept, name, tmp_path / name)
        (tmp_path / name).write_bytes(rubbish)
        assert not asked()
        (tmp_path / name).unlink()
        (tmp_path / name).mkdir()
        assert not asked()
    (tmp_path / "PROVED").rmdir()
    (tmp_path / "PROVED").write_text(kept.proofs_fingerprint())
    assert kept.proofs_accepted()


def added(cells):
    cells.append({**cells[0], "id": "5f0c2a61", "source": "Added."})


EDITS = [
    (lambda cells: cells[1].update(source=["# Another title"]), "# Another title"),
    (lambda cells: cells[2].update(source=["n = 4"]), "n = 4"),
    (lambda cells: cells[2]["metadata"].update(tags=[]), "n = 3"),
    (added, "Added."),
]


@pytest.mark.usefixtures("executed")
def test_an_edited_notebook_is_named_and_not_overwritten(small):
    assert run(small, "refresh", "1")[0] == 0
    path = small / "book/01-a.ipynb"
    written = path.read_text()
    notebook = json.loads(written)
    notebook["cells"][3]["outputs"] = []
    notebook["cells"].append({**notebook["cells"][0], "id": "0f0c2a61", "source": ""})  # as Jupyter adds one
    saved = json.dumps(notebook)
    path.write_text(saved)
    assert run(small, "refresh", "1")[0] == 0 and path.read_text() == written  # who runs it edits nothing
    (small / "book/01-a.md").write_text(CHAPTER.replace("A chapter", "A title"))
    for change, at in EDITS:
        notebook = json.loads(saved)
        change(notebook["cells"])
        edited = json.dumps(notebook)
        path.write_text(edited)
        said = f"book/01-a.ipynb, at {at!r}: edited by hand, while the book is made from the Markdown beside it. "
        assert said in stopped(small, "refresh", "1") and path.read_text() == edited
    assert f"  {said}" in run(small, "book", "--chapter", "1")[1]
    assert said not in run(small, "refresh", "2")[1]
    path.unlink()
    assert run(small, "refresh", "1")[0] == 0 and "A title" in path.read_text()


@pytest.mark.usefixtures("executed")
def test_refresh_stores_text_where_something_changed(small):
    assert run(small, "refresh")[0] == 0
    stored = small / "book/01-a.ipynb"
    outputs = json.loads(stored.read_text())["cells"][-1]["outputs"]
    assert [output.get("text", output.get("data")) for output in outputs] == [
        ["n is 3\n"],
        {"text/plain": ["<IPython.core.display.HTML object>"]},
    ]
    before = stored.stat().st_mtime_ns
    (small / "book/02-b.md").write_text(CHAPTER.replace("n = 3", "n = 5"))
    assert run(small, "refresh", "1")[1] == "refresh: book/*.ipynb are up to date\n"
    _, output, _ = run(small, "refresh")
    assert "  02-b: written\n" in output and "01-a" not in output
    assert stored.stat().st_mtime_ns == before
    assert "n is 5" in (small / "book/02-b.ipynb").read_text()


def test_the_book_is_the_same_in_every_home(small, tmp_path):
    """No start-up file, style, package or setting of the user's reaches a chapter, and nothing is left at home."""
    home = tmp_path / "home"
    site = home / f".local/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    evil = {
        home / ".ipython/profile_default/startup/a.py": "n = 7\n",
        home / ".config/matplotlib/matplotlibrc": "font.size: 30\n",
        site / "theirs.py": "",
        home / "path/theirs.py": "",
        home / "start.py": "word = 7\n",
    }
    for path, text in evil.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    asks = """import pkgutil, sys, time, matplotlib

package, size = "theirs" in {one.name for one in pkgutil.iter_modules()}, matplotlib.rcParams["font.size"]
[package, size, time.tzname[0], "word" in dir(), sys.warnoptions]
"""
    (small / "book/01-a.md").write_text(CHAPTER.partition("from IPython")[0] + asks + "```\n")
    theirs = {"PYTHONPATH": str(home / "path"), "PYTHONSTARTUP": str(home / "start.py"), "TZ": "Asia/Tokyo"}
    theirs |= {"HOME": str(home), "TMPDIR": str(tmp_path), "PYTHONWARNINGS": "error", "LC_ALL": "C"}
    theirs |= {f"XDG_{kind}_HOME": str(home / f"xdg-{kind}") for kind in ("CACHE", "CONFIG", "DATA")}
    code, _, errors = run(small, "refresh", "1", **theirs)
    assert code == 0, errors
    outputs = json.loads((small / "book/01-a.ipynb").read_text())["cells"][-1]["outputs"]
    assert "".join(outputs[0]["data"]["text/plain"]) == "[False, 10.0, 'UTC', False, []]"
    assert {path for path in home.rglob("*") if path.is_file()} == evil.keys()


def test_a_folder_without_a_first_page_is_no_site(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "BUILD", tmp_path)
    (tmp_path / "html").mkdir()
    with pytest.raises(Stop, match="there is no site yet: run `python3 make.py book` first"):
        kept.site()
    (tmp_path / "html/index.html").touch()
    assert kept.site() == tmp_path / "html"


def test_a_build_that_is_stopped_while_sites_are_exchanged_leaves_a_whole_one(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "BUILD", tmp_path)
    for name in ("html", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "page").write_text(name)

    def stopped_at_the_end(*_, **__):
        if not (tmp_path / "new").exists():
            raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "rmtree", stopped_at_the_end)
    with pytest.raises(KeyboardInterrupt):
        kept.swap_folder(tmp_path / "html", tmp_path / "new")
    assert (tmp_path / "html/page").read_text() == "new"


# The environment


@pytest.fixture
def steps(tmp_path, monkeypatch):
    """A function that says what each step of an installation will print and return; it lists the steps from then on."""
    venv.create(tmp_path)
    monkeypatch.setattr(make, "VENV", tmp_path)
    monkeypatch.delenv("COMPANION_NO_VENV", raising=False)

    def prepare(output, code):
        commands = []

        def run(command, **_):
            commands.append(command)
            if code is None:
                raise KeyboardInterrupt
            return subprocess.CompletedProcess(command, code, output)

        monkeypatch.setattr(subprocess, "run", run)
        return commands

    return prepare


@pytest.mark.parametrize(
    ("output", "code", "said"),
    [
        ("WARNING: Retrying after connection broken by 'NewConnectionError'", 1, "no network: the first run"),
        (
            "ERROR: No matching distribution found for numpy==0",
            1,
            f"there is no wheel for Python {make.VERSION} on this machine "
            "(No matching distribution found for numpy==0); tested: Python 3.11 to 3.14",
        ),
        ("/usr/bin/python3: No module named ensurepip", 1, "apt install python3-venv"),
        ("ERROR: Errno 28, no space", 1, "the packages could not be installed (Errno 28, no space)"),
        ("", None, "interrupted; nothing half built was kept"),
    ],
)
def test_an_installation_that_failed_or_was_interrupted_says_why_and_is_made_again(steps, capsys, output, code, said):
    steps(output, code)
    assert make.main(["check"]) == 1
    errors = capsys.readouterr().err
    assert said in errors
    assert errors.count("\n") == 1
    again = steps("Collecting numpy", 0)
    python = make.bootstrap(make.VENV, make.LOCK)
    assert [step[0] for step in again] == [sys.executable, python]
    assert "--clear" in again[0] and str(make.LOCK) in again[1]
    third = steps("a third installation", 0)
    assert make.bootstrap(make.VENV, make.LOCK) == python
    assert third == []


def test_an_environment_of_the_book_grows_into_one_of_the_tests_or_is_made_anew(steps):
    steps("Collecting numpy", 0)
    make.bootstrap(make.VENV, make.LOCK)
    steps("", None)  # its growth is interrupted
    assert make.main(["check"]) == 1
    made = steps("Collecting numpy", 0)
    make.bootstrap(make.VENV, make.LOCK)
    assert "--clear" in made[0] and made[1][-1] == str(make.LOCK)
    steps("", None)
    assert make.main(["check"]) == 1
    anew = steps("Collecting numpy", 0)
    make.bootstrap(make.VENV, make.LOCK)
    assert "--clear" in anew[0]  # the growth was interrupted
    grown = steps("Collecting pytest", 0)
    make.bootstrap(make.VENV, make.DEV_LOCK)
    assert [step[-1] for step in grown] == [str(make.DEV_LOCK)]
    again = steps("a third installation", 0)
    make.bootstrap(make.VENV, make.LOCK)
    assert again == []


def test_an_environment_whose_python_is_gone_is_named_in_one_line(tmp_path, monkeypatch, capsys):
    (tmp_path / "requirements.sha").write_text(make.stamp_text(make.DEV_LOCK))
    monkeypatch.setattr(make, "VENV", tmp_path)
    monkeypatch.delenv("COMPANION_NO_VENV", raising=False)
    assert make.main(["check"]) == 1
    errors = capsys.readouterr().err
    assert errors.startswith(f"check: stopped: {tmp_path} is damaged, ")
    assert errors.endswith(f"remove {tmp_path.name}, then run again\n") and errors.count("\n") == 1


@pytest.mark.parametrize("then", ["nothing", "the folder is moved", "a second folder has a link to it"])
def test_a_program_of_the_environment_finds_the_packages_wherever_it_starts(small, tmp_path, then):
    """Such as a kernel of JupyterLab, which starts in the folder of its notebook and without our settings."""
    venv.create(small / ".venv")
    subprocess.run([sys.executable, "-c", "import make; make.know_this_folder(make.VENV)"], cwd=small, check=True)
    root = small
    if then != "nothing":
        root = tmp_path / "another folder"
        if then == "the folder is moved":
            small.rename(root)
        else:
            write(root)
            (root / ".venv").symlink_to(small / ".venv")
    python = root / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    bare = {name: value for name, value in os.environ.items() if name not in make.ENVIRONMENT}
    words = "import sparse_core; print(sparse_core.__file__)"
    done = subprocess.run([python, "-c", words], cwd=root / "book", env=bare, capture_output=True, text=True)
    assert done.stdout == f"{root / 'sparse_core/__init__.py'}\n", done.stderr


def test_a_chapter_that_is_not_there_is_named_before_any_package_is_installed(steps, capsys):
    made = steps("Collecting numpy", 0)
    for line in (["book", "--chapter", "77"], ["book", "--chapter", ""], ["refresh", "2", "0"]):
        assert make.main(line) == 1
        assert f"there is no chapter {line[-1]!r}; the chapters are 01-definitions, " in capsys.readouterr().err
    assert made == []


# The rest


def test_the_parts_are_all_tests(monkeypatch):
    calls = []
    monkeypatch.setattr(make, "call", lambda _, words: calls.append(words))
    monkeypatch.setattr(commands, "prepare", lambda: None)
    for part in make.PARTS:
        command, options = make.parse(["test", f"--{part}"])
        make.COMMANDS[command](**options)
    named = [word for words in calls for word in words if (make.ROOT / word).exists()]
    settings = tomllib.loads((make.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]
    assert sorted(named) == sorted(settings["ini_options"]["testpaths"])


def test_failing_tests_end_in_one_clear_line(small):
    (small / "test_it.py").write_text("def test_it():\n    assert 1 == 2\n")
    code, output, errors = run(small, "test", "-p", "no:cacheprovider", "test_it.py")
    assert code == 1
    assert "1 failed" in output
    assert errors == "test: stopped: pytest ended with exit code 1; the reasons are above\n"


@pytest.mark.parametrize(("ci", "code", "counted"), [("", 0, "1 skipped"), ("1", 1, "1 error")])
@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="there a browser need not be on the path")
def test_a_run_without_a_browser_says_so_at_its_end_and_fails_in_ci(tmp_path, ci, code, counted):
    hidden = {"PATH": "", "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path), "CI": ci}
    words = ["-p", "no:cacheprovider", "tests/site/test_page_sizes.py"]
    command = [sys.executable, "-m", "pytest", *words]
    done = subprocess.run(command, cwd=make.ROOT, env={**os.environ, **hidden}, capture_output=True, text=True)
    assert done.returncode == code and counted in done.stdout, done.stdout + done.stderr
    said = "the site was not looked at: no browser was found: install Chromium or Chrome, then run again"
    assert said in done.stdout


def test_serve_needs_a_site_and_shows_it(small):
    assert "run `python3 make.py book` first" in stopped(small, "serve")
    (small / "_build/html").mkdir(parents=True)
    (small / "_build/html/index.html").write_text("a site")
    processes = [start(small, "serve") for _ in range(2)]
    addresses = [process.stdout.readline().split()[1] for process in processes]
    assert addresses[0] != addresses[1]
    for process, address in zip(processes, addresses, strict=True):
        with urllib.request.urlopen(address) as page:
            assert page.read() == b"a site" and page.headers["Cache-Control"] == "no-cache"
        process.send_signal(signal.SIGINT)
        assert "serve: ended" in process.communicate()[0]
        assert process.returncode == 0


@pytest.mark.usefixtures("executed")
def test_serve_shows_a_preview_that_follows_its_source_before_the_site(small):
    (small / "_build/html/book").mkdir(parents=True)
    (small / "_build/html/book/02-b.html").write_text("the site")
    process = start(small, "serve", "--chapter", "1")
    address = process.stdout.readline().split()[1]
    for word in ("chapter", "changed chapter"):
        (small / "book/01-a.md").write_text(CHAPTER.replace("# A chapter", f"# A {word}"))
        line = process.stdout.readline()
        while line and not line.startswith("book: "):
            line = process.stdout.readline()
        with urllib.request.urlopen(address) as page:
            shown = page.read().decode()
    assert address.endswith("/book/01-a.html") and "A changed chapter" in shown
    with urllib.request.urlopen(address.replace("01-a", "02-b")) as page:
        assert page.read() == b"the site"
    process.send_signal(signal.SIGINT)
    assert "serve: ended" in process.communicate()[0]


def test_clean_removes_what_was_built(small):
    (small / "_build/html").mkdir(parents=True)
    (small / "_build/site.sha").write_text("a stamp")
    (small / ".venv").mkdir()
    assert run(small, "clean")[0] == 0
    assert [path.name for path in (small / "_build").iterdir()] == ["lock"] and (small / ".venv").exists()


def test_a_python_without_packages_starts_make(small):
    """It is the one that installs them."""
    done = subprocess.run([sys.executable, "-S", "make.py", "--help"], cwd=small, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Build the site" in done.stdout
