"""Three PostgreSQL servers of Patroni with etcd, each in a network namespace of its own, and haproxy in front. Needs root."""

import json
import os
import pathlib
import pwd
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request

from mesh import wait_for
from postgres import programs

NETWORK = "10.213.77"
GATE = f"{NETWORK}.1"
# As `/etc/patroni/config.yml`. A lost primary server is replaced when its lease in etcd ends.
LEASE_SECONDS = 20


class Node:
    def __init__(self, cluster, number):
        self.cluster, self.number = cluster, number
        self.name, self.address = f"pg{number}", f"{NETWORK}.{10 + number}"
        self.space, self.cable = f"latchkey-{os.getpid()}-{number}", f"lk{os.getpid() % 100000}-{number}"
        self.folder = cluster.folder / self.name
        self.folder.mkdir(mode=0o755)
        owner = pwd.getpwnam("postgres")
        os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        self.last_write = 0
        self.writes = []

    def start(self):
        inside = ["ip", "-n", self.space]
        ip("netns", "add", self.space)
        ip("link", "add", self.cable, "type", "veth", "peer", "name", "eth0", "netns", self.space)
        ip("link", "set", self.cable, "master", self.cluster.bridge, "up")
        for arguments in (["addr", "add", f"{self.address}/24", "dev", "eth0"], ["link", "set", "eth0", "up"], ["link", "set", "lo", "up"]):
            subprocess.run([*inside, *arguments], check=True)
        settings = {
            "scope": "latchkey", "name": self.name,
            "restapi": {"listen": f"{self.address}:8008", "connect_address": f"{self.address}:8008"},
            "etcd3": {"host": f"{GATE}:2379"},
            "bootstrap": {
                "dcs": {"ttl": LEASE_SECONDS, "loop_wait": 2, "retry_timeout": 3, "primary_start_timeout": 0, "master_start_timeout": 0,
                        "synchronous_mode": True, "failsafe_mode": True,
                        "postgresql": {"use_pg_rewind": True, "parameters": {"max_connections": 100}}},
                "initdb": [{"encoding": "UTF8"}, "data-checksums"],
                "pg_hba": [f"host replication replicator {NETWORK}.0/24 trust", f"host all all {NETWORK}.0/24 trust"]},
            "postgresql": {
                "listen": f"{self.address}:5432", "connect_address": f"{self.address}:5432", "data_dir": f"{self.folder}/data",
                "bin_dir": str(programs()), "pgpass": f"{self.folder}/pgpass",
                "authentication": {"superuser": {"username": "postgres", "password": "secret"},
                                   "replication": {"username": "replicator", "password": "secret"}},
                "parameters": {"unix_socket_directories": str(self.folder)}}}
        file = self.folder / "patroni.yml"
        file.write_text(json.dumps(settings))  # JSON is YAML.
        self.log = open(self.folder / "log", "ab")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PATRONI", "PG", "VIRTUAL_ENV"))}
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", self.space, "setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups",
             "/usr/bin/python3", "/usr/bin/patroni", file],
            stdout=self.log, stderr=self.log, cwd=self.folder, env={**environment, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})

    @property
    def is_primary(self):
        try:
            return urllib.request.urlopen(f"http://{self.address}:8008/primary", timeout=1).status == 200
        except OSError:
            return False

    def kill(self):
        """PostgreSQL alone; Patroni lives and reports it."""
        os.kill(int((self.folder / "data/postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    def connect(self, is_on):
        ip("link", "set", self.cable, "up" if is_on else "down")

    def probe(self, ended):
        """Writes again and again, to learn when this server accepts it."""
        while not ended.wait(0.05):
            result = subprocess.run(
                ["psql", "-X", "-q", f"host={self.address} user=postgres dbname=postgres connect_timeout=2", "-c",
                 "SET statement_timeout = 1000; INSERT INTO probes VALUES (1)"], capture_output=True)
            if result.returncode == 0:
                self.writes.append(time.monotonic())

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for pid in subprocess.run(["ip", "netns", "pids", self.space], capture_output=True, text=True).stdout.split():
            os.kill(int(pid), signal.SIGKILL)
        ip("netns", "delete", self.space)
        self.log.close()


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


class Cluster:
    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="latchkey-cells-")
        self.folder = pathlib.Path(self.directory.name)
        self.folder.chmod(0o755)
        self.bridge = f"lk{os.getpid() % 100000}"
        ip("link", "add", self.bridge, "type", "bridge")
        ip("addr", "add", f"{GATE}/24", "dev", self.bridge)
        ip("link", "set", self.bridge, "up")
        self.etcd = self.program("etcd", "--data-dir", self.folder / "etcd", "--listen-client-urls", f"http://{GATE}:2379",
                                 "--advertise-client-urls", f"http://{GATE}:2379", "--listen-peer-urls", f"http://{GATE}:2380")
        self.nodes = [Node(self, number) for number in (1, 2, 3)]
        for node in self.nodes:
            node.start()
        self.wait_until_whole()
        self.sql("CREATE TABLE probes (id INTEGER)", "CREATE ROLE latchkey LOGIN")
        # Without `retries 0` haproxy accepts a connection and tries the lost server for up to three seconds.
        servers = "".join(f"  server {node.name} {node.address}:5432 check port 8008\n" for node in self.nodes)
        (self.folder / "haproxy.cfg").write_text(
            "defaults\n  mode tcp\n  retries 0\n  timeout connect 1s\n  timeout client 30m\n  timeout server 30m\n  timeout check 1s\n"
            f"listen primary\n  bind {GATE}:5000\n  option httpchk GET /primary\n"
            "  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions\n" + servers)
        self.haproxy = self.program("haproxy", "-db", "-f", self.folder / "haproxy.cfg")
        self.ended = threading.Event()
        self.probes = [threading.Thread(target=node.probe, args=[self.ended]) for node in self.nodes]
        for probe in self.probes:
            probe.start()
        return self

    def program(self, name, *arguments):
        with open(self.folder / f"{name}.log", "ab") as log:
            return subprocess.Popen([name, *arguments], stdout=log, stderr=log, cwd=self.folder)

    def __exit__(self, *failure):
        self.ended.set()
        for probe in self.probes:
            probe.join()
        for node in self.nodes:
            node.stop()
        for program in (self.haproxy, self.etcd):
            program.terminate()
            program.wait(timeout=30)
        ip("link", "delete", self.bridge)
        self.directory.cleanup()

    @property
    def primary(self):
        return next((node for node in self.nodes if node.is_primary), None)

    def sql(self, *commands):
        for command in commands:
            output = subprocess.run(
                ["psql", "-X", "-q", "-A", "-t", f"host={self.primary.address} user=postgres dbname=postgres", "-c", command],
                capture_output=True, text=True, check=True).stdout
        return output

    def wait_until_whole(self):
        """Until the next failover can begin: PostgreSQL and etcd name the same synchronous server. Without it, Patroni promotes
        none."""
        def is_whole():
            try:
                replicas = dict(line.split("|") for line in self.sql(
                    "SELECT application_name, sync_state FROM pg_stat_replication WHERE state = 'streaming'").split())
                members = json.load(urllib.request.urlopen(f"http://{self.primary.address}:8008/cluster", timeout=5))["members"]
            except (subprocess.CalledProcessError, AttributeError, OSError):
                return False
            roles = {member["name"]: member["role"] for member in members if member["state"] in ("running", "streaming")}
            leader = [name for name, role in roles.items() if role == "leader"]
            synchronous = [name for name, role in roles.items() if role == "sync_standby"]
            return (len(replicas) == 2 and len(roles) == 3 and len(leader) == 1 and len(synchronous) == 1
                    and [name for name, state in replicas.items() if state == "sync"] == synchronous)
        wait_for("every server replicated, one of them synchronously", is_whole, timeout=180)

    def switch_over(self):
        leader = self.primary
        request = urllib.request.Request(f"http://{leader.address}:8008/switchover", json.dumps({"leader": leader.name}).encode(),
                                         {"Content-Type": "application/json"}, method="POST")
        urllib.request.urlopen(request, timeout=60).read()

    def accepts_again(self, former, moment):
        """When a server other than the former primary accepted a write first."""
        return min((write for node in self.nodes if node is not former for write in list(node.writes) if write > moment), default=None)
