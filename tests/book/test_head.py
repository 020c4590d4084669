"""The head of a page: what a search engine shows of it."""

import pytest
from companion.site import head
from docutils import nodes
from docutils.utils import new_document


def described(*children):
    document = new_document("page")
    document += children
    return head.description(document)


def paragraph(*parts):
    return nodes.paragraph("", "", *(part if isinstance(part, nodes.math) else nodes.Text(part) for part in parts))


@pytest.mark.parametrize(
    "children, description",
    [
        # the first paragraph that says something, with its formulas in signs
        (
            [
                paragraph(" "),
                paragraph("At most ", nodes.math("", "4k^2"), ",\nfor every network."),
                paragraph("More."),
            ],
            "At most 4k², for every network.",
        ),
        ([], ""),
        # what a note says of the build is no description
        ([nodes.note("", paragraph("Not run.")), paragraph("Every statement.")], "Every statement."),
    ],
)
def test_a_page_is_described_by_its_first_paragraph(children, description):
    assert described(*children) == description


def test_a_long_description_ends_at_a_word():
    shown = described(paragraph("word, " * 60))
    assert len(shown) <= head.DESCRIPTION and shown.endswith("word…")


def test_a_link_is_shown_with_the_first_picture_of_its_page_where_the_site_has_an_address(tmp_path):
    picture = tmp_path / "book/assets/figures/02-a.png"
    picture.parent.mkdir(parents=True)
    picture.touch()
    told = head.preview("https://a.org/b", tmp_path, "book/02-a", "A & B", "Words.")
    assert '<meta property="og:image" content="https://a.org/b/_static/figures/02-a.png">' in told
    assert 'content="A &amp; B"' in told and 'content="Words."' in told
    assert "og:image" not in head.preview("https://a.org/b", tmp_path, "book/map", "Map", "Words.")
    assert head.preview("", tmp_path, "book/02-a", "A", "Words.") == ""
