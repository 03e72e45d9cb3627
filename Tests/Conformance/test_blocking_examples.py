"""The examples of `deploy/hooks`: as blocking functions of the server, and with tokens that they must refuse."""

import base64
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from ports import free_port

from lib.client import PASSWORD
from lib.counterparts import Web
from lib.plugin import PROJECT, URL
from lib.tokens import claims

pytestmark = pytest.mark.latchkey("examples of this repository")
HOOKS = Path(__file__).parents[2] / "deploy" / "hooks"
COMMANDS = {"node": ["node", HOOKS / "blocking-function.mjs"], "python": [sys.executable, HOOKS / "blocking_function.py"]}
REFUSAL = "Only addresses of example.com sign up."


class Keys(Web):
    """A server that publishes one key as the product does."""

    def __init__(self):
        self.private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.requests = 0
        super().__init__()

    def answer(self, method, path, query, body):
        self.requests += 1
        numbers = self.private.public_key().public_numbers()

        def text(number):
            return base64.urlsafe_b64encode(number.to_bytes((number.bit_length() + 7) // 8, "big")).rstrip(b"=").decode()

        return 200, {"keys": [{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "one", "n": text(numbers.n),
                               "e": text(numbers.e)}]}


@pytest.fixture(params=COMMANDS)
def start(request):
    """`start(latchkey_url)` starts the example and returns the URL of its function."""
    running = []

    def run(latchkey_url):
        port = free_port()
        url = f"http://127.0.0.1:{port}/hook"
        process = subprocess.Popen(
            COMMANDS[request.param], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "LATCHKEY_URL": latchkey_url, "LATCHKEY_PROJECT": PROJECT, "FUNCTION_URL": url,
                 "PORT": str(port)})
        running.append(process)
        assert process.stdout.readline().strip() == f"listening on port {port}"
        return url

    yield run
    for process in running:
        process.kill()
        process.wait()


def test_sign_up(service, configure, start):
    url = start(URL)
    configure("blockingFunctions", {"blockingFunctions": {"triggers": {
        event: {"functionUri": url} for event in ("beforeCreate", "beforeSignIn")}}})
    body = {"email": "eve@elsewhere.test", "password": PASSWORD}
    message = service.v1("accounts:signUp", body).error("BLOCKING_FUNCTION_ERROR_RESPONSE")
    detail = json.loads(message.split("returned an error: ", 1)[1])
    assert detail == {"error": {"message": REFUSAL, "status": "PERMISSION_DENIED"}}
    user = service.sign_up(f"{int(time.time() * 1000)}@example.com")
    token = claims(user.id_token)
    assert token["staff"] is True and token["ip_address"] == "127.0.0.1"


def event(**changes):
    now = int(time.time())
    return {"iss": f"https://securetoken.google.com/{PROJECT}", "sub": "ada", "iat": now, "exp": now + 60,
            "event_type": "beforeSignIn", "user_record": {"uid": "ada"}, **changes}


def test_invalid_tokens(start):
    keys = Keys()
    url = start(keys.base)

    def status(token):
        return httpx.post(url, json={"data": {"jwt": token}}).status_code

    def sign(payload, key=keys.private, **headers):
        return jwt.encode(payload, key, "RS256", {"kid": "one", **headers})

    now = int(time.time())
    valid = sign(event(aud=url))
    assert status(valid) == 200
    head, payload, signature = valid.split(".")
    flipped = bytearray(base64.urlsafe_b64decode(signature + "=="))
    flipped[0] ^= 1
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    invalid = [
        None, 7, "", "a.b.c", f"{head}.{payload}.", f"{head}.{payload}",
        f"{head}.{payload}." + base64.urlsafe_b64encode(bytes(flipped)).rstrip(b"=").decode(),
        f"{head}.{payload[:-4]}AAAA.{signature}",
        sign(event(aud=url), other), sign(event(aud=url), kid="two"),
        jwt.encode(event(aud=url), "x" * 32, "HS256", {"kid": "one"}),
        jwt.encode(event(aud=url), None, "none", {"kid": "one"}),
        sign(event(aud=url + "/other")), sign(event()), sign(event(aud=url, iss="https://securetoken.google.com/other")),
        sign(event(aud=url, exp=now - 60)), sign(event(aud=url, iat=now + 300, exp=now + 600)),
        sign({name: value for name, value in event(aud=url).items() if name != "exp"})]
    assert [status(token) for token in invalid] == [401] * len(invalid)
    # Unknown keys do not fetch the published ones again and again.
    assert keys.requests == 1
    assert httpx.post(url, content=b"not json").status_code == 400
    assert status(valid) == 200
    keys.stop()
