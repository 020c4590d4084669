"""The pictures that a hand moves: their numbers are Python's, and keys, fingers and addresses move them."""

import itertools
import json

import numpy as np
import pytest
from companion import places
from companion.site.figures import themed

from sparse_book import pictures, skipped_work
from sparse_book.chapter_8 import transformer_figures
from sparse_core.cube import fourier, hypercube
from sparse_core.hardness import statistical_queries
from sparse_core.network import constructions

from .test_live import OVERLAPS

SCRIPTS = ("sparse.js", "live.js", "pictures.js")
DRAWN = {
    "edge": pictures.edge,
    "lookup": pictures.lookup,
    "queries": pictures.queries,
    "points": pictures.three_points,
    "patterns": pictures.patterns,
    "lowered": pictures.lowered,
    "speed": skipped_work.picture,
    "verse": transformer_figures.verse,
}


@pytest.fixture(scope="module")
def page(page_of):
    shown = {name: themed(draw()._repr_mimebundle_()["text/html"]) for name, draw in DRAWN.items()}
    body = "".join(f"<figure id='fig-{name}'>{html}</figure>" for name, html in shown.items())
    theme = "<style>:root { --pst-font-family-base: sans-serif; }</style>"
    return page_of(f"{theme}<main class='bd-article'>{body}</main>", "custom.css", *SCRIPTS)


def computed(in_browser, program, argument):
    async def visit(page):
        for script in SCRIPTS:
            await page.add_script_tag(path=places.BOOK / "assets" / script)
        return await page.evaluate(program, argument)

    return in_browser(visit)


def test_the_circuit_computes_what_the_network_of_python_does(in_browser):
    net, X = constructions.indexing(2), hypercube.points(6)
    program = """([X, given]) => X.map((bits) => live.kinds.lookup.values(
        Object.fromEntries(bits.map((bit, i) => [`bit${i}`, bit])), given))"""
    found = np.array(computed(in_browser, program, [X.tolist(), {"W": net.W.tolist(), "b": net.b.tolist()}]))
    assert np.array_equal(found > 0, net.active(X)) and np.array_equal(found.sum(axis=1), net(X))


