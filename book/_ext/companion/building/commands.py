"""Building the book: chapters are executed when they changed, and a site stays until the next one is complete."""

import contextlib
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from companion.building import chapters, kept
from companion.building.chapters import Notebook
from companion.places import BOOK, BUILD, ENVIRONMENT, ROOT, Stop, pages_in, text_of, yaml_of
from companion.site import links

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
# How often a build says how far Sphinx has come, in seconds: nobody takes it for dead, and its lines stay few.
PROGRESS_SECONDS = 15
# How often `serve` looks whether a source has changed, in seconds: often enough that nobody waits for it.
LOOK_SECONDS = 0.5


def say(line: str) -> None:
    print(line, flush=True)


# The notebooks


def read_all() -> dict[str, Notebook]:
    """The notebook of each source, by name; numbered chapters that would not be shown, or not be run, are refused."""
    listed = re.findall(r"book/([\w-]+)", json.dumps(yaml_of(ROOT / "_toc.yml")))
    notebooks = read(chapters.sources(BOOK))
    for name in listed:
        if name[0].isdigit() and not (name in notebooks and chapters.code_cells(notebooks[name])):
            raise Stop(f"{name} stands in _toc.yml and has no code cell to execute")
    for name in set(notebooks).difference(listed):
        raise Stop(f"{name} has code cells and does not stand in _toc.yml")
    return notebooks


def read(sources: Mapping[str, Path]) -> dict[str, Notebook]:
    """The notebooks of these sources, by name; one whose code touches its checks is refused, in a preview too."""
    from sphinx_claims import cells  # which needs packages; a bare Python starts make.py, and then installs them
    from sphinx_claims.settings import Settings

    notebooks = {name: chapters.read(path) for name, path in sources.items()}
    settings = Settings.read(BOOK)
    for name, notebook in notebooks.items():
        if fault := next(iter(cells.faults(notebook, settings.packages, settings.checks)), None):
            raise Stop(f"{name}, {fault}")
    return notebooks


def chosen(names: Iterable[str], sources: Mapping[str, Path]) -> dict[str, Path]:
    """The sources of these names; the beginning of one, such as 2 or 02, stands for it."""
    selection = {}
    for name in names:
        padded = f"{name:0>2}-" if name.isdecimal() else name
        fitting = [name] if name in sources else [source for source in sources if padded and source.startswith(padded)]
        if fitting and all(source.startswith(fitting[0]) for source in fitting):  # a chapter, and the audit beside it
            fitting = fitting[:1]
        if len(fitting) != 1:
            raise Stop(f"there is no chapter {name!r}; the chapters are {', '.join(sources)}")
        selection[fitting[0]] = sources[fitting[0]]
    return selection


def executed(notebooks: Mapping[str, Notebook]) -> dict[str, Notebook]:
    """The notebooks with their outputs: those of _build/executed where nothing has changed, the others run now, and
    kept unless their sources changed under way."""
    folder = BUILD / "executed"
    folder.mkdir(parents=True, exist_ok=True)
    expected = {name: kept.execution(notebook)[:16] for name, notebook in notebooks.items()}
    runs = {name: kept_run(name, notebook, expected[name]) for name, notebook in notebooks.items()}
    done = {name: run for name, run in runs.items() if run is not None}
    missing = [name for name in notebooks if name not in done]
    length = {name: sum(len(cell["source"]) for cell in notebooks[name]["cells"]) for name in missing}
    longest_first = {name: notebooks[name] for name in sorted(missing, key=length.__getitem__, reverse=True)}
    for name, outcome, seconds in chapters.execute_all(longest_first, BOOK):
        if isinstance(outcome, chapters.ChapterError):
            log = BUILD / f"{name}.traceback.txt"
            log.write_text(outcome.traceback, encoding="utf-8")
            raise Stop(f"{name}, {outcome}" + (f" (full traceback: {log})" if outcome.traceback else ""))
        if isinstance(outcome, Exception):
            raise outcome
        if kept.execution(notebooks[name])[:16] == expected[name]:
            for old in folder.glob(f"{name}.*"):
                old.unlink()
            text = chapters.dump(outcome)
            kept.write_atomically(folder / f"{name}.{expected[name]}.{kept.digest(text.encode())[:16]}.ipynb", text)
        done[name] = outcome
        say(f"  {name}: {len(chapters.code_cells(outcome))} cells, {seconds:.1f} s")
    return {name: done[name] for name in notebooks}


