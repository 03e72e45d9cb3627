import Contracts
import Vocabulary

/// The errors of identity that carry data or a text. The others are thrown by their code: `ServiceError(.emailExists)`.
extension ServiceError {
    // MARK: Requests

    static let profileTooLong = ServiceError(.invalidRequest, "A display name or a photo URL is too long.")
    static let timeOutOfRange = ServiceError(.invalidRequest, "A time is out of range.")
    static let passkeysNotRemovable = ServiceError(
        .invalidRequest, "removesPasskeys requires a code of recoverEmail.")
    static let invalidProviderIdentity = ServiceError(
        .invalidRequest, "A value of the provider is missing, malformed or too long.")
    static let tooManyCriteria = ServiceError(
        .invalidRequest, "At most \(Identity.FindAccounts.maximumCriteria) accounts can be looked up.")

    // MARK: Accounts

    static func invalidCustomToken(_ reason: String) -> ServiceError { .init(.invalidCustomToken, reason) }
    static func invalidAssertion(_ reason: String) -> ServiceError { .init(.invalidAssertion, reason) }
    static func reservedClaim(_ name: String) -> ServiceError { .init(.reservedClaim, name) }

    /// With e-mail enumeration protection, an account gets a new address only after the address is verified.
    static let newEmailNotVerified = ServiceError(
        .operationNotAllowed, "Please verify the new email before changing email.")

    /// The texts are those of the production service, which client libraries show to users.
    static func weakPassword(_ reason: WeakPassword) -> ServiceError {
        let (text, unmet): (String, UnmetPasswordRequirement) =
            switch reason {
            case .shorterThan(let length):
                ("Password should be at least \(length) characters", .atLeast(characters: length))
            case .blocklisted: ("Password is too easy to guess", .hardToGuess)
            }
        return .init(.weakPassword, text, unmetPasswordRequirements: [unmet])
    }

    static func passwordPolicyViolated(_ unmet: [UnmetPasswordRequirement]) -> ServiceError {
        let list = unmet.map(\.text).joined(separator: ", ")
        return .init(
            .passwordPolicyViolated, "Missing password requirements: [\(list)]", unmetPasswordRequirements: unmet)
    }

    /// The project does not allow factors of the method.
    static func secondFactorDisabled(_ method: SecondFactor.Method) -> ServiceError {
        switch method {
        case .phone: .init(.operationNotAllowed, "SMS based MFA not enabled.")
        case .totp: .init(.operationNotAllowed, "TOTP based MFA not enabled.")
        }
    }

    // MARK: Configuration

    static func invalidConfiguration(_ reason: String) -> ServiceError { .init(.invalidConfiguration, reason) }
    static func invalidApplication(_ reason: String) -> ServiceError { .init(.invalidApplication, reason) }
    static func invalidBlockingFunction(_ reason: String) -> ServiceError { .init(.invalidBlockingFunction, reason) }

    /// - Parameter path: of a setting that would be stored and have no effect.
    static func ineffectiveSetting(_ path: String) -> ServiceError {
        .init(.operationNotAllowed, "\(path) has no effect in this version, so it is not stored.")
    }
}

extension UnmetPasswordRequirement {
    fileprivate var text: String {
        switch self {
        case .atLeast(let length): "Password must contain at least \(length) characters"
        case .atMost(let length): "Password may contain at most \(length) characters"
        case .lowercase: "Password must contain a lower case character"
        case .uppercase: "Password must contain an upper case character"
        case .numeric: "Password must contain a numeric character"
        case .nonAlphanumeric: "Password must contain a non-alphanumeric character"
        case .hardToGuess: "Password must be hard to guess"
        }
    }
}
