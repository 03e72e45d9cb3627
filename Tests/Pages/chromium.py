"""Chromium, as the tests and the pictures of the pages use it."""

import contextlib
import shutil

from playwright.sync_api import sync_playwright


@contextlib.contextmanager
def launched():
    program = shutil.which("chromium")
    assert program, "`make test` installs chromium"
    with sync_playwright() as playwright:
        # Chromium does not isolate itself as root, and the shared memory of a container is small.
        browser = playwright.chromium.launch(executable_path=program, args=[
            "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-proxy-server",
            "--disable-component-update", "--disable-background-networking"])
        yield browser
        browser.close()
