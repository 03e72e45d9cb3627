"""SAML 2.0 with `pysaml2` as the identity provider."""

import html
import re
import secrets
import subprocess

import pytest
from saml_idp import DIGEST_SHA1, NAMEID_FORMAT_PERSISTENT, NAMEID_FORMAT_TRANSIENT, SIG_RSA_SHA1, SAMLProvider
from service import Refused, visit
from test_handler import cookie, delivery, start


@pytest.fixture(scope="module")
def idp(service, tmp_path_factory):
    provider = SAMLProvider(tmp_path_factory.mktemp("saml"), service)
    provider.id, _ = provider.configure(f"a-{secrets.token_hex(4)}", authoritativeDomains=["example.com"])
    yield provider
    provider.stop()


@pytest.fixture(autouse=True)
def unchanged_idp(idp):
    yield
    idp.reset()
    idp.configure_idp([])


def check_ada(reply, provider):
    assert reply["providerId"] == provider and reply["email"] == "ada@example.com" and reply["emailVerified"]
    assert reply["displayName"] == "Ada Lovelace" and reply["firstName"] == "Ada" and reply["lastName"] == "Lovelace"
    assert reply["idToken"] and reply["pendingToken"] and "oauthIdToken" not in reply


def test_popup(app, idp):
    browser = app.browser
    app.open_frame()
    event_id = secrets.token_hex(8)
    app.popup(authType="signInViaPopup", eventId=event_id, providerId=idp.id)
    browser.to_application()
    event = app.events(2)[1]
    assert event["type"] == "signInViaPopup" and event["eventId"] == event_id and event["error"] is None
    reply = app.sign_in(event)
    check_ada(reply, idp.id)
    # The response is redeemed.
    assert app.sign_in(event)["error"]["message"].startswith("INVALID_IDP_RESPONSE")


def test_redirect(app, idp):
    app.redirect(authType="signInViaRedirect", providerId=idp.id)
    app.wait_for_return().open_frame()
    check_ada(app.sign_in(app.event(0)), idp.id)


# By HTTP.

def respond(service, idp, provider=None):
    """A sign-in up to the provider's response: the response of the handler."""
    response, _ = start(service, provider or idp.id)
    assert response.status == 302, response.text
    page = visit(response.location)
    assert page.status == 200, page.text
    action = html.unescape(re.search(r'action="([^"]*)"', page.text)[1])
    fields = {name: html.unescape(value) for name, value in
              re.findall(r'name="(SAMLResponse|RelayState)" value="([^"]*)"', page.text)}
    return visit(action, fields, Cookie=cookie(response), Sec_Fetch_Site="cross-site"), fields


def sign_in(service, idp, provider=None):
    done, _ = respond(service, idp, provider)
    event = delivery(done)["event"]
    assert event["error"] is None, event
    return service.call(
        "v1/accounts:signInWithIdp", requestUri=event["urlResponse"], postBody=event["postBody"],
        sessionId=event["sessionId"], returnIdpCredential=True, returnSecureToken=True)


def test_same_user_gets_the_same_account(service, idp):
    first, second = sign_in(service, idp), sign_in(service, idp)
    check_ada(first, idp.id)
    assert first["localId"] == second["localId"] and first["federatedId"] == second["federatedId"]
    # Another subject with the address is another person until the owner confirms it.
    idp.response["userid"] = "grace"
    other = sign_in(service, idp)
    assert other["federatedId"] != first["federatedId"] and other["needConfirmation"] and "idToken" not in other


@pytest.mark.parametrize("assertion, response", [(True, False), (False, True), (True, True)])
def test_signed_parts(service, idp, assertion, response):
    idp.response.update(sign_assertion=assertion, sign_response=response)
    check_ada(sign_in(service, idp), idp.id)


def test_attributes_are_in_the_token(service, idp):
    import base64
    import json

    claims = sign_in(service, idp)["idToken"].split(".")[1]
    firebase = json.loads(base64.urlsafe_b64decode(claims + "=="))["firebase"]
    assert firebase["sign_in_provider"] == idp.id
    assert ["staff", "member"] in firebase["sign_in_attributes"].values()


