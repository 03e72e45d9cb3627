"""A mesh in one process on a disk whose power can go, its clients, and the worlds in which it went."""

import contextlib
import copy
import os
import shutil
import sqlite3
import subprocess
import threading
import time
import urllib.parse

from disk import Disk
from failover_clients import Clients
from histories import violations
from machines import WITHOUT_LIMITS
from mesh import EXECUTABLES, Mesh, wait_for
from recorder import Account, Recorder

# A launcher gives its children no library to load, so all services are in one process.
SETTINGS = {"LATCHKEY_ONE_PROCESS": "1", **WITHOUT_LIMITS}


class Load:
    """Clients that change names, use codes once, and end sessions. Use it in a `with` statement.

    While a disk fails there are only names, whose writers repeat what is refused.
    """

    def __init__(self, mesh, only_names=False):
        self.mesh, self.only_names = mesh, only_names
        self.recorder, self.accounts, self.failures = Recorder(mesh.origin), [], []
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.use)

    def __enter__(self):
        self.names = Clients(self.mesh.origin, count=4).__enter__()
        if not self.only_names:
            self.thread.start()
        return self

    def use(self):
        while not self.ended.is_set():
            try:
                account = Account(self.recorder, len(self.accounts))
                account.made_at = time.monotonic()
                self.accounts.append(account)
                account.use_session()
                account.use_code()
                account.revoke()
            except BaseException as failure:
                self.failures.append(failure)
                return

    def __exit__(self, *failure):
        self.ended.set()
        if not self.only_names:
            self.thread.join()
        self.names.__exit__(*failure)

    @property
    def history(self):
        return list(self.names.history) + list(self.recorder.history)

    def wait_for_writes(self, count, timeout=60):
        """Until so many more were acknowledged."""
        begin, end = time.monotonic(), time.monotonic() + timeout
        while sum(entry.get("end", 0) > begin for entry in self.history) < count:
            assert time.monotonic() < end and self.failures == [] and self.names.failures == [], [self.failures, self.names.failures]
            time.sleep(0.02)


class Cut:
    """A moment of a disk at which the power could go."""

    def __init__(self, disk):
        self.before = time.monotonic()
        self.position = disk.position
        self.after = time.monotonic()

    def history(self, load):
        """What had been acknowledged counts; what was under way may have happened."""
        known = []
        for entry in load.history:
            if entry["begin"] >= self.after:
                continue
            entry = dict(entry)
            if entry.get("end", float("inf")) > self.before:
                entry.pop("end", None)
                entry.pop("output", None)
                if entry["operation"] == "read":
                    continue  # It has no effect.
            known.append(entry)
        return known


def mesh_on_disk(folder):
    """A new mesh, and the disk below it."""
    folder.mkdir(mode=0o700, exist_ok=True)
    disk = Disk(folder, folder / "data")
    return Mesh(folder, **SETTINGS, **disk.environment), disk


@contextlib.contextmanager
def mesh_after_cut(disk, position, chance, folder):
    """A mesh on what remains: it starts, ends with 0, and leaves whole files and a whole audit log."""
    data = folder / "data"
    data.mkdir(parents=True, mode=0o700)
    disk.after_cut(position, chance, data)
    mesh = Mesh(folder, **SETTINGS)
    try:
        yield mesh
        wait_for("the audit log was verified", lambda: is_verified(data))
    finally:
        code = mesh.stop()
    assert code == 0, mesh.log
    for path in data.rglob("*.sqlite"):
        with contextlib.closing(sqlite3.connect(path)) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)], path


def is_verified(data):
    """Whether the audit log is whole. New records have no link for a second."""
    command = subprocess.run([EXECUTABLES / "latchkey", "audit", "verify", "--dev", "--data", data], capture_output=True,
                             text=True, timeout=60, env={"PATH": os.environ["PATH"]})
    assert command.returncode == 0 or "has a link yet" in command.stderr, command.stderr
    return command.returncode == 0


def judge_world(cut, disk, load, chance, folder, then=lambda: None):
    """Everything that was acknowledged before a cut is there after it, also after something that follows it."""
    with mesh_after_cut(disk, cut.position, chance, folder) as mesh:
        history = cut.history(load)
        names = copy.copy(load.names)
        names.address, names.history = urllib.parse.urlsplit(mesh.origin).netloc, []
        then()
        for place, token in enumerate(names.tokens):
            assert names.read(place, token), names.refusals
        recorder = Recorder(mesh.origin)
        for account in list(load.accounts):
            if account.made_at < cut.before:
                account = copy.copy(account)
                account.recorder = recorder
                account.use_code()
                account.use_session()
        assert all("end" in entry for entry in recorder.history)
        found = violations(history + names.history + recorder.history)
        assert found == [], found


def remove(folder):
    shutil.rmtree(folder)
