"""ASCII in the signs of print: powers, relations, numbers with an exponent, and names that stay whole.

Checks, tables and docstrings give plain text, as a terminal shows it; a page shows the same as a book would, by
``typeset_html`` and ``typeset``. What an author wrote keeps its letters: of a whole page only spaces are changed, by
``keep_names_together``, to such as no line breaks at. Formulas between dollars are written by ``formulas``, names for
those who hear a page by ``accessible_names``, and a report before it comes here by ``sparse_meter.tables``.
"""

import re
import unicodedata
from collections.abc import Callable

# Tags, and elements whose text is code or has been set already; then the text between them.
PARTS = re.compile(
    r"<(pre|code|kbd|script|style|svg|math|textarea|title)\b.*?</\1>|<dt class=\"sig.*?</dt>|<[^>]*>|[^<]+", re.S
)
CELL = re.compile(r'data-name="([^"]*)"')
HEAD = re.compile(r'(?<=<th scope="col">).*?(?=</th>)', re.S)
# In the head of a column one letter is a variable; "a" is a word, and E the expectation, which is upright.
VARIABLE = re.compile(r"(?<![A-Za-z'’])([b-zBCDF-HJ-Z])(?![A-Za-z'’])")
# In a sentence with computed numbers a variable stands before a relation or bears an exponent: k = 1, 4k²W².
ANSWER = re.compile(r'(?<=<p class="answer">).*?(?=</p>)', re.S)
RELATED = re.compile(r"([A-Za-z])(?=[²³⁴]|[ \xa0][=≤≥≠])")
NAMES = (
    "Definition|Theorem|Lemma|Claim|Corollary|Proposition|Remark|Conjecture|Exercise|Equation|Chapter|Section|Appendix|"
    r"Fig\.|Table"
)
NAME = re.compile(rf"\b({NAMES}) (?=[\dA-Z])")
SIGNS = {"&lt;=": "≤", "&gt;=": "≥", "!=": "≠", "-&gt;": "→", "||": "‖"}
SIGN = re.compile("|".join(map(re.escape, SIGNS)))
# of numbers and formulas; prose has no hyphen between spaces
MINUS = re.compile(r"(?<=[\w)\]}|‖⟩]) - (?=[\w(\[{|‖&])|(?<![^\s(\[{|,])-(?=[\dα-ω])")
INNER = re.compile(r"&lt;(?=\S)([^&]*?,[^&]*?)&gt;")
RELATION = re.compile(r"\b([A-Za-z]) ([=≤≥≠]) (?=[-−\d])")
GREEK = "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu sigma tau phi chi rho Gamma Lambda Phi".split()
WORDS = {"eps": "ε", "inf": "∞"} | {
    name: unicodedata.lookup(f"GREEK {'CAPITAL' if name[0].isupper() else 'SMALL'} LETTER {name.replace('mbd', 'md')}")
    for name in GREEK
}
WORD = re.compile(rf"(?<![A-Za-z\d])({'|'.join(WORDS)})(?![A-Za-z])")
INDEX = re.compile(
    r"((?<!\w)[A-Za-zα-ωΓΛ]|[)‖’]|\b(?:sum|prod|max|min|log|NS|AS|Pr|Inf|Var))"
    r"_(?:\{([^{}]*)\}|\(([^()]*)\)|([a-zA-Zα-ω∞\d]{1,2})(?![A-Za-z\d_]))"
)
SPACED = re.compile(r"(?<![\w.,–#/-])[1-9]\d{0,2}(?: \d{3})+(?![\w–]|[.,]\d)")
# Thousands with commas or spaces and, from five digits on, with nothing between them; but no numbers of pages.
THOUSANDS = re.compile(r"(?<![\w.,–#/-])(\d{1,3}(?:,\d{3})+|[1-9]\d{0,2}(?: \d{3})+|[1-9]\d{4,})(?![\w–]|[.,]\d)")
# A number that is a name, and the members of a sequence of the OEIS: they are found as they are written.
NAMED = re.compile(r"\b(seed|commit)s? $|\bA\d{6}[^.;]*$")
EXPONENT = re.compile(r"\b(\d+(?:\.\d+)?)e([-+]?)0*(\d+)\b")
POWER = re.compile(r"(?<=[\w)\]}|‖])\^(?:\(([^()]*)\)|\{([^{}]*)\}|(-?\w+(?:\.\d+)?))")
RAISED = str.maketrans("-+0123456789kinmdps", "⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹ᵏⁱⁿᵐᵈᵖˢ")


def keep_names_together(page: str) -> str:
    """The page with its names, its numbers and their units whole; no letter of it is changed."""
    return in_text(no_break_spaces, page)


