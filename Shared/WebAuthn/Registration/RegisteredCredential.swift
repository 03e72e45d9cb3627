/// A verified new credential: what to store in a credential record (Web Authentication Level 3 §4).
package struct RegisteredCredential: Sendable {
    package let credentialID: [UInt8]
    /// The COSE key.
    package let publicKey: [UInt8]
    package let algorithm: COSEAlgorithm
    package let signCount: UInt32
    package let flags: AuthenticatorFlags
    /// Only a claim, unless the attestation is trusted.
    package let aaguid: AAGUID
    package let attestation: VerifiedAttestation
    /// Whether a valid certificate path leads to a trust anchor of the policy.
    package let isAttestationTrusted: Bool
    /// As reported by the client.
    package let transports: [String]

    package var isUserVerified: Bool { flags.contains(.userVerified) }
    /// Fixed for the life of the credential.
    package var isBackupEligible: Bool { flags.contains(.backupEligible) }
    package var isBackedUp: Bool { flags.contains(.backedUp) }
}
