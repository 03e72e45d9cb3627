import Contracts
import Vocabulary

extension WireError {
    /// The only map of what mfa-sms refuses.
    init(_ error: SMSError, now: Moment) {
        self =
            switch error {
            case .invalidPhoneNumber: .init(.invalidPhoneNumber)
            case .regionBlocked, .numberKindBlocked:
                .init(
                    .operationNotAllowed, "SMS unable to be sent until this region enabled by the app developer.")
            case .resendTooSoon(let until), .sendLimitReached(let until):
                .init(.tooManyAttempts, retryAfterSeconds: until.secondsToWait(from: now))
            case .budgetSpent(let until), .prefixClosed(let until):
                .init(.quotaExceeded, retryAfterSeconds: until.secondsToWait(from: now))
            case .cannotSend, .checkUnavailable: .init(.unavailable)
            case .missingSession: .init(.missingFactorSession)
            case .unknownSession: .init(.invalidFactorSession)
            case .sessionExpired: .init(.factorSessionExpired)
            case .missingCode: .init(.missingCode)
            case .wrongCode: .init(.wrongCode)
            case .tooManyGuesses(let until):
                .init(.tooManyAttempts, retryAfterSeconds: until?.secondsToWait(from: now))
            case .factorNotFound: .init(.factorNotFound)
            case .secondFactorsOff: .init(.operationNotAllowed, "SMS based MFA not enabled.")
            case .missingClientIdentifier: .init(.missingClientIdentifier)
            case .missingAppCredential: .init(.missingAppCredential)
            case .invalidAppCredential: .init(.invalidAppCredential)
            case .missingDeviceToken: .init(.missingDeviceToken)
            case .missingBundleID: .init(.missingIOSBundleID)
            case .missingRecaptchaToken: .init(.missingRecaptchaToken)
            case .captchaCheckFailed: .init(.captchaCheckFailed)
            case .appNotVerified: .init(.appNotVerified)
            case .developersOnly: .init(.operationNotAllowed)
            }
    }
}
