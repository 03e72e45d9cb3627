"""The REST protocol of a running mesh."""

import json
import secrets
import urllib.error
import urllib.parse
import urllib.request

PROJECT = "demo-latchkey"
ADMINISTRATOR = {"Authorization": "Bearer owner"}


class Refused(Exception):
    """The message of the error."""


class Service:
    def __init__(self, origin):
        # Providers register a redirect URI with a name.
        self.origin = origin.replace("127.0.0.1", "localhost")
        self.api = f"{self.origin}/identitytoolkit.googleapis.com"

    @property
    def redirect_uri(self):
        return f"{self.origin}/__/auth/handler"

    def request(self, method, path, fields=None, **headers):
        body = None if fields is None else json.dumps(fields).encode()
        request = urllib.request.Request(f"{self.api}/{path}", body, method=method, headers={
            "Content-Type": "application/json", **headers})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise Refused(json.load(error)["error"]["message"]) from None

    def call(self, operation, **fields):
        return self.request("POST", f"{operation}?key=key", fields)

    def admin(self, method, path, fields=None):
        return self.request(method, f"admin/v2/projects/{PROJECT}{path}", fields, **ADMINISTRATOR)

    def configure(self, name, issuer, client_id="latchkey", client_secret="a-secret-of-the-client", code=True):
        """Adds an OpenID provider that is authoritative for addresses of `example.com`, and returns its ID."""
        provider = f"oidc.{name}-{secrets.token_hex(4)}"
        self.admin("POST", f"/oauthIdpConfigs?oauthIdpConfigId={provider}", {
            "displayName": name, "enabled": True, "clientId": client_id, "clientSecret": client_secret,
            "issuer": issuer, "responseType": {"code": code, "idToken": not code},
            "authoritativeDomains": ["example.com"]})
        return provider

    def account(self, id_token):
        return self.call("v1/accounts:lookup", idToken=id_token)["users"][0]


class Response:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.text = response.read().decode()

    @property
    def location(self):
        return self.headers["Location"]

    def cookies(self):
        """The cookies that it sets, by name: the value and the attributes."""
        result = {}
        for field in self.headers.get_all("Set-Cookie") or []:
            pair, *attributes = field.split("; ")
            name, _, value = pair.partition("=")
            result[name] = (value, attributes)
        return result


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def visit(url, form=None, **headers):
    """One request of a browser, without following redirects."""
    body = None if form is None else urllib.parse.urlencode(form).encode()
    request = urllib.request.Request(url, body, headers={name.replace("_", "-"): value
                                                         for name, value in headers.items()})
    try:
        return Response(urllib.request.build_opener(NoRedirect).open(request, timeout=60))
    except urllib.error.HTTPError as response:
        return Response(response)
