"""Getting around: where a page stands in the paper, what is about a statement, search by name, and the map.

All of it is made from claims.yml and from the finished pages.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from companion import downloads
from companion.markup import link, plain

Claims = list[dict[str, Any]]
Pages = dict[Path, str]

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
    "open": "?",
    "cited": "↗",
    "definition": "≔",
}
MEANINGS = {
    "true": "true as printed",
    "true, proof repaired": "true, with the proof repaired",
    "false as printed": "false as printed; corrected in the book",
    "open": "stated, neither proved nor refuted",
    "cited": "from the literature, not checked",
    "definition": "a definition",
}
INTRODUCTION = """\
# The map

The statements of the paper by its sections, and beside each section what this book adds to it. A name leads to the
place in the book that runs the statement. The mark after it is the verdict on the printed form and leads to the row of
{doc}`the ledger <ledger>`; a number such as E9 leads to the erratum. Printed, the map takes two sheets of paper.

"""
ANCHORS = {  # of statements whose label is not the id of their claim
    "indexing": "indexing-network",
    "sensitivity": "definition-sensitivity",
    "claim-2-1-tail": "claim-2-1",
    "ours-appendix-a-threshold": "appendix-a-threshold",
}
READ = {  # statements that a section speaks of and no record is about
    "theorem-4": "02-uniform.html#sec-chain",
    "theorem-5": "05-general.html#sec-theorem-5",
    "dense-sample-lower-bound": "05-general.html#sec-theorem-5",
    "eq-16": "05-general.html#sec-conjecture-20",
    "lemma-9-last-line": "02-uniform.html#sec-last-line",
    "halfspace-sqrt-n": "01-definitions.html#sec-lemma-6",
    "loss": "01-definitions.html#sec-pac",
    "pac-learning": "01-definitions.html#sec-pac",
    "fourier-expansion": "01-definitions.html#sec-fourier",
    "noise-sensitivity": "01-definitions.html#definition-sensitivity",
    "question-dimension": "06-beyond.html#sec-open",
    "question-high-probability": "06-beyond.html#sec-open",
}
FEW = 6  # as many names in a row; the ledger has them all


def titled(section: str) -> str:
    return f"Appendix {section}" if section.isalpha() else f"§{section}"


def sections(claim: dict[str, Any]) -> list[str]:
    """The sections of the paper in which a claim stands, without their parts."""
    return [part.strip().partition(".")[0] for part in str(claim.get("section", "")).split(",")]


# The map


def page(claims: Claims) -> str:
    """The map as MyST Markdown; `finished` puts in where the names lead."""
    lines = [INTRODUCTION, '<ul class="map-marks">']
    lines += [f'<li><span class="{mark_class(word)}">{MARKS[word]}</span> {MEANINGS[word]}</li>' for word in MARKS]
    lines += ["</ul>", ""]
    for section, title in SECTIONS.items():
        here = [c for c in claims if c["kind"] != "erratum" and sections(c)[0] == section]
        lines += [f"(section-{section})=", f"## {titled(section)}. {title}", ""]
        for source, words in (("paper", ""), ("ours", "Ours"), ("other", "Of others")):
            if mine := [c for c in here if c["source"] == source]:
                lines += [f'<p class="map-source">{words}</p>'] * bool(words)
                lines += ['<ul class="map">', *(entry(c) for c in mine), "</ul>", ""]
    return "\n".join(lines)


def entry(claim: dict[str, Any]) -> str:
    """A statement's name, its verdict, and its errata."""
    name, word = claim["id"], claim["verdict"]
    label = claim["label"].removesuffix(" (ours)")
    says = html.escape(f"{label}: {word}")
    mark = (
        f'<a class="{mark_class(word)}" href="ledger.html#{name}" aria-label="{MARKS[word]} {says}">{MARKS[word]}</a>'
    )
    errata = "".join(f" {link(f'errata.html#{e}', e)}" for e in claim.get("errata", []))
    return f'<li><a data-place="{name}">{plain(label)}</a>&nbsp;{mark}<small>{errata}</small></li>'


def mark_class(word: str) -> str:
    return f"mark verdict-{word.replace(',', '').replace(' ', '-')}"


# The finished pages


