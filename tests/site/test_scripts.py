"""The scripts of sliders and of the ledger's filter: by hand, keyboard and address, and pages without script."""

import pytest
from companion import places
from companion.site.figures import files

from sparse_book import figures
from sphinx_claims.site import ticks as records

ASSETS = places.BOOK / "assets"


def test_the_lines_of_a_script_are_short_enough_to_be_read():
    scripts = list(ASSETS.glob("*.js"))
    long = [path.name for path in scripts for line in path.read_text(encoding="utf-8").split("\n") if len(line) > 110]
    assert len(scripts) > 10 and not long


# Sliders


def up_to(ax, slope):
    ax.plot([0, 1, 2], [0, slope, 0], label="moving")
    return f"Up to {slope} & back."


@pytest.fixture(scope="module")
def page_file(page_of):
    """A slider with its links and its script, without the theme."""
    data = figures.Slider("slope", (1, 2.5, 4), up_to, start=2.5)._repr_mimebundle_()
    files(data, "x", "")
    return page_of(f'<figure id="fig-x">{data["text/html"]}</figure>', "slider.js")


WORDS = ".slider summary"
STATE = """() => ({
    value: document.querySelector('output').value,
    words: document.querySelector('.slider-words').textContent,
    label: document.querySelector('svg').getAttribute('aria-label'),
    file: document.querySelector('a').href.split('/').pop(),
    spoken: document.querySelector('input').getAttribute('aria-valuetext'),
    frames: [...document.querySelectorAll('.wide [data-frame]')]
        .filter(frame => getComputedStyle(frame).display !== 'none').map(frame => frame.dataset.frame)})"""


def state(value, index):
    words = f"Up to {value} & back."
    return {
        "value": value, "words": words, "label": words, "file": f"x-{value}.svg", "spoken": value,
        "frames": [str(index)],
    }  # fmt: skip


def test_a_slider_is_moved_by_the_keyboard_and_its_address_restores_it(page_file, in_browser):
    async def visit(page):
        await page.goto(page_file)
        seen = [await page.evaluate(STATE)]
        await page.keyboard.press("Tab")
        for key in ("ArrowRight", "Home", "ArrowUp"):
            await page.keyboard.press(key)
            seen.append(await page.evaluate(STATE))
        await page.wait_for_function("location.hash === '#fig-x=2.5'")
        entries = await page.evaluate("history.length")
        await page.goto("about:blank")
        await page.goto(page_file + "#fig-x=4")
        seen.append(await page.evaluate(STATE))
        await page.evaluate("location.hash = '#fig-x=1'")
        await page.wait_for_function("document.querySelector('output').value === '1'")
        for unknown in ("#fig-x=7", "#fig-x", "#%E0%A4%A"):
            await page.evaluate("hash => { location.hash = hash }", unknown)
        seen.append(await page.evaluate(STATE))
        return seen, entries

    seen, entries = in_browser(visit)
    expected = [("2.5", 1), ("4", 2), ("1", 0), ("2.5", 1), ("4", 2), ("1", 0)]
    assert seen == [state(*one) for one in expected]
    assert entries <= 2  # about:blank and the page: changes replace the address


def test_without_javascript_a_slider_is_a_figure_and_a_table(page_file, in_browser):
    async def visit(page):
        plain = await page.context.browser.new_page(java_script_enabled=False)
        await plain.goto(page_file)
        visible = [await plain.locator(part).is_visible() for part in ("svg.wide", ".slider-words", WORDS, "input")]
        await plain.locator(WORDS).click()
        return visible, await plain.locator("tbody").inner_text()

    visible, table = in_browser(visit)
    assert visible == [True, True, True, False]
    assert table.split("\n") == [f"{value}\tUp to {value} & back." for value in ("1", "2.5", "4")]


# The files of a figure

FOCUS = "document.activeElement.getAttribute('aria-label')"


