"""Words, links and pills of the generated pages: HTML inside Markdown."""

import html
import re
from collections.abc import Iterable
from typing import Any

from companion import typography


def to_records(records: Iterable[dict[str, Any]], word: str, label: str) -> list[str]:
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


def proved(claim: dict[str, Any], sign: str = "") -> str:
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
