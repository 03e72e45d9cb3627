"""The maximum performance of the machine, without a mesh."""

import contextlib
import os
import pathlib
import platform
import re
import socket
import subprocess
import time

from ports import free_port

TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(pid, with_ended_children=False):
    """Processor time of a process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15 if with_ended_children else 13])) / TICKS


def machine():
    """One line that describes it."""
    processor = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    memory = int(re.search(r"MemTotal:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text())[1])
    return (f"{processor[1] if processor else platform.machine()}, {os.cpu_count()} cores, {memory / 2**20:.0f} GiB, "
            f"Linux {platform.release()}")


def openssl_signatures(processes=1, seconds=3):
    """RSA-2048 signatures per second, measured by `openssl speed`. On one core: per second of processor time."""
    output = subprocess.run(
        ["openssl", "speed", "-seconds", str(seconds), *(["-multi", str(processes)] if processes > 1 else []), "rsa2048"],
        check=True, capture_output=True, text=True).stdout
    return float(re.search(r"rsa 2048 bits +\S+s +\S+s +(\S+)", output)[1])


def openssl_rsa_verifications():
    """RSA-2048 verifications per second on one core, measured by `openssl speed`."""
    output = subprocess.run(
        ["openssl", "speed", "-seconds", "3", "rsa2048"], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"rsa 2048 bits +\S+s +\S+s +\S+ +(\S+)", output)[1])


def openssl_verifications():
    """ECDSA P-256 verifications per second on one core, measured by `openssl speed`."""
    output = subprocess.run(
        ["openssl", "speed", "-seconds", "3", "ecdsap256"], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"nistp256\) +\S+s +\S+s +\S+ +(\S+)", output)[1])


class SignatureClock:
    """The processor seconds of one RS256 signature now: the speed of a virtual machine changes within a run.

    By `openssl speed`, so that two builds are measured with the same unit.
    """

    def __init__(self):
        self.seconds, self.measured_at = 0, 0

    def read(self):
        # A reading that has just ended is also the one before the next measurement.
        if time.monotonic() - self.measured_at > 2:
            self.seconds = 1 / openssl_signatures(seconds=1)
            self.measured_at = time.monotonic()
        return self.seconds


class Limits:
    """The program `bench-limits`."""

    def __init__(self, binaries, scratch):
        self.binaries = binaries
        self.scratch = scratch

    def measure(self, *arguments):
        """Its figures by name."""
        output = subprocess.run(
            [self.binaries / "bench-limits", *map(str, arguments)], check=True, capture_output=True, text=True).stdout
        return {name: float(value) for name, value in map(str.split, output.splitlines())}

    def round_trips(self):
        """Through a separate broker to a worker in another process."""
        endpoint = f"ipc://{self.scratch}/bench.sock"
        environment = {**os.environ, "LATCHKEY_DEV": "1", "LATCHKEY_DATA": str(self.scratch),
                       "LATCHKEY_INSTANCE": "broker.1", "LATCHKEY_BROKERS": endpoint,
                       "LATCHKEY_BROKER_LISTEN": endpoint}
        with background([self.binaries / "broker"], environment), \
             background([self.binaries / "bench-limits", "worker", endpoint], environment):
            return self.measure("round-trips", endpoint)


    @contextlib.contextmanager
    def bare_http(self):
        """The HTTP library of the gateway, which answers every request with the same 500 bytes."""
        port = free_port()
        with background([self.binaries / "bench-http", str(port)], os.environ) as process:
            server = BareServer(port, process)
            while not server.responds():
                if process.poll() is not None:
                    raise SystemExit("The bare HTTP server ended.")
                time.sleep(0.01)
            yield server


class BareServer:
    def __init__(self, port, process):
        self.port, self.process = port, process

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def responds(self):
        with socket.socket() as connection:
            return connection.connect_ex(("127.0.0.1", self.port)) == 0

    def processor_seconds(self):
        return {"bare HTTP": processor_seconds(self.process.pid)}


@contextlib.contextmanager
def background(command, environment):
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()
