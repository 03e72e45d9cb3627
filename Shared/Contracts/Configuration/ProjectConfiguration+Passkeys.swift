extension ProjectConfiguration {
    /// The relying party of a project or tenant (`passkeyConfig`), a Latchkey extension. Absent members have the defaults of the process:
    /// `LATCHKEY_PASSKEY_RP_ID` and `LATCHKEY_PASSKEY_ORIGINS`.
    package struct Passkeys: DocumentMessage {
        package enum State: String, DocumentEnumeration {
            case disabled = "DISABLED", enabled = "ENABLED"
            package static let unset = "STATE_UNSPECIFIED"
        }

        /// Whether the user must be verified (by PIN or biometrics), not only present.
        package enum UserVerification: String, DocumentEnumeration {
            /// The default: a passkey then replaces both factors.
            case required = "REQUIRED"
            /// An assertion without user verification counts as one factor.
            case preferred = "PREFERRED"
            package static let unset = "USER_VERIFICATION_UNSPECIFIED"
        }

        /// What follows when a signature counter did not increase (WebAuthn 6.1.1).
        package enum CounterRegression: String, DocumentEnumeration {
            /// The sign-in is refused.
            case refuse = "REFUSE"
            /// The sign-in succeeds, and the audit log has an entry.
            case record = "RECORD"
            package static let unset = "COUNTER_REGRESSION_UNSPECIFIED"
        }

        /// Whether the client is asked for an attestation of the authenticator.
        package enum Conveyance: String, DocumentEnumeration {
            case none = "NONE", direct = "DIRECT"
            package static let unset = "CONVEYANCE_UNSPECIFIED"
        }

        /// Absent: enabled if there is a relying party ID.
        package var state: State?
        /// See `RelyingPartyID`. Credentials belong to it: after a change, existing passkeys do not work.
        package var relyingPartyId: String?
        /// Shown by some clients; absent: the ID. At most 64 bytes.
        package var relyingPartyName: String?
        /// See `RelyingPartyOrigin`. At most 50. Absent: `https://` and the ID.
        package var origins: [String]?
        /// Absent: required.
        package var userVerification: UserVerification?
        /// Absent: refused, for a credential that may be backed up recorded.
        package var counterRegression: CounterRegression?
        package var attestation: Attestation?
        /// `TEAMID.bundle.id`, for `apple-app-site-association`. At most 50. Not of a tenant.
        package var appleApps: [String]?
        /// For `assetlinks.json`. At most 50. Not of a tenant.
        package var androidApps: [AndroidApp]?
        /// Pages of the application where a user adds and manages passkeys, for `passkey-endpoints`. Not of a tenant.
        package var enrollUrl: String?
        package var manageUrl: String?
        /// Days until the sign-in pages offer a passkey again to a user who skipped the offer. Absent:
        /// `defaultOfferIntervalDays`. 0: they offer none.
        package var offerIntervalDays: Int?

        package static let defaultOfferIntervalDays = 30

        package init() {}

        package struct Attestation: DocumentMessage {
            /// Absent: none.
            package var conveyance: Conveyance?
            /// Only attestations with a path to a trusted root are accepted. Absent: no. Requires `direct`.
            package var requireTrusted: Bool?
            /// Only these models: UUIDs in lower case, at most 200. Absent: all. Both lists require `requireTrusted`,
            /// because the model is the authenticator's own claim until an attestation confirms it.
            package var allowedAaguids: [String]?
            package var deniedAaguids: [String]?

            package init() {}
        }

        package struct AndroidApp: DocumentMessage {
            package var packageName: String?
            /// SHA-256 of the signing certificates, 1 to 10: 32 pairs of hexadecimal digits in capitals with colons
            /// between them.
            package var sha256CertFingerprints: [String]?

            package init() {}
        }
    }
}

extension ProjectConfiguration.Passkeys? {
    /// Whether the configuration leaves passkeys on. The passkey service also needs a relying party ID.
    package var allowsPasskeys: Bool {
        switch self?.state {
        case .enabled, nil: true
        case .disabled: false
        }
    }

    package var offerIntervalDays: Int {
        self?.offerIntervalDays ?? ProjectConfiguration.Passkeys.defaultOfferIntervalDays
    }
}
