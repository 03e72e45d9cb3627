"""Ports of the loopback address."""

import socket

# As long as a port is bound, the kernel gives it to nobody: not to the next caller either. A server that sets SO_REUSEADDR, as
# all of them do, can listen on it nevertheless, because nobody listens here.
given = []


def free_port():
    """A port for a server. It is given once."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", 0))
    given.append(listener)
    return listener.getsockname()[1]
