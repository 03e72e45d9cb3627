import time

import pytest

from lib.authenticator import Authenticator
from lib.client import fresh_email

pytestmark = pytest.mark.latchkey("the emulator has no passkey settings")

FINGERPRINT = ":".join(f"{number:02X}" for number in range(32))
MODEL = "2fc0579f-8113-47ea-b116-bb5a8db9202a"
PASSKEYS = {
    "relyingPartyId": "example.com", "relyingPartyName": "Shop",
    "origins": ["https://example.com", "https://example.de", "https://example.co.uk:8443"],
    "appleApps": ["ABCDE12345.org.example.app"],
    "androidApps": [{"packageName": "org.example.app", "sha256CertFingerprints": [FINGERPRINT]}],
    "enrollUrl": "https://example.com/add", "manageUrl": "https://example.com/passkeys"}


def patch(service, mask, settings):
    return service.admin("PATCH", "/config", {"passkeyConfig": settings}, version="v2", updateMask=mask)


def eventually(call, is_done):
    """Repeats a call until its reply is as expected: the passkey service learns of a change from an event."""
    deadline = time.monotonic() + 5
    while not is_done(reply := call()) and time.monotonic() < deadline:
        pass
    return reply


def file(service, name, status):
    """The reply for a file, which is to have this status."""
    return eventually(lambda: service.raw("GET", f"/.well-known/{name}"), lambda reply: reply.status == status)


def relying_party(service, expected):
    def read():
        return service.v2("accounts/passkeySignIn:start").ok()["credentialRequestOptions"]["rpId"]

    return eventually(read, lambda seen: seen == expected)


class TestSettings:
    def test_whole(self, service, configure):
        assert configure("passkeyConfig", {"passkeyConfig": PASSKEYS})["passkeyConfig"] == PASSKEYS
        assert service.admin("GET", "/config", version="v2").ok()["passkeyConfig"] == PASSKEYS

    def test_one_path(self, configure):
        configure("passkeyConfig", {"passkeyConfig": PASSKEYS})
        changed = configure("passkeyConfig.userVerification", {
            "passkeyConfig": {"userVerification": "PREFERRED", "relyingPartyId": "other.example"}})
        assert changed["passkeyConfig"] == {**PASSKEYS, "userVerification": "PREFERRED"}

    def test_empty_object_clears(self, service, configure):
        configure("passkeyConfig", {"passkeyConfig": PASSKEYS})
        assert "passkeyConfig" not in configure("passkeyConfig", {"passkeyConfig": {}})

    @pytest.mark.parametrize("settings, reason", [
        ({"relyingPartyId": "Example.com"}, "relyingPartyId"), ({"relyingPartyId": "127.0.0.1"}, "relyingPartyId"),
        ({"relyingPartyId": "https://example.com"}, "relyingPartyId"),
        ({"relyingPartyId": "co.uk"}, "relyingPartyId co.uk is a public suffix"),
        ({"origins": ["https://example.com/"]}, "origins[0]"),
        ({"origins": ["http://example.com"]}, "origins[0]"),
        ({"relyingPartyId": "example.com", "origins": [f"https://other{number}.example" for number in range(6)]},
         "more than 5"),
        ({"appleApps": ["org.example.app"]}, "appleApps[0]"),
        ({"androidApps": [{"packageName": "org.example.app"}]}, "androidApps[0].sha256CertFingerprints"),
        ({"manageUrl": "javascript:alert(1)"}, "manageUrl"),
        ({"attestation": {"allowedAaguids": [MODEL]}}, "attestation.allowedAaguids has no effect"),
        ({"attestation": {"requireTrusted": True}}, "attestation.requireTrusted")])
    def test_refused(self, service, configure, settings, reason):
        before = service.admin("GET", "/config", version="v2").ok()
        assert reason in patch(service, "passkeyConfig", settings).error("INVALID_CONFIG")
        assert service.admin("GET", "/config", version="v2").ok() == before


class TestTenants:
    def test_inherits_or_replaces_all(self, service, configure, make_tenant):
        configure("passkeyConfig", {"passkeyConfig": {"relyingPartyId": "example.com"}})
        tenant = make_tenant()
        assert relying_party(tenant, "example.com") == "example.com"
        tenant.admin("PATCH", "", {"passkeyConfig": {"relyingPartyId": "tenant.example"}}, version="v2",
                     updateMask="passkeyConfig").ok("passkeyConfig")
        assert relying_party(tenant, "tenant.example") == "tenant.example"
        tenant.admin("PATCH", "", {}, version="v2", updateMask="passkeyConfig").ok()
        assert relying_party(tenant, "example.com") == "example.com"

    def test_files_are_those_of_the_project(self, make_tenant):
        tenant = make_tenant()
        reply = tenant.admin("PATCH", "", {"passkeyConfig": {"appleApps": PASSKEYS["appleApps"]}}, version="v2",
                             updateMask="passkeyConfig")
        assert "appleApps has no effect in a tenant" in reply.error("INVALID_CONFIG")


