"""OpenID providers of other authors, and LinkedIn."""

import json
import logging
import time
import urllib.parse

import oidc_provider_mock
from jwkest.jwk import RSAKey, rsa_load  # noqa: F401
from jwkest.jws import JWS
from Cryptodome.PublicKey import RSA
from pyop.authz_state import AuthorizationState
from pyop.exceptions import InvalidClientAuthentication, OAuthError
from pyop.provider import Provider
from pyop.subject_identifier import HashBasedSubjectIdentifierFactory
from pyop.userinfo import Userinfo
from servers import Server, html

USER = {"sub": "ada", "claims": {"email": "ada@example.com", "email_verified": True, "name": "Ada Lovelace"}}


def start_mock():
    """`oidc-provider-mock`: the user chooses an account on a page. A context manager; the value has the port."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    return oidc_provider_mock.run_server_in_thread(user_claims=[
        oidc_provider_mock.User(sub=USER["sub"], claims=USER["claims"])])


class PyOP:
    """`pyop`: the authorization code flow with a client secret and PKCE, and the implicit flow. It knows one user.

    It insists on an issuer with HTTPS, so federation reaches it by `LATCHKEY_DEV_ENDPOINTS`."""

    host = "pyop.example"
    issuer = f"https://{host}"
    client_id, client_secret = "latchkey", "a-secret-of-the-client"

    def __init__(self):
        self.server = Server(self.respond)
        self.address = f"http://localhost:{self.server.port}"
        self.forms = []
        self.changes = {}  # Of the authorization response.
        self.client = {
            "client_id": self.client_id, "client_secret": self.client_secret, "redirect_uris": [],
            "response_types": ["code", "id_token"], "token_endpoint_auth_method": "client_secret_basic",
            "subject_type": "public"}
        clients = {self.client_id: self.client}
        self.provider = Provider(
            RSAKey(key=RSA.generate(2048), alg="RS256", kid="pyop-1", use="sig"), {
                "issuer": self.issuer, "authorization_endpoint": f"{self.address}/authorize",
                "token_endpoint": f"{self.issuer}/token", "jwks_uri": f"{self.issuer}/jwks",
                "scopes_supported": ["openid", "email", "profile"], "response_types_supported": ["code", "id_token"],
                "response_modes_supported": ["query", "fragment"], "subject_types_supported": ["public"],
                "grant_types_supported": ["authorization_code", "implicit"],
                "code_challenge_methods_supported": ["S256"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "token_endpoint_auth_methods_supported": ["client_secret_basic"]},
            AuthorizationState(HashBasedSubjectIdentifierFactory("salt")), clients,
            Userinfo({"grace": {"email": "grace@example.com", "email_verified": True, "name": "Grace Hopper"}}))

    def respond(self, method, path, query, headers, body):
        def answer(value):
            return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()

        if path == "/.well-known/openid-configuration":
            return answer(self.provider.provider_configuration.to_dict())
        if path == "/jwks":
            return answer(self.provider.jwks)
        if path == "/authorize":
            return self.authorize(query)
        if path == "/token":
            self.forms.append(dict(urllib.parse.parse_qsl(body.decode())))
            try:
                return answer(self.provider.handle_token_request(
                    body.decode(), dict(headers), extra_id_token_claims={"email": "grace@example.com",
                                                                         "email_verified": True}).to_dict())
            except (InvalidClientAuthentication, OAuthError) as error:
                return 400, {"Content-Type": "application/json"}, json.dumps({
                    "error": getattr(error, "oauth_error", "invalid_client")}).encode()
        return 404, {}, b""

    def authorize(self, query):
        request = self.provider.parse_authentication_request(query)
        if "error" in self.changes:
            fields = {"state": request["state"], **self.changes}
            return 302, {"Location": f"{request['redirect_uri']}?{urllib.parse.urlencode(fields)}"}, b""
        response = self.provider.authorize(request, "grace", extra_id_token_claims={
            "email": "grace@example.com", "email_verified": True})
        fields = response.to_dict() | self.changes
        location = response.request(request["redirect_uri"], request["response_type"] != ["code"])
        if self.changes.get("response_mode") == "form_post":
            inputs = "".join(f'<input name="{name}" value="{value}">' for name, value in fields.items()
                             if name != "response_mode")
            return html(f'<!DOCTYPE html><form id="form" method="post" action="{request["redirect_uri"]}">{inputs}'
                        '</form><script>document.getElementById("form").submit()</script>')
        return 302, {"Location": location}, b""

    def stop(self):
        self.server.stop()


class LinkedIn:
    """The token endpoint and the keys of LinkedIn, as those report who use it: tokens without a nonce, and no PKCE.

    Federation reaches it by `LATCHKEY_DEV_ENDPOINTS`."""

    host = "www.linkedin.com"
    issuer = f"https://{host}/oauth"
    client_id, client_secret = "latchkey", "a-secret-of-the-client"
    email = "lin@example.com"

    def __init__(self):
        self.key = RSAKey(key=RSA.generate(2048), alg="RS256", kid="linkedin-1", use="sig")
        self.server = Server(self.respond)
        self.address = f"http://localhost:{self.server.port}"

    def respond(self, method, path, query, headers, body):
        if path == "/oauth/openid/jwks":
            return self.answer(200, {"keys": [self.key.serialize()]})
        if path != "/oauth/v2/accessToken":
            return 404, {}, b""
        form = dict(urllib.parse.parse_qsl(body.decode()))
        if "code_verifier" in form or form.get("client_secret") != self.client_secret:
            return self.answer(401, {"error": "invalid_client"})
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": self.client_id, "sub": f"member-{form['code']}", "iat": now,
                  "exp": now + 3600, "email": self.email, "email_verified": "true", "name": "Lin Kedin",
                  "given_name": "Lin", "family_name": "Kedin", "locale": "en_US"}
        return self.answer(200, {"access_token": "AQX-1", "expires_in": 5184000, "scope": "email,openid,profile",
                                 "id_token": JWS(json.dumps(claims), alg="RS256").sign_compact([self.key])})

    @staticmethod
    def answer(status, value):
        return status, {"Content-Type": "application/json"}, json.dumps(value).encode()

    def stop(self):
        self.server.stop()
