"""An operator types what deploy/README.md shows, on a machine that is a folder: without systemd, users and root."""

import os
import pathlib
import re
import subprocess
import tempfile

import pytest
from conftest import EXECUTABLES
from pages import ROOT, blocks

PAGE = "deploy/README.md"
PROCESSES = ["broker", "gateway", "identity", "mfa-sms", "mfa-totp", "passkey", "federation", "notifier"]
PLACES = re.compile(r"(?<![\w.])/(usr/lib/latchkey|usr/bin/latchkey|etc/latchkey|etc/systemd|var/lib/latchkey|run/latchkey)")
# What the machine of the operator has, and this one need not.
STANDINS = """
make() { :; }
useradd() { :; }
systemctl() { :; }
runuser() { shift 3; "$@"; }
install() {
    local arguments=()
    while (($#)); do
        case $1 in -o | -g) shift ;; *) arguments+=("$1") ;; esac
        shift
    done
    command install "${arguments[@]}"
}
"""


class Machine:
    def __init__(self, folder):
        self.root = folder / "root"
        (folder / ".build").mkdir()
        (folder / ".build/release").symlink_to(EXECUTABLES)
        (folder / "deploy").symlink_to(ROOT / "deploy")
        for place in ["usr/bin", "etc/systemd/system", "var/lib", "run"]:
            (self.root / place).mkdir(parents=True)
        self.folder = folder
        self.processes = []
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("LATCHKEY_")}
        self.environment["PATH"] = f"{self.root}/usr/bin:{self.environment['PATH']}"

    def placed(self, text):
        return PLACES.sub(lambda match: f"{self.root}/{match[1]}", text)

    def type(self, command, **environment):
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", STANDINS + self.placed(command)], cwd=self.folder, text=True, timeout=300,
            capture_output=True, env=self.environment | environment)

    def edit(self, name, **settings):
        """The lines of an environment file, as an operator changes them."""
        file = self.root / "etc/latchkey" / f"{name}.env"
        text = file.read_text()
        for setting, value in settings.items():
            text, count = re.subn(rf"^#?{setting}=.*$", f"{setting}={value}", text, flags=re.MULTILINE)
            assert count == 1, f"{name}.env has no line for {setting}"
        file.write_text(text)

    def settings(self, name):
        lines = self.placed((self.root / "etc/latchkey" / f"{name}.env").read_text()).splitlines()
        pairs = [line.split("=", 1) for line in lines if line and not line.startswith("#")]
        return {name: value.strip('"') for name, value in pairs}

    def start(self, process):
        """`systemctl start latchkey@PROCESS`."""
        unit = (self.root / "etc/systemd/system/latchkey@.service").read_text()
        fixed = re.search(r"^Environment=(.*)$", unit, re.MULTILINE)[1].replace("%i", process)
        variables = dict(pair.split("=", 1) for pair in self.placed(fixed).split())
        names = [name.replace("%i", process)
                 for name in re.findall(r"^EnvironmentFile=/etc/latchkey/(.*)\.env$", unit, re.MULTILINE)]
        assert names == ["mesh", process]
        for name in names:
            variables |= self.settings(name)
        log = open(self.folder / f"{process}.log", "ab")
        self.processes.append(subprocess.Popen(
            [self.root / "usr/lib/latchkey" / process], cwd=self.folder, stdin=subprocess.PIPE, stdout=log, stderr=log,
            env=self.environment | variables | {"LATCHKEY_LIFELINE": "stdin"}))
        log.close()

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
        return [process.wait(timeout=60) for process in self.processes]

    @property
    def logs(self):
        return "\n".join(file.read_text() for file in self.folder.glob("*.log"))


@pytest.fixture(scope="module")
def machine():
    # Short, because the path of a socket is.
    with tempfile.TemporaryDirectory(prefix="lk-", dir="/tmp") as path:
        machine = Machine(pathlib.Path(path))
        try:
            yield machine
        finally:
            for process in machine.processes:
                process.kill()


def block(start):
    """The block of the page that begins with a text."""
    found = [block for block in blocks(PAGE) if block.lines[0].startswith(start)]
    assert len(found) == 1, f"{PAGE} has {len(found)} blocks that begin with {start}"
    return "\n".join(found[0].lines)


def free_port():
    import socket
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def typed(machine, command, **environment):
    result = machine.type(command, **environment)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}\n{machine.logs}"
    return result.stdout


