"""What the pages of this book have beside claims and records: exercises behind their titles, names for what is hidden
or drawn, where a page is run, taken away and corrected, and what the search finds."""

import html
import re
from pathlib import Path
from typing import Any

import sphinx.search
from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.writers.html5 import HTML5Translator
from sphinx_exercise.nodes import exercise_enumerable_node, solution_node
from sphinx_proof.nodes import unenumerable_node

from companion.site import accessible_names, figures, links, typography
from sphinx_claims.claims import Claim
from sphinx_claims.site import domain, state
from sphinx_claims.site.ticks import raw, records_of

# A claim in the table that a Report of the laboratory shows.
REPORTED = re.compile(r'<span class="claim" data-claim="([^"]+)">.*?</span>', re.S)
# Before and after what the ledger puts around statements and cells, for which Sphinx has 500.
FIRST, LAST = 400, 600


def cells(doctree: nodes.document) -> list[nodes.container]:
    return [node for node in doctree.findall(nodes.container) if node.get("nb_element") == "cell_code"]


def name_parts(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """The page with its exercises folded, and names for its cells."""
    for exercise in list(doctree.findall(exercise_enumerable_node)):
        fold_exercise(exercise, number(app, docname, "exercise", exercise))
    for section in doctree.findall(nodes.section):  # the same id in every exercise and solution
        if section["ids"] in (["exercise-content"], ["solution-content"]):
            section["classes"] = section["ids"]
            section["ids"] = []
    for part in list(next(doctree.findall(nodes.section), nodes.section()).children):
        if isinstance(part, nodes.section):
            fold_statements(part)
    claims = state.claims_of(app.env)
    for index, cell in enumerate(cells(doctree), start=1):
        name_cell(app, docname, cell, index, claims)


def lead_away(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """The page with a line below its title and its files at its end, and names for figures and tables."""
    stem = docname.rpartition("/")[2]
    page = next(doctree.findall(nodes.section), nodes.section())
    assets = Path(app.srcdir, "book/assets")
    if cells(doctree) and any(assets.glob("*.whl")):  # a preview has none, and nothing to take away
        page.insert(1, raw(links.launch(stem, assets)))
        if stem not in links.NEEDS:
            page += raw(links.files(stem, assets))
    page += raw(links.way_back(stem))
    for figure in doctree.findall(nodes.figure):
        if shown := number(app, docname, "figure", figure):
            figure["aria-label"] = f"Fig. {shown}"
    accessible_names.name_tables(doctree)


def number_by_page(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Figures and exercises of a page without a number count from 1 there; Sphinx counts on from page to page."""
    for kinds in env.toc_fignumbers.values():
        for numbers in kinds.values():
            unnumbered = [name for name, parts in numbers.items() if len(parts) == 1]
            numbers.update((name, (count,)) for count, name in enumerate(unnumbered, start=1))
    return []


def call_appendices(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """An appendix has its letter in place of the number that Sphinx gives it after the last chapter."""
    settings = state.settings_of(env)
    for page, letter in settings.appendices.items():
        call_appendix(env, f"{settings.folder}{page}", letter)
    return []


def call_appendix(env: BuildEnvironment, docname: str, letter: str) -> None:
    """Put a letter for the number of a page, in its headings, its figures and the lists of pages."""
    numbered: list[dict[str, Any]] = [
        env.toc_secnumbers.get(docname, {}),
        *env.toc_fignumbers.get(docname, {}).values(),
    ]
    for numbers in numbered:
        numbers.update((place, (letter, *parts[1:])) for place, parts in numbers.items() if parts)
    named = [env.titles.get(docname, nodes.title()), *env.tocs.get(docname, nodes.title()).findall(nodes.reference)]
    for title in named:
        if parts := title.get("secnumber"):
            title["secnumber"] = [letter, *parts[1:]]


def number(app: Sphinx, docname: str, kind: str, node: nodes.Element) -> str:
    """The number of a figure or an exercise, "2.1"; nothing where it has none."""
    numbers = app.env.toc_fignumbers.get(docname, {}).get(kind, {})
    return ".".join(map(str, numbers.get("".join(node["ids"][:1]), ())))


def fold_exercise(exercise: nodes.Element, shown: str) -> None:
    """An exercise and its solution behind one line, "Exercise 2.1. Its title", so that the exercises are a list."""
    _, *title, _ = exercise[0].children  # between the brackets of sphinx-exercise
    del exercise[0]
    words = nodes.inline("", f"Exercise {shown}.", classes=["caption-number"])
    line = nodes.inline("", "", words, nodes.Text(" "), *title)
    around = exercise.parent
    at = around.index(exercise)
    after = at + 1
    while after < len(around) and not isinstance(around[after], (solution_node, exercise_enumerable_node)):
        after += 1
    end = after + 1 if after < len(around) and isinstance(around[after], solution_node) else at + 1
    around.insert(end, raw("</details>"))
    around[at:at] = [raw('<details class="exercise-line"><summary>'), line, raw("</summary>")]


def fold_statements(part: nodes.Element) -> None:
    """A part of a page with all that stands there side by side, in words and in Coq, behind one line."""

    def pairs(within: nodes.Node) -> list[nodes.container]:
        return [node for node in within.findall(nodes.container) if "side-by-side" in node["classes"]]

    if holding := [child for child in part.children if pairs(child)]:
        first, last = part.index(holding[0]), part.index(holding[-1])
        line = f"{len(pairs(part))}, in words and in Coq"
        part.insert(last + 1, raw("</details>"))
        part.insert(first, raw(f'<details class="exercise-line"><summary>{line}</summary>'))


def name_cell(app: Sphinx, docname: str, cell: nodes.Element, index: int, claims: dict[str, Claim]) -> None:
    """What a cell shows in the signs of print, the ids in a report's table linked to the ledger or the errata, and
    hidden code named by its figure or claim."""

    def to_claim(match: re.Match[str]) -> str:
        claim = claims.get(match[1])
        return f'<a class="claim" href="{domain.row(claim)}">{html.escape(claim.name)}</a>' if claim else match[0]

    for node in cell.findall(nodes.raw):
        node[:] = [nodes.Text(typography.typeset_html(REPORTED.sub(to_claim, node.astext())))]
    of = f"cell {index}"
    shown = [number(app, docname, "figure", figure) for figure in cell.findall(nodes.figure)]
    if any(shown):
        of = f"Fig. {shown[-1]}, {of}"
    elif checked := records_of(cell):
        of = f"{checked[0]['record']}, {of}"
    for hidden in cell.findall(HideCodeCellNode):
        hidden["of"] = of


def visit_hidden(self: HTML5Translator, node: nodes.Element) -> None:
    """A button that shows hidden code and says which."""
    self.body.append(f'<details class="admonition hide {" ".join(node["classes"])}">\n<summary>\n')
    for shown, words in (("collapsed", node["prompt_show"]), ("expanded", node["prompt_hide"])):
        of = f'<span class="visually-hidden">, {node.get("of", "")}</span>'
        self.body.append(f'<p class="{shown} admonition-title">{html.escape(words)}{of}</p>\n')
    self.body.append("</summary>\n")


def searchable(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """The search index with the titles of boxes and each term of the glossary, before the claims come to it."""
    indexer = getattr(app.builder, "indexer", None)  # of the builder of HTML
    if doctree is None or indexer is None:
        return
    titles = indexer._all_titles[pagename]
    titles[:] = [(re.sub(r"^\w* ?\((.*)\)$", r"\1", title.strip()), where) for title, where in titles]
    if pagename == "book/proofs":
        titles[:] = [(f"{title}, in Coq", where) for title, where in titles]
    titles += [(box["title"].strip()[1:-1], box["ids"][0]) for box in doctree.findall(unenumerable_node)]
    terms = [(term.astext(), term["ids"][0]) for term in doctree.findall(nodes.term) if term["ids"]]
    if terms:
        titles += terms
        indexer._index_entries.pop(pagename, None)  # the same places under the title of their page


class ProseIndex(sphinx.search.IndexBuilder):
    """The search index of what a page says: "transformer" does not find ``transform=below.transAxes``."""

    def feed(self, docname: str, filename: str, title: str, doctree: nodes.document) -> None:
        prose = doctree.deepcopy()
        for code in [node for node in prose.findall(nodes.container) if "cell_input" in node["classes"]]:
            code.parent.remove(code)
        super().feed(docname, filename, title, prose)


def setup(app: Sphinx) -> None:
    sphinx.search.IndexBuilder = ProseIndex  # type: ignore[misc]  # which the builder imports when it writes
    app.add_role("slide", figures.slide_role)
    accessible_names.setup(app)
    for numbering in (number_by_page, call_appendices):
        app.connect("env-get-updated", numbering, priority=900)  # after Sphinx has given its numbers
    app.connect("doctree-resolved", name_parts, priority=FIRST)
    app.connect("doctree-resolved", lead_away, priority=LAST)
    app.connect("html-page-context", searchable, priority=FIRST)
    app.add_node(HideCodeCellNode, override=True, html=(visit_hidden, lambda self, _: self.body.append("</details>")))
