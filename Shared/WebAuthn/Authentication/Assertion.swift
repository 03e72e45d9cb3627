/// A verified authentication: what to update in the credential record.
package struct Assertion: Equatable, Sendable {
    package let signCount: UInt32
    package let flags: AuthenticatorFlags
    /// The signature counter did not grow: the credential may have been copied.
    package let hasSignCountRegression: Bool

    package var isUserVerified: Bool { flags.contains(.userVerified) }
    package var isBackupEligible: Bool { flags.contains(.backupEligible) }
    package var isBackedUp: Bool { flags.contains(.backedUp) }
}

/// What happens if the signature counter did not grow.
package enum SignCountPolicy: String, CaseIterable, Sendable {
    case reject
    /// Accepts the authentication. `Assertion.hasSignCountRegression` reports it.
    case report
}
