"""Building the book: chapters are executed when they changed, and a site stays until the next one is complete."""

import ast
import contextlib
import functools
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import threading
import time
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType

from companion import Stop, cells, chapters, pairs, text_of

ROOT = Path(__file__).resolve().parents[3]
BOOK = ROOT / "book"
BUILD = ROOT / "_build"
# The fingerprint of the sources that _build/html was made from.
STAMP = BUILD / "site.sha"
# The fingerprint of the proofs that Coq accepted.
PROVED = BUILD / "proved.sha"
# What the site is made from.
SOURCES = (
    "book",
    "sparse_core",
    "sparse_meter",
    "sparse_book",
    "tests/benchmarks",
    "_config.yml",
    "_toc.yml",
    "make.py",
    "pyproject.toml",
    "requirements-book.lock",
    "proofs/statements.json",
)
# How the name of a file ends that is being written.
PARTIAL = ".partial"
# What is held until this process ends.
LOCKS = contextlib.ExitStack()
# The package jupyter_book has no __main__.
JUPYTER_BOOK = "from jupyter_book.cli.main import main; main()"
# What ends a process when the one that started it is gone, and with it the other end of its standard input.
WITH_ITS_PARENT = """
import os, threading
threading.Thread(target=lambda: os.read(0, 1) or os._exit(1), daemon=True).start()
"""
# What a preview has in place of a page that it leaves out.
STUB = "# {title}\n\n:::{{warning}}\nThis is a preview: it has the page `{only}` alone.\n:::\n"
# What Sphinx says in a preview of links to what it leaves out.
ELSEWHERE = "undefined label|target not found|unknown document|nonexisting document|[Cc]ould not find bibtex key"
# How often `serve` looks whether a source has changed, in seconds: often enough that nobody waits for it.
LOOK_SECONDS = 0.5


def say(line):
    print(line, flush=True)


def site():
    """The folder of the complete site, which some commands start from; its first page is the last to be written."""
    if not (BUILD / "html/index.html").is_file():
        raise Stop("there is no site yet: run `python3 make.py book` first")
    return BUILD / "html"


# Whenever a run is killed, a file is the old one or the new one, and a folder is complete or not there


@contextlib.contextmanager
def build_lock():
    """Hold the lock of _build; a second command waits. (Windows has no such locks.)"""
    BUILD.mkdir(exist_ok=True)
    lock = BUILD / "lock"
    if lock.is_dir():
        raise Stop(f"{lock} is a folder, where a file should be: remove it, then run again")
    with lock.open("w") as file:
        if os.name != "nt":
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                say(f"  another command builds in {BUILD}: waiting for its end")
                fcntl.flock(file, fcntl.LOCK_EX)
        for folder in (BOOK, BUILD, BUILD / "executed"):
            for left in folder.glob(f".*{PARTIAL}"):  # by a run that was killed: a live one would hold the lock
                left.unlink(missing_ok=True)
        yield lock


def write_atomically(path, text):
    """Write a file in one step, from one beside it: _build can be on another disk."""
    partial = path.with_name(f".{path.name}.{os.getpid()}{PARTIAL}")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:  # of a full disk, which names no file
        partial.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None


def swap_folder(folder, successor=None):
    """Remove a folder, or put another one in its place."""
    leaving = BUILD / "leaving"
    shutil.rmtree(leaving, ignore_errors=True)
    if folder.exists():
        folder.rename(leaving)
    if successor:
        successor.rename(folder)
    shutil.rmtree(leaving, ignore_errors=True)


# What things are made from


def contents(*tops, read=Path.read_bytes):
    """The names and the contents of the files below these folders and files, without what is generated."""
    for top in tops:
        for path in sorted([top, *top.rglob("*")]):
            name = path.relative_to(ROOT)
            hidden = any(part.startswith((".", "__pycache__")) for part in name.parts)
            if path.is_file() and path.suffix != ".ipynb" and not hidden:
                yield name.as_posix().encode()
                yield read(path)


def program(path):
    """The contents of a file, of Python's without what no output depends on: comments and how it is laid out."""
    text = path.read_bytes()
    return syntax(text) if path.suffix == ".py" else text


