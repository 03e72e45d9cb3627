"""Authorization codes of registered applications: `/__/auth/authorize` and `/__/auth/token`, an addition to the protocol."""

import base64
import hashlib
import json
import re
import secrets
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from lib.client import PASSWORD

pytestmark = pytest.mark.latchkey("no authorization codes")

AUTHORIZE, TOKEN, LOGIN = "/__/auth/authorize", "/__/auth/token", "/__/auth/login"
WEB = "https://app.example.com/signed-in"
TOOL = "http://127.0.0.1/signed-in"
TOOL_AT_PORT = "http://127.0.0.1:51004/signed-in"


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Visit:
    """An application, and a browser without script. It stops where it would leave the pages."""

    def __init__(self, service, registration, redirect=None):
        self.service = service
        self.client = registration["clientId"]
        self.redirect = redirect or registration["redirectUris"][0]
        self.browser = httpx.Client(base_url=service.url, trust_env=False, timeout=30)
        self.verifier, self.state = secrets.token_urlsafe(32), secrets.token_urlsafe(16)

    def request(self, **changes):
        items = {
            "response_type": "code", "client_id": self.client, "redirect_uri": self.redirect, "state": self.state,
            "code_challenge": base64url(hashlib.sha256(self.verifier.encode()).digest()),
            "code_challenge_method": "S256", **changes,
        }
        return {name: value for name, value in items.items() if value is not None}

    def open(self, address, **options):
        """Follows redirects and `Refresh` of this origin. Returns the page, or the address of another origin."""
        reply = self.browser.request("GET" if "data" not in options else "POST", address, **options)
        onward = reply.headers.get("location") or reply.headers.get("refresh", "").partition("url=")[2]
        if not onward:
            return reply
        if onward.startswith("/") or onward.startswith(self.service.url + "/"):
            return self.open(onward)
        assert reply.headers["referrer-policy"] == "no-referrer" and reply.headers["cache-control"] == "no-store"
        return onward

    def authorize(self, **changes):
        return self.open(AUTHORIZE, params=self.request(**changes))

    def send(self, page, path, **fields):
        """Sends the form of a page."""
        assert isinstance(page, httpx.Response), page
        action, = {found for found in re.findall(r'<form[^>]* action="([^"]*)"', page.text)
                   if urlsplit(found).path == path} or [None]
        assert action, page.text
        token = re.search(r'name="token"[^>]* value="([^"]*)"', page.text)[1]
        return self.open(action.replace("&amp;", "&"), data={"token": token, **fields})

    def give_password(self, page, email):
        return self.send(self.send(page, LOGIN, email=email), f"{LOGIN}/password", password=PASSWORD)

    def answer(self, address, redirect=None):
        """The response in the address of the application."""
        expected = redirect or self.redirect
        assert isinstance(address, str) and address.startswith(expected + "?"), address
        items = {name: value for name, (value,) in parse_qs(urlsplit(address).query).items()}
        assert items["state"] == self.state
        assert items["iss"] == f"https://securetoken.google.com/{self.service.project}"
        return items

    def code(self, email, **changes):
        return self.answer(self.give_password(self.authorize(**changes), email))["code"]

    def redeem(self, code, /, origin=None, **changes):
        form = {
            "grant_type": "authorization_code", "client_id": self.client, "code": code, "redirect_uri": self.redirect,
            "code_verifier": self.verifier, **changes,
        }
        return httpx.post(self.service.url + TOKEN, data=form, trust_env=False,
                          headers={"Origin": origin} if origin else {})


def refuses(reply, error, status=400):
    assert (reply.status_code, reply.json()["error"]) == (status, error), reply.text


def claims(token):
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


@pytest.fixture
def register(service):
    made = []

    def create(kind="WEB", redirect=WEB, **fields):
        made.append(service.admin("POST", "/apps", {
            "displayName": "The Shop", "kind": kind, "redirectUris": [redirect], **fields,
        }, version="v2").ok("clientId"))
        return made[-1]

    yield create
    for body in made:
        service.admin("DELETE", f"/apps/{body['clientId']}", version="v2")


@pytest.fixture
def visit(service, register):
    return Visit(service, register())


@pytest.fixture
def user(service):
    return service.sign_up()


def test_code_becomes_a_session(service, visit, user):
    page = visit.authorize(nonce="n-1", login_hint=user.email)
    assert "to continue to The Shop" in page.text and user.email in page.text
    reply = visit.redeem(visit.answer(visit.give_password(page, user.email))["code"])
    assert reply.status_code == 200 and reply.headers["cache-control"] == "no-store"
    tokens = reply.json()
    assert (tokens["token_type"], tokens["expires_in"], tokens["user_id"]) == ("Bearer", 3600, user.local_id)
    found = claims(tokens["id_token"])
    assert (found["sub"], found["nonce"], found["amr"], found["firebase"]["sign_in_provider"]) == (
        user.local_id, "n-1", ["pwd"], "password")
    # It is the session of any sign-in, and another one than that of the pages.
    again = service.refresh(tokens["refresh_token"]).ok("id_token", "refresh_token")
    refreshed = claims(again["id_token"])
    assert "nonce" not in refreshed and refreshed["auth_time"] == found["auth_time"]
    assert service.own_record(tokens["id_token"])["localId"] == user.local_id


