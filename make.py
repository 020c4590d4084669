#!/usr/bin/env python3
"""The commands of this book. The standard library starts them; the first run installs the requirements into .venv.

Every failure is one readable line and an exit code other than 0, and no failed build leaves a site behind.
"""

import argparse
import errno
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent
BOOK, BUILD, VENV = ROOT / "book", ROOT / "_build", ROOT / ".venv"
DIRECT, PINS = ROOT / "requirements.in", ROOT / "requirements.txt"
LOCKER = "uv==0.13.8"
BENCH, BENCH_VENV = ROOT / "benchmarks", ROOT / ".bench-venv"
STAMP = BUILD / "site.sha"  # the fingerprint of the sources that _build/html was made from
SOURCES = ("book", "sparse_core", "benchmarks/results.json", "_config.yml", "_toc.yml", "make.py", "requirements.txt")
UNIT_TESTS = ["tests/core", "sparse_core"]
CACHES = ("__pycache__", ".ipynb_checkpoints", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis")
REPRODUCIBLE = {
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "IPYTHONDIR": str(BUILD / "ipython"),  # nobody's own start-up files reach a chapter
    "JUPYTER_PREFER_ENV_PATH": "1",  # nor does a kernel of the user's
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
JUPYTER_BOOK = "from jupyter_book.cli.main import main; main()"  # jupyter_book has no __main__


class Stop(Exception):
    """What went wrong and what to do about it."""


class Refused(Stop):
    """Packages that cannot be installed here, though there is a network."""

    def __init__(self, reason, command):
        super().__init__(f"the requirements could not be installed ({reason}); tried: {' '.join(command)}")
        self.reason = reason


def say(line):
    print(line, flush=True)


# The environment


def interpreter(venv):
    return str(venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def create(venv):
    """The interpreter of a new environment with pip and nothing else."""
    install([sys.executable, "-m", "venv", "--clear", "--without-pip", str(venv)])
    install([interpreter(venv), "-m", "ensurepip"])
    return interpreter(venv)


def pinned(pins):
    """The version of each pinned package, by name."""
    return dict(re.findall(r"^([\w.-]+)==([\w.]+)", pins.read_text(encoding="utf-8"), re.MULTILINE))


def unhashed(pins):
    """The pins as constraints: with hashes, pip would ask for those of every other package too."""
    return "".join(f"{name}=={version}\n" for name, version in pinned(pins).items())


def bootstrap(venv=None, pins=None, peers=()):
    """The interpreter of an environment with the pinned requirements; what an interrupted run left is made again.

    Of the peers each is tried alone; those that cannot be installed stand in refused.json, with the reason.
    """
    venv, pins = venv or VENV, pins or PINS
    python = interpreter(venv)
    text = pins.read_bytes() + "".join(peers).encode()
    stamp, wanted = venv / "pins.sha", "{} {}.{}".format(hashlib.sha256(text).hexdigest(), *sys.version_info)
    if not (stamp.is_file() and stamp.read_text() == wanted):
        total = len(pinned(pins))
        say(f"first run: installing {total + len(peers)} pinned packages into {venv.name} (about a minute)")
        create(venv)
        install([python, "-m", "pip", "install", "--no-input", "-r", str(pins)], total)
        refused, bare = {}, venv / "pins.txt"
        bare.write_text(unhashed(pins))
        for peer in peers:
            try:
                install([python, "-m", "pip", "install", "--no-input", "-c", str(bare), peer])
            except Refused as refusal:
                refused[peer.split("==")[0]] = refusal.reason
                say(f"  {peer} is left out: {refusal.reason}")
        if peers:
            (venv / "refused.json").write_text(json.dumps(refused))
        stamp.write_text(wanted)
    return python


def install(command, total=0):
    """Run one step of the installation, with a bar on a terminal; if it fails, say why."""
    log, done, bar = "", 0, total and sys.stdout.isatty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as step:
        for line in step.stdout:
            log, done = log + line, done + line.startswith(("Collecting ", "Processing ", "Ignoring "))
            if bar:
                print(f"\r  {'#' * (40 * done // total):40} {done} of {total}", end="", flush=True)
    if bar:
        say("")
    if step.returncode:
        raise_if_disk_full(log)
        if re.search("No module named '?(venv|ensurepip)", log):
            raise Stop("this Python has no venv: install it (Debian: apt install python3-venv), then run again")
        if re.search("NewConnectionError|ConnectTimeout|NameResolution|ProxyError|Retrying", log):
            raise Stop("no network: the first run downloads the pinned packages; connect, then run again")
        reason = (re.findall("ERROR: (.*)", log) or log.splitlines()[-1:] or ["no reason given"])[-1]
        raise Refused(reason, command)


def raise_if_disk_full(log):
    if os.strerror(errno.ENOSPC) in log:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


# Whenever a run is killed, a file is the old one or the new one, and a folder is complete or not there


def put(path, text):
    partial = BUILD / "partial"
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def discard(folder):
    leaving = BUILD / "leaving"
    shutil.rmtree(leaving, ignore_errors=True)
    if folder.exists():
        folder.rename(leaving)
        shutil.rmtree(leaving, ignore_errors=True)


# The book


def sources():
    """The Markdown sources that are executed, by name: the chapters and whatever else has a notebook's header."""
    pages = sorted(BOOK.glob("*.md"))
    return {path.stem: path for path in pages if "format_name: myst" in path.read_text(encoding="utf-8")[:500]}


def read_all():
    """The notebook of each source, by name."""
    from companion import chapters

    try:
        return {name: chapters.read(path) for name, path in sources().items()}
    except chapters.ChapterError as error:
        raise Stop(error) from None


def execute(notebooks, values, jobs=None):
    """The executed notebooks; says how long each one took, or where one failed."""
    from companion import chapters

    executed, bars, record = {}, sys.stderr.isatty(), BUILD / "seconds.json"
    known = json.loads(record.read_text()) if record.is_file() else {}
    seconds_of = {name: known.get(name, len(chapters.code_cells(notebook)) / 3) for name, notebook in notebooks.items()}
    longest_first = {name: notebooks[name] for name in sorted(notebooks, key=lambda name: -seconds_of[name])}
    for name, done, seconds in chapters.execute_all(longest_first, values, cwd=BOOK, jobs=jobs, bars=bars):
        if isinstance(done, chapters.ChapterError):
            log = BUILD / f"{name}.traceback.txt"
            log.write_text(done.traceback, encoding="utf-8")
            raise Stop(f"{name}, {done}" + (f" (full traceback: {log})" if done.traceback else ""))
        if isinstance(done, Exception):
            raise done
        executed[name], known[name] = done, round(seconds, 1)
        clear = "\r\x1b[K" if bars else ""
        say(f"{clear}  {name}: {len(chapters.code_cells(done))} cells, {seconds:.1f} s")
    put(record, json.dumps(known))
    return {name: executed[name] for name in notebooks}


def write_stage(stage, notebooks, executed, only):
    """What Sphinx reads: the executed notebooks in place of the Markdown, the rest of book/, the ledger's page."""
    from companion import chapters, downloads, ledger_page

    from sparse_core.notebook.ledger import LedgerError

    unwanted = shutil.ignore_patterns("*.ipynb", *CACHES, *(f"{name}.md" for name in notebooks))
    shutil.copytree(BOOK, stage / "book", ignore=unwanted)
    for config in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / config, stage)
    for name in notebooks:
        stored, staged = BOOK / f"{name}.ipynb", stage / "book" / f"{name}.ipynb"
        if name not in executed and stored.exists():
            shutil.copy(stored, staged)
        else:
            staged.write_text(chapters.dump(executed.get(name, notebooks[name])), encoding="utf-8")
    downloads.write(stage / "book/assets/downloads", sources(), {**notebooks, **executed})
    try:
        ledger_page.write(stage=stage, executed=executed, only=only)
    except LedgerError as error:
        raise Stop(error) from None


def build_html(stage, out, strict):
    """Jupyter Book on the stage; a strict build fails at a single warning, another one shows them."""
    start, log = time.perf_counter(), BUILD / "sphinx.log"
    command = [sys.executable, "-c", JUPYTER_BOOK, "build", "--all", "-n", "--keep-going", "-q", *["-W"] * strict]
    with log.open("w") as stream:
        command += ["--path-output", str(out), str(stage)]
        failed = subprocess.call(command, cwd=ROOT, stdout=stream, stderr=subprocess.STDOUT)
    text = re.sub(r"\x1b\[[\d;]*m", "", log.read_text(encoding="utf-8", errors="replace"))
    raise_if_disk_full(text)
    # sphinx-proof cuts the file's name; the line numbers of myst-nb are 10000 * cell + line
    text = text.replace(f"{stage}{os.sep}", "").replace(".ip.rst", ".md")
    text = re.sub(r"\.ipynb:(\d+)(?=\d{4})0*(\d+)", r".md, cell \1, line \2", text)
    problems = [line for line in text.splitlines() if re.search("WARNING|ERROR|[Ee]rror:", line)]
    if failed:
        raise Stop(f"Sphinx: {(problems or text.splitlines()[-1:] or ['no message'])[0]} (its log: {log})")
    for line in problems:
        say(f"  {line}")
    say(f"  html: {sum(1 for _ in out.rglob('*.html'))} pages, {time.perf_counter() - start:.1f} s")


def source_fingerprint():
    """sha256 over everything that the site is made from."""
    digest = hashlib.sha256()
    for top in SOURCES:
        for path in sorted([ROOT / top, *(ROOT / top).rglob("*")]):
            if path.is_file() and path.suffix != ".ipynb" and not set(path.parts) & set(CACHES):
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                digest.update(f"{path.relative_to(ROOT).as_posix()} {content}\n".encode())
    return digest.hexdigest()


# The commands; the first line of each one's docstring is its help


def book(chapter, jobs, parameters):
    """execute the chapters, write the ledger, build the offline site: _build/html"""
    from companion import chapters

    notebooks = read_all()
    if chapter and chapter not in notebooks:
        raise Stop(f"there is no chapter {chapter!r}; the chapters are {', '.join(notebooks)}")
    chosen = {name: notebook for name, notebook in notebooks.items() if chapter in (None, name)}
    try:
        values = chapters.share_out(parameters, chosen)
    except ValueError as error:
        raise Stop(error) from None

    stage, out, site = BUILD / "stage", BUILD / "out", BUILD / ("preview" if chapter else "html")
    BUILD.mkdir(exist_ok=True)
    if not chapter:
        STAMP.unlink(missing_ok=True)
    for folder in (stage, out, site):
        discard(folder)
    fingerprint = source_fingerprint()
    executed = execute(chosen, values, jobs)
    try:
        write_stage(stage, notebooks, executed, chapter)
        build_html(stage, out, strict=not chapter)
        (out / "_build" / "html").rename(site)
    finally:
        shutil.rmtree(out, ignore_errors=True)
    if not (chapter or parameters):
        put(STAMP, fingerprint)
    say(f"book: {site / 'index.html'}")


def test(arguments):
    """run the tests; further arguments go to pytest"""
    start = time.perf_counter()
    if code := subprocess.call([sys.executable, "-m", "pytest", *arguments], cwd=ROOT):
        raise Stop(f"pytest ended with exit code {code}; the reasons are above")
    say(f"test: passed in {time.perf_counter() - start:.0f} s")


def refresh(all, names):
    """write book/*.ipynb, text outputs only, from the book/*.md that changed"""
    from companion import chapters

    BUILD.mkdir(exist_ok=True)
    changed, old, notebooks = {}, {}, read_all()
    if unknown := set(names).difference(notebooks):
        raise Stop(f"there is no chapter {min(unknown)!r}; the chapters are {', '.join(notebooks)}")
    for name, notebook in notebooks.items():
        stored = BOOK / f"{name}.ipynb"
        old[name] = stored.read_text(encoding="utf-8") if stored.exists() else ""
        if old[name] and not (all or name in names) and chapters.same_source(json.loads(old[name]), notebook):
            say(f"  {name}: unchanged")
        else:
            changed[name] = notebook
    for name, fresh in execute(changed, {}).items():
        for cell in chapters.code_cells(fresh):
            cell.outputs = chapters.text_only(cell.outputs)
        if chapters.dump(fresh) != old[name]:
            put(BOOK / f"{name}.ipynb", chapters.dump(fresh))
    say("refresh: book/*.ipynb are up to date")


def bench(quick, only):
    """time the package beside other libraries, installed into .bench-venv: benchmarks/results.json"""
    os.environ["USE_CUDA"] = "0"  # pyfwht would look for a graphics card while it is installed
    python = bootstrap(BENCH_VENV, BENCH / "requirements.txt", (BENCH / "peers.txt").read_text().split())
    command = [python, "-P", "-m", "benchmarks.run", *["--quick"] * quick, *(f"--only={name}" for name in only)]
    try:
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE)
    except KeyboardInterrupt:
        if quick or only:
            raise
        raise Stop("interrupted; what was measured is kept, and the same command goes on from there") from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").splitlines()
        raise Stop(lines[-1] if lines else f"the measurements ended with exit code {done.returncode}")
    if quick or only:
        say("bench: done; a run of all cases would write benchmarks/results.json")
    else:
        say("bench: benchmarks/results.json; `python3 make.py refresh performance` shows it in the book")


def built():
    """The site, which some commands start from."""
    if not (BUILD / "html").is_dir():
        raise Stop("there is no site yet: run `python3 make.py book` first")
    return BUILD / "html"


def browser():
    """The path of a browser that can run without a screen."""
    if found := next(filter(None, map(shutil.which, BROWSERS)), None):
        return found
    raise Stop(f"no browser was found ({', '.join(BROWSERS)}): install Chromium or Chrome, then run again")


def pdf():
    """print the whole book from the site: _build/sparse-activations.pdf"""
    from companion import pdf as printing

    site, path = built(), BUILD / "sparse-activations.pdf"
    path.unlink(missing_ok=True)
    say(f"pdf: {path}, {printing.write(site, browser(), path)} pages")


def screenshot():
    """take the picture of the ledger that README.md shows: book/assets/screenshot.png"""
    from companion import pdf as printing

    path = BOOK / "assets" / "screenshot.png"
    printing.screenshot(built() / "book" / "ledger.html", "#lemma-7", browser(), path)
    say(f"screenshot: {path}")


def serve(port):
    """show _build/html at a local address"""
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    handler = functools.partial(SimpleHTTPRequestHandler, directory=built())
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    except (OSError, OverflowError) as error:
        raise Stop(f"port {port} cannot be used ({error}): choose another with --port") from None
    say(f"serve: http://127.0.0.1:{server.server_port}/ (Ctrl-C ends it)")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        say("serve: ended")


def lock():
    """write requirements.txt, with the hash of every file, from requirements.in"""
    python = create(BUILD / "lock")
    install([python, "-m", "pip", "install", "--no-input", LOCKER])
    compile_ = "-m uv pip compile -q --universal --python-version 3.11.5 --generate-hashes --no-annotate".split()
    command = [python, *compile_, "--custom-compile-command", "python3 make.py lock", DIRECT.name, "-o", PINS.name]
    if subprocess.call([*command, "--no-config", "--no-cache", "--system-certs"], cwd=ROOT):
        raise Stop("the requirements do not fit together; the reason is above, and requirements.txt is as it was")
    say(f"lock: {PINS.name} pins {len(pinned(PINS))} packages; what fitted before has kept its version")


def latest():
    """run the unit tests with the newest versions of the direct requirements, installed into _build/latest"""
    python, direct = create(BUILD / "latest"), pinned(DIRECT)
    say(f"latest: installing the newest versions of {len(direct)} packages and of what they need")
    install([python, "-m", "pip", "install", "--no-input", *direct])
    listed = json.loads(subprocess.check_output([python, "-m", "pip", "list", "--format=json"], text=True))
    newest = {re.sub("[-_.]+", "-", package["name"]).lower(): package["version"] for package in listed}
    for name, version in pinned(PINS).items():
        if newest.get(name, version) != version:
            say(f"  {name}: {version} became {newest[name]}")
    environment = {**os.environ, **REPRODUCIBLE, "PYTHONPATH": str(ROOT)}
    if code := subprocess.call([python, "-m", "pytest", *UNIT_TESTS], cwd=ROOT, env=environment):
        raise Stop(f"with these versions pytest ends with exit code {code}; the reasons are above")
    say("latest: the unit tests pass with these versions")


def downloads():
    """run every script that the site offers, with the package and matplotlib alone"""
    scripts = sorted((built() / "_static/downloads").glob("*.py"))
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | REPRODUCIBLE
    with tempfile.TemporaryDirectory() as folder:
        source, bare = Path(folder, "source"), Path(folder, "pins.txt")
        shutil.copytree(ROOT / "sparse_core", source / "sparse_core", ignore=shutil.ignore_patterns(*CACHES))
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, source)
        bare.write_text(unhashed(PINS))
        python = create(Path(folder, "venv"))
        install([python, "-m", "pip", "install", "--no-input", "-c", str(bare), str(source), "matplotlib"])

        def run(script):
            start, command = time.perf_counter(), [python, str(script)]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
            return script.name, done, time.perf_counter() - start

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, done, seconds in pool.map(run, scripts):
                if done.returncode:
                    raise Stop(f"{name}: {(done.stderr.splitlines() or [f'exit code {done.returncode}'])[-1]}")
                say(f"  {name}: {seconds:.1f} s")
    say(f"downloads: {len(scripts)} scripts run with the package and matplotlib alone")


