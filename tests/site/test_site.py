"""The built site as a reader meets it: light and dark, at a desk and on a phone, without a network."""

import asyncio
import csv
import functools
import json
import os
import re
import shutil
import subprocess
import threading
import xml.etree.ElementTree as ET
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup
from companion import places
from companion.building import browser as browsers
from companion.building import chapters, kept

from sphinx_claims.claims import by_id, read
from sphinx_claims.settings import Settings

AXE = Path(find_spec("axe_playwright_python").submodule_search_locations[0], "axe.min.js")
NODES = """found => found.violations.flatMap(rule => rule.nodes.map(node => `${rule.id}: ${node.html}`))"""
VIOLATIONS = f"""() => axe.run({{
    resultTypes: ['violations'], preload: false,
    rules: {{'color-contrast': {{enabled: false}}, 'link-in-text-block': {{enabled: false}}}}
}}).then({NODES})"""
# Colours are those of a text and of what is below it: one text of each kind, in each kind of surroundings, is enough.
# Of its size it matters whether it is large: from 24 px on, or from 18 px if it is bold, less contrast will do.
MARK = """([theme, known]) => {
    const seen = new Set(known), below = new Map();
    const surroundings = e => {
        if (!e) return '';
        if (!below.has(e)) {
            const {backgroundColor, backgroundImage, opacity} = getComputedStyle(e);
            const own = [backgroundColor, backgroundImage, opacity].join();
            below.set(e, (own === 'rgba(0, 0, 0, 0),none,1' ? '' : own) + surroundings(e.parentElement));
        }
        return below.get(e);
    };
    for (const e of document.body.querySelectorAll('*')) {
        if (![...e.childNodes].some(node => node.nodeType === 3 && node.data.trim()) || !e.checkVisibility()) continue;
        const own = getComputedStyle(e);
        const large = parseFloat(own.fontSize) * (own.fontWeight >= 700 ? 4 / 3 : 1) >= 24;
        const key = [e.localName, e.parentElement.localName, own.color, large, own.visibility, own.position,
            own.textDecorationLine, surroundings(e)].join();
        if (!seen.has(key)) e.classList.add(`look-${theme}`);
        seen.add(key);
    }
    return [...seen];
}"""
# axe asks what lies where of all that a page shows: while it looks at these texts, only they and their siblings stay.
ALONE = """alone => {
    document.head.appendChild(document.createElement('style')).textContent = '.set-aside { display: none !important }';
    const around = new Set(), whole = new Set();
    for (let e of document.querySelectorAll('.look-light, .look-dark')) {
        whole.add(e).add(e.parentElement);
        for (; e && !around.has(e); e = e.parentElement) around.add(e);
    }
    for (const e of document.body.querySelectorAll('*')) {
        const above = e.parentElement;
        if (!alone) e.classList.remove('look-light', 'look-dark', 'set-aside');
        else if (!around.has(e) && around.has(above) && !whole.has(above)) e.classList.add('set-aside');
    }
}"""
COLOURS = f"""theme => {{
    const texts = [...document.getElementsByClassName(`look-${{theme}}`)];
    const rules = {{resultTypes: ['violations'], preload: false, runOnly: ['color-contrast', 'link-in-text-block']}};
    return texts.length ? axe.run({{include: texts}}, rules).then({NODES}) : [];
}}"""
# what moves while a page loads, as browsers measure it: share of the screen times share of its height
SHIFTS = """window.shift = 0; new PerformanceObserver(list => list.getEntries().forEach(e => window.shift += e.value))
    .observe({type: 'layout-shift', buffered: true});"""
# no TeX is left, and each formula has the font that can draw it
BAD_FORMULAS = """document.fonts.ready.then(fonts => [...document.querySelectorAll('math')]
    .map(e => e.querySelector('semantics > mrow') ?? e) // beside which the TeX is that copies have
    .filter(e => /\\\\[a-z]/i.test(e.textContent) || !fonts.check(`1em ${getComputedStyle(e).fontFamily}`))
    .map(e => `formula: ${e.textContent}`))"""
