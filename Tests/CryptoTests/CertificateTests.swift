import Crypto
import Foundation
import Testing

@Suite struct CertificateTests {
    private func certificate(_ key: PrivateKey, commonName: String = "latchkey") throws -> String {
        try key.selfSignedCertificate(commonName: commonName, notBefore: 1_700_000_000, notAfter: 1_702_592_000)
    }

    /// What the `openssl` command makes of it: another reader than the code under test.
    private func openssl(_ arguments: [String], input: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        let (standardInput, output) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self)
    }

    @Test func aCertificateSaysWhatWasAsked() throws {
        let pem = try certificate(try .generateRSA(bits: 2048))
        let text = try openssl(["x509", "-noout", "-text"], input: pem)
        #expect(text.contains("Version: 3"))
        #expect(text.contains("Signature Algorithm: sha256WithRSAEncryption"))
        #expect(text.contains("Issuer: CN = latchkey"))
        #expect(text.contains("Subject: CN = latchkey"))
        #expect(text.contains("Not Before: Nov 14 22:13:20 2023 GMT"))
        #expect(text.contains("Not After : Dec 14 22:13:20 2023 GMT"))
        #expect(text.contains("CA:FALSE"))
        #expect(text.contains("Digital Signature"))
    }

    @Test func aCertificateCarriesAndIsSignedByItsKey() throws {
        let key = try PrivateKey.generateP256()
        let pem = try certificate(key)
        #expect(try PublicKey(pem: pem).subjectPublicKeyInfo == key.publicKey.subjectPublicKeyInfo)
        // `-no_check_time`: the dates are fixed. It is its own trust root.
        let file = FileManager.default.temporaryDirectory.appending(path: "latchkey-\(UUID().uuidString).pem")
        try Data(pem.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let path = file.path(percentEncoded: false)
        let verdict = try openssl(["verify", "-no_check_time", "-check_ss_sig", "-CAfile", path, path], input: "")
        #expect(verdict.hasSuffix(": OK\n"))
    }

    @Test func serialNumbersAreLongAndDiffer() throws {
        let key = try PrivateKey.generateP256()
        let serials = try (0..<2).map { _ in
            try openssl(["x509", "-noout", "-serial"], input: certificate(key)).dropFirst("serial=".count)
        }
        #expect(serials[0] != serials[1])
        // The highest of 127 bits is set, so that it is never short: 4 to 7 as the first of 32 digits.
        for serial in serials { #expect(serial.count == 33 && "4567".contains(serial.prefix(1))) }
    }

    @Test(arguments: ["", String(repeating: "n", count: 65)])
    func aCommonNameOutsideItsBoundsIsRefused(name: String) throws {
        let key = try PrivateKey.generateP256()
        #expect(throws: CryptoError.self) { try certificate(key, commonName: name) }
        #expect(try !certificate(key, commonName: String(repeating: "n", count: 64)).isEmpty)
    }
}
