"""Where things lie in the repository, the settings of every command, and how a command ends that cannot go on."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
BOOK = ROOT / "book"
BUILD = ROOT / "_build"
# Our packages, each of which imports those before it alone; pyproject.toml has a line for each too
PACKAGES = ("sparse_core", "sparse_meter", "sparse_book")
# The package of the ledger, of which a chapter imports what records alone.
LEDGER = "sphinx_claims"
# The settings of every command: the book is the same for every user and on every machine
ENVIRONMENT = {
    "PYTHONPATH": str(ROOT),
    "PYTHONNOUSERSITE": "1",
    "PYTHONSTARTUP": "",
    "PYTHONWARNINGS": "",
    "PYTHONDONTWRITEBYTECODE": "",  # where it is set, each of the many processes compiles all that it imports anew
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    **dict.fromkeys(["MPLCONFIGDIR", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR"], str(BUILD / "home")),
    "JUPYTER_PREFER_ENV_PATH": "1",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}


class Stop(Exception):
    """What went wrong and what to do about it, in one line: a command ends with it."""


def text_of(path: Path) -> str:
    """The text of a file in UTF-8, the only encoding of this book."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Stop(f"{path.name} cannot be read: {error}") from None


def yaml_of(path: Path) -> dict[str, Any]:
    """The contents of a YAML file that holds a mapping, in which no key stands twice."""
    from sphinx_claims.claims import read_yaml  # which needs packages, as the commands of an empty folder must not
    from sphinx_claims.record import LedgerError

    try:
        return dict(read_yaml(path, dict))
    except LedgerError as error:
        raise Stop(error) from None


def pages_in(part: Mapping[str, Any]) -> set[str]:
    """The pages that a part of _toc.yml lists, as "book/02-uniform"."""
    return {page["file"] for chapter in part["chapters"] for page in (chapter, *chapter.get("sections", []))}