def finished(pages: Pages, claims: Claims) -> Pages:
    """The pages with a strip below the title, a line in each statement, notes at equations, and the map's links."""
    found = places(pages, claims)
    return {
        path: with_places(with_statements(with_strip(path.stem, text, claims), path.stem, claims, found), found)
        for path, text in pages.items()
    }


def places(pages: Pages, claims: Claims) -> dict[str, str]:
    """Where each claim stands: at its statement, at its first record, or in a section; in its own chapter if it can."""
    anchor = re.compile(r'<div class="(?:proof [^"]*|claim-record)" id="([^"]+)"')
    anchors = {path.stem: anchor.findall(text) for path, text in sorted(pages.items())}
    found = {name: place for name, place in READ.items() if place.partition(".")[0] in anchors}
    for claim in claims:
        name, own = claim["id"], claim.get("chapter", "")
        statement, record = ANCHORS.get(name, name), re.compile(rf"record-{name}-[0-9a-f]{{6}}")
        for stem in sorted(anchors, key=lambda stem: stem != own):
            first = next(filter(record.fullmatch, anchors[stem]), "")
            if place := statement if statement in anchors[stem] else first:
                found[name] = f"{stem}.html#{place}"
                break
    return found


def with_strip(stem: str, text: str, claims: Claims) -> str:
    """The page with, below its title, the sections of the paper that it runs, its neighbours and its files."""
    parts = [in_the_paper(stem, text, claims), files(stem, text)]
    strip = "".join(part for part in parts if part)
    return re.sub(r"(<article class=.*?</h1>)", lambda m: m[1] + strip, text, count=1, flags=re.S) if strip else text


def in_the_paper(stem: str, text: str, claims: Claims) -> str:
    """The row of the paper's sections; this chapter runs those that are filled, and adds to those that are framed."""
    mine = [c for c in claims if c.get("chapter") == stem and c.get("kind") != "erratum"]
    theirs = [c for c in mine if c.get("source") == "paper"]
    if not mine:
        return ""
    cells = []
    for section, title in SECTIONS.items():
        run, ours = (any(section in sections(c) for c in some) for some in (theirs, mine))
        kind, says = ("run", ", run here") if run else ("ours", ", our results here") if ours else ("", "")
        says = f'<span class="visually-hidden"> {title}{says}</span>'
        cells.append(
            f'<li><a class="{kind}" href="map.html#section-{section.lower()}" title="{title}">{section}{says}</a></li>'
        )
    count = f"{len(theirs)} of its statements, {len(mine) - len(theirs)} of ours"
    around = "".join(f" <span>{way}</span>" for way in neighbours(text))
    return (
        f'<nav class="whereabouts" aria-label="This chapter in the paper"><span>In the paper:</span>'
        f'<ol>{"".join(cells)}</ol><span>{count} (<a href="map.html">map</a>)</span>{around}</nav>'
    )


def neighbours(text: str) -> Iterable[str]:
    """Links to the chapters before and after this one, as the foot of the page has them."""
    for side, form in (("left-prev", "← {}"), ("right-next", "{} →")):
        found = re.search(rf'class="{side}"\s+href="(\d[^"]*)".*?prev-next-title">(.*?)</p>', text, flags=re.S)
        if found:
            title = re.sub("<.*?>", "", found[2]).strip()
            short = title.partition(". ")[0]
            yield f'<a href="{found[1]}" aria-label="{form.format(short)}: {title}">{form.format(short)}</a>'


def files(stem: str, text: str) -> str:
    """Links to the files of a page that can be taken away."""
    if not downloads.offered(stem) or 'class="cell ' not in text:
        return ""
    links = ", ".join(
        f'<a download href="../_static/downloads/{stem}.{suffix}" aria-label="{word} of {stem}">{word}</a>'
        for suffix, word in (("ipynb", "notebook"), ("py", "script"), ("md", "Markdown"))
    )
    needs = "<code>pip install . matplotlib</code> in the repository"
    return f'<p class="take-away">Download this page: {links}. They run after {needs}.</p>'


