"""The drawing of what rests on what as a page: addresses, keys, sizes, and no box on another as it is drawn."""

import pytest

from sphinx_claims.pages import graph
from tests.book.examples import CLAIMS, ledgered

LEDGER = ledgered(CLAIMS)
BELOW = {name: list(claim.uses) for name, claim in LEDGER.statements.items()}
ABOVE = {i: [j for j in BELOW if i in BELOW[j]] for i in BELOW}
LIT = "kind => [...document.querySelectorAll(`.graph-box a.${kind}`)].map(a => a.id)"
# pairs of boxes that share more than an edge, as they are drawn
COVERED = """() => {
    const boxes = [...document.querySelectorAll('.graph-box a rect')]
        .map(e => [e.parentElement.id, e.getBoundingClientRect()]);
    const shared = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]) > 1;
    return boxes.flatMap(([one, a], i) => boxes.slice(i + 1)
        .filter(([, b]) => shared(a, b, 'left', 'right') && shared(a, b, 'top', 'bottom'))
        .map(([other]) => `${one} covers ${other}`));
}"""
SIZES = """() => {
    const box = document.querySelector('.graph-box'), { clientWidth, clientHeight } = box;
    const { width, height } = box.querySelector('svg').getBoundingClientRect();
    return { page: document.documentElement.scrollWidth, box: [clientWidth, clientHeight], svg: [width, height] };
}"""
SEEN = """id => {
    const [inner, outer] = [`#${id}`, '.graph-box'].map(one => document.querySelector(one).getBoundingClientRect());
    return inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top
        && inner.bottom <= outer.bottom && document.querySelector(`#${id} rect`).getBoundingClientRect().height > 30;
}"""


@pytest.fixture(scope="module")
def graph_page(page_of):
    return page_of(f"<main class='bd-article'>{graph.drawing(LEDGER)}</main>", "custom.css", "graph.js")


def test_an_address_lights_all_that_is_below_and_above_and_shows_it_and_the_back_button_returns(graph_page, in_browser):
    async def visit(page):
        await page.goto(graph_page + "#lemma-9")
        lit = [set(await page.evaluate(LIT, kind)) for kind in ("below", "above", "chosen")]
        seen = [await page.evaluate(SEEN, "lemma-9"), await page.locator(".graph-words").text_content()]
        await page.locator("#lemma-10").click()
        seen.append((page.url.partition("#")[2], await page.evaluate(LIT, "chosen")))
        await page.go_back()
        await page.wait_for_selector("#lemma-9.chosen")
        await page.locator("input").fill("theorem 8")
        await page.locator("input").press("Enter")
        await page.locator("input").blur()
        await page.wait_for_selector("#theorem-8.chosen")
        seen.append(await page.evaluate(SEEN, "theorem-8"))
        return lit, seen

    lit, (shown, words, clicked, found) = in_browser(visit)
    below, above = (graph.reached(["lemma-9"], way) for way in (BELOW, ABOVE))
    assert lit == [below, above, {"lemma-9"}] and shown and found
    assert (
        words.startswith("Lemma 9: true, proof repaired")
        and f"Rests on {len(below) - 1}, and {len(above) - 1}" in words
    )
    assert clicked == ("lemma-10", ["lemma-10"])


def test_without_an_address_a_statement_in_the_midst_is_lit_and_can_be_read_and_the_whole_is_a_button_away(
    graph_page, in_browser
):
    async def visit(page):
        await page.goto(graph_page)
        [chosen] = await page.evaluate(LIT, "chosen")
        opened = chosen, await page.evaluate(SEEN, chosen), await page.evaluate("scrollY")
        await page.get_by_role("button", name="the whole").click()
        whole = await page.evaluate(SIZES)
        await page.goto(graph_page + "#lemma-9")
        return opened, whole, await page.evaluate(LIT, "chosen")

    (chosen, seen, scrolled), whole, asked = in_browser(visit)
    pairs = {i: len(graph.reached([i], BELOW)) * len(graph.reached([i], ABOVE)) for i in BELOW}
    assert pairs[chosen] == max(pairs.values()) and seen and scrolled == 0
    assert all(inner <= outer + 1 for inner, outer in zip(whole["svg"], whole["box"], strict=True))
    assert asked == ["lemma-9"]


def test_no_box_covers_another_and_an_erratum_is_lit(graph_page, in_browser):
    async def visit(page):
        await page.goto(graph_page)
        covered = await page.evaluate(COVERED)
        await page.locator("select").select_option("E16")
        await page.wait_for_selector("a.broken")
        lit, words = await page.evaluate(LIT, "lit"), await page.locator(".graph-words").text_content()
        await page.locator("select").select_option("")
        return covered, set(lit), words, await page.evaluate(LIT, "lit")

    covered, lit, words, after = in_browser(visit)
    assert not covered and not after
    assert lit == graph.broken(LEDGER, LEDGER.known["E16"]) and len(lit) > 1
    assert words.startswith("E16 is about ")


def test_the_keyboard_walks_along_the_arrows_and_zooms(graph_page, in_browser):
    async def visit(page):
        await page.goto(graph_page + "#theorem-8")
        walked = []
        for start, key in (("theorem-8", "ArrowRight"), ("theorem-8", "ArrowLeft"), ("lemma-6", "ArrowDown")):
            await page.locator(f"#{start}").focus()
            await page.keyboard.press(key)
            walked.append(await page.evaluate("document.activeElement.id"))
        await page.keyboard.press("ArrowUp")
        walked.append(await page.evaluate("document.activeElement.id"))
        await page.keyboard.press("Enter")
        chosen = await page.evaluate(LIT, "chosen")
        sizes = [await page.evaluate(SIZES)]
        for key in ("+", "-", "0"):
            await page.keyboard.press(key)
            sizes.append(await page.evaluate(SIZES))
        stops = await page.locator(".graph-box a[tabindex='0']").count()
        return walked, chosen, [size["svg"][0] for size in sizes], sizes[-1], stops

    (right, left, down, up), chosen, widths, whole, stops = in_browser(visit)
    assert "theorem-8" in BELOW[right] and left in BELOW["theorem-8"] and down != up == "lemma-6"
    assert chosen == [up] and stops == 1
    assert widths[1] > widths[0] > widths[3] and widths[2] < widths[1]
    assert all(inner <= outer + 1 for inner, outer in zip(whole["svg"], whole["box"], strict=True))


@pytest.mark.parametrize("script", [True, False])
def test_on_a_phone_the_drawing_is_fitted_to_its_frame_or_scrolls_in_it(graph_page, in_browser, script):
    """Without JavaScript it scrolls, and each box leads to its statement."""

    async def visit(page):
        other = await page.context.browser.new_context(
            java_script_enabled=script, viewport={"width": 390, "height": 844}
        )
        page = await other.new_page()
        await page.goto(graph_page)
        controls = await page.locator(".graph-controls").is_visible()
        if controls:
            await page.get_by_role("button", name="the whole").click()
        found = await page.evaluate(SIZES), controls
        href = await page.locator("#lemma-9").get_attribute("href")
        await other.close()
        return *found, href

    sizes, controls, href = in_browser(visit)
    assert sizes["page"] <= 390 and controls == script and href == "02-uniform.html#lemma-9"
    assert (sizes["svg"][0] <= sizes["box"][0] + 1) == script
