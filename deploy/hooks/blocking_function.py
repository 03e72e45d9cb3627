"""A blocking function for Python 3.10 or later: a verifier of events, a server, and an example.

It needs PyJWT and cryptography. docs/use/blocking-functions.md explains the events and the responses.

    LATCHKEY_URL=https://auth.example.com LATCHKEY_PROJECT=demo FUNCTION_URL=https://hooks.example.com/ PORT=8080 \\
        python3 blocking_function.py
"""

import json
import os
import threading
import time
import traceback
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt

KEYS_PATH = "/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
LEEWAY_SECONDS = 30
REFETCH_SECONDS = 60
MAXIMUM_BODY_BYTES = 512 * 1024


class Refusal(Exception):
    """Raise it in a function to refuse: the application gets the message."""

    def __init__(self, message, status="PERMISSION_DENIED", http_status=403):
        super().__init__(message)
        self.message, self.status, self.http_status = message, status, http_status


class Verifier:
    """Verifies the tokens of events for the function at `function_url`."""

    def __init__(self, latchkey_url, project, function_url, clock=time.monotonic):
        self.keys_url = latchkey_url.rstrip("/") + KEYS_PATH
        self.issuer, self.audience = f"https://securetoken.google.com/{project}", function_url
        self.clock, self.keys, self.fetched_at, self.lock = clock, {}, None, threading.Lock()

    def key(self, key_id):
        with self.lock:
            is_due = self.fetched_at is None or self.clock() - self.fetched_at >= REFETCH_SECONDS
            if key_id not in self.keys and is_due:
                self.fetched_at = self.clock()
                with urllib.request.urlopen(self.keys_url, timeout=3) as response:
                    published = jwt.PyJWKSet.from_dict(json.load(response))
                self.keys = {key.key_id: key.key for key in published.keys}
            if key_id not in self.keys:
                raise jwt.InvalidTokenError("unknown key")
            return self.keys[key_id]

    def verify(self, token):
        """The claims of the token."""
        try:
            # The algorithm is fixed: a token cannot choose another one.
            return jwt.decode(
                token, self.key(jwt.get_unverified_header(token).get("kid")), algorithms=["RS256"],
                issuer=self.issuer, audience=self.audience, leeway=LEEWAY_SECONDS,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]})
        except (jwt.InvalidTokenError, TypeError, ValueError) as error:
            raise Refusal(f"The token is invalid: {error}.", "UNAUTHENTICATED", 401) from error


def response(changes):
    """The body of a response. `changes` has fields of a user record; None changes nothing."""
    return {"userRecord": {**changes, "updateMask": ",".join(changes)}} if changes else {}


def create_server(verifier, functions, port):
    """A server that calls `functions["beforeCreate"](event)` and `functions["beforeSignIn"](event)`."""

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_POST(self):
            try:
                self.send(200, response(self.call()))
            except Refusal as refusal:
                self.send(refusal.http_status, {"error": {"message": refusal.message, "status": refusal.status}})
            except Exception:
                traceback.print_exc()  # The text of another error is not for applications.
                self.send(500, {"error": {"message": "internal error", "status": "INTERNAL"}})

        def call(self):
            length = self.headers.get("Content-Length", "")
            if not length.isascii() or not length.isdigit() or int(length) > MAXIMUM_BODY_BYTES:
                raise Refusal("The request is too long.", "INVALID_ARGUMENT", 413)
            try:
                token = json.loads(self.rfile.read(int(length)))["data"]["jwt"]
            except (ValueError, KeyError, TypeError) as error:
                raise Refusal("The request has no token.", "INVALID_ARGUMENT", 400) from error
            event = verifier.verify(token)
            function = functions.get(event.get("event_type"))
            return function(event) if function else None

        def send(self, status, body):
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


# The example: only addresses of one domain sign up, and sessions contain the address of the client.
def before_create(event):
    if not event["user_record"].get("email", "").endswith("@example.com"):
        raise Refusal("Only addresses of example.com sign up.")
    return {"customClaims": {"staff": True}}


def before_sign_in(event):
    return {"sessionClaims": {"ip_address": event.get("ip_address", "unknown")}}


if __name__ == "__main__":
    server = create_server(
        Verifier(os.environ["LATCHKEY_URL"], os.environ["LATCHKEY_PROJECT"], os.environ["FUNCTION_URL"]),
        {"beforeCreate": before_create, "beforeSignIn": before_sign_in}, int(os.environ.get("PORT", "8080")))
    print(f"listening on port {server.server_port}", flush=True)
    server.serve_forever()
