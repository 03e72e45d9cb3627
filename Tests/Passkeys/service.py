"""The REST protocol of a running mesh, as an application calls it."""

import base64
import json
import secrets
import urllib.error
import urllib.request

PASSWORD = "correct-horse-7"
ADMINISTRATOR = {"Authorization": "Bearer owner"}


def decode(text: str) -> bytes:
    """Either base64 alphabet, padded or not."""
    text = text.replace("+", "-").replace("/", "_").rstrip("=")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encode(data: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Refused(Exception):
    """The first word of the error message."""


class Service:
    def __init__(self, origin: str):
        # A relying party ID is a domain, so the browser must not see an address.
        self.origin = origin.replace("127.0.0.1", "localhost")
        self.api = f"{origin}/identitytoolkit.googleapis.com"

    def request(self, method, path, fields=None, **headers):
        body = None if fields is None else json.dumps(fields).encode()
        request = urllib.request.Request(f"{self.api}/{path}", body, method=method, headers={
            "Content-Type": "application/json", **headers})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            raise Refused(json.load(refusal)["error"]["message"].partition(" : ")[0]) from None

    def call(self, operation, **fields):
        return self.request("POST", f"{operation}?key=key", fields)

    def sign_up(self):
        """A new account with a password."""
        return self.call("v1/accounts:signUp", email=f"{secrets.token_hex(6)}@example.com", password=PASSWORD,
                         displayName="Ada", returnSecureToken=True)

    def start_enrollment(self, id_token):
        return self.call("v2/accounts/passkeyEnrollment:start", idToken=id_token)["credentialCreationOptions"]

    def finish_enrollment(self, id_token, response, **fields):
        return self.call("v2/accounts/passkeyEnrollment:finalize", idToken=id_token,
                         authenticatorRegistrationResponse=response, **fields)

    def start_sign_in(self, **fields):
        return self.call("v2/accounts/passkeySignIn:start", **fields)["credentialRequestOptions"]

    def finish_sign_in(self, response):
        return self.call("v2/accounts/passkeySignIn:finalize", authenticatorAuthenticationResponse=response)

    def passkeys(self, id_token):
        return self.call("v1/accounts:lookup", idToken=id_token)["users"][0].get("passkeyInfo", [])

    def remove(self, id_token, *ids):
        return self.call("v1/accounts:update", idToken=id_token, deletePasskey=ids, returnSecureToken=True)

    def create_tenant(self, **settings):
        """The ID of a tenant that allows anonymous accounts."""
        tenant = self.request("POST", "v2/projects/demo-latchkey/tenants", {
            "displayName": "Tenant", "enableAnonymousUser": True, **settings}, **ADMINISTRATOR)
        return tenant["name"].rpartition("/")[2]

    def configure(self, mask, configuration):
        return self.request("PATCH", f"admin/v2/projects/demo-latchkey/config?updateMask={mask}", configuration,
                            **ADMINISTRATOR)
