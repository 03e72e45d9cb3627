import os
import pathlib
import subprocess
import tempfile

import pytest
from shell import Shell

HERE = pathlib.Path(__file__).parent
EXECUTABLES = pathlib.Path(os.environ.get("LATCHKEY_EXECUTABLES", HERE / "../../.build/debug")).resolve()
# `make test-one-process` sets it: the form of the mesh.
FORM = "LATCHKEY_ONE_PROCESS"
KILL = 'kill -9 "$PID"; '
# The address on the pages. The mesh of the tests has a port of its own.
ADDRESS = "127.0.0.1:9099"


class Terminal:
    """The folder of a reader: the mesh in one terminal, and a shell in another."""

    def __init__(self, folder):
        self.folder = folder
        self.log_file = folder / "mesh.log"
        self.repository = folder / "latchkey"
        (self.repository / ".build").mkdir(parents=True)
        # `make run` builds for use; a test run has built for tests.
        for name in ["release", "debug"]:
            (self.repository / ".build" / name).symlink_to(EXECUTABLES)
        self.home = folder / "home"
        self.home.mkdir()
        self.environment = {
            name: value for name, value in os.environ.items()
            if (not name.startswith("LATCHKEY_") or name == FORM) and not name.lower().endswith("_proxy")} | {
                "HOME": str(self.home)}
        self.mesh = None
        self.address = None
        self.shell = Shell(self.repository, self.environment)

    def start(self):
        """`make run` after the build. Returns the lines that it prints."""
        with open(self.log_file, "ab") as log:
            self.mesh = subprocess.Popen(
                [".build/release/latchkey", "up", "--dev", "--listen", self.address or "127.0.0.1:0"], cwd=self.repository,
                env=self.environment | {"LATCHKEY_LIFELINE": "stdin"}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=log, text=True)
        lines = []
        for line in self.mesh.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith("ready "):
                self.address = line.split()[1].removeprefix("http://")
                return [self.shown(line) for line in lines]
        raise AssertionError("The mesh did not start:\n" + self.log_file.read_text())

    def run(self, command):
        """The exit code and the output of a command of a page, as the page would show them."""
        if FORM in self.environment and command.startswith(KILL):
            # It is the whole mesh, which a service manager would start again.
            self.shell.run(KILL)
            self.mesh.wait(timeout=60)
            self.mesh.stdin.close()
            self.mesh.stdout.close()
            self.start()
            command = command.removeprefix(KILL)
        code, lines = self.shell.run(command.replace(ADDRESS, self.address))
        return code, [self.shown(line) for line in lines]

    def shown(self, text):
        text = text.replace(str(self.repository), "/home/you/latchkey").replace(str(self.home), "/home/you")
        return text.replace(self.address, ADDRESS) if self.address else text

    @property
    def log(self):
        return self.shown(self.log_file.read_text()).splitlines()

    def stop(self):
        """Ctrl-C."""
        self.shell.close()
        if self.mesh is None:
            return 0
        self.mesh.terminate()
        code = self.mesh.wait(timeout=60)
        self.mesh.stdin.close()
        self.mesh.stdout.close()
        return code


@pytest.fixture(scope="session")
def terminal():
    with tempfile.TemporaryDirectory(prefix="latchkey-tour-") as path:  # Created with mode 0700.
        terminal = Terminal(pathlib.Path(path))
        try:
            yield terminal
        finally:
            assert terminal.stop() == 0
