"""The map: the graph of the statements, and below it each of them once, by section of the paper, with its verdict."""

import html

from companion.claims import OURS, Claim, Claims, name, order
from companion.pages.markup import link, proved

SECTIONS = {
    "1": "Introduction",
    "2": "Preliminaries",
    "3": "Learning over the uniform distribution",
    "4": "Lower bounds for learning 1-sparse networks",
    "5": "Learning under general distributions",
    "6": "Discussion and future directions",
    "A": "A network without weight sparsity",
    "B": "Proof of Lemma 10",
}
MARKS = {
    "true": "✓",
    "true, proof repaired": "✓*",
    "false as printed": "✗",
    "settled": "✗*",
    "open": "?",
    "cited": "↗",
    "definition": "≔",
}
MEANINGS = {
    "true": "true as printed",
    "true, proof repaired": "true, with the proof repaired",
    "false as printed": "false as printed; corrected in the book",
    "settled": "a conjecture that is false as printed; the form that is true stands beside it",
    "open": "stated, neither proved nor refuted",
    "cited": "from the literature, not checked",
    "definition": "a definition",
}
INTRODUCTION = """\
# The map: what rests on what

An arrow leads from a statement to what rests on it, and the colour of a box is the verdict on the printed form. Choose
a statement: it stands in the middle, what it rests on to its left, what rests on it to its right, up to one or two
steps away or as far as the arrows lead. Choose an erratum: what it breaks is lit, up to where a proof has been
repaired. Each choice has its own address, and {doc}`the ledger <ledger>` has the same as rows.

"""
LISTED = """\
## The same as a list

The statements of the paper by its sections, and beside each section what this book adds to it. A name leads to the
place in the book that runs the statement. The mark after it is the verdict on the printed form and leads to the row of
the ledger; a number such as E9 leads to the erratum. Printed, the list takes two sheets of paper.

"""


def titled(section: str) -> str:
    return f"Appendix {section}" if section.isalpha() else f"§{section}"


def sections(claim: Claim) -> list[str]:
    """The sections of the paper in which a claim stands, without their parts."""
    return [part.strip().partition(".")[0] for part in str(claim.get("section", "")).split(",")]


def page(claims: Claims, graph: str = "") -> str:
    """The map as MyST Markdown: the graph, and the list."""
    lines = [INTRODUCTION, graph, "", LISTED, '<ul class="map-marks">']
    lines += [f'<li><span class="{mark_class(word)}">{MARKS[word]}</span> {MEANINGS[word]}</li>' for word in MARKS]
    lines += ['<li><span class="mark">⊢</span> machine-checked, in whole or in part</li>', "</ul>", ""]
    for section, title in SECTIONS.items():
        here = [c for c in claims if c["kind"] != "erratum" and sections(c)[0] == section]
        lines += [f"(section-{section})=", f"### {titled(section)}. {title}", ""]
        for source, words in (("paper", ""), ("ours", "Ours"), ("other", "Of others")):
            if mine := sorted((c for c in here if c["source"] == source), key=order):
                lines += [f'<p class="map-source">{words}</p>'] * bool(words)
                lines += ['<ul class="map">', *(entry(c) for c in mine), "</ul>", ""]
    return "\n".join(lines)


def entry(claim: Claim) -> str:
    """A statement's name, its verdict, and its errata."""
    word = claim["verdict"]
    row = f"ledger.html#{claim['id']}"
    label = name(claim).removesuffix(OURS)
    says = html.escape(f"{MARKS[word]} {label}: {word}")
    mark = f'<a class="{mark_class(word)}" href="{row}" aria-label="{says}">{MARKS[word]}</a>'
    errata = "".join(f" {link(f'errata.html#{e}', e)}" for e in claim.get("errata", []))
    if "proved" in claim:
        mark += proved(claim, "⊢")
    return f"<li>{link(claim['place'] or row, label)}&nbsp;{mark}<small>{errata}</small></li>"


def mark_class(word: str) -> str:
    return f"mark verdict-{word.replace(',', '').replace(' ', '-')}"
