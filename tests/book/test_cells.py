"""What a chapter's code must not do to its checks is refused, with its place; what chapters do is not."""

import pytest
from companion import places
from companion.building import chapters
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from sphinx_claims import cells
from tests.book.examples import SETTINGS

SOURCES = chapters.sources(places.BOOK)
IMPORTS = "from contextlib import suppress\nimport sparse_book.ledger\nfrom sparse_book import ledger\n"
CHECK = "ledger.check('lemma-9', 1, 2, evidence='exact', over='pair')"


def faults(notebook):
    return cells.faults(notebook, SETTINGS.packages, SETTINGS.checks)


def found(*sources, tags=()):
    code = [new_code_cell(source) for source in sources]
    code[-1].metadata["tags"] = list(tags)
    return list(faults(new_notebook(cells=[new_markdown_cell("# A"), new_code_cell(IMPORTS), *code])))


@pytest.mark.parametrize(
    "source, fault",
    [
        ("ledger._violations = lambda *_: 0", "line 1: ledger._violations is of a module that was imported"),
        ("ledger.check = print", "line 1: ledger.check is of a module that was imported: nothing may be assigned"),
        ("sparse_book.ledger.check = print", "sparse_book.ledger.check is of a module that was imported"),
        ("import numpy as np\nnp.abs = abs", "line 2: np.abs is of a module that was imported"),
        ("setattr(ledger, 'check', print)", "line 1: setattr reaches by a text"),
        ("object.__setattr__(ledger, 'RTOL', 1)", "__setattr__ reaches by a text"),
        ("del ledger.check", "ledger.check is of a module"),
        ("ledger._violations", "ledger._violations is a private name of sparse_book"),
        ("from sparse_book.ledger import _violations", "_violations is a private name of sparse_book"),
        ("import sparse_core._arrays", "_arrays is a private name"),
        (f"try:\n    {CHECK}\nexcept AssertionError:\n    pass", "line 1: try or with around a check"),
        (f"with suppress(AssertionError):\n    {CHECK}", "line 1: try or with around a check"),
        ("ledger.check('a', f(x), f(x), evidence='exact', over='x')", "both sides are f(x)"),
        # lines of IPython hide nothing of their cell
        ("%matplotlib inline\nledger._violations = lambda *_: 0", "line 2: ledger._violations is of a module"),
        ("!true\nledger.check('a', f(x), f(x), evidence='exact', over='x')", "line 2: both sides are f(x)"),
        (f"%%time\n{CHECK}", "line 1: %% at the top of a cell"),
        # second names, and every kind of target
        ("L = ledger\nL.RTOL = 9", "line 2: L.RTOL is of a module"),
        ("L, n = ledger, 3\n(see := L.check)\nsee('a', f(x), f(x), evidence='exact', over='x')", "both sides are f(x)"),
        ("from sparse_book.ledger import check as see\nsee('a', rhs=f(x), lhs=f(x))", "line 2: both sides are f(x)"),
        ("ledger.check, y = print, 3", "line 1: ledger.check is of a module"),
        ("for ledger.RTOL in (9,):\n    pass", "line 1: ledger.RTOL is of a module"),
        ("with open('x') as ledger.check:\n    pass", "line 1: ledger.check is of a module"),
        ("ledger.__dict__['check'] = print", "ledger.__dict__ was imported"),
        (
            "g = lambda a, b: f(a, b)\nledger.check('a', g(x, 1), f(x, 1), evidence='exact', over='x')",
            "both sides are g",
        ),
        (
            "g = f\nledger.check('a', [g(x) for x in X], [f(x) for x in X], evidence='exact', over='x')",
            "both sides are",
        ),
        (
            "def g(x):\n    return f(x)\nledger.check('a', g(x), f(x), evidence='exact', over='x')",
            "both sides are g(x)",
        ),
        ("ledger.check('a', nets[0](x), nets[0](x), evidence='exact', over='x')", "both sides are nets[0](x)"),
        ("import builtins\nbuiltins.setattr(ledger, 'check', print)", "builtins.setattr reaches by a text"),
        (f"try:\n    {CHECK}\nexcept* AssertionError:\n    pass", "line 1: try or with around a check"),
        ("s = setattr\ns(ledger, 'RTOL', 9)", "line 1: setattr reaches by a text"),
        ("(L := ledger).RTOL = 9", "is of a module"),
        # a failure that is swallowed elsewhere
        (f"def go():\n    {CHECK}\ntry:\n    go()\nexcept AssertionError:\n    pass", "line 3: try or with"),
        (f"go = lambda: {CHECK}\ntry:\n    go()\nexcept AssertionError:\n    pass", "line 2: try or with"),
        (f"def go():\n    try:\n        {CHECK}\n    finally:\n        return 1", "line 2: try or with"),
        (f"quiet = suppress(AssertionError)\nwith quiet:\n    {CHECK}", "line 2: try or with"),
        # what is reached by a text
        ("exec('ledger.RTOL = 9')", "exec reaches by a text"),
        ("vars(ledger)['RTOL'] = 9", "vars reaches by a text"),
        ("from importlib import import_module", "importlib reaches by a text"),
        ("import sys\nsys.modules['sparse_book.ledger'] = 3", "line 2: sys.modules reaches by a text"),
        ("from unittest import mock", "unittest.mock reaches by a text"),
        ("getattr(ledger, '_violations')", "getattr reaches by a text"),
        ("from sparse_book.ledger import *", "import * does not show"),
        ("%run other.py", "%run runs what nobody reads"),
        ("get_ipython().run_cell('ledger.RTOL = 9')", "runs it where nobody reads"),
        # records by hand
        ("sparse_book.ledger.Record('lemma-9', 'exact', '<=', 'x', 9)", "sparse_book.ledger.Record makes a record"),
        ("from sparse_book.claims import Record\nRecord.of({})", "line 2: Record makes a record by hand"),
        ("ledger.Record('lemma-9', 'exact', '<=', 'x', 9)", "ledger.Record makes a record by hand"),
        ("from sparse_book.ledger import Record as R\nR.of({})", "line 2: R makes a record by hand"),
        ("display({ledger.MIME: {}}, raw=True)", "ledger.MIME makes a record by hand"),
        ("display({'application/vnd.sphinx-claims.record+json': {}}, raw=True)", "is the type of a record"),
    ],
)
def test_what_is_done_to_a_check_is_found_in_its_cell_and_line(source, fault):
    assert any(one.startswith("cell [2], line ") and fault in one for one in found(source)), found(source)