def kept_run(name: str, notebook: Notebook, expected: str) -> Notebook | None:
    """A chapter with the outputs kept in _build/executed, read once, before any chapter runs; none if they were edited,
    for the name of the file has the digest of its bytes, or are no run of this chapter."""
    import nbformat

    for path in (BUILD / "executed").glob(f"{name}.{expected}.*.ipynb"):
        text = path.read_bytes()
        if path.name == f"{name}.{expected}.{kept.digest(text)[:16]}.ipynb":
            with contextlib.suppress(Exception):  # of nbformat, of JSON, and of what else a broken file can bring about
                return chapters.with_outputs(notebook, nbformat.reads(text.decode(), as_version=4))
    return None


def prepare() -> None:
    """Build the site of the present sources before tests ask for it; what fails the tests will tell."""
    if not kept.is_current():
        with contextlib.suppress(Stop):
            book()


def refresh(names: Sequence[str]) -> None:
    """Write book/*.ipynb where the source or what it shows has changed."""
    from companion.building import stored

    notebooks = read(chosen(names, chapters.sources(BOOK))) if names else read_all()
    if edited := stored.edited(notebooks):
        raise Stop(edited)
    site = links.configured("html", "baseurl")
    with kept.build_lock():
        for name, fresh in executed(notebooks).items():
            path = BOOK / f"{name}.ipynb"
            text = chapters.dump(stored.with_kept(stored.written(name, fresh, site), path))
            if not (path.is_file() and path.read_bytes() == text.encode()):
                kept.write_atomically(path, text)
                say(f"  {name}: written")
    say("refresh: book/*.ipynb are up to date")


def publish() -> None:
    """Confirm what the present book says and shows: write book/claims/published.yml, and say what changed."""
    from companion.building import evidence
    from sphinx_claims import LedgerError

    notebooks = read_all()
    today = datetime.datetime.now(datetime.UTC).date()
    with kept.build_lock():
        try:
            text, lines = evidence.published_anew(BOOK, executed(notebooks), today)
        except LedgerError as error:
            raise Stop(error) from None
        kept.write_atomically(BOOK / "claims/published.yml", text)
    for line in lines:
        say(f"  {line}")
    say("publish: book/claims/published.yml is that of the present book; `git diff` shows it to who reviews it")


# The site


def book(chapter: str | None = None) -> None:
    """Build the site, or the preview of one chapter; what fails leaves the last one as it was."""
    from companion.building import stored

    sources = chapters.sources(BOOK)
    if chapter is not None:
        sources = chosen([chapter], sources)
    notebooks = read_all() if chapter is None else read(sources)
    if edited := stored.edited(notebooks):
        say(f"  {edited}")
    only = None if chapter is None else next(iter(sources))
    stage = BUILD / "stage"
    out = BUILD / "out"
    target = BUILD / ("preview" if only else "html")
    with kept.build_lock():
        kept.swap_folder(stage)
        kept.swap_folder(out)
        fingerprint = kept.source_fingerprint()
        done = executed(notebooks)
        try:
            write_stage(stage, done, only)
            build_html(stage, out, strict=not only)
            if not only:
                kept.STAMP.unlink(missing_ok=True)
            kept.swap_folder(target, out / "_build" / "html")
        finally:
            shutil.rmtree(out, ignore_errors=True)
        if not only:
            kept.write_atomically(kept.STAMP, fingerprint)
    say(f"book: {target / (f'book/{only}.html' if only else 'index.html')}")


def stage_for_sphinx() -> Path:
    """What Sphinx reads when it was started on the repository itself, by `jupyter-book build .`: a stage like that of
    `make.py book`, and one line if there is none. Nobody else changes it before this process ends."""
    os.environ.update(ENVIRONMENT)
    stage = BUILD / "stage"
    try:
        notebooks = read_all()
        LOCKS.enter_context(kept.build_lock())
        kept.swap_folder(stage)
        write_stage(stage, executed(notebooks), only=None)
    except Stop as reason:
        sys.exit(f"jupyter-book: stopped: {reason}")
    kept.STAMP.unlink(missing_ok=True)  # only `make.py book` says that a site was made without a warning
    return stage


