"""A standby takes the place of a primary server that is killed, while clients write."""

import os
import pathlib
import signal
import time

from failover_clients import Clients
from mesh import Mesh, wait_for
from ports import free_port
from postgres import Postgres


class Standby(Postgres):
    """Of another server, which from then on acknowledges only commits that both have."""

    def __init__(self, primary):
        super().__init__()
        self.primary = primary

    def __enter__(self):
        data = f"{self.folder.name}/data"
        self.run("pg_basebackup", "--pgdata", data, "--dbname", self.primary.url, "--write-recovery-conf", "--checkpoint", "fast")
        self.run("pg_ctl", "--pgdata", data, "--log", f"{self.folder.name}/log", "--options",
                 f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=", "--wait", "start")
        for command in ("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"):
            self.primary.run("psql", "--quiet", "--command", command, self.primary.url)
        wait_for("the standby was synchronous", lambda: "sync" in self.primary.run(
            "psql", "--quiet", "--tuples-only", "--command", "SELECT sync_state FROM pg_stat_replication", self.primary.url))
        return self


class Doomed(Postgres):
    def __exit__(self, *failure):
        self.folder.cleanup()

    def kill(self):
        """The other processes of the server end when its first one has."""
        os.kill(int(pathlib.Path(self.folder.name, "data/postmaster.pid").read_text().split()[0]), signal.SIGKILL)


def test_acknowledged_writes_survive(tmp_path):
    with Doomed() as primary, Standby(primary) as standby:
        url = f"postgres://latchkey@127.0.0.1:{primary.port},127.0.0.1:{standby.port}/postgres"
        mesh = Mesh(tmp_path, "--only", "gateway,identity", LATCHKEY_DATABASE_URL=url)
        with Clients(mesh.origin, count=4) as clients:
            wait_for("every client has written", lambda: sum("end" in entry for entry in list(clients.history)) > 40)
            primary.kill()
            standby.run("pg_ctl", "--pgdata", f"{standby.folder.name}/data", "--wait", "promote")
            accepts = time.monotonic()
            again = wait_for("writes went on", lambda: clients.first_after(accepts))
        clients.judge()
        print(f"writes again {again - accepts:.2f} s after the promotion")
        assert mesh.stop() == 0
