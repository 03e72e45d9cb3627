"""A second factor after a provider, in the browser flow."""

import base64
import hashlib
import hmac
import secrets
import struct
import time

from test_practice import choose


def totp(key, moment):
    """RFC 6238 with SHA-1, six digits and 30 seconds."""
    mac = hmac.new(base64.b32decode(key + "=" * (-len(key) % 8)), struct.pack(">Q", moment // 30), hashlib.sha1).digest()
    offset = mac[-1] & 15
    return f"{(struct.unpack('>I', mac[offset:offset + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def sign_in(app, subject):
    app.redirect(authType="signInViaRedirect", providerId="google.com", scopes="openid")
    choose(app.browser, subject, f"{subject}@gmail.com", "Ada")
    app.wait_for_return().open_frame()
    return app.sign_in(app.event(0))


def test_second_factor(app, service):
    service.admin("PATCH", "/config?updateMask=mfa", {"mfa": {"state": "ENABLED", "providerConfigs": [
        {"state": "ENABLED", "totpProviderConfig": {"adjacentIntervals": 5}}]}})
    subject = secrets.token_hex(6)
    first = sign_in(app, subject)
    start = service.call("v2/accounts/mfaEnrollment:start", idToken=first["idToken"], totpEnrollmentInfo={})
    info = start["totpSessionInfo"]
    now = int(time.time())
    service.call("v2/accounts/mfaEnrollment:finalize", idToken=first["idToken"], displayName="Phone",
                 totpVerificationInfo={"sessionInfo": info["sessionInfo"],
                                       "verificationCode": totp(info["sharedSecretKey"], now - 60)})
    pending = sign_in(app.open(), subject)
    assert "idToken" not in pending and pending["mfaPendingCredential"] and pending["localId"] == first["localId"]
    factor, = pending["mfaInfo"]
    finished = service.call(
        "v2/accounts/mfaSignIn:finalize", mfaPendingCredential=pending["mfaPendingCredential"],
        mfaEnrollmentId=factor["mfaEnrollmentId"],
        totpVerificationInfo={"verificationCode": totp(info["sharedSecretKey"], now)})
    assert finished["idToken"] and service.account(finished["idToken"])["localId"] == first["localId"]
