"""The hosted sign-in, without script: sign-up, password, second factor, e-mails, sign-out.

    LATCHKEY_EXECUTABLES=.build/debug pytest Tests/Pages
"""

import json
import secrets
import time
import urllib.parse
import urllib.request

import pyotp
import pytest
from matrix import LANGUAGES
from tab import HOME
from visitor import Visitor

LOGIN, REGISTER, LOGOUT = "/__/auth/login", "/__/auth/register", "/__/auth/logout"
PASSWORD = "correct-horse-7"
START = f"{LOGIN}?apiKey=key&continueUrl={urllib.parse.quote(HOME, safe='')}"


def address():
    return f"{secrets.token_hex(6)}@example.com"


def sign_up(visitor, email, password=PASSWORD):
    page = visitor.open(START)
    register, = [link for link in page.links if link.startswith(REGISTER)]
    return visitor.send(visitor.open(register), REGISTER, email=email, name="Ada", password=password)


def give_password(visitor, email, password=PASSWORD):
    page = visitor.send(visitor.open(f"{START}&prompt=login"), LOGIN, email=email)
    return visitor.send(page, f"{LOGIN}/password", password=password)


def sign_out(visitor):
    page = visitor.send(visitor.open(START), LOGOUT)
    assert "You are signed out" in page.text


def links(service, email):
    with urllib.request.urlopen(f"{service.origin}/emulator/v1/projects/demo-latchkey/oobCodes") as answer:
        return [code for code in json.load(answer)["oobCodes"] if code["email"] == email]


def session_cookies(visitor):
    return [cookie for cookie in visitor.cookies if "-session-" in cookie.name and cookie.value]


def test_account_is_created_and_signs_in_again(visitor, service):
    email = address()
    sign_up(visitor, email)
    assert visitor.left == HOME and len(session_cookies(visitor)) == 1
    assert [code["requestType"] for code in links(service, email)] == ["VERIFY_EMAIL"]
    page = visitor.open(START)
    assert email in page.text and HOME in page.links
    sign_out(visitor)
    assert session_cookies(visitor) == []
    visitor.left = None
    give_password(visitor, email)
    assert visitor.left == HOME and email in visitor.open(START).text


def test_session_is_one_of_the_account(visitor, service):
    email = address()
    sign_up(visitor, email)
    token = service.call("v1/accounts:signInWithPassword", email=email, password=PASSWORD,
                         returnSecureToken=True)["idToken"]
    listed = service.call("v1/accounts:sessions", idToken=token)["sessions"]
    assert len(listed) == 2
    # It ends with the others.
    service.call("v1/accounts:revokeSessions", idToken=token, allOthers=True)
    assert email not in visitor.open(START).text


def test_refused_passwords_say_what_is_missing(visitor):
    page = sign_up(visitor, address(), "abc")
    assert page.status == 400 and "at least 6 characters" in page.text
    email = address()
    visitor.left = None
    page = visitor.send(page, REGISTER, email=email, password=PASSWORD)
    assert visitor.left == HOME
    other = type(visitor)(visitor.origin)
    page = sign_up(other, email)
    assert page.status == 400 and "This address has an account already." in page.text


def test_unknown_address_and_wrong_password_look_alike(visitor):
    email = address()
    sign_up(visitor, email)
    texts = set()
    for name in (email, address()):
        page = give_password(type(visitor)(visitor.origin), name, "wrong-horse-7")
        assert page.status == 400 and "The e-mail address or the password is wrong." in page.text
        texts.add(page.text.replace(name, ""))
    assert len(texts) == 1


@pytest.fixture
def with_totp(visitor, service):
    """An account with an authenticator app and recovery codes."""
    email = address()
    token = service.call("v1/accounts:signUp", email=email, password=PASSWORD, returnSecureToken=True)["idToken"]
    code, = [code for code in _verify(service, token, email)]
    service.call("v1/accounts:update", oobCode=code)
    token = service.call("v1/accounts:signInWithPassword", email=email, password=PASSWORD,
                         returnSecureToken=True)["idToken"]
    start = service.call("v2/accounts/mfaEnrollment:start", idToken=token, totpEnrollmentInfo={})["totpSessionInfo"]
    totp = pyotp.TOTP(start["sharedSecretKey"])
    token = service.call("v2/accounts/mfaEnrollment:finalize", idToken=token, displayName="App", totpVerificationInfo={
        "sessionInfo": start["sessionInfo"], "verificationCode": totp.now()})["idToken"]
    codes = service.call("v2/accounts/recoveryCodes:generate", idToken=token)["recoveryCodes"]
    return email, totp, codes


def _verify(service, token, email):
    service.call("v1/accounts:sendOobCode", requestType="VERIFY_EMAIL", idToken=token)
    return [code["oobCode"] for code in links(service, email)]


def test_second_factor(visitor, with_totp):
    email, totp, codes = with_totp
    page = give_password(visitor, email)
    assert "authenticator app" in page.text and session_cookies(visitor) == []
    page = visitor.send(page, f"{LOGIN}/code", code="000000")
    assert page.status == 400 and "That is not the code." in page.text and visitor.left is None
    # The enrollment has used the code of this time step.
    later = totp.at(time.time(), counter_offset=1)
    visitor.send(page, f"{LOGIN}/code", code=f"{later[:3]} {later[3:]}")
    assert visitor.left == HOME and email in visitor.open(START).text


