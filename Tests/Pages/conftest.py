import contextlib
import pathlib
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE / "../Mail"), str(HERE / "../Passkeys")]

from service import Service  # noqa: E402
from phones import Phones  # noqa: E402
from tab import HOME, Tab  # noqa: E402
from visitor import Visitor  # noqa: E402


@pytest.fixture(scope="session")
def service():
    from mesh import Mesh

    with tempfile.TemporaryDirectory(prefix="latchkey-pages-") as path:  # Created with mode 0700.
        mesh = Mesh(pathlib.Path(path), "--only", "gateway,identity,mfa-totp,mfa-sms,passkey,notifier")
        service = Service(mesh.origin)
        service.configure("mfa", {"mfa": {"providerConfigs": [
            {"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": 5}}]}})
        service.configure("mfa.rememberedDeviceDays", {"mfa": {"rememberedDeviceDays": 30}})
        service.configure("signIn.email", {"signIn": {"email": {"enabled": True, "passwordRequired": False}}})
        service.configure("signIn.emailCode", {"signIn": {"emailCode": {"enabled": True}}})
        service.configure("signIn.phoneNumber", {"signIn": {"phoneNumber": {"enabled": False}}})
        service.configure("branding", {"branding": {"applicationName": "Harbour"}})
        yield service
        mesh.stop()


@pytest.fixture
def phones(service):
    """Numbers sign in, and text messages are a second step, while a test runs."""
    service.configure("signIn.phoneNumber", {"signIn": {"phoneNumber": {"enabled": True}}})
    service.configure("mfa.state,mfa.enabledProviders", {"mfa": {
        "state": "ENABLED", "enabledProviders": ["PHONE_SMS"]}})
    yield Phones(service)
    service.configure("signIn.phoneNumber", {"signIn": {"phoneNumber": {"enabled": False}}})
    service.configure("mfa.state,mfa.enabledProviders", {"mfa": {"state": "DISABLED", "enabledProviders": []}})


@pytest.fixture
def visitor(service):
    return Visitor(service.origin)


@pytest.fixture(scope="session")
def chromium():
    from chromium import launched

    with launched() as browser:
        yield browser


@contextlib.contextmanager
def opening_tabs(service, chromium):
    """Opens tabs of new browsers. At the end, none has written an error to its console."""
    tabs = []

    def open_tab(**options):
        context = chromium.new_context(**{"locale": "en", "base_url": service.origin, **options})
        context.set_default_timeout(20_000)
        context.route(HOME + "*", lambda route: route.fulfill(content_type="text/html", body="<title>Home</title>"))
        tabs.append(Tab(context))
        return tabs[-1]
    yield open_tab
    errors = [line for tab in tabs for line in tab.errors]
    for tab in tabs:
        tab.context.close()
    assert errors == []


@pytest.fixture
def open_tab(service, chromium):
    with opening_tabs(service, chromium) as open_tab:
        yield open_tab


@pytest.fixture(scope="module")
def open_lasting_tab(service, chromium):
    """Opens tabs that several tests use."""
    with opening_tabs(service, chromium) as open_tab:
        yield open_tab
