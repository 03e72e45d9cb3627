"""The page of docs/use/example in Chromium: a registered application gets its user from the hosted pages."""

import pathlib
import secrets
import urllib.parse

import pytest
from playwright.sync_api import expect
from service import ADMINISTRATOR

PAGE = "http://localhost:65001/sign-in.html"
EXAMPLE = pathlib.Path(__file__).parent / "../../docs/use/example/sign-in.html"
PASSWORD = "correct-horse-7"


@pytest.fixture
def tab(service, open_tab):
    registered = service.request("POST", "v2/projects/demo-latchkey/apps", {
        "displayName": "Shop", "kind": "WEB", "redirectUris": [PAGE]}, **ADMINISTRATOR)
    text = EXAMPLE.read_text()
    for written, value in [("CLIENT_ID", registered["clientId"]), ("http://127.0.0.1:9099", service.origin)]:
        assert text.count(written) == 1
        text = text.replace(written, value)
    tab = open_tab()
    tab.context.route(f"{PAGE}**", lambda route: route.fulfill(content_type="text/html", body=text))
    yield tab
    service.request("DELETE", f"v2/projects/demo-latchkey/apps/{registered['clientId']}", **ADMINISTRATOR)


def says(tab, text):
    expect(tab.page.get_by_role("status")).to_contain_text(text)


def test_page_gets_its_user(tab):
    email = f"{secrets.token_hex(6)}@example.com"
    tab.open(PAGE)
    says(tab, "Nobody is signed in.")
    tab.button("Sign in").click()
    expect(tab.page.get_by_text("to continue to Shop")).to_be_visible()
    tab.link("Create an account").click()
    tab.field("E-mail address").fill(email)
    tab.field("New password").fill(PASSWORD)
    tab.button("Create an account").click()
    says(tab, "Signed in as ")
    assert tab.page.url == PAGE  # The code is gone.
    # The browser has a session: no page is shown.
    tab.button("Sign in").click()
    says(tab, "Signed in as ")
    # A stronger sign-in than the account can have.
    tab.button("Sign in again, with two factors").click()
    tab.field("E-mail address").fill(email)
    tab.button("Continue").click()
    tab.field("Password").fill(PASSWORD)
    tab.button("Sign in").click()
    says(tab, "Not signed in: unmet_authentication_requirements.")
    assert tab.page.url == PAGE


def test_response_that_nobody_asked_for_signs_in_nobody(tab):
    """Login CSRF: the code of somebody else."""
    query = urllib.parse.urlencode({"code": "x", "state": "y", "iss": "https://securetoken.google.com/demo-latchkey"})
    tab.open(f"{PAGE}?{query}")
    says(tab, "Not signed in: invalid_response.")
    assert tab.page.url == PAGE
