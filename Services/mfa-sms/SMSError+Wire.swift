import Contracts
import Vocabulary

extension WireError {
    /// The only map from `SMSError` to the wire.
    init(_ error: SMSError, now: Moment) {
        self =
            switch error {
            case .invalidPhoneNumber: .init(.invalidPhoneNumber)
            case .regionBlocked, .numberTypeNotAllowed:
                .init(
                    .operationNotAllowed, "SMS unable to be sent until this region enabled by the app developer.")
            case .resendTooSoon(let until), .sendLimitExceeded(let until):
                .init(.tooManyAttempts, retryAfterSeconds: until.secondsToWait(from: now))
            case .budgetExhausted(let until), .prefixBlocked(let until):
                .init(.quotaExceeded, retryAfterSeconds: until.secondsToWait(from: now))
            case .messageNotAccepted, .appVerificationUnavailable: .init(.unavailable)
            case .missingSession: .init(.missingVerificationSession)
            case .unknownSession: .init(.invalidVerificationSession)
            case .sessionExpired: .init(.verificationSessionExpired)
            case .missingCode: .init(.missingCode)
            case .invalidCode: .init(.invalidCode)
            case .tooManyFailedAttempts(let until):
                .init(.tooManyAttempts, retryAfterSeconds: until?.secondsToWait(from: now))
            case .factorNotFound: .init(.factorNotFound)
            case .secondFactorDisabled: .init(.operationNotAllowed, "SMS based MFA not enabled.")
            case .missingClientIdentifier: .init(.missingClientIdentifier)
            case .missingAppCredential: .init(.missingAppCredential)
            case .invalidAppCredential: .init(.invalidAppCredential)
            case .missingDeviceToken: .init(.missingDeviceToken)
            case .missingBundleID: .init(.missingIOSBundleID)
            case .missingRecaptchaToken: .init(.missingRecaptchaToken)
            case .captchaCheckFailed: .init(.captchaCheckFailed)
            case .appNotVerified: .init(.appNotVerified)
            case .devModeOnly: .init(.operationNotAllowed)
            }
    }
}
