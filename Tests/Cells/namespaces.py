"""One mesh over two machines: network namespaces, joined by a cable that can be pulled. The test itself is on the first one, so
`run` starts it in a network namespace of its own."""

import os
import signal
import socket
import subprocess
import threading
import time

import zmq
from client import Client
from mesh import EXECUTABLES, Mesh, wait_for
from postgres import Postgres

EDGE, CORE = "10.213.78.1", "10.213.78.2"
# Two brokers, and so none of them is missed.
LISTEN = {"broker-1": f"tcp://{CORE}:9701", "broker-2": f"tcp://{CORE}:9702"}
BROKERS = ",".join(f"core.broker@{address}" for address in LISTEN.values())
MEMBERS = 4  # The gateway, identity, and their launchers.


class Cable:
    """From the machine of the test to another one. Use it in a `with` statement."""

    def __enter__(self):
        self.holder = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.holder.stdout.readline()  # It has left the namespace of the test.
        self.other = ["nsenter", "--target", str(self.holder.pid), "--net"]
        ip("link", "set", "lo", "up")
        ip("link", "add", "core", "type", "veth", "peer", "name", "edge", "netns", str(self.holder.pid))
        ip("addr", "add", f"{EDGE}/24", "dev", "core")
        for arguments in (["addr", "add", f"{CORE}/24", "dev", "edge"], ["link", "set", "edge", "up"], ["link", "set", "lo", "up"]):
            subprocess.run([*self.other, "ip", *arguments], check=True)
        self.connect(True)
        return self

    def connect(self, is_on):
        ip("link", "set", "core", "up" if is_on else "down")

    def __exit__(self, *failure):
        self.holder.stdin.close()
        self.holder.wait()
        self.holder.stdout.close()
        # The kernel removes the other end later.
        subprocess.run(["ip", "link", "delete", "core"], stderr=subprocess.DEVNULL)


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


class NameServer:
    """Answers every question with the address of the other machine while it lives, and nothing while it is dead."""

    def __init__(self, folder):
        self.is_dead = False
        self.questions = 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((EDGE, 53))
        settings = folder / "resolv.conf"
        settings.write_text(f"nameserver {EDGE}\noptions timeout:1 attempts:1\n")
        # Of this test alone: it has a view of files of its own.
        subprocess.run(["mount", "--bind", settings, "/etc/resolv.conf"], check=True)
        threading.Thread(target=self.answer, daemon=True).start()

    def answer(self):
        while True:
            question, sender = self.socket.recvfrom(512)
            self.questions += 1
            if self.is_dead:
                continue
            end = question.index(0, 12) + 5  # The name, and two numbers.
            asks_address = question[end - 4:end - 2] == b"\0\1"
            answer = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + socket.inet_aton(CORE) if asks_address else b""
            self.socket.sendto(
                question[:2] + b"\x81\x80\0\1" + bytes([0, asks_address]) + bytes(4) + question[12:end] + answer, sender)


class EdgePostgres(Postgres):
    """On the machine of the test, for both."""

    address = EDGE

    def run(self, program, *arguments):
        text = super().run(program, *arguments)
        if program == "initdb":
            with open(f"{self.folder.name}/data/pg_hba.conf", "a") as rules:
                rules.write(f"host all all {EDGE}/24 trust\n")
        return text


class FarMesh(Mesh):
    """On the machine to which `within` leads."""

    def __init__(self, within, *arguments, **settings):
        self.within = within
        super().__init__(*arguments, **settings)


class Machine:
    """Keys, and the processes that have them."""

    def __init__(self, folder, name, within=()):
        self.folder, self.name, self.within = folder / name, name, list(within)
        self.keys = self.folder / "bus"
        self.keys.mkdir(parents=True, mode=0o700)
        self.processes = {}

    def make_key(self, process, *arguments):
        """The lines for the table."""
        return subprocess.run(
            [EXECUTABLES / "latchkey", "keys", "bus", "create", process, "--peer", f"{self.name}.{process}", "--dir", self.keys,
             *arguments], check=True, capture_output=True, text=True, env=inherited()).stdout

    def secret_key(self, process):
        lines = (self.keys / f"{process}.key").read_text().splitlines()
        return next(line for line in lines if not line.startswith("# ")).encode()

    def set_table(self, table):
        new = self.keys / "peers.toml.new"
        new.write_text(table)
        new.chmod(0o644)
        new.rename(self.keys / "peers.toml")
        for process in self.processes.values():
            process.send_signal(signal.SIGHUP)

    def start(self, name, *command, **environment):
        """They end with the test, whose end of standard input they watch. So SIGHUP asks them to read files again."""
        settings = {"LATCHKEY_DEV": "1", "LATCHKEY_BUS_KEYS": str(self.keys), "LATCHKEY_DATA": str(self.folder / "data"),
                    "LATCHKEY_LOG": "debug", "LATCHKEY_LIFELINE": "stdin", **environment}
        with open(self.folder / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                [*self.within, EXECUTABLES / command[0], *command[1:]], env={**inherited(), **settings}, stdin=subprocess.PIPE,
                stdout=log, stderr=log)

    def log(self, name):
        return (self.folder / f"{name}.log").read_text()

    def count(self, name, event, **fields):
        """The lines of the log with this event and these fields."""
        wanted = [f" {field}={value} " for field, value in fields.items()]
        return sum(f" {event} " in line and all(field in f"{line} " for field in wanted) for line in self.log(name).splitlines())

    def wait(self, name, event, count=1, **fields):
        def happened():
            assert self.processes[name].poll() is None, self.log(name)
            return self.count(name, event, **fields) >= count
        wait_for(f"the log of {name} had {event} {count} times", happened)

    def stop(self, name):
        process = self.processes.pop(name)
        process.terminate()
        process.stdin.close()
        process.wait(timeout=30)
        return process.returncode