class TestResource:
    """The same settings as Google's Node Admin library reads and changes them (`PasskeyConfigManager`)."""

    def test_project(self, service, configure):
        configure("passkeyConfig", {"passkeyConfig": PASSKEYS})
        name = f"projects/{service.project}/passkeyConfig"
        seen = {"name": name, "rpId": "example.com", "expectedOrigins": PASSKEYS["origins"]}
        assert service.admin("GET", "/passkeyConfig", version="v2").ok("name") == seen
        changed = service.admin("PATCH", "/passkeyConfig", {"expectedOrigins": ["https://example.com"]}, version="v2",
                                updateMask="expectedOrigins").ok("name")
        assert changed == {**seen, "expectedOrigins": ["https://example.com"]}
        stored = service.admin("GET", "/config", version="v2").ok()["passkeyConfig"]
        assert stored == {**PASSKEYS, "origins": ["https://example.com"]}

    def test_tenant(self, make_tenant):
        tenant = make_tenant()
        name = f"projects/{tenant.project}/tenants/{tenant.tenant_id}/passkeyConfig"
        assert tenant.admin("GET", "/passkeyConfig", version="v2").ok("name") == {"name": name}
        made = tenant.admin("PATCH", "/passkeyConfig", {"rpId": "tenant.example", "expectedOrigins": [
            "https://tenant.example"]}, version="v2", updateMask="rpId,expectedOrigins").ok("name")
        assert made == {"name": name, "rpId": "tenant.example", "expectedOrigins": ["https://tenant.example"]}
        assert relying_party(tenant, "tenant.example") == "tenant.example"

    @pytest.mark.parametrize("mask, body", [
        ("rpId", {"rpId": "co.uk"}), ("expectedOrigins", {"expectedOrigins": ["example.com"]}),
        ("colour", {}), ("rpId", {"colour": "red"})])
    def test_refused(self, service, configure, mask, body):
        assert service.admin("PATCH", "/passkeyConfig", body, version="v2", updateMask=mask).status == 400


class TestEffect:
    def test_disabled(self, service, configure):
        configure("passkeyConfig.state", {"passkeyConfig": {"state": "DISABLED"}})
        for name in ("webauthn", "passkey-endpoints"):
            assert file(service, name, 404).status == 404
        service.v2("accounts/passkeySignIn:start").error("PASSKEY_NOT_ENABLED")

    def test_removed_origin_is_refused(self, service, configure):
        user = service.sign_up(fresh_email())
        device = Authenticator()
        both = ["https://example.com", "https://example.de"]
        configure("passkeyConfig", {"passkeyConfig": {"relyingPartyId": "example.com", "origins": both}})
        assert relying_party(service, "example.com") == "example.com"
        options = service.v2("accounts/passkeyEnrollment:start", {"idToken": user.id_token}).ok(
            "credentialCreationOptions")["credentialCreationOptions"]
        service.v2("accounts/passkeyEnrollment:finalize", {
            "idToken": user.id_token, "authenticatorRegistrationResponse": device.register(options)}).ok("idToken")

        def sign_in(origin):
            options = service.v2("accounts/passkeySignIn:start").ok()["credentialRequestOptions"]
            return service.v2("accounts/passkeySignIn:finalize", {
                "authenticatorAuthenticationResponse": device.assertion(options, origin=origin)})

        sign_in("https://example.de").ok("idToken")
        configure("passkeyConfig.origins", {"passkeyConfig": {"origins": both[:1]}})
        eventually(lambda: sign_in("https://example.de"), lambda reply: reply.status == 400).error(
            "INVALID_AUTHENTICATOR_RESPONSE")
        sign_in("https://example.com").ok("idToken")


class TestWellKnownFiles:
    @pytest.mark.parametrize("name, content", [
        ("webauthn", {"origins": ["https://example.de", "https://example.co.uk:8443"]}),
        ("apple-app-site-association", {"webcredentials": {"apps": ["ABCDE12345.org.example.app"]}}),
        ("assetlinks.json", [{"relation": ["delegate_permission/common.get_login_creds"], "target": {
            "namespace": "android_app", "package_name": "org.example.app",
            "sha256_cert_fingerprints": [FINGERPRINT]}}]),
        ("passkey-endpoints", {"enroll": "https://example.com/add", "manage": "https://example.com/passkeys"})])
    def test_content(self, service, configure, name, content):
        configure("passkeyConfig", {"passkeyConfig": PASSKEYS})
        reply = eventually(lambda: file(service, name, 200), lambda reply: reply.body == content)
        assert (reply.status, reply.body) == (200, content)
        assert reply.headers["content-type"] == "application/json"
        assert "max-age=300" in reply.headers["cache-control"]

    @pytest.mark.parametrize("name", ["webauthn", "apple-app-site-association", "assetlinks.json"])
    def test_absent(self, service, configure, name):
        configure("passkeyConfig", {"passkeyConfig": {"relyingPartyId": "example.com"}})
        assert file(service, name, 404).status == 404
