"""The browser that pages are tested in."""

from __future__ import annotations

import os
import shutil

import pytest

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


@pytest.fixture(scope="package")
def browser():
    """One browser for all; where there is none the tests are skipped, but never where the checks of a release run."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program, missing = None, "playwright is not installed: pip install -e '.[dev]'"
    else:
        missing = "no Chromium on the PATH: apt-get install chromium"
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program, args=FLAGS.split())
        yield opened
        opened.close()