def inherited():
    """The environment without what the suite says to itself."""
    return {name: value for name, value in os.environ.items() if not name.startswith("LATCHKEY_")}


class SpreadMesh:
    """The gateway on the machine of the test; brokers and services on the other. The gateway looks up the name of the brokers."""

    def __init__(self, folder, cable, names):
        self.cable, self.names = cable, names
        self.edge, self.core = Machine(folder, "edge"), Machine(folder, "core", cable.other)
        self.table = "".join(
            machine.make_key(process) + "\n"
            for machine, processes in ((self.core, ["broker", "identity", "latchkey-up"]), (self.edge, ["gateway", "latchkey", "latchkey-up"]))
            for process in processes)
        self.origin = "http://127.0.0.1:9099"  # No other process is in this namespace.

    def __enter__(self):
        self.change(lambda table: table)
        for name in LISTEN:
            self.start_broker(name)
        self.core.start("services", "latchkey", "up", "--only", "identity", LATCHKEY_BROKERS=BROKERS)
        self.names.is_dead = True
        self.edge.start("gateway", "latchkey", "up", "--only", "gateway", "--listen", "127.0.0.1:9099",
                        LATCHKEY_BROKERS=BROKERS.replace(CORE, "broker.test"))
        self.edge.wait("gateway", "bus.host-unknown", len(LISTEN))
        self.names.is_dead = False
        for name in LISTEN:
            self.core.wait(name, "broker.member-joined", MEMBERS)
        return self

    def start_broker(self, name):
        log = self.core.folder / f"{name}.log"
        starts = self.core.count(name, "broker.listening") if log.exists() else 0
        self.core.start(name, "broker", LATCHKEY_BROKER_LISTEN=LISTEN[name])
        # Before it handles SIGHUP, the signal would end it.
        self.core.wait(name, "broker.listening", starts + 1)

    def restart_brokers(self):
        """One after the other, as soon as everybody has joined the former."""
        for name in LISTEN:
            joined = self.core.count(name, "broker.member-joined")
            assert self.core.stop(name) == 0
            self.start_broker(name)
            self.core.wait(name, "broker.member-joined", joined + MEMBERS)

    def stalls(self):
        """How often a process missed the heartbeats of a second, as on a machine that has no time for it."""
        return sum(self.core.count(name, "broker.member-left", reason=reason)
                   for name in LISTEN for reason in ("heartbeatTimeout", "replaced"))

    def restart(self, machine, log, process):
        """Ends a process of a launcher, which starts it again."""
        starts = machine.count(log, "process.started", process=f"{process}.1")
        line = [line for line in machine.log(log).splitlines() if " process.started " in line and f" process={process}.1 " in line][-1]
        os.kill(int(line.partition(" pid=")[2].split()[0]), signal.SIGTERM)
        machine.wait(log, "process.started", starts + 1, process=f"{process}.1")

    def change(self, edit):
        """Puts another table on both machines."""
        self.table = edit(self.table)
        for machine in (self.edge, self.core):
            machine.set_table(self.table)

    def replace_key(self, machine, process, restart=lambda: None):
        """As docs/operate/several-machines.md says it: both keys, the process with its next one, the next one alone."""
        former = self.public_key(machine, process)
        lines = machine.make_key(process, "--next").splitlines()
        following = next(line for line in lines if line.startswith("next-public-key"))
        self.change(lambda table: table.replace(former, f"{former}\n{following}"))
        os.replace(machine.keys / f"{process}.next.key", machine.keys / f"{process}.key")
        restart()
        self.change(lambda table: table.replace(f"{former}\n{following}", following.removeprefix("next-")))

    def public_key(self, machine, process):
        stanza = self.table.partition(f'name = "{machine.name}.{process}"\n')[2]
        return next(line for line in stanza.splitlines() if line.startswith("public-key"))

    def without(self, machine, process):
        """A change of the table that removes a peer."""
        return lambda table: "".join(
            f"[[peer]]{stanza}" for stanza in table.split("[[peer]]")[1:] if f'"{machine.name}.{process}"' not in stanza)

    def __exit__(self, *failure):
        codes = [machine.stop(name) for machine, names in ((self.edge, ["gateway"]), (self.core, ["services", *LISTEN]))
                 for name in names if name in machine.processes]
        if failure[0] is None:
            assert codes == [0, 0, 0, 0]


class Stranger(Client):
    """A process with these keys, or new ones, as a client of the first broker."""

    def __init__(self, mesh, secret=None):
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.immediate = 1
        self.socket.sndtimeo = 50  # Without a connection.
        own = secret or zmq.curve_keypair()[1]
        self.socket.curve_publickey, self.socket.curve_secretkey = zmq.curve_public(own), own
        self.socket.curve_serverkey = mesh.public_key(mesh.core, "broker").split('"')[1].encode()
        self.socket.connect(LISTEN["broker-1"])

    def outcome(self, operation, params, within):
        """The code of the error in the reply, `result`, or None without a reply."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            try:
                reply = self.ask("identity", operation, params, within=min(within, 2))
            except zmq.Again:
                continue
            if reply:
                return reply["error"]["code"] if "error" in reply else "result"
        return None
