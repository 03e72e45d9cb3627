"""The maximum performance of the machine, without a mesh."""

import contextlib
import os
import pathlib
import platform
import re
import subprocess


def machine():
    """One line that describes it."""
    processor = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    memory = int(re.search(r"MemTotal:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text())[1])
    return (f"{processor[1] if processor else platform.machine()}, {os.cpu_count()} cores, {memory / 2**20:.0f} GiB, "
            f"Linux {platform.release()}")


def openssl_signatures(processes=1):
    """RSA-2048 signatures per second, measured by `openssl speed`."""
    output = subprocess.run(
        ["openssl", "speed", "-seconds", "3", *(["-multi", str(processes)] if processes > 1 else []), "rsa2048"],
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
def background(command, environment):
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.kill()