def test_whole_mesh_is_installed(machine):
    typed(machine, block("make build"))
    machine.edit("latchkey", LATCHKEY_PROJECT="shop", LATCHKEY_PUBLIC_URL="https://auth.shop.test")
    assert typed(machine, "latchkey --version").startswith("latchkey ")
    typed(machine, "latchkey check --env-file /etc/latchkey/latchkey.env")


def test_units_for_each_process_leave_what_is_there(machine):
    files = machine.root / "etc/latchkey"
    whole_mesh = (files / "latchkey.env").read_text()
    typed(machine, block("for process in broker"))
    assert (files / "latchkey.env").read_text() == whole_mesh
    for file in files.glob("*.env"):
        file.write_text(machine.placed(file.read_text()))
    assert sorted(file.stem for file in files.glob("*.env")) == sorted(["latchkey", "mesh", *PROCESSES])
    assert all(file.stat().st_mode & 0o007 == 0 for file in files.glob("*.env"))
    machine.edit("mesh", LATCHKEY_PROJECT="shop", LATCHKEY_PUBLIC_URL="https://auth.shop.test")
    edited = (files / "mesh.env").read_text()
    # Typed again, for example after an upgrade: the files stay, and the key is refused in words.
    again = machine.type(block("for process in broker"))
    assert again.returncode == 1 and "master.key exists, and a key is never overwritten" in again.stderr
    assert (files / "mesh.env").read_text() == edited


def test_check_judges_the_files_of_the_units(machine):
    command = block("latchkey check")
    machine.edit("notifier", LATCHKEY_SMTP_URL="mail.shop.test")
    refused = machine.type(command, LATCHKEY_DATA=str(machine.root / "var/lib/latchkey"))
    assert refused.returncode == 78 and "notifier: LATCHKEY_SMTP_URL " in refused.stderr, refused.stderr
    machine.edit("notifier", LATCHKEY_SMTP_URL="smtp://127.0.0.1:9")
    typed(machine, command, LATCHKEY_DATA=str(machine.root / "var/lib/latchkey"))


def test_commands_work_with_the_file_of_the_mesh(machine):
    machine.edit("gateway", LATCHKEY_LISTEN=f"127.0.0.1:{free_port()}", LATCHKEY_ADMIN_LISTEN=f"127.0.0.1:{free_port()}")
    # RuntimeDirectory= of the unit.
    (machine.root / "run/latchkey").mkdir(mode=0o700)
    for process in PROCESSES:
        machine.start(process)
    data = str(machine.root / "var/lib/latchkey")
    address = machine.settings("gateway")["LATCHKEY_LISTEN"]
    typed(machine, f"curl -sSf --retry 60 --retry-delay 1 --retry-connrefused http://{address}/readyz")
    for command in ["status", "projects list", "projects show", "client-config web", "keys list", "audit list",
                    "users create --email ada@shop.test", "users list"]:
        typed(machine, f"latchkey {command} --env-file /etc/latchkey/mesh.env", LATCHKEY_DATA=data)
    assert "https://auth.shop.test" in typed(
        machine, "latchkey init --env-file /etc/latchkey/mesh.env -o key.json", LATCHKEY_DATA=data)
    assert machine.stop() == [0] * len(PROCESSES)


@pytest.mark.parametrize("arguments, code, words", [
    ([], 64, "usage: make-master-key FILE"),
    ([""], 64, "usage: make-master-key FILE"),
    (["folder/none/key"], 1, "There is no folder ./folder/none."),
    (["folder/key"], 1, "folder/key exists, and a key is never overwritten"),
    (["folder/link"], 1, "folder/link exists, and a key is never overwritten"),
    (["folder/new"], 0, ""),
    (["-n"], 0, ""),
])
def test_master_key_is_refused_in_words(tmp_path, arguments, code, words):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/key").write_text("former")
    (tmp_path / "folder/link").symlink_to("nowhere")
    result = subprocess.run([ROOT / "deploy/make-master-key", *arguments], cwd=tmp_path, text=True, capture_output=True)
    assert result.returncode == code and words in result.stderr, result.stderr
    assert len(result.stderr.splitlines()) == (0 if code == 0 else 1)
    assert (tmp_path / "folder/key").read_text() == "former"
    if code == 0:
        key = tmp_path / arguments[0]
        assert re.fullmatch(r"[0-9a-f]{8}:[0-9a-f]{64}\n", key.read_text()) and key.stat().st_mode & 0o777 == 0o400
