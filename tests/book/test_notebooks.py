"""The stored notebooks: executed, in step with their sources, and nothing in them that a diff cannot show."""

import json
from pathlib import Path

import pytest
from companion import chapters

import make

PAIRS = [(path, path.with_suffix(".ipynb")) for path in make.sources().values()]
every_chapter = pytest.mark.parametrize(("source", "stored"), PAIRS, ids=[path.stem for path, _ in PAIRS])


@every_chapter
def test_is_executed_from_top_to_bottom(source, stored):
    counts = [cell["execution_count"] for cell in chapters.code_cells(json.loads(stored.read_text()))]
    assert counts == list(range(1, len(counts) + 1))  # nbval passes over a cell without a count


@every_chapter
def test_is_in_step_with_its_source(source, stored):
    assert chapters.same_source(json.loads(stored.read_text()), chapters.read(source)), "run `python3 make.py refresh`"


@every_chapter
def test_holds_text_only_and_no_errors(source, stored):
    for cell in chapters.code_cells(json.loads(stored.read_text())):
        assert cell["outputs"] == chapters.text_only(cell["outputs"])
        assert "error" not in [output["output_type"] for output in cell["outputs"]]
    assert stored.stat().st_size < 250_000


def test_there_is_a_source_for_each_notebook():
    assert sorted(Path(make.BOOK).glob("*.ipynb")) == [stored for _, stored in PAIRS]


def test_ids_depend_on_the_cell_alone(tmp_path):
    def ids(*cells):
        header = "---\njupytext: {text_representation: {extension: .md, format_name: myst}}\n---\n"
        (tmp_path / "chapter.md").write_text("\n".join([header, *cells]))
        return [cell.id for cell in chapters.read(tmp_path / "chapter.md").cells]

    code = "```{code-cell}\n1\n```\n"
    one, two = ids("# A\n", code), ids("# B\n", code, code)
    assert one[1] == two[1]
    assert len({*one, *two}) == 4
