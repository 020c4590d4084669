"""Every figure of the book on a phone, as it was drawn when its chapter was executed; and its slides."""

import io
import json
import re
import xml.etree.ElementTree as ET

import pytest
from bs4 import BeautifulSoup
from companion import places
from companion.site.figures import slides
from pypdf import PdfReader

from sparse_book import figures
from tests.book.examples import BOOK

SLIDES = slides(BOOK)
# More arguments than chapters: no page but the reference is without a slide
LEAST = 20


@pytest.fixture(scope="module")
def drawn(site):
    """(page, figure's name, its data) of each figure."""
    found = []
    for path in sorted((places.BUILD / "executed").glob("*.ipynb")):
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


def test_each_argument_is_a_slide_with_a_title_its_figure_and_one_sentence(site):
    assert len(SLIDES) >= LEAST
    page = BeautifulSoup((site / "book/slides.html").read_text(encoding="utf-8"), "html.parser")
    assert len(page.select("p.slide")) == len(SLIDES)
    for name, words in SLIDES.items():
        assert re.fullmatch(r"[^.]+", words["title"]) and words["sentence"].endswith(".")
        slide = page.find(id=f"slide-{name}").find_parent("section")
        assert slide.h2 and slide.img["src"] == f"../_static/figures/{name}-slide.svg"
        text = (site / f"_static/figures/{name}-slide.svg").read_text(encoding="utf-8")
        assert ET.fromstring(text).get("viewBox") and "currentColor" not in text


def test_each_slide_prints_on_a_sheet_across_and_the_errata_on_one_sheet(site, in_browser):
    async def visit(page):
        printed = {}
        for name in ("slides", "errata-sheet"):
            await page.goto((site / f"book/{name}.html").as_uri())
            await page.evaluate("document.querySelectorAll('img').forEach(image => { image.loading = 'eager'; })")
            await page.wait_for_load_state("networkidle")
            printed[name] = await page.pdf(prefer_css_page_size=True, print_background=True)
        return printed

    sheets = {name: PdfReader(io.BytesIO(made)).pages for name, made in in_browser(visit).items()}
    across = [sheet for sheet in sheets["slides"] if sheet.mediabox.width > sheet.mediabox.height]
    assert len(across) == len(sheets["slides"]) == len(SLIDES) + 1  # the first says what they are
    (sheet,) = sheets["errata-sheet"]
    assert round(sheet.mediabox.width) == 595 and "E31" in sheet.extract_text()


def test_an_unknown_key_of_a_slide_is_refused(tmp_path):
    (tmp_path / "slides.yml").write_text("- {figure: a, title: b}", encoding="utf-8")
    with pytest.raises(Exception, match="a slide has figure, sentence, title, not figure, title"):
        slides(tmp_path)
