"""The practice provider: every provider without configuration, in dev mode."""

import secrets

import pytest
from service import visit


def choose(browser, subject, email="", name="", verified=True):
    """On the page of the practice provider."""
    for field, text in {"subject": subject, "email": email, "name": name}.items():
        browser.find(f"#{field}").clear()
        browser.find(f"#{field}").send_keys(text)
    if not verified:
        browser.click("#verified")
    browser.click("#signIn")


@pytest.mark.parametrize("provider", [
    "google.com", "apple.com", "facebook.com", "github.com", "linkedin.com", "microsoft.com",
    "oidc.anything", "saml.anything"])
def test_anybody_signs_in(app, service, provider):
    subject = secrets.token_hex(6)
    app.redirect(authType="signInViaRedirect", providerId=provider)
    choose(app.browser, subject, f"{subject}@example.com", "Somebody <b>New</b>")
    app.wait_for_return().open_frame()
    reply = app.sign_in(app.event(0))
    assert reply["providerId"] == provider and reply["email"] == f"{subject}@example.com" and reply["isNewUser"]
    # Facebook does not verify addresses, nor does Microsoft those of work accounts. The word of LinkedIn counts for none.
    assert reply.get("emailVerified", False) == (provider not in ("facebook.com", "linkedin.com", "microsoft.com"))
    entry, = service.account(reply["idToken"])["providerUserInfo"]
    assert entry["providerId"] == provider and entry["rawId"] == subject

    # The second time the page offers the user.
    app.open().open_frame()
    app.redirect(authType="signInViaRedirect", providerId=provider)
    app.browser.find("#user")
    forms = app.browser.driver.find_elements("css selector", "form.earlier")
    form, = [form for form in forms if subject in form.text]
    assert "Somebody <b>New</b>" in form.text
    form.find_element("tag name", "button").click()
    app.wait_for_return().open_frame()
    again = app.sign_in(app.event(0))
    assert again["localId"] == reply["localId"] and not again.get("isNewUser")


def test_cancel(app):
    app.open_frame()
    app.event(0)
    app.popup(authType="signInViaPopup", eventId="5", providerId="google.com")
    app.browser.click("#cancel")
    app.browser.to_application()
    event = app.events(2)[1]
    assert event["error"]["code"] == "auth/user-cancelled" and event["urlResponse"] is None


def test_known_address_needs_confirmation(app, service):
    """The rules of the real provider: GitHub does not decide who has an address at example.com."""
    email = f"{secrets.token_hex(6)}@example.com"
    account = service.call("v1/accounts:signUp", email=email, password="correct-horse-7", returnSecureToken=True)
    app.redirect(authType="signInViaRedirect", providerId="github.com")
    choose(app.browser, secrets.token_hex(6), email)
    app.wait_for_return().open_frame()
    reply = app.sign_in(app.event(0))
    assert reply["needConfirmation"] is True and reply["localId"] == account["localId"] and "idToken" not in reply


def test_configured_provider_is_not_replaced(service, mock):
    query = (f"apiKey=key&appName=a&authType=signInViaRedirect&providerId={mock}"
             f"&redirectUrl={service.origin}/")
    response = visit(f"{service.origin}/__/auth/handler?{query}")
    assert response.status == 302 and "/__/auth/practice" not in response.location


@pytest.mark.parametrize("state", ["", "unknown", "<script>alert(1)</script>"])
def test_unknown_state(service, state):
    from urllib.parse import quote

    for response in (visit(f"{service.origin}/__/auth/practice?state={quote(state)}"),
                     visit(f"{service.origin}/__/auth/practice", {"state": state, "subject": "ada"})):
        assert response.status == 400 and "has ended" in response.text and "<script" not in response.text
