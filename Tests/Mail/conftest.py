import pathlib
import ssl
import subprocess
import tempfile

import pytest
from aiosmtpd.smtp import AuthResult
from mesh import Mesh
from sink import Sink


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
    """A self-signed certificate for localhost, and a server context with it."""
    key, file = directory / "key.pem", directory / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-keyout", key, "-out", file, "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key)
    return file, context


def accept_correct_password(server, session, envelope, mechanism, credentials):
    is_correct = (credentials.login, credentials.password) == (b"me", b"p:/w")
    return AuthResult(success=is_correct, handled=False)  # The server itself sends the reply.