def typeset_html(made: str) -> str:
    """HTML that a program made, with its text in the signs of print, and the names that a phone shows beside the cells
    of a table; code, formulas and drawings stay as they are, and variables in heads of columns and in answers lean."""
    made = CELL.sub(lambda cell: f'data-name="{cell[1] if "<" in typeset(cell[1]) else typeset(cell[1])}"', made)
    made = in_text(typeset, made)
    for where, variable in ((HEAD, VARIABLE), (ANSWER, RELATED)):
        made = where.sub(lambda found: in_text(lambda plain: variable.sub(r"<i>\1</i>", plain), found[0]), made)  # noqa: B023
    return made


def in_text(change: Callable[[str], str], page: str) -> str:
    """HTML with a change of its text, piece by piece, where this is neither code nor a formula nor a drawing.

    >>> in_text(str.upper, "<p>a <code>b</code></p>")
    '<p>A <code>b</code></p>'
    """
    return PARTS.sub(lambda part: part[0] if part[0].startswith("<") else change(part[0]), page)


def no_break_spaces(plain: str) -> str:
    """A piece of text in which no line breaks inside "Lemma 9", "1 157 464", "5 %", "0.3 ± 0.1" or "n = 3".

    >>> no_break_spaces("Lemma 9: k = 2")
    'Lemma\\xa09: k\\xa0=\\xa02'
    """
    plain = NAME.sub("\\1\N{NO-BREAK SPACE}", plain)
    plain = SPACED.sub(lambda found: found[0].replace(" ", "\N{NARROW NO-BREAK SPACE}"), plain)
    plain = re.sub(r"(?<=\d) ?%", "\N{NO-BREAK SPACE}%", plain)
    plain = re.sub(r"(?<=\d) ± (?=\d)", "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}", plain)
    plain = plain.replace(" ∎", "\N{NO-BREAK SPACE}∎")  # no line holds the end of a proof alone
    return RELATION.sub("\\1\N{NO-BREAK SPACE}\\2\N{NO-BREAK SPACE}", plain)


def typeset(plain: str) -> str:
    """A piece of text, in which & and < are written as HTML has them.

    >>> typeset("Lemma 9: C^2 &lt;= 3.48e+04, sqrt(q) at eps = 1e-12")
    'Lemma\\xa09: C² ≤ 3.48·10⁴, √q at ε = 10⁻¹²'
    """
    if not plain.strip():
        return plain
    plain = SIGN.sub(lambda found: SIGNS[found[0]], plain)
    plain = no_break_spaces(THOUSANDS.sub(thousands, plain))
    plain = re.sub("(?<=[a-z])(?:'|&#x27;)(?=[a-z])", "’", plain)
    plain = WORD.sub(lambda found: WORDS[found[1]], plain)
    plain = INNER.sub(r"⟨\1⟩", plain)
    plain = MINUS.sub(lambda found: found[0].replace("-", "−"), plain)
    plain = re.sub(r"\bsqrt\((\w+)\)", r"√\1", plain)
    plain = re.sub(r"\bsqrt(?:\(| (?=[\w|])(?!of\b))", lambda found: "√" + found[0][4:].strip(), plain)
    plain = EXPONENT.sub(power_of_ten, plain)
    plain = POWER.sub(power, plain)
    plain = re.sub(r"(?<=\w) \* (?=\w\b|√|min)", " · ", plain)
    return INDEX.sub(index, plain)


def index(found: re.Match[str]) -> str:
    """w_j as w<sub>j</sub>, also where it stands in another index."""
    base, *below = found.groups()
    return f"{base}<sub>{INDEX.sub(index, next(filter(None, below), ''))}</sub>"


def thousands(found: re.Match[str]) -> str:
    """1,157,464 and 1157464 in groups of three digits, which do not break; 4,096 as 4096."""
    if NAMED.search(found.string[: found.start()]):
        return found[0]
    number = int(re.sub("[ ,]", "", found[0]))
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}" if number > 9999 else "")


def power(found: re.Match[str]) -> str:
    """C^2 as C², and 2^(m/3), for which there are no raised letters, with its exponent raised."""
    exponent = next(filter(None, found.groups()), "")
    raised = exponent.translate(RAISED)
    return f"<sup>{exponent}</sup>" if set(exponent) & set(raised) else raised


def power_of_ten(found: re.Match[str]) -> str:
    """3.48e+04 as 3.48·10⁴, 1e-12 as 10⁻¹², and 0e+00 as 0."""
    factor, sign, exponent = found.groups()
    if float(factor) == 0:
        return "0"
    power = (sign.replace("+", "") + exponent).translate(RAISED)
    return f"10{power}" if factor == "1" else f"{factor}·10{power}"
