"""The browser that measures pages and in which tests look at them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from companion.places import Stop

# In this order: the headless shell draws the same and has no windows of its own, for half of the processor's time.
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    # where macOS and Windows keep them, which is not on the path
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    *(
        str(Path(folder, "Google/Chrome/Application/chrome.exe"))
        for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
        if (folder := os.environ.get(name))
    ),
)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


def path() -> str:
    """The path of a browser that can run without a screen, and that Playwright can start."""
    driver = subprocess.run([sys.executable, "-m", "playwright", "--version"], capture_output=True, text=True)
    if driver.returncode:
        reason = (driver.stderr.splitlines() or [f"exit code {driver.returncode}"])[-1]
        raise Stop(f"Playwright, which starts the browser, does not run ({reason}); Debian: apt install libatomic1")
    browsers = [*filter(None, map(shutil.which, BROWSERS))] or [of_playwright()]
    if not Path(browsers[0]).is_file():
        raise Stop("no browser was found: install Chromium or Chrome, then run again")
    return browsers[0]


def of_playwright() -> str:
    """Where `playwright install chromium` puts a browser, whether or not it did."""
    with sync_playwright() as playwright:
        return playwright.chromium.executable_path
