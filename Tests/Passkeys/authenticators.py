"""Software authenticators, apart from the browser's."""

import hashlib
import pathlib
import sys

from cryptography.hazmat.primitives.asymmetric import ed25519

sys.path.insert(0, str(pathlib.Path(__file__).parent / "../Conformance"))

from lib.authenticator import ES256, RS256, Authenticator, web  # noqa: E402

EDDSA = -8


class SoftwareAuthenticator(Authenticator):
    """With the origin of the mesh, and with Ed25519."""

    def __init__(self, algorithm=ES256, encode=web):
        super().__init__(ES256 if algorithm == EDDSA else algorithm, encode)
        self.algorithm = algorithm
        if algorithm == EDDSA:
            self.key = ed25519.Ed25519PrivateKey.generate()

    def _cose_key(self):
        if self.algorithm != EDDSA:
            return super()._cose_key()
        return {1: 1, 3: EDDSA, -1: 6, -2: self.key.public_key().public_bytes_raw()}

    def _sign(self, data, client):
        if self.algorithm != EDDSA:
            return super()._sign(data, client)
        return self.key.sign(data + hashlib.sha256(client).digest())


__all__ = ["EDDSA", "ES256", "RS256", "SoftwareAuthenticator"]
