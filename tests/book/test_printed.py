"""The book on paper: one document of all pages, whose links stay inside it, printed with contents."""

import shutil
from collections import Counter
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from companion.building import kept, pdf
from companion.places import Stop
from pypdf import PdfReader

SIDEBAR = """<title>Welcome &#8212; A Small Book</title><link rel="stylesheet" href="../_static/site.css">
<nav class="bd-links"><a class="reference internal" href="#">Welcome</a>
<a class="current reference internal" href="01-a.html">1. One</a>
<a class="reference internal" href="errata.html">Errata</a></nav>
"""
PAGES = {
    "index": SIDEBAR
    + """<article class="bd-article"><section id="welcome"><h1>Welcome</h1>
<p>To <a href="01-a.html#lemma-9">Lemma 9</a>, <a href="errata.html">all</a>, <a href="https://example.org">out</a>.</p>
</section></article>""",
    "01-a": """<article class="bd-article"><section id="one">
<h1><span>1. </span>One<a class="headerlink" href="#one">#</a></h1>
<details><summary>Proof</summary><p id="lemma-9">Yes.</p></details><a href="#lemma-9">up</a>
<svg aria-label="x"><clipPath id="p1"></clipPath><g clip-path="url(#p1)"><use xlink:href="#p1"></use></g></svg>
<section id="part"><span id="other"></span><h2>1.1. Part</h2>
<img src="../_static/x.png"></section></section></article>""",
    "errata": '<article class="bd-article"><section id="one"><h1>Errata</h1></section></article>',
}


STYLES = """@font-face { font-family: "X"; src: url("font.woff2"); }
@media (max-width: 60rem) { p { display: none; } }"""


@pytest.fixture
def document():
    return BeautifulSoup(pdf.document(PAGES, STYLES), "html.parser")


def test_the_pages_stand_in_the_order_of_the_sidebar_and_in_the_contents(document):
    assert pdf.order(PAGES["index"]) == {"index": "Welcome", "01-a": "1. One", "errata": "Errata"}
    assert [one["id"] for one in document.select(".chapter")] == ["index--top", "01-a--top", "errata--top"]
    entries = {link["href"]: link.text for link in document.select(".book-contents a")}
    assert entries == {"#index--top": "Welcome", "#01-a--top": "1. One", "#errata--top": "Errata"}
    assert document.title.text == document.select_one(".title .h1").text == "A Small Book"


def test_each_link_leads_into_the_document_or_out_of_the_site(document):
    ids = Counter(tag["id"] for tag in document.select("[id]"))
    assert set(ids.values()) == {1}
    links = [tag["href"] for tag in document.select("a[href]")]
    assert {link for link in links if not link.startswith("#")} == {"https://example.org"}
    assert {link[1:] for link in links if link.startswith("#")} <= ids.keys()
    assert "#01-a--lemma-9" in links and "#errata--top" in links


def test_drawings_keep_their_parts_files_are_found_and_everything_is_open_and_wide(document):
    assert all(one.has_attr("open") for one in document.select("details"))
    assert "60rem" not in document.style.text
    assert document.select_one("g")["clip-path"] == "url(#01-a--p1)"
    assert document.select_one("use")["xlink:href"] == "#01-a--p1"
    assert document.img["src"] == "../html/_static/x.png"
    assert document.select_one("link[rel=stylesheet]")["href"] == "../html/_static/site.css"
    assert 'url("../html/_static/font.woff2")' in document.style.text
    assert not document.select("script")


@pytest.fixture
def small_site(tmp_path):
    """A small site, as if built."""
    folder = tmp_path / "_build/html"
    (folder / "book").mkdir(parents=True)
    (folder / "_static").mkdir()
    for name in ("site.css", "custom.css"):
        (folder / "_static" / name).write_text("")
    for name, text in PAGES.items():
        page = text.replace("<script", "<noscript").replace("script>", "noscript>")
        (folder / "book" / f"{name}.html").write_text(page)
    return folder


def test_the_printed_book_has_an_outline_and_links_that_resolve(small_site, tmp_path, browser):
    pages = pdf.write(small_site, tmp_path / "book.pdf")
    reader = PdfReader(tmp_path / "book.pdf")
    assert pages == len(reader.pages) == 5
    flat = [one.title for one in reader.outline if not isinstance(one, list)]
    assert "Welcome" in flat and "Errata" in flat
    links = [note.get_object() for page in reader.pages for note in page.get("/Annots", ())]
    inner = [link["/Dest"] for link in links if "/Dest" in link]
    assert len(inner) >= 6 and set(inner) <= set(reader.named_destinations)
    assert [link["/A"]["/URI"] for link in links if "/A" in link] == ["https://example.org/"]


def test_without_a_browser_its_driver_or_a_site_there_is_one_clear_line(small_site, tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(pdf, "BROWSERS", ("no-such-browser",))
    with pytest.raises(Stop, match="^no browser was found: install Chromium or Chrome, then run again$"):
        pdf.write(small_site, tmp_path / "book.pdf")
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", shutil.which("false"))
    with pytest.raises(Stop, match=r"does not run \(exit code 1\); Debian: apt install libatomic1"):
        pdf.write(small_site, tmp_path / "book.pdf")
    monkeypatch.setattr(kept, "BUILD", tmp_path)
    with pytest.raises(Stop, match="there is no site yet"):
        kept.site()


def test_a_browser_of_playwright_counts_and_the_shell_comes_first(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(pdf, "BROWSERS", [name for name in pdf.BROWSERS if not Path(name).is_absolute()])
    own = Path(pdf.of_playwright())
    own.parent.mkdir(parents=True)
    own.touch()
    assert own.is_relative_to(tmp_path) and pdf.browser() == str(own)
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("google-chrome", "chromium", "chromium-headless-shell"):
        (tmp_path / name).touch(mode=0o755)
        assert pdf.browser() == str(tmp_path / name)
