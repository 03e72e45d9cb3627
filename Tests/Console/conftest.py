import contextlib
import pathlib
import secrets
import sqlite3
import sys
import tempfile
import time

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


@contextlib.contextmanager
def opening_desks(installation, chromium):
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
def open_desk(installation, chromium):
    with opening_desks(installation, chromium) as open_desk:
        yield open_desk


@pytest.fixture(scope="module")
def open_lasting_desk(installation, chromium):
    """Opens browsers that several tests use."""
    with opening_desks(installation, chromium) as open_desk:
        yield open_desk


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


DAY = 86_400_000
COUNTERS = [
    "signUp.password", "signIn.passkey.accepted", "signIn.password.accepted", "signIn.provider.accepted",
    "signIn.phone.accepted", "signIn.emailLink.accepted", "signIn.anonymous.accepted", "signIn.password.refused",
    "signIn.password.failed", "secondFactor.totp.accepted", "secondFactor.sms.accepted", "secondFactor.totp.refused",
    "smsCode.refused", "message.email.delivered", "message.email.failed", "message.sms.delivered", "request.succeeded",
    "request.failed", "requestDuration.under5ms", "requestDuration.longer",
]


@pytest.fixture(scope="session")
def counted(installation):
    """What an installation with users has counted, and a cost of yesterday and of today."""
    today = int(time.time() * 1000) // DAY * DAY
    rows = [(resolution, start, counter, 5 + number)
            for resolution, length in [("hour", DAY // 24), ("day", DAY)]
            for start in [int(time.time() * 1000) // length * length - back * length for back in range(20)]
            for number, counter in enumerate(COUNTERS)]
    rows += [("day", today - DAY, "smsCostMicros", 12_345_000), ("day", today, "smsCostMicros", 250_000)]
    with sqlite3.connect(installation.mesh.data / "identity.sqlite", timeout=20) as database:
        database.executemany(
            """
            INSERT INTO activity_counts (project, resolution, starts_at, counter, amount) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (project, resolution, starts_at, counter) DO UPDATE SET amount = amount + excluded.amount
            """, [(project, *row) for project in ["", "demo-latchkey"] for row in rows])
    database.close()
