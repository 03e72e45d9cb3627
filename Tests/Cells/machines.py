"""Meshes of several machines that share one PostgreSQL and a master key."""

import contextlib
import pathlib
import subprocess
import tempfile

from mesh import EXECUTABLES, Mesh
from postgres import Postgres

MAKE_MASTER_KEY = pathlib.Path(__file__).parent / "../../deploy/make-master-key"
# Tests send more requests than users of one address.
WITHOUT_LIMITS = {f"LATCHKEY_LIMIT_{kind}_PER_MINUTE": "0" for kind in ("SIGN_IN", "SIGN_UP", "OTHER", "REFRESH")}


class Cell:
    """The mesh of one machine, which an operator takes out of the balancer, upgrades and puts back."""

    def __init__(self, directory, **environment):
        self.directory, self.environment = directory, environment
        self.listen = Mesh.listen
        directory.mkdir()
        self.mesh = None

    def start(self, release=EXECUTABLES, only="gateway,identity", **environment):
        class Release(Mesh):
            executables, listen = release, self.listen

        self.mesh = Release(self.directory, "--only", only, **self.environment, **environment)

    def stop(self):
        assert self.mesh.stop() == 0, self.mesh.log
        self.mesh = None


@contextlib.contextmanager
def cells_on_one_database(**environment):
    """Two that do not run yet."""
    with tempfile.TemporaryDirectory(prefix="latchkey-cells-") as path, Postgres() as postgres:
        folder = pathlib.Path(path)
        key = folder / "master.key"
        subprocess.run([MAKE_MASTER_KEY, key], check=True, capture_output=True)
        cells = [Cell(folder / name, LATCHKEY_DATABASE_URL=postgres.url, LATCHKEY_MASTER_KEY_FILE=str(key), **WITHOUT_LIMITS,
                      **environment) for name in "ab"]
        try:
            yield cells
        finally:
            for cell in cells:
                if cell.mesh:
                    cell.mesh.stop()
