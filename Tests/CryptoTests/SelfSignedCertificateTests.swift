import Crypto
import Foundation
import TestSupport
import Testing

@Suite struct SelfSignedCertificateTests {
    private func certificate(_ key: PrivateKey, commonName: String = "latchkey") throws -> String {
        try key.selfSignedCertificate(commonName: commonName, notBefore: 1_700_000_000, notAfter: 1_702_592_000)
    }

    /// The result of the `openssl` command for a certificate: a parser other than the code under test.
    private func openssl(_ arguments: [String], _ pem: String) async throws -> String {
        let folder = try TemporaryDirectory()
        let file = folder.appending("certificate.pem")
        try Data(pem.utf8).write(to: URL(filePath: file))
        let program = try RunningProgram(
            "/usr/bin/openssl", arguments.map { $0 == "FILE" ? file : $0 }, in: folder)
        #expect(try await program.ending() == .code(0))
        return program.output
    }

    @Test func certificateContainsRequestedFields() async throws {
        let pem = try certificate(try TestKey.rsa())
        let text = try await openssl(["x509", "-noout", "-text", "-in", "FILE"], pem)
        #expect(text.contains("Version: 3"))
        #expect(text.contains("Signature Algorithm: sha256WithRSAEncryption"))
        #expect(text.contains("Issuer: CN = latchkey"))
        #expect(text.contains("Subject: CN = latchkey"))
        #expect(text.contains("Not Before: Nov 14 22:13:20 2023 GMT"))
        #expect(text.contains("Not After : Dec 14 22:13:20 2023 GMT"))
        #expect(text.contains("CA:FALSE"))
        #expect(text.contains("Digital Signature"))
    }

    @Test func certificateContainsItsKeyAndIsSelfSigned() async throws {
        let key = try PrivateKey.generateP256()
        let pem = try certificate(key)
        #expect(try PublicKey(pem: pem).subjectPublicKeyInfo == key.publicKey.subjectPublicKeyInfo)
        // `-no_check_time`: the dates are constant. The certificate is its own trust root.
        let output = try await openssl(
            ["verify", "-no_check_time", "-check_ss_sig", "-CAfile", "FILE", "FILE"], pem)
        #expect(output.hasSuffix(": OK\n"))
    }

    @Test func serialNumbersAreLongAndUnique() async throws {
        let key = try PrivateKey.generateP256()
        var serials: [Substring] = []
        for _ in 0..<2 {
            let text = try await openssl(["x509", "-noout", "-serial", "-in", "FILE"], certificate(key))
            serials.append(text.dropFirst("serial=".count))
        }
        #expect(serials[0] != serials[1])
        // The highest of the 127 bits is set, so the number is never shorter: the first of 32 digits is 4 to 7.
        for serial in serials { #expect(serial.count == 33 && "4567".contains(serial.prefix(1))) }
    }

    @Test(arguments: ["", String(repeating: "n", count: 65)])
    func invalidCommonNameIsRefused(name: String) throws {
        let key = try PrivateKey.generateP256()
        #expect(throws: CryptoError.self) { try certificate(key, commonName: name) }
        #expect(try !certificate(key, commonName: String(repeating: "n", count: 64)).isEmpty)
    }
}
