import Contracts
import Vocabulary

/// The only map from `TOTPError` to the wire.
extension WireError {
    init(_ error: TOTPError, now: Moment) {
        switch error {
        case .missingSession: self.init(.missingVerificationSession)
        case .unknownSession: self.init(.invalidVerificationSession)
        case .sessionExpired: self.init(.verificationSessionExpired)
        case .alreadyEnrolled: self.init(.factorAlreadyEnrolled)
        case .missingName: self.init(.missingFactorName)
        case .tooManyAttempts: self.init(.tooManyEnrollmentAttempts)
        case .missingFactorID: self.init(.missingFactorID)
        case .unknownFactor: self.init(.factorNotFound)
        case .challengeTimedOut: self.init(.factorChallengeTimedOut)
        case .locked(let until):
            // Rounded up, so that a client that waits as long is accepted.
            self.init(
                .quotaExceeded,
                retryAfterSeconds: until?.secondsToWait(from: now))
        case .missingCode: self.init(.missingCode)
        case .invalidCode: self.init(.invalidCode)  // The reply does not contain the remaining attempts.
        }
    }
}
