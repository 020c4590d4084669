"""What moves in the site: the proof in six steps, and the first pages."""

import numpy as np
import pytest
from bs4 import BeautifulSoup
from companion import places

from sparse_book.chapter_2 import moving_proof
from sparse_core.cube import fourier, hypercube
from sparse_core.network import constructions

ASSETS = places.BOOK / "assets"
LINES = "[...document.querySelectorAll('.six-steps .stage line.edge')].map(e => Number(e.getAttribute('stroke-width')))"
CLICKED = f"() => {{ document.querySelector('.proof-nav [aria-label^=\"Step 5\"]').click(); return {LINES}; }}"
STANDS = """step => document.querySelector('.six-steps .stage svg').innerHTML ===
    document.querySelectorAll('.six-steps li:not(.stage) svg')[step].innerHTML"""
VISIBLE = "[...document.querySelectorAll('.six-steps li')].filter(e => e.checkVisibility()).length"


@pytest.fixture(scope="module")
def proof(page_of):
    net = constructions.appendix_a(1, 2, gamma=1, weights=[[1, 0.5], [-0.5, 1]])
    drawn = moving_proof.panels(net, extreme=constructions.tight(p=3, k=1))._repr_mimebundle_()["text/html"]
    body = f"<main class='bd-article'><figure id='fig-proof'>{drawn}</figure></main>"
    return page_of(body, "custom.css", "proof.js") + "#fig-proof"


def moving(page, **options):
    """A page of a reader who does not ask for less motion."""
    return page.context.browser.new_page(reduced_motion="no-preference", **options)


def test_keys_and_buttons_lead_through_six_steps_and_each_is_said(proof, in_browser):
    async def visit(page):
        tab = await moving(page)
        errors = []
        tab.on("pageerror", lambda error: errors.append(str(error)))
        await tab.goto(proof)
        status = tab.locator(".six-steps [role=status]")
        said, widths = [await status.text_content()], [await tab.evaluate(LINES)]
        await tab.get_by_role("button", name="Next", exact=True).focus()
        for step in (1, 2, 3, 4, 5, 5):  # once more than there are steps
            await tab.keyboard.press("ArrowRight")
            said.append(await status.text_content())
            await tab.wait_for_function(STANDS, arg=step)
            widths.append(await tab.evaluate(LINES))
        address = tab.url
        await tab.get_by_role("button", name="Step 2").click()
        said.append(await status.text_content())
        current = await tab.locator(".six-steps [aria-current]").text_content()
        await tab.goto("about:blank")
        await tab.goto(address.replace("=6", "=4"))
        said.append(await status.text_content())
        await tab.close()
        return errors, said, widths, address, current

    errors, said, widths, address, current = in_browser(visit)
    assert not errors and address.endswith("#fig-proof=6") and current == "2"
    assert [text[:2] for text in said] == ["1.", "2.", "3.", "4.", "5.", "6.", "6.", "2.", "4."]
    largest = [max(step) for step in widths]
    assert largest == [largest[0]] * 3 + [largest[-1]] * 4 and largest[0] < largest[-1]
    assert sum(width > 1 for width in widths[0]) == 1 and min(widths[-1]) == max(widths[-1])  # one edge; all edges


def test_the_drawing_is_between_two_steps_for_a_while(proof, in_browser):
    async def visit(page):
        tab = await moving(page)
        await tab.goto(proof)
        seen = [await tab.evaluate(CLICKED)]  # at once, however busy the machine is
        await tab.wait_for_function(STANDS, arg=4)
        seen.append(await tab.evaluate(LINES))
        await tab.close()
        return seen

    before, after = in_browser(visit)
    assert len(before) == len(after) == 12 and before != after


