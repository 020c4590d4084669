"""The cube to play with, and the larger one below it: numbers are those of sparse_core, and keys and addresses work."""

import json
from itertools import pairwise

import numpy as np
import pytest
from companion import places

from sparse_core.cube import fourier, hypercube
from sparse_core.network import SparseNetwork, constructions

SPARSE, SCRIPT = ((places.BOOK / "assets" / name).read_text(encoding="utf-8") for name in ("sparse.js", "cube.js"))
MINSTD = "(seed => () => (seed = (seed * 48271) % 2147483647) / 2147483647)"  # a generator, to draw the same twice
PRESETS = f"""Object.entries(cube.presets).flatMap(([name, make]) => [3, 4].flatMap(n =>
    Array.from({{length: name.startsWith('Random') ? 40 : 1}}, (_, i) => ({{name, ...make(n, {MINSTD}(i + 1))}}))))"""
MEASURED = "settings => settings.map(one => [cube.neurons(one), cube.evaluate(one)])"


def network(neurons):
    return SparseNetwork(*([neuron[key] for neuron in neurons] for key in "uwb"))


def expected(neurons, degree=0, copies=1):
    """What the page shows, by sparse_core: sensitivities by flips, weights and approximations by the transform."""
    net = network(neurons)
    h, X, k = copies * net.values(), hypercube.points(net.n), copies * int(net.active_count().max())
    low = np.where(hypercube.degrees(net.n) <= degree, fourier.walsh_transform(h), 0)
    edges = [(i, i | 1 << j) for i in range(len(h)) for j in range(net.n) if not i >> j & 1]
    steps = np.array([(h[i] - h[j]) ** 2 for i, j in edges])
    return {
        "h": h.tolist(),
        "active": [np.flatnonzero(row).tolist() for row in net.active(X)],
        "edges": [list(edge) for edge in edges],
        "AS": fourier.average_sensitivity(h),
        "k": k,
        "W": net.scale.W,
        "weights": fourier.weight_by_degree(h).tolist(),
        "shares": (steps / (steps.sum() or 1)).tolist(),
        "bound": 4 * k**2 * net.scale.W**2,
        "near": fourier.inverse_walsh_transform(low).tolist(),
        "error": fourier.tail(h, degree),
    }


def differences(found, wanted):
    def same(key):
        return wanted[key] == (
            found[key] if key in ("active", "edges") else pytest.approx(found[key], rel=1e-12, abs=1e-12)
        )

    return [(key, value, wanted[key]) for key, value in found.items() if not same(key)]


def settings(rng):
    """Tables of signs, and networks of one to four neurons with any weights, at every degree."""
    for n in (3, 4):
        for d in range(n + 1):
            for _ in range(20):
                yield {"n": n, "d": d, "table": rng.choice([-1, 1], 2**n).tolist()}
                drawn = [rng.normal(size=n + 2).tolist() for _ in range(rng.integers(1, 5))]
                yield {"n": n, "d": d, "net": [{"u": u, "w": w, "b": b} for u, b, *w in drawn]}


def measured(in_browser, chosen):
    async def visit(page):
        await page.add_script_tag(content=SPARSE + SCRIPT)
        return await page.evaluate(MEASURED, chosen)

    return in_browser(visit)


@pytest.fixture(scope="module")
def presets(in_browser):
    async def visit(page):
        await page.add_script_tag(content=SPARSE + SCRIPT)
        return await page.evaluate(PRESETS)

    return in_browser(visit)


def test_every_number_equals_the_package_over_all_presets_and_random_settings(presets, in_browser):
    chosen = [*presets, *settings(np.random.default_rng(5))]
    for setting, (neurons, found) in zip(chosen, measured(in_browser, chosen), strict=True):
        wanted = expected(neurons, setting.get("d", 1))
        assert found.keys() == wanted.keys() and not differences(found, wanted), setting


def test_the_presets_are_the_constructions_of_the_package(presets, in_browser):
    found = {
        (one["name"], one["n"]): network(net)
        for one, (net, _) in zip(presets, measured(in_browser, presets), strict=True)
    }
    for n in (3, 4):
        X = hypercube.points(n)
        rule = np.sign(X.sum(axis=1) + X[:, 0] / 2)
        for name, table in (("Dictator", X[:, 0]), ("Majority", rule), ("Parity", X.prod(axis=1))):
            assert same(found[name, n], constructions.junta(table, half=True))
        of = found["Appendix A", n]
        assert same(of, constructions.appendix_a(n - 2, 2, gamma=1, weights=of.W[:, n - 2 :]))
        assert np.array_equal(found["Index", n].values(), np.tile(constructions.indexing(1).values(), 2 ** (n - 3)))
    assert same(found["Index", 3], constructions.indexing(1))


