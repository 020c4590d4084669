"""The claims of this book by id, as ``sphinx_claims.claims`` reads them.

>>> tail = find("ours-tail")
>>> tail.verdict
'true'
>>> [claim.label for claim in find("lemma-9").rests_on()][2:4]
['Equation (U)', 'Equation (V)']

The claims stand in a clone of the repository, in ``book/claims``. The site of the book has them all, with the evidence
of its build, in one file: ``find("lemma-9", "claims.json")``. In a clone, ``python -m sparse_book.claims lemma-9``
shows a claim and runs its checks.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx_claims import command
from sphinx_claims.claims import Claim
from sphinx_claims.claims import find as find_in

__all__ = ["Claim", "find"]

# In a clone, the folder of the book beside this package.
BOOK = Path(__file__).resolve().parents[1] / "book"


def find(claim_id: str, origin: str | Path | None = None) -> Claim:
    """The claim of this id, from the folder ``book`` of a clone or from the file claims.json of a site.

    origin : the folder or the file; by default the folder of the clone to which this package belongs.

    >>> find("lemma-9").statement.startswith("Every")
    True
    >>> find("lemma-99")
    Traceback (most recent call last):
    ValueError: Argument 'claim_id' must be the id of a claim such as 'lemma-9', not 'lemma-99'.
    """
    return find_in(claim_id, BOOK if origin is None else origin)


if __name__ == "__main__":
    sys.exit(command.main(["run", "--folder", str(BOOK), *sys.argv[1:]]))
