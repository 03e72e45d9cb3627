"""The required part of APNs: HTTP/2 over TLS, with hyper-h2, according to RFC 9113 and Apple's documentation."""

import json
import socket
import ssl
import threading
from dataclasses import dataclass

import h2.config
import h2.connection
import h2.events


@dataclass
class Push:
    connection: int
    headers: dict
    body: bytes = b""

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def token(self):
        scheme, _, token = self.headers["authorization"].partition(" ")
        assert scheme == "bearer"
        return token


@dataclass
class Answer:
    status: int = 200
    reason: str = ""
    body: bytes | None = None
    """Closes the connection after the response (GOAWAY), as APNs does when it moves devices."""
    goes_away: bool = False


class APNs:
    """`answer` returns the result of a push: an `Answer`, or None for silence. It runs on the connection's thread."""

    def __init__(self, certificate, key, protocols=("h2",), clients=None):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        if clients:
            self.context.load_verify_locations(clients)
            self.context.verify_mode = ssl.CERT_REQUIRED
        self.context.set_alpn_protocols(list(protocols))
        self.answer = lambda push: Answer()
        self.lock = threading.Lock()
        self.pushes = []
        self.connections = 0
        self.sockets = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self):
        return f"https://localhost:{self.port}"

    def received(self):
        with self.lock:
            return list(self.pushes)

    def accept(self):
        while True:
            try:
                raw, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(raw,), daemon=True).start()

    def serve(self, raw):
        try:
            with self.context.wrap_socket(raw, server_side=True) as tls:
                if tls.selected_alpn_protocol() == "h2":
                    with self.lock:
                        self.connections += 1
                        number = self.connections
                        self.sockets.append(tls)
                    self.speak(tls, number)
                else:
                    tls.recv(65536)
                    tls.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        except OSError:
            pass  # The client disconnected, or did not trust this server.

    def speak(self, tls, number):
        connection = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        connection.initiate_connection()
        tls.sendall(connection.data_to_send())
        open_pushes = {}
        while data := tls.recv(65536):
            for event in connection.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    open_pushes[event.stream_id] = Push(number, dict(event.headers))
                elif isinstance(event, h2.events.DataReceived):
                    open_pushes[event.stream_id].body += event.data
                    connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamEnded):
                    push = open_pushes.pop(event.stream_id)
                    with self.lock:
                        self.pushes.append(push)
                        answer = self.answer(push)
                    if answer is None:
                        continue
                    body = answer.body
                    if body is None:
                        body = json.dumps({"reason": answer.reason}).encode() if answer.reason else b""
                    connection.send_headers(
                        event.stream_id, [(":status", str(answer.status)), ("apns-id", push.headers["apns-id"])],
                        end_stream=not body)
                    if body:
                        connection.send_data(event.stream_id, body, end_stream=True)
                    if answer.goes_away:
                        connection.close_connection()
                        tls.sendall(connection.data_to_send())
                        return
            tls.sendall(connection.data_to_send())

    def cut(self):
        """Closes every connection without a message."""
        with self.lock:
            sockets, self.sockets = self.sockets, []
        for tls in sockets:
            try:
                tls.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def stop(self):
        self.listener.close()
        self.cut()
