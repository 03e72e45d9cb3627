"""Clients of two meshes on one database, as of two machines behind a load balancer."""

import concurrent.futures
import os
import re
import subprocess
import threading
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


def send_messages(services, count=20):
    """Sends e-mails through all of them at once. Returns the addresses."""
    users = [service.create_user() for service in services[:1] * count]
    race([lambda number=number, user=user: services[number % len(services)].send_oob("PASSWORD_RESET", email=user.email)
          for number, user in enumerate(users)])
    return sorted(user.email for user in users)


def received(wanted, *sinks):
    return sorted(message["To"] for sink in sinks for message in sink.messages if message["To"] in wanted)


def send_from_two_machines(services, sink, others):
    """The mail servers of two machines get a part of the messages each, and each message is sent once."""
    # Whoever accepts messages sends them at once. It is held until somebody else has found one of the rest.
    taken = threading.Event()
    others.before = lambda envelope: taken.set()
    sink.before = lambda envelope: None if taken.wait(60) else "451 nobody else sends"
    wanted = send_messages(services)
    seen_within(60, lambda: len(received(wanted, sink, others)) >= len(wanted))
    assert received(wanted, sink, others) == wanted
    assert taken.is_set()
    sink.before = lambda envelope: None


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
