internal import CBOR

/// Format `packed` (Web Authentication Level 3 §8.2).
enum PackedAttestation {
    static func verify(_ statement: AttestationStatement) throws(WebAuthnError) -> VerifiedAttestation {
        // Step 1.
        guard let algorithm = statement.map["alg"]?.integer, let signature = statement.map["sig"]?.bytes else {
            throw .attestationStatement
        }
        // Step 2.
        guard statement.map["x5c"] == nil else { throw .attestationFormat }
        // Step 3: self attestation.
        guard algorithm == statement.publicKey.algorithm.rawValue else { throw .attestationStatement }
        guard statement.publicKey.isValid(signature: signature, for: statement.signedBytes) else {
            throw .attestationSignature
        }
        return VerifiedAttestation(format: .packed, type: .self)
    }
}