def check():
    """lint, formatting and types"""
    tools = ("ruff check .", "ruff format --check .", "mypy sparse_core")
    if failed := [tool for tool in tools if subprocess.call([sys.executable, "-m", *tool.split()], cwd=ROOT)]:
        raise Stop(f"{' and '.join(failed)} found something; see above")
    say("check: lint, formatting and types are clean")


def clean():
    """remove _build and the caches"""
    kept = {VENV, BENCH_VENV}
    for path in [BUILD, *(path for name in CACHES for path in ROOT.rglob(name) if not kept & set(path.parents))]:
        shutil.rmtree(path, ignore_errors=True)
    say("clean: _build and the caches are gone (.venv and .bench-venv stay)")


ALL = (book, test, refresh, serve, pdf, screenshot, downloads, bench, lock, latest, check, clean)
COMMANDS = {command.__name__: command for command in ALL}


def parse(arguments):
    """(command, its options)"""
    parser = argparse.ArgumentParser(prog="make.py", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    add = {name: commands.add_parser(name, help=run.__doc__, allow_abbrev=False) for name, run in COMMANDS.items()}
    add["book"].add_argument("--chapter", metavar="NAME", help="execute this one only; the site is _build/preview")
    add["book"].add_argument("--jobs", metavar="N", type=at_least_one, help="chapters at a time; default: one a core")
    add["book"].add_argument("parameters", nargs="*", metavar="name=value", help="a parameter of the chapters")
    add["refresh"].add_argument("--all", action="store_true", help="execute the unchanged chapters too")
    add["refresh"].add_argument("names", nargs="*", metavar="NAME", help="execute this one even if it is unchanged")
    add["bench"].add_argument("--quick", action="store_true", help="small cases only, in half a minute")
    add["bench"].add_argument("--only", metavar="NAME", action="append", default=[], help="the cases that begin so")
    add["serve"].add_argument("--port", type=int, default=8000, help="default: %(default)s")
    known, further = parser.parse_known_args(arguments)
    options = vars(known)
    command = options.pop("command")
    if command == "test":
        options["arguments"] = further
    elif further:
        add[command].error(f"unknown argument: {' '.join(further)}")
    return command, options


def at_least_one(text):
    if not (text.isdecimal() and int(text) >= 1):
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 on, not {text!r}")
    return int(text)


def enter_environment(arguments):
    """Continue inside .venv, with settings under which two runs do the same."""
    os.environ.update(REPRODUCIBLE, PYTHONPATH=os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])))
    if not os.environ.get("COMPANION_NO_VENV"):
        command = [bootstrap(), str(ROOT / "make.py"), *arguments]
        os.environ["COMPANION_NO_VENV"] = "1"
        sys.exit(subprocess.call(command)) if os.name == "nt" else os.execv(command[0], command)
    sys.path.append(str(BOOK / "_ext"))


def main(arguments):
    command, options = parse(arguments)
    try:
        if not (3, 11) <= sys.version_info[:2] <= (3, 13):
            raise Stop("this needs Python 3.11, 3.12 or 3.13 and runs on {}.{}".format(*sys.version_info))
        if command not in ("serve", "downloads", "bench", "lock", "latest", "clean"):
            enter_environment(arguments)
        COMMANDS[command](**options)
        return 0
    except KeyboardInterrupt:
        problem = "interrupted; nothing half built was kept"
    except Stop as stop:
        problem = stop
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT) or os.strerror(errno.ENOSPC) in str(error)
        problem = "the disk is full: free some space, then run the same command again" if full else error
    print(f"{command}: stopped: {problem}", file=sys.stderr, flush=True)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
