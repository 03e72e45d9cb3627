"""The page of docs/use/example in Chromium: a registered application gets its user from the hosted pages."""

import http.server
import pathlib
import secrets
import threading
import urllib.parse

import pytest
from playwright.sync_api import expect
from service import ADMINISTRATOR

EXAMPLE = pathlib.Path(__file__).parent / "../../docs/use/example/sign-in.html"
PASSWORD = "correct-horse-7"


class Application(http.server.ThreadingHTTPServer):
    """A server of its own, as an application has: Chromium lets no page of an unknown network load from this machine."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Request)
        self.address = f"http://localhost:{self.server_port}/sign-in.html"
        self.page = ""


class Request(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        is_page = self.path.split("?")[0] == "/sign-in.html"
        self.send_response(200 if is_page else 204)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        if is_page:
            self.wfile.write(self.server.page.encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def application(service):
    with Application() as server:
        registered = service.request("POST", "v2/projects/demo-latchkey/apps", {
            "displayName": "Shop", "kind": "WEB", "redirectUris": [server.address]}, **ADMINISTRATOR)
        text = EXAMPLE.read_text()
        for written, value in [("CLIENT_ID", registered["clientId"]), ("http://127.0.0.1:9099", service.origin)]:
            assert text.count(written) == 1
            text = text.replace(written, value)
        server.page = text
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
        service.request("DELETE", f"v2/projects/demo-latchkey/apps/{registered['clientId']}", **ADMINISTRATOR)


def says(tab, text):
    expect(tab.page.get_by_role("status")).to_contain_text(text)


def test_page_gets_its_user(application, open_tab):
    tab = open_tab()
    email = f"{secrets.token_hex(6)}@example.com"
    tab.open(application.address)
    says(tab, "Nobody is signed in.")
    tab.button("Sign in").click()
    expect(tab.page.get_by_text("to continue to Shop")).to_be_visible()
    tab.link("Create an account").click()
    tab.field("E-mail address").fill(email)
    tab.field("New password").fill(PASSWORD)
    tab.button("Create an account").click()
    says(tab, "Signed in as ")
    assert tab.page.url == application.address  # The code is gone.
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
    assert tab.page.url == application.address


def test_response_that_nobody_asked_for_signs_in_nobody(application, open_tab):
    """Login CSRF: the code of somebody else."""
    tab = open_tab()
    query = urllib.parse.urlencode({"code": "x", "state": "y", "iss": "https://securetoken.google.com/demo-latchkey"})
    tab.open(f"{application.address}?{query}")
    says(tab, "Not signed in: invalid_response.")
    assert tab.page.url == application.address


def test_page_signs_in_with_a_passkey(application, open_tab, service):
    """The application's own page adds the passkey and signs in with it."""
    tab = open_tab()
    tab.add_authenticator()
    account = service.call("v1/accounts:signUp", **{
        "email": f"{secrets.token_hex(6)}@example.com", "password": PASSWORD, "returnSecureToken": True})
    tab.open(application.address)
    added, signed_in = tab.page.evaluate("""async ([origin, idToken]) => {
      const { Latchkey } = await import(`${origin}/__/auth/latchkey.js`);
      const latchkey = new Latchkey({ clientId: "c", apiKey: "any" });
      return [await latchkey.addPasskey(idToken, { name: "Laptop" }), await latchkey.signInWithPasskey()];
    }""", [service.origin, account["idToken"]])
    assert added["userId"] == signed_in["userId"] == account["localId"]
    assert signed_in["expiresIn"] == 3600
