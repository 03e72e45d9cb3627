import json
import pathlib
import sys
import tempfile

import providers
import pytest
from browser import Application, Browser
from servers import Server, application, certificate, script_host
from service import Service

sys.path.insert(0, str(pathlib.Path(__file__).parent / "../Mail"))


@pytest.fixture(scope="session")
def pyop_server():
    server = providers.PyOP()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def linkedin_server():
    server = providers.LinkedIn()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def mesh(pyop_server, linkedin_server):
    from mesh import Mesh

    with tempfile.TemporaryDirectory(prefix="latchkey-providers-") as path:  # Created with mode 0700.
        mesh = Mesh(pathlib.Path(path), "--only", "gateway,identity,federation,mfa-totp,notifier",
                    LATCHKEY_DEV_ENDPOINTS=json.dumps({
                        server.host: server.address for server in (pyop_server, linkedin_server)}))
        yield mesh
        mesh.stop()


@pytest.fixture(scope="session")
def service(mesh):
    return Service(mesh.origin)


@pytest.fixture(scope="session")
def chromium():
    with tempfile.TemporaryDirectory() as path:
        scripts = Server(script_host, certificate(pathlib.Path(path) / "key.pem", "apis.google.com"))
        browser = Browser(scripts.port)
        yield browser
        browser.quit()
        scripts.stop()


@pytest.fixture
def browser(chromium):
    """A browser without cookies, and no errors in its console at the end."""
    chromium.clear()
    yield chromium
    severe = [line for line in chromium.console() if "Content Security Policy" in line or "Uncaught" in line]
    assert severe == []


@pytest.fixture(scope="session")
def site():
    """The application: another site than the gateway when it is opened as 127.0.0.1."""
    server = Server(application)
    yield f"http://localhost:{server.port}"
    server.stop()


@pytest.fixture
def app(browser, site, service):
    return Application(browser, site, service.origin).open()


@pytest.fixture(scope="session")
def mock(service):
    """The ID of the provider `oidc-provider-mock`."""
    with providers.start_mock() as server:
        yield service.configure("mock", f"http://localhost:{server.server_port}")


@pytest.fixture(scope="session")
def configured_pyop(service, pyop_server):
    pyop_server.client["redirect_uris"].append(service.redirect_uri)
    pyop_server.code = service.configure("pyop", pyop_server.issuer)
    pyop_server.implicit = service.configure("pyop", pyop_server.issuer, code=False)
    return pyop_server


@pytest.fixture
def pyop(configured_pyop):
    """`pyop`, with the IDs of two configurations: `code` and `implicit`."""
    yield configured_pyop
    configured_pyop.changes.clear()
