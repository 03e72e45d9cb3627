import Vocabulary

/// Why no factor is enrolled, or no sign-in ended.
enum TOTPError: Error, Equatable, Sendable {
    // Of an enrolment.
    case missingSession
    /// Never made, or of another account.
    case unknownSession
    case sessionExpired
    case alreadyEnrolled
    case missingName
    case tooManyAttempts
    // Of a sign-in.
    case missingFactorID
    /// Not listed by identity, of another kind, or not known here.
    case unknownFactor
    /// The first factor was too long ago.
    case challengeTimedOut
    /// Too many wrong codes; nil: for good.
    case locked(until: Moment?)
    // Of both.
    case missingCode
    /// Wrong, malformed, or used before.
    case invalidCode
}
