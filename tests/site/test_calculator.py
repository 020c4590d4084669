"""The bounds calculator: its formulas are those of sparse_core.bounds; its form can be moved, typed in and shared."""

import math
import re

import numpy as np
import pytest
from companion import places
from markdown_it import MarkdownIt

from sparse_core.bounds import ours, paper

SPARSE, SCRIPT = SCRIPTS = [places.BOOK / "assets" / name for name in ("sparse.js", "calculator.js")]
PAGE = (places.BOOK / "calculator.md").read_text(encoding="utf-8")
PARAMETERS = "n s k W B eps delta rho d p tau m R W4 a D J".split()
WHOLE = set("n s k d p m D".split())


def both(name, bound, *arguments):
    return {f"paper.{name} {form}": bound(*arguments, form=form) for form in ("printed", "repaired")}


def expected(n, s, k, W, B, eps, delta, rho, d, p, tau, m, R, W4, a, D, J):
    """Every row of the page, by sparse_core.bounds."""
    degree = ours.degree(eps, W, k, s)
    noise = both("lemma_10", paper.lemma_10, n, s, k, W, B, rho)
    queries_apply = p <= min(n, math.floor(math.log2(s / k))) and B >= W * abs(p - 2) / math.sqrt(p)
    return {
        **both("lemma_9", paper.lemma_9, n, s, k, W, B),
        "ours.average_sensitivity k": ours.average_sensitivity(W, k),
        "ours.average_sensitivity": ours.average_sensitivity(W, k, s),
        "ours.average_sensitivity_nonnegative": ours.average_sensitivity_nonnegative(W, k),
        "ours.average_sensitivity_spread": ours.average_sensitivity_spread(W, W4, k, s),
        "ours.average_sensitivity_moments": ours.average_sensitivity_moments(W, s, 1, a),
        "ours.average_sensitivity_depth": ours.average_sensitivity_depth([W] * D, [k] * D, [s] * D),
        "ours.gradient tail": ours.tail_from_average_sensitivity(J, d),
        "ours.gradient degree": max(0, math.ceil(ours.LOSS * J / eps) - 1),
        **noise,
        "ours.noise_sensitivity": ours.noise_sensitivity(rho, W, k, s),
        **{
            f"paper.claim_2_1_tail {form}": paper.claim_2_1_tail(noise[f"paper.lemma_10 {form}"], rho, d)
            for form in ("printed", "repaired")
        },
        "ours.tail_from_average_sensitivity": ours.tail_from_average_sensitivity(ours.average_sensitivity(W, k, s), d),
        "ours.tail_uncorrelated": ours.tail_uncorrelated(d, W, k),
        "ours.tail_second_order": ours.tail_second_order(d, W, k, s),
        **both("theorem_8_degree", paper.theorem_8_degree, n, s, k, W, B, eps),
        "ours.theorem_8_degree": ours.theorem_8_degree(eps, W, k, s),
        **both("theorem_8_samples", paper.theorem_8_samples, n, s, k, W, B, eps, delta),
        "paper.lemma_7": paper.lemma_7(n, min(n, degree), paper.sup_norm(n, k, W, B), eps, delta),
        "ours.theorem_8_samples": ours.theorem_8_samples(n, s, k, W, B, eps, delta),
        "ours.averaging_samples": ours.averaging_samples(n, degree, ours.average_sensitivity(W, k, s), eps, delta),
        "ours.least_squares_samples": ours.least_squares_samples(n, degree, delta),
        "paper.theorem_14": paper.theorem_14(p, tau),
        "ours.theorem_14": ours.theorem_14(p, tau),
        "ours.statistical_queries": ours.statistical_queries(n, p, tau, 0.5) if queries_apply else math.nan,
        "ours.rademacher trivial": ours.rademacher(m, s, k, W, B, R, form="trivial"),
        "paper.dense_rademacher": paper.dense_rademacher(m, s, W, B, R),
        **both("theorem_19", paper.theorem_19, m, n, s, W, B, R),
        **both("eq_15", paper.eq_15, m, n, s, k, W, B, R),
        "paper.conjecture_20": paper.conjecture_20(m, s, k, W, B, R),
        "ours.rademacher joint": ours.rademacher(m, s, k, W, B, R, form="joint"),
        "ours.rademacher separated": ours.rademacher(m, s, k, W, B, R, form="separated"),
        "ours.rademacher_mean": ours.rademacher_mean(m, s, a, W, B, R),
        **both("theorem_17", paper.theorem_17, n, s, k, W, B, R, eps, delta),
        "ours.theorem_17": ours.theorem_17(n, s, k, W, B, R, eps, delta),
    }


