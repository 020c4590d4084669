"""Figures that are computed while one moves them: their numbers, controls, and what stands there without script."""

from itertools import pairwise

import numpy as np
import pytest
from companion import places

from sparse_core import bounds
from sparse_core.cube import hypercube
from sparse_core.hardness import reductions
from sparse_core.learning import risks

LIVE = [places.BOOK / "assets" / name for name in ("sparse.js", "live.js")]
CLASSES = [{"k": k, "n": n} for k, n in [(1, 3), (2, 1000), (5, 120), (8, 10**6)]]
GIVEN = {"s": 64, "bias": 3**-0.5}
WEIGHTS = [[0.0, 0.5, 0.25, 0.125, 0.125], [0.1, *[0.0] * 15, 0.9], [0.0, 0.3, 0.3, 0.4]]
RISKS = [(weights, d, m) for weights in WEIGHTS for d in (1, 2, 3) for m in (40, 1000, 10**6)]
MODULI = [(p, q) for q in range(2, 25) for p in range(2, 25)]
COMPUTED = """([classes, given, risks, moduli]) => ({
    bounds: classes.map((one) => live.bounds.all(one, given, one.n)),
    averaging: risks.map((one) => sparse.averaging_risk(...one)),
    least_squares: risks.map((one) => sparse.least_squares_risk(...one)),
    printed: moduli.map((one) => sparse.lwr_label.printed(...one)),
    nearest: moduli.map((one) => sparse.lwr_label.lwr(...one)),
})"""


def computed(in_browser):
    async def visit(page):
        for script in LIVE:
            await page.add_script_tag(path=script)
        return await page.evaluate(COMPUTED, [CLASSES, GIVEN, RISKS, MODULI])

    return in_browser(visit)


def in_python():
    """The same by the package."""

    def lemma_9(n, k, form):
        return bounds.paper.lemma_9(n, 64, k, 1, GIVEN["bias"], form=form)

    def rate(n, k):
        """Of Lemma 9, from our bound at n = 3 and k = 1."""
        return lemma_9(n, k, "printed") * bounds.ours.average_sensitivity(1, 1, 64) / lemma_9(3, 1, "printed")

    def squares(weights, d, m):
        enough = m > hypercube.dimension(len(weights) - 1, d) + 1
        return risks.least_squares_risk(weights, d, m) if enough else np.nan

    return {
        "bounds": [
            {
                "ours": bounds.ours.average_sensitivity(1, one["k"], 64),
                "printed": rate(**one),
                "repaired": lemma_9(one["n"], one["k"], "repaired"),
                "dense": 64**2,
            }
            for one in CLASSES
        ],
        "averaging": [risks.averaging_risk(*one) for one in RISKS],
        "least_squares": [squares(*one) for one in RISKS],
        "printed": [reductions.lwr_label(range(q), p, q, "printed").tolist() for p, q in MODULI],
        "nearest": [reductions.lwr_label(range(q), p, q, "lwr").tolist() for p, q in MODULI],
    }


def unequal(found, wanted):
    """The names under which two nested tables of numbers differ."""
    return {name for name, value in wanted.items() if not _close(found[name], value)}


