import Crypto
import TestSupport
import Testing

@testable import SAML

@Suite struct SAMLCertificateTests {
    @Test func bothFormsAreAccepted() throws {
        let pem = try TestIdentityProvider.rsa.get().key.selfSignedCertificate(
            commonName: "a", notBefore: 0, notAfter: 1)
        let certificate = try SAMLCertificate(pem)
        #expect(try SAMLCertificate(certificate.text) == certificate)
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined(separator: "\n  ")
        #expect(try SAMLCertificate("\n\(lines)\n") == certificate)
        for text in ["", "a", pem + pem, String(certificate.text.dropLast(8)), "-----BEGIN CERTIFICATE-----"] {
            #expect(throws: CertificateError.malformed) { try SAMLCertificate(text) }
        }
    }
}
