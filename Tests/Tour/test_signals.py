"""Ctrl-C and SIGTERM end every command that runs for long, and say so."""

import os
import pathlib
import signal
import subprocess
import time

import pytest
from conftest import EXECUTABLES

HANDLED = 1 << signal.SIGTERM - 1


def handles_signals(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(status.partition("SigCgt:")[2].split()[0], 16) & HANDLED


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Of a mesh that was started once."""
    folder = tmp_path_factory.mktemp("signals")
    folder.chmod(0o700)
    mesh = subprocess.Popen(
        [EXECUTABLES / "latchkey", "up", "--dev", "--data", folder / "data", "--listen", "127.0.0.1:0"], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={"PATH": os.environ["PATH"]})
    assert any(line.startswith("ready") for line in mesh.stdout)
    mesh.terminate()
    mesh.stdout.close()
    assert mesh.wait(timeout=60) == 0
    return folder / "data"


@pytest.fixture
def endless(tmp_path):
    """A file that never ends."""
    os.mkfifo(tmp_path / "file")
    descriptor = os.open(tmp_path / "file", os.O_RDWR)
    yield tmp_path / "file"
    os.close(descriptor)


COMMANDS = {
    "bench fill": lambda data, file: ["bench", "fill", "--accounts", "10000000", "--data", data],
    "users import": lambda data, file: ["users", "import", file, "--format", "jsonl", "--data", data],
}


def test_standard_input_is_that_of_the_command(data):
    """Also with the variable by which a launcher says that its end closes standard input."""
    command = subprocess.run(
        [EXECUTABLES / "latchkey", "audit", "verify", "--data", data, "--dev"], text=True, input="", capture_output=True,
        env={"PATH": os.environ["PATH"], "LATCHKEY_LIFELINE": "stdin"}, timeout=60)
    assert "Is `latchkey up` running?" in command.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
@pytest.mark.parametrize("command", COMMANDS)
def test_command_ends(command, number, data, endless):
    process = subprocess.Popen(
        [EXECUTABLES / "latchkey", *COMMANDS[command](data, endless), "--dev"], text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env={"PATH": os.environ["PATH"]})
    end = time.monotonic() + 60
    while not handles_signals(process):
        assert process.poll() is None and time.monotonic() < end, "it handles no signal"
        time.sleep(0.01)
    process.send_signal(number)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors.splitlines()[-1]) == (1, f"latchkey: stopped by {number.name} before it was done.")
