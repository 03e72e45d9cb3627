import Testing
import WebAuthn

@Suite struct WebAuthnErrorTests {
    /// Logs and metrics contain them.
    @Test func reasonCodesAreStable() {
        #expect(
            Set(WebAuthnError.allCases.map(\.rawValue)) == [
                "response.malformed", "clientData.malformed", "clientData.type", "clientData.challenge",
                "clientData.origin", "clientData.crossOrigin", "clientData.topOrigin", "attestationObject.malformed",
                "authData.malformed", "authData.rpIdHash", "authData.up", "authData.uv", "authData.backupFlags",
                "key.alg", "key.malformed", "attestation.format", "attestation.statement", "attestation.signature",
                "attestation.trust", "credentialId.length", "credentialId.mismatch", "credentialId.duplicate",
                "credential.unknown", "user.handle", "signature.invalid", "signCount.regression",
                "backupEligible.changed",
            ])
    }
}
