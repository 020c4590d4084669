"""How the pages name, place and link the claims of the book, which ``sparse_book.claims`` reads, and their records:
HTML inside Markdown.

Boxes of this project are numbered in the order of their chapter, "Theorem 6.3".
"""

import html
import re
from collections.abc import Iterable
from typing import Any

from companion.site import typography
from sparse_book.claims import OURS

Claim = dict[str, Any]
Claims = list[Claim]
Records = list[dict[str, Any]]

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
# The name of a statement that the paper prints, with which the title of its box begins
PRINTED = re.compile(r"(Definition|Theorem|Lemma|Claim|Corollary|Proposition|Remark|Conjecture) [\dA-Z][\w.]*\b")
# What ends a title, less "ours", which is said beside the box.
AUTHOR = re.compile(r" \((?:ours\b[,;]? ?)?([^()]*)\)$")


def boxed(kind: str, title: str, here: Claims) -> tuple[str, str]:
    """The name of a box, "Lemma 9" or, of ours, "Theorem 2.4", and the rest of its title; ``here`` is what it states.

    >>> boxed("Theorem", "Fourier tails (ours)", [{"number": "Theorem 2.4"}])
    ('Theorem 2.4', ' (Fourier tails)')
    """
    printed = PRINTED.match(title)
    if here and "number" in here[0]:
        return here[0]["number"], f" ({AUTHOR.sub(lambda of: f'; {of[1]}' * bool(of[1]), title)})"
    return (printed[0], title[printed.end() :]) if printed else (f"{kind}.", f" {title}")


def name(claim: Claim) -> str:
    """The name for readers: "Lemma 9" or, of what is numbered, "Theorem 2.4 (Fourier tail)"."""
    return f"{claim['number']} ({claim['label'].removesuffix(OURS)})" if "number" in claim else claim["label"]


def titled(section: str) -> str:
    return f"Appendix {section}" if section.isalpha() else f"§{section}"


def sections(claim: Claim) -> list[str]:
    """The sections of the paper in which a claim stands, without their parts."""
    return [part.strip().partition(".")[0] for part in str(claim.get("section", "")).split(",")]


def order(claim: Claim) -> list[int]:
    """Where a numbered claim stands in a list of ours; those without a number come last, and keep their order."""
    return list(map(int, claim.get("number", "_ 99").split(" ")[1].split(".")))


def by_id(claims: Iterable[Claim]) -> dict[str, Claim]:
    return {claim["id"]: claim for claim in claims}


def place(claim: Claim, records: Records) -> str:
    """Where a claim stands: at its box, at its first record (in its own chapter if it can), or in a section."""
    if "box" in claim:
        return f"{claim['page']}.html#{claim['box']}"
    mine = [record for record in records if record["claim"] == claim["id"]]
    if mine:
        first = min(mine, key=lambda record: record["chapter"][:2] != claim["chapter"][:2])
        return f"{first['chapter']}.html#{first['anchor']}"
    return f"{claim['page']}.html#{claim['stands_in']}" if "stands_in" in claim else ""


# Words, links and pills


def to_records(records: Records, word: str, label: str) -> list[str]:
    """A link to the cell of each record; those who hear links alone hear of which claim, and which of several."""
    links = []
    heard = []
    for record in records:
        text = word or record["evidence"]
        heard.append(text)
        number = f", {heard.count(text)}" if heard.count(text) > 1 else ""
        links.append(link(f"{record['chapter']}.html#{record['anchor']}", text, f"{text}, {label}{number}"))
    return links


def link(target: str, text: str, heard: str = "") -> str:
    """A link; ``heard`` is its name where its text alone does not say where it leads."""
    name = f' aria-label="{html.escape(heard)}"' if heard else ""
    return f'<a href="{html.escape(target)}"{name}>{plain(text)}</a>'


def roles(ids: Iterable[str]) -> str:
    """The claims as links to their rows."""
    return ", ".join(f"{{claim}}`{name}`" for name in ids)


def badge(word: str) -> str:
    """A standing as a pill."""
    return f'<span class="standing standing-{word.replace(" ", "-")}">{word}</span>'


def proved(claim: Claim, sign: str = "") -> str:
    """The mark of a claim that is proved in Coq, with the part where it is one; it leads to what Coq proves."""
    words = "machine-checked" + (f": {claim['part']}" if claim.get("part") else "")
    target = f"proofs.html#coq-{claim['proved'].replace('_', '-')}"
    heard = f"{sign} {words}, {claim['label']}".strip()
    return f'<span class="proved">{link(target, sign or words, heard)}</span>'


def one_line(text: str) -> str:
    """A text on one line, in which no < begins a tag; to mathematics the space makes no difference."""
    return re.sub(r"<(?=[A-Za-z/!?])", "< ", " ".join(text.split()))


def plain(text: str) -> str:
    """Text that Markdown and HTML leave as it is."""
    return re.sub(r"[&<>*_$\\`\[\]|~^{}#]", lambda c: f"&#{ord(c[0])};", text)


def in_print(text: str) -> str:
    """Plain text that a program made, in the signs of print, as HTML inside Markdown."""
    shown = typography.text(html.escape(text, quote=False))
    return re.sub(
        r"<[^>]*>|[*_$\\`\[\]|~^{}]", lambda found: found[0] if found[0][0] == "<" else plain(found[0]), shown
    )
