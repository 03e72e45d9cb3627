"""PgBouncer in front of the database: sessions of their own are used, and shared ones are refused at the start."""

import os
import pathlib
import subprocess
import tempfile

import pytest
from mesh import EXECUTABLES, Mesh
from ports import free_port
from postgres import Postgres


@pytest.fixture(scope="module")
def postgres():
    with Postgres() as postgres:
        yield postgres


class PgBouncer:
    def __init__(self, folder, postgres, mode, size):
        self.port = free_port()
        (folder / "users").write_text('"latchkey" ""\n')
        (folder / "pgbouncer.ini").write_text(
            f"[databases]\npostgres = host=127.0.0.1 port={postgres.port} user=latchkey\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {self.port}\nauth_type = any\n"
            f"auth_file = {folder}/users\npool_mode = {mode}\ndefault_pool_size = {size}\nunix_socket_dir =\n")
        self.process = subprocess.Popen(
            [*postgres.become, "/usr/sbin/pgbouncer", "-q", folder / "pgbouncer.ini"], stderr=subprocess.DEVNULL)
        self.url = f"postgres://latchkey@127.0.0.1:{self.port}/postgres"

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)


@pytest.fixture
def pooler(postgres):
    started = []
    with tempfile.TemporaryDirectory(prefix="latchkey-pgbouncer-") as path:
        os.chmod(path, 0o755)  # It does not run as root.

        def start(mode, size):
            started.append(PgBouncer(pathlib.Path(path), postgres, mode, size))
            return started[0]
        yield start
        for pooler in started:
            pooler.stop()


@pytest.mark.long
def test_sessions_are_kept(pooler, tmp_path):
    mesh = Mesh(tmp_path, "--only", "gateway,identity", LATCHKEY_DATABASE_URL=pooler("session", 30).url)
    assert "connect-failed" not in mesh.log
    assert mesh.stop() == 0


@pytest.mark.long
@pytest.mark.parametrize("size", [1, 30])
@pytest.mark.parametrize("mode", ["transaction", "statement"])
def test_shared_sessions_are_refused(pooler, tmp_path, mode, size):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LATCHKEY_")}
    process = subprocess.Popen(
        [EXECUTABLES / "latchkey", "up", "--dev", "--only", "gateway,identity", "--data", tmp_path / "data", "--listen", "127.0.0.1:0"],
        env={**environment, "LATCHKEY_DATABASE_URL": pooler(mode, size).url, "LATCHKEY_LIFELINE": "stdin"},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = process.stdout.read()
    assert process.wait(timeout=60) == 78
    assert "set pool_mode = session, or name the server itself" in output
    process.stdin.close()
