"""The script of pages that run in the reader's browser, with a Python that is none: what it loads, says and undoes."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from companion import places
from companion.building import chapters, live
from companion.site import head, links
from nbformat.v4 import new_code_cell, new_notebook, new_output

from sparse_book import figures

# In place of Pyodide: a cell shows its source, unless it asks for one of the ways in which Python ends.
FAKE = """self.loadPyodide = async () => ({
    loadPackage: async () => (await fetch("https://offline.invalid/numpy.whl")).arrayBuffer(),
    runPython: () => "",
    unpackArchive() {},
    FS: { writeFile(name, { length }) { saved[name] = length; } },
    pyimport: () => ({ sources: (...names) => JSON.stringify(of(names)), Cells: () => ({ answer: (source, printed) => {
        if (source === "endless") for (;;);
        if (source === "memory") throw new RangeError("WebAssembly.Memory(): could not allocate memory");
        if (source === "raise") return JSON.stringify({ outputs: [], kind: "failed", words: "line 1: NameError" });
        if (source.startsWith("http")) send(source);
        const outputs = [{ "text/plain": source, "text/html": SLIDER }];
        if (!source.startsWith("slider")) delete outputs[0]["text/html"];
        const same = JSON.parse(printed).every(([, text]) => text === source);
        return JSON.stringify({ outputs, kind: same ? "same" : "differs", words: "text" });
    } }) }),
});
const saved = {}; // and of files, two cells that say how many bytes they have, or one of them what is asked for
const of = (names) => {
    const said = names.map((name) => `${name}: ${saved[name]}`).join();
    return [["who", saved[names[0]] === 7 ? "endless" : saved[names[0]] ? said : "raise"], ["what", "done"]];
};
const send = (address) => {
    const asked = new XMLHttpRequest(), ways = [() => importScripts(address), () => asked.send()];
    asked.open("GET", address, false);
    for (const way of ways) try { way(); } catch { }
};"""
AXE = Path(find_spec("axe_playwright_python").submodule_search_locations[0], "axe.min.js")
VIOLATIONS = (
    """() => axe.run(".bd-article").then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))"""
)
# The theme's colours of page and text
THEMES = {"light": "background: #fff; color: #222832", "dark": "background: #14181e; color: #ced6dd"}
FILES = ["pyodide.asm.js", "pyodide.js", "numpy.whl", "ours.zip"]
# The form of the page that takes files
FORM = re.search(r"<form.*?</script>", (places.BOOK / "your-network.md").read_text(encoding="utf-8"), re.DOTALL)[0]
PAGE = '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">{}<title>A page</title></head><body>{}</body></html>'


def cell(source, printed, tags=()):
    outputs = [new_output("execute_result", {"text/plain": printed})]
    return new_code_cell(source, outputs=outputs, metadata={"tags": list(tags)})


def slider():
    def up_to(ax, slope):
        ax.plot([0, 1, 2], [0, slope, 0])
        return f"Up to {slope}."

    return figures.Slider("slope", (1, 2), up_to, start=1)._repr_mimebundle_()["text/html"]


@pytest.fixture
def runnable(tmp_path, monkeypatch):
    """A function that writes a page with these cells, which runs, and one that cannot; the address of the first."""

    def made(cells, smaller=""):
        monkeypatch.setattr(live, "PAGES", {"ten-minutes": smaller})
        monkeypatch.setattr(links, "NEEDS", {"scaling": "it needs Dask"})
        (tmp_path / "book").mkdir()
        (tmp_path / "_static").mkdir()
        for name in ("run.js", "run.css", "network.js", "slider.js", "custom.css"):
            text = (places.BOOK / "assets" / name).read_text(encoding="utf-8")
            (tmp_path / "_static" / name).write_text(text, encoding="utf-8")
        for name in ("ten-minutes", "scaling"):
            boxes = '<div class="cell">As printed.</div>' * len(cells)
            body = f'<article class="bd-article"><h1>A page</h1>{FORM}{boxes}</article>'
            script = '<script src="../_static/slider.js"></script><link rel="stylesheet" href="../_static/custom.css">'
            page = PAGE.format(head.policy(), script + body)
            (tmp_path / f"book/{name}.html").write_text(page, encoding="utf-8")
        files = [tmp_path / name for name in FILES]
        for path in files:
            path.write_text(FAKE.replace("SLIDER", json.dumps(slider())) if path.name == "pyodide.js" else "0")
        live.write(tmp_path / "_static/run", files, {"ten-minutes": new_notebook(cells=cells)})
        live.add_buttons(tmp_path, 67)
        return (tmp_path / "book/ten-minutes.html").as_uri()

    return made


async def run(page, address, until="ready"):
    """Use the button, and wait."""
    await page.goto(address)
    await page.click(".run-bar button")
    await page.locator(f".run-bar[data-state={until}]").wait_for()


async def state(page):
    return await page.evaluate("""() => ({
        button: document.querySelector(".run-bar button").textContent,
        words: document.querySelector(".run-bar [role=status]").textContent,
        lines: [...document.querySelectorAll(".run-cell > summary")].map((one) => one.textContent.split(",")[0]),
        open: [...document.querySelectorAll(".run-cell")].map((one) => one.open),
    })""")


def test_nothing_is_loaded_before_the_button_is_used(runnable, in_browser):
    address = runnable([cell("1", "1")])

    async def visit(page):
        asked = []
        page.on("request", lambda request: asked.append(request.url.split("/")[-1]))
        await page.goto(address)
        await page.wait_for_load_state("networkidle")
        before = sorted(asked)
        await run(page, address)
        return before, set(asked), len(page.workers)

    before, asked, workers = in_browser(visit)
    assert not [name for name in before if name.endswith(".json.js") or name in (f"{file}.js" for file in FILES)]
    assert "run.js" in before
    assert {f"{name}.js" for name in [*FILES, "plan.json", "ten-minutes.json"]} <= asked
    assert workers == 1


def test_each_cell_says_whether_it_is_as_printed_and_those_that_are_not_are_open(runnable, in_browser):
    free = cell("8", "9", ["nbval-ignore-output"])
    address = runnable([cell("1", "1"), cell("2", "3"), cell("raise", "0"), free])

    async def visit(page):
        await run(page, address)
        return await state(page)

    found = in_browser(visit)
    kinds = ["same numbers as printed (text)", "differs from what is printed (text)", "failed (line 1: NameError)"]
    assert found["lines"] == [*kinds, "differs"]
    assert found["open"] == [False, True, True, True]
    tally = "same numbers as printed in 1, differs from what is printed in 1, failed in 1, differs, as it may"
    assert tally in found["words"]


def test_a_smaller_run_is_not_compared(runnable, in_browser):
    address = runnable([cell("n = 9", "", ["parameters"]), cell("1", "1"), cell("2", "3")], smaller="n = 2")

    async def visit(page):
        await page.goto(address)
        before = await page.text_content(".run-bar p")
        await run(page, address)
        return before, await state(page), await page.locator(".run-cell textarea").first.input_value()

    before, found, source = in_browser(visit)
    assert "With n = 2, a smaller run: what differs by it is not compared." in before
    assert found["lines"] == ["smaller run", "same numbers as printed (text)", "smaller run"]
    assert source == "n = 9\nn = 2"


def test_a_reader_edits_a_cell_by_the_keyboard_and_its_sliders_move(runnable, in_browser):
    address = runnable([cell("1", "1"), cell("2", "2")])

    async def visit(page):
        await run(page, address)
        closed = await page.locator(".run-cell figure").first.is_visible()
        await page.focus(".run-cell > summary")
        for key in ("Enter", "Tab", "Enter", "Tab"):  # the line of the cell, its editor
            await page.keyboard.press(key)
        for source, keys in (("2", ["Shift+Enter"]), ("slider", ["Tab", "Enter"])):
            await page.keyboard.press("Control+a")
            await page.keyboard.type(source)
            for key in keys:
                await page.keyboard.press(key)
            await page.locator(".run-cell.edited").wait_for()  # which is no alarm, as .differs is
            await page.locator(".run-bar[data-state=ready]").wait_for()
        moved = page.locator(".run-cell input[type=range]")
        await moved.focus()
        await page.keyboard.press("ArrowRight")
        words = await page.text_content(".run-cell .slider-words")
        found = await state(page)
        await page.click(".run-bar button")  # close
        await page.click(".run-bar button")  # and again, with the edited cell
        await page.locator(".run-bar[data-state=ready]").wait_for()
        return closed, words, found, await state(page)

    closed, words, once, again = in_browser(visit)
    assert not closed and words == "Up to 2."
    yours = "your version: differs from what is printed (text)"
    assert once["lines"] == [yours, "same numbers as printed (text)"]
    assert once["words"].startswith(f"Cell 1: {yours}")
    assert again["lines"] == [yours, "your version: same numbers as printed (text)"]


@pytest.mark.parametrize("theme", THEMES)
def test_what_a_page_shows_of_a_run_can_be_seen_and_heard(theme, runnable, in_browser):
    address = runnable([cell("1", "1"), cell("slider", "0"), cell("raise", "0")])

    async def visit(page):
        await page.goto(address)
        await page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        await page.evaluate("style => { document.body.style = style; }", THEMES[theme])
        await page.add_script_tag(path=AXE)
        before = await page.evaluate(VIOLATIONS)
        await page.click(".run-bar button")
        await page.locator(".run-bar[data-state=ready]").wait_for()
        await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        return before + await page.evaluate(VIOLATIONS)

    assert not in_browser(visit)


async def measured(page, network, inputs=None, state="ready"):
    """What the page says of files, given as their names and contents."""
    for name, file in {"network": network, "X": inputs}.items():
        files = [{"name": file[0], "mimeType": "", "buffer": file[1]}] if file else []
        await page.set_input_files(f"#your-files [name={name}]", files)
    await page.click("#your-files button")
    await page.locator(f".run-bar[data-state={state}]").wait_for()
    lines = await page.locator("#your-reports .run-cell > summary").all_text_contents()
    shown = await page.locator("#your-reports .run-cell figure").all_text_contents()
    return lines, shown, await page.text_content(".run-bar [role=status]")


def test_files_of_a_reader_go_to_python_with_their_kinds_alone(runnable, in_browser):
    address = runnable([cell("1", "1")])

    async def visit(page):
        await page.goto(address)
        found = await measured(page, ('a" b.npz', b"four"), ("X.csv", b"1,2"))
        again = await measured(page, ("none", b"6 more"))
        return found, again, (await state(page))["lines"], len(page.workers)

    (lines, shown, words), again, cells, workers = in_browser(visit)
    assert [line.split(",")[0] for line in lines] == ["your file (who)", "your file (what)"]
    assert shown == ["network.npz: 4,X.csv: 3", "done"]
    assert words.startswith("Measured in")
    assert again[1] == ["network: 6", "done"]
    assert len(cells) == 2 and workers == 1  # the cells of the page did not run, and Python was started once


def test_a_broken_file_is_told_and_a_good_one_is_measured_after_it(runnable, in_browser):
    address = runnable([cell("1", "1")])

    async def visit(page):
        await page.goto(address)
        return await measured(page, ("a.npz", b"")), await measured(page, ("b.npz", b"good"))

    (lines, _, words), after = in_browser(visit)
    assert [line.split(",")[0] for line in lines] == ["failed (line 1: NameError)"]
    assert words.startswith("This file is not measured: failed (line 1: NameError)")
    assert after[1] == ["network.npz: 4", "done"]


def test_measuring_is_stopped(runnable, in_browser):
    address = runnable([cell("1", "1")])

    async def visit(page):
        await page.goto(address)
        await measured(page, ("a.npz", b"endless"), state="running")
        await page.locator(".run-bar p", has_text="Measuring").wait_for()
        can_be_asked = await page.locator("#your-files button").is_enabled()
        await page.click(".run-bar button")
        return can_be_asked, (await state(page))["words"], await measured(page, ("b.npz", b"good"))

    can_be_asked, words, after = in_browser(visit)
    assert not can_be_asked and words.startswith("Stopped after")
    assert after[1] == ["network.npz: 4", "done"]


def test_a_file_that_python_could_not_hold_is_not_read(runnable, in_browser):
    address = runnable([cell("1", "1")])

    async def visit(page):
        await page.goto(address)
        await page.evaluate("Object.defineProperty(File.prototype, 'size', { get: () => 2 ** 30 })")
        await page.set_input_files("#your-files [name=X]", [{"name": "X.npy", "mimeType": "", "buffer": b"1"}])
        await page.set_input_files("#your-files [name=network]", [])
        said = await page.eval_on_selector("#your-files [name=X]", "({ validationMessage }) => validationMessage")
        await page.click("#your-files button")
        return said, await page.get_attribute(".run-bar", "data-state")

    said, running = in_browser(visit)
    assert " ".join(said.split()).startswith("X.npy has 1074 MB; in the browser a file may have 537.")
    assert running is None


def test_without_python_there_is_no_form(runnable, in_browser):
    address = runnable([cell("1", "1")])

    async def visit(page):
        seen = []
        for name in ("ten-minutes", "scaling"):
            await page.goto(address.replace("ten-minutes", name))
            seen.append(await page.locator("#your-files").is_visible())
        return seen

    assert in_browser(visit) == [True, False]


def test_an_endless_cell_is_stopped_and_the_page_goes_on(runnable, in_browser):
    address = runnable([cell("1", "1"), cell("endless", "0")])

    async def visit(page):
        await page.goto(address)
        await page.click(".run-bar button")
        await page.locator(".run-bar p", has_text="Running the cells").wait_for()
        await page.locator(".run-cell.same").wait_for()
        responds = await page.evaluate("new Promise((done) => setTimeout(() => done(true), 100))")
        async with page.workers[0].expect_event("close"):
            await page.click(".run-bar button")
        stopped = await state(page), len(page.workers)
        await page.click(".run-bar button")
        await page.locator(".run-bar p", has_text="Running the cells: cell 2").wait_for()
        return responds, stopped, len(page.workers)

    responds, (found, left), workers = in_browser(visit)
    assert responds and left == 0 and workers == 1
    assert found["button"] == "Run this page again"
    assert found["words"].startswith("Stopped after") and "same numbers as printed in 1." in found["words"]


# A worker is refused when it is made or, by a policy, after that.
REFUSED = "window.Worker = class { constructor() { throw new Error(); } };"
BLOCKED = """window.Worker = class {
    postMessage() { setTimeout(() => this.onerror(new Event("error"))); }
    terminate() {}
};"""
BAD_WAYS = [
    ("this browser has no WebAssembly", "delete window.WebAssembly;"),
    ("this browser is too old to unpack files", "delete window.DecompressionStream;"),
    ("this browser lets the page start no worker", REFUSED),
    ("this browser lets the page start no worker", BLOCKED),
    ("the browser gave it less memory than 1.2 GB", ""),
]


@pytest.mark.parametrize("words, script", BAD_WAYS)
def test_what_a_browser_lacks_is_one_sentence(words, script, runnable, in_browser):
    address = runnable([cell("memory", "0")])

    async def visit(page):
        await page.add_init_script(script)
        await run(page, address, until="ended")
        return await state(page), len(page.workers), await page.locator(".cell").inner_text()

    found, workers, text = in_browser(visit)
    assert found["words"] == f"Python stopped: {words}. The page is as it was."
    assert workers == 0 and text.startswith("As printed.")


def test_a_missing_file_is_named(runnable, tmp_path, in_browser):
    address = runnable([cell("1", "1")])
    (tmp_path / "_static/run/numpy.whl.js").unlink()

    async def visit(page):
        await run(page, address, until="ended")
        return await state(page)

    assert "numpy.whl is missing beside this page" in in_browser(visit)["words"]


def test_a_page_that_cannot_run_says_why(runnable, in_browser):
    address = runnable([cell("1", "1")]).replace("ten-minutes", "scaling")

    async def visit(page):
        await page.goto(address)
        return await page.inner_text(".run-bar"), await page.locator(".run-bar button").count()

    assert in_browser(visit) == ("This page does not run in the browser: it needs Dask.", 0)


def test_the_policy_of_a_page_that_runs_lets_nothing_out():
    """Its worker inherits it, and so may not even ask the host of the page."""
    before, after = (head.policy(runs=runs) for runs in (False, True))
    rules = [set(policy.split('content="')[1].rstrip('">').split("; ")) for policy in (before, after)]
    assert sorted(rules[1] - rules[0]) == [
        "connect-src data:",
        "script-src 'wasm-unsafe-eval' 'self' file: blob: 'unsafe-inline'",
    ]
    assert len(rules[0]) == len(rules[1])


@pytest.mark.parametrize("policy", [True, False])
def test_a_cell_sends_nothing_and_would_without_the_policy(policy, runnable, in_browser):
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_):
            pass

    async def visit(page):
        context = await page.context.browser.new_context(bypass_csp=not policy)
        await run(await context.new_page(), address)
        await context.close()

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = runnable([cell(f"http://127.0.0.1:{server.server_port}/", "0")])
        in_browser(visit)
        server.shutdown()
    assert asked == ([] if policy else ["/", "/"])


def test_each_page_that_runs_shows_all_of_its_cells(site):
    """The script gives the first cell of a page its first code cell, and so on."""
    sources = chapters.sources(places.BOOK)
    for name in live.PAGES:
        page = BeautifulSoup((site / f"book/{name}.html").read_text(encoding="utf-8"), "html.parser")
        cells = chapters.code_cells(chapters.read(sources[name]))
        assert len(page.select(".bd-article div.cell")) == len(cells) > 0, name
        smaller = [cell for cell in cells if "parameters" in cell["metadata"].get("tags", [])]
        assert smaller or not live.PAGES[name], name