@pytest.mark.parametrize("script", [True, False])
def test_the_files_of_a_figure_open_at_its_sign_and_give_the_focus_back(page_of, in_browser, script):
    """By the keyboard and by hand, without a script; what opens lies beside the sign, in the window."""
    data = figures.Slider("slope", (1, 2.5, 4), up_to, start=2.5)._repr_mimebundle_()
    files(data, "x", "", slide=True)
    shown = records.END_OF_LINE.sub(r"\g<0>" + records.button("behind-1", "x"), data["text/html"])
    address = page_of(f'<article class="bd-article"><figure>{shown}</figure></article>', "custom.css")

    async def visit(page):
        other = await page.context.browser.new_context(java_script_enabled=script)
        page = await other.new_page()
        await page.set_viewport_size({"width": 390, "height": 844})
        await page.goto(address)
        sign, links = page.get_by_role("button", name="Files and code of x"), page.locator(".downloads a")
        seen = [await links.first.is_visible()]
        await sign.press("Enter")
        seen.append(await links.first.is_visible())
        boxes = [await sign.bounding_box(), await page.locator(".downloads [popover]").bounding_box()]
        stops = []
        for _ in range(4):
            await page.keyboard.press("Tab")
            stops.append(await page.evaluate(FOCUS))
        await page.keyboard.press("Escape")
        seen.append(await links.first.is_visible())
        stops.append(await page.evaluate(FOCUS))
        await sign.click()
        await page.mouse.click(5, 5)
        seen.append(await links.first.is_visible())
        await other.close()
        return seen, boxes, stops

    seen, (sign, menu), stops = in_browser(visit)
    assert seen == [False, True, False, False]
    assert stops == ["SVG of x", "data (CSV) of x", "slide of x", "Source: x", "Files and code of x"]
    assert 0 <= menu["x"] and menu["x"] + menu["width"] <= sign["x"] + sign["width"] + 1
    assert 0 <= menu["y"] - sign["y"] - sign["height"] < 10 or 0 <= sign["y"] - menu["y"] - menu["height"] < 10


# The search

INDEX = """<script>
    const Search = { _index: { alltitles: {}, docnames: [] } }, DOCUMENTATION_OPTIONS = {};
</script><div id="search-results"></div>"""
PAGE = """<article><h1>Parities</h1><p class="whereabouts">In the paper: a parity.</p>
    <div class="cell_input"><pre>parity = 1</pre></div>
    <p>A first sentence. Of <a href="x.html">two</a> the <i>parity</i> <math><mi>x</mi></math> is odd.</p>
    <dl><dt id="term-Parity">Parity</dt><dd><p>An even number. Or odd.</p></dd></dl>
    <div id="lemma-9"><p class="admonition-title">Lemma 9</p><p>So it is. By parity.</p></div></article>"""


def test_the_search_ranks_by_names_and_shows_sentences(page_of, in_browser):
    """Pages of that name, statements of it, names that begin with it, pages with its words, audits and functions."""
    beyond = ["book/06-beyond", '<span class="section-number">6. </span>Conjecture 20', "", None, 15]
    ranked = {
        "Conjecture 20": [
            beyond,
            ["book/05-general", "5. General > Conjecture 20", "#conjecture-20", None, 15],
            ["book/ledger", "Ledger > Conjecture 20, biases", "#biases", None, 8],
            ["book/slides", "Slides", "", None, 15],
            ["book/06-beyond-audit", "6.6. Conjecture 20, audited", "", None, 15],
        ],
        "lemma 9": [
            ["book/02-uniform", "2. Uniform > Lemma 9", "#lemma-9", None, 15],
            ["book/ledger", "Ledger > Lemma 9, range", "#range", None, 8],
            ["book/09-buys", "9. Buys > Lemma 9.6", "#signs", None, 12],
        ],
        "parity": [
            ["book/notation", "Terms > Parity", "#term-Parity", None, 15],
            ["book/api-hardness", "sparse_core.hardness.parity", "#parity", "Python function", 11],
            ["book/03-parities", "3. Lower bounds", "", None, 5],
            ["book/api-hardness", "sparse_core.hardness.parity_check", "#parity_check", "Python function", 6],
        ],
    }
    address = page_of(INDEX, "scorer.js")

    async def visit(page):
        found = []
        for query, results in ranked.items():
            await page.goto(f"{address}?q={query}")
            found.append(await page.evaluate("results => results.map(Scorer.score)", results))
        show = "([page, anchor]) => Search.makeSearchSummary(page, ['pariti'], anchor).innerHTML"
        return found, [await page.evaluate(show, [PAGE, anchor]) for anchor in ("", "#term-Parity", "#lemma-9")]

    scores, (sentence, term, box) = in_browser(visit)
    assert all(one == sorted(set(one), reverse=True) for one in scores)
    assert sentence == "Of <a>two</a> the <i>parity</i> <math><mi>x</mi></math> is odd."
    assert (term, box) == ("An even number. Or odd.", "So it is. By parity.")


# The filter of the ledger

