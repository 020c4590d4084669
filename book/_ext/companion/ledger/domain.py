"""Claims in the pages of the book: links to them by name, and what stands around each statement and each record.

``{claim}`lemma-9` `` leads to the claim's row in the ledger (an erratum's to its entry), ``{statement}`lemma-9` `` to
where the book states or runs it. All is read from claims.json, which ``ledger.pages`` has written.
"""

import html
import re
from pathlib import Path
from typing import Any

import sphinx.search
from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole
from sphinx.util.nodes import make_refnode
from sphinx.writers.html5 import HTML5Translator
from sphinx_exercise.nodes import exercise_enumerable_node, solution_node
from sphinx_proof.nodes import unenumerable_node

from companion.ledger import records
from companion.ledger.claims import Claim, Claims, boxed, link, name, plain, proved, sections, titled
from companion.ledger.records import known, raw, records_of
from companion.site import accessible_names, figures, links, typography
from sparse_book.claims import OURS

# At most this many names stand in a row below a statement: one line of the page. The ledger has them all.
FEW_NAMES = 6

# A claim in the table that a Report of the laboratory shows.
REPORTED = re.compile(r'<span class="claim" data-claim="([^"]+)">.*?</span>', re.S)


def row(claim: Claim) -> str:
    return f"{'errata' if claim['kind'] == 'erratum' else 'ledger'}.html#{claim['id']}"


class ClaimRole(XRefRole):
    """A link to a claim, whose text is an explicit title or, of a statement, its number, else its name."""

    def process_link(
        self, env: BuildEnvironment, refnode: nodes.Element, has_explicit_title: bool, title: str, target: str
    ) -> tuple[str, str]:
        claim = known(str(env.srcdir)).get(target)
        if claim and not has_explicit_title:
            title = str(claim.get("number", claim["label"])) if refnode["reftype"] == "statement" else name(claim)
        return title, target


def resolve(app: Sphinx, env: BuildEnvironment, node: nodes.Element, contnode: nodes.Element) -> nodes.reference | None:
    """Where the two roles lead; of an unknown id nothing is known, and Sphinx warns."""
    if node["reftype"] not in ("claim", "statement") or node["reftarget"] not in known(str(env.srcdir)):
        return None
    claim = known(str(env.srcdir))[node["reftarget"]]
    place = node["reftype"] == "statement" and claim["place"] or row(claim)
    page, _, anchor = place.partition(".html#")
    contnode["classes"] = []  # a link like any other
    full = name(claim) if contnode.astext() == claim.get("number") else None  # behind a bare number stands the title
    return make_refnode(app.builder, node["refdoc"], f"book/{page}", anchor, contnode, full)