def same(one, other):
    return all(map(np.array_equal, (one.u, one.W, one.b), (other.u, other.W, other.b)))


@pytest.mark.parametrize("k", [1, 2])
def test_random_networks_are_sparse_and_each_of_their_neurons_is_needed(presets, k):
    drawn = [one for one in presets if one["name"] == f"Random, k = {k}"]
    nets = [network(one["net"]) for one in drawn]
    assert len({json.dumps(one) for one in drawn}) > 70
    assert all(net.matters().all() and net.sparsity() <= k for net in nets)
    assert k in {int(net.sparsity()) for net in nets}


# Further

SETTINGS = [
    {"family": family, "n": n, "k": k, "W": W, "seed": seed}
    for family in ("Random, sparse", "Look-up", "Parity", "Random, dense")
    for n, k, W, seed in [(3, 1, 1, 1), (6, 3, 0.5, 2), (9, 2, 2.25, 3), (10, 1, 4, 4)]
]
EVALUATED = """settings => settings.map(one => {
    const net = cube.further.network(one);
    return [one, net, sparse.evaluate(net)];
})"""


def test_every_number_of_the_large_cube_is_that_of_the_package(in_browser):
    async def visit(page):
        await page.add_script_tag(content=SPARSE + SCRIPT)
        return await page.evaluate(EVALUATED, SETTINGS)

    for setting, net, found in in_browser(visit):
        assert found.keys() >= {"h", "active", "k", "W", "weights", "AS", "bound"}
        assert not differences(found, expected(net["neurons"], copies=net["copies"])), setting
        assert setting["family"] == "Random, dense" or found["k"] <= setting["k"]
        assert found["AS"] <= found["bound"] * (1 + 1e-9)


def test_the_large_cube_is_dragged_walked_and_kept_in_the_address(site, in_browser):
    async def visit(page):
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        await page.goto((site / "book/a-switch-is-free.html").as_uri())
        closed = await page.locator(".further canvas").is_visible()
        await page.locator(".further summary").click()
        shown = page.locator("[data-further='bound']")
        seen = []
        for key, press in (("n", "End"), ("k", "ArrowRight"), ("W", "ArrowRight")):
            await page.locator(f".further [data-key={key}]").press(press)
            seen.append(await shown.text_content())
        canvas, here = page.locator(".further canvas"), page.locator("[data-further='here']")
        said = [await here.text_content()]
        for press in ("ArrowRight", "ArrowDown"):
            await canvas.press(press)
            said.append(await here.text_content())
        bars = await page.locator(".further-bars span").count()
        await page.wait_for_function("location.hash === '#cube-further=0,10,3,1.25,1'")
        address = page.url
        await page.goto("about:blank")
        await page.goto(address)
        bad = ["9,8,2,1,1", "0,11,2,1,1", "0,8,2,.3,1", "0,8,2", "x"]
        refused = await page.evaluate("all => all.map(one => cube.further.read(`#cube-further=${one}`) ?? null)", bad)
        return errors, closed, seen, said, bars, address, await shown.text_content(), refused

    errors, closed, seen, said, bars, address, again, refused = in_browser(visit)
    assert not errors and not closed and len(set(seen)) == 3 and len(set(said)) == 3 and bars == 11
    assert address.endswith("#cube-further=0,10,3,1.25,1") and again == seen[-1] and refused == [None] * 5


# The page

REST = "() => new Promise(done => setTimeout(done, 400))"  # in the page's own time, however busy the machine is


@pytest.fixture(scope="module")
def page_file(page_of):
    """The figure as the book writes it."""
    figure = '<figure id="fig-cube"><div class="cc"><svg aria-label="still"></svg></div></figure>'
    return page_of(figure, "custom.css", "sparse.js", "cube.js")


