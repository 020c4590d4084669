"""Every figure of the book on a phone, as it was drawn when its chapter was executed; and its slides."""

import json
import re
import xml.etree.ElementTree as ET

import pytest
from companion import build, slides

from sparse_book import figures
from tests.book.examples import BOOK

SLIDES = slides.read(BOOK)
# More arguments than chapters: no page but the reference is without a slide
LEAST = 20


@pytest.fixture(scope="module")
def drawn(site):
    """(page, figure's name, its data) of each figure."""
    found = []
    for path in sorted((build.BUILD / "executed").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            name = cell["metadata"].get("mystnb", {}).get("figure", {}).get("name", "")
            for output in cell.get("outputs", []):
                if figures.MIME in output.get("data", {}):
                    found.append((path.name.partition(".")[0], name, output["data"][figures.MIME]))
    return found


def test_nothing_overlaps_and_nothing_is_cut_off(drawn):
    assert len(drawn) > 40
    faults = [(page, name, fault) for page, name, data in drawn for fault in data["faults"]]
    assert not faults, "\n".join(map(str, faults))


def test_each_argument_is_a_slide_with_a_title_and_one_sentence_on_both_papers(site):
    assert len(SLIDES) >= LEAST
    page = (site / "book/slides.html").read_text(encoding="utf-8")
    for name, words in SLIDES.items():
        assert re.fullmatch(r"[^.]+", words["title"]) and words["sentence"].endswith(".")
        for paper, (ink, ground) in slides.PAPERS.items():
            text = (site / f"_static/figures/{name}-slide-{paper}.svg").read_text(encoding="utf-8")
            assert ET.fromstring(text)[0].text == words["title"] and ink in text and ground in text
            assert f"{name}-slide-{paper}.svg" in page and "currentColor" not in text


def test_a_slide_breaks_its_title_and_draws_its_formulas():
    drawing = '<svg viewBox="0 0 10 10"><path d="M0 0" stroke="currentColor"/></svg>'
    words = {"figure": "x", "title": "word " * 20, "sentence": "At most $4k^2W^2$."}
    slide = slides.compose(drawing, words, "dark")
    assert len(slides.lines(words["title"], slides.TITLE, "bold")) == 2
    assert slide.count("<path") == 4 and "$" not in re.sub("<desc>.*?</desc>", "", slide)
    for line in slides.lines(words["title"], slides.TITLE, "bold"):
        assert slides.path_of(line, slides.TITLE, "bold").get_extents().width <= slides.WIDTH - 2 * slides.MARGIN


def test_an_unknown_key_of_a_slide_is_refused(tmp_path):
    (tmp_path / "slides.yml").write_text("- {figure: a, title: b}", encoding="utf-8")
    with pytest.raises(Exception, match="a slide has figure, sentence, title, not figure, title"):
        slides.read(tmp_path)
