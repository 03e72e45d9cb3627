"""The command line and the settings of a container, started as a process of this machine."""

import json
import os
import pathlib
import subprocess

from application import wait_until_ready
from ports import free_port

# Paths of the image that are below a folder of the test.
PLACES = ["/var/lib/latchkey", "/run/secrets"]


class Container:
    def __init__(self, executables, folder, arguments, environment):
        self.program = executables / "latchkey"
        self.folder = folder
        ports = {"LATCHKEY_LISTEN": free_port(), "LATCHKEY_ADMIN_LISTEN": free_port()}
        self.environment = {name: self.placed(value) for name, value in environment.items()}
        for name, port in ports.items():
            if name in environment:
                assert environment[name].startswith("0.0.0.0:"), f"{name} is not reachable from outside of the container"
                # Dev mode listens on loopback only.
                host = "127.0.0.1" if "LATCHKEY_DEV" in environment else "0.0.0.0"
                self.environment[name] = f"{host}:{port}"
        self.origin = f"http://127.0.0.1:{ports['LATCHKEY_LISTEN']}"
        (folder / "var/lib/latchkey").mkdir(parents=True)
        log = folder / "log"
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                [self.program, *arguments], stdin=subprocess.PIPE, stdout=output, stderr=output, cwd=folder,
                env=self.environment | {"PATH": os.environ["PATH"], "LATCHKEY_LIFELINE": "stdin"})
        self.process.log = log

    def placed(self, value):
        return f"{self.folder}{value}" if any(value.startswith(place) for place in PLACES) else value

    def wait_until_ready(self):
        wait_until_ready(self.origin, self.process)

    def run(self, *arguments):
        """A command in the container: exit code and output."""
        end = subprocess.run([self.program, *arguments], env=self.environment, capture_output=True, text=True, timeout=120)
        return end.returncode, end.stdout + end.stderr

    def create_project(self):
        """`latchkey init`; returns the API key."""
        code, output = self.run("init", "--json", "-o", str(self.folder / "key.json"))
        assert code == 0, output
        return json.loads(output)["apiKey"]

    def stop(self):
        self.process.terminate()
        try:
            return self.process.wait(timeout=60)
        finally:
            self.process.kill()


def secret(folder, path, text):
    file = pathlib.Path(f"{folder}{path}")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(0o440)
