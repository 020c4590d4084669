"""The head of a page: what a search engine shows of it."""

from companion.site import head
from docutils import nodes
from docutils.utils import new_document


def page(*paragraphs):
    document = new_document("page")
    document += [nodes.paragraph("", "", *parts) for parts in paragraphs]
    return document


def test_a_description_is_the_first_paragraph_with_its_formulas_in_signs():
    first = [nodes.Text("At most "), nodes.math("", r"4k^2"), nodes.Text(",\nfor every network.")]
    assert head.description(page([nodes.Text(" ")], first, [nodes.Text("More.")])) == "At most 4k², for every network."


def test_a_long_description_ends_at_a_word():
    shown = head.description(page([nodes.Text("word, " * 60)]))
    assert len(shown) <= head.DESCRIPTION and shown.endswith("word…")


def test_a_page_without_text_has_none():
    assert head.description(page()) == ""


def test_what_a_note_says_of_the_build_is_no_description():
    document = new_document("page")
    document += [nodes.note("", nodes.paragraph("", "Not run.")), nodes.paragraph("", "Every statement.")]
    assert head.description(document) == "Every statement."
