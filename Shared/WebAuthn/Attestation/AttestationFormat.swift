/// The attestation statement formats that are verified (IANA registry "WebAuthn Attestation Statement Format
/// Identifiers"). Others are rejected: `android-safetynet` is no longer issued, and `compound` is not implemented.
package enum AttestationFormat: String, CaseIterable, Hashable, Sendable {
    case none
    case packed
    case tpm
    case androidKey = "android-key"
    case fidoU2F = "fido-u2f"
    case apple

    /// The verification procedure of the format (Web Authentication Level 3 §8).
    func verify(_ statement: AttestationStatement) throws(WebAuthnError) -> VerifiedAttestation {
        switch self {
        case .none: try NoneAttestation.verify(statement)
        case .packed: try PackedAttestation.verify(statement)
        case .tpm: try TPMAttestation.verify(statement)
        case .androidKey: try AndroidKeyAttestation.verify(statement)
        case .fidoU2F: try FIDOU2FAttestation.verify(statement)
        case .apple: try AppleAttestation.verify(statement)
        }
    }
}