@functools.cache  # each is asked for once for every chapter, and takes longer to parse than to read
def syntax(text):
    try:
        return ast.dump(ast.parse(text)).encode()
    except (SyntaxError, ValueError):  # who imports it will say so
        return text


def digest(*parts):
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def source_fingerprint():
    """sha256 over everything that the site is made from."""
    addresses = [os.environ.get(name, "").encode() for name in ("COMPANION_REPOSITORY", "COMPANION_SITE")]
    return digest(*addresses, *contents(*(ROOT / top for top in SOURCES)))


def is_current():
    """Whether there is a site of the present sources."""
    return STAMP.is_file() and STAMP.read_text() == source_fingerprint() and (BUILD / "html/index.html").is_file()


def proofs_fingerprint():
    """sha256 over the proofs, what is known of them, and what checks them; not over what a compiler leaves there."""
    sources = [path for path in sorted((ROOT / "proofs").rglob("*")) if path.suffix in (".v", ".json", ".py")]
    return digest(*contents(*sources))


def proofs_accepted():
    """Whether Coq accepted the proofs as they are now, in this folder."""
    return PROVED.is_file() and PROVED.read_text() == proofs_fingerprint()


def execution(notebook):
    """sha256 over everything that the outputs of a chapter depend on: its code cells, what runs it, what it imports.

    An edit of its words, or of a comment in a package, executes nothing.
    """
    cells = [[cell.source, cell.metadata.get("tags", [])] for cell in chapters.code_cells(notebook)]
    code = json.dumps(cells).encode()
    packages = [ROOT / "sparse_core", ROOT / "sparse_meter", ROOT / "sparse_book"]
    tops = [*packages, ROOT / "requirements-book.lock", Path(chapters.__file__)]
    tops += [ROOT / "tests/benchmarks"] * (b"benchmarks" in code)
    return digest(code, platform.python_version().encode(), *contents(*tops, read=program))


# The notebooks


def read_all():
    """The notebook of each source, by name; numbered chapters that would not be shown, or not be run, are refused."""
    listed = re.findall(r"book/([\w-]+)", text_of(ROOT / "_toc.yml"))
    notebooks = read(chapters.sources(BOOK))
    for name in listed:
        if name[0].isdigit() and not (name in notebooks and chapters.code_cells(notebooks[name])):
            raise Stop(f"{name} stands in _toc.yml and has no code cell to execute")
    for name in set(notebooks).difference(listed):
        raise Stop(f"{name} has code cells and does not stand in _toc.yml")
    return notebooks


def read(sources):
    """The notebooks of these sources, by name; one whose code touches its checks is refused, in a preview too."""
    notebooks = {name: chapters.read(path) for name, path in sources.items()}
    for name, notebook in notebooks.items():
        if fault := next(iter(cells.faults(notebook)), None):
            raise Stop(f"{name}, {fault}")
    return notebooks


def chosen(names, sources):
    """The sources of these names; the beginning of one, such as 2 or 02, stands for it."""
    found = {}
    for name in names:
        padded = f"{name:0>2}-" if name.isdecimal() else name
        fitting = [name] if name in sources else [one for one in sources if padded and one.startswith(padded)]
        if fitting and all(one.startswith(fitting[0]) for one in fitting):  # a chapter, and the audit beside it
            fitting = fitting[:1]
        if len(fitting) != 1:
            raise Stop(f"there is no chapter {name!r}; the chapters are {', '.join(sources)}")
        found[fitting[0]] = sources[fitting[0]]
    return found


