import Vocabulary

/// The errors of mfa-sms.
enum SMSError: Error, Equatable, Sendable {
    /// Also for a missing number and a factor that is not a phone.
    case invalidPhoneNumber
    // Sending.
    /// The project does not allow this region.
    case regionBlocked
    /// Premium, satellite, shared-cost, unknown: not valid as second factors.
    case numberTypeNotAllowed
    /// The resend backoff has not elapsed.
    case resendTooSoon(until: Moment)
    /// Too many messages to this number, account, address or prefix.
    case sendLimitExceeded(until: Moment)
    /// The project's hourly or daily budget is exhausted.
    case budgetExhausted(until: Moment)
    /// The prefix is blocked because of its low conversion.
    case prefixBlocked(until: Moment)
    /// The notifier did not accept the message.
    case messageNotAccepted
    // Codes.
    case missingSession
    case unknownSession
    case sessionExpired
    case missingCode
    case invalidCode
    case tooManyFailedAttempts(until: Moment?)
    case factorNotFound
    /// The project does not allow the SMS second factor.
    case secondFactorDisabled
    // App verification.
    case missingClientIdentifier
    case missingAppCredential
    case invalidAppCredential
    case missingDeviceToken
    case missingBundleID
    case missingRecaptchaToken
    case captchaCheckFailed
    case appNotVerified
    /// The app credential cannot be verified at present.
    case appVerificationUnavailable
    case devModeOnly
}
