"""The history of a running mesh: one-time codes and sessions under race, while one of two identity processes is killed."""

import pathlib
import sys
import tempfile
import threading

import pytest
from histories import violations
from recorder import Account, Recorder

sys.path[:0] = [str(pathlib.Path(__file__).parent / "../Mail")]

from mesh import Mesh  # noqa: E402


@pytest.fixture
def mesh():
    with tempfile.TemporaryDirectory(prefix="latchkey-histories-") as path:
        mesh = Mesh(pathlib.Path(path), "--only", "gateway,identity", "--scale", "identity=2")
        yield mesh
        assert mesh.stop() == 0, mesh.log


def test_codes_and_sessions_when_a_process_is_killed(mesh):
    recorder = Recorder(mesh.origin)
    accounts = [Account(recorder, number) for number in range(8)]
    rounds, middle = iter(range(len(accounts))), threading.Event()
    together = threading.Barrier(7, action=lambda: next(rounds) == len(accounts) // 2 and middle.set(), timeout=60)
    failures = []

    def client(operation):
        try:
            for account in accounts:
                together.wait()
                operation(account)
        except BaseException as failure:
            failures.append(failure)
            together.abort()
            middle.set()

    operations = [Account.use_code] * 3 + [Account.use_session] * 3 + [Account.revoke]
    threads = [threading.Thread(target=client, args=[operation]) for operation in operations]
    for thread in threads:
        thread.start()
    assert middle.wait(timeout=60)
    mesh.kill("identity.1")
    for thread in threads:
        thread.join()
    assert failures == []
    # Whatever has happened: now it is known.
    for account in accounts:
        for operation in (account.use_code, account.use_session):
            operation()
    uses = [entry for entry in recorder.history if entry.get("output") is True]
    assert len(recorder.history) == len(accounts) * 9 and len(uses) > len(accounts)
    assert violations(recorder.history) == []