def executed(notebooks, values=MappingProxyType({})):
    """The notebooks with their outputs: those of _build/executed where nothing has changed, the others run now.

    Chapters that were given parameters are run, and not kept; nor are those whose sources changed under way.
    """
    done = {}
    kept = BUILD / "executed"
    kept.mkdir(parents=True, exist_ok=True)
    expected = {name: execution(notebook)[:16] for name, notebook in notebooks.items()}
    paths = {name: kept_path(name, expected[name]) for name in notebooks}
    missing = [name for name, path in paths.items() if values.get(name) or path is None]
    length = {name: sum(len(cell.source) for cell in notebooks[name].cells) for name in missing}
    longest_first = {name: notebooks[name] for name in sorted(missing, key=length.get, reverse=True)}
    for name, outcome, seconds in chapters.execute_all(longest_first, values, BOOK):
        if isinstance(outcome, chapters.ChapterError):
            log = BUILD / f"{name}.traceback.txt"
            log.write_text(outcome.traceback, encoding="utf-8")
            raise Stop(f"{name}, {outcome}" + (f" (full traceback: {log})" if outcome.traceback else ""))
        if isinstance(outcome, Exception):
            raise outcome
        if not values.get(name) and execution(notebooks[name])[:16] == expected[name]:
            for old in kept.glob(f"{name}.*"):
                old.unlink()
            text = chapters.dump(outcome)
            write_atomically(kept / f"{name}.{expected[name]}.{digest(text.encode())[:16]}.ipynb", text)
        done[name] = outcome
        say(f"  {name}: {len(chapters.code_cells(outcome))} cells, {seconds:.1f} s")
    return {
        name: done.get(name) or chapters.with_outputs(notebook, kept_notebook(paths[name]))
        for name, notebook in notebooks.items()
    }


def kept_path(name, expected):
    """The notebook of a chapter in _build/executed; none if it was edited, for its name has the digest of its text."""
    for path in (BUILD / "executed").glob(f"{name}.{expected}.*.ipynb"):
        if path.name == f"{name}.{expected}.{digest(path.read_bytes())[:16]}.ipynb":
            return path
    return None


def kept_notebook(path):
    """A notebook of _build/executed."""
    import nbformat

    try:
        return nbformat.read(path, as_version=4)
    except Exception as error:  # of JSON, of its schema, of the text
        raise Stop(f"{path} is broken, remove it: {' '.join(str(error).split()):.100}") from None


def carry_edits(sources=None):
    """Bring what was edited in book/X.ipynb into book/X.md, of these sources or of all."""
    for name, source in (sources or chapters.sources(BOOK)).items():
        if texts := pairs.carried(source):
            with build_lock():
                for path, text in texts.items():
                    write_atomically(path, text)
            say(f"  {name}: what was edited in book/{name}.ipynb is now in book/{name}.md")


def prepare():
    """Build the site of the present sources before tests ask for it; what fails the tests will tell."""
    carry_edits()
    if not is_current():
        with contextlib.suppress(Stop):
            book()


def refresh(names):
    """Write book/*.ipynb, text outputs only, where the source or what it shows has changed."""
    carry_edits()
    notebooks = read(chosen(names, chapters.sources(BOOK))) if names else read_all()
    with build_lock():
        for name, fresh in executed(notebooks).items():
            path = BOOK / f"{name}.ipynb"
            fresh.metadata = pairs.stored_metadata(fresh)
            for cell in chapters.code_cells(fresh):
                cell.outputs = chapters.text_only(cell.outputs)
            with contextlib.suppress(OSError, KeyError, TypeError, ValueError):  # a broken one is written anew
                stored = json.loads(path.read_text(encoding="utf-8"))
                if stored["metadata"] == fresh.metadata and chapters.agrees(fresh, stored):
                    continue
            write_atomically(path, chapters.dump(fresh))
            say(f"  {name}: written")
    say("refresh: book/*.ipynb are up to date")


def publish():
    """Write the verdicts and the evidence of the present book into book/claims/published.yml; say what changed."""
    from companion import pages

    path = BOOK / "claims/published.yml"
    notebooks = read_all()
    with build_lock():
        text = pages.published(BOOK, executed(notebooks))
        before = text_of(path).splitlines()
        write_atomically(path, text)
    for line in text.splitlines():
        if line not in before:
            say(f"  {line}")
    say("publish: book/claims/published.yml is that of the present book; `git diff` shows what is less than before")


# The site


