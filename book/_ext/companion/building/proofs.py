"""What is proved in Coq: each statement in the words of the book beside what Coq prints, and the definitions."""

import html
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from sphinx_claims.claims import Claim
from sphinx_claims.ledger import Ledger
from sphinx_claims.pages.words import link, one_line, plain

MARK = "<!-- statements -->"
NOT_RUN = """:::{note}
The prover was not run for this build: what is marked *machine-checked* here was accepted in an earlier run, or
elsewhere. `python3 make.py prove` runs it.
:::"""
Entries = dict[str, dict[str, Any]]


def not_run(text: str) -> str:
    """A page that says, at its foot, that the prover was not run for this build."""
    return f"{text.rstrip()}\n\n{NOT_RUN}\n"


def sections(ledger: Ledger, theorems: Entries, definitions: Entries) -> Iterator[str]:
    """Lines of MyST Markdown: the statements by chapter, those that are no claim, the definitions. The site folds each
    of these sections."""
    letters = ledger.settings.appendices
    checked = sorted((claim for claim in ledger.claims if claim.proved), key=lambda claim: claim.page in letters)

    def home(claim: Claim) -> str:
        return f"appendix {letters[claim.page]}" if claim.page in letters else f"chapter {int(claim.chapter[:2])}"

    for chapter, mine in groupby(checked, key=home):
        yield f"\n## Statements of {chapter}\n"
        for claim in mine:
            theorem = claim.proved
            which = f" ({plain(claim.part)})" if claim.part else ""
            place = link(claim.place or f"ledger.html#{claim.id}", "In the book", f"In the book, {claim.name}")
            said = [
                f"{place}: {one_line(claim.statement)}",
                f"*Proved*{which}: {one_line(theorems[theorem]['note'])}",
            ]
            yield f"(coq-{anchor(theorem)})=\n### {plain(claim.name)}\n"
            yield beside(said, theorems[theorem], definitions)
    others = sorted(theorems.keys() - {claim.proved for claim in checked})
    if others:
        yield "\n## Without an entry in the ledger\n"
    for theorem in others:
        yield f"(coq-{anchor(theorem)})=\n### {theorem.replace('_', ' ').capitalize()}\n"
        yield beside([one_line(theorems[theorem]["note"])], theorems[theorem], definitions)
    yield "\n(coq-definitions)=\n## Definitions\n\nWhat the statements rest on, beside the library MathComp.\n"
    for defined, definition in definitions.items():
        words = [f'<span id="coq-{anchor(defined)}"></span>{one_line(definition["note"])}']
        yield beside(words, definition, {key: value for key, value in definitions.items() if key != defined})


def beside(words: list[str], entry: dict[str, Any], definitions: Entries) -> str:
    """Words on the left and what Coq prints on the right, in which the first use of a definition leads to it."""
    text = html.escape("\n".join(entry["coq"]), quote=False)
    seen = set()

    def first(match: re.Match[str]) -> str:
        if match[0] in seen:
            return match[0]
        seen.add(match[0])
        return f'<a href="#coq-{anchor(match[0])}">{match[0]}</a>'

    known = "|".join(map(re.escape, definitions))
    text = re.sub(rf"(?<![\w.&])(?:{known})(?![\w.'])", first, text) if known else text
    lines = [
        "::::{container} side-by-side",
        ":::{container}",
        *words,
        ":::",
        f"<pre><code>{text}</code></pre>",
        "::::",
        "",
    ]
    return "\n\n".join(lines)


def anchor(name: str) -> str:
    return name.replace("_", "-")


def fill(page: Path, ledger: Ledger, theorems: Entries, definitions: Entries, notations: Sequence[str] = ()) -> None:
    """Put the statements in the place of the mark, on a page that has it, and the notations of the definitions last."""
    if page.is_file():
        text = "\n".join(sections(ledger, theorems, definitions))
        text += "".join(f"\n- `{notation}`" for notation in notations) + "\n"
        page.write_text(page.read_text(encoding="utf-8").replace(MARK, text), encoding="utf-8")
