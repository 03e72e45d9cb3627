"""Two cells on one PostgreSQL are upgraded one after the other and go back, under load: no request fails, and none is wrong."""

import concurrent.futures
import contextlib
import os
import pathlib
import threading

import pytest
from histories import violations
from machines import cells_on_one_database
from mesh import EXECUTABLES
from recorder import ACCOUNTS, Account, Recorder

BEFORE = pathlib.Path(os.environ.get("LATCHKEY_RELEASE_BEFORE", EXECUTABLES)).resolve()
CLIENTS = int(os.environ.get("LATCHKEY_CELLS_CLIENTS", "2"))
PASSWORD = "correct horse battery"


class Balancer(Recorder):
    """Sends each request to the next cell, and knows which requests are under way."""

    def __init__(self, cells):
        self.cells, self.history, self.failures = list(cells), [], []
        self.count = {}
        self.lock = threading.Condition()
        self.turn = 0

    def call(self, path, body, **headers):
        with self.lock:
            self.turn += 1
            cell = self.cells[self.turn % len(self.cells)]
            self.count[cell] = self.count.get(cell, 0) + 1
        try:
            status, reply = Recorder(cell.mesh.origin).call(path, body, **headers)
        except BaseException as error:
            status, reply = None, error
        with self.lock:
            self.count[cell] -= 1
            self.lock.notify_all()
            # A single use that is refused is an answer; a service that is not available is a lost request.
            if status is None or status >= 500:
                self.failures.append((path, status, reply))
        if status is None:
            raise reply
        return status, reply

    @contextlib.contextmanager
    def without(self, cell):
        with self.lock:
            self.cells.remove(cell)
            assert self.lock.wait_for(lambda: not self.count.get(cell), timeout=60)
        yield
        with self.lock:
            self.cells.append(cell)


@pytest.fixture
def cells():
    with cells_on_one_database() as cells:
        yield cells


def test_cells_are_upgraded_one_after_the_other_and_go_back(cells):
    for cell in cells:
        cell.start(BEFORE)
    balancer = Balancer(cells)
    ends, failures, rounds = threading.Event(), [], [0] * CLIENTS

    def client(number):
        try:
            while not ends.is_set():
                account = Account(balancer, number * 1_000_000 + rounds[number])
                # Each code is used by two at once, on different cells.
                pair = [threading.Thread(target=account.use_code) for _ in range(2)]
                for thread in pair:
                    thread.start()
                account.use_session()
                for thread in pair:
                    thread.join()
                tokens = balancer.done(f"{ACCOUNTS}/accounts:signInWithPassword", {
                    "email": account.email, "password": PASSWORD, "returnSecureToken": True})
                users = balancer.done(f"{ACCOUNTS}/accounts:lookup", {"idToken": tokens["idToken"]})["users"]
                assert [(user["email"], user["emailVerified"]) for user in users] == [(account.email, True)]
                account.revoke()
                account.use_session()
                rounds[number] += 1
        except BaseException as failure:
            failures.append(failure)

    def wait_for_every_client():
        begun = list(rounds)
        while not failures and any(now <= then for now, then in zip(rounds, begun)):
            ends.wait(0.05)

    clients = [threading.Thread(target=client, args=[number]) for number in range(CLIENTS)]
    for thread in clients:
        thread.start()
    try:
        for executables in (EXECUTABLES, BEFORE):
            for cell in cells:
                wait_for_every_client()
                with balancer.without(cell):
                    cell.stop()
                    cell.start(executables)
        wait_for_every_client()
    finally:
        ends.set()
        for thread in clients:
            thread.join()
    assert failures == []
    assert balancer.failures == []
    assert all("end" in entry for entry in balancer.history)
    assert violations(balancer.history) == []
    print(f"{balancer.turn} requests, {len(balancer.history)} in the history, {sum(rounds)} accounts")
    for cell in cells:
        cell.stop()


@pytest.mark.skipif(BEFORE == EXECUTABLES, reason="LATCHKEY_RELEASE_BEFORE names no other release")
@pytest.mark.parametrize("gateway, identity", [(BEFORE, EXECUTABLES), (EXECUTABLES, BEFORE)], ids=["old gateway", "old identity"])
def test_processes_of_two_releases_work_in_one_mesh(cells, gateway, identity):
    """One launcher for each process, because a launcher starts its own release. The bus has one version."""
    front, back = cells
    broker = f"ipc://{front.directory}/data/run/broker.1.sock"
    with concurrent.futures.ThreadPoolExecutor() as pool:
        # It is ready when identity responds.
        starting = pool.submit(front.start, gateway, "gateway")
        back.start(identity, "identity", LATCHKEY_BROKERS=broker)
        starting.result(timeout=60)
    balancer = Balancer([front])
    for number in range(3):
        account = Account(balancer, number)
        account.use_code()
        account.use_session()
        account.revoke()
        account.use_session()
    assert [entry["output"] for entry in balancer.history] == [True, True, True, False] * 3
    assert balancer.failures == []
