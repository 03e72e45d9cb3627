"""A mesh for measurements: its processes, their cost, and requests to it."""

import collections
import contextlib
import http.client
import json
import os
import pathlib
import subprocess
import threading
import time

from limits import processor_seconds
from ports import free_port


class Mesh:
    """`latchkey up --dev` on a separate port, with `LATCHKEY_*` settings. Use it in a `with` statement."""

    start_seconds, stop_seconds = 30, 10

    def __init__(self, binaries, data, **settings):
        self.port = free_port()
        self.log = pathlib.Path(data).with_suffix(".log")
        self.spawned_at = time.perf_counter()
        with self.log.open("wb") as log:
            self.launcher = subprocess.Popen(
                [binaries / "latchkey", "up", "--dev", "--data", data, "--listen", f"127.0.0.1:{self.port}"],
                stdin=subprocess.PIPE, stdout=log, stderr=log, env={**os.environ, **settings})

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.launcher.terminate()
        self.launcher.wait(timeout=self.stop_seconds)

    # Requests

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def call(self, path, body, connection=None):
        """POSTs JSON. Returns the status, the headers and the response."""
        connection = connection or http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.headers, json.loads(response.read())

    def seconds_to_first_answer(self, path, body):
        """From the spawn to the first 200. Polls every two milliseconds."""
        while time.perf_counter() < self.spawned_at + self.start_seconds:
            try:
                status, _, answer = self.call(path, body)
                if status == 200:
                    return time.perf_counter() - self.spawned_at, answer
            except (OSError, http.client.HTTPException):
                pass  # The listener does not exist yet.
            if self.launcher.poll() is not None:
                break
            time.sleep(0.002)
        raise SystemExit(f"No response from the mesh:\n{self.log.read_text()}")

    def make_accounts(self, emails, anonymous, clients=16):
        """Signs up one account for each address, with `PASSWORD`, and some without address. Returns the responses."""
        bodies = [{"email": email, "password": PASSWORD} for email in emails] + [{} for _ in range(anonymous)]
        answers = [None] * len(bodies)
        numbers = iter(range(len(bodies)))

        def work():
            connection = http.client.HTTPConnection("127.0.0.1", self.port)
            for number in numbers:
                status, _, answer = self.call(SIGN_UP, bodies[number], connection)
                if status != 200:
                    raise RuntimeError(f"sign-up answered {status}: {answer}")
                answers[number] = answer

        threads = [threading.Thread(target=work) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if None in answers:
            raise SystemExit("Some accounts could not be made.")
        return answers

    # Cost

    def processes(self):
        """Names and process ids: the launcher and its children."""
        found = {"latchkey": self.launcher.pid}
        # A child is listed with the thread that started it.
        for thread in pathlib.Path(f"/proc/{self.launcher.pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                found[pathlib.Path(f"/proc/{child}/comm").read_text().strip()] = int(child)
        return found

    def memory(self):
        """MiB by process: resident, and proportional, in which a page of several processes counts once."""
        def measured(pid):
            fields = dict(line.split(":", 1) for line in open(f"/proc/{pid}/smaps_rollup") if ":" in line)
            return Memory(*(int(fields[name].split()[0]) / 1024 for name in ["Rss", "Pss"]))

        return {name: measured(pid) for name, pid in self.processes().items()}

    def processor_seconds(self):
        """Processor time so far, by process."""
        return {name: processor_seconds(pid) for name, pid in self.processes().items()}

    def wake_ups(self):
        """How often each thread has gone to sleep so far, by process and thread."""
        counts = {}
        for name, pid in self.processes().items():
            for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # The thread has ended.
                    fields = dict(line.split(":", 1) for line in (thread / "status").read_text().splitlines())
                    counts[name, thread.name] = int(fields["voluntary_ctxt_switches"])
        return counts


Memory = collections.namedtuple("Memory", ["resident", "proportional"])

PASSWORD = "a password of the bench"
KEY = "?key=bench"
SIGN_UP = "/identitytoolkit.googleapis.com/v1/accounts:signUp" + KEY
SIGN_IN = "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword" + KEY
LOOKUP = "/identitytoolkit.googleapis.com/v1/accounts:lookup" + KEY
REFRESH = "/securetoken.googleapis.com/v1/token" + KEY
