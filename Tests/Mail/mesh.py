"""A mesh whose notifier gets requests over the bus, as from identity."""

import os
import pathlib
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
EXECUTABLES = pathlib.Path(os.environ.get("LATCHKEY_EXECUTABLES", HERE / "../../.build/debug")).resolve()
FORM = "LATCHKEY_ONE_PROCESS"  # Of the mesh: `make test-one-process` sets it.
sys.path.insert(0, str(HERE / "../BusPython"))

from client import Client  # noqa: E402


def wait_for(what, look, timeout=60):
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if answer := look():
            return answer
        time.sleep(0.02)
    raise AssertionError(f"it never happened that {what}")


class Mesh:
    mode = ["--dev"]  # Of `latchkey up`.
    executables = EXECUTABLES
    listen = "127.0.0.1:0"
    within = []  # The command that leads to its machine.

    def __init__(self, directory, *arguments, **environment):
        self.data = directory / "data"
        self.log_file = directory / "mesh.log"
        self.arguments, self.settings = arguments, environment
        self.start()

    def start(self, **changes):
        """Starts the mesh with its former settings but for these; `stop` comes before it."""
        self.settings |= changes
        inherited = {name: value for name, value in os.environ.items()
                     if not name.startswith("LATCHKEY_") or name == FORM}
        with open(self.log_file, "ab") as log:
            self.process = subprocess.Popen(
                [*self.within, self.executables / "latchkey", "up", *self.mode, "--data", self.data, "--listen", self.listen,
                 "--log", "debug", *self.arguments],
                env={**inherited, **self.settings, "LATCHKEY_LIFELINE": "stdin"}, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=log, text=True)
        self.output = line = ""
        for line in self.process.stdout:
            self.output += line
            if line.startswith("ready"):
                break
        assert line.startswith("ready"), self.log
        self.origin = self.output.rpartition("ready ")[2].strip()
        self.client = Client(f"ipc://{self.data}/run/broker.1.sock")

    @property
    def log(self):
        return self.log_file.read_text()

    def ask(self, operation, params, within=10.0):
        return self.client.ask("notifier", operation, params, within=within)

    def send(self, **changes):
        """Requests an e-mail until the notifier has accepted it; the idempotency key prevents a second e-mail."""
        params = {"realm": {"project": "demo-latchkey"}, "recipient": "ada@example.com", "purpose": "resetPassword",
                  "appName": "Demo", "link": "https://example.com/action?oobCode=the-secret-code", **changes}
        return wait_for("the message was accepted", lambda: (self.ask("sendEmail", params) or {}).get("result"))

    def deliveries(self, project="demo-latchkey"):
        reply = self.ask("listDeliveries", {"project": project, "limit": 500})
        return (reply or {}).get("result", {}).get("deliveries", [])

    def pids(self, prefix):
        pids = {}
        for line in self.log.splitlines():
            if " process.started " in line:
                fields = dict(word.split("=", 1) for word in line.split() if "=" in word)
                pids[fields["process"]] = int(fields["pid"])
        return {name: pid for name, pid in pids.items() if name.startswith(prefix)}

    def kill(self, instance):
        former = self.pids(instance)[instance]
        os.kill(former, signal.SIGKILL)
        wait_for(f"{instance} was started again", lambda: self.pids(instance)[instance] != former)

    def stop(self):
        self.client.close()
        self.process.terminate()
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()
        return self.process.returncode
