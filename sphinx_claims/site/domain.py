"""Claims in the pages of a site: links to them by name, and what stands around each statement and each record.

``{claim}`lemma-9` `` leads to the claim's row in the ledger (an erratum's to its entry), ``{statement}`lemma-9` `` to
where the site states or runs it.
"""

import html
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole
from sphinx.util.nodes import make_refnode
from sphinx.writers.html5 import HTML5Translator
from sphinx_proof.nodes import unenumerable_node

from ..claims import Claim
from ..ledger import Ledger
from ..pages.words import boxed, link, plain, proved, titled
from . import ticks
from .state import claims_of, ledger_of, page_of, settings_of

# At most this many names stand in a row below a statement: one line of the page. The ledger has them all.
FEW_NAMES = 6


def row(claim: Claim) -> str:
    return f"{'errata' if claim.is_erratum else 'ledger'}.html#{claim.id}"


class ClaimRole(XRefRole):
    """A link to a claim, whose text is an explicit title or, of a statement, its number, else its name."""

    def process_link(
        self, env: BuildEnvironment, refnode: nodes.Element, has_explicit_title: bool, title: str, target: str
    ) -> tuple[str, str]:
        claim = claims_of(env).get(target)
        if claim and not has_explicit_title:
            title = claim.name
            if refnode["reftype"] == "statement":
                title = claim.number or claim.label
        return title, target


def resolve(app: Sphinx, env: BuildEnvironment, node: nodes.Element, contnode: nodes.Element) -> nodes.reference | None:
    """Where the two roles lead; of an unknown id nothing is known, and Sphinx warns."""
    claim = ledger_of(env).known.get(node["reftarget"])
    if node["reftype"] not in ("claim", "statement") or claim is None:
        return None
    place = row(claim)
    if node["reftype"] == "statement":
        place = claim.place or place
    page, _, anchor = place.partition(".html#")
    contnode["classes"] = []  # a link like any other
    title = None
    if contnode.astext() == claim.number:  # behind a bare number stands the title
        title = claim.name
    return make_refnode(app.builder, node["refdoc"], f"{settings_of(env).folder}{page}", anchor, contnode, title)


