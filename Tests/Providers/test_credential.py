"""`/__/auth/signin`, the page that returns a credential for `signInWithCredential`."""

import json
import secrets
import urllib.parse

from browser import Application
from test_practice import choose
from test_library import choose_ada


def test_popup(browser, site, service, mock):
    app = Application(browser, site.replace("localhost", "127.0.0.1"), service.origin).open()
    state = secrets.token_hex(16)
    app.popup(is_for_credential=True, providerId=mock, state=state, mode="popup")
    choose_ada(browser)
    browser.to_application()
    browser.wait_for("a message arrives", lambda: browser.run("test.messages.length") == 1)
    message = browser.run("test.messages[0]")
    assert message["origin"] == service.origin and message["state"] == state
    credential = message["credential"]
    assert credential["providerId"] == credential["signInMethod"] == mock and "error" not in message
    reply = app.sign_in_with_credential(credential)
    assert reply["email"] == "ada@example.com" and reply["idToken"] and reply["providerId"] == mock
    # Valid for an hour, for example to confirm an account first.
    assert app.sign_in_with_credential(credential)["localId"] == reply["localId"]


def fragment(app):
    app.wait_for_return()
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(app.browser.url).fragment))


def test_redirect(app, pyop):
    state = secrets.token_hex(16)
    app.browser.run("test.redirectForCredential(arguments[0])", {"providerId": pyop.code, "state": state})
    app.browser.wait_for("the browser returns", lambda: "state=" in app.browser.url)
    result = fragment(app)
    credential = json.loads(result.pop("credential"))
    assert result == {"state": state}
    assert credential.keys() == {"providerId", "signInMethod", "pendingToken"}
    app.open()
    assert app.sign_in_with_credential(credential)["email"] == "grace@example.com"


def test_cancel(app):
    app.browser.run("test.redirectForCredential(arguments[0])", {"providerId": "google.com", "state": "s-1"})
    app.browser.click("#cancel")
    app.browser.wait_for("the browser returns", lambda: "state=" in app.browser.url)
    assert fragment(app) == {"state": "s-1", "error": "auth/user-cancelled"}


def test_practice_provider(app):
    subject = secrets.token_hex(6)
    app.popup(is_for_credential=True, providerId="apple.com", state="s-2", mode="popup")
    choose(app.browser, subject, f"{subject}@example.com")
    app.browser.to_application()
    app.browser.wait_for("a message arrives", lambda: app.browser.run("test.messages.length") == 1)
    reply = app.sign_in_with_credential(app.browser.run("test.messages[0].credential"))
    assert reply["providerId"] == "apple.com" and reply["emailVerified"]


def test_pending_token_of_another_project_or_garbage(app):
    reply = app.sign_in_with_credential({"pendingToken": "x" * 100})
    assert reply["error"]["message"].startswith("INVALID_PENDING_TOKEN")


def test_hostile_opener(browser, site, service):
    """The message goes to the origin of the authorized page only, also when another page opened the window."""
    app = Application(browser, site.replace("localhost", "127.0.0.1"), service.origin).open()
    app.popup(is_for_credential=True, providerId="google.com", state="s-3", mode="popup", redirectUrl=f"{site}/app")
    choose(browser, "ada")
    browser.find("#result")
    browser.wait_for("the script of the page has run", lambda: browser.run("document.readyState") == "complete")
    browser.to_application()
    # A later message has arrived.
    browser.run_async("new Promise((arrived) => { addEventListener('message', arrived); postMessage('later', '*'); })"
                      ".then(() => true)")
    assert browser.run("test.messages") == []
