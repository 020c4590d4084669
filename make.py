#!/usr/bin/env python3
"""The commands of this book. Python alone starts them; the first run installs the packages that they need into .venv.

A command that fails says why in one line, exits with a code other than 0, and leaves no half-built site.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
LOCK = ROOT / "requirements.lock"
DEV_LOCK = ROOT / "requirements-dev.lock"
BENCH_VENV = ROOT / ".bench-venv"
BENCH_LOCK = ROOT / "tests" / "benchmarks" / "requirements.txt"
OLDEST = (3, 11)
TESTED = "Python 3.11 to 3.14"
VERSION = "{}.{}".format(*sys.version_info)
# What venv or pip print when they fail, and what is said about it; the first that fits counts
INSTALL_PROBLEMS = {
    "No module named '?venv|ensurepip": "this Python has no venv: install it (Debian: apt install python3-venv)",
    "Retrying|Could not fetch URL": "no network: the first run downloads packages; connect, then run again",
    "No matching distribution": f"there is no wheel for Python {VERSION} on this machine ({{}}); tested: {TESTED}",
    "": "the packages could not be installed ({})",
}
# The packages that a command needs, if it needs some
LOCKS = {
    **dict.fromkeys(["book", "live", "refresh", "publish"], LOCK),
    **dict.fromkeys(["test", "check", "extras", "measure-pages"], DEV_LOCK),
}

# The package import-linter has no __main__, and looks for packages where Python does.
LINT_IMPORTS = """
import sys
from importlinter.cli import lint_imports_command
sys.path.append("book/_ext")
lint_imports_command()
"""

sys.path.append(str(ROOT / "book/_ext"))
from companion.building import chapters, commands, kept, live  # noqa: E402  (the line above finds them)
from companion.places import BOOK, BUILD, ENVIRONMENT, PACKAGES, Stop  # noqa: E402

MATHEMATICS = ["tests/core", "tests/sparse_meter", "tests/sparse_book", *PACKAGES]
TOOLS = ["tests/commands", "sphinx_claims", "tests/benchmarks"]
# The parts of the tests, of which a command may run one
PARTS = {
    "quick": "the mathematics alone, in a few minutes",
    "tools": "the commands, and the ledger: what else needs no site",
    "rest": "what these leave out: the book and its site",
}


def bootstrap(venv: Path, lock: Path) -> str:
    """The interpreter of an environment with the locked packages and ours; what an interrupted run left is made anew.

    DEV_LOCK holds all of LOCK: an environment of the one serves for the other, which grows into it.
    """
    python = str(venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    stamp = venv / "requirements.sha"
    found = stamp.read_text() if stamp.is_file() else ""
    if found not in (stamp_text(lock), stamp_text(DEV_LOCK)):
        print(f"first run: installing the packages of {lock.name} into {venv.name} (about a minute)", flush=True)
        stamp.unlink(missing_ok=True)
        if not (lock == DEV_LOCK and found == stamp_text(LOCK)):
            install([sys.executable, "-m", "venv", "--clear", str(venv)])
        options = ["--no-input", "--no-compile", "--only-binary", ":all:"]  # most modules are never imported
        install([python, "-m", "pip", "install", *options, "-r", str(lock)])
        know_this_folder(venv)
        stamp.write_text(stamp_text(lock))
    return python


def know_this_folder(venv: Path) -> None:
    """Let a program of the environment import our packages wherever it starts, such as a notebook in book/.

    It is the line by which `pip install -e .` does so, but relative: the folder may be moved, or the environment linked
    from a second one, and nothing is downloaded or built.
    """
    packages = sysconfig.get_path("purelib", "venv", {"base": str(venv), "platbase": str(venv)})
    Path(packages, "sparse-activations.pth").write_text(os.path.relpath(ROOT, packages))


def stamp_text(lock: Path) -> str:
    """What the stamp of an environment says that has the packages of this lock, and no others."""
    return f"{hashlib.sha256(lock.read_bytes()).hexdigest()} {VERSION}"


def install(command: Sequence[str]) -> None:
    """Run one step of the installation; if it fails, say why."""
    step = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if step.returncode:
        problem = next(words for pattern, words in INSTALL_PROBLEMS.items() if re.search(pattern, step.stdout))
        errors = re.findall("ERROR: (.*)", step.stdout) or step.stdout.splitlines() or ["no reason given"]
        raise Stop(problem.format(errors[-1]))


def interpreter(venv: Path, lock: Path) -> str:
    """The interpreter that is to run a command, and its settings: this one where COMPANION_NO_VENV says so."""
    os.environ.update(ENVIRONMENT)
    if os.environ.get("COMPANION_NO_VENV"):
        return sys.executable
    python = bootstrap(venv, lock)
    if not Path(python).exists():
        raise Stop(f"{venv} is damaged, {python} leads nowhere: remove {venv.name}, then run again")
    os.environ["COMPANION_NO_VENV"] = "1"
    return python


def reexec(lock: Path, command: Sequence[str]) -> None:
    """Run a command by the interpreter of .venv; return if this process is to run it itself."""
    here = os.environ.get("COMPANION_NO_VENV")
    python = interpreter(VENV, lock)
    if here:
        return
    if os.name == "nt":  # there a program that starts another one in its place seems to have ended
        sys.exit(subprocess.call([python, *command]))
    os.execv(python, [python, *command])


def call(name: str, arguments: Sequence[str]) -> None:
    """Run Python with these arguments."""
    code = subprocess.call([sys.executable, *arguments], cwd=ROOT)
    if code:
        raise Stop(f"{name} ended with exit code {code}; the reasons are above")


def settings() -> dict[str, Any]:
    """The settings of the tools in pyproject.toml."""
    import tomllib  # an older Python has none, and is to say first that it is too old

    return dict(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"])


def test(part: str, arguments: Sequence[str]) -> None:
    """Run the tests on all cores; further arguments are those of pytest, in place of this choice."""
    if part == "rest" or not (part or arguments):
        commands.prepare()
    if not arguments:
        arguments = ["-n", str(os.cpu_count() or 1), "--dist", "worksteal"]
    if part:
        paths = settings()["pytest"]["ini_options"]["testpaths"]
        parts = {"quick": MATHEMATICS, "tools": TOOLS}
        parts["rest"] = [path for path in paths if path not in MATHEMATICS + TOOLS]
        arguments = [*arguments, *parts[part]]
    call("pytest", ["-m", "pytest", *arguments])


def check() -> None:
    """Check style, formatting, types, the scripts of the site, that imports lead downwards only, and size."""
    call("ruff", ["-m", "ruff", "check"])
    call("ruff format", ["-m", "ruff", "format", "--check"])
    call("mypy", ["-m", "mypy"])
    call("import-linter", ["-c", LINT_IMPORTS, "--no-cache"])
    scripts = ["book/assets", "sphinx_claims/site"]
    if subprocess.call([Path(sys.executable).with_name("oxlint"), "--deny-warnings", *scripts], cwd=ROOT):
        raise Stop("oxlint found what is printed above, in the scripts of the site")
    from companion.building import sizes

    allowed = settings()["companion"]["tokens"]
    sizes.check(sizes.count(allowed), allowed)
    print("check: style, formatting, types, imports and scripts are clean, and no part has grown")


def extras() -> None:
    """Run every notebook that the site offers."""
    from companion.building import downloads

    print(f"extras: {downloads.run_all(kept.site(), ROOT)} notebooks run with the package and matplotlib alone")


def measure_pages(names: Sequence[str]) -> None:
    """Say how long each page of the site is: pixels, words, boxes, folds, records, links, stops of the keyboard."""
    from companion.building import page_sizes

    print(page_sizes.table(page_sizes.measure(kept.site(), names)))


def bench(arguments: Sequence[str]) -> None:
    """Measure the package beside other libraries, in .bench-venv; options are those of pytest: -m quick, -k NAME."""
    with kept.build_lock():
        python = interpreter(BENCH_VENV, BENCH_LOCK)
        code = subprocess.call([python, "-P", "-m", "tests.benchmarks.run", *arguments], cwd=ROOT)
    if code:
        sys.exit(code)  # it said why


def prove(arguments: Sequence[str]) -> None:
    """Compile the proofs and say what Coq makes of each statement; options: --controls, --full."""
    fingerprint = kept.proofs_fingerprint()
    code = subprocess.call([sys.executable, "proofs/check.py", *arguments], cwd=ROOT)
    if code:
        sys.exit(code)  # it said why; 3 where there is no Coq
    if not arguments:
        with kept.build_lock():
            kept.write_atomically(kept.PROVED, fingerprint)


def clean() -> None:
    """Empty _build."""
    with kept.build_lock() as lock:
        for path in BUILD.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path != lock:  # of which others may wait for the end
                path.unlink()
    print("clean: _build is empty (.venv and .bench-venv stay)")


COMMANDS: dict[str, Callable[..., None]] = {
    run.__name__.replace("_", "-"): run
    for run in (
        commands.book,
        live.live,
        test,
        commands.refresh,
        commands.publish,
        check,
        commands.serve,
        extras,
        measure_pages,
        bench,
        prove,
        clean,
    )
}


def parse(arguments: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """(command, its options); the docstring of a command begins with its help"""
    parser = argparse.ArgumentParser(prog="make.py", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    add = {}
    for name, run in COMMANDS.items():
        add[name] = commands.add_parser(name, help=(run.__doc__ or "").splitlines()[0], allow_abbrev=False)
    add["book"].add_argument("--chapter", metavar="NAME", help="this one only, by its name or number: _build/preview")
    add["live"].add_argument("--from", dest="host", default=live.HOST, metavar="URL", help="where Pyodide's files lie")
    add["serve"].add_argument("--chapter", metavar="NAME", help="the preview of this one, built again on each change")
    add["refresh"].add_argument("names", nargs="*", metavar="NAME", help="these chapters only")
    add["measure-pages"].add_argument("names", nargs="*", metavar="NAME", help="these pages only")
    add["test"].set_defaults(part="")
    for part, words in PARTS.items():
        add["test"].add_argument(f"--{part}", dest="part", action="store_const", const=part, help=words)
    known, further = parser.parse_known_args(arguments)
    options = vars(known)
    command = options.pop("command")
    if command in ("test", "bench", "prove"):
        options["arguments"] = further
    elif further:
        add[command].error(f"unknown argument: {' '.join(further)}")
    return command, options


def main(arguments: Sequence[str]) -> int:
    command, options = parse(arguments)
    try:
        if sys.version_info < OLDEST:
            raise Stop(f"this is Python {VERSION}; the book needs 3.11 or newer (tested: {TESTED})")
        BUILD.mkdir(exist_ok=True)
        if command in ("book", "refresh"):  # a chapter that is not there needs no packages
            named = options.get("names", [options.get("chapter")])
            commands.chosen([name for name in named if name is not None], chapters.sources(BOOK))
        if command in LOCKS:
            reexec(LOCKS[command], [str(ROOT / "make.py"), *arguments])
        COMMANDS[command](**options)
        return 0
    except KeyboardInterrupt:
        problem = "interrupted; nothing half built was kept"
    except ImportError as error:
        problem = f"{error}: the environment {sys.prefix} lacks a package: remove it, then run again"
    except shutil.Error as error:  # of a folder: (from, to, reason) for each file
        problem = error.args[0][0][2]
    except (Stop, OSError) as error:
        problem = str(error)
    print(f"{command}: stopped: {problem}", file=sys.stderr, flush=True)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
