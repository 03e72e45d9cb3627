"""What nginx keeps away from the disk and from the gateway."""

import json
import os
import socket
import ssl

import pytest
import requests
from nginx import PUBLIC_NAME

HOST = f"https://{PUBLIC_NAME}"
PATH = "/v1/accounts:signInWithPassword?key=k"


@pytest.fixture
def connection(server):
    """A connection to the public server on which a request can stop anywhere."""
    context = ssl.create_default_context(cafile=os.environ["REQUESTS_CA_BUNDLE"])
    plain = socket.create_connection(("127.0.0.1", server.port(PUBLIC_NAME)), timeout=60)
    with context.wrap_socket(plain, server_hostname=PUBLIC_NAME) as secured:
        yield secured


@pytest.fixture
def server(names):
    return names


def files(server):
    return [path for path in server.body_folder.rglob("*") if path.is_file()]


def test_large_body_is_refused_before_it_is_stored(server, connection):
    """Three megabytes are announced, and most of them sent: nothing of them is on the disk."""
    head = (f"POST {PATH} HTTP/1.1\r\nHost: {PUBLIC_NAME}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {3 << 20}\r\n\r\n")
    connection.sendall(head.encode() + b" " * (1 << 16))
    reply = connection.recv(1 << 16)
    assert reply.startswith(b"HTTP/1.1 413 ") and files(server) == []


def test_large_chunked_body_is_refused(server, connection):
    """A body without a length is refused at two megabytes, and its file is gone."""
    connection.sendall(f"POST {PATH} HTTP/1.1\r\nHost: {PUBLIC_NAME}\r\nContent-Type: application/json\r\n"
                       "Transfer-Encoding: chunked\r\n\r\n".encode())
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    try:
        for _ in range(48):
            connection.sendall(chunk)
    except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
        pass  # nginx has refused and closed.
    connection.settimeout(60)
    assert connection.recv(1 << 16).startswith(b"HTTP/1.1 413 ") and files(server) == []


def test_refusal_is_in_the_form_of_the_api(server):
    response = requests.post(HOST + PATH, data=b" " * (3 << 20), timeout=60,
                             headers={"Content-Type": "application/json"})
    assert response.status_code == 413 and json.loads(response.text)["error"]["code"] == 413


def test_body_that_the_gateway_refuses_has_its_message(server):
    """Between the two limits the gateway answers."""
    response = requests.post(HOST + PATH, data=b" " * (3 << 19), timeout=60,
                             headers={"Content-Type": "application/json"})
    assert response.status_code == 413 and response.json()["error"]["code"] == 413


def test_read_timeout_is_above_the_longest_call():
    from nginx import CONFIGURATION
    timeouts = [line.split()[1] for line in CONFIGURATION.read_text().splitlines()
                if line.strip().startswith("proxy_read_timeout")]
    assert timeouts and all(int(text.removesuffix("s;")) > 34 for text in timeouts)


def test_clients_do_not_decide_about_traces(server):
    """The gateway trusts nginx, and would continue what it passes on: in the log, and in the traces that are recorded."""
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    for host in [HOST, "https://identitytoolkit.googleapis.com"]:
        response = requests.post(host + PATH, json={}, timeout=60, headers={
            "traceparent": f"00-{trace}-00f067aa0ba902b7-01", "tracestate": "a=1", "baggage": "a=1"})
        assert len(response.headers["x-request-id"]) == 32 and response.headers["x-request-id"] != trace, host
