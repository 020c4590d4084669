"""Pages run by the Python of the reader's browser, by itself and in the browser. `python3 make.py live` first, which
fetches it. The integers of its NumPy have 32 bits, and its packages are the oldest that we allow."""

import base64
import gzip
import json
import os
import subprocess

import numpy as np
import pytest
from companion.building import live
from companion.places import BUILD

RUNS = """
import json, shutil, site, sys
folder, page, smaller = sys.argv[1:]
shutil.unpack_archive(f"/host{folder}/ours.zip", site.getsitepackages()[0])
from companion.building.in_browser import Cells
cells = Cells()
for cell in json.loads(open(f"/host{folder}/{page}.json").read()):
    source = cell["source"].removesuffix(smaller)  # there is time for the parameters of the page itself
    found = json.loads(cells.answer(source, json.dumps(cell["printed"])))
    print(json.dumps([found["kind"], found["words"], cell["free"]]), flush=True)
"""


@pytest.fixture(scope="session")
def site():
    """The site whose pages run. Where it is not that of the present sources they are skipped; in CI they fail."""
    if not live.is_current():
        reason = "no page was run: there is no site of the present sources that runs, as `make.py live` makes it"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return BUILD / "live"


@pytest.fixture(scope="session")
def folder(site, tmp_path_factory):
    """What the pages load, as files."""
    folder = tmp_path_factory.mktemp("run")
    for path in (site / "_static/run").glob("*.js"):
        held = path.read_text(encoding="utf-8").split('"')[3]
        (folder / path.stem).write_bytes(gzip.decompress(base64.b64decode(held)))
    return folder


@pytest.mark.parametrize("page", live.PAGES)
def test_a_page_gives_what_is_printed(page, folder, tmp_path):
    script = tmp_path / "runs.py"
    script.write_text(RUNS)
    run = subprocess.run(live.in_node(script, str(folder), page, live.PAGES[page]), capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    found = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("[")]
    assert len(found) == len(json.loads((folder / f"{page}.json").read_text()))
    assert not [one for one in enumerate(found) if one[1][0] not in ("same", "silent") and not one[1][2]]


@pytest.mark.parametrize("page", ["ten-minutes", "a-switch-is-free", "gallery", "01-definitions"])
def test_a_page_runs_in_the_browser_to_its_last_cell(page, site, in_browser):
    async def visit(page_of_browser):
        context = await page_of_browser.context.browser.new_context()  # under its policy, as for a reader
        tab = await context.new_page()
        asked = []
        tab.on("request", lambda request: asked.append(request.url))
        await tab.goto((site / f"book/{page}.html").as_uri())
        await tab.click(".run-bar button")
        await tab.locator(".run-bar:not([data-state=running])").wait_for(timeout=1_200_000)
        words = await tab.text_content(".run-bar [role=status]")
        kinds = await tab.evaluate("[...document.querySelectorAll('.run-cell')].map((one) => one.className)")
        await context.close()
        return words, kinds, [one for one in asked if not one.startswith(("file:", "blob:", "data:"))]

    words, kinds, elsewhere = in_browser(visit)
    assert set(kinds) <= {"run-cell same", "run-cell silent"} and "run-cell same" in kinds, words
    assert words.startswith("All cells ran in")
    assert not elsewhere


def test_files_of_a_reader_are_measured_in_the_browser(site, in_browser, tmp_path):
    """The package's own report of a network, and its own error for a pickle, of which nothing is executed."""
    u, W, b = np.array([1.0, -1.0]), np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([1.0, 1.0])
    np.savez(tmp_path / "net.npz", u=u, W=W, b=b)
    np.savetxt(tmp_path / "X.csv", [[0.5, 1], [-2, 0], [1, 1]], delimiter=",")
    np.save(tmp_path / "bad.npy", np.array([{}]))

    async def measured(tab, network, *inputs):
        await tab.set_input_files("#your-files [name=network]", network)
        await tab.set_input_files("#your-files [name=X]", inputs)
        await tab.click("#your-files button")
        await tab.locator(".run-bar:not([data-state=running])").wait_for(timeout=600_000)
        shown = await tab.locator("#your-reports figure").all_inner_texts()
        return shown, await tab.text_content(".run-bar [role=status]")

    async def visit(page):
        context = await page.context.browser.new_context()
        tab = await context.new_page()
        await tab.goto((site / "book/your-network.html").as_uri())
        found = await measured(tab, tmp_path / "bad.npy"), await measured(tab, tmp_path / "net.npz", tmp_path / "X.csv")
        await context.close()
        return found

    (_, words), (shown, after) = in_browser(visit)
    assert words.startswith("This file is not measured: failed (line 3: ValueError: network.npy cannot be read")
    assert after.startswith("Measured in")
    assert len(shown) == 2 and shown[0].startswith("Active at an input: on average")
