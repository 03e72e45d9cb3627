"""The unmodified Python admin library, through private names and a private CA. It verifies every signature."""

import time

import pytest
from firebase_admin import auth
from firebase_admin._auth_utils import InvalidIdTokenError

PASSWORD = "correct horse battery"


@pytest.fixture
def user(app):
    user = auth.create_user(email=f"ada-{time.time_ns()}@example.com", password=PASSWORD, display_name="Ada")
    yield user
    auth.delete_user(user.uid)


def tampered(token):
    """The token with one changed bit in its signature."""
    head, _, signature = token.rpartition(".")
    return f"{head}.{'A' if signature[0] != 'A' else 'B'}{signature[1:]}"


def test_accounts(app, user):
    changed = auth.update_user(user.uid, display_name="Ada Lovelace", phone_number="+15555550100")
    assert (changed.display_name, changed.phone_number) == ("Ada Lovelace", "+15555550100")
    assert auth.get_user_by_email(user.email).uid == auth.get_user_by_phone_number("+15555550100").uid == user.uid
    assert user.uid in [listed.uid for listed in auth.list_users().iterate_all()]
    with pytest.raises(auth.EmailAlreadyExistsError):
        auth.create_user(email=user.email)
    with pytest.raises(auth.UserNotFoundError):
        auth.get_user("nobody")


def test_id_token_is_verified_by_its_signature(app, user, client):
    auth.set_custom_user_claims(user.uid, {"role": "editor"})
    token = client("signInWithPassword", email=user.email, password=PASSWORD, returnSecureToken=True)["idToken"]
    claims = auth.verify_id_token(token, check_revoked=True)
    assert (claims["uid"], claims["role"]) == (user.uid, "editor")
    with pytest.raises(InvalidIdTokenError):
        auth.verify_id_token(tampered(token))
    auth.update_user(user.uid, disabled=True)
    with pytest.raises(auth.UserDisabledError):
        auth.verify_id_token(token, check_revoked=True)


def test_revoked_token_is_refused(app, user, client):
    session = client("signInWithPassword", email=user.email, password=PASSWORD, returnSecureToken=True)
    issued = auth.verify_id_token(session["idToken"])["iat"]
    auth.revoke_refresh_tokens(user.uid)
    # A revocation has a time in seconds, and tokens of that second stay valid: revoke until it is a later one.
    while auth.get_user(user.uid).tokens_valid_after_timestamp // 1000 <= issued:
        auth.revoke_refresh_tokens(user.uid)
    with pytest.raises(auth.RevokedIdTokenError):
        auth.verify_id_token(session["idToken"], check_revoked=True)


def test_custom_token(app, client):
    token = auth.create_custom_token("custom-user", {"plan": "gold"}).decode()
    session = client("signInWithCustomToken", token=token, returnSecureToken=True)
    claims = auth.verify_id_token(session["idToken"])
    assert (claims["uid"], claims["plan"]) == ("custom-user", "gold")
    assert client("signInWithCustomToken", token=tampered(token)) == "INVALID_CUSTOM_TOKEN"
    auth.delete_user("custom-user")


def test_session_cookie(app, user, client):
    token = client("signInWithPassword", email=user.email, password=PASSWORD, returnSecureToken=True)["idToken"]
    cookie = auth.create_session_cookie(token, expires_in=600)
    assert auth.verify_session_cookie(cookie, check_revoked=True)["uid"] == user.uid
    with pytest.raises(auth.InvalidSessionCookieError):
        auth.verify_session_cookie(tampered(cookie))


def test_action_links_name_the_public_host(app, user):
    settings = auth.ActionCodeSettings(url="https://auth.example.com/done")
    for link in [auth.generate_password_reset_link(user.email), auth.generate_email_verification_link(user.email),
                 auth.generate_sign_in_with_email_link(user.email, settings)]:
        assert link.startswith("https://auth.example.com/__/auth/action?")


def test_provider_configurations(app):
    created = auth.create_oidc_provider_config(
        "oidc.staff", client_id="c", issuer="https://issuer.example.com", display_name="Staff", enabled=True)
    assert created.issuer == "https://issuer.example.com"
    assert [listed.provider_id for listed in auth.list_oidc_provider_configs().iterate_all()] == ["oidc.staff"]
    auth.delete_oidc_provider_config("oidc.staff")


def test_import_reports_each_refused_user(app):
    result = auth.import_users([auth.ImportUserRecord(uid="twin"), auth.ImportUserRecord(uid="twin")])
    assert (result.success_count, result.failure_count) == (1, 1)
    auth.delete_user("twin")
