import Contracts
import WebAuthn

/// Why the response of a ceremony is rejected. The message is the reason: `PasskeyMetrics` logs and counts it, and removes
/// it. Most reasons have the same code, so that the client cannot tell them apart.
extension ServiceError {
    /// A step of WebAuthn 7.1 or 7.2 failed.
    static func rejected(for error: WebAuthnError) -> ServiceError {
        ServiceError(.invalidAuthenticatorResponse, error.rawValue)
    }

    /// Never issued, redeemed before, or of another account, realm or purpose.
    static let unknownChallenge = ServiceError(.invalidAuthenticatorResponse, "challenge.unknown")
    static let expiredChallenge = ServiceError(.passkeyChallengeTimedOut, "challenge.expired")
    /// A sign-in with a credential that the realm does not have.
    static let unknownCredential = ServiceError(.passkeyNotFound, "credential.not-found")
    /// An enrollment of a credential that the project has.
    static let credentialExists = ServiceError(.passkeyExists, WebAuthnError.duplicateCredentialID.rawValue)
    /// The signature counter did not increase.
    static let counterRegression = ServiceError.rejected(for: .signCountRegression)

    /// The reason, if the response of a ceremony is rejected.
    var rejectionReason: String? {
        let codes: [WireError.Code] = [
            .invalidAuthenticatorResponse, .passkeyChallengeTimedOut, .passkeyNotFound, .passkeyExists,
        ]
        return codes.contains(code) ? message : nil
    }
}
