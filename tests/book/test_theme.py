"""The replacements in the theme's pages: one that fits no page stops the build."""

import pytest
from companion import extension
from sphinx.errors import ExtensionError

TITLE = '<div id="jb-print-docs-body" class="x"> <h1>A</h1>'
LETTER = '<h2 id="A">A</h2><table class="indextable genindextable">'
PAGES = [TITLE, LETTER, *extension.LITERALS]


def test_pages_on_which_each_replacement_fits_pass():
    extension.check_templates(PAGES)
    extension.check_templates([page for page in PAGES if page != LETTER])  # nothing is documented


@pytest.mark.parametrize("left_out", [TITLE, *extension.LITERALS])
def test_a_replacement_that_fits_no_page_is_named(left_out):
    with pytest.raises(ExtensionError) as problem:
        extension.check_templates([page for page in PAGES if page != left_out])
    expected = "jb-print-docs-body" if left_out == TITLE else left_out.strip()
    assert expected in str(problem.value)


def test_letters_of_the_index_without_their_form_are_named():
    with pytest.raises(ExtensionError, match="no page has"):
        extension.check_templates([TITLE, "genindextable", *extension.LITERALS])
