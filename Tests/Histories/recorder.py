"""Operations of clients on a mesh, with their beginnings and ends, for the judge of histories."""

import http.client
import json
import time
import urllib.parse

ACCOUNTS = "/identitytoolkit.googleapis.com/v1"
PROJECT = f"{ACCOUNTS}/projects/demo-latchkey"


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
