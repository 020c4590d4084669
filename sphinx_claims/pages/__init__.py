"""What stands on pages in the place of a mark, ``<!-- claims: tables -->``: pure functions of the ledger."""

import re
from collections.abc import Callable

from ..ledger import Ledger
from ..record import LedgerError
from . import errata, graph, rows

MARK = re.compile(r"<!-- claims: ([\w-]+) -->")
PARTS: dict[str, Callable[[Ledger], str]] = {
    "standings": rows.standings,
    "tables": rows.tables,
    "errata": errata.entries,
    "errata-count": errata.count,
    "errata-sheet": errata.sheet,
    "consequences": errata.consequences,
    "verdicts": errata.verdicts,
    "drawing": graph.drawing,
}


def fill(text: str, ledger: Ledger) -> str:
    """The Markdown of a page with what its marks stand for."""

    def part(mark: re.Match[str]) -> str:
        if mark[1] not in PARTS:
            raise LedgerError(f"a page has the mark {mark[0]}; there is {', '.join(PARTS)}.")
        return PARTS[mark[1]](ledger)

    return MARK.sub(part, text)