def test_signed_in_user_sees_no_page(visit, user):
    visit.code(user.email)
    assert visit.answer(visit.authorize())["code"]


def test_session_of_the_pages_is_not_the_session_of_the_application(service, visit, user):
    tokens = visit.redeem(visit.code(user.email)).json()
    page = visit.open(f"{LOGIN}?apiKey=fake-api-key")
    visit.send(page, "/__/auth/logout")
    service.refresh(tokens["refresh_token"]).ok("id_token")
    answer = visit.answer(visit.authorize(prompt="none"))
    assert answer["error"] == "login_required"


# Attacks


def test_code_counts_once_and_a_replay_ends_its_session(service, visit, user):
    code = visit.code(user.email)
    tokens = visit.redeem(code).json()
    service.refresh(tokens["refresh_token"]).ok("id_token")
    refuses(visit.redeem(code), "invalid_grant")
    service.refresh(tokens["refresh_token"]).error("TOKEN_EXPIRED")


@pytest.mark.parametrize("changes", [
    {"code_verifier": "w" * 43}, {"code_verifier": ""}, {"redirect_uri": "https://evil.example/"},
    {"redirect_uri": WEB + "/"}, {"client_id": "another"},
])
def test_stolen_code_is_worth_nothing(service, register, visit, user, changes):
    code = visit.code(user.email)
    if changes.get("client_id") == "another":
        changes = {"client_id": register()["clientId"]}
    reply = visit.redeem(code, **changes)
    refuses(reply, "invalid_request" if "" in changes.values() else "invalid_grant")
    if "" not in changes.values():
        refuses(visit.redeem(code), "invalid_grant")  # It has ended.


@pytest.mark.parametrize("changes", [
    {"client_id": None}, {"client_id": "0" * 32}, {"redirect_uri": None}, {"redirect_uri": "https://evil.example/"},
    {"redirect_uri": WEB + "/"}, {"redirect_uri": WEB + "?a=b"}, {"redirect_uri": WEB + "#a"},
    {"redirect_uri": "https://app.example.com"}, {"redirect_uri": "https://app.example.com@evil.example/signed-in"},
    {"redirect_uri": "https://APP.example.com/signed-in"}, {"redirect_uri": "javascript:alert(1)"},
    {"redirect_uri": [WEB, "https://evil.example/"]},
])
def test_nothing_goes_to_an_unregistered_address(visit, user, changes):
    visit.code(user.email)
    reply = visit.browser.get(AUTHORIZE, params=visit.request(**changes))
    assert reply.status_code == 400 and "location" not in reply.headers and "refresh" not in reply.headers
    assert reply.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("changes, error", [
    ({"code_challenge": None}, "invalid_request"), ({"code_challenge": "x"}, "invalid_request"),
    ({"code_challenge_method": "plain"}, "invalid_request"), ({"code_challenge_method": None}, "invalid_request"),
    ({"response_type": "token"}, "unsupported_response_type"),
    ({"response_type": "code id_token"}, "unsupported_response_type"),
    ({"request": "e30.e30."}, "request_not_supported"), ({"request_uri": "https://a.example/"},
                                                         "request_uri_not_supported"),
    ({"response_mode": "fragment"}, "invalid_request"), ({"max_age": "-1"}, "invalid_request"),
    ({"prompt": "create"}, "invalid_request"), ({"nonce": ["a", "b"]}, "invalid_request"),
    ({"prompt": "none"}, "login_required"), ({"tenantId": "no-such-tenant"}, "invalid_request"),
])
def test_malformed_request_returns_to_the_application(visit, changes, error):
    answer = visit.answer(visit.authorize(**changes))
    assert answer["error"] == error and "code" not in answer


def test_tool_listens_on_any_port_and_gets_no_code_unseen(service, register, user):
    visit = Visit(service, register("TOOL", TOOL), TOOL_AT_PORT)
    assert visit.code(user.email)
    # RFC 8252 8.6: another program may listen there, so each code has a page.
    page = visit.authorize()
    assert user.email in page.text
    lure = str(page.url).split("?")[1]
    page = visit.open(f"{LOGIN}?{lure}&step=done")
    assert user.email in page.text
    assert visit.answer(visit.authorize(prompt="none"))["error"] == "interaction_required"
    assert visit.answer(visit.send(page, f"{LOGIN}/continue"))["code"]
    assert user.email in visit.authorize().text
    for address in ["http://127.0.0.1:51004/other", "http://localhost:51004/signed-in",
                    "https://127.0.0.1:51004/signed-in", "http://127.0.0.1:51004@evil.example/signed-in"]:
        reply = visit.browser.get(AUTHORIZE, params=visit.request(redirect_uri=address))
        assert reply.status_code == 400 and "location" not in reply.headers


