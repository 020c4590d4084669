"""Formulas as MathML, made at the build: a page shows them as soon as its text, without a script.

A long formula in a line of text may break after its relations and operations, as in print; no line begins with the
punctuation after a formula.
"""

import html
import re
from typing import Any
from xml.etree import ElementTree as ET

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

CONVERTER = LatexToMathML(fancy_error=False)
# Letters and signs from which on a formula in a line of text may break: half a line of a phone.
LONG = 16
# After what it breaks, outside brackets: first after these, and what is then still long after those.
RELATIONS = set("=<>≤≥≠≈≡∼∈∉⊆→↦≪≫≲∝")
OPERATIONS = set(",+−±⋅×∪∩∖⊕")
OPENING = set("([{⟨⌈⌊")
CLOSING = set(")]}⟩⌉⌋")
# The number that the author gave to a displayed formula
TAG = re.compile(r"\\tag\{(.*?)\}")
# A bracket or bar of a given size, and how wide it is in the font, in em. Chromium would give it the width of the
# widest bracket of all (tests/book/test_formulas.py reads the widths again from the font).
SIZED = re.compile(r'<mo (?:stretchy="true" )?([^>]*?)minsize="(.*?)" maxsize="[^"]*">(.)</mo>')
WIDTHS = {
    "1.2em": {"(": 0.404, ")": 0.404, "[": 0.39, "]": 0.39, "{": 0.372, "}": 0.372, "/": 0.593},
    "1.623em": {"(": 0.427, ")": 0.427, "[": 0.409, "]": 0.409, "{": 0.393, "}": 0.393, "⌊": 0.409, "⌋": 0.409},
}
# An unseen strut in each root, so that bars of roots over small and over high letters are at one height. Without it
# Chromium lays the bar on the letter and lets the sign hang below the line.
ROOT = '<msqrt><mspace height="0.7em"/>'
# The sign that a line of an aligned formula begins with stands between two terms; browsers take it for that of a number
CONTINUED = re.compile(r"(<mtd[^>]*>)<mo>(?=[+−])")
# The symmetric difference: STIX draws its triangle a third higher than a capital, and a converter takes it for a letter
DIFFERENCE = re.compile(r"(?<!<msub>)<mi>△</mi>")
# What no line may begin with after a formula: punctuation, and what a hyphen joins to it, as in k-sparse
PUNCTUATION = re.compile(r"(?:[.,;:!?)\]’”…]|-\w*)+")
# The same with a number in place of the formula
COUNTED = re.compile(r"\b(\d+-sparse)\b")
logger = logging.getLogger(__name__)


def mathml(tex: str, display: bool = False) -> str:
    """One <math> element, of the elements that browsers draw without a script (MathML Core)."""
    made = CONVERTER.convert_with_local_state(tex, displaystyle=display)
    made = made.replace("&ApplyFunction;", "\N{FUNCTION APPLICATION}")
    made = DIFFERENCE.sub('<mo lspace="0.2222em" rspace="0.2222em">\N{INCREMENT}</mo>', made)
    made = made.replace("△", "\N{INCREMENT}")
    made = CONTINUED.sub(r'\1<mo form="infix">', made)
    return SIZED.sub(sized, made).replace("<msqrt>", ROOT)


def sized(found: re.Match[str]) -> str:
    """A bracket of a given size: it grows only inside a row, as below an exponent, and if it says that it stretches."""
    form, size, sign = found.groups()
    width = WIDTHS.get(size, {}).get(sign)
    style = f' style="width: {width}em"' if width else ""
    return f'<mrow><mo stretchy="true" {form}minsize="{size}" maxsize="{size}"{style}>{sign}</mo></mrow>'


def in_pieces(made: str) -> list[str]:
    """A long formula as several <math> elements, between which a line may end."""
    pieces = [list(ET.fromstring(made))]
    for signs in (RELATIONS, OPERATIONS):
        pieces = [part for piece in pieces for part in cut(piece, signs)]
    if len(pieces) == 1:
        return [made]
    elements = []
    for piece in pieces:
        element = ET.Element("math")
        element.extend(piece)
        elements.append(ET.tostring(element, encoding="unicode"))
    return elements


