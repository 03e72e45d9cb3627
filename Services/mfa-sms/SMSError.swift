import Contracts
import Vocabulary

/// The errors of mfa-sms that carry data: a limit refuses a message or a code. The others are thrown by their code:
/// `ServiceError(.invalidCode)`.
enum SMSError: Error, Hashable, Sendable {
    /// The project sends no SMS to this region.
    case regionBlocked
    /// Premium, satellite, shared-cost and unknown numbers.
    case numberTypeNotAllowed
    /// The resend backoff has not ended.
    case resendTooSoon(until: Moment)
    /// Too many messages to this number, account, network or prefix.
    case sendLimitExceeded(LimitName, until: Moment)
    /// The project's budget of the hour or day is exhausted.
    case budgetExhausted(until: Moment)
    /// Too few codes of this prefix are verified.
    case prefixBlocked(until: Moment)
    /// Too many wrong codes. Nil: the lock has no end.
    case tooManyFailedAttempts(until: Moment?)

    /// What the caller gets.
    var serviceError: ServiceError {
        switch self {
        case .regionBlocked, .numberTypeNotAllowed:
            .init(.operationNotAllowed, "SMS unable to be sent until this region enabled by the app developer.")
        case .resendTooSoon(let until): .limited(by: .smsResendBackoff, until: until)
        case .sendLimitExceeded(let limit, let until): .limited(by: limit, until: until)
        case .budgetExhausted(let until): .limited(by: .smsProjectBudget, until: until)
        case .prefixBlocked(let until): .limited(by: .smsPrefixConversion, until: until)
        case .tooManyFailedAttempts(let until): .limited(by: .smsCodeAttempts, until: until)
        }
    }
}

extension ServiceError {
    /// The project has no SMS second factors.
    static let secondFactorDisabled = ServiceError(.operationNotAllowed, "SMS based MFA not enabled.")
}
