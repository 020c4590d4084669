"""The stored notebooks: what every viewer shows of a page and of a run of its code."""

import base64
import json
import re
import statistics
from itertools import pairwise

import nbformat
import pytest
from companion import places
from companion.building import chapters, commands, kept, outlines, stored
from companion.site import links
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from sparse_book import figure_svg
from sphinx_claims import record as ledger

SOURCES = chapters.sources(places.BOOK)
CHECK = re.compile(r"^ledger\.(check|refute)\(", re.M)
every_chapter = pytest.mark.parametrize("name", SOURCES)


def saved(name):
    return json.loads((places.BOOK / f"{name}.ipynb").read_text(encoding="utf-8"))


@every_chapter
def test_a_stored_notebook_is_what_its_page_and_a_run_give(name):
    with kept.build_lock():
        run = commands.executed({name: chapters.read(SOURCES[name])})[name]
    path = places.BOOK / f"{name}.ipynb"
    written = stored.with_kept(stored.written(name, run, links.configured("html", "baseurl")), path)
    assert chapters.dump(written) == path.read_text(encoding="utf-8"), "run `python3 make.py refresh`"


@every_chapter
def test_is_executed_and_holds_no_errors_and_what_every_viewer_shows(name):
    cells = chapters.code_cells(saved(name))
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    for output in (output for cell in cells for output in cell["outputs"]):
        assert output["output_type"] != "error" and output["metadata" if "data" in output else "name"] in ({}, "stdout")
        data = output.get("data", {})
        assert data.keys() <= {*stored.SHOWN, "text/html"}
        assert not re.search("<(svg|script|style|button)", "".join(data.get("text/html", ""))), data["text/plain"]


def test_pictures_are_stored_and_small():
    outputs = [o for name in SOURCES for cell in chapters.code_cells(saved(name)) for o in cell["outputs"]]
    figures = [o["data"] for o in outputs if "".join(o.get("data", {}).get("text/plain", "")).startswith("Figure: ")]
    assert len(figures) > 40 and all("image/png" in data for data in figures)
    assert sum((places.BOOK / f"{name}.ipynb").stat().st_size for name in SOURCES) < 8_000_000


def test_there_is_a_source_for_each_notebook():
    assert sorted(path.stem for path in places.BOOK.glob("*.ipynb")) == list(SOURCES)


@pytest.mark.parametrize("name", [name for name in SOURCES if name[0].isdigit()])
def test_what_teaches_is_short_and_no_hidden_code_follows_hidden_code_without_a_word(name):
    cells = chapters.read(SOURCES[name]).cells
    hidden = ["hide-input" in cell.metadata.get("tags", []) if cell.cell_type == "code" else None for cell in cells]
    shown = [cell.source.split("\n") for cell, unseen in zip(cells, hidden, strict=True) if unseen is False]
    lines = [sum(bool(line.strip()) for line in source) for source in shown] or [0]  # an audit may show no code
    assert statistics.median(lines) <= 5 and max(lines) <= 15, [source[0] for source in shown if len(source) > 15]
    # checks may follow each other: their ticks stand side by side, in the sentence or the box before the first
    checks = [cell.cell_type == "code" and bool(CHECK.search(cell.source)) for cell in cells]
    pairs = enumerate(zip(pairwise(hidden), pairwise(checks), strict=True), start=1)
    assert not [cells[i].source for i, (two, ticks) in pairs if all(two) and not all(ticks)]


# At 1280 px a cell shows this many letters of the font of code; of a longer line the end is hidden.
LONGEST_LINE = 84
# How Python shows a dictionary, a tuple, an array or an object: a reader should get a sentence or a table.
RAW = re.compile(r"[{(\[].*[})\]]|array\(.*|\w+\(\w+=.*", re.S)
# This page is about the package, and shows what its functions return.
SHOWS_VALUES = {"scaling"}


@every_chapter
def test_no_visible_line_of_code_is_cut_at_the_right(name):
    cells = chapters.code_cells(saved(name))
    shown = [cell for cell in cells if "hide-input" not in cell["metadata"].get("tags", [])]
    lines = [line for cell in shown for line in "".join(cell["source"]).splitlines()]
    assert not [line for line in lines if len(line) > LONGEST_LINE]


@every_chapter
def test_outputs_are_sentences_and_tables_and_not_the_notation_of_python(name):
    for cell in chapters.code_cells(saved(name)):
        for output in cell["outputs"] if name not in SHOWS_VALUES else ():
            if output["output_type"] == "execute_result":
                assert not RAW.fullmatch("".join(output["data"]["text/plain"])), "".join(cell["source"])


def out(text, **more):
    return new_output("stream", text=text) if not more else new_output(data={"text/plain": text, **more}, **KIND)


KIND = {"output_type": "execute_result", "execution_count": 1}


