import pytest

latchkey = pytest.mark.latchkey
pytestmark = latchkey("the emulator has no download")


def download(service, id_token):
    return service.v1("accounts:download", {"idToken": id_token})


def test_document(service, user):
    service.update(user, displayName="Ada").ok()
    service.send_oob("VERIFY_EMAIL", idToken=user.id_token).ok()
    body = download(service, user.id_token).ok("account", "sessions", "actionCodes", "auditRecords")
    assert body["account"]["localId"] == user.local_id and body["account"]["email"] == user.email
    assert body["account"]["displayName"] == "Ada" and body["account"]["passwordHash"] == "UkVEQUNURUQ="
    assert {session["signInProvider"] for session in body["sessions"]} == {"password"}
    assert all(session["ipAddress"] == "127.0.0.1" for session in body["sessions"])
    assert [code["requestType"] for code in body["actionCodes"]] == ["VERIFY_EMAIL"]
    actions = [record["action"] for record in body["auditRecords"]]
    assert "account.created" in actions and "account.updated" in actions
    assert all(record["actor"] in ("owner", "unauthenticated") for record in body["auditRecords"])
    again = download(service, user.id_token).ok("auditRecords")
    assert "account.downloaded" in [record["action"] for record in again["auditRecords"]]


def test_no_secret(service, user):
    text = download(service, user.id_token).text
    for secret in (user.id_token, user.refresh_token, user.password):
        assert secret not in text


def test_administrators_are_not_named(service):
    user = service.signed_in(service.create_user())
    service.admin_update(user.local_id, displayName="Eve").ok()
    records = download(service, user.id_token).ok("auditRecords")["auditRecords"]
    administration = [record for record in records if record["actor"] == "administration"]
    assert administration and all("ipAddress" not in record for record in administration)


def test_tenant(make_tenant):
    tenant = make_tenant()
    user = tenant.sign_up()
    assert download(tenant, user.id_token).ok("account")["account"]["tenantId"] == tenant.tenant_id


def test_ended_session(service, user):
    other = service.signed_in(user)
    service.v1("accounts:revokeSessions", {"idToken": user.id_token, "allOthers": True}).ok()
    download(service, other.id_token).error("TOKEN_EXPIRED")
    service.admin_update(user.local_id, disableUser=True).ok()
    download(service, user.id_token).error("USER_DISABLED")


@pytest.mark.parametrize("token, code", [(None, "MISSING_ID_TOKEN"), ("a.b.c", "INVALID_ID_TOKEN")])
def test_token_is_required(service, token, code):
    download(service, token).error(code)


def test_other_account_is_not_in_it(service, user):
    other = service.sign_up()
    text = download(service, user.id_token).text
    assert other.local_id not in text and other.email not in text
