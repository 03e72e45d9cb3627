"""Six digits by e-mail, for sign-in and for the verification of an address: an extension that no other server has."""

import pytest

from lib.client import PASSWORD, fresh_email
from lib.tokens import check_id_token

pytestmark = pytest.mark.latchkey("extension")


@pytest.fixture
def codes(configure):
    configure("signIn.emailCode.enabled", {"signIn": {"emailCode": {"enabled": True}}})


def listed(service, session: str) -> dict:
    found = service.emulator("GET", "/emailCodes").ok("emailCodes")["emailCodes"]
    return next(entry for entry in found if entry["sessionInfo"] == session)


def send(service, email: str) -> tuple[str, str]:
    session = service.v1("accounts:sendEmailCode", {"purpose": "SIGN_IN", "email": email}).ok("sessionInfo")["sessionInfo"]
    return session, listed(service, session)["code"]


def sign_in(service, session: str, code: str, **fields):
    return service.v1("accounts:signInWithEmailCode", {"sessionInfo": session, "code": code, **fields})


def wrong(code: str) -> str:
    return "222222" if code == "111111" else "111111"


@pytest.mark.usefixtures("codes")
class TestSignIn:
    def test_creates_an_account_and_signs_in_again(self, service, email):
        session, code = send(service, email)
        assert len(code) == 6 and code.isdecimal()
        first = sign_in(service, session, code).ok("idToken", "refreshToken")
        assert first["isNewUser"] is True and first["email"] == email
        check_id_token(service, first["idToken"], "password", local_id=first["localId"])
        record = service.record(first["localId"])
        assert record["emailVerified"] is True and record["emailLinkSignin"] is True
        again = sign_in(service, *send(service, email)).ok("idToken")
        assert again["localId"] == first["localId"] and again["isNewUser"] is False

    def test_takes_an_unproven_account_over(self, service, user):
        sign_in(service, *send(service, user.email)).ok("idToken")
        service.password_reply(user.email, PASSWORD).one_of("INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS")

    def test_code_works_once(self, service, email):
        session, code = send(service, email)
        sign_in(service, session, code).ok("idToken")
        sign_in(service, session, code).error("INVALID_SESSION_INFO")

    def test_newer_code_retires_the_older(self, service, email):
        older = send(service, email)
        newer = send(service, email)
        sign_in(service, *older).error("INVALID_SESSION_INFO")
        sign_in(service, *newer).ok("idToken")

    def test_five_tries(self, service, email):
        session, code = send(service, email)
        for _ in range(5):
            sign_in(service, session, wrong(code)).error("INVALID_CODE")
        sign_in(service, session, code).error("SESSION_EXPIRED")

    def test_tries_add_up_over_sessions(self, service, email):
        for _ in range(2):
            session, code = send(service, email)
            replies = [sign_in(service, session, wrong(code)) for _ in range(4)]
        assert any(reply.body["error"]["message"].startswith("TOO_MANY_ATTEMPTS_TRY_LATER") for reply in replies)

    def test_anonymous_user_gets_the_address(self, service, email):
        anonymous = service.sign_up_anonymous()
        session, code = send(service, email)
        linked = sign_in(service, session, code, idToken=anonymous.id_token).ok("idToken")
        assert linked["localId"] == anonymous.local_id and linked["email"] == email

    def test_second_factor_is_asked_for(self, service):
        user, enrolment = service.sms_user()
        pending = sign_in(service, *send(service, user.email)).ok("mfaPendingCredential", "mfaInfo")
        assert "idToken" not in pending and pending["mfaInfo"][0]["mfaEnrollmentId"] == enrolment["mfaEnrollmentId"]

    def test_same_answer_for_every_address(self, service, privacy, user, email):
        replies = [service.v1("accounts:sendEmailCode", {"purpose": "SIGN_IN", "email": address})
                   for address in (user.email, email)]
        assert replies[0].ok().keys() == replies[1].ok().keys() == {"sessionInfo"}
        assert len(replies[0].text) == len(replies[1].text)

    def test_session_is_no_link(self, service, email):
        session, _ = send(service, email)
        service.v1("accounts:resetPassword", {"oobCode": session}).error("INVALID_OOB_CODE")
        service.v1("accounts:signInWithEmailLink", {"email": email, "oobCode": session}).error("INVALID_OOB_CODE")

    def test_tenant(self, service, make_tenant, email):
        tenant = make_tenant(enableEmailCodeSignin=True)
        session, code = send(tenant, email)
        sign_in(service, session, code).error("INVALID_SESSION_INFO")
        sign_in(tenant, session, code).ok("idToken")
        closed = make_tenant()
        closed.v1("accounts:sendEmailCode", {"purpose": "SIGN_IN", "email": email}).error("OPERATION_NOT_ALLOWED")


@pytest.mark.usefixtures("codes")
class TestVerification:
    def test_journey(self, service, user):
        session = service.v1("accounts:sendEmailCode", {
            "purpose": "VERIFY_EMAIL", "idToken": user.id_token}).ok("sessionInfo")["sessionInfo"]
        entry = listed(service, session)
        assert (entry["email"], entry["purpose"]) == (user.email, "VERIFY_EMAIL")
        verify = {"sessionInfo": session, "code": entry["code"]}
        service.v1("accounts:signInWithEmailCode", verify).error("INVALID_SESSION_INFO")
        service.v1("accounts:verifyEmailWithCode", {**verify, "code": wrong(entry["code"])}).error("INVALID_CODE")
        body = service.v1("accounts:verifyEmailWithCode", verify).ok("localId", "email", "emailVerified")
        assert (body["localId"], body["emailVerified"]) == (user.local_id, True)
        assert service.own_record(user.id_token)["emailVerified"] is True
        service.password_reply(user.email, PASSWORD).ok("idToken")
        service.v1("accounts:verifyEmailWithCode", verify).error("INVALID_SESSION_INFO")


@pytest.mark.usefixtures("codes")
@pytest.mark.parametrize("operation, fields, code", [
    ("sendEmailCode", {}, "MISSING_REQ_TYPE"),
    ("sendEmailCode", {"purpose": "PASSWORD_RESET", "email": "a@example.com"}, "INVALID_REQ_TYPE"),
    ("sendEmailCode", {"purpose": "SIGN_IN"}, "MISSING_EMAIL"),
    ("sendEmailCode", {"purpose": "SIGN_IN", "email": "plain"}, "INVALID_EMAIL"),
    ("sendEmailCode", {"purpose": "VERIFY_EMAIL", "email": "a@example.com"}, "INVALID_ID_TOKEN"),
    ("signInWithEmailCode", {"code": "123456"}, "MISSING_SESSION_INFO"),
    ("signInWithEmailCode", {"sessionInfo": "x"}, "MISSING_CODE"),
    ("signInWithEmailCode", {"sessionInfo": "x", "code": "123456"}, "INVALID_SESSION_INFO"),
    ("verifyEmailWithCode", {"sessionInfo": "x", "code": "123456"}, "INVALID_SESSION_INFO"),
])
def test_refused(service, operation, fields, code):
    service.v1(f"accounts:{operation}", fields).error(code)


def test_off_by_default(service):
    service.v1("accounts:sendEmailCode", {"purpose": "SIGN_IN", "email": fresh_email()}).error("OPERATION_NOT_ALLOWED")
    service.v1("accounts:signInWithEmailCode", {"sessionInfo": "x", "code": "123456"}).error("OPERATION_NOT_ALLOWED")
