import Vocabulary

/// Why mfa-sms refuses a request.
enum SMSError: Error, Equatable, Sendable {
    /// Also a missing number, and a factor that is no phone number.
    case invalidPhoneNumber
    // Sending.
    /// The project sends no SMS to this region.
    case regionBlocked
    /// Premium, satellite, shared-cost and unknown numbers.
    case numberTypeNotAllowed
    /// The resend backoff has not ended.
    case resendTooSoon(until: Moment)
    /// Too many messages to this number, account, address or prefix.
    case sendLimitExceeded(until: Moment)
    /// The project's budget of the hour or day is exhausted.
    case budgetExhausted(until: Moment)
    /// Too few codes of this prefix are verified.
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
    /// The project has no SMS second factors.
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
    /// reCAPTCHA is unavailable.
    case appVerificationUnavailable
    case devModeOnly
}
