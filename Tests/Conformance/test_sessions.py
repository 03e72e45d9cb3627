import pytest

from lib.tokens import claims

latchkey = pytest.mark.latchkey
pytestmark = latchkey("the emulator has no sessions of users")

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"


def sessions(service, id_token: str) -> list[dict]:
    return service.v1("accounts:sessions", {"idToken": id_token}).ok("sessions")["sessions"]


def revoke(service, id_token: str, **selection):
    return service.v1("accounts:revokeSessions", {"idToken": id_token, **selection})


class TestList:
    def test_members(self, service, user):
        body = service.v1("accounts:signInWithPassword", {
            "email": user.email, "password": user.password, "returnSecureToken": True},
            headers={"User-Agent": FIREFOX}).ok("idToken")
        listed = sessions(service, body["idToken"])
        assert len(listed) == 2
        [own] = [entry for entry in listed if entry.get("current")]
        assert own["device"] == "Firefox (Linux)" and own["network"] == "127.0.0.0/24"
        assert own["signInProvider"] == "password" and "secondFactor" not in own
        assert own["sessionId"] == claims(body["idToken"])["firebase"]["session_id"]
        assert own["createdAt"].endswith("Z") and own["lastUsedAt"].endswith("Z")
        assert "Mozilla" not in str(listed)

    def test_refresh_and_change_keep_the_session(self, service, user):
        refreshed = service.refresh(user.refresh_token).ok("id_token")["id_token"]
        changed = service.v1("accounts:update", {
            "idToken": refreshed, "displayName": "Ada", "returnSecureToken": True}).ok("idToken")["idToken"]
        ids = {claims(token)["firebase"]["session_id"] for token in (user.id_token, refreshed, changed)}
        assert len(ids) == 1
        assert [entry["sessionId"] for entry in sessions(service, changed)] == list(ids)

    def test_anonymous(self, service):
        user = service.sign_up_anonymous()
        [own] = sessions(service, user.id_token)
        assert own["signInProvider"] == "anonymous" and own["current"] is True

    def test_tenant(self, service, make_tenant):
        tenant = make_tenant()
        user = tenant.sign_up()
        assert len(sessions(tenant, user.id_token)) == 1
        other = service.tenant("another-tenant")
        other.v1("accounts:sessions", {"idToken": user.id_token}).error("TENANT_ID_MISMATCH")

    @pytest.mark.parametrize("operation", ["accounts:sessions", "accounts:revokeSessions"])
    def test_token_is_required(self, service, operation):
        service.v1(operation, {"all": True}).error("MISSING_ID_TOKEN")
        service.v1(operation, {"all": True, "idToken": "a.b.c"}).error("INVALID_ID_TOKEN")


class TestRevoke:
    def test_one(self, service, user):
        other = service.signed_in(user)
        session = claims(other.id_token)["firebase"]["session_id"]
        assert revoke(service, user.id_token, sessionIds=[session]).ok() == {}
        service.refresh(other.refresh_token).error("TOKEN_EXPIRED")
        service.refresh(user.refresh_token).ok("id_token")
        assert session not in [entry["sessionId"] for entry in sessions(service, user.id_token)]

    def test_all_others(self, service, user):
        others = [service.signed_in(user) for _ in range(3)]
        revoke(service, user.id_token, allOthers=True).ok()
        for other in others:
            service.refresh(other.refresh_token).error("TOKEN_EXPIRED")
        service.refresh(user.refresh_token).ok("id_token")
        assert len(sessions(service, user.id_token)) == 1

    def test_all(self, service, user):
        other = service.signed_in(user)
        revoke(service, user.id_token, all=True).ok()
        for ended in (user, other):
            service.refresh(ended.refresh_token).error("TOKEN_EXPIRED")

    def test_ended_session_ends_no_other(self, service, user):
        other = service.signed_in(user)
        revoke(service, user.id_token, allOthers=True).ok()
        revoke(service, other.id_token, allOthers=True).error("TOKEN_EXPIRED")
        service.v1("accounts:sessions", {"idToken": other.id_token}).error("TOKEN_EXPIRED")
        service.refresh(user.refresh_token).ok("id_token")

    def test_session_of_another_account(self, service, user):
        other = service.sign_up()
        session = claims(other.id_token)["firebase"]["session_id"]
        revoke(service, user.id_token, sessionIds=[session, "no session"]).error("SESSION_NOT_FOUND")
        service.refresh(other.refresh_token).ok("id_token")

    @pytest.mark.parametrize("selection", [
        {}, {"all": False}, {"sessionIds": []}, {"all": True, "allOthers": True},
        {"all": True, "sessionIds": ["AAAAAAAAAAAAAAAAAAAAAA"]}])
    def test_exactly_one_selection(self, service, user, selection):
        assert revoke(service, user.id_token, **selection).status == 400
        service.refresh(user.refresh_token).ok("id_token")