def test_signed_request(service, idp):
    name = f"signed-{secrets.token_hex(4)}"
    provider, document = idp.configure(name, idpConfig__signRequest=True)
    certificates = [entry["x509Certificate"] for entry in document["spConfig"]["spCertificates"]]
    idp.configure_idp(certificates)
    sign_in(service, idp, provider)
    assert idp.requests[-1]["SigAlg"].endswith("rsa-sha256")
    # The provider refuses a request that is not signed, and one of another key.
    other, _ = idp.configure(f"{name}-b", idpConfig__signRequest=True)
    for unknown in (idp.id, other):
        response, _ = start(service, unknown)
        page = visit(response.location)
        assert (page.status, page.text) == (400, "signature")


REFUSALS = {
    "unsigned": ({"sign_assertion": False}, None, "Neither the SAML response nor its assertion is signed."),
    "sha1": ({"sign_alg": SIG_RSA_SHA1, "digest_alg": DIGEST_SHA1}, None, "SHA-1"),
    "changed": ({}, lambda text: text.replace("ada@example.com", "eve@example.com"), "signature"),
    "comment": ({}, lambda text: text.replace("ada@example.com", "ada@example.com<!---->"), "comment"),
    "doctype": ({}, lambda text: text.replace("?>", "?><!DOCTYPE a>", 1) if "?>" in text else f"<!DOCTYPE a>{text}",
                "document type declaration"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refused(service, idp, name):
    arguments, change, message = REFUSALS[name]
    idp.response.update(arguments)
    idp.change = change or idp.change
    with pytest.raises(Refused) as refused:
        sign_in(service, idp)
    assert str(refused.value).startswith("INVALID_IDP_RESPONSE : ") and message in str(refused.value)


def test_transient_subject_is_refused(service, idp):
    idp.configure_idp([], NAMEID_FORMAT_TRANSIENT)
    with pytest.raises(Refused, match="transient"):
        sign_in(service, idp)
    idp.configure_idp([], NAMEID_FORMAT_PERSISTENT)


def test_key_of_another_provider_is_refused(service, idp, tmp_path):
    key = tmp_path / "other.pem"
    subprocess.run(["openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-subj", "/CN=a", "-days", "1",
                    "-keyout", "/dev/null", "-out", key], check=True, capture_output=True)
    provider, _ = idp.configure(
        f"other-{secrets.token_hex(4)}", idpConfig__idpCertificates=[{"x509Certificate": key.read_text()}])
    with pytest.raises(Refused, match="signature"):
        sign_in(service, idp, provider)


def test_sign_in_that_starts_at_the_provider_is_refused(service, idp):
    idp.relays_state = False
    done, fields = respond(service, idp)
    assert done.status == 400
    with pytest.raises(Refused, match="RelayState"):
        service.call(
            "v1/accounts:signInWithIdp", requestUri=service.redirect_uri, sessionId="s", returnSecureToken=True,
            postBody=f"SAMLResponse={fields['SAMLResponse'].replace('+', '%2B')}&providerId={idp.id}")


def test_response_belongs_to_its_browser(service, idp):
    done, fields = respond(service, idp)
    event = delivery(done)["event"]
    other, _ = respond(service, idp)
    with pytest.raises(Refused, match="INVALID_IDP_RESPONSE"):
        service.call(
            "v1/accounts:signInWithIdp", requestUri=event["urlResponse"], postBody=event["postBody"],
            sessionId=delivery(other)["event"]["sessionId"], returnSecureToken=True)
    assert visit(f"{service.redirect_uri}", fields).status == 400


def test_configuration(service, idp):
    for change, message in [
        ({"spConfig": {}}, "MISSING_SAML_RELYING_PARTY_CONFIG"),
        ({"idpConfig__idpCertificates": []}, "INVALID_CONFIG : idpCertificates"),
        ({"idpConfig__ssoUrl": "ftp://a"}, "INVALID_CONFIG : ssoUrl"),
    ]:
        with pytest.raises(Refused) as refused:
            idp.configure(f"x-{secrets.token_hex(4)}", **change)
        assert str(refused.value).startswith(message)
    with pytest.raises(Refused, match="INVALID_CONFIG_ID"):
        service.admin("POST", "/inboundSamlConfigs?inboundSamlConfigId=oidc.a", {"displayName": "a"})
