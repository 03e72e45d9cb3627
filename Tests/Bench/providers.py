"""An OpenID provider and its users, for the bench."""

import base64
import contextlib
import http.server
import json
import pathlib
import subprocess
import threading
import time

from mesh import KEY
from totp import ask

SIGN_IN = "/identitytoolkit.googleapis.com/v1/accounts:signInWithIdp" + KEY
CONFIGS = "/admin/v2/projects/demo-latchkey/oauthIdpConfigs?oauthIdpConfigId="
PROVIDER, CLIENT = "oidc.bench", "bench-client"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def encoded(value):
    return base64url(json.dumps(value).encode())


class Provider:
    """It publishes its discovery document and its key, and counts the requests for them."""

    def __init__(self, scratch):
        self.key = pathlib.Path(scratch) / "provider.pem"
        subprocess.run(["openssl", "genrsa", "-out", self.key, "2048"], check=True, capture_output=True)
        modulus = subprocess.run(
            ["openssl", "rsa", "-in", self.key, "-noout", "-modulus"], check=True, capture_output=True, text=True)
        number = bytes.fromhex(modulus.stdout.strip().removeprefix("Modulus="))
        self.requests = 0
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        self.documents = {
            "/.well-known/openid-configuration": {
                "issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys",
                "authorization_endpoint": f"{self.issuer}/authorize"},
            "/keys": {"keys": [{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "k1", "n": base64url(number),
                                "e": "AQAB"}]}}

    def handler(self):
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                provider.requests += 1
                body = json.dumps(provider.documents[self.path]).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        return Handler

    @contextlib.contextmanager
    def running(self, mesh):
        """Serves, and is a provider of the mesh."""
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        ask(mesh, "POST", CONFIGS + PROVIDER, {"enabled": True, "issuer": self.issuer, "clientId": CLIENT})
        try:
            yield self
        finally:
            self.server.shutdown()

    def token(self, number):
        """An ID token without nonce, which works until it expires."""
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "sub": f"user-{number}", "iat": now, "exp": now + 3600,
                  "email": f"provider-{number}@bench.example", "name": f"User {number}"}
        message = f'{encoded({"alg": "RS256", "kid": "k1", "typ": "JWT"})}.{encoded(claims)}'
        signature = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", self.key], input=message.encode(), check=True, capture_output=True)
        return f"{message}.{base64url(signature.stdout)}"

    def sign_ins(self, mesh, count):
        """Signs `count` users in. Returns the bodies, which sign them in again."""
        bodies = [{"requestUri": "http://localhost", "returnSecureToken": True,
                   "postBody": f"providerId={PROVIDER}&id_token={self.token(number)}"} for number in range(count)]
        for body in bodies:
            ask(mesh, "POST", SIGN_IN, body)
        return bodies