@pytest.mark.parametrize(
    "run, kept, agree",
    [
        ([out("slack 1.0000001\n")], [out("slack  1.0")], True),
        ([out("slack 1.00001\n")], [out("slack 1.0\n")], False),
        ([out("1e-12")], [out("-3e-11")], True),
        ([out("5 words")], [out("5 works")], False),
        ([out("1 2")], [out("1")], False),
        ([out("a\n"), out("b\n")], [out("a\nb\n")], True),
        ([out("a", **{"text/html": "<b>a</b>"})], [out("a", **{"text/html": "<i>a</i>"})], True),
        ([out("a", **{"text/html": "<b>a</b>"})], [out("a")], False),
        ([out("a")], [], False),
        ([new_output("error", ename="ValueError", evalue="x")], [], False),
    ],
)
def test_outputs_agree_where_words_do_and_numbers_to_rounding(run, kept, agree):
    assert (not chapters.differences(run, kept)) == agree


@pytest.mark.parametrize("tags, agree", [([], False), (["hide-input", "nbval-ignore-output"], True)])
def test_a_cell_says_that_its_outputs_are_not_compared(tags, agree):
    cells = [new_code_cell("x", metadata={"tags": tags}, outputs=[out(text)]) for text in "ab"]
    assert chapters.agree(*cells) == agree


def test_ids_depend_on_the_cell_alone(tmp_path):
    def ids(*cells):
        header = "---\njupytext: {text_representation: {extension: .md, format_name: myst}}\n---\n"
        (tmp_path / "chapter.md").write_text("\n".join([header, *cells]))
        return [cell.id for cell in chapters.read(tmp_path / "chapter.md").cells]

    code = "```{code-cell}\n1\n```\n"
    one, two = ids("# A\n", code), ids("# B\n", code, code)
    assert one[1] == two[1]
    assert len({*one, *two}) == 4


def test_a_stored_notebook_has_the_lines_of_its_cells(tmp_path):
    cells = [new_markdown_cell("One.\n\nTwo."), new_code_cell("a = 1\na", outputs=[out("1\n2\n")])]
    text = chapters.dump(new_notebook(cells=cells, metadata=chapters.METADATA))
    found = json.loads(text)["cells"]
    assert found[0]["source"] == ["One.\n", "\n", "Two."]
    assert found[1]["outputs"][0]["text"] == ["1\n", "2\n"]
    assert text.endswith("}\n") and not text.endswith("\n\n")
    assert chapters.dump(nbformat.reads(text, as_version=4)) == text


PAGE = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# A chapter

Its {term}`text`.

