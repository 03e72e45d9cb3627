"""Clients of a mesh that write and read one name each, and write down the history."""

import http.client
import json
import threading
import time
import urllib.parse

from histories import violations

ACCOUNTS = "/identitytoolkit.googleapis.com/v1/accounts"


class Clients:
    """Use it in a `with` statement, which ends them. Each has an account of its own."""

    def __init__(self, origin, count=8):
        self.address = urllib.parse.urlsplit(origin).netloc
        self.history, self.failures, self.ended = [], [], threading.Event()
        self.refusals = []  # The status, or the error, of each attempt that was not acknowledged.
        tokens = [self.call("signUp", {})[1]["idToken"] for _ in range(count)]
        self.threads = [threading.Thread(target=self.use, args=[place, token]) for place, token in enumerate(tokens)]
        self.tokens = tokens

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *failure):
        self.ended.set()
        for thread in self.threads:
            thread.join()

    def call(self, operation, body):
        connection = http.client.HTTPConnection(self.address, timeout=10)
        try:
            connection.request("POST", f"{ACCOUNTS}:{operation}?key=any", json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def use(self, place, token):
        number = 0
        try:
            while not self.ended.wait(0.05):
                number += 1
                self.write(place, token, number)
                self.read(place, token)
        except BaseException as failure:
            self.failures.append(repr(failure))

    def write(self, place, token, number):
        """Repeats a write until it is acknowledged: of its only writer, that is one operation. Else each attempt of an outage
        would be one more that may have taken effect, and the judge would try all combinations."""
        entry = self.begin(place, "write", number)
        self.history.append(entry)
        while not self.attempt(entry, "update", {"idToken": token, "displayName": f"n{number}"}, lambda reply: None):
            if self.ended.wait(0.05):
                return

    def read(self, place, token):
        def name(reply):
            text = reply["users"][0].get("displayName")
            return text and int(text[1:])
        # A read without a reply says nothing, and has no effect.
        entry = self.begin(place, "read", None)
        is_done = self.attempt(entry, "lookup", {"idToken": token}, name)
        if is_done:
            self.history.append(entry)
        return is_done

    def begin(self, place, operation, input):
        return {"object": f"name {place}", "model": "register", "operation": operation, "input": input,
                "begin": time.monotonic()}

    def attempt(self, entry, call, body, output):
        """After a failure it is not known what happened: such a write may have taken effect."""
        try:
            status, reply = self.call(call, body)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.refusals.append(repr(error))
            return False
        if status != 200:
            assert status in (503, 504), reply
            self.refusals.append(status)
            return False
        entry |= {"output": output(reply), "end": time.monotonic()}
        return True

    def last(self, operation="write"):
        return max((entry["end"] for entry in list(self.history) if entry["operation"] == operation and "end" in entry), default=0)

    def first_after(self, moment, operation="write"):
        """When the first operation ended that was acknowledged after a moment; None before."""
        ends = [entry["end"] for entry in list(self.history)
                if entry["operation"] == operation and entry.get("end", 0) > moment]
        return min(ends, default=None)

    def judge(self):
        """Reads every name once more: an acknowledged write that is lost has no explanation."""
        assert self.failures == []
        for place, token in enumerate(self.tokens):
            end = time.monotonic() + 60
            while not self.read(place, token):
                assert time.monotonic() < end
        assert violations(self.history) == []
