"""App verification by silent push before an SMS code: the complete flow, outside dev mode."""

import jwt
import pytest
from conftest import TOKEN, TOPIC
from mesh import wait_for
from production import ProductionMesh, Twilio

OTHER_TOPIC = "com.example.stranger"


@pytest.fixture
def twilio():
    server = Twilio()
    yield server
    server.stop()


@pytest.fixture
def mesh(directory, apns, twilio, apns_settings):
    mesh = ProductionMesh(directory, twilio, **apns_settings(apns))
    mesh.configure("mobileApps,signIn.phoneNumber", {
        "mobileApps": [{"platform": "IOS", "bundleId": TOPIC, "appId": "1:204801:ios:77aa"}],
        "signIn": {"phoneNumber": {"enabled": True}}})
    yield mesh
    if mesh.process.poll() is None:
        mesh.stop()


def pushed_device_pair(mesh, apns):
    """The receipt for the application, and the secret that only its device receives."""
    before = len(apns.received())
    reply = mesh.call("verifyIosClient", TOPIC, appToken=TOKEN, isSandbox=True)
    wait_for("a push arrived", lambda: len(apns.received()) > before)
    push = apns.received()[-1]
    assert push.headers[":path"].lower() == f"/3/device/{TOKEN}".lower() and push.headers["apns-topic"] == TOPIC
    pair = push.json["com.google.firebase.auth"]
    assert pair["receipt"] == reply["receipt"] and reply["suggestedTimeout"].isdigit()
    assert pair["secret"] and pair["secret"] != pair["receipt"]
    return {"iosReceipt": pair["receipt"], "iosSecret": pair["secret"]}


def test_device_pair_is_accepted_for_one_code(mesh, apns, twilio):
    pair, number = pushed_device_pair(mesh, apns), "+4915123456789"
    session = mesh.call("sendVerificationCode", TOPIC, phoneNumber=number, **pair)["sessionInfo"]
    code = twilio.code(number)
    tokens = mesh.call("signInWithPhoneNumber", TOPIC, sessionInfo=session, code=code)
    assert tokens["phoneNumber"] == number and tokens["isNewUser"]
    claims = jwt.decode(tokens["idToken"], options={"verify_signature": False})
    assert claims["phone_number"] == number and claims["firebase"]["sign_in_provider"] == "phone"

    other = "+4915123456780"
    assert mesh.call("sendVerificationCode", TOPIC, phoneNumber=other, **pair) == "INVALID_APP_CREDENTIAL"
    # The client library continues with a new push.
    again = pushed_device_pair(mesh, apns)
    assert again["iosSecret"] != pair["iosSecret"] and again["iosReceipt"] != pair["iosReceipt"]
    session = mesh.call("sendVerificationCode", TOPIC, phoneNumber=other, **again)["sessionInfo"]
    other_code = twilio.code(other)
    assert mesh.call("signInWithPhoneNumber", TOPIC, sessionInfo=session, code=other_code)["phoneNumber"] == other
    assert len(twilio.texts) == 2 and len(apns.received()) == 2

    assert mesh.stop() == 0
    for secret in [TOKEN, TOKEN.lower(), pair["iosSecret"], again["iosSecret"], session, number[1:], other[1:],
                   f" {code} ", f"={code}", f" {other_code} ", f"={other_code}", "token-of-the-provider"]:
        assert secret not in mesh.log + mesh.output


def test_code_requires_valid_app_credential(mesh, apns, twilio):
    def refusal(bundle_id=TOPIC, **proof):
        return mesh.call("sendVerificationCode", bundle_id, phoneNumber="+4915123456789", **proof)

    assert refusal() == "MISSING_CLIENT_IDENTIFIER"
    made_up = {"iosReceipt": "receipt", "iosSecret": "secret"}
    assert refusal(**made_up) == "INVALID_APP_CREDENTIAL"
    pair = pushed_device_pair(mesh, apns)
    secret = pair["iosSecret"]
    wrong = {**pair, "iosSecret": ("A" if secret[0] != "A" else "B") + secret[1:]}
    assert refusal(**wrong) == "INVALID_APP_CREDENTIAL"
    # The failed attempt has consumed the credential.
    assert refusal(**pair) == "INVALID_APP_CREDENTIAL"
    # A credential is valid only for its application.
    assert refusal(OTHER_TOPIC, **pushed_device_pair(mesh, apns)) == "INVALID_APP_CREDENTIAL"
    assert twilio.texts == []


def test_unregistered_application_gets_no_push(mesh, apns):
    assert mesh.call("verifyIosClient", OTHER_TOPIC, appToken=TOKEN) == "INVALID_APP_CREDENTIAL"
    assert mesh.call("verifyIosClient", appToken=TOKEN) == "MISSING_IOS_BUNDLE_ID"
    assert mesh.call("verifyIosClient", TOPIC) == "MISSING_IOS_APP_TOKEN"
    # A push to a registered application takes the same path, so an earlier push would have arrived before it.
    pushed_device_pair(mesh, apns)
    assert len(apns.received()) == 1
