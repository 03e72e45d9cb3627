/// The attestation statement formats that are verified (IANA registry "WebAuthn Attestation Statement Format
/// Identifiers"). Others are rejected.
package enum AttestationFormat: String, CaseIterable, Hashable, Sendable {
    case none
    case packed

    /// The verification procedure of the format (Web Authentication Level 3 §8).
    func verify(_ statement: AttestationStatement) throws(WebAuthnError) -> VerifiedAttestation {
        switch self {
        case .none: try NoneAttestation.verify(statement)
        case .packed: try PackedAttestation.verify(statement)
        }
    }
}
