"""Formulas as MathML: what the browser is given, where a line may break, and the punctuation after a formula."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from companion.site import formulas
from docutils import nodes
from docutils.utils import new_document
from fontTools.ttLib import TTFont

FONT = Path(__file__).parents[2] / "book/assets/formulas.woff2"
LONG = r"\mathrm{AS}(h)\le\mathbb E\sum_i\Bigl(\sum_{j\in R(x)}|u_jw_{ji}|\Bigr)^2\le4k^2W^2"


def text(made):
    return "".join(ET.fromstring(made).itertext())


@pytest.mark.parametrize(
    ("tex", "signs"),
    [
        (r"4k^2W^2/(d+1)", "4k2W2/(d+1)"),
        (r"\lVert\nabla h\rVert", "\u2016\u2207h\u2016"),
        (r"x\in\{-1,1\}^n", "x\u2208{\u22121,1}n"),
        (r"\mathrm{AS}(h)\le4k^2W^2", "AS(h)\u22644k2W2"),
    ],
)
def test_a_formula_keeps_its_signs(tex, signs):
    made = formulas.mathml(tex)
    assert made.startswith("<math>")
    assert text(made) == signs


@pytest.mark.parametrize(
    "tex, display, parts",
    [
        ("x", True, ['display="block"']),
        (r"\sqrt n", False, ['<msqrt><mspace height="0.7em"/>']),  # a strut
        # between two sets a sign, with an index a name; neither higher than a capital
        (r"R\triangle Q", False, ['<mo lspace="0.2222em" rspace="0.2222em">\u2206</mo><mi>Q</mi>']),
        (r"j\in\triangle_l", False, ["<msub><mi>\u2206</mi><mi>l</mi></msub>"]),
        # a line that begins with plus has room after it
        (
            r"\begin{aligned}-a&\\&+b\end{aligned}",
            True,
            ['<mo form="infix">+</mo>', '<mo lspace="0" rspace="0">\u2212</mo>'],
        ),
        # the closing bar, which bears an exponent, hung below the opening one
        (
            r"\Bigl|x\Bigr|^2",
            False,
            ['<math><mrow><mo stretchy="true" form="prefix"', '<msup><mrow><mo stretchy="true" form="postfix"'],
        ),
    ],
)
def test_what_engines_leave_out_is_written(tex, display, parts):
    made = formulas.mathml(tex, display=display)
    assert [part for part in parts if part not in made] == []


def test_a_long_formula_may_break_after_its_relations_and_loses_nothing():
    made = formulas.mathml(LONG)
    pieces = formulas.in_pieces(made)
    assert len(pieces) >= 3
    assert [text(piece)[-1] for piece in pieces[:-1]] == ["\u2264"] * (len(pieces) - 1)
    assert "".join(map(text, pieces)) == text(made)


def test_a_short_formula_stays_whole_and_brackets_hold_together():
    assert len(formulas.in_pieces(formulas.mathml("a=b"))) == 1
    inside = formulas.mathml(r"f(a=b, c=d, e=f, g=h, i=j)")
    assert len(formulas.in_pieces(inside)) == 1
    outside = formulas.mathml(r"f(a=b, c=d, e=f, g=h)=j")
    assert len(formulas.in_pieces(outside)) == 2


def test_a_sign_of_a_number_is_no_place_to_break():
    pieces = formulas.in_pieces(formulas.mathml(r"aaaaaaaaaaaaaaaaaa=-1"))
    assert [text(piece)[-1] for piece in pieces] == ["=", "1"]


def test_the_widths_of_brackets_are_those_of_the_font():
    font = TTFont(FONT)
    table = font["MATH"].table.MathVariants
    for size, widths in formulas.WIDTHS.items():
        for sign, width in widths.items():
            glyph = font.getBestCmap()[ord(sign)]
            record = table.VertGlyphConstruction[table.VertGlyphCoverage.glyphs.index(glyph)].MathGlyphVariantRecord
            least = 1000 * float(size.removesuffix("em"))
            taken = next(one for one in record if one.AdvanceMeasurement >= least)
            assert font["hmtx"][taken.VariantGlyph][0] == pytest.approx(1000 * width, abs=1)


def letter(font, sign):
    """The advance of a sign, and its italic correction."""
    corrections = font["MATH"].table.MathGlyphInfo.MathItalicsCorrectionInfo
    name = font.getBestCmap()[ord(sign)]
    known = dict(zip(corrections.Coverage.glyphs, corrections.ItalicsCorrection, strict=True))
    return font["hmtx"][name][0], known[name].Value if name in known else 0


def test_the_font_has_in_its_letters_what_engines_leave_out():
    """Room to the right of leaning letters, in place of a correction; roots of one width; primes of full size."""
    font = TTFont(FONT)
    ink = font["glyf"]
    for sign in "\U0001d44a\U0001d447\U0001d449\U0001d453":  # W, T, V and f in italics
        advance, correction = letter(font, sign)
        assert correction == 0
        assert advance > ink[font.getBestCmap()[ord(sign)]].xMax - 20  # W touched its 2 by a tenth of an em
    variants = font["MATH"].table.MathVariants
    root = font.getBestCmap()[0x221A]
    sizes = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(root)]
    names = [one.VariantGlyph for one in sizes.MathGlyphVariantRecord]
    names += [part.glyph for part in sizes.GlyphAssembly.PartRecords]
    assert {font["hmtx"][name][0] for name in names} == {font["hmtx"][root][0]}
    prime = ink[font.getBestCmap()[0x2032]]
    assert 0.7 * (prime.yMax - prime.yMin) > 250 and prime.yMin < 250  # as a superscript: 70 %, and raised
    assert font["name"].getDebugName(1) == "Companion Math"


def test_a_subscript_hangs_no_lower_after_a_letter_with_a_descender():
    font = TTFont(FONT)
    constants = font["MATH"].table.MathConstants
    for sign in "\U0001d466\U0001d701\U0001d712\U0001d453\u2016":  # y, zeta, chi and f in italics, the bar of a norm
        foot = -font["glyf"][font.getBestCmap()[ord(sign)]].yMin
        assert foot + constants.SubscriptBaselineDropMin.Value <= constants.SubscriptShiftDown.Value


def test_a_bracket_of_a_given_size_stretches_in_a_row_of_its_own():
    made = formulas.mathml(r"\Bigl(x\Bigr)^2")
    rows = re.findall(r"<mrow><mo [^>]*>[()]</mo></mrow>", made)
    assert len(rows) == 2
    assert all('stretchy="true"' in row and "width: 0.427em" in row for row in rows)


@pytest.mark.parametrize(
    ("after", "marks"), [(", and so on", ","), (").", ")."), ("-sparse on it", "-sparse"), (" is even", None)]
)
def test_punctuation_stays_with_its_formula(after, marks):
    document = new_document("page")
    formula = nodes.math("", "x")
    paragraph = nodes.paragraph("", "", formula, nodes.Text(after))
    document += paragraph
    formulas.Glue(document).run()
    assert formula.get("marks") == marks
    assert paragraph.astext() + (marks or "") == f"x{after.removeprefix(marks or '')}{marks or ''}"


def test_no_line_ends_within_the_name_of_a_number_of_neurons():
    document = new_document("page")
    document += nodes.paragraph("", "", nodes.Text("a 1-sparse and a 12-sparse net"))
    formulas.Glue(document).run()
    assert [one.astext() for one in document.findall(nodes.inline)] == ["1-sparse", "12-sparse"]
    assert document.astext() == "a 1-sparse and a 12-sparse net"


def test_only_the_punctuation_after_the_formula_moves():
    """Other texts of the paragraph that are equal stay: of "Theorem 1. Any: x. " two points stood after x."""
    document = new_document("page")
    link, formula = nodes.reference("", "Theorem 1"), nodes.math("", "x")
    document += nodes.paragraph("", "", link, nodes.Text(". "), nodes.emphasis("", "Any"), formula, nodes.Text(". "))
    formulas.Glue(document).run()
    assert [child.astext() for child in document[0]] == ["Theorem 1", ". ", "Any", "x", " "]
    assert formula["marks"] == "."


class Page:
    """As much of Sphinx's writer as the visitors use."""

    def __init__(self):
        self.body = []

    def starttag(self, node, name, suffix="\n", CLASS=""):
        return f'<{name} class="{CLASS}">{suffix}'

    def encode(self, text):
        return text.replace("<", "&lt;")


