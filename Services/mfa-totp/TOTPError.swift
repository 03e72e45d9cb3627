import Vocabulary

/// Why mfa-totp refuses a request.
enum TOTPError: Error, Equatable, Sendable {
    // Enrollment.
    case missingSession
    /// Never made, or of another account.
    case unknownSession
    case sessionExpired
    case alreadyEnrolled
    case missingName
    case tooManyAttempts
    // Sign-in.
    case missingFactorID
    /// Not listed by identity, of another kind, or not known here.
    case unknownFactor
    /// The first factor was too long ago.
    case challengeTimedOut
    /// Too many wrong codes; nil: for good.
    case locked(until: Moment?)
    // Both.
    case missingCode
    /// Wrong, malformed, or used before.
    case invalidCode
}
