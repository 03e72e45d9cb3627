"""LinkedIn, whose ID tokens have no nonce, and which accepts no PKCE."""

import secrets

import pytest
from service import Refused
from test_handler import cookie, delivery, finish, start

CONFIGURATIONS = "/defaultSupportedIdpConfigs"


@pytest.fixture
def linkedin(service, linkedin_server):
    """With its configuration, which the practice provider replaces afterwards."""
    service.admin("POST", f"{CONFIGURATIONS}?idpId=linkedin.com", {
        "enabled": True, "clientId": linkedin_server.client_id, "clientSecret": linkedin_server.client_secret})
    yield linkedin_server
    service.admin("DELETE", f"{CONFIGURATIONS}/linkedin.com")


def sign_in(service, code):
    """The page of LinkedIn is the only part that no test can have: it gives a code to the browser."""
    response, page = start(service, "linkedin.com")
    assert response.location.startswith("https://www.linkedin.com/oauth/v2/authorization?")
    assert page["scope"] == "openid profile email" and "code_challenge" not in page
    event = delivery(finish(service, page["state"], cookie(response), code=code))["event"]
    return service.call("v1/accounts:signInWithIdp", requestUri=event["urlResponse"], sessionId=event["sessionId"],
                        returnSecureToken=True)


def test_member_signs_in(service, linkedin):
    code = secrets.token_hex(8)
    reply = sign_in(service, code)
    assert reply["providerId"] == "linkedin.com" and reply["displayName"] == "Lin Kedin" and reply["isNewUser"]
    assert reply["email"] == linkedin.email and not reply["emailVerified"]
    assert '"email_verified":"true"' in reply["rawUserInfo"].replace(" ", "")
    entry, = service.account(reply["idToken"])["providerUserInfo"]
    assert entry["providerId"] == "linkedin.com" and entry["rawId"] == f"member-{code}"
    again = sign_in(service, code)
    assert again["localId"] == reply["localId"] and not again.get("isNewUser")
    # Another member with this address does not get the account.
    assert sign_in(service, secrets.token_hex(8))["needConfirmation"] is True


def test_is_listed_and_needs_a_secret(service):
    assert "linkedin.com" in [entry["idpId"] for entry in service.request(
        "GET", "admin/v2/defaultSupportedIdps", Authorization="Bearer owner")["defaultSupportedIdps"]]
    with pytest.raises(Refused, match="MISSING_OAUTH_CLIENT_SECRET"):
        service.admin("POST", f"{CONFIGURATIONS}?idpId=linkedin.com", {"enabled": True, "clientId": "latchkey"})
