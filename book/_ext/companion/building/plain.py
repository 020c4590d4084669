"""The Markdown of a page as every viewer of notebooks shows it: without roles, directives and labels.

A text keeps its source but for what MyST alone knows. The parser of MyST says where that stands; what takes its place
is words and links, quotations, tables and <details>.
"""

from __future__ import annotations

import functools
import html
from typing import Any

from companion.building.outlines import directive, executed_pages, number, outline, page_with, parser
from companion.places import BOOK
from companion.site import project
from sphinx_claims.claims import Claim, by_id, read
from sphinx_claims.pages.words import boxed

Edits = list[tuple[int, int, str]]  # from, to, and what takes the place

# What is said for a reader of the site alone: what it loads, and words of its index.
OF_THE_SITE = ("index", "raw", "solution-end")


@functools.cache
def all_claims() -> dict[str, Claim]:
    return by_id(read(project.settings()))


class Writer:
    """What stands in a notebook for the Markdown of page ``name``; links lead to the site, if its address is known."""

    def __init__(self, name: str, site: str = "") -> None:
        self.name = name
        self.site = site

    def plain(self, text: str, *, quoted: bool = False) -> str:
        """A text of the page, or of one of its boxes; in a quotation each paragraph and formula is one line, since
        viewers take the signs of a quotation for a part of the formula."""
        tokens = parser().parse(text)
        starts = [0]
        for line in text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        unpaired = _unpaired(tokens)
        edits: Edits = []
        cursor = 0
        for token in filter(lambda token: token.map, tokens):
            begin, end = (starts[min(line, len(starts) - 1)] for line in token.map)
            cursor = max(cursor, begin)
            if token.type == "inline":
                cursor = self._inline(token, text, cursor, edits, quoted)
                continue
            block = text[begin:end].rstrip("\n")
            new = self._block(token, block, quoted, token in unpaired)
            if new != block:
                edits.append((begin, begin + len(block) if new else end, new))
                cursor = end
        return _applied(edits, text).strip("\n")

    def _block(self, token: Any, block: str, quoted: bool, unpaired: bool) -> str:
        """What takes the place of a block."""
        kind, argument, options, body = directive(token)
        if kind:
            return self._directive(kind, argument, options, body)
        if token.type in ("myst_target", "myst_line_comment", "myst_block_break"):
            return ""
        if token.type == "math_block" and quoted:
            return f"$${' '.join(token.content.split())}$$"
        if token.type == "html_block" and unpaired:
            summary = block.partition("<summary>")[2].partition("</summary>")[0]
            return f"**{summary}**" if summary else ""
        return block

    # Directives

    def _directive(self, kind: str, argument: str, options: dict[str, str], body: str) -> str:
        if kind in OF_THE_SITE:
            return ""
        if kind == "solution-start":
            return "**Solution.**"
        if kind == "dropdown":
            summary = html.escape(self.plain(argument), quote=False)
            return f"<details><summary>{summary}</summary>\n\n{self.plain(body)}\n\n</details>"
        if kind == "list-table":
            return _table(self.plain(body, quoted=True), int(options.get("header-rows", 0)))
        title = self.plain(argument)
        if kind.startswith("prf:"):
            title = self._heading(kind.removeprefix("prf:").title(), argument, options.get("label", ""))
        elif kind == "exercise":
            title = f"**Exercise {number(options.get('label', ''), 'exercises', self.name)}. {title}**"
        else:
            title = f"**{title or kind.title()}**"
        return _quotation(f"{title}\n\n{self.plain(body, quoted=True)}")

    def _heading(self, kind: str, title: str, label: str) -> str:
        """The name of a box, as on the site, with the verdict on each claim that it states."""
        here = [claim for claim in all_claims().values() if claim.box == label]
        shown, rest = boxed(kind, title, here)
        verdicts = []
        for claim in here:
            which = f"{claim.label}: " if len(here) > 1 else ""
            part = f": {claim.part}" if claim.part else ""
            verdicts.append(f"{which}*{claim.verdict}*" + (f" · ✓ machine-checked{part}" if claim.proof else ""))
        return " ".join([f"**{shown}{self.plain(rest)}.**", "; ".join(verdicts)]).strip()

    # Roles

    def _inline(self, token: Any, text: str, cursor: int, edits: Edits, quoted: bool) -> int:
        """Put words and links in the place of the roles of a paragraph; return where it ends."""
        begin = end = text.index(token.content.split("\n")[0], cursor)
        between = "\n"
        for line in token.content.split("\n"):
            start = text.index(line, end)
            between = text[end:start] or between
            end = start + len(line)
        new = self._with_words(token)
        new = " ".join(new.split("\n")) if quoted else new.replace("\n", between)
        if new != text[begin:end]:
            edits.append((begin, end, new))
        return end

    def _with_words(self, token: Any) -> str:
        content: str = token.content
        edits: Edits = []
        cursor = 0
        for child in token.children:
            if child.type == "myst_role":
                opening = f"{{{child.meta['name']}}}`"
                begin = content.index(opening, cursor)
                cursor = begin + len(opening) + len(child.content) + len("`")
                shown, target = self._role(child.meta["name"], child.content)
                edits.append((begin, cursor, f"[{shown}]({target})" if target else shown))
            elif child.content and (at := content.find(child.content, cursor)) >= 0:
                cursor = at + len(child.content)
        return _applied(edits, content)

    def _role(self, role: str, content: str) -> tuple[str, str]:
        """(the words, where they lead) of a role; an unknown one is its words."""
        title, target = content, content
        if content.endswith(">") and " <" in content:
            title, _, target = content[:-1].rpartition(" <")
        given = title != target
        if role in ("claim", "statement"):
            return self._claim(role, target, title if given else "")
        if role in ("cite", "cite:t"):
            return cited(target, textual=role == "cite:t"), self._page("literature")
        if role == "doc":
            return title, self._page(target)
        if role in ("ref", "numref"):
            page = page_with(target, self.name)
            if role == "numref" and not given:
                kind = "figures" if target in outline(page).figures else "exercises"
                title = f"{'Fig.' if kind == 'figures' else 'Exercise'} {number(target, kind, page)}"
            return title, self._page(page, target)
        return title, ""

    def _claim(self, role: str, target: str, title: str) -> tuple[str, str]:
        """A claim under its number where it stands, elsewhere under its title: an edit of one page changes no other."""
        claim = all_claims().get(target)
        if claim is None:
            return title or target, ""
        here = claim.page == self.name
        shown = title or (claim.name if here else claim.short)
        if role == "statement" and (claim.box or not self.site):
            return shown, self._page(claim.page, claim.box or claim.stands_in)
        return shown, self._page("errata" if claim.is_erratum else "ledger", target)

    def _page(self, page: str, label: str = "") -> str:
        """The address of a place: on the site or, without one, a section of this notebook or another notebook."""
        if self.site:
            return f"{self.site}/book/{page}.html" + (f"#{label}" if label else "")
        if page == self.name:
            section = outline(page).sections.get(label, "")
            return f"#{section}" if section else ""
        return f"{page}.ipynb" if page in executed_pages(BOOK) else ""


