"""Ports for servers of tests."""

import socket

from ports import free_port

# So many that the kernel would repeat one, almost surely, if a port were free again for the next caller.
COUNT = 300


def test_every_port_is_given_once_and_can_be_listened_on():
    ports = [free_port() for _ in range(COUNT)]
    assert len(set(ports)) == COUNT
    for port in ports:
        with socket.create_server(("127.0.0.1", port)), socket.create_connection(("127.0.0.1", port)):
            pass
