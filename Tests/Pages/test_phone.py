"""Sign-in and sign-up with a phone number, without script.

    LATCHKEY_EXECUTABLES=.build/debug pytest Tests/Pages
"""

import pytest
from service import ADMINISTRATOR
from tab import HOME
from test_sign_in import LOGIN, REGISTER, START, address, session_cookies, sign_out, sign_up


def give_code(visitor, page, code):
    visitor.left = None
    return visitor.send(page, f"{LOGIN}/phone-code", code=code)


def test_number_signs_up_and_in(visitor, phones):
    number = phones.number()
    register, = [link for link in visitor.open(START).links if link.startswith(REGISTER)]
    step, = [link for link in visitor.open(register).links if "step=phone" in link]
    page = visitor.send(visitor.open(step), f"{LOGIN}/phone", number="555 0101")
    assert page.status == 400 and "with its country code" in page.text
    page = visitor.send(page, f"{LOGIN}/phone", number=number)
    page = visitor.send(page, f"{LOGIN}/phone")  # Another code.
    page = give_code(visitor, page, "000000")
    assert page.status == 400 and "That is not the code." in page.text
    give_code(visitor, page, phones.code(number))
    assert visitor.left == HOME and number in visitor.open(START).text
    sign_out(visitor)
    page = visitor.send(visitor.open(f"{START}&prompt=login"), LOGIN, email=number)
    give_code(visitor, page, phones.code(number))
    assert visitor.left == HOME


def test_known_and_unknown_numbers_look_alike(visitor, service, phones):
    known, unknown = phones.number(), phones.number()
    session = service.call("v1/accounts:sendVerificationCode", phoneNumber=known)["sessionInfo"]
    service.call("v1/accounts:signInWithPhoneNumber", sessionInfo=session, code=phones.code(known))
    texts = []
    for number in [known, unknown]:
        page = visitor.send(visitor.open(f"{START}&prompt=login"), LOGIN, email=number)
        wrong = give_code(visitor, page, "000000")
        texts.append([page.status, page.text.replace(number, ""), wrong.status, wrong.text.replace(number, "")])
    assert texts[0] == texts[1]


def test_field_takes_an_address_or_a_number(visitor, phones):
    page = visitor.open(START)
    assert "E-mail address or phone number" in page.text
    page = visitor.send(page, LOGIN, email="ada")
    assert page.status == 400 and "or a number with its country code" in page.text
    page = visitor.send(page, LOGIN, email="ada@example.com")
    assert page.form(f"{LOGIN}/password")


@pytest.fixture
def only_messages(service, phones):
    """Every account needs a second factor, and text messages are the only one."""
    service.configure("mfa.state,mfa.providerConfigs", {"mfa": {"state": "MANDATORY", "providerConfigs": []}})
    yield
    service.configure("mfa.providerConfigs", {"mfa": {"providerConfigs": [
        {"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": 5}}]}})


def test_mandatory_messages_are_enrolled(visitor, service, phones, only_messages):
    email, number = address(), phones.number()
    page = sign_up(visitor, email)
    assert "Verify your address first" in page.text and session_cookies(visitor) == []
    users = service.request("POST", "v1/projects/demo-latchkey/accounts:lookup", {"email": [email]}, **ADMINISTRATOR)
    service.request("POST", "v1/projects/demo-latchkey/accounts:update", {
        "localId": users["users"][0]["localId"], "emailVerified": True}, **ADMINISTRATOR)
    page = visitor.open(f"{START}&step=enroll")
    assert "Your account needs a second step at sign-in." in page.text and "authenticator app" not in page.text
    page = visitor.send(page, f"{LOGIN}/enroll-phone", number="555")
    assert page.status == 400 and "with its country code" in page.text
    page = visitor.send(page, f"{LOGIN}/enroll-phone", number=number)
    page = visitor.send(page, f"{LOGIN}/enroll-phone")  # Another code.
    page = visitor.send(page, f"{LOGIN}/enroll-phone-code", code="000000")
    assert page.status == 400 and "That is not the code." in page.text and session_cookies(visitor) == []
    page = visitor.send(page, f"{LOGIN}/enroll-phone-code", code=phones.code(number))
    assert "Recovery codes" in page.text and len(session_cookies(visitor)) == 1
    visitor.open(f"{START}&step=done")
    assert visitor.left == HOME