@functools.cache
def _bibliography() -> Any:
    from pybtex.database import parse_file

    return parse_file(str(BOOK / "references.bib")).entries


def cited(keys: str, *, textual: bool) -> str:
    """Authors and years: "Kane (2014)" in a sentence, "(Kane, 2014)" beside one. Of an unknown work, the key."""
    from pybtex.richtext import Text

    shown = []
    for key in keys.split(","):
        if not (entry := _bibliography().get(key.strip())):
            return keys
        names = [str(Text.from_latex(" ".join(person.last_names))) for person in entry.persons["author"]]
        who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        shown.append(f"{who} ({entry.fields['year']})" if textual else f"{who}, {entry.fields['year']}")
    return ", ".join(shown) if textual else f"({'; '.join(shown)})"


def _applied(edits: Edits, text: str) -> str:
    """A text after all edits, which are in its order."""
    parts, done = [], 0
    for begin, end, new in edits:
        parts += [text[done:begin], new]
        done = end
    return "".join([*parts, text[done:]])


def _unpaired(tokens: list[Any]) -> list[Any]:
    """The beginnings and ends of <details> that have no other end in this cell: code stands between the two."""
    alone: list[Any] = []
    for token in tokens:
        if token.type == "html_block" and token.content.startswith(("<details", "</details")):
            alone.append(token)
            if len(alone) > 1 and [part.content.startswith("</") for part in alone[-2:]] == [False, True]:
                del alone[-2:]
    return alone


def _quotation(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _table(body: str, header_rows: int) -> str:
    """A list of rows, each a list of cells, as a Markdown table, in which | ends a cell also inside of a formula."""
    rows: list[list[str]] = []
    for token in parser().parse(body):
        if token.type == "list_item_open" and token.level == 1:
            rows.append([])
        elif token.type == "list_item_open":
            rows[-1].append("")
        elif token.type == "inline":
            rows[-1][-1] += token.content.replace("\\|", "\\Vert ").replace("|", "\\vert ")
    head = rows.pop(0) if header_rows else [""] * len(rows[0])
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
