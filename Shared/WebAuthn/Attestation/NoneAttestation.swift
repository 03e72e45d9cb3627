import CBOR

/// Format `none` (Web Authentication Level 3 §8.7).
enum NoneAttestation {
    static func verify(_ statement: AttestationStatement) throws(WebAuthnError) -> VerifiedAttestation {
        guard statement.map.isEmpty else { throw .attestationStatement }
        return VerifiedAttestation(format: .none, type: .none)
    }
}