def settings(fields, defaults, rng, count):
    """The page's own setting, its corners, and random ones: log-uniform over the sliders, rho uniform, B at times 0."""
    low, high = ({key: fields[key][end] for key in PARAMETERS} for end in ("min", "max"))
    yield defaults
    yield low
    yield high | {"k": 1}
    yield from (high | {"n": n, "s": s, "k": k} for n, s, k in ((1023, 2, 2), (1024, 4096, 4096), (1, 1, 1)))
    yield from (low | {key: high[key]} for key in PARAMETERS if key != "k")
    for _ in range(count):
        one = {}
        for key in PARAMETERS:
            smallest, largest = low[key], min(high[key], one["s"]) if key == "k" else high[key]
            if key == "rho":
                one[key] = rng.uniform(smallest, largest)
            elif key == "B" and rng.random() < 0.2:
                one[key] = 0
            else:
                one[key] = math.exp(rng.uniform(math.log(smallest or 0.01), math.log(largest)))
            if key in WHOLE:
                one[key] = min(max(round(one[key]), smallest), largest)
        yield one


@pytest.fixture(scope="module")
def page_file(page_of):
    """The calculator: its Markdown and its scripts, without the theme."""
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(PAGE)
    return page_of(body, "sparse.js", "calculator.js")


async def load(page):
    for script in SCRIPTS:
        await page.add_script_tag(path=script)


@pytest.fixture(scope="module")
def calculated(in_browser):
    """The fields of the page, and (setting, values, readings) for many settings, the initial one first."""

    async def visit(page):
        await load(page)
        fields, defaults = await page.evaluate("[calculator.fields, calculator.defaults]")
        chosen = list(settings(fields, defaults, np.random.default_rng(6), 100))
        pages = "all => all.map(one => [one, calculator.evaluate(one), calculator.readings(one)])"
        return fields, await page.evaluate(pages, chosen)

    return in_browser(visit)


def test_every_row_equals_the_package_at_random_settings(calculated):
    differences = []
    for setting, found, _ in calculated[1]:
        wanted = expected(**setting)
        assert found.keys() == wanted.keys()
        for key, value in wanted.items():
            same = math.isclose(found[key], value, rel_tol=1e-9) or (math.isnan(found[key]) and math.isnan(value))
            differences += [] if same else [f"{key}: {found[key]} on the page, {value} in the package, at {setting}"]
    assert not differences, "\n".join(differences)


def test_the_formulas_of_the_page_have_the_constants_of_the_package():
    """Rounded up where they have more digits."""
    formula = {row: text for text, row in re.findall(r'\| ([^|]+) \| <span data-row="([^"]*)"', PAGE)}
    for row, shown, value in (
        ("ours.tail_second_order", "25.31", ours.SECOND_ORDER),
        ("ours.theorem_8_degree", "101.3", ours.LOSS * ours.SECOND_ORDER),
        ("ours.theorem_8_samples", "11.62", ours.selection_constant(ours.TAILS / 2, ours.TAILS)),
        ("ours.rademacher joint", "7", ours.NEARLY),
        ("ours.rademacher joint", "5.66", ours.WORDS),
    ):
        digits = len(shown.partition(".")[2])
        assert shown in formula[row] and float(shown) == math.ceil(value * 10**digits) / 10**digits


def test_a_bound_is_called_vacuous_exactly_where_it_says_nothing(calculated):
    seen = set()
    for setting, values, readings in calculated[1]:
        n, s, k, W, B, m, R = (setting[key] for key in "n s k W B m R".split())
        trivial = {
            "ours.average_sensitivity": s**2 * W**2,
            "ours.average_sensitivity_spread": s**2 * W**2,
            "ours.average_sensitivity_moments": s**2 * W**2,
            "ours.gradient degree": n,
            "ours.rademacher_mean": setting["a"] * (W * R + B),
            "ours.theorem_8_degree": n,
            "paper.theorem_8_degree repaired": n,
            "ours.least_squares_samples": 2.0**n if n < 1024 else math.inf,
            "paper.eq_15 repaired": ours.rademacher(m, s, k, W, B, R, form="trivial"),
        }
        for row, known in trivial.items():
            vacuous = readings[row][1].startswith("vacuous")
            assert vacuous == (values[row] >= known * (1 - 1e-12)), (row, values[row], known)
            seen.add((row, vacuous))
    assert {row for row, vacuous in seen if vacuous} == trivial.keys()
    assert {row for row, vacuous in seen if not vacuous} >= trivial.keys() - {"paper.theorem_8_degree repaired"}


def test_numbers_are_shown_in_one_style_and_what_does_not_apply_has_none(in_browser):
    async def visit(page):
        await load(page)
        numbers = [0.23529, 53.541, 988.24, 4695.37, 22450.7, -619840, 1048576, 3e-5]
        shown = await page.evaluate("numbers => numbers.map((value) => sparse.show(value))", numbers)
        setting = "{...calculator.defaults, n: 16, d: 16, k: 1, s: 2 ** 20}"
        return shown, await page.evaluate(f"calculator.readings({setting})['ours.tail_second_order']")

    shown, reading = in_browser(visit)
    assert shown == "0.2353 53.54 988.2 4695 22\u202f451 −619\u202f840 1.05·10⁶ 3.00·10⁻⁵".split(" ")
    assert reading == ["none", "does not apply: d is too small"]


