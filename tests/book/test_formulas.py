"""The place that a formula has before it is drawn, and the punctuation after it."""

import pytest
from companion import formulas
from docutils import nodes
from docutils.utils import new_document


@pytest.mark.parametrize(
    ("tex", "drawn"),  # em, as a browser drew them
    [
        ("d", 0.66),
        (r"\mathrm{AS}(h)", 3.34),
        (r"\mathrm{AS}(h)\le4k^2W^2", 8.57),
        (r"4k^2W^2/(d+1)", 8.08),
        (r"\{-1,1\}^n", 4.58),
        (r"\log_2s", 2.85),
        (r"n^{\mathrm{poly}(k\log(ns))/\varepsilon^2}", 7.65),
    ],
)
def test_the_width_is_that_of_the_formula(tex, drawn):
    assert formulas.width(tex) == pytest.approx(drawn, abs=1)


def test_scripts_are_small_and_a_fraction_is_narrower_than_its_parts():
    assert formulas.width("x_{abc}") < formulas.width("xabc")
    assert formulas.width(r"\frac{a}{b}") < formulas.width("ab")
    assert formulas.width(r"\frac{x^{\frac12}}{b}c") > formulas.width("c")


def test_a_brace_that_closes_nothing_is_left_to_mathjax():
    assert formulas.width("a}") > formulas.width("a")


def test_a_displayed_formula_grows_with_its_lines():
    assert formulas.height("a") < formulas.height(r"a\\b") < formulas.height(r"\sum a\\b")


@pytest.mark.parametrize(("after", "glued"), [(", and so on", ","), (").", ")."), (" is even", None)])
def test_punctuation_stays_with_its_formula(after, glued):
    document = new_document("page")
    paragraph = nodes.paragraph("", "", nodes.math("", "x"), nodes.Text(after))
    document += paragraph
    formulas.Glue(document).run()
    together = [inline.astext() for inline in paragraph.findall(nodes.inline)]
    assert together == ([f"x{glued}"] if glued else [])
    assert paragraph.astext() == f"x{after}"
