package import Crypto
import Vocabulary

/// A verified BLOB of the FIDO Metadata Service, version 3: what is known about authenticator models.
package struct AuthenticatorMetadata: Sendable {
    /// One authenticator model.
    package struct Entry: Sendable {
        /// A name for the user, such as `YubiKey 5 Series with NFC`.
        package let description: String
        /// Trust anchors of the attestation. They can be attestation certificates themselves.
        package let attestationRoots: [Certificate]
        /// All status reports, the oldest first, as in the enumeration `AuthenticatorStatus`.
        package let statuses: [String]

        /// Any of these makes a model unacceptable. A later report of an update does not help: the AAGUID does not
        /// show whether an authenticator is updated.
        private static let compromises: Set<String> = [
            "REVOKED", "USER_VERIFICATION_BYPASS", "ATTESTATION_KEY_COMPROMISE", "USER_KEY_REMOTE_COMPROMISE",
            "USER_KEY_PHYSICAL_COMPROMISE",
        ]

        package var isCompromised: Bool { statuses.contains(where: Self.compromises.contains) }
    }

    /// The serial number of the BLOB.
    package let number: Int
    /// When the next BLOB was to be published, in seconds since 1970.
    package let nextUpdate: Int64
    let entries: [AAGUID: Entry]
    /// U2F authenticators have no AAGUID. They are identified by the keys of their attestation certificates.
    /// Keys are lowercase hexadecimal digits.
    let entriesByKeyIdentifier: [String: Entry]

    package subscript(aaguid: AAGUID) -> Entry? { entries[aaguid] }

    /// The entry whose trust anchors apply to a statement.
    ///
    /// A U2F statement never gets those of an AAGUID. Its certificate has no requirements, and some entries name roots
    /// that also issue certificates for web servers: anybody could present such a certificate.
    func entry(for attestation: VerifiedAttestation, of aaguid: AAGUID) -> Entry? {
        switch attestation.format {
        case .fidoU2F:
            attestation.trustPath.lazy
                .compactMap { entriesByKeyIdentifier[$0.publicKeyIdentifier.hexadecimal] }.first
        case .none, .packed, .tpm, .androidKey, .apple:
            entries[aaguid]
        }
    }

    /// Whether a newer BLOB should exist. The entries are still used.
    package func isOutdated(at seconds: Int64) -> Bool { nextUpdate < seconds }
}
