import Contracts
import WebAuthn

/// Why the response of a ceremony is rejected. The log and the metrics have the reason; most reasons are the same error
/// for the client.
enum CeremonyRejection: Error, Equatable, Sendable {
    /// A step of WebAuthn 7.1 or 7.2 failed.
    case webAuthn(WebAuthnError)
    /// Never issued, redeemed before, or of another account, realm or purpose.
    case unknownChallenge
    case expiredChallenge
    /// A sign-in with a credential that the realm does not have.
    case unknownCredential
    /// An enrollment of a credential that the project has.
    case credentialExists
    /// The signature counter did not increase.
    case counterRegression

    /// For the log and the metrics.
    var reason: String {
        switch self {
        case .webAuthn(let error): error.rawValue
        case .unknownChallenge: "challenge.unknown"
        case .expiredChallenge: "challenge.expired"
        case .unknownCredential: "credential.not-found"
        case .credentialExists: WebAuthnError.duplicateCredentialID.rawValue
        case .counterRegression: WebAuthnError.signCountRegression.rawValue
        }
    }

    var serviceError: ServiceError {
        switch self {
        case .webAuthn, .unknownChallenge, .counterRegression: ServiceError(.invalidAuthenticatorResponse)
        case .expiredChallenge: ServiceError(.passkeyChallengeTimedOut)
        case .unknownCredential: ServiceError(.passkeyNotFound)
        case .credentialExists: ServiceError(.passkeyExists)
        }
    }
}
