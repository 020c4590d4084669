"""What is kept in _build: whenever a run is killed, a file is the old one or the new one, and a folder is complete or
not there; and the digests that tell a later run what it can keep."""

import ast
import contextlib
import functools
import hashlib
import json
import os
import platform
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from companion.building import chapters
from companion.places import BOOK, BUILD, LEDGER, PACKAGES, ROOT, Stop

# The fingerprint of the sources that _build/html was made from.
STAMP = BUILD / "site.sha"
# The fingerprint of the proofs that Coq accepted.
PROVED = BUILD / "proved.sha"
# What the site is made from.
SOURCES = (
    "book",
    *PACKAGES,
    LEDGER,
    "tests/benchmarks",
    "_config.yml",
    "_toc.yml",
    "make.py",
    "pyproject.toml",
    "requirements.lock",
    "proofs/statements.json",
)
# How the name of a file ends that is being written.
PARTIAL = ".partial"


def site() -> Path:
    """The folder of the complete site, which some commands start from; its first page is the last to be written."""
    if not (BUILD / "html/index.html").is_file():
        raise Stop("there is no site yet: run `python3 make.py book` first")
    return BUILD / "html"


@contextlib.contextmanager
def build_lock() -> Iterator[Path]:
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
                print(f"  another command builds in {BUILD}: waiting for its end", flush=True)
                fcntl.flock(file, fcntl.LOCK_EX)
        for folder in (BOOK, BUILD, BUILD / "executed"):
            for left in folder.glob(f".*{PARTIAL}"):  # by a run that was killed: a live one would hold the lock
                left.unlink(missing_ok=True)
        yield lock


def write_atomically(path: Path, text: str) -> None:
    """Write a file in one step, from one beside it: _build can be on another disk."""
    partial = path.with_name(f".{path.name}.{os.getpid()}{PARTIAL}")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:  # of a full disk, which names no file
        partial.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None


def swap_folder(folder: Path, successor: Path | None = None) -> None:
    """Remove a folder, or put another one in its place."""
    leaving = BUILD / "leaving"
    shutil.rmtree(leaving, ignore_errors=True)
    if folder.exists():
        folder.rename(leaving)
    if successor:
        successor.rename(folder)
    shutil.rmtree(leaving, ignore_errors=True)


# What things are made from


def files_and_bytes(*tops: Path, read: Callable[[Path], bytes] = Path.read_bytes) -> Iterator[bytes]:
    """The names and the contents of the files below these folders and files, without what is generated."""
    for top in tops:
        for path in sorted([top, *top.rglob("*")]):
            name = path.relative_to(ROOT)
            hidden = any(part.startswith((".", "__pycache__")) for part in name.parts)
            if path.is_file() and path.suffix != ".ipynb" and not hidden:
                yield name.as_posix().encode()
                yield read(path)


def program(path: Path) -> bytes:
    """The contents of a file, of Python's without what no output depends on: comments and how it is laid out."""
    text = path.read_bytes()
    return syntax(text) if path.suffix == ".py" else text


@functools.cache  # each is asked for once for every chapter, and takes longer to parse than to read
def syntax(text: bytes) -> bytes:
    try:
        return ast.dump(ast.parse(text)).encode()
    except (SyntaxError, ValueError):  # who imports it will say so
        return text


def digest(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def source_fingerprint() -> str:
    """sha256 over everything that the site is made from."""
    addresses = [os.environ.get(name, "").encode() for name in ("COMPANION_REPOSITORY", "COMPANION_SITE")]
    return digest(*addresses, *files_and_bytes(*(ROOT / top for top in SOURCES)))


def has(stamp: Path, fingerprint: str) -> bool:
    """Whether this is what a stamp says, whatever bytes a disk or a person left in it."""
    return stamp.is_file() and stamp.read_bytes() == fingerprint.encode()


def is_current() -> bool:
    """Whether there is a site of the present sources."""
    return has(STAMP, source_fingerprint()) and (BUILD / "html/index.html").is_file()


def proofs_fingerprint() -> str:
    """sha256 over the proofs, what Coq printed of them, and what checks them; not over what a compiler leaves there or
    over the notes for readers, of which Coq knows nothing."""
    sources = [path for path in sorted((ROOT / "proofs").rglob("*")) if path.suffix in (".v", ".json", ".py")]
    return digest(*files_and_bytes(*sources, read=without_notes))


def without_notes(path: Path) -> bytes:
    """The contents of a file, of what is known of the proofs without the words for readers."""
    text = path.read_bytes()
    if path.suffix != ".json":
        return text
    kept = json.loads(text, object_hook=lambda entry: {k: v for k, v in entry.items() if k not in ("note", "part")})
    return json.dumps(kept).encode()


def proofs_accepted() -> bool:
    """Whether Coq accepted the proofs as they are now, in this folder."""
    return has(PROVED, proofs_fingerprint())


def execution(notebook: chapters.Notebook) -> str:
    """sha256 over everything that the outputs of a chapter depend on: its code cells, what runs it, what it imports.

    An edit of its words, or of a comment in a package, executes nothing.
    """
    cells = [[cell["source"], cell["metadata"].get("tags", [])] for cell in chapters.code_cells(notebook)]
    code = json.dumps(cells).encode()
    recording = (f"{LEDGER}/__init__.py", f"{LEDGER}/record.py")
    names = (*PACKAGES, *recording, "requirements.lock", *["tests/benchmarks"] * (b"benchmarks" in code))
    tops = [ROOT / name for name in names]
    runner = program(Path(chapters.__file__))
    return digest(code, platform.python_version().encode(), runner, *files_and_bytes(*tops, read=program))
