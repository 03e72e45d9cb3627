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

# The meshes of `two_meshes`, for the report of a failure.
running = []


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
def installation(server=None):
    """A folder, and the settings that all machines on one database have in common.

    A server that is given runs already, and goes on."""
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="latchkey-cells-")))
        server = server or stack.enter_context(Postgres())
        key = folder / "master.key"
        subprocess.run([MAKE_MASTER_KEY, key], check=True, capture_output=True)
        yield folder, {"LATCHKEY_DATABASE_URL": server.url, "LATCHKEY_MASTER_KEY_FILE": str(key)}


@contextlib.contextmanager
def cells_on_one_database(**environment):
    """Two that do not run yet."""
    with installation() as (folder, shared):
        cells = [Cell(folder / name, **shared, **WITHOUT_LIMITS, **environment) for name in "ab"]
        try:
            yield cells
        finally:
            for cell in cells:
                if cell.mesh:
                    cell.mesh.stop()


@contextlib.contextmanager
def two_meshes(*arguments, kind=Mesh, server=None, **settings):
    """Two that run. Both stop with status 0 at the end."""
    with installation(server) as (folder, shared), contextlib.ExitStack() as stack:
        meshes = []
        for name in ("here", "there"):
            (folder / name).mkdir(mode=0o700)
            mesh = kind(folder / name, *arguments, **shared, **settings)
            running.append(mesh)
            stack.callback(lambda mesh=mesh: _expect_end(mesh))
            meshes.append(mesh)
        yield meshes


def _expect_end(mesh):
    running.remove(mesh)
    assert mesh.stop() == 0, mesh.log