def book(chapter=None, parameters=()):
    """Build the site, or the preview of one chapter; what fails leaves the last one as it was."""
    sources = chapters.sources(BOOK)
    if chapter is not None:
        sources = chosen([chapter], sources)
    carry_edits(sources)
    notebooks = read_all() if chapter is None else read(sources)
    values = chapters.assign_parameters(parameters, notebooks)
    only = None if chapter is None else next(iter(sources))
    stage = BUILD / "stage"
    out = BUILD / "out"
    target = BUILD / ("preview" if only else "html")
    with build_lock():
        swap_folder(stage)
        swap_folder(out)
        fingerprint = source_fingerprint()
        done = executed(notebooks, values)
        try:
            write_stage(stage, done, only, changed=bool(parameters))
            build_html(stage, out, strict=not only)
            if not only:
                STAMP.unlink(missing_ok=True)
            swap_folder(target, out / "_build" / "html")
        finally:
            shutil.rmtree(out, ignore_errors=True)
        if not (only or parameters):
            write_atomically(STAMP, fingerprint)
    say(f"book: {target / (f'book/{only}.html' if only else 'index.html')}")


def stage_for_sphinx():
    """What Sphinx reads when it was started on the repository itself, by `jupyter-book build .`: a stage like that of
    `make.py book`, and one line if there is none. Nobody else changes it before this process ends."""
    from make import ENVIRONMENT

    os.environ.update(ENVIRONMENT)
    stage = BUILD / "stage"
    try:
        carry_edits()
        notebooks = read_all()
        LOCKS.enter_context(build_lock())
        swap_folder(stage)
        write_stage(stage, executed(notebooks), only=None)
    except Stop as reason:
        sys.exit(f"jupyter-book: stopped: {reason}")
    STAMP.unlink(missing_ok=True)  # only `make.py book` says that a site was made without a warning
    return stage


def write_stage(stage, done, only, changed=False):
    """What Sphinx reads: the executed notebooks in place of the Markdown, the rest of book/, the ledger's page.

    For a preview it is one page, with stubs where the book begins and before it, so that it keeps its number.
    """
    from companion import downloads, pages
    from sparse_book.ledger import LedgerError

    for path in BOOK.rglob("*"):
        if not path.resolve().is_relative_to(ROOT):
            raise Stop(f"{path.relative_to(ROOT)} leads out of the repository, to {path.resolve()}")
    shutil.copytree(BOOK, stage / "book", ignore=shutil.ignore_patterns("*.ipynb", "_ext", ".*"))
    for config in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / config, stage)
    for name, notebook in done.items():
        (stage / f"book/{name}.md").unlink()
        (stage / f"book/{name}.ipynb").write_text(chapters.dump(notebook), encoding="utf-8")
    if only:
        write_stubs(stage, only)
    else:
        downloads.write(stage / "book/assets/downloads", ROOT, done)
    try:
        pages.write(book=BOOK, stage=stage, executed=done, only=only, accepted=proofs_accepted(), changed=changed)
    except LedgerError as error:
        raise Stop(error) from None


def write_stubs(stage, only):
    """The contents of a preview: its page, and stubs for the first page and for the numbered chapters before it."""
    import yaml

    toc = yaml.safe_load(text_of(ROOT / "_toc.yml"))
    listed = [chapter for part in toc.get("parts", [toc]) for chapter in part["chapters"]]
    numbered = only[0].isdigit()
    shown = []
    for chapter in listed:
        beside = [page["file"] for page in chapter.get("sections", [])]
        name = chapter["file"]
        if f"book/{only}" in (name, *beside):
            nested = {} if name == f"book/{only}" or not numbered else {"sections": [{"file": f"book/{only}"}]}
            shown.append({"file": name if numbered else f"book/{only}"} | nested)
            break
        if numbered and name[len("book/")].isdigit():
            shown.append({"file": name})
    root = toc["root"]
    for name in {root, *(chapter["file"] for chapter in shown)} - {f"book/{only}"}:
        title = re.search("^# (.*)", text_of(ROOT / f"{name}.md"), flags=re.MULTILINE)
        text = STUB.format(title=title[1] if title else name, only=only)
        (stage / f"{name}.md").write_text(text, encoding="utf-8")
    part = {"chapters": shown} | ({"numbered": 2} if numbered else {})
    preview = {"format": "jb-book", "root": root} | ({"parts": [part]} if shown else {})
    (stage / "_toc.yml").write_text(yaml.safe_dump(preview, sort_keys=False), encoding="utf-8")


