import os
import pathlib
import subprocess
import tempfile

import pytest
from executable import EXECUTABLES, ROOT, standalone
from machine import Machine, debian


@pytest.fixture(scope="session")
def folder():
    # Short, because the path of a socket is; searchable, because the processes are those of another user.
    with tempfile.TemporaryDirectory(prefix="lk-", dir="/var/tmp") as path:
        pathlib.Path(path).chmod(0o755)
        yield pathlib.Path(path)


@pytest.fixture
def place(folder):
    """A folder of one test, with a short path."""
    return pathlib.Path(tempfile.mkdtemp(dir=folder))


@pytest.fixture(scope="session")
def executables():
    return EXECUTABLES


@pytest.fixture(scope="session")
def published(folder):
    """What `make release` makes."""
    assert os.geteuid() == 0, "packages are installed into root file systems, which only root can use"
    linked = folder / "linked"
    linked.mkdir()
    output = folder / "published"
    subprocess.run([ROOT / "deploy/release", standalone(linked), output], check=True)
    return output


@pytest.fixture(scope="session")
def packages(published):
    """The program and, if it has them, its symbols."""
    return {path.name.split("_")[0]: path for path in published.glob("*.deb")}


@pytest.fixture(scope="module")
def machine(folder):
    root = folder / "machine"
    debian(root)
    machine = Machine(root)
    try:
        yield machine
    finally:
        machine.close()