EVERYTHING_OPEN = """() => {
    document.querySelectorAll('details').forEach(e => { e.open = true; });
    document.querySelectorAll('[popover]').forEach(e => e.removeAttribute('popover'));
}"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Of links and controls one of each kind: its element and classes, and those of all around it.
UNFOCUSED = """() => {
    const seen = new Set();
    const kind = e => e ? e.localName + e.type + e.getAttribute('class') + kind(e.parentElement) : '';
    return [...document.querySelectorAll('a[href], button, input, summary')].filter(e => {
        if (seen.has(kind(e))) return false;
        e.focus({focusVisible: true});
        if (document.activeElement !== e) return false; // hidden, as others of its kind may not be
        seen.add(kind(e));
        return parseFloat(getComputedStyle(e).outlineWidth) < 2;
    }).map(e => `no visible focus: ${e.outerHTML.slice(0, 200)}`);
}"""
# What scrolls, by more than axe forgives, and cannot be reached by the keyboard, which scrolls it
STUCK = """() => [...document.body.querySelectorAll('*')]
    .filter(e => e.scrollWidth > e.clientWidth + 13 && e.tabIndex < 0 && e.checkVisibility())
    .filter(e => /auto|scroll/.test(getComputedStyle(e).overflowX))
    .filter(e => ![...e.querySelectorAll('*')].some(part => part.tabIndex >= 0))
    .map(e => `scrolls by hand alone: ${e.outerHTML.slice(0, 200)}`)"""
# A mark that a line begins with, as after a formula: its box lies below that of the word before it. What is glued stays
# on a line, and in some fonts the exponent before the mark has a box above that of the mark.
LONELY_MARKS = r"""() => {
    const page = document.querySelector('article') ?? document.body; // the page of the search has no article
    const found = [], texts = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
    const boxes = range => [...range.getClientRects()].filter(box => box.width);
    for (let text = texts.nextNode(), before = null; text; before = text, text = texts.nextNode()) {
        const marks = text.data.match(/^[.,;:!?)\]]+/);
        if (!marks || !before || text.parentElement.closest('pre, code, .sig, svg, math, .glued')) continue;
        const here = new Range(), there = new Range();
        here.setStart(text, 0);
        here.setEnd(text, marks[0].length);
        there.selectNode(before.parentElement.closest('math, svg') ?? before);
        const [mine] = boxes(here), word = boxes(there).at(-1);
        if (mine && word && mine.top > word.bottom - 1) found.push(`a mark begins a line: ${text.data.slice(0, 40)}`);
    }
    return found;
}"""
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
# axe takes minutes over tens of thousands of elements that repeat each other: it is shown each formula as one letter,
# each kind of token in a program once, of each table the first 30 rows, and drawings without their lines.
SHORTEN = """() => {
    document.activeElement.blur();
    document.querySelectorAll('math').forEach(formula => formula.replaceWith('x')); // axe does not hear MathML
    document.querySelectorAll('tr:nth-child(n + 31)').forEach(row => row.remove());
    document.querySelectorAll('svg :is(path, use, line, rect, circle, polygon, defs, style)').forEach(e => e.remove());
    document.querySelectorAll('svg g:not(:has(text, [role], a))').forEach(e => e.remove());
    const seen = new Set();
    document.querySelectorAll('.highlight span[class]').forEach(token => {
        const kind = token.className + token.closest('[class*=cell_]')?.className;
        seen.has(kind) ? token.replaceWith(token.textContent) : seen.add(kind);
    });
}"""


# Most elements of the site, of which no test that reads the files speaks: formulas, letters of drawings, tokens of
# programs.
FORMULA = re.compile(r"<math\b.*?</math>", re.S)
TOKEN = re.compile(r'<use [^>]*/>|<span class="\w{1,3}">([^<]*)</span>')
# The theme hears of another size before this frame, and 0.3 s later lets the keyboard reach the boxes that scroll.
SETTLED = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 500)))"


@pytest.fixture(scope="module")
def pages(site):
    """Every page of the site, parsed, by its path; each formula is one letter."""
    found = {}
    for path in sorted(site.rglob("*.html")):
        text = TOKEN.sub(r"\1", FORMULA.sub("<math>x</math>", path.read_text(encoding="utf-8")))
        found[path.relative_to(site).as_posix()] = BeautifulSoup(text, "html.parser")
    assert "book/index.html" in found
    return found


POLICY = "meta[http-equiv=Content-Security-Policy]"


def holds(problems):
    assert not problems, "\n".join(map(str, problems))


def test_each_page_has_its_head(pages):
    """A language, a title, one heading, a policy before all that it loads and, but for the root, which leads to the
    first page, a description."""
    for name, page in pages.items():
        needed = ["html[lang]", "head title", "h1", "meta[http-equiv=Content-Security-Policy]"]
        needed += ["meta[name=description][content]"] * (name != "index.html")
        holds([(name, what) for what in needed if len(page.select(what)) != 1])
        first = page.select_one("script, style, link, img, meta[http-equiv]")
        holds([] if first["http-equiv"] == "Content-Security-Policy" else [(name, first)])
    assert pages["index.html"].select_one(POLICY)["content"].startswith("default-src 'none'")


# What a page does that its policy forbids, from its first script on
BROKEN = """window.broken = [];
addEventListener('securitypolicyviolation', ({effectiveDirective, blockedURI}) =>
    broken.push(`${effectiveDirective} ${blockedURI}`));"""
# Every way in which a page could load from or send to another host, but for a link that a reader follows
ELSEWHERE = """async () => {
    const address = 'http://127.0.0.1:9/';
    const add = (tag, facts) => document.body.appendChild(Object.assign(document.createElement(tag), facts));
    await fetch(address).catch(() => 0);
    navigator.sendBeacon(address);
    try { new WebSocket('ws://127.0.0.1:9/'); } catch { }
    for (const tag of ['img', 'script', 'iframe', 'video']) add(tag, {src: address});
    add('object', {data: address});
    add('link', {rel: 'stylesheet', href: address});
    add('form', {action: address}).submit();
    await new Promise(done => setTimeout(done, 500));
    return broken.map(line => line.split(' ')[0]);
}"""
# What a reader moves or presses on some pages: a control, a key
MOVED = {
    "calculator": ("#slider-eps", "ArrowRight"),
    "01-definitions": ("article input[type=range]", "ArrowRight"),
    "02-uniform": ("article .live input", "ArrowRight"),
    "three-points": ("article input[type=radio]:first-child", "Space"),
    "three-percent": ("article .live input[type=range]", "ArrowRight"),
    "a-switch-is-free": ("#cube-degree", "ArrowRight"),
}


@pytest.mark.parametrize("served", [True, False], ids=["served", "as files"])
def test_under_its_policy_a_page_works_and_asks_no_other_host(site, address, served, in_browser):
    base = address if served else site.as_uri()

    async def visit(page):
        context = await page.context.browser.new_context()  # the other tests are exempt from the policies
        await context.add_init_script(BROKEN)
        guarded = await context.new_page()
        problems = []
        for name, (control, key) in MOVED.items():
            await guarded.goto(f"{base}/book/{name}.html")
            before = await guarded.locator("article").inner_html()
            await guarded.locator(control).first.press(key)
            if before == await guarded.locator("article").inner_html():
                problems.append((name, "nothing moved"))
            problems += [(name, line) for line in await guarded.evaluate("broken")]
        await guarded.goto(f"{base}/search.html?q=parity")
        await guarded.locator(".search-summary", has_text="finished").wait_for()
        problems += await guarded.evaluate("broken")
        asked = await guarded.evaluate(ELSEWHERE)
        await context.close()
        return problems, asked

    problems, asked = in_browser(visit)
    holds(problems)
    kinds = "connect connect connect img script-src-elem frame media object style-src-elem form-action"
    assert sorted(asked) == sorted(kind if "-" in kind else f"{kind}-src" for kind in kinds.split())


def test_each_image_has_a_text_alternative(pages):
    def described(image):
        return image.get("alt") or image.get("aria-label") or image.title or image.get("aria-hidden") == "true"

    holds([(name, i) for name, page in pages.items() for i in page.select("img, svg") if not described(i)])


def test_each_id_is_unique(pages):
    for name, page in pages.items():
        ids = [tag["id"] for tag in page.select("[id]")]
        holds([(name, one) for one in set(ids) if ids.count(one) > 1])


def test_each_internal_link_resolves(site, pages):
    anchors = {name: {"", *(tag["id"] for tag in page.select("[id]"))} for name, page in pages.items()}
    broken = set()
    for name, page in pages.items():
        for link in page.select("a[href]:not([href='#'], [href^='data:'])"):
            target = urlsplit(urljoin(f"site:///{name}", link["href"]))
            path = unquote(target.path).lstrip("/")
            known = anchors.get(path, {""}) if (site / path).is_file() else ()
            if target.scheme == "site" and unquote(target.fragment) not in known:
                broken.add((name, link["href"]))
    holds(sorted(broken))


def test_no_page_is_heavy_and_no_file_is_a_map_of_sources(site):
    """Nor any script that it waits for: the formulas stand in the page, which is sent compressed, a seventh of it."""
    holds([*site.rglob("*.map")])
    holds([(path, size) for path in site.rglob("*.html") if (size := path.stat().st_size) > 2_000_000])
    scripts = [path for path in site.rglob("*.js") if path.name != "searchindex.js"]
    holds([(path, size) for path in scripts if (size := path.stat().st_size) > 200_000])


def test_each_figure_has_files_that_can_be_read(site, pages):
    """Under each figure stand an SVG, which says what it shows, and a table; a slider has an SVG for each frame."""
    seen = 0
    for name, page in pages.items():
        for drawing in page.select(".cc svg.wide"):
            svg, table, *_ = drawing.find_parent("figure").select(".downloads a[download]")
            folder = (site / name).parent / svg["href"].rpartition("/")[0]
            for file in svg.get("data-files", svg["href"].rpartition("/")[2]).split():
                texts = [element.text for element in ET.parse(folder / file).getroot()[:2]]
                assert texts[0] == file.removesuffix(".svg") and len(texts[1]) > 20, (name, file)
            with (site / name).parent.joinpath(table["href"]).open(encoding="utf-8", newline="") as stream:
                header, *rows = csv.reader(stream)
            assert rows and {len(row) for row in rows} == {len(header)}, (name, table["href"])
            assert drawing.find_parent("figure").select("figcaption .caption-text"), (name, drawing["aria-label"])
            seen += 1
    assert seen > 30


def test_figures_tables_and_hidden_code_have_names(pages):
    """A name that a list of them tells apart, and without TeX; the cells of a head say that they are of a column."""
    for name, page in pages.items():
        tables = [t for t in page.select("article table") if not (t.caption or t.find_parent("figure"))]
        named = [*page.select("article figure"), *tables]
        holds([(name, str(tag)[:200]) for tag in named if not tag.get("aria-label") or "\\" in tag["aria-label"]])
        holds([(name, th) for th in page.select("article thead th") if not th.get("scope")])
        for some in (named, page.select("article details.hide > summary")):
            said = [tag.get("aria-label") or tag.p.get_text() for tag in some]
            holds([(name, one) for one in set(said) if said.count(one) > 1])


def test_no_page_has_ascii_mathematics_or_a_name_that_breaks(pages):
    """Relations, powers and numbers in the signs of print, no TeX, and no line between a statement and its number."""
    typed = re.compile(
        r"<=|>=|!=|->|\|\||\w\^[\w({]|(?<!\w)[A-Za-z]_[a-z\d](?!\w)|\b\d(\.\d+)?e[-+]?\d|\\[a-z]+|\$\S|\d%|\b\d{1,3}(,\d{3})+\b"
        r"|\b(eps|rho|tau|eta|delta|Gamma|sqrt)\b|\b(Lemma|Theorem|Chapter|Fig\.) \d"
    )
    for name, page in pages.items():
        code = page.select("pre, code, kbd, svg, math, script, style, textarea, dt.sig")
        skipped = {id(text) for part in code for text in part.find_all(string=True)}
        texts = [text for part in page.select("article.bd-article") for text in part.find_all(string=True)]
        plain = " ".join("x" if id(text) in skipped else text for text in texts)
        holds([(name, found[0]) for found in typed.finditer(plain)])


def test_links_and_dialogs_make_sense_out_of_their_place(pages):
    """No link is only a word for many claims, each dialog says what is in it, and a link leads past all menus."""
    words = {"run", "sampled", "exact", "exhaustive", "certified", "refuted", "true", "cited", "notebook", "script"}
    for name, page in pages.items():
        links = page.select("article a[href]")
        holds([(name, a["href"]) for a in links if (a.get("aria-label") or a.get_text()).strip().lower() in words])
        holds([(name, dialog["id"]) for dialog in page.select("dialog:not([aria-label])")])
        if page.select("article section"):
            text = page.find(id=page.select_one(".skip-link a")["href"][1:])
            assert text.h1 and not text.select(".bd-header-article"), name


def test_the_notebook_of_a_page_numbers_what_the_page_does(pages):
    for name in chapters.sources(places.BOOK):
        numbers = pages[f"book/{name}.html"].select(".caption-number")
        shown = [element.text.replace("\xa0", " ").strip(" .") for element in numbers]
        notebook = json.loads((places.BOOK / f"{name}.ipynb").read_text(encoding="utf-8"))
        texts = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
        bold = " ".join(re.findall(r"^(?:> )?\*\*(.*?)\*\*", "\n".join(texts), flags=re.MULTILINE))
        holds([(name, number) for number in shown if number not in bold])


@pytest.fixture
def address(site):
    """Where the site is served on this machine, and on no other."""
    quiet = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


# The pages are looked at in this many tests, so that two processes share them: the largest takes as long as ten others.
PARTS = 4
# The kinds of text whose colours this process has looked at.
KINDS = set()


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_each_page_in_a_browser(site, address, in_browser, part, pytestconfig):
    """Its heading waits for no script; no console error, foreign request, broken or cut formula, axe violation,
    invisible focus or sideways scrolling. A page that was clean and has not changed since is not looked at again, but
    in CI."""
    sizes = {path.relative_to(site).as_posix(): path.stat().st_size for path in site.rglob("*.html")}
    names = sizes.keys() - {"index.html"}  # which leads to book/
    mine = sorted(names, key=lambda name: (-sizes[name], name))[part::PARTS]
    cache = getattr(pytestconfig, "cache", None)  # none with -p no:cacheprovider
    known = set()
    if cache and not os.environ.get("CI"):
        known.update(*(cache.get(f"companion/clean-{i}", []) for i in range(PARTS)))
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))

    async def visit_all(page):
        chromium = page.context.browser
        digests = digests_of(site, mine, chromium.version)
        new = [name for name in mine if digests[name] not in known]
        free = asyncio.Semaphore(1 + (os.cpu_count() or 1) // processes)  # some page always waits
        found = await asyncio.gather(*(visit(chromium, address, name, free) for name in new))
        faulty = {name for problems in found for name, _ in problems}
        clean = [digest for name, digest in digests.items() if name not in faulty]
        if cache:
            cache.set(f"companion/clean-{part}", clean)
        return [problem for problems in found for problem in problems]

    holds(in_browser(visit_all))


def digests_of(site, names, version):
    """For each page: a digest of its HTML, its pictures, the scripts, styles and fonts of the site, these tests, axe,
    the browser and the fonts of this machine."""
    fonts = subprocess.run(["fc-list"], capture_output=True).stdout if shutil.which("fc-list") else b""
    shared = (".js", ".css", ".woff", ".woff2", ".ttf")
    helpers = [Path(__file__), Path(browsers.__file__), AXE]
    paths = [path for path in sorted((site / "_static").rglob("*")) if path.suffix in shared] + helpers
    contents = [part for path in paths for part in (path.name.encode(), path.read_bytes())]
    everywhere = kept.digest(*contents, version.encode(), *sorted(fonts.splitlines())).encode()
    found = {}
    for name in names:
        text = (site / name).read_bytes()
        sources = re.findall(r'src="([^"?#:]+)', text.decode())
        pictures = [path for one in sources if (path := (site / name).parent / unquote(one)).is_file()]
        found[name] = kept.digest(everywhere, name.encode(), text, *(path.read_bytes() for path in pictures))
    return found


def test_only_what_changed_is_looked_at_again(tmp_path):
    (tmp_path / "_static").mkdir()
    files = {name: tmp_path / name for name in ("a.html", "b.html", "_static/x.css")}
    files["x.svg"] = tmp_path / "x.svg"
    for path in files.values():
        path.write_text('<img src="x.svg">')
    first = digests_of(tmp_path, ["a.html", "b.html"], "1")
    assert digests_of(tmp_path, ["a.html", "b.html"], "1") == first
    files["a.html"].write_text("another page")
    second = digests_of(tmp_path, ["a.html", "b.html"], "1")
    assert second["a.html"] != first["a.html"] and second["b.html"] == first["b.html"]
    files["_static/x.css"].write_text("y")
    third = digests_of(tmp_path, ["b.html"], "1")["b.html"]
    files["x.svg"].write_text("y")
    fourth = digests_of(tmp_path, ["b.html"], "1")["b.html"]
    assert len({first["b.html"], third, fourth, digests_of(tmp_path, ["b.html"], "2")["b.html"]}) == 4


async def visit(browser, address, name, free):
    """What is wrong with one page, at either width, in either theme; kinds of text that another page has are known."""
    found, notes, requests = [], [], []
    held, shown = [], asyncio.Event()

    async def hold_back(script):
        held.append(script)
        await shown.wait()
        await script.continue_()

    async with free:
        size = {"width": 1280, "height": 900}
        page = await browser.new_page(reduced_motion="reduce", viewport=size, bypass_csp=True)
        page.set_default_timeout(120_000)
        page.on("pageerror", lambda error: found.append(f"error: {error}"))
        page.on("console", lambda note: notes.append(note))
        page.on("request", lambda request: requests.append(request.url))
        await page.add_init_script(SHIFTS)
        await page.route("**/*.js*", hold_back)
        await page.goto(f"{address}/{name}", wait_until="commit")
        await page.locator("h1").wait_for(state="visible")
        found += [] if held else ["no script was held back"]
        shown.set()
        await page.wait_for_load_state("load")
        found += await page.evaluate(BAD_FORMULAS)
        if (shift := await page.evaluate("window.shift")) > 0.05:  # half of what the makers of browsers call good
            found.append(f"the page moves while it loads: {shift:.3f}")
        await page.evaluate(EVERYTHING_OPEN)
        await page.evaluate(SETTLED)  # what scrolls is marked when it is shown
        for width in (1280, 390):
            await resize(page, width)
            for check in (CUT, UNFOCUSED, STUCK, LONELY_MARKS):
                found += [f"{width} px: {one}" for one in await page.evaluate(check)]
            if overflow := await page.evaluate(OVERFLOW):
                found.append(f"{width} px: {overflow} px too wide")
        await page.evaluate(SHORTEN)
        await page.add_script_tag(path=AXE)
        # what is other on a phone, such as the menus, is so on the first page too
        for width in (390, 1280) if name == "book/index.html" else (1280,):
            await resize(page, width)
            found += [f"{width} px: {one}" for one in await page.evaluate(VIOLATIONS)]
            found += [f"{width} px, {one}" for one in await pale_texts(page, KINDS)]
        await page.close()
    found += [f"{note.text} {note.location['url']}" for note in notes if note.type in ("error", "warning")]
    found += [f"request: {url}" for url in requests if not url.startswith((f"{address}/", "data:"))]
    return [(name, problem) for problem in found]


async def pale_texts(page, kinds):
    """Texts of kinds that are not known yet, to which they are added, that are hard to see in either theme."""
    found = []
    for theme in ("light", "dark"):
        await show(page, theme)
        kinds.update(await page.evaluate(MARK, [theme, [*kinds]]))
    await page.evaluate(ALONE, True)
    for theme in ("dark", "light"):
        await show(page, theme)
        found += [f"{theme}: {one}" for one in await page.evaluate(COLOURS, theme)]
    await page.evaluate(ALONE, False)
    return found


async def show(page, theme):
    await page.emulate_media(color_scheme=theme)
    await page.wait_for_function("theme => (document.documentElement.dataset.theme ?? theme) === theme", arg=theme)


def test_a_text_that_is_too_pale_is_found_among_many_others(in_browser):
    """One word among paragraphs, one whose surroundings are dark, and a link that looks like the text around it."""

    async def visit(page):
        lines = ["<p>A word, and <b>another</b> one.</p>"] * 9
        lines[4] = "<p>A word, and <b style='color: #aaa'>pale</b> one.</p>"
        lines[6] = "<div style='background: #444'><p>dark</p></div>"
        lines[7] = "<p>A word, and <a href='#x' style='color: #333; text-decoration: none'>a link</a>.</p>"
        await page.set_content("".join(lines))
        await page.add_script_tag(path=AXE)
        return await pale_texts(page, set())

    found = in_browser(visit)
    assert [problem.split(": ")[:2] for problem in found] == [
        ["light", "color-contrast"], ["light", "color-contrast"], ["light", "link-in-text-block"],
    ]  # fmt: skip
    assert ">pale<" in found[0] and ">dark<" in found[1]


def test_a_text_that_was_hidden_is_looked_at_when_it_is_shown(in_browser):
    async def visit(page):
        await page.set_content("<p hidden style='color: #aaa'>pale</p>")
        await page.add_script_tag(path=AXE)
        kinds = set()
        hidden = await pale_texts(page, kinds)
        await page.evaluate("document.querySelector('p').hidden = false")
        return hidden, await pale_texts(page, kinds)

    hidden, shown = in_browser(visit)
    assert not hidden and len(shown) == 1 and ">pale<" in shown[0]


LINE = "<p style='width: 6em'>A long word <b style='display: inline-block; width: {}em'>x</b>, and more.</p>"
GLUED = """<style>.glued i { position: relative; top: 2em; font-style: normal }</style>
    <p>Up to <span class='glued'><math><msup><mi>k</mi><mn>2</mn></msup></math><i>, and</i></span></p>"""
SUM = "<math><mi>a</mi><mo>+</mo><mi>b</mi><mo>+</mo><mi>c</mi><mo>+</mo><mi>d</mi></math>"
PLAIN = "<a href='#x' style='outline: 1px solid'>a link</a>"
ROLL = "<div {} style='overflow: auto; width: 2em'><pre>a long line</pre>{}</div>"
FAULTS = [  # what looks for it, a page, and how often it is there
    (UNFOCUSED, f"<p>{PLAIN} {PLAIN}</p><p class='other'>{PLAIN} <a href='#x'>another</a></p>", 2),
    (STUCK, ROLL.format("", "") + ROLL.format("tabindex=0", "") + ROLL.format("", "<a href='#x'>x</a>"), 1),
    (LONELY_MARKS, LINE.format(6), 1),
    (LONELY_MARKS, LINE.format(2), 0),
    (LONELY_MARKS, GLUED, 0),
    (CUT, f"<div style='display: flex; overflow: hidden; width: 2em'>{SUM}</div>", 1),
    (CUT, f"<div style='display: inline-flex; overflow: hidden; width: 2em'>{SUM}</div>", 1),
    (CUT, f"<div style='display: block; overflow: auto hidden; width: 2em'>{SUM}</div>", 0),
    (CUT, f"<div style='display: block; overflow: hidden; width: 12em'>{SUM}</div>", 0),
]


def test_marks_alone_and_cut_formulas_are_found_and_nothing_else(in_browser):
    async def visit(page):
        for look, body, number in FAULTS:
            await page.set_content(f"<article>{body}</article>")
            assert len(await page.evaluate(look)) == number, body

    in_browser(visit)


@pytest.mark.parametrize("served", [True, False], ids=["served", "as files"])
def test_the_search_finds_statements_by_number(site, address, served, in_browser):
    """The first two results: where the statement stands, and its row of the ledger or of the errata. With a server the
    search also fetches the pages, for the words around each result, which some of the queries show as well as all."""
    ours = by_id(read(Settings.read(places.BOOK)))["ours-tail"].number
    sought = {
        "Lemma 9": ["book/02-uniform.html#lemma-9", "book/ledger.html#lemma-9"],
        "conjecture 20": [
            "book/06-beyond.html",
            "book/05-general.html#conjecture-20",
            "book/ledger.html#conjecture-20",
        ],
        "ten minutes": ["book/ten-minutes.html"],
        "E16": ["book/errata.html#E16"],
        ours: ["book/02-uniform.html#ours-tail", "book/ledger.html#ours-tail"],
        ours.partition(" ")[2]: ["book/02-uniform.html#ours-tail", "book/ledger.html#ours-tail"],
        "equation (5)": ["book/05-general-audit.html#record-eq-5", "book/ledger.html#eq-5"],
        "rademacher": ["book/05-general.html#"],
        "dense-rademacher": ["book/05-general.html#", "book/ledger.html#dense-rademacher"],
        "quantization": ["book/your-network.html"],
        "how to cite": ["book/literature.html#"],
        **dict.fromkeys(["pruning", "mixture of experts", "MoE", "lottery ticket"], ["book/notation.html#term-"]),
        "ReLU sparsity": ["book/notation.html#term-ReLU-sparsity"],
    }
    base, queries = (address, [*sought][:4]) if served else (site.as_uri(), sought)

    async def visit(page):
        wrong = []
        page.on("pageerror", lambda error: wrong.append(error))
        page.on("console", lambda note: note.type == "error" and wrong.append(note.text))
        for query in queries:
            await page.goto(f"{base}/search.html?q={quote(query)}")
            await page.locator(".search-summary", has_text="finished").wait_for()
            links = await page.locator("ul.search li > a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
            titles = await page.locator("ul.search li > a").all_text_contents()
            wrong += [(query, title) for title in titles if re.search(r" > [a-z\d]+(-[a-z\d]+)+$", title)]
            if len(links) < len(sought[query]) or not all(map(str.startswith, links, sought[query])):
                wrong.append((query, links))
        return wrong

    holds(in_browser(visit))


WIDE = """() => [...document.querySelectorAll('article :is(pre, p, div.math, table)')]
    .map(e => e.matches('table') ? e.parentElement : e)
    .filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 5)
    .filter(e => !(e.matches('.more') && e.tabIndex === 0))
    .map(e => `wider than its box, unseen: ${e.outerHTML.slice(0, 99)}`)"""
STOPS = """() => [...document.querySelectorAll('.math')]
    .filter(e => e.tabIndex >= 0 && e.scrollWidth <= e.clientWidth)
    .map(e => `a stop without a reason: ${e.textContent}`)"""
SMALL = """() => [...document.querySelectorAll('.cc:not(.live) svg')].filter(e => e.checkVisibility())
    .filter(e => 10.5 * e.getBoundingClientRect().width / e.viewBox.baseVal.width < 12)
    .map(e => `text below 12 px: ${e.getAttribute('aria-label')}`)"""
GAPS = """() => [...document.querySelectorAll('.whereabouts a')].filter(a => a.nextSibling?.data?.startsWith(','))
    .filter(a => {
        const [word, comma] = [new Range(), new Range()];
        word.selectNodeContents(a);
        comma.setStart(a.nextSibling, 0);
        comma.setEnd(a.nextSibling, 1);
        return comma.getBoundingClientRect().left - word.getBoundingClientRect().right > 1;
    }).map(a => `a space before the comma: ${a.textContent}`)"""
TOUCHED = "summary, a.mark, .downloads a, .whereabouts a, .bd-header-article button"
NARROW = """touched => [...document.querySelectorAll(touched)]
    .filter(e => e.checkVisibility()).map(e => [e, e.getBoundingClientRect()])
    .filter(([e, {width, height}]) => Math.min(width, height) < (e.matches('summary, button') ? 43.5 : 23.5))
    .map(([e, r]) => `no room for a finger: ${r.width} x ${r.height} ${e.outerHTML.slice(0, 99)}`)"""


def test_on_a_phone_wide_things_show_it_and_a_finger_has_room(address, in_browser):
    """Formulas break or scroll; what scrolls fades at its edge, and the keyboard stops there and at no other one."""

    async def visit(page):
        found, phone = [], {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
        tab = await page.context.browser.new_page(reduced_motion="reduce", bypass_csp=True, **phone)
        tab.set_default_timeout(120_000)
        for name in ("08-practice", "map", "laboratory"):
            await tab.goto(f"{address}/book/{name}.html", wait_until="load")
            await tab.evaluate(SETTLED)
            for check in (WIDE, STOPS, SMALL, NARROW, GAPS):
                found += [(name, problem) for problem in await tab.evaluate(check, TOUCHED)]
        return found

    holds(in_browser(visit))


def test_what_opens_gives_the_focus_back_and_what_changes_is_said_once(address, in_browser):
    """The keyboard opens and closes menus and the search; results are announced; a slider speaks when it rests."""
    focused = "document.activeElement.className"

    async def visit(page):
        wrong = []
        await page.set_viewport_size({"width": 390, "height": 844})
        await page.goto(f"{address}/book/01-definitions.html")
        for button in ("primary-toggle", "secondary-toggle", "pst-navbar-icon.search-button"):
            await page.locator(f"button.{button}").press("Enter")
            await page.locator("dialog[open]").wait_for()
            await page.keyboard.press("Escape")
            await page.wait_for_function("!document.querySelector('dialog[open]')")
            await page.evaluate(SETTLED)
            if button.split(".")[-1] not in await page.evaluate(focused):
                wrong.append((button, await page.evaluate(focused)))
        copied = await page.locator(".copybtn").evaluate_all("all => all.map(b => b.getAttribute('aria-label'))")
        wrong += [] if all(re.fullmatch("Copy to clipboard: .+", one or "") for one in copied) else [copied]
        for chapter, kind in (("01-definitions", ".slider"), ("02-uniform", ".live")):
            await page.goto(f"{address}/book/{chapter}.html")
            slider = page.locator(kind).first
            for _ in range(3):
                await slider.locator("input").first.press("ArrowRight")
            live = await slider.locator("[aria-live=polite], [role=status], output:not([aria-live=off])").all()
            wrong += [] if len(live) == 1 else [("live regions of a slider", len(live))]
            await page.evaluate(SETTLED)
            said, words = await live[0].text_content(), await slider.locator(".slider-words").text_content()
            wrong += [] if said == words else [(said, words)]
        tick = page.locator("button.tick").first
        await tick.press("Enter")
        wrong += [] if await page.locator(":popover-open .claim-record").count() else ["a tick opens no record"]
        await page.keyboard.press("Escape")
        if not await tick.evaluate(
            "tick => tick === document.activeElement && !document.querySelector(':popover-open')"
        ):
            wrong.append("a record does not give the focus back to its tick")
        mark = await page.locator(".ticks > [id^=record]").first.get_attribute("id")
        await page.evaluate("mark => { location.hash = mark; }", mark)
        await page.locator(":popover-open .claim-record").first.wait_for()  # or a time-out: an address opens its record
        await page.goto(f"{address}/search.html?q=parity")
        await page.locator("[role=status]", has_text=re.compile(r"\d")).wait_for(state="attached")
        return wrong

    holds(in_browser(visit))


async def resize(page, width):
    if page.viewport_size["width"] != width:
        await page.set_viewport_size({"width": width, "height": 900})
        await page.evaluate(SETTLED)