def written(visit, node):
    page = Page()
    with pytest.raises(nodes.SkipNode):
        visit(page, node)
    return "".join(page.body)


def test_the_page_holds_the_formula_its_marks_and_its_number():
    line = nodes.math("", "x")
    line["marks"] = "),"
    assert '<span class="glued"><math><mi>x</mi></math>),</span>' in written(formulas.visit_math, line)
    display = written(formulas.visit_displaymath, nodes.math_block("", r"x=1\tag{7}"))
    assert '<span class="eqno">(7)</span>' in display
    assert "tag" not in display


def test_a_formula_carries_its_tex_once_and_a_letter_is_its_own():
    """What is shown is a row before the TeX; a long formula has the whole of it at its first piece."""
    formula = ET.fromstring(formulas.annotated(formulas.mathml("a<b^2"), "a<b^2"))
    row, note = formula[0]
    assert (formula[0].tag, row.tag, note.tag) == ("semantics", "mrow", "annotation")
    assert note.attrib == {"encoding": "application/x-tex"} and note.text == "a<b^2"
    assert text(ET.tostring(row)) == "a<b2"
    assert formulas.annotated(formulas.mathml("x"), "x") == formulas.mathml("x")
    page = written(formulas.visit_math, nodes.math("", LONG))
    notes = [note.text for note in ET.fromstring(page).iter("annotation")]
    assert page.count("<math") >= 3 and notes == [LONG]
    display = formulas.annotated(formulas.mathml("a<b^2", display=True), "a<b^2")
    assert display.startswith('<math display="block"><semantics>')


