import CBOR
import Crypto

/// Format `packed` (Web Authentication Level 3 §8.2).
enum PackedAttestation {
    static func verify(_ statement: AttestationStatement) throws(WebAuthnError) -> VerifiedAttestation {
        // Step 1.
        guard let number = statement.map["alg"]?.integer, let algorithm = COSEAlgorithm(rawValue: number),
            let signature = statement.map["sig"]?.bytes
        else { throw .attestationStatement }
        guard statement.map["x5c"] == nil else {
            return try verifyCertified(statement, signature, algorithm)
        }
        // Step 3: self attestation.
        guard algorithm == statement.publicKey.algorithm else { throw .attestationStatement }
        guard statement.publicKey.isValid(signature: signature, for: statement.signedBytes) else {
            throw .attestationSignature
        }
        return VerifiedAttestation(format: .packed, type: .self)
    }

    /// Step 2: signed by the key of a certificate.
    private static func verifyCertified(
        _ statement: AttestationStatement, _ signature: [UInt8], _ algorithm: COSEAlgorithm
    ) throws(WebAuthnError) -> VerifiedAttestation {
        let certificates = try AttestationCertificates(statement)
        try certificates.verify(signature: signature, of: statement.signedBytes, algorithm)
        try checkRequirements(certificates.leaf)
        try certificates.checkAAGUID(statement.credential.aaguid)
        return VerifiedAttestation(format: .packed, type: .basic, trustPath: certificates.trustPath)
    }

    /// The certificate requirements of §8.2.1.
    private static func checkRequirements(_ certificate: Certificate) throws(WebAuthnError) {
        guard certificate.version == 3 else { throw .attestationStatement }
        let subject = certificate.subject
        guard let country = subject.values(of: CertificateName.country).first, country.utf8.count == 2,
            subject.values(of: CertificateName.organization).first?.isEmpty == false,
            subject.values(of: CertificateName.organizationalUnit) == ["Authenticator Attestation"],
            subject.values(of: CertificateName.commonName).first?.isEmpty == false
        else { throw .attestationStatement }
        guard certificate.isAuthority == false else { throw .attestationStatement }
    }
}
