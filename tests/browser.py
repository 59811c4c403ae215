"""A real browser for the tests of pages: Debian's Chromium, without a window, driven by Playwright.

With BLEU_TEST_BROWSER=1, tests fail if it is not installed. BLEU_TEST_CHROMIUM names another browser.

- `chromium`: the browser, for a module
- `Watched`, `watch`: a page in it, with its console messages, its errors and its requests
- `find_faults`: what axe finds in a page
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Chromium refuses to run in its sandbox as root, and containers have only 64 MB of shared memory
ARGUMENTS = ("--no-sandbox", "--disable-dev-shm-usage")
WIDE, NARROW = (1440, 900), (360, 740)


@dataclass
class Watched:
    """A page: what it wrote to its console or threw, and the addresses that it asked for."""

    page: object
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


def find_chromium():
    """Return the path of the browser. If there is none, skip the test, or fail it with BLEU_TEST_BROWSER=1."""
    named = os.environ.get("BLEU_TEST_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        if os.environ.get("BLEU_TEST_BROWSER") == "1":
            pytest.fail("there is no Chromium, and BLEU_TEST_BROWSER=1 demands it")
        pytest.skip("there is no Chromium (Debian: apt install chromium)")
    return found


@pytest.fixture(scope="module")
def chromium():
    """Start a browser for a module of tests, which must not use asyncio themselves."""
    path = find_chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@contextmanager
def watch(browser, address, size=WIDE, theme="light", **options):
    """Open a page in its own window, with a size and a theme."""
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme, **options)
    watched = Watched(context.new_page())
    watched.page.on("console", lambda message: watched.said.append(message.text))
    watched.page.on("pageerror", lambda error: watched.said.append(str(error)))
    watched.page.on("request", lambda request: watched.asked.append(request.url))
    try:
        watched.page.goto(address)
        yield watched
    finally:
        context.close()


def find_faults(page):
    """Return what axe finds, one line per fault."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']} ({one['impact']}): {node['target']} {node.get('failureSummary', '')}"
        for one in found
        for node in one["nodes"]
    ]
