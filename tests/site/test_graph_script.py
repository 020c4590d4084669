"""The graph of what rests on what as a page: addresses, keys, and no box on another as it is drawn."""

import pytest
from companion.pages import graph

from tests.book.examples import BOOK, CLAIMS

BELOW = {c["id"]: c.get("uses", []) for c in CLAIMS if c["kind"] != "erratum"}
PLACED = [{**c, "place": "", "proof": None} for c in CLAIMS]
SHOWN = "[...document.querySelectorAll('.graph-box a')].filter(a => !a.hasAttribute('hidden')).map(a => a.id)"
# pairs of boxes that share more than an edge, as they are drawn
COVERED = """() => {
    const boxes = [...document.querySelectorAll('.graph-box a:not([hidden]) rect')]
        .map(e => [e.parentElement.id, e.getBoundingClientRect()]);
    const shared = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]) > 1;
    return boxes.flatMap(([one, a], i) => boxes.slice(i + 1)
        .filter(([, b]) => shared(a, b, 'left', 'right') && shared(a, b, 'top', 'bottom'))
        .map(([other]) => `${one} covers ${other}`));
}"""


@pytest.fixture(scope="module")
def graph_page(tmp_path_factory):
    page = graph.page(PLACED, [])
    path = tmp_path_factory.mktemp("graph") / "page.html"
    script, style = ((BOOK / "assets" / name).read_text(encoding="utf-8") for name in ("graph.js", "custom.css"))
    body = f"<style>{style}</style><main class='bd-article'>{page}</main><script>{script}</script>"
    path.write_text(f"<!doctype html><html lang='en'><meta charset='utf-8'>{body}</html>", encoding="utf-8")
    return path


def test_each_focus_is_an_address_and_the_back_button_returns(graph_page, in_browser):
    near = {"lemma-9", *BELOW["lemma-9"], *(i for i in BELOW if "lemma-9" in BELOW[i])}

    async def visit(page):
        await page.goto(graph_page.as_uri() + "#lemma-9")
        seen = [set(await page.evaluate(SHOWN))]
        await page.locator("[data-depth='2']").click()
        seen.append(await page.evaluate("location.hash"))
        await page.locator("#lemma-10").click()
        await page.wait_for_selector("#lemma-10.chosen")  # the event comes after the address
        seen.append(await page.locator("a.chosen").get_attribute("id"))
        await page.go_back()
        await page.wait_for_function("location.hash === '#lemma-9=2'")
        await page.wait_for_selector("#lemma-9.chosen")
        seen.append(await page.locator("a.chosen").get_attribute("id"))
        await page.locator("input").fill("theorem 8")
        await page.locator("input").press("Enter")
        await page.locator("input").blur()
        await page.wait_for_function("document.querySelector('.chosen')?.id === 'theorem-8'")
        seen.append(await page.locator(".graph-words strong").text_content())
        return seen

    assert in_browser(visit) == [near, "#lemma-9=2", "lemma-10", "lemma-9", "Theorem 8"]


def test_no_box_covers_another_an_erratum_is_lit_and_the_whole_has_every_statement(graph_page, in_browser):
    async def visit(page):
        await page.goto(graph_page.as_uri() + "#theorem-8=2")
        await page.wait_for_selector("#theorem-8.chosen")
        covered = await page.evaluate(COVERED)
        await page.locator("select").select_option("E16")
        await page.wait_for_selector("a.broken")
        lit = await page.evaluate("[...document.querySelectorAll('a.lit')].map(a => a.id).sort()")
        words = await page.locator(".graph-words").text_content()
        await page.locator("[href='#graph']").click()
        await page.wait_for_selector("[href='#graph'][aria-current]")
        covered += await page.evaluate(COVERED)
        return covered, lit, words, len(await page.evaluate(SHOWN)), await page.locator("a.lit").count()

    covered, lit, words, number, after = in_browser(visit)
    assert not covered
    assert set(lit) == graph.shaken(next(c for c in CLAIMS if c["id"] == "E16"), CLAIMS) and len(lit) > 1
    assert words.startswith("E16 (") and (number, after) == (len(BELOW), 0)


def test_the_keyboard_walks_along_the_arrows(graph_page, in_browser):
    async def visit(page):
        await page.goto(graph_page.as_uri() + "#theorem-8")
        await page.locator("#theorem-8").focus()
        walked = []
        for key in ("ArrowRight", "ArrowLeft", "ArrowLeft"):
            await page.keyboard.press(key)
            walked.append(await page.evaluate("document.activeElement.id"))
        await page.keyboard.press("Enter")
        await page.wait_for_function("document.querySelector('.chosen').id !== 'theorem-8'")
        return walked, await page.locator("a.chosen").get_attribute("id")

    (right, back, left), chosen = in_browser(visit)
    assert "theorem-8" in BELOW[right] and back == "theorem-8"
    assert left in BELOW["theorem-8"] and chosen == left


@pytest.mark.parametrize("script", [True, False])
def test_on_a_phone_the_graph_is_panned_in_its_own_box(graph_page, in_browser, script):
    """Without JavaScript too, where the whole is shown and each box leads to its statement."""
    sizes = """() => { const box = document.querySelector('.graph-box');
        return [document.documentElement.scrollWidth, box.scrollWidth > box.clientWidth]; }"""

    async def visit(page):
        other = await page.context.browser.new_context(
            java_script_enabled=script, viewport={"width": 390, "height": 844}
        )
        page = await other.new_page()
        await page.goto(graph_page.as_uri() + "#definition-2=2")
        found = [*await page.evaluate(sizes), await page.locator(".graph-box a:visible").count()]
        found.append(await page.locator(".graph-controls").is_visible())
        await other.close()
        return found

    width, panned, boxes, controls = in_browser(visit)
    assert width <= 390 and panned and controls == script
    assert boxes == (len(graph.around("definition-2", BELOW, 2)) if script else len(BELOW))