def decorate_page(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """The page with a line at the foot of each statement, a tick for each check, a note at each equation of the paper,
    and a line at its end."""
    ledger = ledger_of(app.env)
    page = page_of(app.env, docname)
    for box in list(doctree.findall(lambda node: isinstance(node, ticks.BOXES))):
        stated(box, ledger)
    for section in doctree.findall(nodes.section):
        section.append(ticks.raw(in_the_paper(page, ledger)))
        break
    notes = {}
    for claim in ledger.claims:
        place, _, anchor = claim.place.partition(".html#")
        if claim.kind == "equation" and place == page:
            name = f"<p><strong>{plain(claim.label)}</strong> of the paper.</p>"
            notes[anchor] = f"{name}{provenance(claim, ledger)}"
    cells = [node for node in doctree.findall(nodes.container) if node.get("nb_element") == "cell_code"]
    for run in ticks.runs_of(cells):
        note = ""
        for cell in run:
            for record in ticks.records_of(cell):
                note += notes.get(record["ids"][0], "")
        ticks.attach_source(run, cells.index(run[0]) + 1, note)


def stated(box: nodes.Element, ledger: Ledger) -> None:
    """A box with what is known about it below, and under the name that the paper prints, "Lemma 9, average
    sensitivity", or under its number, "Theorem 2.4 (Fourier tail)"."""
    here = [claim for claim in ledger.claims if claim.box in box["ids"]]
    if isinstance(box, unenumerable_node):
        label, rest = boxed(box["realtype"].title(), box["title"].strip()[1:-1], here)
        itself = ticks.raw(f'<a class="headerlink" href="#{box["ids"][0]}" title="Link to this statement">#</a>')
        shown = nodes.inline("", label, classes=["caption-number"])
        box[0] = nodes.paragraph("", "", shown, nodes.Text(rest), itself, classes=["admonition-title"])
    box[1]["ids"] = []  # the same in every statement
    for claim in here:
        which = f"<strong>{plain(claim.label)}</strong>: " * (len(here) > 1)
        line = nodes.paragraph("", "", ticks.raw(f"{which}{verdict(claim, ledger)}"))
        box[1] += nodes.container("", line, ticks.raw(details(claim, ledger)), classes=["whence"])


def visit_statement(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append(self.starttag(node, "div", CLASS="admonition"))


def in_the_paper(page: str, ledger: Ledger) -> str:
    """The sections of the paper to which a chapter belongs."""
    mine = [claim for claim in ledger.statements.values() if claim.chapter == page]
    if not mine:
        return ""
    here = set[str]().union(*[claim.sections for claim in mine])
    places = ", ".join(map(to_section, sorted(here)))
    ours = sum(claim.source != "paper" for claim in mine)
    count = f"{ours} statements of ours"
    if ours < len(mine):
        count = f"{len(mine) - ours} of its statements, {ours} of ours"
    return f'<p class="whereabouts">In the paper: {places}; {count}.</p>'


def to_section(section: str) -> str:
    return link(f"ledger.html#section-{section.lower()}", titled(section))


def provenance(claim: Claim, ledger: Ledger) -> str:
    """One line about a statement, its verdict; behind it where it stands, on what it rests and where it is used."""
    return f'<div class="whence"><p>{verdict(claim, ledger)}</p>{details(claim, ledger)}</div>'


def verdict(claim: Claim, ledger: Ledger) -> str:
    said = link(f"ledger.html#{claim.id}", claim.verdict, f"{claim.verdict}, {claim.name}, in the ledger")
    if claim.proved:
        said += f" · {proved(ledger, claim)}"
    return said


def details(claim: Claim, ledger: Ledger) -> str:
    of = f'<span class="visually-hidden"> of {html.escape(claim.name)}</span>'
    return f"<details><summary>details{of}</summary><p>{'. '.join(about(claim, ledger))}</p></details>"


def about(claim: Claim, ledger: Ledger) -> list[str]:
    """Where a statement stands, on what it rests, where it is used, and where an error is reported: as sentences."""
    place = to_section(claim.sections[0])
    if claim.source == "ours":
        place = f"Ours, on {place}"
    elif claim.source == "other":
        place = f"Of others, on {place}"
    if claim.printed_at:
        place += f", p. {plain(claim.printed_at)}"
    if claim.arxiv:
        place += f"; arXiv: {plain(claim.arxiv)}"
    words = [place]
    if claim.follows:
        words.append(f"Follows from {listed(claim, claim.follows, ledger)}")
    if claim.errata:
        words.append(f"Errata: {', '.join([link(f'errata.html#{name}', name) for name in claim.errata])}")
    if claim.uses:
        words.append(f"Rests on {listed(claim, claim.uses, ledger)}")
    if above := ledger.used_for[claim.id]:
        words.append(f"Used for {listed(claim, above, ledger)}")
    words.append(link(f"map.html#{claim.id}", "What rests on what", f"What rests on what, {claim.name}"))
    words.append(f"Id: <code>{claim.id}</code>")
    if address := ledger.settings.report(f"{claim.name} ({claim.id})"):
        words.append(link(address, "Report an error", f"Report an error in {claim.name}"))
    return words


def listed(claim: Claim, ids: list[str] | tuple[str, ...], ledger: Ledger) -> str:
    """Links to a few claims where they stand, and to the ledger for the rest."""
    links = []
    for name in ids:
        one = ledger.known[name]
        links.append(link(one.place or f"ledger.html#{name}", one.name))
    if len(ids) <= FEW_NAMES:
        return ", ".join(links)
    more = f"{len(ids) - FEW_NAMES + 1} more"
    return f"{', '.join(links[: FEW_NAMES - 1])} and {link(row(claim), more, f'{more}, {claim.name}')}"


def searchable(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """The search index with each claim as titles, "Lemma 9" and "lemma-9", of ours "Theorem 2.4", "2.4" and "Fourier
    tail" too, where it stands and in the ledger."""
    indexer = getattr(app.builder, "indexer", None)  # of the builder of HTML
    if doctree is None or indexer is None:
        return
    titles = indexer._all_titles[pagename]
    for claim in ledger_of(app.env).claims:
        for place in {"" if claim.is_erratum else claim.place, row(claim)}:
            page, _, anchor = place.partition(".html#")
            if pagename == f"{settings_of(app.env).folder}{page}":
                names = (claim.name, claim.id, claim.short, claim.number, claim.number.partition(" ")[2])
                titles += [(one, anchor) for one in names if one]
    titles[:] = dict.fromkeys(titles)


def setup(app: Sphinx) -> None:
    for role in ("claim", "statement"):
        app.add_role(role, ClaimRole(innernodeclass=nodes.inline, warn_dangling=True))
    ticks.setup()
    app.connect("missing-reference", resolve)
    app.connect("doctree-resolved", decorate_page)
    app.connect("html-page-context", searchable)
    app.add_node(unenumerable_node, override=True, html=(visit_statement, lambda self, _: self.body.append("</div>")))
