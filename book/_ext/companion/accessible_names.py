"""What an eye takes from the place of things, in words for those who hear the page: names of figures and tables.

All are pure functions from the text of a finished page to its text: Sphinx' writer gives no way to an ``aria-label``.
"""

import html
import re

FIGURE = re.compile(
    r'<figure (?![^>]*aria-label)([^>]*)>(?=(?:(?!</figure>).)*?<span class="caption-number">(.*?)</span>)', re.S
)
HEADING_OR_TABLE = re.compile(r"<h([1-6])\b[^>]*>(.*?)</h\1>|<table(?![^>]*aria-label)([^>]*)>(?!\s*<caption)", re.S)
SIGNS = {r"\le": " ≤ ", r"\ge": " ≥ ", r"\sqrt": "√", r"\rho": "ρ", "^2": "²", "^k": "ᵏ"}


def finished(text: str) -> str:
    """The page with all of these names."""
    start = re.search(r'<article class="bd-article">.*?<section[^>]* id="([^"]+)"', text, flags=re.S)
    if start:  # the link that skips the menus skips the buttons above the article too
        text = text.replace('href="#main-content"', f'href="#{start[1]}"', 1)
    head, article, body = text.partition("<article")
    return f"{head}{article}{with_named_tables(with_named_figures(body))}"


def with_named_figures(text: str) -> str:
    """Figures named by their number, "Fig. 2.1"."""
    return FIGURE.sub(lambda m: f'<figure {m[1]} aria-label="{html.escape(words(m[2]))}">', text)


def with_named_tables(text: str) -> str:
    """Tables without a caption named by the heading above, "Results of others" or "Junta networks, table 2", and cells
    of a head that say of what: of their columns."""
    above, count = "", 0

    def name(match: re.Match[str]) -> str:
        nonlocal above, count
        if match[1]:
            above, count = words(match[2]), 0
            return match[0]
        count += 1
        said = html.escape(f"{above}, table {count}" if count > 1 else above)
        return f'<table{match[3]} aria-label="{said}">'

    named = HEADING_OR_TABLE.sub(name, text)
    return re.sub(
        r"<thead>.*?</thead>", lambda m: re.sub(r"<th(?![^>]*scope=)\b", '<th scope="col"', m[0]), named, flags=re.S
    )


def words(inner: str) -> str:
    """The text of an element without its link to itself; of a formula, what can be said in a name."""
    bare = re.sub(r'<a class="headerlink".*?</a>|<[^>]*>', "", inner, flags=re.S)
    for command, sign in SIGNS.items():
        bare = re.sub(re.escape(command) + r"(?![a-zA-Z])" * command.startswith("\\"), sign, bare)
    bare = re.sub(r"\\([a-zA-Z]+) *", r"\1 ", re.sub(r"\\math[a-z]+|\\[()]|[{}]", "", bare))
    return " ".join(html.unescape(bare).split())
