"""The repairs of the theme's pages: one that fits no page stops the build."""

import re

import pytest
from companion.site import theme
from sphinx.errors import ExtensionError

FITTING = {
    '<button class="btn search-button-field search-button__button pst-js-only" title="Search" aria-label="Search">': 0,
    '<button class="btn pst-js-only" aria-label="Color mode">': 1,
    '<dialog id="pst-search-dialog">': 2,
    '<dialog id="pst-primary-sidebar-modal">': 3,
    '<dialog id="pst-secondary-sidebar-modal"><div class="bd-sidebar-secondary">': 4,
    '<div class="sidebar-primary-items__start sidebar">': 5,
    '<button title="Toggle primary sidebar">': 6,
    '<button title="Toggle secondary sidebar"><div class="bd-sidebar-secondary">': 7,
    '<a href="#main-content">Skip</a>\n<article class="bd-article">': 8,
    '<div id="jb-print-docs-body" class="x"> <h1>A</h1>': 9,
    '<li class="toctree-l1 has-children"><a href="#">A</a><details><summary>': 10,
    '<h2 id="A">A</h2>\n<table class="indextable genindextable">': 11,
}
PATTERNS = list(theme.REPAIRS)


def test_each_repair_changes_the_page_that_it_fits_and_no_page_twice():
    assert sorted(FITTING.values()) == list(range(len(PATTERNS)))
    for text, number in FITTING.items():
        found = [i for i, pattern in enumerate(PATTERNS) if re.search(pattern, text, flags=re.S)]
        assert found == [number]
        once = theme.repaired(text)
        assert once != text and theme.repaired(once) == once


def test_pages_on_which_each_repair_fits_pass():
    theme.check_repairs(list(FITTING))
    theme.check_repairs(list(FITTING)[:10])  # nothing is documented, and no page has others below it
    theme.check_repairs([page for page in list(FITTING)[:10] if "secondary" not in page])  # nor sections


@pytest.mark.parametrize("text, number", list(FITTING.items())[:10])
def test_a_repair_that_fits_no_page_is_named(text, number):
    with pytest.raises(ExtensionError) as problem:
        theme.check_repairs([page for page in FITTING if page != text])
    assert PATTERNS[number] in str(problem.value)


@pytest.mark.parametrize("sign", ["genindextable", "has-children"])
def test_the_index_and_nested_pages_without_their_form_are_named(sign):
    with pytest.raises(ExtensionError, match="no page has"):
        theme.check_repairs([*list(FITTING)[:10], sign])


@pytest.mark.parametrize(
    ("tag", "loads"),
    [
        ('<link rel="canonical" href="https://a.org/b/search.html" />', False),  # a site with an address names it
        ('<a class="x" href="https://a.org">', False),
        ('<meta property="og:image" content="https://a.org/b.png">', False),
        ('<link rel="stylesheet" href="https://a.org/b.css">', True),
        ("<img src=//a.org/b.png>", True),
    ],
)
def test_what_loads_from_another_host_is_told_from_what_names_an_address(tag, loads):
    assert bool(theme.FOREIGN.search(tag)) == loads
