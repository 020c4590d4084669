"""How long each page is, and how much of it is not its argument: what an editor watches while a book grows."""

from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import ViewportSize, sync_playwright

from companion.building import browser

# Folds closed, at the width of a desk; links and stops of the article alone.
COUNTS = """() => {
    const article = document.querySelector('article') ?? document.body;
    const seen = (e) => e.checkVisibility() && !e.closest('[popover]');
    const count = (selector) => [...article.querySelectorAll(selector)].filter(seen).length;
    const hidden = 'pre, code, math, svg, script, style, .visually-hidden';
    const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
    let words = 0;
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        if (text.parentElement.closest(hidden) || !seen(text.parentElement)) continue;
        words += text.data.match(/\\S+/g)?.length ?? 0;
    }
    const kinds = ['.admonition:not(details)', 'summary, .to-source', '.claim-record, .tick', 'a[href]',
        'a[href], button, input, select, summary, [tabindex="0"]'];
    return [document.documentElement.scrollHeight, words, ...kinds.map(count)];
}"""
HEAD = ("px", "words", "boxes", "folds", "records", "links", "stops")
# The size at which the pages were first measured, so that tables of two times can be compared.
VIEWPORT: ViewportSize = {"width": 1280, "height": 900}


def measure(site: Path, names: Sequence[str]) -> list[tuple[str, list[int]]]:
    """(name, numbers as in HEAD) of these pages of book/, or of all."""
    paths = [site / f"book/{name}.html" for name in names] or sorted(site.glob("book/*.html"))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser.path(), args=browser.FLAGS)
        page = chromium.new_page(viewport=VIEWPORT, reduced_motion="reduce")
        rows = []
        for path in paths:
            page.goto(path.as_uri())
            rows.append((path.stem, page.evaluate(COUNTS)))
        chromium.close()
    return rows


def table(rows: list[tuple[str, list[int]]]) -> str:
    """The pages as lines of text, with their sums."""
    total = [sum(column) for column in zip(*(numbers for _, numbers in rows), strict=True)]
    lines = [("page", HEAD), *rows, ("all", total)]
    return "\n".join(f"{name:24}" + "".join(f"{number:>9}" for number in numbers) for name, numbers in lines)