def build_html(stage, out, strict):
    """Jupyter Book on the stage; a strict build fails at a single warning, that of a preview shows those that are not
    about the pages and labels that it leaves out."""
    start = time.perf_counter()
    log = BUILD / "sphinx.log"
    program = WITH_ITS_PARENT + JUPYTER_BOOK
    command = [sys.executable, "-c", program, "build", "--all", "-n", "--keep-going", "-q", *["-W"] * strict]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(BOOK / "_ext")])}
    command += ["--path-output", str(out), str(stage)]
    theirs, ours = map(os.fdopen, os.pipe(), "rw")
    with theirs, ours, log.open("w") as stream:
        failed = subprocess.call(
            command, cwd=ROOT, env=environment, stdin=theirs, stdout=stream, stderr=subprocess.STDOUT
        )
    text = re.sub(r"\x1b\[[\d;]*m", "", log.read_text(encoding="utf-8", errors="replace"))
    # sphinx-proof cuts the file's name; the line numbers of myst-nb are 10000 * cell + line
    text = text.replace(f"{stage}{os.sep}", "").replace(".ip.rst", ".md")
    text = re.sub(r"(Extension error.*:)\n", r"\1", text)
    text = re.sub(r"\.ipynb:(\d+)(?=\d{4})0*(\d+)", r".md, cell \1, line \2", text)
    problems = [line for line in text.splitlines() if re.search("WARNING|ERROR|[Ee]rror:", line)]
    problems.sort(key=lambda line: ".md" not in line)  # of the book first, and then what else was said
    if failed:
        raise Stop(f"Sphinx: {(problems or text.splitlines()[-1:] or ['no message'])[0]} (its log: {log})")
    for line in problems:
        if not re.search(ELSEWHERE, line):
            say(f"  {line}")
    say(f"  html: {sum(1 for _ in out.rglob('*.html'))} pages, {time.perf_counter() - start:.1f} s")


class Pages(SimpleHTTPRequestHandler):
    """The files of the first of several folders that has them."""

    folders = ()

    def translate_path(self, path):
        for folder in self.folders:
            self.directory = str(folder)
            found = super().translate_path(path)
            if os.path.exists(found):
                break
        return found

    def end_headers(self):
        self.send_header("Cache-Control", "no-cache")  # a page that was built anew is shown anew
        super().end_headers()


def serve(chapter=None):
    """Show the site to this machine alone, at port 8000 or, if that is taken, at a free one, until Ctrl-C; of one
    chapter show the preview, built again whenever a source changes, before the rest of the last complete site."""
    only = None if chapter is None else next(iter(chosen([chapter], chapters.sources(BOOK))))
    folders = [site()] if only is None else [BUILD / "preview", BUILD / "html"]
    handler = type("Handler", (Pages,), {"folders": folders, "log_message": lambda *_: None})
    try:
        server = ThreadingHTTPServer(("127.0.0.1", 8000), handler)
    except OSError:
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = "" if only is None else f"book/{only}.html"
        say(f"serve: http://127.0.0.1:{server.server_port}/{page} (Ctrl-C ends it)")
        seen = None
        try:
            while True:
                if only is not None and seen != (now := changed()):
                    seen = now
                    subprocess.call([sys.executable, str(ROOT / "make.py"), "book", "--chapter", only])
                time.sleep(LOOK_SECONDS)
        except KeyboardInterrupt:
            say("serve: ended")


def changed():
    """When each file that a page is made from was changed for the last time."""
    found = {}
    for top in SOURCES:
        for path in [ROOT / top, *(ROOT / top).rglob("*")]:
            if path.suffix != ".ipynb" and "__pycache__" not in path.parts and not path.name.startswith("."):
                with contextlib.suppress(OSError):  # an editor may just be replacing it
                    found[path] = path.stat().st_mtime_ns
    return found
