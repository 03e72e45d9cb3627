"""The hosted sign-in with identity providers."""

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
