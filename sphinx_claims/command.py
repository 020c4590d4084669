"""The command ``sphinx-claims``: a project to begin with, a claim and its checks, what is published."""

import argparse
import datetime
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from . import build, claims
from .record import LedgerError, Record
from .settings import Settings

EXAMPLE = Path(__file__).with_name("example")
BEGUN = """{folder} has a paper of one page with its ledger. Now

    cd {folder}
    sphinx-build . _build

and open _build/index.html. The claims stand in claims/index.yml, their checks in index.md."""


def new(folder: Path) -> None:
    """Write a small paper with its ledger into a new folder."""
    if folder.exists():
        raise LedgerError(f"{folder} is there already: give the name of a new folder.")
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    print(BEGUN.format(folder=folder))


def run(ids: Sequence[str], folder: Path, show: bool) -> None:
    """Show claims, and run their checks again."""
    for name in ids:
        claim = claims.find(name, folder)
        print(f"{claim.label} ({claim.verdict}): {claim.statement}")
        for below in claim.rests_on():
            print(f"  rests on {below.label} ({below.verdict})")
        if claim.proof:
            print(f"  machine-checked: {claim.proof['file']}, line {claim.proof['line']}, {claim.proof['theorem']}")
        for record in [] if show else claim.reproduce():
            print(record)


def publish(folder: Path) -> None:
    """Confirm what the claims say and what their checks find: the pages are run, and published.yml is written."""
    settings = Settings.read(folder)
    found: list[Record] = []
    for path in sorted(folder.glob("*.md")):
        found += claims.records(claims.outputs_of(path), path.stem)
    text, lines = build.published_anew(build.ledger_of(settings, found), datetime.datetime.now(datetime.UTC).date())
    (folder / settings.claims / "published.yml").write_text(text, encoding="utf-8")
    print(*lines, sep="\n")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="sphinx-claims", description=__doc__)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    begin = commands.add_parser("new", help="write a small paper with its ledger into a new folder")
    begin.add_argument("folder", type=Path, metavar="NAME")
    again = commands.add_parser("run", help="show claims, and run their checks again")
    again.add_argument("ids", nargs="+", metavar="ID", help="such as lemma-9")
    again.add_argument("--show", action="store_true", help="without running anything")
    confirm = commands.add_parser("publish", help="confirm what the claims say now; a later build stops at a change")
    for parser_of in (again, confirm):
        parser_of.add_argument("--folder", type=Path, default=Path(), help="of the pages; this one by default")
    options = vars(parser.parse_args(arguments))
    chosen: dict[str, Callable[..., None]] = {"new": new, "run": run, "publish": publish}
    try:
        chosen[options.pop("command")](**options)
    except (LedgerError, ValueError) as error:
        print(f"sphinx-claims: {error}", file=sys.stderr)
        return 1
    return 0
