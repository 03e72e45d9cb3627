"""A separate PostgreSQL server for the bench, with the durability settings of its package."""

import contextlib
import os
import pathlib
import pwd
import re
import subprocess
import tempfile

from limits import processor_seconds
from ports import free_port


def programs():
    """The directory of the newest server's programs; None if there is none."""
    folders = [folder for folder in pathlib.Path("/usr/lib/postgresql").glob("*/bin") if (folder / "postgres").exists()]
    return max(folders, key=lambda folder: int(folder.parent.name), default=None)


class Postgres:
    """Use it in a `with` statement. It listens on loopback, accepts every client, and runs for a minute.

    `options` are further options of the program.
    """

    address = "127.0.0.1"

    def __init__(self, options=""):
        self.options = options
        self.folder = tempfile.TemporaryDirectory(prefix="latchkey-bench-postgres.")
        self.port = free_port()
        # The server refuses to run as root, so it runs as the user that its package created.
        self.become = []
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder.name, owner.pw_uid, owner.pw_gid)
            self.become = ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"]

    def __enter__(self):
        self.run("initdb", "--pgdata", f"{self.folder.name}/data", "--username", "latchkey", "--encoding", "UTF8",
                 "--locale", "C.UTF-8", "--auth", "trust")
        settings = f"-p {self.port} -c listen_addresses={self.address} -c unix_socket_directories= {self.options}"
        self.run("pg_ctl", "--pgdata", f"{self.folder.name}/data", "--log", f"{self.folder.name}/log",
                 "--options", settings, "--wait", "start")
        return self

    def __exit__(self, *failure):
        self.run("pg_ctl", "--pgdata", f"{self.folder.name}/data", "--mode", "immediate", "stop")
        self.folder.cleanup()

    @property
    def url(self):
        return f"postgres://latchkey@{self.address}:{self.port}/postgres"

    def processor_seconds(self):
        """Processor time so far, of the processes that have ended too."""
        first = int(pathlib.Path(self.folder.name, "data/postmaster.pid").read_text().split()[0])
        # A child is listed with the thread that started it, and the server has one.
        children = pathlib.Path(f"/proc/{first}/task/{first}/children").read_text().split()
        used = processor_seconds(first, with_ended_children=True)
        for child in children:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # It has ended.
                used += processor_seconds(child)
        return used

    def commits(self, clients):
        """Durable one-row transactions per second with this number of clients, measured by pgbench."""
        script = pathlib.Path(self.folder.name, "commits.sql")
        script.write_text("\\set id random(1, 1000000000)\n"
                          "INSERT INTO commits VALUES (:id) ON CONFLICT (id) DO NOTHING;\n")
        script.chmod(0o644)
        self.run("psql", "--quiet", "--command", "CREATE TABLE IF NOT EXISTS commits (id BIGINT PRIMARY KEY)", self.url)
        output = self.run("pgbench", "--no-vacuum", "--client", str(clients), "--time", "3", "--protocol", "prepared",
                          "--file", str(script), self.url)
        return float(re.search(r"tps = (\S+)", output)[1])

    def query(self, sql):
        """The rows of the last statement, as lists of texts; a missing value is an empty one."""
        output = self.run("psql", "--quiet", "--no-align", "--tuples-only", "--field-separator=\t", "--command", sql, self.url)
        return [line.split("\t") for line in output.splitlines()]

    def run(self, program, *arguments):
        command = [*self.become, str(programs() / program), *arguments]
        # A separate output; otherwise the server keeps the inherited one open while it runs.
        with tempfile.TemporaryFile("w+") as output:
            status = subprocess.run(command, stdout=output, stderr=output, cwd="/").returncode
            output.seek(0)
            text = output.read()
        if status:
            raise SystemExit(f"{program} failed:\n{text}")
        return text
