"""The units of systemd: how much they permit, and what the processes tell systemd."""

import os
import shutil
import signal
import socket
import subprocess

import pytest
from application import sign_in, sign_up, wait_until_ready
from executable import ROOT
from ports import free_port
from unit import Unit

PROCESSES = ["broker", "gateway", "identity", "mfa-sms", "mfa-totp", "passkey", "federation", "notifier"]
DEPLOY = ROOT / "deploy"


@pytest.fixture(scope="module")
def units(tmp_path_factory):
    """The units with a name for each process, as they are installed."""
    folder = tmp_path_factory.mktemp("units")
    for path in DEPLOY.glob("latchkey*.service*"):
        (shutil.copytree if path.is_dir() else shutil.copy)(path, folder / path.name)
    for process in PROCESSES:
        shutil.copy(DEPLOY / "latchkey@.service", folder / f"latchkey@{process}.service")
    return folder


@pytest.mark.parametrize("unit", ["latchkey", *(f"latchkey@{process}" for process in PROCESSES)])
def test_exposure_is_at_most_one(units, unit):
    end = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--threshold=10", f"./{unit}.service"],
                         cwd=units, capture_output=True, text=True)
    assert end.returncode == 0, end.stdout.splitlines()[-1]


def test_only_those_who_call_others_reach_the_network():
    permitted = {path.parent.name.split("@")[1].split(".")[0] for path in DEPLOY.glob("latchkey@*.service.d/network.conf")}
    assert permitted == {"federation", "identity", "mfa-sms", "notifier"}
    assert "\nIPAddressDeny=any\nIPAddressAllow=localhost\n" in (DEPLOY / "latchkey@.service").read_text()


def test_each_process_has_a_user_of_its_own():
    users = (DEPLOY / "debian/latchkey.sysusers").read_text().splitlines()
    for process in PROCESSES:
        unit = Unit(DEPLOY, f"latchkey@{process}")
        assert unit.values("User") == [f"latchkey-{process}"]
        assert [line for line in users if line.split()[1] == unit.user] == [
            f'u {unit.user} - "Latchkey {process}" /var/lib/latchkey-services/{process} /usr/sbin/nologin',
            f"m {unit.user} latchkey-bus"]
        assert unit.values("StateDirectory") == [f"latchkey-services/{process}"]
        assert unit.last("StateDirectoryMode") == "0700"
        environment = unit.variables(lambda file: "")
        assert environment["LATCHKEY_DATA"] == f"/var/lib/latchkey-services/{process}"
        folder = f"latchkey:/etc/latchkey/credentials/{process}"
        if process in ["broker", "gateway"]:
            assert unit.values("LoadCredential") == [folder] and "LATCHKEY_MASTER_KEY_FILE" not in environment
        else:
            assert unit.values("LoadCredential") == [folder, "master.key:/etc/latchkey/master.key"]
            assert environment["LATCHKEY_MASTER_KEY_FILE"] == f"/run/credentials/latchkey@{process}.service/master.key"
        # The sockets of the bus are all that the group of the processes reaches.
        group = "latchkey-bus" if process == "broker" else unit.user
        mode, sockets = ("0007", ["latchkey"]) if process == "broker" else ("0077", [])
        assert (unit.last("Group"), unit.last("UMask"), unit.values("RuntimeDirectory")) == (group, mode, sockets)


def test_units_pass_what_they_hide():
    for unit in ["latchkey.service", "latchkey@.service"]:
        text = (DEPLOY / unit).read_text()
        assert "\nProcSubset=pid\n" in text and "\nEnvironment=BOOT_ID=%b\n" in text


class Manager:
    """The socket of a service manager."""

    def __init__(self, folder):
        self.path = folder / "notify"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.path))

    def wait_for(self, state):
        self.socket.settimeout(120)
        while self.socket.recv(256).decode() != state:
            pass


@pytest.fixture
def start(executables, place):
    """Starts an executable as a unit does. Returns the process and what it tells the service manager."""
    started = []

    def start(name, *arguments, **variables):
        folder = place / name
        folder.mkdir()
        manager = Manager(folder)
        environment = {"PATH": os.environ["PATH"], "LATCHKEY_DEV": "1", "LATCHKEY_DATA": str(place / "data"),
                       "NOTIFY_SOCKET": str(manager.path), "WATCHDOG_USEC": "1000000", "LATCHKEY_LIFELINE": "stdin"}
        with open(folder / "log", "wb") as log:
            process = subprocess.Popen([executables / name, *arguments], stdin=subprocess.PIPE, stdout=log, stderr=log,
                                       env=environment | variables)
        process.log = folder / "log"
        started.append(process)
        return process, manager

    yield start
    for process in started:
        process.kill()
        process.wait()


def live_and_end(process, manager):
    manager.wait_for("WATCHDOG=1")
    process.send_signal(signal.SIGTERM)
    manager.wait_for("STOPPING=1")
    assert process.wait(timeout=60) == 0


def test_mesh_tells_systemd_its_state(start):
    address = f"127.0.0.1:{free_port()}"
    process, manager = start("latchkey", "up", "--listen", address)
    manager.wait_for("READY=1")
    live_and_end(process, manager)


def test_mesh_without_a_gateway_tells_systemd_its_state(start):
    process, manager = start("latchkey", "up", "--only", "notifier")
    manager.wait_for("READY=1")
    live_and_end(process, manager)


def test_user_signs_in_with_a_unit_for_each_process(start, place):
    (place / "data").mkdir(mode=0o700)
    subprocess.run([DEPLOY / "make-master-key", place / "data/master.key"], check=True)
    bus = f"ipc://{place}/data/broker.sock"
    shared = {"LATCHKEY_BROKERS": bus, "LATCHKEY_PUBLIC_URL": "http://127.0.0.1:9099"}
    address = f"127.0.0.1:{free_port()}"
    own = {"broker": {"LATCHKEY_BROKER_LISTEN": bus}, "gateway": {"LATCHKEY_LISTEN": address}}
    started = [start(name, **shared | own.get(name, {})) for name in PROCESSES]
    for _, manager in started:
        manager.wait_for("READY=1")
    # In dev mode every key is that of the project.
    origin = f"http://{address}"
    wait_until_ready(origin, started[PROCESSES.index("gateway")][0])
    assert sign_up(origin, "any", "ada@shop.test") == sign_in(origin, "any", "ada@shop.test")
    for process, manager in reversed(started):
        live_and_end(process, manager)