def _close(found, wanted):
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(_close(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(_close, found, wanted))
    return np.isclose(found, wanted, rtol=1e-12, equal_nan=True)


def test_every_number_of_a_live_figure_is_that_of_the_package(in_browser):
    assert not unequal(computed(in_browser), in_python())


FIGURES = {  # page and anchor; settings that it can be moved to, as its address says them
    "02-uniform.html#fig-sharp-printed": ("1,3", "8,1000000", "8,1000", "3,30", "1,50000"),
    "02-uniform.html#fig-degree-by-degree": ("2,1", "1,16", "0,4", "1,2", "0,9", "2,16"),
    "04-rounding.html#fig-lwr-map": ("2,24", "24,2"),
}
UNFOLDED = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
OVERLAPS = """part => {
    const svg = part.querySelector('svg'), frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].map(e => [e.textContent, e.getBoundingClientRect()]);
    const before = (a, b) => a.right <= b.left + 1 || a.bottom <= b.top + 3; // a box has room above its letters
    const touch = (a, b) => !before(a, b) && !before(b, a);
    const clipped = (a) => a.left < frame.left - 1 || a.right > frame.right + 1
        || a.top < frame.top - 1 || a.bottom > frame.bottom + 1;
    // Letters stand in the middle of their box; a curve is looked at every few pixels
    const points = [...svg.querySelectorAll('path.curve:not(.dotted)')].flatMap(e => {
        const place = i => e.getPointAtLength(3 * i).matrixTransform(e.getScreenCTM());
        return Array.from({length: Math.ceil(e.getTotalLength() / 3)}, (_, i) => place(i));
    });
    const crossed = ({left, right, top, bottom}) => points.some(({x, y}) =>
        left < x && x < right && top + 5 < y && y < bottom - 5);
    const names = [...svg.querySelectorAll('text.name')].filter(e => crossed(e.getBoundingClientRect()));
    return texts.flatMap(([one, a], i) => [...(clipped(a) ? [`${one} is clipped`] : []),
        ...texts.slice(i + 1).filter(([, b]) => touch(a, b)).map(([other]) => `${one} touches ${other}`),
        ...names.filter((e) => e.textContent === one).map(() => `${one} lies on a curve`)]);
}"""

# No words on axes: a curve or the cursor comes everywhere
CLEAR = OVERLAPS.replace("path.curve:not(.dotted)", "path:is(.curve, .cursor, .gap)").replace("text.name", "text")


PAGES = {}  # the figures of each page
for one in FIGURES:
    PAGES.setdefault(one.partition("#")[0], []).append(one)


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [390, 1280])
def test_live_figures_can_be_read_at_every_end_of_their_sliders(name, width, site, in_browser):
    async def visit(page):
        await page.set_viewport_size({"width": width, "height": 900})
        await page.goto((site / "book" / name).as_uri())
        await page.evaluate(UNFOLDED)
        found = {}
        for address in PAGES[name]:
            figure = address.partition("#")[2]
            part, found[figure] = page.locator(f"#{figure} .live-part"), []
            for setting in ("", *(f"={one}" for one in FIGURES[address])):
                await page.evaluate("address => { location.hash = address; }", f"{figure}{setting}")
                await page.evaluate("new Promise(requestAnimationFrame)")  # after the event of the address
                found[figure].append((await part.locator(".slider-words").text_content(), await part.evaluate(CLEAR)))
        return found

    for figure, seen in in_browser(visit).items():
        assert len({words for words, _ in seen}) == len(seen) > 2, figure
        assert not any(faults for _, faults in seen), (figure, seen)


def test_live_figures_follow_keys_pointer_and_address(site, in_browser):
    async def visit(page):
        errors, seen = [], {}
        page.on("pageerror", lambda error: errors.append(str(error)))
        for chapter, addresses in PAGES.items():
            said, moved, at_first = {}, {}, {}
            async for address, part in parts(page, chapter, addresses, lambda address: FIGURES[address][0]):
                said[address], moved[address] = await move(page, address, part)
            async for address, part in parts(page, chapter, addresses, lambda _: "99,99,99"):
                at_first[address] = await part.locator(".slider-words").text_content()
            seen |= {address: (said[address], moved[address], at_first[address]) for address in addresses}
        return errors, seen

    async def parts(page, chapter, addresses, setting):
        """The moving part of each figure after one visit: the first setting is in the address that is loaded."""
        await page.goto("about:blank")
        await page.goto((site / "book").as_uri() + f"/{addresses[0]}={setting(addresses[0])}")
        for address in addresses:
            name = address.partition("#")[2]
            await page.evaluate("hash => { location.hash = hash; }", f"{name}={setting(address)}")
            await page.evaluate("new Promise(requestAnimationFrame)")  # after the event of the address
            yield address, page.locator(f"#{name} .live-part")

    async def move(page, address, part):
        """What is said after each move, and the setting that the address has then."""
        words = part.locator(".slider-words")
        said = [await words.text_content()]
        for slider in await part.locator("input[type=range]").all():
            for key in ("Home", "ArrowRight"):
                await slider.press(key)
            said.append(await words.text_content())
        for radio in await part.locator("input[type=radio]").all():
            await radio.check()
            said.append(await words.text_content())
        await page.wait_for_function(
            "words => document.querySelector(words[0]).textContent === words[1]",
            arg=[f"#{address.partition('#')[2]} [role=status]", said[-1]],
        )
        moved = page.url.partition("=")[2]
        if "picks" in (await part.locator("svg").get_attribute("class") or ""):
            await part.locator("svg").click(position={"x": 200, "y": 200})
            said.append(await words.text_content())
        return said, moved

    errors, seen = in_browser(visit)
    assert not errors
    for said, _, _ in seen.values():
        assert all(one != other for one, other in pairwise(said)), said  # every control says something else
    assert [moved for _, moved, _ in seen.values()] == ["2,4", "2,2", "3,3"]
    at_first = [words.replace("\xa0", " ") for *_, words in seen.values()]  # the page writes no such setting
    assert "k = 2: ours" in at_first[0] and "d = 3" in at_first[1] and "p = 3, q = 8" in at_first[2]


def test_the_labels_of_a_cell_are_listed(site, in_browser):
    async def visit(page):
        await page.goto((site / "book/04-rounding.html").as_uri() + "#fig-lwr-map=2,8")
        rows = await page.locator(".live-table tr").all_text_contents()
        return rows[1:]

    assert in_browser(visit) == ["Definition 1501010101", "rounding00111100"]
