"""What stands in a notebook for the Markdown of a page: each construct by itself, and all pages of the book."""

import pytest
from companion import places
from companion.building import chapters, outlines, plain

SOURCES = chapters.sources(places.BOOK)
SITE = "https://example.org/book"
BOX = "```{{prf:theorem}} {}\n:label: {}\n:nonumber:\n\nLet\n$a=\nb$ and\n\n$$\nc\\\\\nd\n$$\n```"
QUOTED = "> {}\n>\n> Let $a= b$ and\n>\n> $$c\\\\ d$$"


def write(text, name="02-uniform", site=""):
    return plain.Writer(name, site).plain(text)


CONSTRUCTS = {
    "what every viewer shows stays": ("A *b* `c`\n$d_*$, e\\*f.\n\n- g\n  h\n\n| i |\n|---|\n| j |", None),
    "a label": ("(sec-a)=\n## A\n\nb", "## A\n\nb"),
    "an index": ("A\n\n```{index} b\n```\n\nc", "A\n\n\nc"),
    "a box of the paper": (
        BOX.format("Lemma 9, average sensitivity", "no-claim"),
        QUOTED.format("**Lemma 9, average sensitivity.**"),
    ),
    "a box with a claim": (
        BOX.format("Average sensitivity of sparse networks (ours)", "ours-average-sensitivity"),
        QUOTED.format("**Theorem 2.1 (Average sensitivity of sparse networks).** *true* · ✓ machine-checked"),
    ),
    "a proof": (
        "::::{dropdown} Proof of $a<b$\nOne\n\n$$\nc\n$$\n::::",
        "<details><summary>Proof of $a&lt;b$</summary>\n\nOne\n\n$$\nc\n$$\n\n</details>",
    ),
    "a box inside of a proof": (
        "::::{dropdown} Proof\n:::{note}\nOne\n:::\n::::",
        "<details><summary>Proof</summary>\n\n> **Note**\n>\n> One\n\n</details>",
    ),
    "an exercise": (
        "```{exercise} Warm-up: why $a$\n:label: exercise-2-two-ramps\n\nShow\nthat.\n```",
        "> **Exercise 2.1. Warm-up: why $a$**\n>\n> Show that.",
    ),
    "a solution": ("```{solution-start} x\n:label: y\n```\n\nSo.\n\n```{solution-end}\n```", "**Solution.**\n\nSo."),
    "a table as a list": (
        "::::{list-table}\n:header-rows: 1\n\n* - A\n  - $|b|$\n* - c\n  - $\\|d\\|$ e\n::::",
        "| A | $\\vert b\\vert $ |\n| --- | --- |\n| c | $\\Vert d\\Vert $ e |",
    ),
    "a directive that nobody foresaw": ("```{versionadded} 2.0\nThe *text*.\n```", "> **2.0**\n>\n> The *text*."),
    "a statement of this page": (
        "By {statement}`theorem-8` and {statement}`the degree <theorem-8>`.",
        "By [Theorem 8](#From-one-flip-to-learning) and [the degree](#From-one-flip-to-learning).",
    ),
    "a statement of another page": ("{statement}`ours-gradient`", "[Gradient and boundary](07-gradients.ipynb)"),
    "a claim": ("It is 0 ({claim}`E17`).", "It is 0 (E17)."),
    "a section here and elsewhere": (
        "{ref}`one <sec-chain>`, {ref}`two\nnetworks <sec-small-networks>`",
        "[one](#From-one-flip-to-learning), [two networks](02-uniform-audit.ipynb)",
    ),
    "a heading with a formula": (
        "{ref}`one <sec-sharp>`",
        "one",
    ),
    "a page with a notebook": ("{doc}`chapter 1 <01-definitions>`", "[chapter 1](01-definitions.ipynb)"),
    "a page without": ("{doc}`the errata <errata>`", "the errata"),
    "a figure and an exercise": (
        "{numref}`fig-no-root`, {numref}`exercise-2-indexing`",
        "[Fig. 2.1](#The-uniform-distribution), [Exercise 2.2](#Exercises)",
    ),
    "citations": (
        "{cite:t}`awasthi2024` and {cite:t}`kane2014,odonnell2014` {cite}`goel2020,newton2023`",
        "Awasthi et al. (2024) and Kane (2014), O'Donnell (2014) (Goel et al., 2020; Newton and Richelson, 2023)",
    ),
    "other roles": ("{term}`scale`, {mod}`sparse_core.cube`, {py:func}`f <a.f>`", "scale, sparse_core.cube, f"),
    "what is not there": (
        "{statement}`no-such`, {ref}`a <no-such>`, {numref}`no-such`, {cite}`no-such`",
        "no-such, a, Exercise ?, no-such",
    ),
    "what looks like a role": ("`{claim}`, ``{claim}`E17` `` and {claim}`E17`", "`{claim}`, ``{claim}`E17` `` and E17"),
    "folds around cells": (
        "A\n\n</details>\n\nb\n\n<details class=\"steps\">\n<summary>The rest</summary>\n\nc",
        "A\n\n\nb\n\n**The rest**\n\nc",
    ),
    "a fold of its own": ("<details>\n<summary>A</summary>\n\nb\n\n</details>", None),
}  # fmt: skip


@pytest.mark.parametrize("source, shown", CONSTRUCTS.values(), ids=CONSTRUCTS)
def test_each_construct_has_a_plain_form(source, shown):
    assert write(source) == (source if shown is None else shown)


def test_with_an_address_links_lead_to_the_site():
    roles = ("{statement}`ours-tail`", "{claim}`E17`", "{claim}`lemma-9`", "{ref}`a <sec-chain>`", "{doc}`b <errata>`")
    assert write(", ".join([*roles, "{cite:t}`kane2014`"]), site=SITE).split(", ") == [
        f"[Theorem 2.2 (Fourier tail)]({SITE}/book/02-uniform.html#ours-tail)",
        f"[E17]({SITE}/book/errata.html#E17)",
        f"[Lemma 9]({SITE}/book/ledger.html#lemma-9)",
        f"[a]({SITE}/book/02-uniform.html#sec-chain)",
        f"[b]({SITE}/book/errata.html)",
        f"[Kane (2014)]({SITE}/book/literature.html)",
    ]


# What the parser of MyST finds in a text that every viewer shows
SHOWN = {
    *("text", "inline", "softbreak", "code_inline", "math_inline", "math_block", "html_block", "fence"),
    *("em", "strong", "link", "paragraph", "heading", "blockquote", "bullet_list", "ordered_list", "list_item"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


def tokens_of(tokens):
    for token in tokens:
        yield token
        yield from tokens_of(token.children or [])


@pytest.mark.parametrize("site", ["", SITE])
@pytest.mark.parametrize("name", SOURCES)
def test_no_construct_of_the_book_comes_out_raw(name, site):
    writer = plain.Writer(name, site)
    raw, seen = [], 0
    for cell in chapters.read(SOURCES[name])["cells"]:
        text = writer.plain(cell["source"]) if cell["cell_type"] == "markdown" else ""
        assert text.count("<details") == text.count("</details>")
        for token in tokens_of(outlines.parser().parse(text)):
            seen += 1
            unknown = token.type.removesuffix("_open").removesuffix("_close") not in SHOWN
            if unknown or outlines.directive(token)[0]:
                raw.append(token)
            elif token.type == "text" and any(sign in token.content for sign in ("{", "`", ":::")):
                raw.append(token)
    assert seen > 20 and raw == []