@pytest.mark.parametrize("width", [390, 1280])
def test_from_step_to_step_the_buttons_and_the_first_line_stay_where_they_are(proof, in_browser, width):
    """However long the words are, on a phone below the buttons and at a desk beside the drawing."""

    async def visit(page):
        tab = await moving(page, viewport={"width": width, "height": 900})
        await tab.goto(proof)
        next_step, title = tab.get_by_role("button", name="Next", exact=True), tab.locator(".stage .proof-words b")
        places = []
        for _ in range(6):
            places.append([(await one.bounding_box())["y"] for one in (next_step, title)])
            await next_step.press("ArrowRight")
        await tab.close()
        return places

    places = in_browser(visit)
    buttons, first_line = places[0]
    assert places == [places[0]] * 6 and (first_line > buttons) == (width == 390)


@pytest.mark.parametrize(("options", "shown"), [({}, 1), ({"java_script_enabled": False}, 6)], ids=["moves", "still"])
def test_all_six_stand_on_the_page_without_script(proof, options, shown, in_browser):
    async def visit(page):
        context = await page.context.browser.new_context(reduced_motion="no-preference", **options)
        tab = await context.new_page()
        await tab.goto(proof)
        visible = await tab.locator(".six-steps li:visible").count()
        await context.close()
        return visible

    assert in_browser(visit) == shown


def test_all_six_stand_on_the_page_where_motion_is_reduced_and_in_print(proof, in_browser):
    async def visit(page):
        await page.goto(proof)
        reduced, buttons = await page.evaluate(VISIBLE), await page.locator(".proof-nav").is_visible()
        await page.emulate_media(reduced_motion="no-preference", media="print")
        return reduced, buttons, await page.evaluate(VISIBLE)

    assert in_browser(visit) == (6, False, 6)


def test_the_proof_moves_on_a_page_of_its_own_to_which_the_first_page_leads(site, in_browser):
    assert 'href="a-switch-is-free.html"' in (site / "book/index.html").read_text(encoding="utf-8")

    async def visit(page):
        tab = await moving(page)
        await tab.goto((site / "book/a-switch-is-free.html").as_uri() + "#fig-six-drawings=4")
        shown = await tab.evaluate(VISIBLE), await tab.locator(".six-steps [role=status]").text_content()
        await tab.close()
        return shown

    visible, said = in_browser(visit)
    assert visible == 1 and said.startswith("4.")


# The first page


def test_ten_minutes_carry_one_network_through_five_pictures(site):
    page = BeautifulSoup((site / "book/ten-minutes.html").read_text(encoding="utf-8"), "html.parser")
    told = [figure.select_one("svg.wide")["aria-label"] for figure in page.select("figure")]
    h = constructions.indexing(3).values()
    numbers = [
        f"dynamic {100 * constructions.indexing(3).active(hypercube.points(11)).mean():.3g} %",
        f"AS = {fourier.average_sensitivity(h):.4g}, the bound by sparsity 13",
        ", ".join(f"{weight:.3g}" for weight in fourier.weight_by_degree(h)),
        f"of the best constant {h.var():.2g}",
        "parity [0.25, 0.0, 0.0, 0.25]",
    ]
    assert len(told) == len(numbers) and all(number in words for number, words in zip(numbers, told, strict=True))


def test_the_cube_to_play_with_says_its_sensitivity(site):
    page = BeautifulSoup((site / "book/a-switch-is-free.html").read_text(encoding="utf-8"), "html.parser")
    majority = np.sign(hypercube.points(3).sum(axis=1))
    assert f"AS = {fourier.average_sensitivity(majority):g}." in page.select_one("#fig-cube svg.wide")["aria-label"]


def test_the_first_page_answers_at_once_and_is_short(site, in_browser):
    """Counted in words, whatever the font, as long as the dropdowns are closed; the eight results stand open."""
    text = BeautifulSoup((site / "book/index.html").read_text(encoding="utf-8"), "html.parser")
    question, answer = (paragraph.get_text() for paragraph in text.select("article h1 ~ p")[:2])
    assert question.endswith("easier to learn?") and answer.startswith("Answer. On random bits, yes")

    async def visit(page):
        await page.goto((site / "book/index.html").as_uri())
        rows = await page.locator("table.cards tbody tr").filter(visible=True).count()
        return len((await page.locator("article.bd-article").inner_text()).split()), rows

    words, rows = in_browser(visit)
    assert words < 1500 and rows == 8
