import Vocabulary

/// Why mfa-sms does not do what it is asked.
enum SMSError: Error, Equatable, Sendable {
    /// Also none, and a factor that is no telephone.
    case invalidPhoneNumber
    // Sending.
    /// The project sends nothing to this region.
    case regionBlocked
    /// Premium, satellite, shared-cost, unknown: nobody's second factor.
    case numberKindBlocked
    /// The ladder of resends: not before.
    case resendTooSoon(until: Moment)
    /// Too many messages to this number, account, address or range.
    case sendLimitReached(until: Moment)
    /// The project's budget of the hour or day is spent.
    case budgetSpent(until: Moment)
    /// Hardly any code that is sent to this range comes back.
    case prefixClosed(until: Moment)
    /// The notifier does not take it.
    case cannotSend
    // Codes.
    case missingSession
    case unknownSession
    case sessionExpired
    case missingCode
    case wrongCode
    case tooManyGuesses(until: Moment?)
    case factorNotFound
    /// The project asks for no codes of telephones.
    case secondFactorsOff
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
    case checkUnavailable
    case developersOnly
}
