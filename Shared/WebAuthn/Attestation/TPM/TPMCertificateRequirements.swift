import Crypto
import Vocabulary

/// The requirements for the certificate of an attestation key of a TPM (Web Authentication Level 3 §8.3.1).
enum TPMCertificateRequirements {
    /// tcg-kp-AIKCertificate
    private static let attestationKeyUsage: OID = "2.23.133.8.3"
    /// TPM attributes (TCG EK Credential Profile §3.2.9).
    private static let manufacturer: OID = "2.23.133.2.1"
    private static let model: OID = "2.23.133.2.2"
    private static let version: OID = "2.23.133.2.3"

    static func check(_ certificate: Certificate) throws(WebAuthnError) {
        guard certificate.version == 3, certificate.subject.isEmpty, certificate.isAuthority == false,
            let usage = try? certificate.extendedKeyUsage, usage.contains(attestationKeyUsage),
            let names = try? certificate.alternativeDirectoryNames, names.contains(where: describesTPM)
        else { throw .attestationStatement }
    }

    /// Whether the name has the three attributes. The manufacturer is `id:` and eight hexadecimal digits. It is not
    /// compared with the list of vendors: only the certificate path shows who issued the certificate.
    private static func describesTPM(_ name: CertificateName) -> Bool {
        guard let manufacturer = name.values(of: manufacturer).first?.utf8, manufacturer.starts(with: "id:".utf8)
        else { return false }
        let digits = manufacturer.dropFirst(3)
        return digits.count == 8 && digits.allSatisfy(\.isASCIIHexadecimalDigit)
            && name.values(of: model).first?.isEmpty == false && name.values(of: version).first?.isEmpty == false
    }
}