def with_statements(text: str, stem: str, claims: Claims, found: dict[str, str]) -> str:
    """The page with a line at the foot of each statement, and a note in the margin at each equation of the paper."""
    about = {ANCHORS.get(c["id"], c["id"]): c["id"] for c in claims}

    def line(match: re.Match[str]) -> str:
        if match[2] not in about:
            return match[0]
        return f'{match[1]}<p class="whence">{whence(about[match[2]], claims, found)}</p>\n{match[3]}'

    statement = r'(<div class="proof [^"]*" id="([^"]+)">(?:(?!<div class="proof ).)*?)(</section>\s*</div>)'
    text = re.sub(statement, line, text, flags=re.S)
    for claim in claims:
        page, _, anchor = found.get(claim["id"], "").partition("#")
        if claim.get("kind") == "equation" and page == f"{stem}.html" and anchor.startswith("record-"):
            start = text.rfind('<div class="cell ', 0, text.index(f'id="{anchor}"'))
            words = f"<strong>{plain(claim['label'])}</strong> of the paper. {whence(claim['id'], claims, found)}"
            text = f'{text[:start]}<aside class="margin sidebar"><p class="whence">{words}</p></aside>\n{text[start:]}'
    return text


def whence(name: str, claims: Claims, found: dict[str, str]) -> str:
    """Where a statement stands in the paper and in the ledger, on what it rests, and where it is used."""
    known = {c["id"]: c for c in claims}
    claim = known[name]
    section = sections(claim)[0]
    place = link(f"map.html#section-{section.lower()}", titled(section))
    if claim["source"] != "paper":
        place = f"{'Ours' if claim['source'] == 'ours' else 'Of others'}, on {place}"
    arxiv = f"; arXiv: {plain(claim['arxiv'])}" if claim.get("arxiv") else ""
    above = [c["id"] for c in claims if name in c.get("uses", []) and c.get("kind") != "erratum"]
    words = [f"{place}{arxiv}", f"Ledger: {link(f'ledger.html#{name}', claim['verdict'])}"]
    words += (
        [f"Errata: {', '.join(link(f'errata.html#{e}', e) for e in claim['errata'])}"] if claim.get("errata") else []
    )
    words += [f"Rests on {listed(name, claim['uses'], known, found)}"] if claim.get("uses") else []
    words += [f"Used for {listed(name, above, known, found)}"] if above else []
    return ". ".join(words) + "."


def listed(name: str, ids: list[str], known: dict[str, dict[str, Any]], found: dict[str, str]) -> str:
    """Links to a few claims where they stand, and to the ledger for the rest."""
    few = ids if len(ids) <= FEW else ids[: FEW - 1]
    links = [link(found.get(i, f"ledger.html#{i}"), known[i]["label"]) for i in few]
    return ", ".join(links) + (
        f" and {link(f'ledger.html#{name}', f'{len(ids) - len(few)} more')}" if few != ids else ""
    )


def with_places(text: str, found: dict[str, str]) -> str:
    """The map's names as links: to the place in the book, or to the ledger."""
    return re.sub(r'<a data-place="([^"]+)"', lambda m: f'<a href="{found.get(m[1], f"ledger.html#{m[1]}")}"', text)


# Search


def named(index: str, claims: Claims, found: dict[str, str]) -> str:
    """Sphinx' search index with each claim as titles, "Lemma 9" and "lemma-9", where it stands and in the ledger."""
    head, body = index[: index.index("{")], json.loads(index[index.index("{") : index.rindex("}") + 1])
    pages = {name.rpartition("/")[2]: number for number, name in enumerate(body["docnames"])}
    titles: dict[str, list[list[Any]]] = {}
    for title, where in body["alltitles"].items():
        bare = re.sub(r"^\w* ?\((.*)\)$", r"\1", title.strip())  # of a statement: " (Lemma 9, average sensitivity)"
        titles.setdefault(bare, []).extend(where)
    for claim in claims:
        name, erratum = claim["id"], claim.get("kind") == "erratum"
        for place in [f"errata.html#{name}"] if erratum else [found.get(name, ""), f"ledger.html#{name}"]:
            stem, _, anchor = place.partition(".html#")
            for title in dict.fromkeys((claim["label"], name)):
                if stem in pages and [pages[stem], anchor] not in titles.setdefault(title, []):
                    titles[title].append([pages[stem], anchor])
    body["alltitles"] = {title: where for title, where in titles.items() if where and title}
    return head + json.dumps(body, ensure_ascii=False, separators=(",", ":")) + ")"
