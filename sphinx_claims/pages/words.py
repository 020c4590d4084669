"""How pages name, place and link claims and their records: HTML inside Markdown."""

import html
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ..claims import Claim
from ..ledger import Ledger
from ..record import Record

# The name of a statement that the paper prints, with which the title of its box begins
PRINTED = re.compile(r"(Definition|Theorem|Lemma|Claim|Corollary|Proposition|Remark|Conjecture) [\dA-Z][\w.]*\b")
# What ends a title, less "ours", which is said beside the box.
AUTHOR = re.compile(r" \((?:ours\b[,;]? ?)?([^()]*)\)$")


def boxed(kind: str, title: str, here: Sequence[Claim]) -> tuple[str, str]:
    """The name of a box, "Lemma 9" or, of ours, "Theorem 2.4", and the rest of its title; ``here`` is what it states.

    >>> boxed("Theorem", "Fourier tails (ours)", [Claim("a", number="Theorem 2.4")])
    ('Theorem 2.4', ' (Fourier tails)')
    """
    if here and here[0].number:
        return here[0].number, f" ({AUTHOR.sub(lambda of: f'; {of[1]}' * bool(of[1]), title)})"
    if printed := PRINTED.match(title):
        return printed[0], title[printed.end() :]
    return f"{kind}.", f" {title}"


def titled(section: str) -> str:
    if section.isalpha():
        return f"Appendix {section}"
    return f"§{section}"


def order(claim: Claim) -> list[int]:
    """Where a numbered claim stands in a list of ours: appendices after chapters, those without a number last, in their
    order."""
    number = claim.number.partition(" ")[2] or "99"
    return [int(part) if part.isdecimal() else ord(part) for part in number.split(".")]


# Words, links and pills


def to_records(records: Sequence[Record], word: str, label: str) -> list[str]:
    """A link to the cell of each record; those who hear links alone hear of which claim, and which of several."""
    links = []
    count: Counter[str] = Counter()
    for record in records:
        text = word or record.evidence
        heard = f"{text}, {label}"
        if count[text]:
            heard += f", {count[text] + 1}"
        count[text] += 1
        links.append(link(f"{record.page}.html#{record.anchor}", text, heard))
    return links


def link(target: str, text: str, heard: str = "") -> str:
    """A link; ``heard`` is its name where its text alone does not say where it leads."""
    name = heard and f' aria-label="{html.escape(heard)}"'
    return f'<a href="{html.escape(target)}"{name}>{plain(text)}</a>'


def roles(ids: Iterable[str]) -> str:
    """The claims as links to their rows."""
    return ", ".join(f"{{claim}}`{name}`" for name in ids)


def badge(word: str) -> str:
    """A standing as a pill."""
    return f'<span class="standing standing-{word.replace(" ", "-")}">{word}</span>'


def proved(ledger: Ledger, claim: Claim) -> str:
    """The mark of a claim that is proved, with the part where it is one; it leads to what the prover prints."""
    words = f"machine-checked: {claim.part}".removesuffix(": ")
    target = ledger.settings.prover.page.format(claim.proved.replace("_", "-"))
    shown = plain(words)
    if target:
        shown = link(target, words, f"{words}, {claim.label}")
    return f'<span class="proved">{shown}</span>'


def one_line(text: str) -> str:
    """A text on one line, in which no < begins a tag; to mathematics the space makes no difference."""
    return re.sub(r"<(?=[A-Za-z/!?])", "< ", " ".join(text.split()))


def plain(text: str) -> str:
    """Text that Markdown and HTML leave as it is."""
    return re.sub(r"[&<>*_$\\`\[\]|~^{}#]", lambda c: f"&#{ord(c[0])};", text)


def in_print(ledger: Ledger, text: str) -> str:
    """Plain text that a program made, as HTML inside Markdown."""
    parts = re.split(r"(<[^>]*>)", ledger.settings.printed(text))
    parts[::2] = [re.sub(r"[*_$\\`\[\]|~^{}]", lambda sign: plain(sign[0]), part) for part in parts[::2]]
    return "".join(parts)
