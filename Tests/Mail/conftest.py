import pathlib
import tempfile

import pytest
from aiosmtpd.smtp import AuthResult
from mesh import Mesh
from sink import Sink, make_certificate


@pytest.fixture
def directory():
    with tempfile.TemporaryDirectory(prefix="latchkey-mail-") as path:  # Created with mode 0700.
        yield pathlib.Path(path)


@pytest.fixture
def make_sink():
    sinks = []

    def make(**options):
        sinks.append(Sink(**options))
        return sinks[-1]

    yield make
    for sink in sinks:
        sink.stop()


@pytest.fixture
def sink(make_sink):
    return make_sink()


@pytest.fixture
def make_mesh(directory):
    meshes = []

    def make(*arguments, **environment):
        meshes.append(Mesh(directory, *arguments, **environment))
        return meshes[-1]

    yield make
    for mesh in meshes:
        if mesh.process.poll() is None:
            mesh.stop()


@pytest.fixture
def certificate(directory):
    return make_certificate(directory)


def accept_correct_password(server, session, envelope, mechanism, credentials):
    is_correct = (credentials.login, credentials.password) == (b"me", b"p:/w")
    return AuthResult(success=is_correct, handled=False)  # The server itself sends the reply.
