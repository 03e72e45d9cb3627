"""The frames and envelopes of the bus, as Shared/Bus/README.md describes them."""

import hashlib
import json
import os
import struct
import time

PROTOCOL = b"LKBUS\x02"
READY, REQUEST, REPLY, HEARTBEAT, DISCONNECT, EVENT, ENDED, BLOCK, LEAVING, CONFIRMED, REPORT, WATCH = (
    bytes([number]) for number in range(1, 13))
STOPPED, CRASHED = b"\x01", b"\x02"
REPEATABLE = b"\x01"
ONCE = b"\x00"

# A process that received nothing for this time sends a heartbeat, and waits this time for the reply.
SILENCE_SECONDS = 3.0
ANSWER_SECONDS = 0.75
# A stopping worker waits this time for `confirmed`.
LIVENESS_SECONDS = 1.0


def now_milliseconds():
    return time.time_ns() // 1_000_000


def ready(service, instance, capacity):
    return [PROTOCOL, READY, service.encode(), instance.encode(), struct.pack(">H", capacity)]


def request(service, request_id, left, flags, body):
    """`left`: milliseconds until the deadline."""
    return [PROTOCOL, REQUEST, service.encode(), request_id, struct.pack(">Q", left), flags,
            payload_digest(service, body), encode(body)]


def payload_digest(service, body):
    asked = json.dumps({"operation": body["operation"], "params": body["params"]}, separators=(",", ":"),
                       sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(service.encode() + b"\0" + asked[1:-1].encode()).digest()[:16]


def reply(request_id, body):
    return [PROTOCOL, REPLY, request_id, encode(body)]


def heartbeat():
    return [PROTOCOL, HEARTBEAT]


def disconnect():
    return [PROTOCOL, DISCONNECT]


def ended(service, instance, cause, payload=b""):
    return [PROTOCOL, ENDED, service.encode(), instance.encode(), cause, payload]


def confirmed():
    return [PROTOCOL, CONFIRMED]


def event(body):
    return [PROTOCOL, EVENT, encode(body)]


def report(body):
    return [PROTOCOL, REPORT, encode(body)]


def watch():
    return [PROTOCOL, WATCH]


def encode(body):
    return json.dumps(body, separators=(",", ":")).encode()


def command(parts):
    """The command of a message, or None if it is malformed."""
    return parts[1] if len(parts) >= 2 and parts[0] == PROTOCOL else None


def envelope(request_id, operation, params, deadline):
    return {
        "id": request_id.hex(),
        "operation": operation,
        "params": params,
        "deadline": deadline,
        "trace": f"00-{os.urandom(16).hex()}-{os.urandom(8).hex()}-01",
    }
