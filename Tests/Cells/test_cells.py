"""What one machine knows of another: docs/operate/postgresql.md, "What each machine keeps to itself"."""

import json

import httpx
import jwt
import pytest
from cells import Production, race, received, run_command, seen_within, send_from_two_machines, send_messages, services, winners
from lib import totp
from lib.authenticator import Authenticator
from lib.client import CERTIFICATES, PASSWORD, fresh_email, next_second
from lib.plugin import BASELINE, BASELINE_MASK
from machines import two_meshes
from mesh import Mesh
from sink import Sink

CONFIGURATION_SECONDS, SIGNING_KEY_SECONDS, CALLER_SECONDS, PAGE_SECONDS = 1, 1, 5, 5
ATTEMPTS = 4


@pytest.fixture(scope="module")
def sink():
    sink = Sink()
    yield sink
    sink.stop()


@pytest.fixture(scope="module")
def cells(sink):
    with two_meshes(
            LATCHKEY_PUBLIC_URL="http://localhost:9099", LATCHKEY_SMTP_URL=sink.url,
            LATCHKEY_SMTP_FROM="noreply@example.com", LATCHKEY_SMS_PER_NUMBER_PER_DAY="5") as meshes:
        here, there = services(meshes)
        here.mesh, there.mesh = meshes
        change(here, BASELINE_MASK, BASELINE)
        seen_within(CONFIGURATION_SECONDS, lambda: there.v1("accounts:signUp", {}).status == 200)
        yield here, there


def change(service, mask, configuration):
    service.admin("PATCH", "/config", configuration, version="v2", updateMask=mask).ok()


def alternately(cells, count=ATTEMPTS):
    return [cells[number % 2] for number in range(count)]


# What ends a session, and the errors of its ID token and its refresh token.
ENDS = {
    "sessions ended": (lambda service, user: service.admin_update(user.local_id, validSince=str(2**31)),
                       "TOKEN_EXPIRED", "TOKEN_EXPIRED"),
    "password changed": (lambda service, user: service.update(user, password="another-horse-9"),
                         "TOKEN_EXPIRED", "TOKEN_EXPIRED"),
    "account disabled": (lambda service, user: service.admin_update(user.local_id, disableUser=True),
                         "USER_DISABLED", "USER_DISABLED"),
    "account deleted": (lambda service, user: service.admin("POST", "/accounts:delete", {"localId": user.local_id}),
                        "USER_NOT_FOUND", "USER_NOT_FOUND"),
}


@pytest.mark.parametrize("end", ENDS)
def test_end_of_sessions_counts_at_once(cells, end):
    here, there = cells
    act, of_id_token, of_refresh_token = ENDS[end]
    user = here.sign_up()
    there.own_record(user.id_token)
    next_second()
    act(here, user).ok()
    there.v1("accounts:lookup", {"idToken": user.id_token}).error(of_id_token)
    there.refresh(user.refresh_token).error(of_refresh_token)


def password_reset(here, there):
    user = here.sign_up()
    here.send_oob("PASSWORD_RESET", email=user.email).ok()
    code = there.oob_code(user.email, "PASSWORD_RESET")
    return lambda service: service.v1("accounts:resetPassword", {"oobCode": code, "newPassword": "another-horse-9"})


def email_link(here, there):
    email = fresh_email()
    here.send_oob("EMAIL_SIGNIN", email=email, continueUrl="http://localhost/", canHandleCodeInApp=True).ok()
    code = there.oob_code(email, "EMAIL_SIGNIN")
    return lambda service: service.v1("accounts:signInWithEmailLink", {"email": email, "oobCode": code})


def phone_sign_in(here, there):
    session = here.v1("accounts:sendVerificationCode", {"phoneNumber": here.fresh_phone()}).ok()["sessionInfo"]
    code = there.sms_code(session)
    return lambda service: service.v1("accounts:signInWithPhoneNumber", {"sessionInfo": session, "code": code})


def sms_second_factor(here, there):
    user, _ = here.sms_user()
    pending = there.pending(user)
    session, code = here.start_sms_sign_in(pending)
    return lambda service: service.finish_sms_sign_in(pending, session, code)


def totp_second_factor(here, there):
    user = here.verified_user()
    app, factor = totp.enrol(here, user)
    pendings = [service.pending(user) for service in alternately((here, there))]
    code = app.next()
    return lambda service: totp.answer(service, pendings.pop(), factor, code)


def passkey(here, there):
    user = here.verified_user()
    device = Authenticator()
    options = here.v2("accounts/passkeyEnrollment:start", {"idToken": user.id_token}).ok()["credentialCreationOptions"]
    there.v2("accounts/passkeyEnrollment:finalize", {
        "idToken": user.id_token, "authenticatorRegistrationResponse": device.register(options), "name": "laptop"}).ok()
    options = here.v2("accounts/passkeySignIn:start").ok()["credentialRequestOptions"]
    assertion = device.assertion(options)
    return lambda service: service.v2("accounts/passkeySignIn:finalize", {
        "authenticatorAuthenticationResponse": assertion})


def address(here, there):
    email = fresh_email()
    return lambda service: service.v1("accounts:signUp", {"email": email, "password": PASSWORD})


@pytest.mark.parametrize("what", [password_reset, email_link, phone_sign_in, sms_second_factor, totp_second_factor, passkey, address])
def test_one_winner(cells, what):
    use = what(*cells)
    replies = race([lambda service=service: use(service) for service in alternately(cells)])
    assert len(winners(replies)) == 1, [reply.text for reply in replies]


def wrong_passwords(service):
    user = service.create_user()
    return lambda service: service.password_reply(user.email, "wrong-horse-9")


