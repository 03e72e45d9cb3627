import Crypto
import TestSupport
import Testing

@Suite struct CertificateTests {
    private let key: PrivateKey
    private let authority: CertificateAuthority

    init() throws {
        key = try .generateP256()
        authority = try CertificateAuthority(commonName: "root")
    }

    @Test func fieldsAreParsed() throws {
        let certificate = try authority.issue(to: key.publicKey) {
            $0.subject = [
                ("2.5.4.6", "DE"), ("2.5.4.10", "Beispiel"), ("2.5.4.11", "one"), ("2.5.4.11", "zwei ü"),
                ("2.5.4.3", "leaf"),
            ]
            $0.notBefore = 1_700_000_000
            $0.notAfter = 4_102_444_800
        }
        #expect(certificate.version == 3)
        #expect(certificate.subject.values(of: CertificateName.country) == ["DE"])
        #expect(certificate.subject.values(of: CertificateName.organization) == ["Beispiel"])
        #expect(certificate.subject.values(of: CertificateName.organizationalUnit) == ["one", "zwei ü"])
        #expect(certificate.subject.values(of: CertificateName.commonName) == ["leaf"])
        #expect(certificate.notBefore == 1_700_000_000)
        #expect(certificate.notAfter == 4_102_444_800)
        #expect(try certificate.subjectPublicKeyInfo == key.publicKey.subjectPublicKeyInfo)
        #expect(certificate.isAuthority == false)
        #expect(authority.certificate.isAuthority == true)
    }

    @Test func issuerURLsAreParsed() throws {
        func access(_ method: String, _ name: UInt8, _ value: String) -> [UInt8] {
            DERWriter.sequence(DERWriter.objectIdentifier(method), DERWriter.element(name, Array(value.utf8)))
        }
        let issuers = "1.3.6.1.5.5.7.48.2"
        let value = DERWriter.sequence(
            access("1.3.6.1.5.5.7.48.1", 0x86, "http://ocsp.example"), access(issuers, 0x86, "http://ca.example/a.crt"),
            access(issuers, 0x82, "ca.example"), access(issuers, 0x86, "http://ca.example/b.crt"))
        func urls(_ value: [UInt8]) throws -> [String] {
            try authority.issue(to: key.publicKey) { $0.extensions = [("1.3.6.1.5.5.7.1.1", false, value)] }.issuerURLs
        }
        #expect(try urls(value) == ["http://ca.example/a.crt", "http://ca.example/b.crt"])
        #expect(try urls([0x30, 0x05]).isEmpty)
        #expect(authority.certificate.issuerURLs.isEmpty)
    }

    @Test func validityIncludesItsBounds() throws {
        let certificate = try authority.issue(to: key.publicKey) {
            $0.notBefore = 1000
            $0.notAfter = 2000
        }
        #expect([999, 1000, 2000, 2001].map { certificate.isValid(at: $0) } == [false, true, true, false])
    }

    @Test func oldCertificateHasNoExtensions() throws {
        let certificate = try authority.issue(to: key.publicKey) {
            $0.version = 1
            $0.subject = []
            $0.extensions = []
        }
        #expect(certificate.version == 1)
        #expect(certificate.subject.isEmpty)
        #expect(certificate.isAuthority == nil)
        #expect(try certificate.extendedKeyUsage == nil)
        #expect(try certificate.alternativeDirectoryNames.isEmpty)
    }

    /// The greatest number would overflow when one is added.
    @Test(arguments: [4, 1 << 32, .min]) func unknownVersionIsNil(version: Int) throws {
        let certificate = try authority.issue(to: key.publicKey) { $0.version = version }
        #expect(certificate.version == nil)
    }

    @Test func extensionsAreParsed() throws {
        let certificate = try authority.issue(to: key.publicKey) {
            $0.extensions = [
                ("1.3.6.1.4.1.45724.1.1.4", false, [4, 2, 8, 9]), ("1.2.3.4", true, []),
                (
                    "2.5.29.37", false,
                    DERWriter.sequence(
                        DERWriter.objectIdentifier("2.23.133.8.3"), DERWriter.objectIdentifier("1.3.6.1.5.5.7.3.2"))
                ),
                (
                    "2.5.29.17", true,
                    DERWriter.sequence(
                        DERWriter.element(0x82, Array("example.com".utf8)),
                        DERWriter.context(4, CertificateBuilder.name([("2.23.133.2.1", "id:49465800")])))
                ),
            ]
        }
        let aaguid = try #require(certificate[extension: "1.3.6.1.4.1.45724.1.1.4"])
        #expect(!aaguid.isCritical && aaguid.value == [4, 2, 8, 9])
        let empty = try #require(certificate[extension: "1.2.3.4"])
        #expect(empty.isCritical && empty.value.isEmpty)
        #expect(certificate[extension: "1.2.3.5"] == nil)
        #expect(try certificate.extendedKeyUsage == ["2.23.133.8.3", "1.3.6.1.5.5.7.3.2"])
        let names = try certificate.alternativeDirectoryNames
        #expect(names.map { $0.values(of: "2.23.133.2.1") } == [["id:49465800"]])
    }

