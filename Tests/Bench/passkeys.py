"""Users with passkeys, for the bench: an authenticator without hardware (Web Authentication Level 3)."""

import base64
import concurrent.futures
import hashlib
import json
import secrets

from mesh import KEY, SIGN_UP
from totp import ask

ENROLL = "/identitytoolkit.googleapis.com/v2/accounts/passkeyEnrollment:start" + KEY
FINISH_ENROLLMENT = "/identitytoolkit.googleapis.com/v2/accounts/passkeyEnrollment:finalize" + KEY
START = "/identitytoolkit.googleapis.com/v2/accounts/passkeySignIn:start" + KEY
FINISH = "/identitytoolkit.googleapis.com/v2/accounts/passkeySignIn:finalize" + KEY
RELYING_PARTY, ORIGIN = "localhost", "https://localhost"  # The defaults of dev mode.

# P-256. Private key and nonce are 1, so public key and nonce point are the generator, and a signature costs one addition.
# The server's work is the same for every key.
ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551
GENERATOR = (bytes.fromhex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"),
             bytes.fromhex("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"))

USER_PRESENT, USER_VERIFIED, BACKUP_ELIGIBLE, BACKED_UP, ATTESTED = 0x01, 0x04, 0x08, 0x10, 0x40
SYNCHRONIZED = USER_PRESENT | USER_VERIFIED | BACKUP_ELIGIBLE | BACKED_UP


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def client_data(kind, challenge):
    """`challenge` is standard base64, as the server sends it."""
    return json.dumps({"type": kind, "challenge": base64url(base64.b64decode(challenge)), "origin": ORIGIN,
                       "crossOrigin": False}).encode()


def authenticator_data(flags, attested=b""):
    """The signature counter is 0, as that of every synchronized passkey."""
    return hashlib.sha256(RELYING_PARTY.encode()).digest() + bytes([flags]) + bytes(4) + attested


def signature(message):
    """ECDSA with SHA-256, in DER."""
    r = int.from_bytes(GENERATOR[0], "big") % ORDER
    s = (int.from_bytes(hashlib.sha256(message).digest(), "big") + r) % ORDER

    def integer(value):
        data = value.to_bytes(value.bit_length() // 8 + 1, "big")
        return b"\x02" + bytes([len(data)]) + data

    both = integer(r) + integer(s)
    return b"\x30" + bytes([len(both)]) + both


class Person:
    """A user who has no credential but a passkey."""

    def __init__(self, mesh):
        token = ask(mesh, "POST", SIGN_UP, {})["idToken"]
        options = ask(mesh, "POST", ENROLL, {"idToken": token})["credentialCreationOptions"]
        self.mesh = mesh
        self.handle = options["user"]["id"]
        self.credential = secrets.token_bytes(16)
        key = b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20" + GENERATOR[0] + b"\x22\x58\x20" + GENERATOR[1]
        model = bytes(16)
        data = authenticator_data(
            SYNCHRONIZED | ATTESTED, model + len(self.credential).to_bytes(2, "big") + self.credential + key)
        attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58" + bytes([len(data)]) + data
        ask(mesh, "POST", FINISH_ENROLLMENT, {"idToken": token, "authenticatorRegistrationResponse": self.envelope(
            {"clientDataJSON": base64url(client_data("webauthn.create", options["challenge"])),
             "attestationObject": base64url(attestation)})})

    def envelope(self, response):
        credential = base64url(self.credential)
        return {"id": credential, "rawId": credential, "type": "public-key", "response": response}

    def sign_in(self):
        """Starts a sign-in. Returns the body that finishes it."""
        challenge = ask(self.mesh, "POST", START, {})["credentialRequestOptions"]["challenge"]
        client, data = client_data("webauthn.get", challenge), authenticator_data(SYNCHRONIZED)
        return json.dumps({"authenticatorAuthenticationResponse": self.envelope(
            {"clientDataJSON": base64url(client), "authenticatorData": base64url(data),
             "signature": base64url(signature(data + hashlib.sha256(client).digest())),
             "userHandle": self.handle})})


def sign_ins(mesh, count, each):
    """The bodies of sign-ins that were started: in turn one of each of `count` users, `each` times."""
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        everybody = list(pool.map(lambda _: Person(mesh), range(count)))
        return list(pool.map(Person.sign_in, everybody * each))