def test_a_check_that_may_fail_is_found_by_its_tag():
    assert found(CHECK, tags=["raises-exception"]) == ["cell [2]: the tag raises-exception lets a check fail"]


@pytest.mark.parametrize(
    "source",
    [
        CHECK,
        "%matplotlib inline",
        "net.W = 3\nnet._repr_html_()",
        f"%matplotlib inline\n{CHECK}",
        "vars = [1]\nlines = !ls\n%config InlineBackend.rc = {}\nfor x in vars:\n    x.y = 2",
        "import sparse_book.figures\nsparse_book.figures.canvas()",
        "a, b = 1, 2\nfor i, x in enumerate([a]):\n    b += x\ndel a",
        f"try:\n    x = int('a')\nexcept ValueError:\n    x = 0\n{CHECK}",
        "g = lambda a, b: f(b, a)\nledger.check('a', g(x, 1), f(x, 1), evidence='exact', over='x')",
        "ledger.check('a', n, n, evidence='exact', over='x')",  # numbers: a comparison of what was computed before
    ],
)
def test_what_chapters_do_is_not_refused(source):
    assert found(source) == []


@pytest.mark.parametrize("name", SOURCES)
def test_no_chapter_touches_its_checks(name):
    assert list(faults(chapters.read(SOURCES[name]))) == []