def test_the_adversary_crosses_off_what_that_of_the_package_does(in_browser):
    """Ten random games; 4 parities have the coefficients of bent(1), all 16 those of bent(2)."""
    sizes = (1, 4, 16)
    rng = np.random.default_rng(0)
    games = [[(int(j), int(rng.integers(16 // sizes[j]))) for j in rng.integers(0, 3, 4)] for _ in range(10)]
    program = """([games, tau]) => games.map((game) => {
        const first = [0, 16, 20], asked = game.reduce((sum, [j, block]) => sum | (1 << (first[j] + block)), 0);
        return live.kinds.queries.crossed(asked, tau);
    })"""
    found = computed(in_browser, program, [games, pictures.TOLERANCE])
    for game, crossed in zip(games, found, strict=True):
        oracle = statistical_queries.AdversarialOracle(4, pictures.TOLERANCE, "uninformed")
        for j, block in game:
            spectrum = fourier.walsh_transform(statistical_queries.bent(j))
            assert oracle.query_spectrum(sizes[j] * block + np.arange(sizes[j]), spectrum) == 0
        assert np.flatnonzero(~oracle.alive).tolist() == crossed


def test_a_step_jumps_and_a_relu_does_not(in_browser):
    settings = [{"x": x, "b": b} for x, b in itertools.product((-1, -0.4, 0, 0.4, 1), (-0.8, 0, 0.4))]
    found = computed(in_browser, "all => all.map((one) => live.kinds.edge.value(one))", settings)
    assert found == [{"step": int(one["x"] > one["b"]), "relu": max(0, one["x"] - one["b"])} for one in settings]


def test_a_pattern_finds_its_rows_and_a_lowered_copy_is_silent_where_the_neuron_is(in_browser):
    tosses = np.random.default_rng(1).choice([-1, 1], (2, 9, 3))
    settings = [{"u": u, "toss": toss} for u in range(7) for toss in (1, 2)]
    program = "([all, given]) => all.map((one) => live.kinds.patterns.own(one, given))"
    found = computed(in_browser, program, [settings, {"tosses": tosses.tolist()}])
    u = [hypercube.points(3)[one["u"]] for one in settings]
    assert found == [
        (tosses[one["toss"] - 1] == pattern).all(axis=1).tolist() for one, pattern in zip(settings, u, strict=True)
    ]
    z = [-1, -0.4, -0.1, 0, 0.1, 0.9]
    program = "z => z.map((one) => [0, 1].map((low) => live.kinds.lowered.copy({ low, e: 0.25 }, one)))"
    plain, lowered = np.transpose(computed(in_browser, program, z))
    argument = np.add(z, 0.25 * (1 - np.array(z)) / 2)
    assert np.allclose(plain, np.maximum(argument, 0)) and np.allclose(lowered, np.maximum(argument - 0.25, 0))
    neuron = np.maximum(z, 0)
    assert np.abs(plain - neuron).max() <= 0.25 and plain[2] > neuron[2] == 0  # it speaks where the neuron is silent
    assert np.abs(lowered - neuron).max() <= 2 * 0.25 and not lowered[neuron == 0].any()


def test_of_one_over_the_share_as_much_is_left_as_python_says(in_browser):
    """All neurons alike, letters and chess; two matrices and three; the union of the proposition, and blocks."""
    given, named = json.loads(skipped_work.picture().given), skipped_work.layers()
    names = ("neurons", "p", "b", "m", "computed", "gated")
    cases = itertools.product((0, 1, 2), (0.03, 0.2), (1, 4, 32), (1, 8, 64), (0, 1), (0, 1))
    settings = [dict(zip(names, case, strict=True)) for case in cases]
    program = "([all, given]) => all.map((one) => live.kinds.speed.steps(one, given))"
    found = computed(in_browser, program, [settings, given])
    for one, factors in zip(settings, found, strict=True):
        p = one["p"]
        read = named[one["neurons"] - 1].read if one["neurons"] else lambda block, m, p=p: 1 - (1 - p) ** (block * m)
        shares = [read(1, 1), read(one["b"], 1), read(one["b"], one["m"])]
        assert factors == pytest.approx(skipped_work.steps(shares, one["computed"], one["gated"]))


MOVES = {  # what is pressed, the address after it, and what is said then
    "edge": ("input[data-key=x]", "End", "1,0.5", "both are on"),
    "lookup": ("input[data-key=bit0]", "Space", "-1,-1,1,-1,1,-1", "Address − −"),
    "queries": ("button:first-child", "Enter", "0,3,8", "15 of 16 parities are left"),
    "points": ("input[value='2']", "ArrowRight", "3", "Signs + − −"),
    "patterns": ("input[data-key=u]", "Home", "0,1", "Pattern + + +"),
    "lowered": ("input[data-key=low]", "Space", "1,0.25,-0.1", "so is its copy"),
    "speed": ("input[value='2']", "Space", "2,0,0,0.03,4,1", "9.84 % active"),
    "verse": ("input[data-key=at]", "Home", "1", "“T”: "),
}
TAPS = {  # a place in the drawing, in shares of its size, and what is said then
    "edge": ((0.9, 0.5), "both are on"),
    "lookup": ((34 / 520, 30 / 330), "Address − −"),
    "queries": ((0.1, 0.1), "About 1 the answer was 0"),
    "points": ((0.8, 0.3), "Signs + + −"),
    "lowered": ((0.9, 0.5), "an error of 0.0"),
    "verse": ((0.97, 0.5), "“h”: "),
}


@pytest.mark.parametrize("name", MOVES)
def test_a_picture_is_moved_by_keys_and_the_address_brings_it_back(name, page, in_browser):
    control, key, address, words = MOVES[name]

    async def visit(tab):
        errors = []
        tab.on("pageerror", lambda error: errors.append(str(error)))
        await tab.goto(page)
        part = tab.locator(f"#fig-{name} .live-part")
        await part.locator(control).press(key)
        await tab.wait_for_function("hash => location.hash === hash", arg=f"#fig-{name}={address}")
        said = [await part.locator(".slider-words").text_content()]
        await tab.goto("about:blank")
        await tab.goto(f"{page}#fig-{name}={address}")
        said.append(await part.locator(".slider-words").text_content())
        return errors, [text.replace("\xa0", " ") for text in said]

    errors, (moved, again) = in_browser(visit)
    assert not errors and words in moved and moved == again


@pytest.mark.parametrize("name", TAPS)
def test_a_finger_on_the_drawing_moves_it(name, page, in_browser):
    (x, y), words = TAPS[name]

    async def visit(tab):
        await tab.goto(page)
        svg = tab.locator(f"#fig-{name} .live-part svg")
        box = await svg.bounding_box()
        await svg.click(position={"x": x * box["width"], "y": y * box["height"]})
        return await tab.locator(f"#fig-{name} .slider-words").text_content()

    assert words in in_browser(visit).replace("\xa0", " ")


def test_a_mouse_over_a_letter_lights_its_neurons_wherever_they_are_active(page, in_browser):
    given = json.loads(transformer_figures.verse().given)
    third, others = set(given["active"][2]), set(itertools.chain(*given["active"][:2], *given["active"][3:]))

    async def visit(tab):
        await tab.goto(page)
        svg = tab.locator("#fig-verse .live-part svg")
        box = await svg.bounding_box()
        await svg.hover(position={"x": 2.5 / 18 * box["width"], "y": 0.5 * box["height"]})
        lit = await svg.locator("rect[fill^='#'], rect[fill^='var(--figure']").count()
        return lit, await tab.locator("#fig-verse .slider-words").text_content()

    lit, said = in_browser(visit)
    assert lit == sum(len(third.intersection(here)) for here in given["active"])
    assert f"“e”: {given['counts'][2]} of 512" in said and f" {len(third & others)} are active at another" in said


@pytest.mark.parametrize("width", [390, 1280])
def test_no_words_of_a_picture_touch_or_leave_it(width, page, in_browser):
    async def visit(tab):
        await tab.set_viewport_size({"width": width, "height": 900})
        found = {}
        for name, (_, _, address, _) in MOVES.items():
            for hash in (f"#fig-{name}", f"#fig-{name}={address}"):
                await tab.goto("about:blank")
                await tab.goto(page + hash)
                found[hash] = await tab.locator(f"#fig-{name} .live-part").evaluate(OVERLAPS)
        return found

    assert in_browser(visit) == {
        hash: [] for name, move in MOVES.items() for hash in (f"#fig-{name}", f"#fig-{name}={move[2]}")
    }


def test_every_slider_has_the_name_beside_it_in_which_variables_alone_are_slanted(page, in_browser):
    """An output in a label would take the name: it is labelled, too."""
    named = "all => all.map(e => e.labels[0]?.innerText ?? '')"
    after = "all => all.map(e => e.textContent + e.nextSibling.textContent)"

    async def visit(tab):
        await tab.goto(page)
        slanted = await tab.locator(".live-part label i").evaluate_all(after)
        return await tab.locator("input[type=range]").evaluate_all(named), slanted

    names, slanted = in_browser(visit)
    assert len(names) > 5 and all(": " in name for name in names)
    assert "x, the input" in "".join(slanted) and all(one[1] == "," for one in slanted)


@pytest.mark.parametrize(("options", "media"), [({"java_script_enabled": False}, "screen"), ({}, "print")])
def test_without_script_and_in_print_the_drawing_of_the_run_stands_there(options, media, page, in_browser):
    async def visit(tab):
        context = await tab.context.browser.new_context(**options)
        own = await context.new_page()
        await own.emulate_media(media=media)
        await own.goto(page)
        seen = [await own.locator(f"#fig-{name} svg.wide").is_visible() for name in DRAWN]
        live = await own.locator(".live-part:visible").count()
        await context.close()
        return seen, live

    assert in_browser(visit) == ([True] * len(DRAWN), 0)


def test_a_setting_that_no_picture_writes_is_not_read(page, in_browser):
    async def visit(tab):
        await tab.goto(f"{page}#fig-queries=0,3,{2**21}")
        return await tab.locator("#fig-queries .slider-words").text_content()

    assert "16 of 16" in in_browser(visit).replace("\xa0", " ")
