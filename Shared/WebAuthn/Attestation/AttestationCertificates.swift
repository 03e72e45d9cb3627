import CBOR
import Crypto

/// The member `x5c` of an attestation statement: the attestation certificate, then the certificates of its issuers.
struct AttestationCertificates {
    /// Real statements have one to five.
    private static let maximumCount = 8

    /// The certificate whose key signed the statement, or which contains the key of the credential.
    let leaf: Certificate
    let publicKey: VerificationKey
    /// All certificates, in the order of the statement.
    let trustPath: [Certificate]

    /// Throws `attestationStatement` if the member is missing or malformed, or the key is not supported.
    init(_ statement: AttestationStatement) throws(WebAuthnError) {
        guard let elements = statement.map["x5c"]?.array, elements.count <= Self.maximumCount else {
            throw .attestationStatement
        }
        var certificates: [Certificate] = []
        for element in elements {
            guard let der = element.bytes, let certificate = try? Certificate(der: der) else {
                throw .attestationStatement
            }
            certificates.append(certificate)
        }
        guard let leaf = certificates.first, let keyInfo = try? leaf.subjectPublicKeyInfo,
            let publicKey = try? VerificationKey(subjectPublicKeyInfo: keyInfo)
        else { throw .attestationStatement }
        self.leaf = leaf
        self.publicKey = publicKey
        trustPath = certificates
    }

    /// Verifies a signature of the attestation key with the algorithm that the statement names.
    func verify(signature: [UInt8], of message: [UInt8], _ algorithm: COSEAlgorithm) throws(WebAuthnError) {
        guard publicKey.type == algorithm.keyType else { throw .attestationStatement }
        guard publicKey.isValid(signature: signature, for: message, algorithm.scheme) else {
            throw .attestationSignature
        }
    }

    /// The extension `id-fido-gen-ce-aaguid` (Web Authentication Level 3 §8.2.1) is optional. It is not critical, and
    /// contains the AAGUID of the authenticator data.
    func checkAAGUID(_ aaguid: AAGUID) throws(WebAuthnError) {
        guard let value = leaf[extension: "1.3.6.1.4.1.45724.1.1.4"] else { return }
        guard !value.isCritical, let element = ASN1Element(der: value.value), element.tag == .octetString,
            element.content == aaguid.bytes
        else { throw .attestationStatement }
    }
}
