"""Every letter of every formula can be seen: it stands inside its boxes, or one can scroll to it."""

import pytest

# The letters of the formulas of a page that some box hides: for each box around a letter that does not show what
# stands out of it, how far its right edge lies beyond what the box shows or can be scrolled to. A letter's advance
# may be a little wider than its ink, and boxes are rounded to pixels: 4 px, a fifth of a letter, are not cut.
CUT = """() => {
    const known = new Map();
    const around = box => { // the boxes that do not show all, from the inside to the outside
        if (!box || box === document.body) return [];
        if (!known.has(box)) {
            const {overflowX, display} = getComputedStyle(box), outer = around(box.parentElement);
            if (overflowX === 'visible' || display === 'inline') known.set(box, outer);
            else {
                const reach = overflowX === 'hidden' || overflowX === 'clip' ? 0 : box.scrollWidth - box.clientWidth;
                const shown = box.getBoundingClientRect().right + reach - box.scrollLeft;
                known.set(box, reach ? [shown] : [shown, ...outer]);
            }
        }
        return known.get(box);
    };
    return [...document.querySelectorAll('math')].filter(formula => formula.checkVisibility()).flatMap(formula => {
        const shown = Math.min(...around(formula.parentElement));
        if (shown === Infinity) return [];
        const letters = [...formula.querySelectorAll('mi, mo, mn, mtext')].map(e => e.getBoundingClientRect());
        const hidden = Math.max(...letters.filter(box => box.width).map(box => box.right)) - shown;
        return hidden > 4 ? [`${Math.round(hidden)} px of a formula are cut: ${formula.textContent.slice(0, 60)}`] : [];
    });
}"""
OPEN = "document.querySelectorAll('details').forEach(fold => fold.open = true)"


def test_no_formula_is_cut(site, in_browser):
    """On every page, at a desk and on a phone, with all folds open."""
    pages = [path for path in sorted(site.glob("book/*.html")) if "<math" in path.read_text(encoding="utf-8")]
    assert len(pages) > 15

    async def visit(page):
        found = []
        for path in pages:
            await page.goto(path.as_uri(), wait_until="load")
            await page.evaluate(OPEN)
            for width in (1280, 390):
                await page.set_viewport_size({"width": width, "height": 900})
                found += [f"{path.name}, {width} px: {one}" for one in await page.evaluate(CUT)]
        return found

    found = in_browser(visit)
    assert not found, "\n".join(found)


FORMULA = "<math><mi>a</mi><mo>+</mo><mi>b</mi><mo>+</mo><mi>c</mi><mo>+</mo><mi>d</mi></math>"


@pytest.mark.parametrize(
    ("style", "problems"),
    [
        ("display: flex; overflow: hidden; width: 2em", 1),
        ("display: inline-flex; overflow: hidden; width: 2em", 1),
        ("display: block; overflow: auto hidden; width: 2em", 0),
        ("display: block; overflow: hidden; width: 12em", 0),
    ],
)
def test_a_formula_that_is_cut_is_found_and_one_that_scrolls_is_not(in_browser, style, problems):
    async def visit(page):
        await page.set_content(f"<div style='{style}'>{FORMULA}</div>")
        return await page.evaluate(CUT)

    assert len(in_browser(visit)) == problems
