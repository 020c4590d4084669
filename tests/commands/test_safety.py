"""What comes in by a pull request is data until it is executed: read as such, and shown as text."""

import html.parser
import re
from dataclasses import replace

import matplotlib as mpl
import pytest
from companion import places
from companion.ledger import claims, domain, pages
from companion.ledger.audit import audit
from companion.ledger.pages import errata, graph
from docutils import nodes

import sparse_meter
from sparse_book import figures, ledger
from sparse_book.claims import read
from sparse_core.network import network
from tests.book.examples import claim, erratum, record
from tests.commands.small_repository import run

mpl.use("agg")
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
    return [{**record(found), "claim": "base"}, {**record(found), "claim": "E1", "anchor": "another"}]


def test_claims_are_shown_as_text(evil_records):
    evil = [{**entry, "place": ""} for entry in EVIL_CLAIMS]
    assert_only_text(pages.ledger.page(evil, evil_records))
    assert_only_text(errata.page(evil, evil_records))
    assert_only_text(graph.page(evil))
    assert_only_text(errata.sheet(evil))
    assert_only_text(domain.whence(evil[0], claims.by_id(evil)))


def test_a_label_is_shown_as_text_where_an_output_names_its_claim():
    output = nodes.raw("", '<span class="claim" data-claim="other">the label</span>', format="html")
    domain.name_cell(None, "", nodes.container("", output, cell_metadata={}), 1, claims.by_id(EVIL_CLAIMS))
    assert_only_text(output.astext())


def test_mathematics_keeps_its_meaning_without_tags():
    assert claims.one_line("$a<b$ and\n $1 < 2$, <b>") == "$a< b$ and $1 < 2$, < b>"


@pytest.mark.parametrize("key", ["id", "section", "chapter"])
def test_a_name_that_would_leave_its_attribute_is_refused(key):
    bad = claim("base", **{key: 'x" onclick="alert(1)'})
    assert any(f"{key} 'x\" onclick" in problem for problem in audit([bad], [], []))


def evil_output(kind):
    if kind == "table":
        return figures.Table({EVIL: [EVIL]})
    if kind == "figure":
        fig, ax = figures.canvas()
        ax.plot([0, 1], [0, 1], label=EVIL.replace("$", ""))
        return figures.Figure(fig, EVIL)
    if kind == "slider":
        return figures.Slider(EVIL, [1, 2], lambda ax, value: ax.plot([0, 1], [0, 1], label="line") and EVIL, start=1)
    row = sparse_meter.examine(network.SparseNetwork([1.0], [[1.0]], [0.0])).rows[0]
    return sparse_meter.Report((EVIL,), (replace(row, form=EVIL),), (("lemma-7", EVIL, 1.0),))


@pytest.mark.parametrize("kind", ["table", "figure", "slider", "report"])
def test_what_a_cell_shows_is_text(kind):
    output = evil_output(kind)
    assert_only_text(output._repr_html_() if kind == "report" else output._repr_mimebundle_()["text/html"])


def test_the_claims_of_this_book_need_no_tags():
    texts = [value for entry in read(places.BOOK) for value in entry.values() if isinstance(value, str)]
    assert len(texts) > 500
    assert [text for text in texts if re.search("<[A-Za-z/!?]", re.sub(r"\$.*?\$", "", text))] == []
