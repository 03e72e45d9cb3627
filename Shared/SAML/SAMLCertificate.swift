package import Crypto
import FoundationEssentials

/// A certificate of an identity provider: the container of the key that signs its responses. Its issuer and its dates do
/// not count: the operator trusts the key by configuring it (SAML Metadata Interoperability Profile 1.0, 2.6).
package struct SAMLCertificate: Equatable, Sendable {
    /// DER SubjectPublicKeyInfo.
    package let publicKey: [UInt8]
    package let certificate: Certificate

    /// - Parameter text: PEM, or the Base64 of the DER form, as in metadata (`ds:X509Certificate`).
    /// - Throws: `malformed`; `untrusted` for a key that is neither RSA of 2048 to 8192 bits nor P-256, P-384 or P-521.
    package init(_ text: String) throws(CertificateError) {
        guard text.utf8.count <= Certificate.maximumBytes * 2 else { throw .malformed }
        if text.contains("-----BEGIN") {
            let certificates = try Certificate.all(inPEM: text)
            guard certificates.count == 1, let first = certificates.first else { throw .malformed }
            certificate = first
        } else {
            let digits = text.utf8.filter { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
            guard let der = Data(base64Encoded: String(decoding: digits, as: UTF8.self)) else { throw .malformed }
            certificate = try Certificate(der: Array(der))
        }
        do throws(CryptoError) {
            publicKey = try certificate.subjectPublicKeyInfo
            switch try VerificationKey(subjectPublicKeyInfo: publicKey).type {
            case .rsa, .ellipticCurve: return
            case .edwards: break
            }
        } catch {
            throw .untrusted("the key is not supported")
        }
        throw .untrusted("the key is not supported")
    }

    /// The Base64 of the DER form.
    package var text: String { Data(certificate.der).base64EncodedString() }
}
