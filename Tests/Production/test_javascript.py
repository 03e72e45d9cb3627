"""The requests of the JavaScript library from a page of another origin, in the two forms that reach a server of one's own.

`connectAuthEmulator(auth, "https://auth.example.com", {disableWarnings: true})` puts the name of Google's host into the path;
`auth.config.apiHost = auth.config.tokenApiHost = "auth.example.com"` does not.
"""

import time

import jwt
import pytest
import requests
from conftest import API_KEY, PROJECT
from nginx import PUBLIC_NAME

ORIGIN = "https://app.example.com"
HOST = f"https://{PUBLIC_NAME}"
FORMS = {
    "connectAuthEmulator": (f"{HOST}/identitytoolkit.googleapis.com", f"{HOST}/securetoken.googleapis.com",
                            f"{HOST}/emulator/auth"),
    "apiHost": (HOST, HOST, f"{HOST}/__/auth"),
}
LIBRARY = {"X-Client-Version": "Chrome/JsCore/12.0.0/FirebaseCore-web", "X-Firebase-gmpid": "1:1:web:1"}


class Library:
    """Sends what the library sends: a preflight first, as a browser does for these headers."""

    def __init__(self, form):
        self.api, self.tokens, self.pages = FORMS[form]

    def request(self, method, url, content_type, **arguments):
        preflight = requests.options(url, timeout=60, headers={
            "Origin": ORIGIN, "Access-Control-Request-Method": method,
            "Access-Control-Request-Headers": "content-type,x-client-version,x-firebase-gmpid"})
        assert preflight.status_code == 204 and preflight.headers["Access-Control-Allow-Origin"] == ORIGIN
        allowed = preflight.headers["Access-Control-Allow-Headers"].split(",")
        assert {"content-type", "x-client-version", "x-firebase-gmpid"} <= {name.strip() for name in allowed}
        response = requests.request(
            method, url, timeout=60, headers={"Origin": ORIGIN, "Content-Type": content_type, **LIBRARY}, **arguments)
        assert response.headers["Access-Control-Allow-Origin"] == ORIGIN
        return response

    def call(self, path, **body):
        return self.request("POST", f"{self.api}{path}?key={API_KEY}", "application/json", json=body).json()

    def get(self, path):
        return self.request("GET", f"{self.api}{path}?key={API_KEY}", "application/json").json()

    def refresh(self, token):
        return self.request("POST", f"{self.tokens}/v1/token?key={API_KEY}", "application/x-www-form-urlencoded",
                            data={"grant_type": "refresh_token", "refresh_token": token}).json()


@pytest.fixture(params=FORMS)
def library(request, app):
    return Library(request.param)


def test_session(library):
    """Sign-up, refresh, lookup, password sign-in with a wrong and the right password, and deletion."""
    email = f"grace-{time.time_ns()}@example.com"
    account = library.call("/v1/accounts:signUp", email=email, password="correct horse battery", returnSecureToken=True)
    renewed = library.refresh(account["refreshToken"])
    assert renewed["user_id"] == account["localId"]
    user, = library.call("/v1/accounts:lookup", idToken=renewed["id_token"])["users"]
    assert user["email"] == email
    refused = library.call("/v1/accounts:signInWithPassword", email=email, password="wrong")
    assert refused["error"]["message"] == "INVALID_LOGIN_CREDENTIALS"
    session = library.call("/v1/accounts:signInWithPassword", email=email, password="correct horse battery",
                           returnSecureToken=True)
    assert library.call("/v1/accounts:delete", idToken=session["idToken"])["kind"].endswith("#DeleteAccountResponse")


def test_configuration_requests(library):
    assert library.get("/v1/projects")["projectId"]
    assert library.get("/v2/passwordPolicy")["customStrengthOptions"]["minPasswordLength"] >= 6


def test_pages_of_redirect_and_popup(library):
    """The pages are served where the library looks for them in this form."""
    for page in ["handler", "iframe"]:
        response = requests.get(f"{library.pages}/{page}", timeout=60,
                                params={"apiKey": API_KEY, "appName": "[DEFAULT]", "v": "12.0.0"})
        assert response.headers["Content-Type"].startswith("text/html") and response.status_code < 500
        assert "frame-ancestors" in response.headers["Content-Security-Policy"]


def test_token_is_verified_with_any_jose_library(library):
    """With the published keys, and without an admin library."""
    token = library.call("/v1/accounts:signUp", returnSecureToken=True)["idToken"]
    keys = jwt.PyJWKSet.from_dict(requests.get(
        f"{HOST}/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", timeout=60).json())
    key = keys[jwt.get_unverified_header(token)["kid"]]
    expected = {"audience": PROJECT, "issuer": f"https://securetoken.google.com/{PROJECT}"}
    claims = jwt.decode(token, key, algorithms=["RS256"], **expected)
    assert claims["firebase"]["sign_in_provider"] == "anonymous"
    head, _, signature = token.rpartition(".")
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.decode(f"{head}.{'A' if signature[0] != 'A' else 'B'}{signature[1:]}", key, algorithms=["RS256"], **expected)


def test_discovery_names_the_keys(names):
    """For libraries that find the keys by the issuer, within the private names."""
    issuer = f"https://securetoken.google.com/{PROJECT}"
    document = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=60).json()
    assert document["issuer"] == issuer
    assert requests.get(document["jwks_uri"], timeout=60).json()["keys"]


def test_administration_is_not_reachable_from_outside(names):
    for path in [f"/v1/projects/{PROJECT}/accounts:query", f"/identitytoolkit.googleapis.com/v2/projects/{PROJECT}/config",
                 "/metrics", "/oauth2.googleapis.com/token", "/emulator/v1/projects/shop/accounts"]:
        for method in ["GET", "POST"]:
            response = requests.request(method, HOST + path, headers={"Authorization": "Bearer owner"}, timeout=60)
            assert response.status_code == 404, (method, path)


def test_limits_count_clients_and_not_the_proxy(names, mesh):
    """The address that the gateway sees is that of the client, which a header of the client cannot replace."""
    requests.get(f"{HOST}/v1/projects", params={"key": API_KEY}, timeout=60, headers={"X-Forwarded-For": "192.0.2.77"})
    assert "192.0.2.77" not in mesh.log and "network=127.0.0.1" in mesh.log
