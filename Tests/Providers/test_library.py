"""Sign-in with the JavaScript library's part of the exchange (REST 7.1, 7.2).

    LATCHKEY_EXECUTABLES=.build/debug pytest Tests/Providers
"""

import secrets

import pytest
from browser import Application


def choose_ada(browser):
    """On the page of `oidc-provider-mock`."""
    browser.click("button[name=sub][value=ada]")


def check_ada(reply, provider):
    assert reply["providerId"] == provider and reply["email"] == "ada@example.com" and reply["emailVerified"]
    assert reply["displayName"] == "Ada Lovelace" and reply["idToken"] and reply["oauthIdToken"]


def test_popup(app, mock):
    browser = app.browser
    app.open_frame()
    assert app.event(0) == {"type": "unknown", "error": {"code": "auth/no-auth-event"}}
    event_id = secrets.token_hex(8)
    app.popup(authType="signInViaPopup", eventId=event_id, providerId=mock, scopes="profile,email")
    choose_ada(browser)
    browser.to_application()
    event = app.events(2)[1]
    assert event["type"] == "signInViaPopup" and event["eventId"] == event_id and event["error"] is None
    reply = app.sign_in(event)
    check_ada(reply, mock)
    # The library closes the popup when it has signed in. To it, a popup that closes before is a user who gave up.
    assert not browser.run("test.isPopupClosed()")
    browser.run("test.closePopup()")
    browser.wait_for("the popup closes", lambda: browser.run("test.isPopupClosed()"))
    # The response is redeemed.
    assert app.sign_in(event)["error"]["message"].startswith("INVALID_IDP_RESPONSE")


def test_popup_of_another_site(browser, site, service, mock):
    app = Application(browser, site.replace("localhost", "127.0.0.1"), service.origin).open().open_frame()
    app.event(0)
    app.popup(authType="signInViaPopup", eventId="77", providerId=mock)
    choose_ada(browser)
    browser.to_application()
    check_ada(app.sign_in(app.events(2)[1]), mock)


def test_redirect(app, mock):
    app.redirect(authType="signInViaRedirect", providerId=mock, customParameters='{"prompt":"login"}')
    choose_ada(app.browser)
    app.wait_for_return().open_frame()
    event = app.event(0)
    assert event["type"] == "signInViaRedirect" and event["eventId"] is None
    check_ada(app.sign_in(event), mock)
    # The frame returns an event once.
    app.open().open_frame()
    assert app.event(0)["type"] == "unknown"


def test_two_tabs(app, mock, pyop):
    """Each has its own cookie, so that the first one to return does not end the other."""
    browser = app.browser
    app.open_frame()
    app.event(0)
    app.popup(authType="signInViaPopup", eventId="1", providerId=mock)
    browser.find("button[name=sub][value=ada]")
    browser.to_application()
    app.redirect(authType="signInViaRedirect", providerId=pyop.code)
    app.wait_for_return().open_frame()
    assert app.sign_in(app.event(0))["providerId"] == pyop.code
    app.open_frame()
    browser.to_popup()
    choose_ada(browser)
    browser.to_application()
    browser.wait_for("the event of the popup arrives", lambda: browser.run(
        "test.events.some((event) => event.type === 'signInViaPopup')"))


def test_code_flow_with_verifier(app, pyop):
    app.redirect(authType="signInViaRedirect", providerId=pyop.code)
    app.wait_for_return().open_frame()
    event = app.event(0)
    reply = app.sign_in(event)
    assert reply["email"] == "grace@example.com" and reply["federatedId"].startswith(pyop.code)
    form = pyop.forms[-1]
    assert form["grant_type"] == "authorization_code" and len(form["code_verifier"]) >= 43
    assert form["code_verifier"] not in str(event)


def test_implicit_flow_in_fragment(app, pyop):
    app.redirect(authType="signInViaRedirect", providerId=pyop.implicit)
    app.wait_for_return().open_frame()
    event = app.event(0)
    assert "id_token=" in event["postBody"] and "?" not in event["urlResponse"]
    assert app.sign_in(event)["email"] == "grace@example.com"


def test_response_as_form(app, pyop):
    pyop.changes["response_mode"] = "form_post"
    app.redirect(authType="signInViaRedirect", providerId=pyop.code)
    app.wait_for_return().open_frame()
    event = app.event(0)
    assert "code=" in event["postBody"] and "?" not in event["urlResponse"]
    assert app.sign_in(event)["email"] == "grace@example.com"


def test_linking(app, service, mock):
    account = service.call("v1/accounts:signUp", email=f"{secrets.token_hex(6)}@example.com",
                           password="correct-horse-7", returnSecureToken=True)
    event_id = f"{account['localId']}:::0123456789"
    app.redirect(authType="linkViaRedirect", providerId=mock, eventId=event_id)
    app.browser.find("input[name=sub]").send_keys(secrets.token_hex(6))
    app.browser.click("form:has(input[name=sub]) button")
    app.wait_for_return().open_frame()
    event = app.event(0)
    assert event["type"] == "linkViaRedirect" and event["eventId"] == event_id
    reply = app.sign_in(event, account["idToken"])
    assert reply["localId"] == account["localId"]
    linked = service.account(reply["idToken"])["providerUserInfo"]
    assert {entry["providerId"] for entry in linked} == {"password", mock}


@pytest.mark.parametrize("error, code", [
    ("access_denied", "auth/user-cancelled"), ("server_error", "auth/network-request-failed"),
    ("login_required", "auth/invalid-credential"), ("<script>alert(1)</script>", "auth/invalid-credential")])
def test_error_of_provider(app, pyop, error, code):
    """The application gets a code of ours, and neither it nor the page shows what the provider wrote (FE18)."""
    description = "<img src=x onerror=alert(2)> call 555-0100"
    pyop.changes.update(error=error, error_description=description)
    app.open_frame()
    app.event(0)
    app.popup(authType="signInViaPopup", eventId="9", providerId=pyop.code)
    app.browser.to_application()
    event = app.events(2)[1]
    assert event["error"]["code"] == code and "555-0100" not in str(event) and "<" not in str(event)
