package import Vocabulary

/// A limit on requests, attempts or messages over time. Each refusal names the limit that was met: in the header
/// `X-Latchkey-Limit`, in the log and in a metric. `docs/operate/limits.md` describes each for operators.
///
/// A name depends on the request and the limits only, never on the existence of an account (EN7).
package enum LimitName: String, CaseIterable, Codable, Sendable {
    // Requests per client network, in the gateway.
    case signInRequests = "sign-in-requests"
    case signUpRequests = "sign-up-requests"
    case refreshRequests = "refresh-requests"
    case otherRequests = "other-requests"

    // Accounts and e-mails, in identity.
    /// Wrong passwords for one address.
    case passwordAttempts = "password-attempts"
    /// The time of wrong passwords where accounts have imported hashes, per client network.
    case importedPasswordTime = "imported-password-time"
    /// Wrong e-mail codes for one address, or from one client network.
    case emailCodeAttempts = "email-code-attempts"
    case recoveryCodeAttempts = "recovery-code-attempts"
    /// The quota that the project configures.
    case signUpsPerNetwork = "sign-ups-per-network"
    case passwordResetsPerAddress = "password-resets-per-address"
    case emailsPerAddress = "emails-per-address"
    /// E-mails to unproven addresses that an account without a verified address requested.
    case emailsPerAccount = "emails-per-account"
    case emailsPerNetwork = "emails-per-network"
    case emailsPerProject = "emails-per-project"

    // TOTP, in mfa-totp.
    case totpCodeAttempts = "totp-code-attempts"
    case totpEnrollmentAttempts = "totp-enrollment-attempts"

    // SMS, in mfa-sms.
    case smsCodeAttempts = "sms-code-attempts"
    /// The resend backoff of one number.
    case smsResendBackoff = "sms-resend-backoff"
    case smsPerNumber = "sms-per-number"
    case smsPerAccount = "sms-per-account"
    case smsPerNetwork = "sms-per-network"
    case smsPerPrefix = "sms-per-prefix"
    /// Too few codes of a prefix are verified.
    case smsPrefixConversion = "sms-prefix-conversion"
    /// The cost of a project per hour or day.
    case smsProjectBudget = "sms-project-budget"
    /// Silent pushes and pages that verify an application.
    case appVerificationsPerNetwork = "app-verifications-per-network"

    /// The code of a refusal.
    package var code: WireError.Code {
        switch self {
        case .signInRequests, .signUpRequests, .refreshRequests, .otherRequests, .passwordAttempts,
            .importedPasswordTime, .emailCodeAttempts, .emailsPerAddress,
            .emailsPerAccount, .emailsPerNetwork, .smsCodeAttempts, .smsResendBackoff, .smsPerNumber, .smsPerAccount,
            .smsPerNetwork,
            .smsPerPrefix, .appVerificationsPerNetwork:
            .tooManyAttempts
        case .passwordResetsPerAddress: .resetLimitExceeded
        case .recoveryCodeAttempts, .signUpsPerNetwork, .emailsPerProject, .totpCodeAttempts, .smsPrefixConversion,
            .smsProjectBudget:
            .quotaExceeded
        case .totpEnrollmentAttempts: .tooManyEnrollmentAttempts
        }
    }
}

extension ServiceError {
    /// A limit refuses the request.
    /// - Parameter time: when it ends; nil for a limit that time alone does not end.
    package static func limited(by limit: LimitName, until time: Moment?) -> ServiceError {
        var error = ServiceError(limit.code, retry: time.map(Retry.at))
        error.limit = limit
        return error
    }
}