def test_no_line_begins_with_a_space_of_the_formula():
    pieces = formulas.in_pieces(formulas.mathml(r"aaaaaaaaaaaaaaaaaa=\;b"))
    assert len(pieces) == 2
    assert "<mspace" in pieces[0] and "<mspace" not in pieces[1]


def test_a_formula_that_cannot_be_read_is_reported_and_shown_as_written(monkeypatch):
    reports = []
    monkeypatch.setattr(formulas.logger, "warning", lambda message, *values, location: reports.append(message % values))
    page = written(formulas.visit_math, nodes.math("", r"a<\frac{1}"))
    assert r"a&lt;\frac{1}" in page
    assert len(reports) == 1 and reports[0].startswith(r"formula a<\frac{1}: ")


def test_a_fraction_in_the_text_stays_within_its_line_and_a_root_takes_no_larger_sign_for_a_bracket():
    font = TTFont(FONT)
    constants = font["MATH"].table.MathConstants
    ink, cmap = font["glyf"], font.getBestCmap()
    script = constants.ScriptPercentScaleDown / 100
    digit, bracket = ink[cmap[ord("1")]], ink[cmap[ord("(")]]
    above = constants.FractionNumeratorShiftUp.Value + script * digit.yMax
    below = constants.FractionDenominatorShiftDown.Value - script * bracket.yMin
    assert above + below < 1550  # a line of the text is 1 610 high
    gaps = [constants.RadicalDisplayStyleVerticalGap.Value, constants.RadicalVerticalGap.Value]
    root = ink[cmap[0x221A]]
    room = root.yMax - root.yMin - constants.RadicalRuleThickness.Value - max(gaps)
    assert bracket.yMax - bracket.yMin - 100 < room  # 100: what the style sheet takes off below
