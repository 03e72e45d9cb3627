"""A mail server of the tests."""

import email
import email.policy
import pathlib
import ssl
import subprocess
import sys
import threading

from aiosmtpd.controller import Controller

sys.path.append(str(pathlib.Path(__file__).parent / "../Bench"))

from ports import free_port  # noqa: E402


def make_certificate(directory, address="127.0.0.1"):
    """A self-signed certificate for localhost and an address, and a server context with it."""
    key, file = directory / "key.pem", directory / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-keyout", key, "-out", file, "-subj", "/CN=localhost",
         "-addext", f"subjectAltName=DNS:localhost,IP:{address}"],
        check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key)
    return file, context


class Sink:
    """A mail server that stores its messages. `before` may refuse or delay a message."""

    def __init__(self, port=None, host="127.0.0.1", **options):
        self.lock = threading.Lock()
        self.envelopes = []
        self.before = lambda envelope: None
        self.port = port or free_port()
        self.host = host
        self.controller = Controller(self, hostname=host, port=self.port, **options)
        self.controller.start()

    async def handle_DATA(self, server, session, envelope):
        if refusal := self.before(envelope):
            return refusal
        with self.lock:
            self.envelopes.append(envelope)
        return "250 taken"

    @property
    def url(self):
        return f"smtp://{self.host}:{self.port}"

    @property
    def messages(self):
        with self.lock:
            return [email.message_from_bytes(envelope.content, policy=email.policy.default)
                    for envelope in self.envelopes]

    def stop(self):
        self.controller.stop(no_assert=True)
