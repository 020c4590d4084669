"""The pages of the ledger, filled before Sphinx reads them: from the claims and the executed chapters of this book."""

import ast
import functools
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import sparse_book
import sparse_core
import sparse_meter
from companion.building import proofs
from companion.site import figures, links, project
from sphinx_claims import build, pages
from sphinx_claims.claims import machine_checked
from sphinx_claims.ledger import collect

PACKAGES = tuple(Path(package.__path__[0]) for package in (sparse_core, sparse_meter, sparse_book))
# No line begins with the mark after it.
JOINER = "\N{WORD JOINER}"
# Where the page of the errata says where an error is reported.
REPOSITORY = "<!-- repository -->"


def published_anew(book: Path, executed: Mapping[str, dict[str, Any]], today: date) -> tuple[str, list[str]]:
    """The text of claims/published.yml as claims and evidence are now, and what is other than it was."""
    return build.published_anew(build.ledger_of(project.settings(book), collect(executed)), today)


def write(
    book: Path,
    stage: Path,
    executed: Mapping[str, dict[str, Any]],
    only: str | None = None,
    accepted: bool = True,
) -> None:
    """Fill what the pages of the stage leave to the ledger, and write site/claims.json for readers with its schema; or
    raise a LedgerError that gives all reasons.

    ``executed`` maps the stem of each executed chapter to its notebook; ``only`` names the one chapter of a preview,
    which has none of these pages. ``accepted`` says whether the prover was run for this build.
    """
    said = {} if only else notes(PACKAGES)
    ledger = build.ledger_of(project.settings(book, notes=said), collect(executed))
    site = stage / "book/site"
    site.mkdir()
    if only:  # which is to be looked at, whatever else is to be done
        build.disagree(build.problems_of(ledger, executed))
        for line in build.moved(ledger):
            print(f"  {line}", flush=True)
        return
    build.agree(ledger, executed)
    if shown := figures.slides(book):
        (stage / "book/slides.md").write_text(figures.page_of(shown), encoding="utf-8")
    for path in stage.glob("book/*.md"):
        text = path.read_text(encoding="utf-8")
        path.write_text(pages.fill(text, ledger).replace(REPOSITORY, repository()), encoding="utf-8")
    build.write_data(ledger, site)
    checked: dict[str, Any] = machine_checked(ledger.settings)
    proofs.fill(stage / "book/proofs.md", ledger, **checked)
    for page in (stage / "book/ledger.md", stage / "book/proofs.md"):
        if not accepted and page.is_file():
            page.write_text(proofs.not_run(page.read_text(encoding="utf-8")), encoding="utf-8")


def repository() -> str:
    here = "the repository of this book"
    return f"[{here}]({links.repository()}/issues)" if links.repository() else here


# The code that is about a claim


def notes(packages: tuple[Path, ...]) -> dict[str, list[str]]:
    """Claim -> the line of its row that names the code that is about it, and the tests of that."""
    lines = {}
    for claim, code in cited(packages).items():
        folders = sorted({function.removeprefix("sparse_core.").partition(".")[0] for function in code})
        tests = ", ".join(f"`tests/{'' if name.startswith('sparse_') else 'core/'}{name}`" for name in folders)
        shown = f"{JOINER}, ".join(map(to_code, code))
        lines[claim] = [f"<small>Code: {shown}{JOINER}; tests: {tests}.</small>"]
    return lines


def to_code(name: str) -> str:
    """A link to a function or class, "sparse_core.bounds.paper.lemma_9", on the page of its subpackage.

    Lines break after its dots, and so not before the punctuation that follows it."""
    short = name.removeprefix("sparse_core.")
    package = short.partition(".")[0].replace("_", "-")
    return f'<a href="api-{package}.html#{name}">{short.replace(".", ".<wbr>")}</a>'


@functools.cache  # to parse all of the code takes a second
def cited(packages: tuple[Path, ...]) -> dict[str, list[str]]:
    """Claim -> the public functions and classes, "sparse_core.bounds.paper.lemma_9", whose docstrings name it `so`."""
    found: dict[str, list[str]] = {}
    for package in packages:
        for path in sorted(package.rglob("[!_]*.py")):
            module = ".".join(path.relative_to(package.parent).with_suffix("").parts)
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                    for claim in sorted(set(re.findall(r"`([\w-]+)`", ast.get_docstring(node) or ""))):
                        found.setdefault(claim, []).append(f"{module}.{node.name}")
    return found
