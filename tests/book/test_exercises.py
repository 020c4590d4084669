"""The exercises: graded, each with one solution that has been run, and on each page something to break."""

import ast
import json
import re

import pytest
from companion import places
from companion.building import chapters

from sphinx_claims.claims import by_id
from tests.book.examples import CLAIMS

SOURCES = chapters.sources(places.BOOK)
PAGES = {name: path for name, path in SOURCES.items() if re.fullmatch(r"\d\d-\w+|laboratory", name)}
GRADES = ("Warm-up", "Standard", "Harder")
TITLE = re.compile(rf"({'|'.join(GRADES)})(, break it)?: [^($]+")
BLOCK = re.compile(
    r"^(?P<fence>`{3,})\{exercise\} (?P<title>.*)\n:label: (?P<label>\S+)\n(?P<task>(?s:.*?))^(?P=fence)\n+"
    r"(?P=fence)\{solution-start\} (?P<target>\S+)\n:label: (?P<own>\S+)\n(?P=fence)\n(?P<solution>(?s:.*?))"
    r"^(?P=fence)\{solution-end\}\n(?P=fence)\n*",
    re.M,
)
CELL = re.compile(r"^<cell (\w[\w-]*)>$", re.M)
every_page = pytest.mark.parametrize("name", PAGES)


def section(name):
    """What stands under the heading "Exercises" at the end of a page, its code cells shown by their ids; the cells."""
    cells = {cell.id: cell for cell in chapters.read(PAGES[name]).cells}
    text = "\n\n".join(cell.source if cell.cell_type == "markdown" else f"<cell {i}>" for i, cell in cells.items())
    return text.partition("\n## Exercises\n")[2] + "\n", cells


def exercises(name):
    return [match.groupdict() for match in BLOCK.finditer(section(name)[0])]


def calls(cell):
    """(function, claim's id, names of its options) of each check and each refutation in a code cell."""
    for node in ast.walk(ast.parse(cell.source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("ledger.check", "ledger.refute"):
            yield node.func.attr, ast.literal_eval(node.args[0]), [option.arg for option in node.keywords]


@every_page
def test_a_page_ends_with_three_to_six_exercises_and_their_solutions(name):
    text, _ = section(name)
    assert 3 <= len(exercises(name)) <= 6
    rest = BLOCK.sub("", text)
    assert not re.search("^(#|```|<cell)", rest, re.M), f"what is no exercise with its solution: {rest.strip()[:200]}"


@every_page
def test_exercises_are_graded(name):
    titles = [TITLE.fullmatch(one["title"]) for one in exercises(name)]
    assert all(titles), [one["title"] for one in exercises(name)]
    grades = [GRADES.index(title[1]) for title in titles]
    assert grades[0] == 0 and grades[-1] > 0 and grades == sorted(grades)


@every_page
def test_a_solution_names_its_exercise(name):
    page = name[1] if name[0] == "0" else name
    for one in exercises(name):
        assert re.fullmatch(rf"exercise-{page}-[a-z0-9-]+", one["label"])
        assert one["target"] == one["label"]
        assert one["own"] == one["label"].replace("exercise-", "solution-", 1)


def test_labels_are_unique():
    labels = [one["label"] for name in PAGES for one in exercises(name)]
    assert len(labels) == len(set(labels))


@every_page
def test_a_solution_argues_in_words_and_ends_with_a_value_that_was_computed(name):
    stored = json.loads(PAGES[name].with_suffix(".ipynb").read_text(encoding="utf-8"))
    outputs = {cell["id"]: cell["outputs"] for cell in chapters.code_cells(stored)}
    for one in exercises(name):
        ids = CELL.findall(one["solution"])
        assert ids, f"{one['own']} computes nothing"
        assert len(CELL.sub("", one["solution"]).split()) >= 25, f"{one['own']} gives no argument"
        assert outputs.get(ids[-1]), f"{one['own']} shows nothing: run `python3 make.py refresh`"


@every_page
def test_there_is_something_to_break(name):
    _, cells = section(name)
    broken = [one for one in exercises(name) if ", break it:" in one["title"]]
    assert broken
    for one in broken:
        refuted = [
            options for i in CELL.findall(one["solution"]) for what, _, options in calls(cells[i]) if what == "refute"
        ]
        assert refuted and all("control" in options for options in refuted), one["own"]


@every_page
def test_no_record_of_an_exercise_is_one_of_the_ledger(name):
    known = by_id(CLAIMS)
    _, cells = section(name)
    for one in exercises(name):
        for _, claim, _ in (call for i in CELL.findall(one["solution"]) for call in calls(cells[i])):
            assert claim.startswith("exercise-") and claim.removeprefix("exercise-") in known
