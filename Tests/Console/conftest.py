import pathlib
import secrets
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE / "../Mail"), str(HERE / "../Passkeys"), str(HERE / "../Pages")]

from desk import Desk, Installation  # noqa: E402


@pytest.fixture(scope="session")
def installation():
    from mesh import Mesh

    with tempfile.TemporaryDirectory(prefix="latchkey-console-") as path:  # Created with mode 0700.
        mesh = Mesh(pathlib.Path(path), "--only", "gateway,identity,mfa-totp,federation,notifier,passkey")
        yield Installation(mesh)
        mesh.stop()


@pytest.fixture(scope="session")
def chromium():
    from chromium import launched

    with launched() as browser:
        yield browser


@pytest.fixture
def open_desk(installation, chromium):
    """Opens browsers of operators. At the end, none has written an error to its console."""
    desks = []

    def open_desk(operator, **options):
        context = chromium.new_context(**{"locale": "en", "base_url": installation.origin, **options})
        context.set_default_timeout(20_000)
        desks.append(Desk(context, operator, options.get("java_script_enabled", True)))
        return desks[-1]
    yield open_desk
    errors = [line for desk in desks for line in desk.errors]
    for desk in desks:
        desk.context.close()
    assert errors == []


@pytest.fixture
def new_operator(installation):
    """Each has an authenticator app of its own, so that no test waits for the next code."""
    return lambda *arguments: installation.add(f"{secrets.token_hex(4)}@example.com", *arguments)


@pytest.fixture(scope="session")
def state(installation, chromium):
    """The cookies of an administrator who is signed in."""
    context = chromium.new_context(locale="en", base_url=installation.origin)
    context.set_default_timeout(20_000)
    desk = Desk(context, installation.add("ola@example.com"))
    desk.sign_in()
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def desk(open_desk, state):
    return open_desk(None, storage_state=state)
