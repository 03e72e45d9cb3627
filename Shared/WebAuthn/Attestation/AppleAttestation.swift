import CBOR
import Crypto

/// Format `apple` (Web Authentication Level 3 §8.8). The statement has no signature: Apple issues a certificate for the
/// key of the credential, which contains a hash of the signed data.
enum AppleAttestation {
    private static let nonceExtension: OID = "1.2.840.113635.100.8.2"

    static func verify(_ statement: AttestationStatement) throws(WebAuthnError) -> VerifiedAttestation {
        // Step 1.
        let certificates = try AttestationCertificates(statement)
        // Steps 2 and 3.
        let nonce = SHA2.sha256(statement.signedBytes)
        // Step 4.
        guard let value = certificates.leaf[extension: nonceExtension]?.value, Self.nonce(inExtension: value) == nonce
        else { throw .attestationStatement }
        // Step 5.
        guard certificates.publicKey == statement.publicKey.verificationKey else { throw .attestationStatement }
        // Step 6.
        return VerifiedAttestation(format: .apple, type: .anonymizationCA, trustPath: certificates.trustPath)
    }

    /// `SEQUENCE { nonce [1] EXPLICIT OCTET STRING }`
    private static func nonce(inExtension der: [UInt8]) -> [UInt8]? {
        guard let sequence = ASN1Element(der: der), sequence.tag == .sequence,
            let field = sequence.children(maximum: 1)?.first, field.tag == .context(1),
            let nonce = field.children(maximum: 1)?.first, nonce.tag == .octetString, !nonce.isConstructed
        else { return nil }
        return nonce.content
    }
}
