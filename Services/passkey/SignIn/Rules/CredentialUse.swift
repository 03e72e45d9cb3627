import Vocabulary
import WebAuthn

/// A verified assertion. Its counter is compared with the stored one when it is recorded.
struct CredentialUse: Equatable, Sendable {
    enum Decision: Equatable, Sendable {
        /// The credential after the use.
        case accepted(PasskeyCredential, hasCounterRegression: Bool)
        case refusedForCounterRegression
    }

    var assertion: Assertion
    var usedAt: Moment
    /// Whether a counter that did not increase refuses the sign-in.
    var refusesCounterRegression: Bool

    /// - Parameter stored: the credential as it is now. Another sign-in may have changed it since the verification.
    func applied(to stored: PasskeyCredential) -> Decision {
        let hasRegression = Assertion.isSignCountRegression(from: stored.signCount, to: assertion.signCount)
        guard !(hasRegression && refusesCounterRegression) else { return .refusedForCounterRegression }
        var next = stored
        next.signCount = assertion.signCount
        next.isBackedUp = assertion.isBackedUp
        next.hasVerifiedUser = stored.hasVerifiedUser || assertion.isUserVerified
        next.lastUsedAt = usedAt
        return .accepted(next, hasCounterRegression: hasRegression)
    }
}
