/// A verified authentication: what to update in the credential record.
package struct Assertion: Equatable, Sendable {
    package let signCount: UInt32
    package let flags: AuthenticatorFlags

    /// Whether a signature counter did not grow (Web Authentication Level 3 §7.2 step 22): the credential may have been
    /// copied. The counter stays zero for an authenticator without one.
    package static func isSignCountRegression(from stored: UInt32, to new: UInt32) -> Bool {
        (new != 0 || stored != 0) && new <= stored
    }

    package var isUserVerified: Bool { flags.contains(.userVerified) }
    package var isBackupEligible: Bool { flags.contains(.backupEligible) }
    package var isBackedUp: Bool { flags.contains(.backedUp) }
}

/// What happens if the signature counter did not grow.
package enum SignCountPolicy: String, CaseIterable, Sendable {
    case reject
    /// Accepts the authentication: the caller compares the counters.
    case report
}
