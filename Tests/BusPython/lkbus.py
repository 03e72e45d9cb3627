"""The frames and envelopes of the bus, as Shared/Bus/README.md describes them."""

import hashlib
import json
import os
import struct
import time

PROTOCOL = b"LKBUS\x03"
READY, REQUEST, REPLY, HEARTBEAT, DISCONNECT, EVENT, ENDED, BLOCK, LEAVING, CONFIRMED, REPORT, WATCH = range(1, 13)
STOPPED, CRASHED = 1, 2
# The flag of a request.
REPEATABLE = 1
ONCE = 0
# The flag of `ended`: its digest is known.
HAS_DIGEST = 1

# A process that received nothing for this time sends a heartbeat, and waits this time for the reply.
SILENCE_SECONDS = 3.0
ANSWER_SECONDS = 0.75
# A stopping worker waits this time for `confirmed`.
LIVENESS_SECONDS = 1.0


def now_milliseconds():
    return time.time_ns() // 1_000_000


def header(command, flags=0, fields=b""):
    return PROTOCOL + bytes([command, flags]) + fields


def name(text):
    return bytes([len(text)]) + text.encode()


def ready(service, instance, capacity):
    return [header(READY, 0, struct.pack(">H", capacity) + name(service) + name(instance))]


def request(service, request_id, left, flags, body):
    """`left`: milliseconds until the deadline."""
    fields = request_id + struct.pack(">Q", left) + payload_digest(service, body) + name(service) + name("")
    return [header(REQUEST, flags, fields), encode(body)]


def payload_digest(service, body):
    asked = json.dumps({"operation": body["operation"], "params": body["params"]}, separators=(",", ":"),
                       sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(service.encode() + b"\0" + asked[1:-1].encode()).digest()[:16]


def reply(request_id, body):
    return [header(REPLY, 0, request_id), encode(body)]


def heartbeat():
    return [header(HEARTBEAT)]


def disconnect():
    return [header(DISCONNECT)]


def ended(service, instance, cause, payload=None):
    flags = HAS_DIGEST if payload else 0
    return [header(ENDED, flags, bytes([cause]) + (payload or bytes(16)) + name(service) + name(instance))]


def confirmed():
    return [header(CONFIRMED)]


def event(body):
    return [header(EVENT), encode(body)]


def report(body):
    return [header(REPORT), encode(body)]


def watch():
    return [header(WATCH)]


def encode(body):
    return json.dumps(body, separators=(",", ":")).encode()


def command(parts):
    """The command of a message, or None if it is malformed."""
    return parts[0][6] if parts and parts[0].startswith(PROTOCOL) and len(parts[0]) >= 8 else None


def request_id(parts):
    """The id of a request or of a reply."""
    return parts[0][8:24]


def time_left(parts):
    """The milliseconds until the deadline of a request."""
    return struct.unpack(">Q", parts[0][24:32])[0]


def envelope(request_id, operation, params, deadline):
    return {
        "id": request_id.hex(),
        "operation": operation,
        "params": params,
        "deadline": deadline,
        "trace": f"00-{os.urandom(16).hex()}-{os.urandom(8).hex()}-01",
    }