    @Test func repeatedExtensionIsRefused() throws {
        let der = try authority.issueDER(to: key.publicKey) {
            $0.extensions = [("1.2.3.4", false, [5, 0]), ("1.2.3.4", false, [5, 0])]
        }
        #expect(throws: CertificateError.malformed) { try Certificate(der: der) }
    }

    /// Security rule JS9.
    @Test(arguments: ["2.5.29.19", "2.5.29.37", "2.5.29.17", "2.5.29.35", "2.5.29.15"])
    func malformedExtensionIsRefused(identifier: String) throws {
        let certificate = try authority.issue(to: key.publicKey) { $0.extensions = [(identifier, false, [4, 0])] }
        #expect(certificate.isAuthority == nil)
        if identifier == "2.5.29.37" {
            #expect(throws: CertificateError.malformed) { try certificate.extendedKeyUsage }
        }
        if identifier == "2.5.29.17" {
            #expect(throws: CertificateError.malformed) { try certificate.alternativeDirectoryNames }
        }
        let anchors = TrustAnchors([authority.certificate])
        #expect(throws: CertificateError.self) {
            try anchors.verify(certificate, intermediates: [], at: 1_800_000_000)
        }
    }

    @Test func publicKeyIdentifierIsThatOfOpenSSL() throws {
        let certificate = try #require(try Certificate.all(inPEM: WeakCertificates.root).first)
        let extensionValue = try #require(certificate[extension: "2.5.29.14"]).value
        #expect(ASN1Element(der: extensionValue)?.content == certificate.publicKeyIdentifier)
    }

    @Test func everyPrefixAndEverySuffixIsRefused() throws {
        let der = authority.certificate.der
        for count in 0..<der.count {
            #expect(throws: CertificateError.malformed, "\(count) bytes") {
                try Certificate(der: Array(der.prefix(count)))
            }
        }
        #expect(throws: CertificateError.malformed) { try Certificate(der: der + [0]) }
    }

    @Test func hugeCertificateIsRefused() throws {
        func certificate(_ count: Int) throws -> [UInt8] {
            try authority.issueDER(to: key.publicKey) {
                $0.extensions = [("1.2.3.4", false, [UInt8](repeating: 0, count: count))]
            }
        }
        let overhead = try certificate(15_000).count - 15_000
        #expect(throws: Never.self) { try Certificate(der: certificate(15_000)) }
        #expect(throws: CertificateError.malformed) {
            try Certificate(der: certificate(Certificate.maximumBytes - overhead + 8))
        }
    }

    @Test func everyFlippedBitIsParsedOrRefused() throws {
        let der = authority.certificate.der
        for bit in 0..<der.count * 8 {
            var changed = der
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            // Either outcome is right; the parser must not stop the process.
            guard let certificate = try? Certificate(der: changed) else { continue }
            _ = try? certificate.subjectPublicKeyInfo
            _ = try? certificate.extendedKeyUsage
            _ = try? certificate.alternativeDirectoryNames
        }
    }

    @Test func certificatesArePartOfAPEMText() throws {
        let texts = [WeakCertificates.root, WeakCertificates.signedWithSHA1]
        let certificates = try Certificate.all(inPEM: "comment\n" + texts.joined(separator: "\nanother\n") + "\n")
        #expect(
            certificates.map { $0.subject.values(of: CertificateName.commonName) } == [["weak path root"], ["leaf"]])
        #expect(throws: CertificateError.malformed) { try Certificate.all(inPEM: "") }
        #expect(throws: CertificateError.malformed) {
            try Certificate.all(inPEM: WeakCertificates.root + "\n-----BEGIN CERTIFICATE-----\nMAA=\n")
        }
    }
}
