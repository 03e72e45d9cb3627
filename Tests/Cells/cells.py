"""Clients of two meshes on one database, as of two machines behind a load balancer."""

import concurrent.futures
import os
import re
import subprocess
import time

from lib.client import Service
from mesh import EXECUTABLES, Mesh

PROJECT = "demo-latchkey"


def services(meshes):
    return [Service(mesh.origin, mesh.origin, PROJECT) for mesh in meshes]


def race(calls):
    """The replies of calls that are all under way at once."""
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def winners(replies):
    return [reply for reply in replies if reply.status == 200]


def seen_within(seconds, look):
    """Asks again and again for what must be seen after this time at the latest. A busy test machine has some seconds more."""
    began = time.monotonic()
    while True:
        asked = time.monotonic()
        if look():
            return
        assert asked - began < seconds + 5, f"it was not seen {seconds} s later"
        time.sleep(0.05)


class Production(Mesh):
    """A mesh outside dev mode: it demands API keys and access tokens."""

    mode = ["--admin-listen", "127.0.0.1:0"]

    @property
    def admin_origin(self):
        return re.search(r"admin (http://\S+)", self.output)[1]


def run_command(*arguments, on=None):
    """Runs a command of the operator, on the machine of a mesh. Returns what it printed."""
    place, settings = (["--data", on.data], on.settings) if on else ([], {})
    command = subprocess.run([EXECUTABLES / "latchkey", *arguments, *place], capture_output=True, text=True, timeout=60,
                             env={"PATH": os.environ["PATH"], **settings})
    assert command.returncode == 0, command.stderr
    return command.stdout
