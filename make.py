#!/usr/bin/env python3
"""The commands of this book. The standard library starts them; the first run installs the requirements into .venv.

Every failure is one readable line and an exit code other than 0, and no failed build leaves a half-built site.
"""

import argparse
import errno
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
BOOK, BUILD, VENV = ROOT / "book", ROOT / "_build", ROOT / ".venv"
PINS = ROOT / "requirements.txt"
BENCH, BENCH_VENV = ROOT / "tests" / "benchmarks", ROOT / ".bench-venv"
MATHEMATICS = ["tests/core", "tests/sparse_book", "sparse_core", "sparse_book"]
CACHES = ("__pycache__", ".ipynb_checkpoints", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis")
ENVIRONMENT = {  # the same book whoever builds it, and wherever
    "PYTHONPATH": str(ROOT),
    "PYTHONNOUSERSITE": "1",
    "PYTHONSTARTUP": "",
    "PYTHONWARNINGS": "",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    **dict.fromkeys(("MPLCONFIGDIR", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR"), str(BUILD / "home")),
    "JUPYTER_PREFER_ENV_PATH": "1",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}

sys.path.append(str(BOOK / "_ext"))
from companion import Stop, build  # noqa: E402  (the line above finds them)


def bootstrap(venv, pins):
    """The interpreter of an environment with the pinned requirements; what an interrupted run left is made again."""
    python = str(venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    stamp, version = venv / "requirements.sha", "{}.{}".format(*sys.version_info)
    wanted = f"{hashlib.sha256(pins.read_bytes()).hexdigest()} {version}"
    if not (stamp.is_file() and stamp.read_text() == wanted):
        print(f"first run: installing the pinned packages of {pins.name} into {venv.name} (about a minute)")
        install([sys.executable, "-m", "venv", "--clear", "--without-pip", str(venv)])
        install([python, "-m", "ensurepip"])
        install([python, "-m", "pip", "install", "--no-input", "-r", str(pins)])
        stamp.write_text(wanted)
    return python


def install(command):
    """Run one step of the installation; if it fails, say why."""
    step = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if step.returncode:
        log = step.stdout
        if os.strerror(errno.ENOSPC) in log:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if re.search("No module named '?(venv|ensurepip)", log):
            raise Stop("this Python has no venv: install it (Debian: apt install python3-venv), then run again")
        if re.search("NewConnectionError|ConnectTimeout|NameResolution|ProxyError|Retrying", log):
            raise Stop("no network: the first run downloads the pinned packages; connect, then run again")
        reason = (re.findall("ERROR: (.*)", log) or log.splitlines()[-1:] or ["no reason given"])[-1]
        raise Stop(f"the requirements could not be installed ({reason}); tried: {' '.join(command)}")


def enter(venv, pins, command):
    """Go on with a command inside an environment, with settings under which two runs do the same."""
    BUILD.mkdir(exist_ok=True)
    os.environ.update(ENVIRONMENT)
    if not os.environ.get("COMPANION_NO_VENV"):
        command = [bootstrap(venv, pins), *command]
        os.environ["COMPANION_NO_VENV"] = "1"
        sys.exit(subprocess.call(command)) if os.name == "nt" else os.execv(command[0], command)


def call(what, arguments):
    if code := subprocess.call([sys.executable, *arguments], cwd=ROOT):
        raise Stop(f"{what} ended with exit code {code}; the reasons are above")


def book(chapter, parameters):
    """execute the chapters that changed, write the ledger, build the offline site: _build/html"""
    build.book(chapter, parameters)


def refresh(names):
    """bring the stored outputs, book/*.ipynb, up to date with the chapters"""
    build.refresh(names)


def extras():
    """from the site: run every script that it offers, and print the book: _build/sparse-activations.pdf"""
    from companion import downloads, pdf

    site, path = build.site(), BUILD / "sparse-activations.pdf"
    print(f"extras: {downloads.run_all(site, ROOT)} scripts run with the package and matplotlib alone")
    print(f"extras: {path}, {pdf.write(site, path)} pages")


def test(quick, arguments):
    """run the tests, on all cores; with further arguments pytest alone decides"""
    parallel = ["-n", str(os.cpu_count() or 1), "--dist", "loadfile", "--no-loadscope-reorder"]
    if not (quick or arguments):
        build.prepare()
    call("pytest", ["-m", "pytest", *(arguments or parallel), *MATHEMATICS * quick])


def check():
    """lint, formatting, types, and that imports go from room to room downwards"""
    lint_imports = "from importlinter.cli import lint_imports_command as run; run()"
    tools = {"ruff": ["-m", "ruff", "check"], "ruff format": ["-m", "ruff", "format", "--check"]}
    tools |= {"mypy": ["-m", "mypy"], "import-linter": ["-c", lint_imports, "--no-cache"]}
    if failed := [name for name, words in tools.items() if subprocess.call([sys.executable, *words], cwd=ROOT)]:
        raise Stop(f"{' and '.join(failed)} found something; see above")
    print("check: lint, formatting, types and imports are clean")


def serve():
    """show _build/html at a local address"""
    build.serve()


def bench(arguments):
    """time the package beside other libraries, in .bench-venv; further: --quick, --only NAME, --output FILE"""
    command = ["-P", "-m", "tests.benchmarks.run", *arguments]
    enter(BENCH_VENV, BENCH / "requirements.txt", command)
    call("the benchmark", command)


def prove(arguments):
    """compile the proofs and say what Coq makes of each statement; further arguments: --controls, --full"""
    fingerprint = build.proofs_fingerprint()
    if code := subprocess.call([sys.executable, "proofs/check.py", *arguments], cwd=ROOT):
        sys.exit(code)  # it said why; 3 where there is no Coq
    BUILD.mkdir(exist_ok=True)
    if not arguments:
        build.put(build.PROVED, fingerprint)


def clean():
    """remove _build and the caches"""
    kept = {VENV, BENCH_VENV}
    for path in [BUILD, *(path for name in CACHES for path in ROOT.rglob(name) if not kept & set(path.parents))]:
        if path.exists():
            shutil.rmtree(path)
    print("clean: _build and the caches are gone (.venv and .bench-venv stay)")


COMMANDS = {command.__name__: command for command in (book, test, refresh, check, serve, extras, bench, prove, clean)}


def parse(arguments):
    """(command, its options); the first line of a command's docstring is its help"""
    parser = argparse.ArgumentParser(prog="make.py", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    add = {name: commands.add_parser(name, help=run.__doc__, allow_abbrev=False) for name, run in COMMANDS.items()}
    add["book"].add_argument("--chapter", metavar="NAME", help="this one only, by its name or number: _build/preview")
    add["book"].add_argument("parameters", nargs="*", metavar="name=value", help="a parameter of the chapters")
    add["refresh"].add_argument("names", nargs="*", metavar="NAME", help="these chapters only")
    add["test"].add_argument("--quick", action="store_true", help="the mathematics alone, in a minute")
    known, further = parser.parse_known_args(arguments)
    command, options = known.command, {key: value for key, value in vars(known).items() if key != "command"}
    if command in ("test", "bench", "prove"):
        options["arguments"] = further
    elif further:
        add[command].error(f"unknown argument: {' '.join(further)}")
    return command, options


def main(arguments):
    command, options = parse(arguments)
    sys.stdout.reconfigure(line_buffering=True)
    try:
        if not (3, 11) <= sys.version_info[:2] <= (3, 13):
            raise Stop("this needs Python 3.11, 3.12 or 3.13 and runs on {}.{}".format(*sys.version_info))
        if command not in ("serve", "bench", "prove", "clean"):
            enter(VENV, PINS, [str(ROOT / "make.py"), *arguments])
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
