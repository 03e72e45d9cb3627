import Vocabulary

/// Why mfa-sms does not do what it is asked.
enum SMSError: Error, Equatable, Sendable {
    /// Also none, and a factor that is no telephone.
    case invalidPhoneNumber
    // Sending.
    /// The project sends nothing to this region.
    case regionBlocked
    /// Premium, satellite, shared-cost, unknown: nobody's second factor.
    case numberTypeNotAllowed
    /// The ladder of resends: not before.
    case resendTooSoon(until: Moment)
    /// Too many messages to this number, account, address or range.
    case sendLimitExceeded(until: Moment)
    /// The project's budget of the hour or day is spent.
    case budgetExhausted(until: Moment)
    /// Hardly any code that is sent to this range comes back.
    case prefixBlocked(until: Moment)
    /// The notifier does not take it.
    case messageNotAccepted
    // Codes.
    case missingSession
    case unknownSession
    case sessionExpired
    case missingCode
    case invalidCode
    case tooManyFailedAttempts(until: Moment?)
    case factorNotFound
    /// The project asks for no codes of telephones.
    case secondFactorDisabled
    // Genuine applications.
    case missingClientIdentifier
    case missingAppCredential
    case invalidAppCredential
    case missingDeviceToken
    case missingBundleID
    case missingRecaptchaToken
    case captchaCheckFailed
    case appNotVerified
    /// Whoever could tell cannot be reached.
    case appVerificationUnavailable
    case devModeOnly
}
