"""What comes in by a pull request is data until it is executed: read as such, and shown as text."""

import html.parser
from dataclasses import replace

import pytest
from companion.site import pages
from docutils import nodes

from sphinx_claims import record as ledger
from sphinx_claims.audit import audit
from sphinx_claims.claims import by_id
from sphinx_claims.pages import errata, graph, rows, words
from sphinx_claims.site import domain
from tests.book.examples import claim, erratum, ledgered, record
from tests.commands.small_repository import run

EVIL = "<script>alert('owned')</script><img src=x onerror=\"alert(1)\">&amp;"


def test_a_header_of_a_chapter_runs_nothing(small, tmp_path):
    text = (small / "book/01-a.md").read_text()
    tag = f"jupytext:\n  evil: !!python/object/apply:os.mkdir ['{tmp_path / 'made'}']"
    (small / "book/01-a.md").write_text(text.replace("jupytext:", tag, 1))
    code, _, errors = run(small, "refresh")
    assert code != 0 and errors.startswith("refresh: stopped: 01-a.md cannot be read")
    assert not (tmp_path / "made").exists()


# HTML


class Tags(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found += [tag, *(name for name, _ in attributes if name.startswith("on"))]


def assert_only_text(shown):
    """No script and no handler; what was to be shown is there as text."""
    assert not {"script", "img", "onerror", "iframe"} & set(Tags(shown).found), shown
    assert "alert" in shown


EVIL_CLAIMS = [
    claim("base", label="Lemma 3", statement=EVIL, note=EVIL, arxiv=EVIL),
    claim("other", label=EVIL, uses=["base"], required="not runnable", reason=EVIL, source="ours"),
    erratum("E1", ["other"], statement=EVIL, printed=EVIL, witness=EVIL, corrected=EVIL, reason=EVIL),
]


@pytest.fixture
def evil_records():
    found = ledger.check("lemma-9", [1.0], [4.0], evidence="exact", over=EVIL, control={EVIL: 0.5})
    return [replace(record(found), claim="base"), replace(record(found), claim="E1")]


def test_claims_are_shown_as_text(evil_records):
    evil = ledgered(EVIL_CLAIMS, evil_records)
    for shown in (rows.tables, errata.entries, errata.sheet, graph.drawing):
        assert_only_text(shown(evil))
    assert_only_text(domain.provenance(evil.known["base"], evil))


def test_a_label_is_shown_as_text_where_an_output_names_its_claim():
    output = nodes.raw("", '<span class="claim" data-claim="other">the label</span>', format="html")
    pages.name_cell(None, "", nodes.container("", output, cell_metadata={}), 1, by_id(EVIL_CLAIMS))
    assert_only_text(output.astext())


def test_mathematics_keeps_its_meaning_without_tags():
    assert words.one_line("$a<b$ and\n $1 < 2$, <b>") == "$a< b$ and $1 < 2$, < b>"


@pytest.mark.parametrize("key", ["id", "section", "chapter"])
def test_a_name_that_would_leave_its_attribute_is_refused(key):
    bad = replace(claim("base"), **{key: 'x" onclick="alert(1)'})
    assert any(f"{key} 'x\" onclick" in problem for problem in audit(ledgered([bad]), []))