```{code-cell} ipython3
---
mystnb:
  figure:
    name: fig-a
    caption: |
      A caption, "in *quotes*".
tags: [hide-input]
---
x = 1
```
"""
PNG = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}


@pytest.fixture
def source(tmp_path):
    """A page, which is not of the book."""
    source = tmp_path / "chapter.md"
    source.write_text(PAGE)
    return source


def run_of(source, text, png, **more):
    """The page with an output, as if it had been run: what the site shows is more than what is stored."""
    run = chapters.read(source)
    data = {"text/plain": text, "image/png": png, "text/html": "<svg></svg>", figure_svg.MIME: {"csv": "", **more}}
    chapters.code_cells(run)[0].update(outputs=[nbformat.from_dict({**PNG, "data": data})], execution_count=1)
    return run


@pytest.mark.parametrize(
    "more, moves", [({}, ""), ({"start": 0}, " On the site this figure moves; here is its first frame.")]
)
def test_a_figure_is_stored_as_a_picture_with_its_caption_below(source, monkeypatch, more, moves):
    monkeypatch.setattr(outlines, "number", lambda label, kind, page: f"7 of {label} in {page}")
    written = stored.written("chapter", run_of(source, "Figure: a", "AAAA", **more), "")
    header, text, cell, caption = written["cells"]
    assert "`book/chapter.md`" in header["source"] and text["source"] == "# A chapter\n\nIts text."
    assert cell["metadata"] == {"tags": ["hide-input"], "jupyter": {"source_hidden": True}}
    assert cell["outputs"][0]["data"] == {"text/plain": "Figure: a", "image/png": "AAAA"}
    assert caption["source"] == f'**Fig. 7 of fig-a in chapter.** A caption, "in *quotes*".{moves}'


def test_a_drawing_is_stored_as_an_image_with_its_words():
    drawing = '<svg aria-label="A &quot;b&quot;" viewBox="0 0 1 1"><path class="c" stroke="currentColor"/></svg>'
    output = {"output_type": "display_data", "metadata": {}, "data": {"text/html": f"<p>{drawing} c {drawing}</p>"}}
    shown = stored.pictured(output)["data"]["text/html"]
    assert shown.count('<img alt="A &quot;b&quot;" src="data:image/svg+xml;base64,') == 2 and "<svg" not in shown
    coded = base64.b64decode(re.findall('base64,(.*?)"', shown)[0]).decode()
    assert 'fill="#ffffff"' in coded and "currentColor" not in coded


def test_a_picture_stays_until_the_code_or_the_text_of_its_cell_changes(source, monkeypatch):
    monkeypatch.setattr(outlines, "number", lambda *_: "1")
    path = source.with_suffix(".ipynb")

    def refresh(text, png):
        kept_ones = stored.with_kept(stored.written("chapter", run_of(source, text, png), ""), path)
        path.write_text(chapters.dump(kept_ones))
        return json.loads(path.read_text())["cells"][2]["outputs"][0]["data"]["image/png"]

    assert refresh("Figure: 1.0", "AAAA") == "AAAA"
    assert refresh("Figure: 1.00000001", "BBBB") == "AAAA"  # another version drew it
    before = path.read_text().splitlines()
    source.write_text(PAGE.replace("Its {term}`text`", "Its {term}`words`"))
    assert refresh("Figure: 1.0", "BBBB") == "AAAA"
    after = path.read_text().splitlines()
    assert [line.strip() for line in after if line not in before][1:] == ['"Its words."']  # and the id of the cell
    assert refresh("Figure: 2.0", "CCCC") == "CCCC"
    source.write_text(PAGE.replace("x = 1", "x = 2"))
    assert refresh("Figure: 2.0", "DDDD") == "DDDD"
    notebook = json.loads(path.read_text())
    notebook["cells"][2]["outputs"][0]["data"]["text/html"] = "<p>of a run in Jupyter</p>"
    path.write_text(json.dumps(notebook))
    assert refresh("Figure: 2.0", "EEEE") == "EEEE" and "of a run" not in path.read_text()


@pytest.mark.parametrize("broken", [b"\xff", b"{", b"[]", b'{"cells": 7}', b'{"cells": [{"cell_type": "code"}]}'])
def test_a_stored_notebook_that_is_broken_counts_as_none(source, monkeypatch, broken):
    monkeypatch.setattr(stored, "BOOK", source.parent)
    monkeypatch.setattr(outlines, "number", lambda *_: "1")
    path = source.with_suffix(".ipynb")
    path.write_bytes(broken)
    fresh = stored.written("chapter", run_of(source, "Figure: 1.0", "AAAA"), "")
    assert stored.edited(["chapter"]) == ""
    assert chapters.dump(stored.with_kept(fresh, path)) == chapters.dump(fresh)


@pytest.mark.parametrize(
    "then, stays",
    [
        ("Lemma 9 · sampled · no counterexample among 4 nets · slack 3×\n  control: k: fails on 3 of 4", True),
        ("Lemma 9 · sampled · no counterexample among 9 nets · slack 2×\n  control: k: fails on 4 of 4", False),
        ("Lemma 9 · exhaustive · 4 nets · slack 2×\n  control: k: fails on 4 of 4", False),
        ("Lemma 7 · sampled · no counterexample among 4 nets · slack 2×\n  control: k: fails on 4 of 4", False),
        ("a text", False),
    ],
)
def test_records_are_compared_where_the_numbers_of_a_cell_are_not(source, monkeypatch, then, stays):
    monkeypatch.setattr(outlines, "number", lambda *_: "1")
    source.write_text(PAGE.replace("[hide-input]", "[nbval-ignore-output]"))
    path = source.with_suffix(".ipynb")
    path.write_text(chapters.dump(stored.written("chapter", run_of(source, then, "AAAA"), "")))
    now = "Lemma 9 · sampled · no counterexample among 4 nets · slack 2×\n  control: k: fails on 4 of 4"
    kept_ones = stored.with_kept(stored.written("chapter", run_of(source, now, "AAAA"), ""), path)
    assert (chapters.code_cells(kept_ones)[0]["outputs"][0]["data"]["text/plain"] == then) == stays


def test_a_refutation_is_known_by_its_claim_where_its_sides_depend_on_the_processor():
    made = ledger.refute("E1", 2.0, 1.0, margin=0.5, over="m = 1")
    cell = {"outputs": [{"data": {"text/plain": str(made)}}, {"name": "stdout", "text": "E1 · refuted"}]}
    assert stored.heads(cell) == ["E1 · refuted"]


def test_a_record_in_the_outputs_of_a_stored_notebook_is_not_read(source):
    forged = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}
    forged["data"] = {ledger.MIME: {"claim": "lemma-9", "count": 123456}, "text/plain": "Lemma 9 · exhaustive"}
    notebook = chapters.read(source)
    chapters.code_cells(notebook)[0].update(outputs=[forged])
    source.with_suffix(".ipynb").write_text(chapters.dump(notebook))
    (cell,) = chapters.code_cells(chapters.execute(chapters.read(source)))
    assert cell.outputs == []
