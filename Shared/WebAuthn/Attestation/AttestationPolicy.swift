/// Which attestation a registration accepts. A statement that does not verify is rejected by every policy.
package struct AttestationPolicy: Sendable {
    package var acceptedTypes: Set<AttestationType>

    /// Accepts every valid statement. Nothing is known about the authenticator.
    package static let any = AttestationPolicy(acceptedTypes: Set(AttestationType.allCases))

    package init(acceptedTypes: Set<AttestationType>) {
        self.acceptedTypes = acceptedTypes
    }

    /// Steps 23 and 24 of Web Authentication Level 3 §7.1.
    /// - Parameter seconds: the time since 1970.
    func assess(
        _ attestation: VerifiedAttestation, of credential: AttestedCredentialData, at seconds: Int64
    ) throws(WebAuthnError) {
        guard acceptedTypes.contains(attestation.type) else { throw .attestationTrust }
    }
}
