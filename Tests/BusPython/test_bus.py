"""The Python client and worker with the real broker.

    LATCHKEY_BROKER_EXECUTABLE=.build/debug/broker pytest Tests/BusPython
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import lkbus
import pytest
import zmq
from client import Client

HERE = pathlib.Path(__file__).parent
BROKER = pathlib.Path(os.environ.get("LATCHKEY_BROKER_EXECUTABLE", HERE / "../../.build/debug/broker")).resolve()


@pytest.fixture
def directory():
    with tempfile.TemporaryDirectory(prefix="latchkey-bus-") as path:  # Created with mode 0700.
        yield pathlib.Path(path)


@pytest.fixture
def start():
    """Starts processes and ends them in reverse order."""
    processes = []

    def start(*arguments, **environment):
        process = subprocess.Popen(
            [str(argument) for argument in arguments], env={**os.environ, **environment}, stderr=subprocess.PIPE)
        processes.append(process)
        return process

    yield start
    for process in reversed(processes):
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.fixture
def address(directory):
    return f"ipc://{directory}/broker.1.sock"


@pytest.fixture
def broker(start, address):
    assert BROKER.exists(), f"{BROKER} is not built: run make build, or set LATCHKEY_BROKER_EXECUTABLE"
    return start(BROKER, LATCHKEY_BROKER_LISTEN=address, LATCHKEY_DEV="1")


@pytest.fixture
def start_worker(start, address):
    return lambda instance="notifier.1": start(sys.executable, HERE / "worker.py", address, "notifier", instance)


@pytest.fixture
def client(address):
    client = Client(address)
    yield client
    client.close()


@pytest.fixture
def dealer(address):
    """A plain socket, for messages that a client would not send."""
    socket = zmq.Context.instance().socket(zmq.DEALER)
    socket.linger = 0
    socket.rcvtimeo = 10_000
    socket.connect(address)
    yield socket
    socket.close()


def test_worker_replies_to_request(broker, start_worker, client):
    start_worker()
    reply = client.ask("notifier", "say", {"text": "grüß dich"}, within=10)
    assert reply["result"] == {"text": "grüß dich"}


def test_error_is_returned_unchanged(broker, start_worker, client):
    start_worker()
    reply = client.ask("notifier", "fail", {}, within=10)
    assert reply["error"] == {"code": "weakPassword", "message": "as asked"}


def test_request_without_worker_is_unavailable(broker, client):
    assert client.ask("notifier", "say", {"text": ""}, within=10)["error"]["code"] == "unavailable"


def test_late_request_is_refused_without_dispatch(broker, start_worker, client, dealer):
    start_worker()
    client.ask("notifier", "say", {"text": "the worker is there"}, within=10)
    request_id = os.urandom(16)
    body = lkbus.envelope(request_id, "say", {"text": ""}, lkbus.now_milliseconds())
    dealer.send_multipart(lkbus.request("notifier", request_id, 0, lkbus.ONCE, body))
    parts = dealer.recv_multipart()
    assert (lkbus.command(parts), lkbus.request_id(parts)) == (lkbus.REPLY, request_id)
    assert b'"deadlineExceeded"' in parts[1]


@pytest.mark.parametrize("year", [-1, 1])
def test_wrong_clock_of_caller_does_not_affect_deadline(broker, start_worker, client, monkeypatch, year):
    start_worker()
    correct_time = lkbus.now_milliseconds
    monkeypatch.setattr(lkbus, "now_milliseconds", lambda: correct_time() + year * 365 * 86_400_000)
    assert client.ask("notifier", "say", {"text": "on time"}, within=10)["result"] == {"text": "on time"}


def test_ready_is_confirmed_by_heartbeat(broker, dealer):
    dealer.send_multipart(lkbus.ready("gateway", "gateway.1", 0))
    assert dealer.recv_multipart() == lkbus.heartbeat()


def test_heartbeat_of_nonmember_is_answered_with_disconnect(broker, dealer):
    dealer.send_multipart(lkbus.heartbeat())
    assert dealer.recv_multipart() == lkbus.disconnect()


def send(client, text, deadline_in=10_000):
    """Sends a repeatable request without waiting for its reply."""
    request_id = os.urandom(16)
    deadline = lkbus.now_milliseconds() + deadline_in
    body = lkbus.envelope(request_id, "say", {"text": text}, deadline)
    client.socket.send_multipart(lkbus.request("notifier", request_id, deadline_in, lkbus.REPEATABLE, body))
    return request_id


def join_as_worker(dealer):
    """Joins as a worker that accepts requests and does not reply."""
    dealer.send_multipart(lkbus.ready("notifier", "notifier.1", 8))
    assert dealer.recv_multipart() == lkbus.heartbeat()


def until_request(dealer):
    while lkbus.command(dealer.recv_multipart()) != lkbus.REQUEST:
        pass


def test_idempotent_request_survives_loss_of_worker(broker, start_worker, client, dealer):
    # A worker accepts two requests and disappears; the next worker with its name gets them.
    join_as_worker(dealer)
    ids = {send(client, "kept"), send(client, "kept too")}
    for _ in ids:
        until_request(dealer)
    start_worker("notifier.1")
    client.socket.rcvtimeo = 10_000
    for _ in range(2):
        parts = client.socket.recv_multipart()
        assert lkbus.command(parts) == lkbus.REPLY and b'"kept' in parts[1]
        ids.remove(lkbus.request_id(parts))


def test_only_request_of_crashed_worker_is_blocked(broker, start_worker, client, dealer):
    join_as_worker(dealer)
    request_id = send(client, "poison")
    until_request(dealer)
    start_worker("notifier.1")
    client.socket.rcvtimeo = 10_000
    parts = client.socket.recv_multipart()
    assert lkbus.request_id(parts) == request_id
    assert b'"requestBlocked"' in parts[1] and b'"retryAfterSeconds":60' in parts[1]
    # Also with another id; other requests are accepted.
    assert client.ask("notifier", "say", {"text": "poison"}, within=10)["error"]["code"] == "requestBlocked"
    assert client.ask("notifier", "say", {"text": "other"}, within=10)["result"] == {"text": "other"}


def test_request_of_stopped_worker_is_repeated(broker, start_worker, client, dealer, address):
    launcher = zmq.Context.instance().socket(zmq.DEALER)
    launcher.linger = 0
    launcher.rcvtimeo = 10_000
    launcher.connect(address)
    try:
        launcher.send_multipart(lkbus.ready("latchkey-up", "test.1", 0))
        assert launcher.recv_multipart() == lkbus.heartbeat()
        join_as_worker(dealer)
        request_id = send(client, "kept")
        until_request(dealer)
        launcher.send_multipart(lkbus.ended("notifier", "notifier.1", lkbus.STOPPED))
        start_worker("notifier.2")
        client.socket.rcvtimeo = 10_000
        parts = client.socket.recv_multipart()
        assert lkbus.request_id(parts) == request_id and b'"kept"' in parts[1]
    finally:
        launcher.close()


def test_disconnect_is_confirmed_after_last_request(broker, client, dealer):
    join_as_worker(dealer)
    dealer.send_multipart(lkbus.disconnect())
    while (parts := dealer.recv_multipart()) != lkbus.confirmed():
        assert lkbus.command(parts) == lkbus.HEARTBEAT


@pytest.fixture
def other_dealer(address):
    other = zmq.Context.instance().socket(zmq.DEALER)
    other.linger = 0
    other.rcvtimeo = 10_000
    other.connect(address)
    yield other
    other.close()


def join_as_gateways(*dealers):
    for number, dealer in enumerate(dealers):
        dealer.send_multipart(lkbus.ready("gateway", f"gateway.{number}", 0))
        assert dealer.recv_multipart() == lkbus.heartbeat()


def test_event_reaches_other_members(broker, dealer, other_dealer):
    join_as_gateways(dealer, other_dealer)
    dealer.send_multipart(lkbus.event({"signingKeysChanged": {}}))
    while (parts := other_dealer.recv_multipart())[1:] != [b'{"signingKeysChanged":{}}']:
        assert lkbus.command(parts) == lkbus.HEARTBEAT


def test_reports_reach_only_members_that_watch_them(broker, dealer, other_dealer):
    join_as_gateways(dealer, other_dealer)
    other_dealer.send_multipart(lkbus.watch())
    dealer.send_multipart(lkbus.report({"service": "gateway", "instance": "gateway.0", "metrics": []}))
    received = []
    while b'"gateway.0"' not in b"".join(received[-1:]):
        parts = other_dealer.recv_multipart()
        if lkbus.command(parts) == lkbus.REPORT:
            received.append(parts[1])
        else:
            assert lkbus.command(parts) == lkbus.HEARTBEAT
    # This event follows the reports, and the first process got none of them.
    other_dealer.send_multipart(lkbus.event({"signingKeysChanged": {}}))
    while (command := lkbus.command(dealer.recv_multipart())) != lkbus.EVENT:
        assert command == lkbus.HEARTBEAT


def test_worker_joins_restarted_broker(start, broker, start_worker, client, address):
    start_worker()
    assert client.ask("notifier", "say", {"text": "before"}, within=10)["result"]["text"] == "before"
    broker.kill()
    broker.wait()
    start(BROKER, LATCHKEY_BROKER_LISTEN=address, LATCHKEY_DEV="1")
    replies = (client.ask("notifier", "say", {"text": "after"}, within=2) for _ in range(10))
    assert any(reply and reply.get("result") == {"text": "after"} for reply in replies)


def test_malformed_messages_are_dropped(broker, start_worker, client, dealer):
    start_worker()
    for parts in ([b""], [b"LKBUS"], [b"LKBUS\x02", b"\x04"], [lkbus.PROTOCOL], [lkbus.header(99)], [b"x"] * 50,
                  [lkbus.header(lkbus.REQUEST), b"{}"], [lkbus.header(lkbus.HEARTBEAT, 0, b"\0")], lkbus.heartbeat() * 2):
        dealer.send_multipart(parts)
    assert client.ask("notifier", "say", {"text": "after"}, within=10)["result"] == {"text": "after"}
    dealer.send_multipart(lkbus.heartbeat())
    assert dealer.recv_multipart() == lkbus.disconnect()


def test_request_of_version_02_is_refused_with_both_versions(broker, dealer):
    request_id = os.urandom(16)
    dealer.send_multipart([b"LKBUS\x02", b"\x02", b"notifier", request_id, bytes(8), b"\x01", bytes(16), b"{}"])
    parts = dealer.recv_multipart()
    assert parts[:3] == [b"LKBUS\x02", b"\x03", request_id]
    error = json.loads(parts[3])["error"]
    assert error["code"] == "invalidRequest" and "version 02" in error["message"] and "version 03" in error["message"]
    while b"broker.message-malformed" not in (line := broker.stderr.readline()):
        assert line
    assert b"version 02" in line and b"version 03" in line


def test_broker_refuses_accessible_directory(start, directory):
    open_directory = directory / "open"
    open_directory.mkdir(mode=0o755)
    process = start(BROKER, LATCHKEY_BROKER_LISTEN=f"ipc://{open_directory}/broker.sock", LATCHKEY_DEV="1")
    _, error = process.communicate(timeout=10)
    assert process.returncode != 0
    assert b"must belong to this user and have mode 0700" in error


@pytest.mark.parametrize("endpoint", ["tcp://0.0.0.0:5555", "tcp://127.0.0.1:5555"])
def test_broker_refuses_tcp(start, endpoint):
    process = start(BROKER, LATCHKEY_BROKER_LISTEN=endpoint, LATCHKEY_DEV="1")
    _, error = process.communicate(timeout=10)
    assert process.returncode == 78
    assert b"only ipc:///path is accepted" in error