def test_scheme_of_a_registered_application(service, register, user):
    visit = Visit(service, register("IOS", "com.example.shop:/signed-in"))
    assert visit.code(user.email)
    reply = visit.browser.get(AUTHORIZE, params=visit.request(redirect_uri="com.example.other:/signed-in"))
    assert reply.status_code == 400 and "location" not in reply.headers


@pytest.mark.parametrize("origin, is_allowed", [
    ("https://app.example.com", True), ("https://evil.example", False), ("null", False),
])
def test_tokens_are_for_pages_of_the_application(visit, user, origin, is_allowed):
    code = visit.code(user.email)
    reply = visit.redeem(code, origin=origin)
    assert reply.headers.get("access-control-allow-origin") == (origin if is_allowed else None)
    assert "access-control-allow-credentials" not in reply.headers
    if is_allowed:
        assert reply.status_code == 200
    else:
        refuses(reply, "invalid_request")
        assert visit.redeem(code).status_code == 200  # Pages of others cannot use it up.


def test_registered_origins_replace_those_of_the_addresses(service, register, user):
    visit = Visit(service, register(origins=["https://www.example.com"]))
    code = visit.code(user.email)
    refuses(visit.redeem(code, origin="https://app.example.com"), "invalid_request")
    assert visit.redeem(code, origin="https://www.example.com").status_code == 200


def test_disabled_account_gets_nothing(service, visit, user):
    code = visit.code(user.email)
    service.admin_update(user.local_id, disableUser=True).ok("localId")
    refuses(visit.redeem(code), "invalid_grant")
    assert visit.answer(visit.authorize(prompt="none"))["error"] == "login_required"


def test_code_ends_with_the_session_of_the_page(visit, user):
    code = visit.code(user.email)
    visit.send(visit.open(f"{LOGIN}?apiKey=fake-api-key"), "/__/auth/logout")
    refuses(visit.redeem(code), "invalid_grant")


def test_removed_application_gets_nothing(service, visit, user):
    code = visit.code(user.email)
    service.admin("DELETE", f"/apps/{visit.client}", version="v2").ok()
    refuses(visit.redeem(code), "invalid_client")
    assert visit.browser.get(AUTHORIZE, params=visit.request()).status_code == 400


@pytest.mark.parametrize("changes, error", [
    ({"grant_type": "password"}, "unsupported_grant_type"), ({"client_id": "0" * 32}, "invalid_client"),
    ({"code": ""}, "invalid_request"), ({"code": "x"}, "invalid_grant"),
])
def test_other_redemption_is_refused(visit, changes, error):
    refuses(visit.redeem("x", **changes), error)


# A newer or stronger sign-in


def test_new_sign_in_is_demanded(service, visit, user):
    visit.code(user.email)
    for changes in [{"prompt": "login"}, {"max_age": "0"}, {"prompt": "login", "max_age": "0"}]:
        page = visit.authorize(**changes)
        assert "E-mail address" in page.text
        assert visit.answer(visit.give_password(page, user.email))["code"]
    # The confirmation of one request is not that of another.
    visit.verifier = secrets.token_urlsafe(32)
    assert "E-mail address" in visit.authorize(prompt="login").text
    assert visit.answer(visit.authorize(max_age="3600"))["code"]


def test_other_account_can_be_chosen(service, visit, user):
    visit.code(user.email)
    page = visit.authorize(prompt="select_account")
    assert user.email in page.text
    assert visit.answer(visit.send(page, f"{LOGIN}/continue"))["code"]


def test_level_that_the_account_cannot_reach(visit, user):
    page = visit.authorize(acr_values="urn:latchkey:2fa")
    answer = visit.answer(visit.give_password(page, user.email))
    assert answer["error"] == "unmet_authentication_requirements"
    assert visit.answer(visit.authorize(acr_values="urn:latchkey:2fa urn:latchkey:1fa"))["code"]


# Firebase's libraries


def grant(visit, code, **changes):
    fields = {"client_id": visit.client, "code": code, "redirect_uri": visit.redirect, "code_verifier": visit.verifier}
    return "latchkey-code." + base64url(json.dumps(fields | changes).encode())


def test_library_takes_the_code_as_a_custom_token(service, visit, user):
    code = visit.code(user.email)
    body = service.v1("accounts:signInWithCustomToken",
                      {"token": grant(visit, code), "returnSecureToken": True}).ok("idToken", "refreshToken")
    assert body["isNewUser"] is False
    found = claims(body["idToken"])
    assert (found["sub"], found["firebase"]["sign_in_provider"]) == (user.local_id, "password")
    service.v1("accounts:signInWithCustomToken", {"token": grant(visit, code)}).error("INVALID_CUSTOM_TOKEN")
    service.refresh(body["refreshToken"]).error("TOKEN_EXPIRED")


def test_grant_of_another_verifier_is_no_custom_token(service, visit, user):
    code = visit.code(user.email)
    for changes in [{"client_id": "0" * 32}, {"code_verifier": "w" * 43}]:
        service.v1("accounts:signInWithCustomToken",
                   {"token": grant(visit, code, **changes)}).error("INVALID_CUSTOM_TOKEN")
