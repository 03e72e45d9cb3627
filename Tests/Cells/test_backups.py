"""Backups while two meshes write: that of `latchkey backup`, and PostgreSQL's own, up to a moment."""

import os
import pathlib
import signal

import pytest
from cells import run_command
from failover_clients import Clients
from machines import two_meshes
from mesh import wait_for
from postgres import Postgres


def has_written(clients, count=20):
    return sum("end" in entry and entry["operation"] == "write" for entry in list(clients.history)) > count


def writes(clients, place):
    return [entry for entry in list(clients.history) if entry["object"] == f"name {place}" and entry["operation"] == "write"]


def number_of(mesh_clients, token):
    status, reply = mesh_clients.call("lookup", {"idToken": token})
    return int(reply["users"][0].get("displayName", "n0")[1:]) if status == 200 else None


def acknowledged(clients):
    """The last number of each client that it knows to be stored."""
    return [max((entry["input"] for entry in writes(clients, place) if "end" in entry), default=0)
            for place in range(len(clients.tokens))]


def begun(clients):
    return [max((entry["input"] for entry in writes(clients, place)), default=0) for place in range(len(clients.tokens))]


def expect(clients, at_least, at_most):
    """Each name is one of the moment of the backup."""
    for place, token in enumerate(clients.tokens):
        number = wait_for("the mesh served", lambda: number_of(clients, token))
        assert at_least[place] <= number <= at_most[place], (place, at_least, number, at_most)


@pytest.mark.long
def test_backup_and_restore_while_two_meshes_run(tmp_path):
    with two_meshes("--only", "gateway,identity") as meshes:
        here, there = meshes
        with Clients(here.origin, count=3) as first, Clients(there.origin, count=3) as second:
            for clients in (first, second):
                wait_for("every client has written", lambda: has_written(clients))
            before = [acknowledged(clients) for clients in (first, second)]
            run_command("backup", tmp_path / "backup", "--dev", on=here)
            after = [begun(clients) for clients in (first, second)]
            for clients in (first, second):
                count = sum(acknowledged(clients))
                wait_for("writes went on", lambda: sum(acknowledged(clients)) > count)
        # The other machine restores it, while both run.
        run_command("restore", tmp_path / "backup", "--replace", "--dev", on=there)
        for clients, at_least, at_most in zip((first, second), before, after):
            assert clients.failures == []
            expect(clients, at_least, at_most)


class Archiving(Postgres):
    """Keeps a copy of what it logs before a commit is complete on disk: as an operator's archive of WAL."""

    def __enter__(self):
        self.archive = pathlib.Path(self.folder.name, "archive")
        self.archive.mkdir()
        if self.become:
            os.chown(self.archive, pathlib.Path(self.folder.name).stat().st_uid, -1)
        super().__enter__()
        for setting in ("archive_mode = on", f"archive_command = 'cp %p {self.archive}/%f'", "wal_level = replica"):
            self.run("psql", "--quiet", "--command", f"ALTER SYSTEM SET {setting}", self.url)
        self.run("pg_ctl", "--pgdata", f"{self.folder.name}/data", "--log", f"{self.folder.name}/log", "--wait", "--mode",
                 "fast", "restart")
        return self

    def ask(self, query):
        return self.run("psql", "--quiet", "--no-align", "--tuples-only", "--command", query, self.url).strip()

    def lose(self):
        """The machine of the server is gone, and its disk with it; the archive is elsewhere."""
        pid = int(pathlib.Path(self.folder.name, "data/postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)
        wait_for("it ended", lambda: not pathlib.Path(f"/proc/{pid}").exists())

    def recover(self, base, moment):
        data = f"{self.folder.name}/data"
        self.run("/bin/sh", "-c", f"rm -rf {data} && cp -a {base} {data} && touch {data}/recovery.signal")
        with open(f"{data}/postgresql.auto.conf", "a") as settings:
            settings.write(f"restore_command = 'cp {self.archive}/%f %p'\nrecovery_target_time = '{moment}'\n"
                           "recovery_target_action = 'promote'\n")
        self.run("pg_ctl", "--pgdata", data, "--log", f"{self.folder.name}/log", "--options",
                 f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=", "--wait", "start")
        wait_for("it was promoted", lambda: self.ask("SELECT pg_is_in_recovery()") == "f")


@pytest.mark.long
def test_point_in_time():
    """docs/operate/postgresql.md, "Backups": the server is lost, and comes back as it was at a moment."""
    with Archiving() as server:
        base = f"{server.folder.name}/base"
        with two_meshes("--only", "gateway,identity", server=server) as meshes:
            here, there = meshes
            with Clients(here.origin, count=3) as clients:
                wait_for("every client has written", lambda: has_written(clients))
                server.run("pg_basebackup", "--pgdata", base, "--dbname", server.url, "--checkpoint", "fast")
                count = sum(acknowledged(clients))
                wait_for("writes went on", lambda: sum(acknowledged(clients)) > count + 10)
                before = acknowledged(clients)
                moment = server.ask("SELECT clock_timestamp()")
                after = begun(clients)
                wait_for("writes went on", lambda: sum(acknowledged(clients)) > sum(before) + 10)
                # The last file of the log is complete, and archived.
                last = server.ask("SELECT pg_walfile_name(pg_switch_wal())")
                wait_for("it was archived", lambda: (server.archive / last).exists())
                server.lose()
            server.recover(base, moment)
            expect(clients, before, after)
            # The other machine sees the same, and both write again.
            clients.address = there.origin.removeprefix("http://")
            expect(clients, before, after)
            for address in (here.origin, there.origin):
                clients.address = address.removeprefix("http://")
                wait_for("an account was made", lambda: clients.call("signUp", {})[0] == 200)