def decorate_page(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """The page with a line below its title and its files at its end, a line at the foot of each statement, a note at
    each equation of the paper, and names for figures, tables and hidden code."""
    claims = known(str(app.srcdir))
    stem = docname.rpartition("/")[2]
    for box in doctree.findall(unenumerable_node):
        name_statement(box, claims)
    for exercise in list(doctree.findall(exercise_enumerable_node)):
        fold_exercise(exercise, number(app, docname, "exercise", exercise))
    for section in doctree.findall(nodes.section):  # the same id in every exercise and solution
        if section["ids"] in (["exercise-content"], ["solution-content"]):
            section["classes"] = section["ids"]
            section["ids"] = []
    cells = [node for node in doctree.findall(nodes.container) if node.get("nb_element") == "cell_code"]
    page = next(doctree.findall(nodes.section), nodes.section())
    page.append(raw(in_the_paper(stem, list(claims.values()))))
    assets = Path(app.srcdir, "book/assets")
    if cells and any(assets.glob("*.whl")):  # a preview has none, and nothing to take away
        page.insert(1, raw(links.launch(stem, assets)))
        if stem not in links.NEEDS:
            page += raw(links.files(stem, assets))
    page += raw(links.way_back(stem))
    equations = {
        claim["place"].partition("#")[2]: claim
        for claim in claims.values()
        if claim["kind"] == "equation" and claim["place"].startswith(f"{stem}.html#record-")
    }
    for index, cell in enumerate(cells, start=1):
        made = name_cell(app, docname, cell, index, claims)
        here = [equations[record["ids"][0]] for record in records_of(cell) if record["ids"][0] in equations]
        notes = [
            f"<p><strong>{plain(claim['label'])}</strong> of the paper.</p>{whence(claim, claims)}" for claim in here
        ]
        records.put(cell, index, made, "".join(notes))
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


def number(app: Sphinx, docname: str, kind: str, node: nodes.Element) -> str:
    """The number of a figure or an exercise, "2.1"; nothing where it has none."""
    numbers = app.env.toc_fignumbers.get(docname, {}).get(kind, {})
    return ".".join(map(str, numbers.get("".join(node["ids"][:1]), ())))


def name_statement(box: nodes.Element, claims: dict[str, Claim]) -> None:
    """A box under the name that the paper prints, "Lemma 9, average sensitivity", or under its number, "Theorem 2.4
    (Fourier tail)", with what is known about it below."""
    kind = box["realtype"].title()
    text = box["title"].strip()[1:-1]
    anchor = box["ids"][0]
    here = [claim for claim in claims.values() if claim.get("box") == anchor]
    label, rest = boxed(kind, text, here)
    itself = raw(f'<a class="headerlink" href="#{anchor}" title="Link to this statement">#</a>')
    shown = nodes.inline("", label, classes=["caption-number"])
    box[0] = nodes.paragraph("", "", shown, nodes.Text(rest), itself, classes=["admonition-title"])
    box[1]["ids"] = []  # the same in every statement
    for claim in here:
        which = f"<strong>{plain(claim['label'])}</strong>: " if len(here) > 1 else ""
        box[1] += raw(whence(claim, claims, which))


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


def visit_statement(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append(self.starttag(node, "div", CLASS="admonition"))


def name_cell(app: Sphinx, docname: str, cell: nodes.Element, index: int, claims: dict[str, Claim]) -> str:
    """What a cell shows in the signs of print, the ids in a report's table linked to the ledger or the errata, and
    hidden code named by its figure or claim, by what is returned."""

    def to_claim(match: re.Match[str]) -> str:
        claim = claims.get(match[1])
        return f'<a class="claim" href="{row(claim)}">{html.escape(name(claim))}</a>' if claim else match[0]

    for node in cell.findall(nodes.raw):
        node[:] = [nodes.Text(typography.printed(REPORTED.sub(to_claim, node.astext())))]
    of = f"cell {index}"
    shown = [number(app, docname, "figure", figure) for figure in cell.findall(nodes.figure)]
    if any(shown):
        of = f"Fig. {shown[-1]}, {of}"
    elif checked := records_of(cell):
        of = f"{checked[0]['record']}, {of}"
    for hidden in cell.findall(HideCodeCellNode):
        hidden["of"] = of
    return of


def visit_hidden(self: HTML5Translator, node: nodes.Element) -> None:
    """A button that shows hidden code and says which."""
    self.body.append(f'<details class="admonition hide {" ".join(node["classes"])}">\n<summary>\n')
    for state, words in (("collapsed", node["prompt_show"]), ("expanded", node["prompt_hide"])):
        of = f'<span class="visually-hidden">, {node.get("of", "")}</span>'
        self.body.append(f'<p class="{state} admonition-title">{html.escape(words)}{of}</p>\n')
    self.body.append("</summary>\n")


def in_the_paper(stem: str, claims: Claims) -> str:
    """The sections of the paper to which the chapter belongs."""
    mine = [c for c in claims if c["chapter"] == stem and c["kind"] != "erratum"]
    if not mine:
        return ""
    here = sorted({section for claim in mine for section in sections(claim)})
    places = ", ".join(link(f"ledger.html#section-{section.lower()}", titled(section)) for section in here)
    ours = sum(claim["source"] != "paper" for claim in mine)
    count = (
        f"{len(mine) - ours} of its statements, {ours} of ours" if ours < len(mine) else f"{ours} statements of ours"
    )
    return f'<p class="whereabouts">In the paper: {places}; {count}.</p>'


def whence(claim: Claim, claims: dict[str, Claim], which: str = "") -> str:
    """One line about a statement, its verdict; behind it where it stands, on what it rests and where it is used."""
    label = name(claim)
    section = sections(claim)[0]
    place = link(f"ledger.html#section-{section.lower()}", titled(section))
    if claim["source"] != "paper":
        place = f"{'Ours' if claim['source'] == 'ours' else 'Of others'}, on {place}"
    arxiv = f"; arXiv: {plain(claim['arxiv'])}" if claim.get("arxiv") else ""
    verdict = link(f"ledger.html#{claim['id']}", claim["verdict"], f"{claim['verdict']}, {label}, in the ledger")
    mark = f" · {proved(claim)}" if "proved" in claim else ""
    words = [f"{place}{arxiv}"]
    if claim.get("follows"):
        words.append(f"Follows from {listed(claim, claim['follows'], claims)}")
    if claim.get("errata"):
        words.append(f"Errata: {', '.join(link(f'errata.html#{erratum}', erratum) for erratum in claim['errata'])}")
    above = [c["id"] for c in claims.values() if claim["id"] in c.get("uses", []) and c["kind"] != "erratum"]
    for before, ids in (("Rests on", claim.get("uses", [])), ("Used for", above)):
        if ids:
            words.append(f"{before} {listed(claim, ids, claims)}")
    words.append(link(f"map.html#{claim['id']}", "What rests on what", f"What rests on what, {label}"))
    report = link(links.new_issue(f"{label} ({claim['id']})"), "Report an error", f"Report an error in {label}")
    more = f"{'. '.join(words)}. Id: <code>{claim['id']}</code>. {report}"
    of = f'<span class="visually-hidden"> of {html.escape(label)}</span>'
    details = f"<details><summary>details{of}</summary><p>{more}</p></details>"
    return f'<div class="whence"><p>{which}{verdict}{mark}</p>{details}</div>'


def listed(claim: Claim, ids: list[str], claims: dict[str, Claim]) -> str:
    """Links to a few claims where they stand, and to the ledger for the rest."""
    few = ids if len(ids) <= FEW_NAMES else ids[: FEW_NAMES - 1]
    links = ", ".join(link(claims[i]["place"] or f"ledger.html#{i}", name(claims[i])) for i in few)
    if few == ids:
        return links
    more = f"{len(ids) - len(few)} more"
    return f"{links} and {link(row(claim), more, f'{more}, {name(claim)}')}"


def searchable(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """The search index with each claim as titles, "Lemma 9" and "lemma-9", of ours "Theorem 2.4", "2.4" and "Fourier
    tail" too, where it stands and in the ledger; and with each term of the glossary."""
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
    for claim in known(str(app.srcdir)).values():
        places = {row(claim)} if claim["kind"] == "erratum" else {claim["place"], row(claim)}
        for page, _, anchor in (place.partition(".html#") for place in places):
            if pagename == f"book/{page}":
                number = claim.get("number", "")
                names = (name(claim), claim["id"], claim["label"].removesuffix(OURS), number, number.partition(" ")[2])
                titles += [(one, anchor) for one in names if one]
    titles[:] = dict.fromkeys(titles)


class ProseIndex(sphinx.search.IndexBuilder):
    """The search index of what a page says: "transformer" does not find ``transform=below.transAxes``."""

    def feed(self, docname: str, filename: str, title: str, doctree: nodes.document) -> None:
        prose = doctree.deepcopy()
        for code in [node for node in prose.findall(nodes.container) if "cell_input" in node["classes"]]:
            code.parent.remove(code)
        super().feed(docname, filename, title, prose)


def setup(app: Sphinx) -> None:
    sphinx.search.IndexBuilder = ProseIndex  # type: ignore[misc]  # which the builder imports when it writes
    for role in ("claim", "statement"):
        app.add_role(role, ClaimRole(innernodeclass=nodes.inline, warn_dangling=True))
    app.add_role("slide", figures.slide_role)
    records.setup()
    accessible_names.setup(app)
    app.connect("env-get-updated", number_by_page, priority=900)  # after Sphinx has given its numbers
    app.connect("missing-reference", resolve)
    app.connect("doctree-resolved", decorate_page)
    app.connect("html-page-context", searchable)
    app.add_node(unenumerable_node, override=True, html=(visit_statement, lambda self, _: self.body.append("</div>")))
    app.add_node(HideCodeCellNode, override=True, html=(visit_hidden, lambda self, _: self.body.append("</details>")))