def test_keys_walk_along_edges_and_flip_and_the_change_is_said_once(page_file, in_browser):
    async def visit(page):
        await page.goto(page_file)
        await page.evaluate("""() => {
            window.said = [];
            const region = document.querySelector('[role=status]');
            new MutationObserver(() => said.push(region.textContent)).observe(region, {childList: true});
        }""")
        await page.evaluate(REST)
        await page.locator(".cube-vertex[tabindex='0']").focus()
        labels = []
        for key in ("ArrowLeft", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp", "Space"):
            await page.keyboard.press(key)
            labels.append(await page.evaluate("document.activeElement.getAttribute('aria-label')"))
        await page.evaluate(REST)
        stops = await page.locator(".cube-vertex[tabindex='0']").count()
        return labels, await page.evaluate("said"), stops, page.url

    labels, said, stops, url = in_browser(visit)
    points = [label[: label.index(", h")] for label in labels]
    assert points == [
        f"x = ({p})" for p in ("−1, 1, 1", "−1, −1, 1", "−1, −1, −1", "1, −1, −1", "1, 1, −1", "1, 1, −1")
    ]
    assert "h = 1," in labels[-2] and "h = −1," in labels[-1] and "active: neuron 5" in labels[-1]
    assert said == ["AS = 1.25, at most 3"]  # not while only the choice moves
    assert stops == 1 and url.endswith("#fig-cube=3&f=11100000&x=4&d=1")


REACHED = """() => {
    const all = [...document.querySelectorAll('.cube-vertex')], seen = new Set(), waiting = [all[0]];
    for (let here; (here = waiting.pop());) {
        if (seen.has(here)) continue;
        seen.add(here);
        for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
            here.focus();
            here.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
            waiting.push(document.activeElement);
        }
    }
    return seen.size;
}"""


def test_every_vertex_is_reached_by_arrows(page_file, in_browser):
    async def visit(page):
        await page.goto(page_file)
        reached = [await page.evaluate(REACHED)]
        await page.get_by_role("button", name="4 bits").click()
        return [*reached, await page.evaluate(REACHED)]

    assert in_browser(visit) == [8, 16]


SHOWN = """[...document.querySelectorAll('.cube-vertex, [data-cube], tbody, .cube :is(output, label b)')]
    .map(e => e.textContent).join('|')"""


def test_a_setting_survives_its_address_and_a_bad_address_does_nothing(page_file, in_browser):
    async def visit(page):
        found = []
        for name in ("Random, k = 2", "Your own weights", "Parity"):
            await page.goto("about:blank")
            await page.goto(page_file)
            await page.evaluate(REST)
            await page.get_by_role("button", name="4 bits").click()
            await page.get_by_role("button", name=name, exact=True).click()
            if name.startswith("Your"):
                await page.locator(".cube-weights input").nth(2).press("ArrowRight")
            await page.locator("#cube-degree").press("ArrowRight")
            await page.locator(".cube-vertex").nth(9).press("ArrowLeft")
            await page.evaluate(REST)
            address, before, entries = page.url, await page.evaluate(SHOWN), await page.evaluate("history.length")
            await page.goto("about:blank")
            await page.goto(address)
            found.append((before, await page.evaluate(SHOWN), entries))
        bad = ["=5&f=1", "=3&f=11", "=3&net=1,1,1,1,9", "=3&net=.1,1,1,1,1", "=3&net=1,,x"]
        return found, await page.evaluate("all => all.map(one => cube.read('#fig-cube' + one) ?? null)", bad)

    found, refused = in_browser(visit)
    assert all(before == after for before, after, _ in found) and len({before for before, *_ in found}) == 3
    assert refused == [None] * 5


def test_a_click_chooses_and_flips_the_vertex_that_it_meets(page_file, in_browser):
    """Also a click that moves no focus before, as those of screen readers."""

    async def visit(page):
        await page.goto(page_file)
        vertices, values = page.locator(".cube-vertex"), page.locator(".cube-vertex > text:first-of-type")
        shown, chosen = [await values.all_text_contents()], []
        for click in (vertices.nth(5).click, lambda: vertices.nth(6).dispatch_event("click")):
            await click()
            shown.append(await values.all_text_contents())
            chosen.append(await vertices.evaluate_all("all => all.indexOf(document.activeElement)"))
        return chosen, [[i for i in range(8) if a[i] != b[i]] for a, b in pairwise(shown)]

    assert in_browser(visit) == ([5, 6], [[5], [6]])


def test_every_slider_has_the_name_beside_it(page_file, in_browser):
    async def visit(page):
        await page.goto(page_file)
        await page.get_by_role("button", name="Your own weights").click()
        return await page.evaluate("[...document.querySelectorAll('input[type=range]')].map(e => e.labels.length)")

    named = in_browser(visit)
    assert len(named) > 5 and set(named) == {1}


@pytest.mark.parametrize("width", [1280, 390])
def test_fits_and_has_room_for_a_finger(page_file, width, in_browser):
    async def visit(page):
        await page.set_viewport_size({"width": width, "height": 844})
        await page.goto(page_file)
        await page.get_by_role("button", name="Your own weights").click()
        await page.locator(".further summary").click()
        small = """[...document.querySelectorAll('.cube :is(button, input, .room)')].map(e => e.getBoundingClientRect())
            .filter(r => r.height < 36).length"""
        return await page.evaluate(small), await page.evaluate("document.documentElement.scrollWidth")

    small, wide = in_browser(visit)
    assert not small and wide <= width
