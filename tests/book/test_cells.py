"""What a chapter's code must not do to its checks is refused, with its place; what chapters do is not."""

import pytest
from companion import places
from companion.building import cells, chapters
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

SOURCES = chapters.sources(places.BOOK)
IMPORTS = "from contextlib import suppress\nimport sparse_book.ledger\nfrom sparse_book import ledger\n"
CHECK = "ledger.check('lemma-9', 1, 2, evidence='exact', over='pair')"


def found(*sources, tags=()):
    code = [new_code_cell(source) for source in sources]
    code[-1].metadata["tags"] = list(tags)
    return list(cells.faults(new_notebook(cells=[new_markdown_cell("# A"), new_code_cell(IMPORTS), *code])))


@pytest.mark.parametrize(
    "source, fault",
    [
        ("ledger._violations = lambda *_: 0", "line 1: ledger._violations is of a module that was imported"),
        ("ledger.check = print", "line 1: ledger.check is of a module that was imported: nothing may be assigned"),
        ("sparse_book.ledger.check = print", "sparse_book.ledger.check is of a module that was imported"),
        ("import numpy as np\nnp.abs = abs", "line 2: np.abs is of a module that was imported"),
        ("setattr(ledger, 'check', print)", "line 1: setattr changes ledger, which was imported"),
        ("del ledger.check", "ledger.check is of a module"),
        ("ledger._violations", "ledger._violations is a private name of sparse_book"),
        ("from sparse_book.ledger import _violations", "_violations is a private name of sparse_book"),
        ("import sparse_core._arrays", "_arrays is a private name"),
        (f"try:\n    {CHECK}\nexcept AssertionError:\n    pass", "line 1: try ... except around a check"),
        (f"with suppress(AssertionError):\n    {CHECK}", "line 1: an error is suppressed around a check"),
        ("ledger.check('a', f(x), f(x), evidence='exact', over='x')", "both sides are f(x)"),
        (
            "g = lambda a, b: f(a, b)\nledger.check('a', g(x, 1), f(x, 1), evidence='exact', over='x')",
            "both sides are g",
        ),
        (
            "g = f\nledger.check('a', [g(x) for x in X], [f(x) for x in X], evidence='exact', over='x')",
            "both sides are",
        ),
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
        f"try:\n    x = int('a')\nexcept ValueError:\n    x = 0\n{CHECK}",
        "g = lambda a, b: f(b, a)\nledger.check('a', g(x, 1), f(x, 1), evidence='exact', over='x')",
        "ledger.check('a', n, n, evidence='exact', over='x')",  # numbers: a comparison of what was computed before
    ],
)
def test_what_chapters_do_is_not_refused(source):
    assert found(source) == []


@pytest.mark.parametrize("name", SOURCES)
def test_no_chapter_touches_its_checks(name):
    assert list(cells.faults(chapters.read(SOURCES[name]))) == []
