"""The records of ``check`` and ``refute`` on a page, which MyST-NB renders by the class below, and what stands behind a
page: the records and sources of checks behind a tick beside the verdict of the statement that they follow, or else at
the end of the sentence that claims them; the source of a figure behind a sign at its files, that of a sentence that a
cell shows at its end, and that of any other cell at the end of the sentence before it. Each opens on a click, without a
script.
"""

import html
import re

from docutils import nodes
from myst_nb.core.render import MimeData, MimeRenderPlugin, NbElementRenderer, load_mime_renders
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.addnodes import pending_xref
from sphinx_proof.nodes import NODE_TYPES, unenumerable_node

from ..claims import Claim
from ..record import EXERCISE, MIME, Record, grouped, label
from ..settings import Settings
from .state import claims_of, keep, settings_of

SOURCE = "&lt;/&gt;"
# The boxes of statements, under the names of sphinx-proof.
BOXES: tuple[type[nodes.Element], ...] = (unenumerable_node, *NODE_TYPES.values())
# The end of the files of a figure (figures.LINKS), and of a sentence that a cell shows.
END_OF_LINE = re.compile(r'(?:<p class="downloads">.*?(?=</span></p>))|(?:<p class="answer">.*?(?=</p>))', re.S)


def raw(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def records_of(node: nodes.Element) -> list[nodes.Element]:
    """The records below a node, each with the name of its claim in ``record``."""
    return list(node.findall(lambda inner: isinstance(inner, nodes.container) and "record" in inner))


def record_node(record: Record, claims: dict[str, Claim], docname: str, settings: Settings) -> nodes.container:
    """A record as a box with the address that other pages know: the claim, which leads to its row, and what was found.

    The record of an exercise, which changes a claim, names the claim that it changes.
    """
    target = record.claim.removeprefix(EXERCISE)
    words = claims[target].name if target in claims else label(target)
    to_claim = {"refdoc": docname, "refdomain": "", "reftype": "claim", "reftarget": target, "refwarn": True}
    finding = settings.printed(record.finding)
    line = nodes.paragraph(
        "",
        "",
        nodes.Text("Exercise on " * (target != record.claim)),
        pending_xref("", nodes.inline("", words), **to_claim),
        nodes.Text(" "),
        nodes.inline("", record.evidence, classes=["evidence", f"evidence-{record.evidence}"]),
        raw(f" {finding}"),
    )
    whole = nodes.container("", line, classes=["claim-record"], ids=[record.anchor])
    for control in record.controls:
        whole += nodes.paragraph("", "", raw(settings.printed(f"Control: {control}")), classes=["claim-control"])
    whole.attributes |= {"record": words, "evidence": record.evidence, "count": record.count, "finding": finding}
    return whole


class RecordRenderer(MimeRenderPlugin):  # type: ignore[misc]  # MyST-NB comes without types
    """What MyST-NB calls for each output: nodes for a record, None for all else."""

    mime_priority_overrides = [("*", MIME, 1)]  # before text/plain, which the same output has

    @staticmethod
    def handle_mime(renderer: NbElementRenderer, data: MimeData, inline: bool) -> list[nodes.Element] | None:
        if data.mime_type != MIME:
            return None
        env = renderer.renderer.sphinx_env
        keep(env, data.content)
        return [record_node(Record.of(data.content, env.docname), claims_of(env), env.docname, settings_of(env))]


def hidden_source(cell: nodes.Element) -> list[nodes.Element]:
    """The source of a cell, if it is hidden."""
    return [node for node in cell.children if isinstance(node, HideCodeCellNode) and "above-input" in node["classes"]]


def only_checks(cell: nodes.Element) -> bool:
    """Whether all that a cell with a hidden source shows, if anything, are records."""
    records = records_of(cell)
    shown = [node for output in cell.children if isinstance(output, nodes.container) for node in output.children]
    return bool(hidden_source(cell)) and all(node in records for node in shown)


def runs_of(cells: list[nodes.Element]) -> list[list[nodes.Element]]:
    """The cells of a page, those together that only check and follow each other directly."""
    runs: list[list[nodes.Element]] = []
    follows = False
    for cell in cells:
        checks = only_checks(cell) and bool(records_of(cell))
        if checks and follows and cell.previous_sibling() is runs[-1][-1]:
            runs[-1].append(cell)
        else:
            runs.append([cell])
        follows = checks
    return runs


def attach_source(run: list[nodes.Element], index: int, note: str = "") -> None:
    """Put the hidden source of a run of cells, and all that they show if these are records, behind one sign.

    What a cell makes, its hidden source may say in ``of``; ``note`` is HTML that opens with a record.
    """
    cell = run[0]
    if not hidden_source(cell):
        return
    (source,) = hidden_source(cell)
    of = source.get("of", f"cell {index}")
    name = f"behind-{index}"
    if only_checks(cell):
        around = cell.parent
        at = around.index(cell)
        around[at : at + len(run)] = [raw(box(name)), *([raw(note)] if note else []), *run, raw("</div>")]
        for one in run:
            (source,) = hidden_source(one)
            one.remove(source)
            one += source.children
        records = [record for one in run for record in records_of(one)]
        sentence_before(around, at).append(raw(record_button(records, name) if records else button(name, of)))
        return
    cell.remove(source)
    for output in cell.findall(nodes.raw):
        text = output.astext()
        if END_OF_LINE.search(text):
            output[:] = [nodes.Text(END_OF_LINE.sub(rf"\g<0>{button(name, of)}", text, count=1))]
            break
    else:
        caption = next(cell.findall(nodes.caption), None)
        line = caption or sentence_before(cell.parent, cell.parent.index(cell))
        line.append(raw(button(name, of)))
    cell += [raw(box(name)), *source.children, raw("</div>")]


def box(name: str) -> str:
    """The beginning of what opens."""
    return f'<div popover class="behind" id="{name}">'


def button(name: str, of: str) -> str:
    """What opens the source of a cell, in the line of what stands before it."""
    heard = f"Source: {html.escape(of)}"
    kind = f'class="to-source" aria-label="{heard}"'
    return f'<span class="glued"> <button type="button" popovertarget="{name}" {kind}>{SOURCE}</button></span>'


def record_button(records: list[nodes.Element], name: str) -> str:
    """What opens records, with their addresses: a cross for a witness; of one, the number of its instances.

    An address has what was found for the search, which shows the text of an address.
    """
    marks = ""
    heard = []
    for record in records:
        address = record["ids"].pop()
        marks += f'<span id="{address}" class="visually-hidden" aria-hidden="true">{record["finding"]}</span>'
        heard.append(f"{record['record']}, {record['evidence']}")
    kinds = {record["evidence"] for record in records}
    sign = "✓" * (kinds != {"refuted"}) + "✗" * ("refuted" in kinds)
    words = [grouped(record["count"]) for record in records]
    if len(records) > 1:
        words = [f"checked: {len(records)} ways"]
    elif "refuted" in kinds:
        words = ["refuted"]
    elif kinds & {"sampled", "certified"}:
        words += kinds
    shown = f"{sign} {' '.join(words)}"
    of = html.escape("; ".join(heard))
    kind = f'class="tick {" ".join(sorted(kinds))}" aria-label="{shown}: record of {of}"'
    return f'<span class="ticks">{marks} <button type="button" popovertarget="{name}" {kind}>{shown}</button></span>'


def sentence_before(around: nodes.Element, at: int) -> nodes.Element:
    """The paragraph that ends before the place ``at`` of an element, of a statement that with its verdict; a new one
    where something else stands there."""
    while at and isinstance(around[at - 1], nodes.raw) and around[at - 1].astext() == "</div>":
        at -= next(back for back in range(1, at + 1) if 'class="behind"' in around[at - back].astext())
    before = around[at - 1] if at else None
    if isinstance(before, BOXES):
        before = list(around[at - 1].findall(nodes.paragraph))[-1]
    while isinstance(before, (nodes.bullet_list, nodes.enumerated_list, nodes.list_item)) and len(before):
        before = before[-1]
    if isinstance(before, nodes.paragraph):
        return before
    around.insert(at, nodes.paragraph("", "", classes=["ticks-alone"]))
    return around[at]


def setup() -> None:
    renderers = load_mime_renders()  # a list that MyST-NB keeps; it reads entry points, of which this folder has none
    if RecordRenderer not in renderers:
        renderers.append(RecordRenderer)