def test_remembered_device(visitor, with_totp):
    email, totp, _ = with_totp
    page = give_password(visitor, email)
    # A demanded sign-in remembers nothing.
    assert "authenticator app" in page.text and "Remember this device" not in page.text

    def sign_in():
        page = visitor.send(visitor.open(START), LOGIN, email=email)
        return visitor.send(page, f"{LOGIN}/password", password=PASSWORD)
    visitor.cookies.clear()
    page = sign_in()
    assert "Remember this device for 30 days" in page.text
    visitor.send(page, f"{LOGIN}/code", code=totp.at(time.time(), counter_offset=1), remember="1")
    assert visitor.left == HOME
    sign_out(visitor)
    visitor.left = None
    sign_in()
    assert visitor.left == HOME
    page = visitor.open("/__/auth/account/devices?apiKey=key")
    assert "Devices without a second step" in page.text
    form, = [form for form in page.forms if "remembered" in form.get("buttons", {})]
    page = visitor.send(page, "/__/auth/account/devices", form["buttons"])
    assert "Devices without a second step" not in page.text
    sign_out(visitor)
    assert "authenticator app" in sign_in().text


def test_texts_of_the_project(visitor, service):
    own = {"th": {"hostedSignInTitle": "Harbour ยินดีต้อนรับ", "continueLabel": "ไปต่อ"}}
    service.configure("branding.pageTexts", {"branding": {"pageTexts": own}})
    try:
        page = visitor.open(f"{START}&hl=th")
        assert own["th"]["hostedSignInTitle"] in page.text and own["th"]["continueLabel"] in page.text
        assert "Sign in" in visitor.open(f"{START}&hl=en").text
    finally:
        service.configure("branding.pageTexts", {"branding": {}})


def test_recovery_code(visitor, with_totp):
    email, _, codes = with_totp
    page = give_password(visitor, email)
    recovery, = [link for link in page.links if "step=recoveryCode" in link]
    page = visitor.send(visitor.open(recovery), f"{LOGIN}/recovery", code="aaaa-bbbb")
    assert page.status == 400 and visitor.left is None
    visitor.send(page, f"{LOGIN}/recovery", code=codes[0])
    assert visitor.left == HOME and email in visitor.open(START).text


def test_link_by_email(visitor, service):
    email = address()
    sign_up(visitor, email)
    sign_out(visitor)
    visitor.left = None
    page = visitor.send(visitor.open(START), LOGIN, email=email)
    page = visitor.send(page, f"{LOGIN}/email", {"purpose": "link"})
    assert "A link to sign in is on its way." in page.text
    link = [code for code in links(service, email) if code["requestType"] == "EMAIL_SIGNIN"][-1]["oobLink"]
    query = link.partition("?")[2]
    action = visitor.open(f"/__/auth/action?{query}")
    page = visitor.open(action.links[0])
    visitor.send(page, f"{LOGIN}/link")
    assert visitor.left == HOME and email in visitor.open(START).text


def test_forgotten_password(visitor, service):
    email = address()
    sign_up(visitor, email)
    sign_out(visitor)
    for name in (email, address()):
        page = visitor.send(visitor.open(START), LOGIN, email=name)
        page = visitor.send(page, f"{LOGIN}/email", {"purpose": "reset"})
        assert "If an account has this address" in page.text
    assert [code["requestType"] for code in links(service, email)] == ["VERIFY_EMAIL", "PASSWORD_RESET"]


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
def test_each_email_leads_back_by_every_name_of_this_machine(service, name):
    visitor = Visitor(f"http://{name}:{urllib.parse.urlsplit(service.origin).port}")
    email, password = address(), "another-horse-8"
    sign_up(visitor, email)
    for purpose in ("link", "reset"):
        page = visitor.send(visitor.open(f"{START}&prompt=login"), LOGIN, email=email)
        visitor.send(page, f"{LOGIN}/email", {"purpose": purpose})
    verification, link, reset = (urllib.parse.urlsplit(code["oobLink"]) for code in links(service, email))
    visitor.open(f"{verification.path}?{verification.query}")
    page = visitor.open(f"{link.path}?{link.query}")
    visitor.send(page, f"{LOGIN}/link")
    assert len(session_cookies(visitor)) == 1
    page = visitor.open(f"{reset.path}?{reset.query}")
    page = visitor.send(page, "/__/auth/action", newPassword=password)
    assert page.status == 200, page.text
    visitor.left = None
    give_password(visitor, email, password)
    assert visitor.left == HOME


def test_forms_of_other_sites_are_refused(visitor):
    page = visitor.open(START)
    form = page.form(LOGIN)
    assert visitor.open(form["action"], {**form["fields"], "email": address()}, site="cross-site").status == 403
    assert visitor.open(form["action"], {"email": address(), "token": "0" * 32}).status == 403
    # The token of another browser is not that of this one.
    other = type(visitor)(visitor.origin)
    assert other.open(form["action"], {**form["fields"], "email": address()}).status == 403


@pytest.mark.parametrize("url", ["https%3A%2F%2Fevil.example", "javascript%3Aalert(1)", "%2F%2Fevil.example"])
def test_other_addresses_are_refused(visitor, url):
    page = visitor.open(f"{LOGIN}?apiKey=key&continueUrl={url}")
    assert page.status == 400 and visitor.left is None and page.links == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language(visitor, language):
    page = visitor.open(f"{START}&hl={language}")
    assert page.status == 200 and page.forms
    page = visitor.send(page, LOGIN, email=address())
    assert f"hl={language}" in page.url and page.form(f"{LOGIN}/password")
