"""Each response is also verified by two other relying parties, which must agree with the mesh."""

import copy
import json
import random

import pytest
from authenticators import EDDSA, ES256, RS256, SoftwareAuthenticator
from service import Refused, decode, encode
from verifiers import Verifiers

REFUSED = "INVALID_AUTHENTICATOR_RESPONSE|INVALID_CREDENTIAL_ID|PASSKEY_ENROLLMENT_NOT_FOUND"


@pytest.fixture
def verifiers(service):
    return Verifiers(service.origin, "localhost")


class BrowserClient:
    """Chromium and its virtual authenticator."""

    def __init__(self, page):
        self.page = page

    def register(self, options):
        return self.page.ceremony("create", options)

    def assertion(self, options):
        return self.page.ceremony("get", options)


class SoftwareClient:
    def __init__(self, origin, algorithm):
        self.origin = origin
        self.authenticator = SoftwareAuthenticator(algorithm)

    def register(self, options):
        assert self.authenticator.algorithm in [entry["alg"] for entry in options["pubKeyCredParams"]]
        return self.authenticator.register(options, origin=self.origin)

    def assertion(self, options):
        return self.authenticator.assertion(options, origin=self.origin)


@pytest.fixture(params=["browser", ES256, EDDSA, RS256])
def client(request, service):
    if request.param == "browser":
        return BrowserClient(request.getfixturevalue("page"))
    return SoftwareClient(service.origin, request.param)


def flipped(response, chance, *names):
    """The response with one bit of one of its fields changed."""
    changed = copy.deepcopy(response)
    name = chance.choice(names)
    data = bytearray(decode(changed["response"][name]))
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    changed["response"][name] = encode(bytes(data))
    return changed


def refuses(call, *arguments):
    with pytest.raises(Refused, match=REFUSED):
        call(*arguments)
    return True


def test_verdicts_agree(client, service, verifiers, signed_up):
    token = signed_up["idToken"]
    options = service.start_enrollment(token)
    response = client.register(options)
    credential = verifiers.register(response, options)
    assert credential
    assert service.finish_enrollment(token, response)["localId"] == signed_up["localId"]
    assert [decode(entry["credentialId"]) for entry in service.passkeys(token)] == [decode(response["id"])]

    chance = random.Random(7)
    for _ in range(12):
        options = service.start_sign_in()
        response = client.assertion(options)
        assert verifiers.authenticate(credential, response, options)
        broken = flipped(response, chance, "clientDataJSON", "authenticatorData", "signature")
        assert not verifiers.authenticate(credential, broken, options), broken
        assert refuses(service.finish_sign_in, broken)
    options = service.start_sign_in()
    response = client.assertion(options)
    assert verifiers.authenticate(credential, response, options)
    assert service.finish_sign_in(response)["localId"] == signed_up["localId"]


def with_client_data(response, **fields):
    changed = copy.deepcopy(response)
    data = {**json.loads(decode(changed["response"]["clientDataJSON"])), **fields}
    changed["response"]["clientDataJSON"] = encode(json.dumps(data).encode())
    return changed


def with_authenticator_data(response, position, mask):
    """Changes a byte of the authenticator data within the attestation object, where nothing is signed."""
    changed = copy.deepcopy(response)
    data = bytearray(decode(changed["response"]["attestationObject"]))
    # The hash of the relying party ID begins the authenticator data.
    start = data.index(bytes.fromhex("49960de5880e8c687434170f6476605b8fe4aeb9a28632c7995cf3ba831d9763"))
    data[start + position] ^= mask
    changed["response"]["attestationObject"] = encode(bytes(data))
    return changed


HASH, FLAGS = 5, 32
DEFECTS = {
    "type": lambda response: with_client_data(response, type="webauthn.get"),
    "challenge": lambda response: with_client_data(response, challenge=encode(bytes(32))),
    "origin": lambda response: with_client_data(response, origin="http://localhost.example.com"),
    "relying-party": lambda response: with_authenticator_data(response, HASH, 0x10),
    "user-presence": lambda response: with_authenticator_data(response, FLAGS, 0x01),
    "user-verification": lambda response: with_authenticator_data(response, FLAGS, 0x04),
    "no-credential": lambda response: with_authenticator_data(response, FLAGS, 0x40),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_defective_registration_is_refused(client, service, verifiers, signed_up, defect):
    options = service.start_enrollment(signed_up["idToken"])
    broken = DEFECTS[defect](client.register(options))
    assert verifiers.register(broken, options) is None
    assert refuses(service.finish_enrollment, signed_up["idToken"], broken)
    assert service.passkeys(signed_up["idToken"]) == []


def test_attestation_of_the_browser(page, service, verifiers, signed_up):
    """With its attestation, which other relying parties verify too. Each bit of it is signed."""
    service.configure("passkeyConfig.attestation.conveyance", {"passkeyConfig": {"attestation": {
        "conveyance": "DIRECT"}}})
    try:
        chance = random.Random(7)
        for _ in range(6):
            options = service.start_enrollment(signed_up["idToken"])
            assert options["attestation"] == "direct"
            broken = flipped(page.ceremony("create", {**options, "excludeCredentials": []}), chance, "clientDataJSON")
            assert verifiers.register(broken, options) is None
            assert refuses(service.finish_enrollment, signed_up["idToken"], broken)
        options = service.start_enrollment(signed_up["idToken"])
        response = page.ceremony("create", options)
        assert verifiers.register(response, options)
        service.finish_enrollment(signed_up["idToken"], response)
        entry, = service.passkeys(signed_up["idToken"])
        assert entry["aaguid"] != "00000000-0000-0000-0000-000000000000"
    finally:
        service.configure("passkeyConfig.attestation.conveyance", {"passkeyConfig": {"attestation": {
            "conveyance": "NONE"}}})
