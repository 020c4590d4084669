"""ASCII in the signs of print: powers, relations, numbers with an exponent, and names that stay whole.

Checks, tables and docstrings give plain text, as a terminal shows it; a page shows the same as a book would.
"""

import re

# Tags, and elements whose text is code or has been set already; then the text between them.
PARTS = re.compile(
    r"<(pre|code|kbd|script|style|svg|math|textarea|title)\b.*?</\1>|<dt class=\"sig.*?</dt>|<[^>]*>|[^<]+", re.S
)
NAMES = (
    "Definition|Theorem|Lemma|Claim|Corollary|Proposition|Remark|Conjecture|Exercise|Equation|Chapter|Section|Appendix|"
    r"Fig\.|Table"
)
NAME = re.compile(rf"\b({NAMES}) (?=[\dA-Z])")
SIGNS = {"&lt;=": "≤", "&gt;=": "≥", "!=": "≠", "-&gt;": "→"}
SIGN = re.compile("|".join(SIGNS))
RELATION = re.compile(r"\b([A-Za-z]) ([=≤≥≠]) (?=[-−\d])")
WORDS = {"eps": "ε", "rho": "ρ", "Lambda": "Λ"}
WORD = re.compile(rf"\b({'|'.join(WORDS)})\b")
EXPONENT = re.compile(r"\b(\d+(?:\.\d+)?)e([-+]?)0*(\d+)\b")
POWER = re.compile(r"(?<=[\w)\]|])\^(?:\(([^()]*)\)|\{([^{}]*)\}|(-?\w+))")
RAISED = str.maketrans("-+0123456789kinmdps", "⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹ᵏⁱⁿᵐᵈᵖˢ")


def printed(page: str) -> str:
    """The page with its text in the signs of print; code, formulas and drawings stay as they are."""
    return PARTS.sub(lambda part: part[0] if part[0].startswith("<") else text(part[0]), page)


def text(plain: str) -> str:
    """A piece of text, in which & and < are written as HTML has them.

    >>> text("Lemma 9: C^2 &lt;= 3.48e+04, sqrt(q) at eps = 1e-12")
    'Lemma\\xa09: C² ≤ 3.48·10⁴, √q at ε = 10⁻¹²'
    """
    if not plain.strip():
        return plain
    plain = NAME.sub("\\1\N{NO-BREAK SPACE}", plain)
    plain = SIGN.sub(lambda found: SIGNS[found[0]], plain)
    plain = RELATION.sub("\\1\N{NO-BREAK SPACE}\\2\N{NO-BREAK SPACE}", plain)
    plain = WORD.sub(lambda found: WORDS[found[1]], plain)
    plain = re.sub(r"\bsqrt\((\w+)\)", r"√\1", plain)
    plain = re.sub(r"\bsqrt\(", "√(", plain)
    plain = EXPONENT.sub(power_of_ten, plain)
    return POWER.sub(power, plain)


def power(found: re.Match) -> str:
    """C^2 as C², and 2^(m/3), for which there are no raised letters, with its exponent raised."""
    exponent = next(filter(None, found.groups()), "")
    raised = exponent.translate(RAISED)
    return f"<sup>{exponent}</sup>" if set(exponent) & set(raised) else raised


def power_of_ten(found: re.Match) -> str:
    """3.48e+04 as 3.48·10⁴, 1e-12 as 10⁻¹², and 0e+00 as 0."""
    factor, sign, exponent = found.groups()
    if float(factor) == 0:
        return "0"
    power = (sign.replace("+", "") + exponent).translate(RAISED)
    return f"10{power}" if factor == "1" else f"{factor}·10{power}"
