"""A mail server of the tests."""

import email
import email.policy
import pathlib
import sys
import threading

from aiosmtpd.controller import Controller

sys.path.append(str(pathlib.Path(__file__).parent / "../Bench"))

from ports import free_port  # noqa: E402


class Sink:
    """A mail server that stores its messages. `before` may refuse or delay a message."""

    def __init__(self, port=None, **options):
        self.lock = threading.Lock()
        self.envelopes = []
        self.before = lambda envelope: None
        self.port = port or free_port()
        self.controller = Controller(self, hostname="127.0.0.1", port=self.port, **options)
        self.controller.start()

    async def handle_DATA(self, server, session, envelope):
        if refusal := self.before(envelope):
            return refusal
        with self.lock:
            self.envelopes.append(envelope)
        return "250 taken"

    @property
    def url(self):
        return f"smtp://127.0.0.1:{self.port}"

    @property
    def messages(self):
        with self.lock:
            return [email.message_from_bytes(envelope.content, policy=email.policy.default)
                    for envelope in self.envelopes]

    def stop(self):
        self.controller.stop(no_assert=True)
