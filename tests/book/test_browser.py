"""Which browser the tests and the measures of pages use, and what is said where there is none."""

import shutil
from pathlib import Path

import pytest
from companion.building import browser, kept
from companion.places import Stop


def test_without_a_browser_its_driver_or_a_site_there_is_one_clear_line(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(browser, "BROWSERS", ("no-such-browser",))
    with pytest.raises(Stop, match="^no browser was found: install Chromium or Chrome, then run again$"):
        browser.path()
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", shutil.which("false"))
    with pytest.raises(Stop, match=r"does not run \(exit code 1\); Debian: apt install libatomic1"):
        browser.path()
    monkeypatch.setattr(kept, "BUILD", tmp_path)
    with pytest.raises(Stop, match="there is no site yet"):
        kept.site()


def test_a_browser_of_playwright_counts_and_the_shell_comes_first(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(browser, "BROWSERS", [name for name in browser.BROWSERS if not Path(name).is_absolute()])
    own = Path(browser.of_playwright())
    own.parent.mkdir(parents=True)
    own.touch()
    assert own.is_relative_to(tmp_path) and browser.path() == str(own)
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("google-chrome", "chromium", "chromium-headless-shell"):
        (tmp_path / name).touch(mode=0o755)
        assert browser.path() == str(tmp_path / name)