def test_the_table_without_javascript_shows_the_initial_setting(calculated):
    fields, ((defaults, _, readings), *_) = calculated
    stored = re.findall(r'data-row="([^"]*)">([^<]*)</span> \| <span data-reading="([^"]*)">([^<]*)<', PAGE)
    assert [row for row, *_ in stored] == [row for _, _, row, _ in stored]
    assert {row: [value, words] for row, value, _, words in stored} == readings
    assert ", ".join(f"{fields[key]['symbol']} = {value}" for key, value in defaults.items()) in PAGE


def test_a_setting_survives_its_address(page_file, in_browser):
    async def visit(page):
        await page.goto(page_file + "#n=64&s=96&k=3&W=0.5&B=0&eps=0.02&m=77&rho=2")
        first = await page.evaluate("[...document.querySelectorAll('[id^=field]')].map(e => [e.dataset.key, e.value])")
        await page.locator("#field-tau").fill("0.25")
        await page.wait_for_function("location.hash.includes('tau=0.25')")
        address, entries = page.url, await page.evaluate("history.length")
        await page.goto("about:blank")
        await page.goto(address)
        again = await page.evaluate("[...document.querySelectorAll('[id^=field]')].map(e => [e.dataset.key, e.value])")
        return dict(first), dict(again), entries

    first, again, entries = in_browser(visit)
    assert {key: float(first[key]) for key in ("n", "s", "k", "W", "B", "eps", "m")} == {
        "n": 64, "s": 96, "k": 3, "W": 0.5, "B": 0, "eps": 0.02, "m": 77,
    }  # fmt: skip
    assert float(first["rho"]) == 0.9  # 2 is no correlation of the page: the initial value stands
    assert again == first | {"tau": "0.25"}
    assert entries <= 2  # about:blank and the page: changes replace the address


def test_the_keyboard_moves_a_slider(page_file, in_browser):
    async def visit(page):
        await page.goto(page_file + "#k=8")
        shown = page.locator('[data-row="ours.theorem_8_degree"]')
        states = [(await page.locator("#field-eps").input_value(), await shown.text_content())]
        await page.locator("#slider-eps").focus()
        for key in ("ArrowRight", "ArrowRight", "End"):
            await page.keyboard.press(key)
            states.append((await page.locator("#field-eps").input_value(), await shown.text_content()))
        text = await page.locator("#slider-eps").get_attribute("aria-valuetext")
        await page.locator(".bound-reset").press("Enter")
        states.append((await page.locator("#field-eps").input_value(), await shown.text_content()))
        followed = []
        for moved, key in (("s", "Home"), ("k", "End")):  # k <= s: the other one follows
            await page.locator(f"#slider-{moved}").press(key)
            followed.append([await page.locator(f"#field-{name}").input_value() for name in "sk"])
        return states, text, followed

    states, text, followed = in_browser(visit)
    assert followed == [["1", "1"], ["4096", "4096"]]
    values = [float(value) for value, _ in states]
    assert values[0] == values[-1] == 0.2
    assert values[0] < values[1] < values[2] < values[3] == 1000
    for (value, shown), k in zip(states, (8, 8, 8, 8, 1), strict=True):
        assert shown == str(ours.theorem_8_degree(float(value), 1.0, k, 1024))
    assert text == "1000"


@pytest.mark.parametrize(
    ("key", "typed", "rule"),
    [
        ("n", "1.5", "n (inputs) must be a whole number from 1 to 4096."),
        ("n", "", "n (inputs) must be a whole number from 1 to 4096."),
        ("delta", "1", "δ (chance of failure) must be a number from 1e-9 to 0.5."),
        ("k", "2048", "k (active at once) breaks the rule k ≤ s"),
    ],
)
def test_a_refused_value_is_explained_and_the_results_stay(page_file, key, typed, rule, in_browser):
    async def visit(page):
        await page.goto(page_file)
        results = "[...document.querySelectorAll('[data-row]')].map(e => e.textContent)"
        before = await page.evaluate(results)
        field, message = page.locator(f"#field-{key}"), page.locator("#bounds-message")
        await field.fill(typed)
        refused = await message.text_content(), await field.get_attribute("aria-invalid"), await page.evaluate(results)
        await field.fill("0.5" if key == "delta" else "2")
        return before, refused, await message.text_content(), await page.evaluate(results)

    before, (message, invalid, during), after_message, after = in_browser(visit)
    assert message.startswith(rule)
    assert f"Shown are the results for {rule[0]} = " in message
    assert invalid == "true"
    assert during == before
    assert after_message == ""
    assert after != before


def test_no_number_breaks_before_its_exponent(page_file, in_browser):
    """Also where the font is wider than the column has room for."""

    async def visit(page):
        await page.goto(page_file)
        await page.add_style_tag(content=(places.BOOK / "assets/custom.css").read_text(encoding="utf-8"))
        await page.add_style_tag(content="[data-row] { font-size: 24px }")
        await page.evaluate("document.body.className = 'bd-article'; document.body.style.maxWidth = '688px'")
        lines = []
        for width in (1280, 390):
            await page.set_viewport_size({"width": width, "height": 900})
            shown = "all => all.map(e => { e.textContent = '5.02·10⁸¹'; return e.getClientRects().length; })"
            lines += await page.locator("[data-row]").evaluate_all(shown)
        return lines

    assert set(in_browser(visit)) == {1}
