"""The history of a running mesh: one-time codes and sessions under race, while one of two identity processes is killed."""

import http.client
import json
import pathlib
import sys
import tempfile
import threading
import time
import urllib.parse

import pytest
from histories import violations

sys.path[:0] = [str(pathlib.Path(__file__).parent / "../Mail")]

from mesh import Mesh  # noqa: E402

ACCOUNTS = "/identitytoolkit.googleapis.com/v1"
PROJECT = f"{ACCOUNTS}/projects/demo-latchkey"


@pytest.fixture
def mesh():
    with tempfile.TemporaryDirectory(prefix="latchkey-histories-") as path:
        mesh = Mesh(pathlib.Path(path), "--only", "gateway,identity", "--scale", "identity=2")
        yield mesh
        assert mesh.stop() == 0, mesh.log


class Recorder:
    """Sends requests and writes down when each began and ended, and what its reply says of the operation."""

    def __init__(self, origin):
        self.address = urllib.parse.urlsplit(origin).netloc
        self.history = []

    def call(self, path, body, **headers):
        connection = http.client.HTTPConnection(self.address)
        try:
            connection.request("POST", f"{path}?key=any", json.dumps(body), {"Content-Type": "application/json", **headers})
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def done(self, path, body, **headers):
        status, reply = self.call(path, body, **headers)
        assert status == 200, reply
        return reply

    def operate(self, model, name, operation, path, body, refusal):
        """`refusal` is the error that means no. After any other failure it is not known what happened."""
        entry = {"object": name, "model": model, "operation": operation, "begin": time.monotonic()}
        self.history.append(entry)
        try:
            status, reply = self.call(path, body)
        except (OSError, http.client.HTTPException, ValueError):
            return
        if status == 200:
            entry |= {"output": True, "end": time.monotonic()}
        elif refusal and reply["error"]["message"].startswith(refusal):
            entry |= {"output": False, "end": time.monotonic()}
        else:
            assert status in (500, 503, 504), reply


class Account:
    def __init__(self, recorder, number):
        self.recorder = recorder
        self.email = f"person{number}@example.com"
        tokens = recorder.done(f"{ACCOUNTS}/accounts:signUp", {
            "email": self.email, "password": "correct horse battery", "returnSecureToken": True})
        self.id_token, self.refresh_token = tokens["idToken"], tokens["refreshToken"]
        self.code = recorder.done(f"{PROJECT}/accounts:sendOobCode", {
            "requestType": "VERIFY_EMAIL", "email": self.email, "returnOobLink": True},
            Authorization="Bearer owner")["oobCode"]

    def use_code(self):
        self.recorder.operate("singleUse", f"code of {self.email}", "use", f"{ACCOUNTS}/accounts:update",
                              {"oobCode": self.code}, "INVALID_OOB_CODE")

    def use_session(self):
        self.recorder.operate("revocable", f"session of {self.email}", "use", "/securetoken.googleapis.com/v1/token",
                              {"grant_type": "refresh_token", "refresh_token": self.refresh_token}, "TOKEN_EXPIRED")

    def revoke(self):
        self.recorder.operate("revocable", f"session of {self.email}", "revoke", f"{ACCOUNTS}/accounts:revokeSessions",
                              {"idToken": self.id_token, "all": True}, None)


def test_codes_and_sessions_when_a_process_is_killed(mesh):
    recorder = Recorder(mesh.origin)
    accounts = [Account(recorder, number) for number in range(8)]
    rounds, middle = iter(range(len(accounts))), threading.Event()
    together = threading.Barrier(7, action=lambda: next(rounds) == len(accounts) // 2 and middle.set(), timeout=60)
    failures = []

    def client(operation):
        try:
            for account in accounts:
                together.wait()
                operation(account)
        except BaseException as failure:
            failures.append(failure)
            together.abort()
            middle.set()

    operations = [Account.use_code] * 3 + [Account.use_session] * 3 + [Account.revoke]
    threads = [threading.Thread(target=client, args=[operation]) for operation in operations]
    for thread in threads:
        thread.start()
    assert middle.wait(timeout=60)
    mesh.kill("identity.1")
    for thread in threads:
        thread.join()
    assert failures == []
    # Whatever has happened: now it is known.
    for account in accounts:
        for operation in (account.use_code, account.use_session):
            operation()
    uses = [entry for entry in recorder.history if entry.get("output") is True]
    assert len(recorder.history) == len(accounts) * 9 and len(uses) > len(accounts)
    assert violations(recorder.history) == []
