"""The hosted sign-in with identity providers."""

import secrets
import urllib.parse

import pytest


@pytest.mark.parametrize("flow", ["code", "implicit"])
def test_session_opens(browser, site, service, pyop, flow):
    home = f"{site}/app"
    login = f"{service.origin}/__/auth/login?apiKey=key&continueUrl={urllib.parse.quote(home, safe='')}"
    browser.open(login)
    assert "Continue with pyop" in browser.text()
    browser.click(f'button[value="{getattr(pyop, flow)}"]')
    browser.wait_for("the browser is at the application", lambda: browser.url.startswith(home))
    browser.open(login)
    assert "Continue as grace@example.com" in browser.text()


def test_disabled_provider_is_not_offered(browser, service, mock):
    service.admin("PATCH", f"/oauthIdpConfigs/{mock}?updateMask=enabled", {"enabled": False})
    try:
        browser.open(f"{service.origin}/__/auth/login?apiKey=key")
        assert browser.driver.find_elements("css selector", f'button[value="{mock}"]') == []
    finally:
        service.admin("PATCH", f"/oauthIdpConfigs/{mock}?updateMask=enabled", {"enabled": True})


def test_account_is_connected_and_disconnected(browser, service, mock):
    address = f"{secrets.token_hex(6)}@example.com"
    query = "?apiKey=key&hl=en"
    browser.open(f"{service.origin}/__/auth/register{query}")
    for field, text in {"email": address, "password": "correct-horse-7"}.items():
        browser.driver.find_element("id", field).send_keys(text)
    browser.click("main form button[type=submit]")
    browser.wait_for("the user is signed in", lambda: "You are signed in" in browser.text())
    connections = f"{service.origin}/__/auth/account/connections{query}"
    browser.open(connections)
    browser.click(f'button[value="{mock}"]')
    # A user whom nobody has seen.
    browser.find("input[name=sub]").send_keys(secrets.token_hex(6) + "\n")
    browser.wait_for("the account is connected", lambda: "It has been added." in browser.text())
    assert "Disconnect" in browser.text()
    browser.driver.find_element("link text", "Disconnect").click()
    browser.click("main form button.danger")
    browser.wait_for("the account is disconnected", lambda: "It has been removed." in browser.text())