def wrong_sms_codes(service):
    session, code = service.text_phone(service.fresh_phone())
    return lambda service: service.v1("accounts:signInWithPhoneNumber", {
        "sessionInfo": session, "code": f"{(int(code) + 1) % 10**6:06d}"})


def wrong_totp_codes(service):
    user = service.verified_user()
    app, factor = totp.enrol(service, user)
    pending = service.pending(user)
    return lambda service: totp.answer(service, pending, factor, app.wrong())


def messages_to_one_number(service):
    number = service.fresh_phone()
    return lambda service: service.v1("accounts:sendVerificationCode", {"phoneNumber": number})


def outcome(reply):
    return reply.status, reply.body.get("error", {}).get("message", "").partition(" : ")[0]


@pytest.mark.parametrize("what", [wrong_passwords, wrong_sms_codes, wrong_totp_codes, messages_to_one_number])
def test_attempts_are_counted_together(cells, what):
    here, there = cells
    attempt = what(here)
    first = outcome(attempt(here))
    # A refusal can be one of seconds, so it may be over when the other machine is asked.
    for _ in range(3):
        refusal = next(reply for reply in (outcome(attempt(here)) for _ in range(100)) if reply != first)
        elsewhere = outcome(attempt(there))
        if elsewhere == refusal:
            return
    raise AssertionError(f"{refusal} here, and {elsewhere} there")


def test_configuration(cells):
    here, there = cells
    name = "signIn.anonymous.enabled"
    for is_enabled in (False, True):
        change(here, name, {"signIn": {"anonymous": {"enabled": is_enabled}}})
        seen_within(CONFIGURATION_SECONDS, lambda: (there.v1("accounts:signUp", {}).status == 200) == is_enabled)


def test_revoked_signing_key(cells):
    """The key that follows counts at once: a user can come to the other machine with a token that it signed."""
    here, there = cells
    user = here.sign_up()
    there.own_record(user.id_token)
    revoked = jwt.get_unverified_header(user.id_token)["kid"]
    run_command("keys", "revoke", revoked, "--yes", "--dev", on=here.mesh)
    for service, other in ((here, there), (there, here)):
        other.own_record(service.sign_up().id_token)
    for service in cells:
        seen_within(SIGNING_KEY_SECONDS, lambda: service.v1("accounts:lookup", {"idToken": user.id_token}).status == 400)
        seen_within(SIGNING_KEY_SECONDS, lambda: revoked not in service.raw("GET", CERTIFICATES).body)
        there.refresh(user.refresh_token).ok("id_token")


def test_look_of_pages(cells):
    here, there = cells
    page = "/__/auth/action?mode=resetPassword&oobCode=x&apiKey=fake-api-key"
    assert "Cells" not in there.raw("GET", page).text
    change(here, "branding", {"branding": {"applicationName": "Cells and more"}})
    seen_within(PAGE_SECONDS, lambda: "Cells and more" in there.raw("GET", page).text)


def test_each_message_is_sent_once(cells, sink):
    wanted = send_messages(cells)
    seen_within(60, lambda: len(received(wanted, sink)) >= len(wanted))
    assert received(wanted, sink) == wanted


def test_senders_on_another_machine(cells, sink, tmp_path):
    """`latchkey up --only notifier` takes a part of the messages of machines that do not know of it."""
    others = Sink()
    settings = {**cells[0].mesh.settings, "LATCHKEY_SMTP_URL": others.url}
    senders = Mesh(tmp_path, "--only", "notifier", **settings)
    try:
        send_from_two_machines(cells, sink, others)
    finally:
        assert senders.stop() == 0
        others.stop()
    wanted = send_messages(cells)
    seen_within(60, lambda: received(wanted, sink) == wanted)


@pytest.fixture
def production():
    with two_meshes(
            "--only", "gateway,identity,notifier", kind=Production, LATCHKEY_PROJECT="shop",
            LATCHKEY_API_KEY="the-first-key-of-the-shop", LATCHKEY_PUBLIC_URL="https://auth.example.com",
            LATCHKEY_TRUSTED_PROXIES="127.0.0.1", LATCHKEY_SMTP_URL="smtp://127.0.0.1:9",
            LATCHKEY_SMTP_FROM="noreply@example.com") as meshes:
        yield meshes


@pytest.mark.long
def test_removed_service_account(production, tmp_path):
    here, there = production
    file = tmp_path / "key.json"
    run_command("service-account", "create", "--output", file, "--admin-url", here.admin_origin, on=here)
    token = run_command("token", file).strip()

    def accepts(mesh):
        reply = httpx.get(f"{mesh.admin_origin}/identitytoolkit.googleapis.com/admin/v2/projects/shop/config", timeout=30,
                          headers={"Authorization": f"Bearer {token}"})
        assert reply.status_code in (200, 401), reply.text
        return reply.status_code == 200

    assert accepts(here) and accepts(there)
    run_command("service-account", "remove", json.loads(file.read_text())["client_email"], on=here)
    for mesh in production:
        seen_within(CALLER_SECONDS, lambda: not accepts(mesh))


@pytest.mark.long
def test_replaced_api_key(production):
    here, there = production

    def accepts(mesh, key):
        reply = httpx.post(f"{mesh.origin}/v1/accounts:createAuthUri", params={"key": key}, timeout=30, json={
            "identifier": "ada@example.com", "continueUri": "http://localhost"})
        return reply.status_code == 200

    old, new = "the-first-key-of-the-shop", "the-second-key-of-the-shop"
    assert accepts(here, old) and accepts(there, old)
    assert here.stop() == 0
    here.start(LATCHKEY_API_KEY=new)
    assert accepts(here, new) and accepts(there, new)
    seen_within(CALLER_SECONDS, lambda: not accepts(there, old))
    assert not accepts(here, old)
