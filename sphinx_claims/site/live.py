"""A ledger that Sphinx itself fills: it reads the pages, MyST-NB runs their cells, and then the pages with marks are
made of what the cells left. A build stops where claims and evidence disagree, or a cell touches its checks."""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from myst_nb.core.read import create_nb_reader
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from .. import build, cells, pages
from ..audit import malformed
from ..settings import FILE
from .state import as_one_line, ledger_of, page_of, settings_of, stop

# The colours of a traceback.
ANSI = re.compile(r"\x1b\[[\d;]*m")


def sources(env: BuildEnvironment) -> str:
    """A digest of the files of claims: where one has changed, every page may say something else."""
    settings = settings_of(env)
    files = [settings.root / FILE, *sorted((settings.root / settings.claims).glob("*.yml"))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in files if path.is_file())).hexdigest()


def made(env: BuildEnvironment) -> set[str]:
    """The pages that have marks."""
    found = set()
    for docname in env.found_docs:
        if pages.MARK.search(Path(env.doc2path(docname)).read_text(encoding="utf-8")):
            found.add(docname)
    return found


def outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> Iterable[str]:
    """All pages where the claims have changed; those with marks where any page has."""
    if env.domaindata["claims"]["sources"] != sources(env):
        return env.found_docs
    if added | changed | removed:
        return made(env)
    return ()


def last(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Let the pages with marks be read after those whose records they show."""
    docnames.sort(key=made(env).__contains__)


def fill(app: Sphinx, docname: str, source: list[str]) -> None:
    """The text of a page with what its marks stand for; a page of which a cell touches its checks is refused."""
    settings = settings_of(app.env)
    env: Any = app.env  # with what MyST-NB keeps there
    reader = create_nb_reader(env.doc2path(docname), env.myst_config, env.mystnb_config, source[0])
    notebook = reader.read(source[0]) if reader else {"cells": []}
    for fault in cells.faults(notebook, settings.packages, settings.checks):
        stop(f"{docname}, {fault}")
    if pages.MARK.search(source[0]):
        with as_one_line():
            ledger = ledger_of(app.env)
            build.disagree(malformed(ledger))  # of which no page can be made
            source[0] = pages.fill(source[0], ledger)


def audit(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Stop where a cell failed, or claims and evidence disagree; this comes before Sphinx keeps what it has read."""
    for docname in sorted(env.found_docs):
        run = NbMetadataCollector.get_exec_data(env, docname)
        if run and run["traceback"]:
            reason = ANSI.sub("", run["traceback"]).strip().splitlines()[-1]
            stop(f"{docname}: {reason}")
    read = {page_of(env, docname) for docname in env.found_docs}
    with as_one_line():
        build.agree(ledger_of(env), read)
    env.domaindata["claims"]["sources"] = sources(env)
    return []


def export(app: Sphinx, error: Exception | None) -> None:
    """Write claims.json and its schema beside the site."""
    if error is None and app.builder.format == "html":
        build.write_data(ledger_of(app.env), Path(app.outdir))


def setup(app: Sphinx) -> None:
    app.connect("env-get-outdated", outdated)
    app.connect("env-before-read-docs", last)
    app.connect("source-read", fill)
    app.connect("env-updated", audit)
    app.connect("build-finished", export)
