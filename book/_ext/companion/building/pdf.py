"""What a browser prints: the whole book as one PDF, from the pages of the built site on one page."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from pypdf import PdfReader

from companion.places import Stop

# In this order: the headless shell draws the same and has no windows of its own, for half of the processor's time.
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    # where macOS and Windows keep them, which is not on the path
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    *(
        str(Path(folder, "Google/Chrome/Application/chrome.exe"))
        for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
        if (folder := os.environ.get(name))
    ),
)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
EDGE = '<div style="width:100%;font:8px sans-serif;color:#555;text-align:center">{}</div>'
PAPER: dict[str, Any] = {  # the options of Page.pdf
    "format": "A4",
    "scale": 0.8,
    "margin": {"top": "20mm", "bottom": "18mm", "left": "20mm", "right": "20mm"},
    "display_header_footer": True,
    "header_template": EDGE.format('<span class="title"></span>'),
    "footer_template": EDGE.format('<span class="pageNumber"></span>'),
    "outline": True,
    "tagged": True,
    "print_background": True,
}
STYLE = Path(__file__).with_suffix(".css")
TITLE = """<header class="title"><p class="h1">{title}</p><p>{words}</p></header>
<nav class="book-contents" aria-label="Contents"><h1>Contents</h1><ol>{entries}</ol></nav>"""
WORDS = (
    "An executable companion to “Learning Neural Networks with Sparse Activations” "
    "(Awasthi, Dikkala, Kamath and Meka, COLT 2024).<br>Printed from the site. Proofs and solutions are open; "
    "cells that only prepare, check or draw are left out, and stand in the site and in its downloads."
)


def order(first: str) -> dict[str, str]:
    """The pages to print with their titles, in the order of the sidebar, from the text of the first; the API is not."""
    sidebar = re.findall(r'<nav class="bd-links.*?</nav>', first, flags=re.S)[0]
    links = re.findall(r'<a class="[^"]*reference internal" href="([\w-]+)\.html">(.*?)</a>', sidebar, flags=re.S)
    return {"index": "Welcome", **{stem: title for stem, title in links if not stem.startswith("api-")}}


def article(stem: str, text: str, stems: list[str]) -> str:
    """The article of a page, its ids and links made those of the whole book, everything opened."""
    body = re.search(r'<article [^>]*class="bd-article">(.*?)</article>', text, flags=re.S)
    text = body[1] if body else ""

    def internal(match: re.Match[str]) -> str:
        page, _, anchor = match[2].partition("#")
        target = page.removesuffix(".html") or stem
        return f'{match[1]}="#{target}--{anchor or "top"}"' if target in stems else match[0]

    text = re.sub(r'(?<=\s)(id|for|aria-labelledby)="([^"]+)"', rf'\1="{stem}--\2"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{stem}--\1)", text)
    text = re.sub(r'((?:xlink:)?href)="((?:[\w-]+\.html)?(?:#[^"]*)?)"', internal, text)
    text = re.sub(r"<details(?![^>]*\sopen)", "<details open", text).replace("../_static/", "../html/_static/")
    return f'<section class="chapter" id="{stem}--top">{text}</section>'


def document(pages: Mapping[str, str], styles: str) -> str:
    """One HTML page of all pages, with a title and a table of contents; ``styles`` are the site's own."""
    first = pages["index"]
    book = "\n".join(article(stem, text, list(pages)) for stem, text in pages.items())
    entries = "".join(f'<li><a href="#{stem}--top">{title}</a></li>' for stem, title in order(first).items())
    title = re.findall(r"<title>(?:.*&#8212; )?(.*?)</title>", first, flags=re.S)[0]
    sheets = [link for link in re.findall(r"<link[^>]*stylesheet[^>]*>", first) if "/custom.css" not in link]
    front = TITLE.format(title=title, words=WORDS, entries=entries)
    wide = styles.replace("max-width: 60rem", "max-width: 0").replace("max-width: 45rem", "max-width: 0")
    wide = wide.replace('url("', 'url("../html/_static/')
    head = "".join(sheets).replace("../_static/", "../html/_static/")
    return (
        f'<!DOCTYPE html>\n<html lang="en" data-theme="light" data-mode="light"><head><meta charset="utf-8">'
        f"<title>{title}</title>{head}<style>{wide}{STYLE.read_text(encoding='utf-8')}</style></head>"
        f'<body><main class="bd-main"><div class="bd-content"><div class="bd-article-container">'
        f'<article class="bd-article">{front}\n{book}</article></div></div></main></body></html>'
    )


def browser() -> str:
    """The path of a browser that can run without a screen, and that Playwright can start."""
    driver = subprocess.run([sys.executable, "-m", "playwright", "--version"], capture_output=True, text=True)
    if driver.returncode:
        reason = (driver.stderr.splitlines() or [f"exit code {driver.returncode}"])[-1]
        raise Stop(f"Playwright, which starts the browser, does not run ({reason}); Debian: apt install libatomic1")
    browsers = [path for path in map(shutil.which, BROWSERS) if path] or [of_playwright()]
    if not Path(browsers[0]).is_file():
        raise Stop("no browser was found: install Chromium or Chrome, then run again")
    return browsers[0]


def of_playwright() -> str:
    """Where `playwright install chromium` puts a browser, whether or not it did."""
    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def write(site: Path, target: Path) -> int:
    """Print the site and return the number of pages."""
    stems = order((site / "book/index.html").read_text(encoding="utf-8"))
    texts = {stem: (site / "book" / f"{stem}.html").read_text(encoding="utf-8") for stem in stems}
    source = site.parent / "pdf" / "book.html"
    source.parent.mkdir(exist_ok=True)
    source.write_text(document(texts, (site / "_static/custom.css").read_text(encoding="utf-8")), encoding="utf-8")
    executable = browser()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        page = chromium.new_page()
        page.set_default_timeout(0)
        page.goto(source.as_uri())
        page.evaluate("document.fonts.ready")
        page.pdf(path=target, **PAPER)
        chromium.close()
    return len(PdfReader(target).pages)