def cut(row: list[ET.Element], signs: set[str]) -> list[list[ET.Element]]:
    """The row, if it is long in parts, each but the last of which ends in one of the signs."""
    if sum(len("".join(child.itertext())) for child in row) < LONG:
        return [row]
    parts: list[list[ET.Element]] = [[]]
    depth = 0
    for child in row:
        if child.tag == "mspace" and not parts[-1] and len(parts) > 1:
            parts[-2].append(child)  # a space before a break, as after it the line would begin with it
            continue
        parts[-1].append(child)
        for sign in child.iter("mo"):
            depth += (sign.text in OPENING) - (sign.text in CLOSING)
        minus = child.get("lspace") == "0"  # or another sign that stands before a number, and not between two
        if child.tag == "mo" and child.text in signs and depth == 0 and not minus and child is not row[-1]:
            child.set("form", "infix")  # at the end of a row it would be taken for a postfix, without space before it
            parts.append([])
    return parts


def annotated(made: str, tex: str) -> str:
    """The formula with its TeX, which browsers do not show, for what copies it; one that is its TeX, as x, says it."""
    if "".join(ET.fromstring(made).itertext()) == tex:
        return made
    note = f'<annotation encoding="application/x-tex">{html.escape(tex, quote=False)}</annotation>'
    start, _, row = made.removesuffix("</math>").partition(">")
    return f"{start}><semantics><mrow>{row}</mrow>{note}</semantics></math>"


def visit_math(self: HTML5Translator, node: nodes.Element) -> None:
    """A formula in a line of text, with its TeX at its first piece, and the punctuation after it."""
    self.body.append(self.starttag(node, "span", "", CLASS="math notranslate nohighlight"))
    first, *others = in_pieces(converted(self, node))
    *pieces, last = annotated(first, node.astext()), *others
    self.body += pieces
    self.body.append(f'<span class="glued">{last}{node["marks"]}</span>' if "marks" in node else last)
    self.body.append("</span>")
    raise nodes.SkipNode


def visit_displaymath(self: HTML5Translator, node: nodes.Element) -> None:
    """A displayed formula, with its number if it has one."""
    self.body.append(self.starttag(node, "div", CLASS="math notranslate nohighlight"))
    if number := TAG.search(node.astext()):
        self.body.append(f'<span class="eqno">({number[1]})</span>')
    self.body.append(annotated(converted(self, node, display=True), TAG.sub("", node.astext()).strip()))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def converted(self: HTML5Translator, node: nodes.Element, display: bool = False) -> str:
    """The MathML of a node; a formula that cannot be read is reported with its place, and shown as it was written."""
    try:
        return mathml(TAG.sub("", node.astext()), display)
    except LatexError as error:
        logger.warning("formula %s: %s", node.astext(), error, location=node)
        return f"<math><mtext>{self.encode(node.astext())}</mtext></math>"


class Glue(SphinxPostTransform):
    """No line begins with the punctuation after a formula, nor with what a hyphen joins to it."""

    default_priority = 900
    formats = ("html",)

    def run(self, **options: Any) -> None:
        for formula in list(self.document.findall(nodes.math)):
            after = formula.next_node(descend=False, siblings=True)
            if isinstance(after, nodes.Text) and (marks := PUNCTUATION.match(after)):
                # the text itself: replace() would take the first that is equal, as another ". " before
                place = next(i for i, child in enumerate(after.parent) if child is after)
                after.parent[place] = nodes.Text(after[marks.end() :])
                formula["marks"] = marks[0]
        for text in list(self.document.findall(nodes.Text)):
            if COUNTED.search(text) and isinstance(text.parent, nodes.paragraph):
                parts = COUNTED.split(text)  # what is counted stands at odd places
                glued = [
                    nodes.inline("", part, classes=["glued"]) if i % 2 else nodes.Text(part)
                    for i, part in enumerate(parts)
                ]
                place = next(i for i, child in enumerate(text.parent) if child is text)
                text.parent[place : place + 1] = glued


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_displaymath, None))
    app.add_post_transform(Glue)
