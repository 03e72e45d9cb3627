"""A mesh that is drained serves what a load balancer still sends, and loses nothing."""

import csv
import http.client
import json
import socket
import subprocess
import time
import urllib.parse

import pytest
from failover_clients import Clients
from machines import Cell, cells_on_one_database
from mesh import EXECUTABLES, wait_for
from ports import free_port

# The balancers look every second.
DRAIN_SECONDS = 3


def drain(cell):
    """`latchkey drain` beside the mesh."""
    return subprocess.Popen(
        [EXECUTABLES / "latchkey", "drain", "--data", cell.mesh.data], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def ended(command, cell):
    output, _ = command.communicate(timeout=90)
    assert command.returncode == 0, output + cell.mesh.log
    assert output.splitlines()[-1] == "stopped"
    assert cell.mesh.process.wait(timeout=1) == 0
    cell.stop()


def test_readiness_ends_before_the_listeners_close(tmp_path):
    cell = Cell(tmp_path / "cell", LATCHKEY_DRAIN_SECONDS="2")
    cell.start()
    address = urllib.parse.urlsplit(cell.mesh.origin).netloc

    def get(path, connection=None):
        connection = connection or http.client.HTTPConnection(address)
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.headers["Connection"], json.loads(response.read())

    kept = http.client.HTTPConnection(address)
    assert get("/readyz", kept) == (200, None, {"ready": True})
    commands = [drain(cell)]
    answer = wait_for("the mesh was not ready", lambda: (reply := get("/readyz"))[0] == 503 and reply)
    assert answer == (503, "close", {"ready": False, "missing": ["gateway"], "draining": True})
    # A second request changes nothing.
    commands.append(drain(cell))
    assert get("/livez", kept)[:2] == (200, "close")
    health = subprocess.run([EXECUTABLES / "latchkey", "healthcheck", "--data", cell.mesh.data], capture_output=True, text=True)
    assert (health.returncode, "drain time" in health.stderr) == (1, True), health
    assert commands[1].wait(timeout=90) == 0
    ended(commands[0], cell)
    with pytest.raises(ConnectionRefusedError):
        get("/livez")
    again = subprocess.run([EXECUTABLES / "latchkey", "drain", "--data", tmp_path / "cell/data"], capture_output=True, text=True)
    assert (again.returncode, "No mesh" in again.stderr) == (1, True), again


class Balancer:
    """In front of the cells, with its files in a folder."""

    def __init__(self, folder, ports):
        self.folder, self.ports, self.port = folder, ports, free_port()
        file = folder / "balancer.conf"
        file.write_text(self.configuration())
        self.log = open(folder / "balancer.log", "ab")
        self.process = subprocess.Popen([*self.command, file], stdout=self.log, stderr=self.log)

    def __enter__(self):
        wait_for("the balancer sent a request to a cell", self.has_answer)
        return self

    def __exit__(self, *failure):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.log.close()

    def has_answer(self):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            return False


class HAProxy(Balancer):
    """Looks at /readyz every second. It repeats nothing, so that a lost request shows."""

    command = ["/usr/sbin/haproxy", "-W", "-q", "-f"]

    def configuration(self):
        servers = "\n".join(f"    server cell{port} 127.0.0.1:{port}" for port in self.ports)
        return f"""global
    stats socket {self.folder}/stats.sock
defaults
    mode http
    retries 0
    timeout connect 5s
    timeout client 60s
    timeout server 60s
frontend gate
    bind 127.0.0.1:{self.port}
    default_backend cells
backend cells
    balance roundrobin
    option httpchk
    http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host 127.0.0.1
    default-server check inter 1s fall 1 rise 1
{servers}
"""

    def uses(self, port):
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(f"{self.folder}/stats.sock")
            control.sendall(b"show stat\n")
            text = control.makefile().read()
        rows = csv.DictReader(text.removeprefix("# ").splitlines())
        return any(row["svname"] == f"cell{port}" and row["status"] == "UP" for row in rows)


class Nginx(Balancer):
    """Keeps connections to the cells, and looks at no page: it goes to the next one when a cell refuses a connection."""

    command = ["/usr/sbin/nginx", "-c"]

    def configuration(self):
        servers = " ".join(f"server 127.0.0.1:{port} max_fails=1 fail_timeout=1s;" for port in self.ports)
        paths = " ".join(f"{kind}_temp_path {self.folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        return f"""daemon off; user root; pid {self.folder}/nginx.pid; error_log stderr;
events {{}}
http {{
    access_log off; {paths}
    upstream cells {{ {servers} keepalive 16; }}
    server {{
        listen 127.0.0.1:{self.port};
        location / {{ proxy_pass http://cells; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host; }}
    }}
}}
"""

    def uses(self, port):
        return True


class Strict(Clients):
    """No request may fail."""

    def attempt(self, entry, call, body, output):
        status, reply = self.call(call, body)
        assert status == 200, reply
        entry |= {"output": output(reply), "end": time.monotonic()}
        return True


@pytest.mark.long
@pytest.mark.parametrize("kind", [HAProxy, Nginx], ids=["haproxy", "nginx"])
def test_balancer_loses_no_request(kind):
    with cells_on_one_database(LATCHKEY_DRAIN_SECONDS=str(DRAIN_SECONDS)) as cells:
        for cell in cells:
            cell.listen = f"127.0.0.1:{free_port()}"
            cell.start()
        ports = [int(cell.listen.rpartition(":")[2]) for cell in cells]
        with kind(cells[0].directory.parent, ports) as balancer:
            with Strict(f"http://127.0.0.1:{balancer.port}") as clients:

                def wait_for_clients():
                    seen = len(clients.history)
                    wait_for("clients went on", lambda: clients.failures or len(clients.history) > seen + 100)

                for cell, port in zip(cells, ports):
                    wait_for("the balancer uses the cell", lambda: balancer.uses(port))
                    wait_for_clients()
                    ended(drain(cell), cell)
                    cell.start()
                wait_for_clients()
            clients.judge()
        print(f"{kind.__name__}: {len(clients.history)} operations")
