import Vocabulary

/// Why mfa-totp refuses a request.
enum TOTPError: Error, Equatable, Sendable {
    // Enrollment.
    case missingSession
    /// It does not exist, or it belongs to another account.
    case unknownSession
    case sessionExpired
    case alreadyEnrolled
    case missingName
    case tooManyAttempts
    // Sign-in.
    case missingFactorID
    /// Not listed by identity, of another kind, or not in this store.
    case unknownFactor
    /// Too much time has passed since the first factor.
    case challengeTimedOut
    /// Too many wrong codes; nil: permanently.
    case locked(until: Moment?)
    // Both.
    case missingCode
    /// Wrong, malformed, or used before.
    case invalidCode
}
