"""What the environment of Sphinx keeps of a ledger: the records of each page; and the ledger that is made of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

from sphinx.application import Sphinx
from sphinx.domains import Domain
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from ..claims import Claim, by_id, read, records
from ..ledger import Ledger
from ..record import MIME, LedgerError, Record
from ..settings import Settings


class ClaimsDomain(Domain):
    """The records that each page has left, which Sphinx keeps from one build to the next."""

    name = "claims"
    initial_data: dict[str, Any] = {"records": {}, "sources": ""}

    def clear_doc(self, docname: str) -> None:
        self.data["records"].pop(docname, None)

    def resolve_any_xref(self, *arguments: Any) -> list[Any]:
        return []  # MyST warns of a domain without it


class State:
    """The settings and the claims of one run of Sphinx."""

    def __init__(self, settings: Settings | None) -> None:
        self.given = settings

    def read(self, app: Sphinx) -> None:
        """Read the files of claims, at the beginning of a build."""
        with as_one_line():
            self.settings = self.given or Settings.read(Path(app.srcdir))
            self.claims = by_id(read(self.settings))
            self.ledger: Ledger | None = None


STATES: WeakKeyDictionary[Sphinx, State] = WeakKeyDictionary()


def stop(reason: str) -> NoReturn:
    """End the build with the reason alone and the exit code of Sphinx, which would add a traceback to an error."""
    logging.getLogger(__name__).error(reason)
    raise SystemExit(2)


@contextmanager
def as_one_line() -> Iterator[None]:
    """A problem of the ledger ends a build by its words, without a traceback."""
    try:
        yield
    except LedgerError as error:
        stop(str(error))


def settings_of(env: BuildEnvironment) -> Settings:
    return STATES[env.app].settings


def claims_of(env: BuildEnvironment) -> dict[str, Claim]:
    """The claims by id, as their files have them."""
    return STATES[env.app].claims


def ledger_of(env: BuildEnvironment) -> Ledger:
    """The ledger with the records of the pages that were read; it is made once all of them are."""
    state = STATES[env.app]
    if state.ledger is None:
        found = env.domaindata["claims"]["records"]
        evidence: list[Record] = []
        for docname in sorted(found):
            evidence += records(found[docname], page_of(env, docname))
        with as_one_line():
            state.ledger = Ledger.of(state.settings, state.claims.values(), evidence)
    return state.ledger


def keep(env: BuildEnvironment, data: Any) -> None:
    """Keep the record that a cell of the present page has left."""
    env.domaindata["claims"]["records"].setdefault(env.docname, []).append({"data": {MIME: data}})
    STATES[env.app].ledger = None


def page_of(env: BuildEnvironment, docname: str) -> str:
    return docname.removeprefix(settings_of(env).folder)