FILTERED = """<form class="ledger-filter"></form>
<details><summary>One</summary><table class="ledger"><tbody>{}</tbody></table></details>
<details><summary>Two</summary><table class="ledger"><tbody>{}</tbody></table></details>"""
ROW = '<tr><td><span id="{0}">{0}</span></td><td><span class="standing">{1}</span></td></tr>'
SHOWN = "[...document.querySelectorAll('tbody tr:not([hidden]) [id]')].map(mark => mark.id)"
OPEN = "[...document.querySelectorAll('details')].map(box => box.open && !box.hidden)"


def test_the_ledger_opens_what_is_sought_and_what_an_address_asks_for(page_of, in_browser):
    first = ROW.format("lemma-9", "refuted") + ROW.format("lemma-10", "checked").replace(
        "</td></tr>", " as 9</td></tr>"
    )
    address = page_of(f"<section>{FILTERED.format(first, ROW.format('E16', 'refuted'))}</section>", "ledger.js")

    async def visit(page):
        await page.goto(address + "#E16")
        seen = [await page.evaluate(OPEN)]
        for words in ("lemma-9", ""):
            await page.locator("input[type=search]").fill(words)
            seen.append(await page.evaluate(OPEN))
        await page.locator("input[type=search]").fill("lemma 9")  # a name; lemma-10 has these words too
        by_name = [(await page.evaluate(SHOWN), await page.locator("output").text_content())]
        await page.locator("input[type=checkbox]").check()
        by_name.append((await page.evaluate(SHOWN), await page.locator("output").text_content()))
        await page.locator("input[type=checkbox]").uncheck()
        await page.locator("input[type=search]").fill("")
        await page.locator("select").select_option("refuted")
        seen.append((await page.evaluate(OPEN), await page.locator("output").text_content()))
        await page.locator("input[type=search]").fill("lemma")
        asked = await page.evaluate("location.href")
        await page.goto("about:blank")
        await page.goto(asked)  # which keeps the words and the standing
        seen.append((await page.evaluate(OPEN), await page.locator("output").text_content()))
        await page.evaluate("location.hash = '#lemma-10'")
        await page.wait_for_function("document.querySelector('select').value === ''")
        found = [*seen, await page.evaluate(OPEN), await page.locator("#lemma-10").is_visible()]
        return found, by_name

    in_two, in_one, in_none = [False, True], [True, False], [False, False]
    found = ([True, True], "2 of 3"), (in_one, "1 of 3, by name")
    expected = [in_two, in_one, in_none, *found, in_one, True]
    named, anywhere = (["lemma-9"], "1 of 3, by name"), (["lemma-9", "lemma-10"], "2 of 3")
    assert in_browser(visit) == (expected, [named, anywhere])


# What stands in a line


def test_the_details_of_a_statement_stand_on_the_last_line_of_its_verdict(page_of, in_browser):
    """Where the mark is of one line, and where it is of more and leaves room on its last."""
    line = "<div class='whence'><p>{}</p><details><summary>details</summary><p>More.</p></details></div>".format
    boxes = "".join(line(words) for words in ("true · machine-checked", "true,<br>in part"))
    address = page_of(f"<article class='bd-article'>{boxes}</article>", "custom.css")

    async def visit(page):
        await page.set_viewport_size({"width": 390, "height": 800})
        await page.goto(address)
        return await page.evaluate("""[...document.querySelectorAll('.whence')].map(box => {
            const lines = [...box.querySelector('p').getClientRects()];
            return [lines.length, box.querySelector('summary').getBoundingClientRect().bottom - lines.at(-1).bottom];
        })""")

    (one, beside), (many, below) = in_browser(visit)
    assert one == 1 and many > 1
    assert abs(beside) < 5 and abs(below) < 5  # less than a quarter of a line


@pytest.mark.parametrize(("width", "share"), [(1280, "narrow"), (390, "whole")])
def test_a_table_of_two_short_columns_keeps_them_together(page_of, in_browser, width, share):
    """On a page, whose theme stretches each table to the line; on a phone the line is short anyway."""
    table = "<table class='table numbers'><tr><th>degree</th><th>error</th></tr><tr><td>1</td><td>0.5</td></tr></table>"
    theme = "<style>.table { width: 100%; }</style>"
    address = page_of(f"{theme}<article class='bd-article'>{table}</article>", "custom.css")

    async def visit(page):
        await page.set_viewport_size({"width": width, "height": 800})
        await page.goto(address)
        widths = "[...document.querySelectorAll('article, table')].map(e => e.getBoundingClientRect().width)"
        return await page.evaluate(widths)

    line, columns = in_browser(visit)
    assert columns < line / 4 if share == "narrow" else columns == line
