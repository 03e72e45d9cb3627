"""The verdicts of two other relying parties, the PyPI packages fido2 and webauthn, on the same responses."""

import fido2.server
import fido2.webauthn
import webauthn
from service import decode, encode


class Fido2:
    def __init__(self, origin, rp_id):
        party = fido2.webauthn.PublicKeyCredentialRpEntity(id=rp_id, name=rp_id)
        self.server = fido2.server.Fido2Server(party, verify_origin=lambda found: found == origin)

    def state(self, challenge):
        return {"challenge": encode(challenge), "user_verification": "required"}

    def register(self, response, challenge):
        return self.server.register_complete(self.state(challenge), response).credential_data

    def authenticate(self, credential, response, challenge):
        self.server.authenticate_complete(self.state(challenge), [credential], response)


class PyWebAuthn:
    def __init__(self, origin, rp_id):
        self.expected = {"expected_origin": origin, "expected_rp_id": rp_id, "require_user_verification": True}

    def register(self, response, challenge):
        return webauthn.verify_registration_response(
            credential=response, expected_challenge=challenge, **self.expected)

    def authenticate(self, credential, response, challenge):
        if decode(response["id"]) != credential.credential_id:
            raise ValueError("another credential")
        webauthn.verify_authentication_response(
            credential=response, expected_challenge=challenge, credential_public_key=credential.credential_public_key,
            credential_current_sign_count=0, **self.expected)


class Verifiers:
    """Both, which must agree."""

    def __init__(self, origin, rp_id):
        self.all = [Fido2(origin, rp_id), PyWebAuthn(origin, rp_id)]

    def _judge(self, check):
        results = []
        for verifier in self.all:
            try:
                results.append((True, check(verifier)))
            except Exception as error:  # Each package has errors of its own, also those of its parsers.
                results.append((False, error))
        assert len({accepted for accepted, _ in results}) == 1, results
        return results[0][0], [result for _, result in results]

    def register(self, response, options):
        """The credential as both packages store it, or None if they refuse the response."""
        accepted, results = self._judge(lambda verifier: verifier.register(response, decode(options["challenge"])))
        return results if accepted else None

    def authenticate(self, credential, response, options):
        """Whether they accept the response."""
        stored = dict(zip(self.all, credential))
        accepted, _ = self._judge(lambda verifier: verifier.authenticate(
            stored[verifier], response, decode(options["challenge"])))
        return accepted
