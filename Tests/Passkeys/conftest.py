import pathlib
import sys
import tempfile

import pytest
from browser import Browser
from service import Service

sys.path.insert(0, str(pathlib.Path(__file__).parent / "../Mail"))


@pytest.fixture(scope="session")
def service():
    from mesh import Mesh

    with tempfile.TemporaryDirectory(prefix="latchkey-passkeys-") as path:  # Created with mode 0700.
        mesh = Mesh(pathlib.Path(path), "--only", "gateway,identity,passkey,notifier")
        yield Service(mesh.origin)
        mesh.stop()


@pytest.fixture(scope="session")
def chromium():
    browser = Browser()
    yield browser
    browser.quit()


@pytest.fixture
def page(service, chromium):
    """The passkey page in a browser with an authenticator, and no errors in its console at the end."""
    chromium.console()
    with chromium.authenticator():
        chromium.url = f"{service.origin}/__/auth/passkeys"
        chromium.open(chromium.url)
        yield chromium
    severe = [line for line in chromium.console() if "Content Security Policy" in line or "Uncaught" in line]
    assert severe == []


@pytest.fixture
def signed_up(service):
    return service.sign_up()
