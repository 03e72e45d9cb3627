"""Users with authenticator apps, for the bench."""

import base64
import concurrent.futures
import hashlib
import hmac
import http.client
import json
import struct
import time

from mesh import KEY, PASSWORD, SIGN_IN

START = "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:start" + KEY
FINISH = "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:finalize" + KEY
ANSWER = "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:finalize" + KEY
LOOKUP = "/identitytoolkit.googleapis.com/v1/accounts:lookup" + KEY
ACCOUNTS = "/identitytoolkit.googleapis.com/v1/projects/demo-latchkey/accounts"
CONFIG = "/admin/v2/projects/demo-latchkey/config?updateMask=mfa.providerConfigs"
WINDOW = 10  # The widest one, with the most valid codes at a time.


def step_now():
    return int(time.time()) // 30


def code(secret, step):
    """RFC 6238."""
    mac = hmac.new(secret, struct.pack(">q", step), hashlib.sha1).digest()
    offset = mac[-1] & 15
    return f"{(struct.unpack('>I', mac[offset:offset + 4])[0] & 0x7fffffff) % 1_000_000:06d}"


class Person:
    """A user whose app was enrolled with the oldest code of the window."""

    def __init__(self, mesh, number):
        self.mesh = mesh
        self.email = f"app-{number}@bench.example"
        self.ask("POST", ACCOUNTS, {"email": self.email, "password": PASSWORD, "emailVerified": True})
        token = self.sign_in()["idToken"]
        info = self.ask("POST", START, {"idToken": token, "totpEnrollmentInfo": {}})["totpSessionInfo"]
        self.secret = base64.b32decode(info["sharedSecretKey"])
        verification = {"sessionInfo": info["sessionInfo"], "verificationCode": code(self.secret, step_now() - WINDOW + 1)}
        done = self.ask("POST", FINISH, {"idToken": token, "displayName": "app", "totpVerificationInfo": verification})
        self.factor = self.ask("POST", LOOKUP, {"idToken": done["idToken"]})["users"][0]["mfaInfo"][0]["mfaEnrollmentId"]

    def ask(self, method, path, body):
        return ask(self.mesh, method, path, body)

    def sign_in(self):
        return self.ask("POST", SIGN_IN, {"email": self.email, "password": PASSWORD, "returnSecureToken": True})

    def begin(self, count):
        """Starts a number of sign-ins that wait for a code."""
        self.pending = [self.sign_in()["mfaPendingCredential"] for _ in range(count)]

    def body(self, number, text):
        return json.dumps({"mfaPendingCredential": self.pending[number], "mfaEnrollmentId": self.factor,
                           "totpVerificationInfo": {"verificationCode": text}})

    def wrong(self):
        """Six digits that are no code of a nearby step."""
        taken = {code(self.secret, step_now() + offset) for offset in range(-30, 31)}
        return next(text for text in (f"{number:06d}" for number in range(1000)) if text not in taken)


def ask(mesh, method, path, body):
    connection = http.client.HTTPConnection("127.0.0.1", mesh.port)
    headers = {"Content-Type": "application/json"}
    if path == ACCOUNTS or path.startswith("/admin/"):
        headers["Authorization"] = "Bearer owner"
    connection.request(method, path, json.dumps(body), headers)
    response = connection.getresponse()
    answer = json.loads(response.read())
    if response.status != 200:
        raise SystemExit(f"{path} answered {response.status}: {answer}")
    return answer


def people(mesh, count, sign_ins, first=0):
    """A number of users, each with a number of sign-ins that wait for a code.

    `first` is the number of the first one: two calls for one database have different users."""
    ask(mesh, "PATCH", CONFIG, {"mfa": {"providerConfigs": [
        {"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": WINDOW}}]}})
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        everybody = list(pool.map(lambda number: Person(mesh, number), range(first, first + count)))
        list(pool.map(lambda person: person.begin(sign_ins), everybody))
    return everybody
