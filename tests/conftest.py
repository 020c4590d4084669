"""What all tests share: the settings of the commands, the built site, and one browser."""

import asyncio
import contextlib
import os
import subprocess
import sys

import pytest
from companion import places
from companion.building import kept
from companion.places import Stop
from hypothesis import settings

import make

with contextlib.suppress(OSError):  # where the repository cannot be written, only what needs a site fails
    make.BUILD.mkdir(exist_ok=True)  # which holds the folders that the settings name
os.environ.update(make.ENVIRONMENT)
settings.register_profile("companion", deadline=None, derandomize=True)
settings.load_profile("companion")


def pytest_collection_modifyitems(items):
    """What takes minutes comes first in each half, of which two processes take one each: they end together when what
    they share at the end is short."""
    long = [item for item in items if item.get_closest_marker("long")]
    short = [item for item in items if not item.get_closest_marker("long")]
    first = long[::2]
    middle = len(items) // 2 - len(first)
    items[:] = first + short[:middle] + long[1::2] + short[middle:] if middle > 0 else long + short


@pytest.fixture(scope="session")
def site():
    """The site of the present sources; built when there is none."""
    if not kept.is_current():
        here = {**os.environ, "COMPANION_NO_VENV": "1"}
        command = [sys.executable, "make.py", "book"]
        done = subprocess.run(command, cwd=places.ROOT, env=here, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return places.BUILD / "html"


@pytest.fixture(scope="session")
def browser():
    """The path of a browser. Where there is none the tests that need it are skipped; on a machine of CI they fail."""
    from companion.building import browser

    try:
        return browser.path()
    except Stop as reason:
        if os.environ.get("CI"):
            pytest.fail(f"the site was not looked at: {reason}")
        pytest.skip(f"the site was not looked at: {reason}")


@pytest.fixture(scope="session")
def in_browser(browser):
    """A function that returns what ``visit``, given a new page of the one browser, returns."""
    from companion.building.browser import FLAGS
    from playwright.async_api import async_playwright

    with asyncio.Runner() as runner:
        playwright = runner.run(async_playwright().start())
        chromium = runner.run(playwright.chromium.launch(executable_path=browser, args=FLAGS))

        async def on_a_page(visit):
            # a policy of a page would forbid the eval by which Playwright waits; one test looks at it without this
            context = await chromium.new_context(reduced_motion="reduce", bypass_csp=True)
            context.set_default_timeout(120_000)  # milliseconds; on a busy machine a page can take one minute
            try:
                return await visit(await context.new_page())
            finally:
                await context.close()

        yield lambda visit: runner.run(on_a_page(visit))
        runner.run(chromium.close())
        runner.run(playwright.stop())