def write_stage(stage: Path, done: Mapping[str, Notebook], only: str | None) -> None:
    """What Sphinx reads: the executed notebooks in place of the Markdown, the rest of book/, the ledger's page.

    For a preview it is one page, with stubs where the book begins and before it, so that it keeps its number.
    """
    from companion.building import downloads, evidence
    from sphinx_claims import LedgerError

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
    accepted = kept.proofs_accepted()
    try:
        evidence.write(book=BOOK, stage=stage, executed=done, only=only, accepted=accepted)
    except LedgerError as error:
        raise Stop(error) from None


def write_stubs(stage: Path, only: str) -> None:
    """The contents of a preview: its page, and stubs for the first page and for the numbered chapters before it."""
    import yaml

    toc = yaml_of(ROOT / "_toc.yml")
    parts = toc.get("parts", [toc])
    around: dict[str, Any] = next((part for part in parts if f"book/{only}" in pages_in(part)), {"chapters": []})
    numbered = "numbered" in around
    shown: list[dict[str, Any]] = []
    for chapter in around["chapters"]:
        beside = [page["file"] for page in chapter.get("sections", [])]
        name = chapter["file"]
        if f"book/{only}" in (name, *beside):
            nested = {} if name == f"book/{only}" or not numbered else {"sections": [{"file": f"book/{only}"}]}
            shown.append({"file": name if numbered else f"book/{only}"} | nested)
            break
        if numbered:
            shown.append({"file": name})
    root = toc["root"]
    for name in {root, *(chapter["file"] for chapter in shown)} - {f"book/{only}"}:
        title = re.search("^# (.*)", text_of(ROOT / f"{name}.md"), flags=re.MULTILINE)
        text = STUB.format(title=title[1] if title else name, only=only)
        (stage / f"{name}.md").write_text(text, encoding="utf-8")
    part = {"chapters": shown} | ({"numbered": 2} if numbered else {})
    preview = {"format": "jb-book", "root": root} | ({"parts": [part]} if shown else {})
    (stage / "_toc.yml").write_text(yaml.safe_dump(preview, sort_keys=False), encoding="utf-8")


@contextlib.contextmanager
def progress(out: Path) -> Iterator[None]:
    """Say every few seconds how many pages Sphinx has read and written."""
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(PROGRESS_SECONDS):
            read, written = (sum(1 for _ in out.rglob(kind)) for kind in ("*.doctree", "*.html"))
            say(f"  {read} pages read, {written} written")

    threading.Thread(target=look, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def build_html(stage: Path, out: Path, strict: bool) -> None:
    """Jupyter Book on the stage; a strict build fails at a single warning, that of a preview shows those that are not
    about the pages and labels that it leaves out."""
    start = time.perf_counter()
    log = BUILD / "sphinx.log"
    program = WITH_ITS_PARENT + JUPYTER_BOOK
    command = [sys.executable, "-c", program, "build", "--all", "-n", "--keep-going", "-q", *["-W"] * strict]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(BOOK / "_ext")])}
    command += ["--path-output", str(out), str(stage)]
    theirs, ours = map(os.fdopen, os.pipe(), "rw")
    say("  building the site")
    with theirs, ours, log.open("w") as stream, progress(out):
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

    folders: Sequence[Path] = ()

    def translate_path(self, path: str) -> str:
        for folder in self.folders:
            self.directory = str(folder)
            translated = super().translate_path(path)
            if os.path.exists(translated):
                break
        return translated

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")  # a page that was built anew is shown anew
        super().end_headers()


def serve(chapter: str | None = None) -> None:
    """Show the site to this machine alone, at port 8000 or, if that is taken, at a free one, until Ctrl-C; of one
    chapter show the preview, built again whenever a source changes, before the rest of the last complete site."""
    only = None if chapter is None else next(iter(chosen([chapter], chapters.sources(BOOK))))
    folders = [kept.site()] if only is None else [BUILD / "preview", BUILD / "html"]
    handler = type("Handler", (Pages,), {"folders": folders, "log_message": lambda *_: None})
    try:
        server = ThreadingHTTPServer(("127.0.0.1", 8000), handler)
    except OSError:
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = "" if only is None else f"book/{only}.html"
        say(f"serve: http://127.0.0.1:{server.server_port}/{page} (Ctrl-C ends it)")
        seen = ""
        try:
            while True:
                with contextlib.suppress(OSError):  # an editor may just be replacing a file
                    if only is not None and seen != (now := kept.source_fingerprint()):
                        seen = now
                        subprocess.call([sys.executable, str(ROOT / "make.py"), "book", "--chapter", only])
                time.sleep(LOOK_SECONDS)
        except KeyboardInterrupt:
            say("serve: ended")
