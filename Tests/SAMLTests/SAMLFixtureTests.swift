import Crypto
import FoundationEssentials
import TestSupport
import Testing

@testable import SAML

/// Responses that xmlsec1 has signed, with each algorithm and white space as providers write it.
@Suite struct SAMLFixtureTests {
    private static func file(_ name: String) throws -> String {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        return try String(contentsOfFile: "/\(folder)/Fixtures/\(name)", encoding: .utf8)
    }

    private static func verify(_ name: String, _ certificate: String) throws -> SAMLAssertion {
        try TestIdentityProvider.verifier(SAMLCertificate(file("\(certificate).pem"))).verify(
            xml: Array(file("\(name).xml").utf8), at: TestIdentityProvider.now)
    }

    @Test(arguments: [
        ("rsa-sha256", "rsa"), ("rsa-sha384", "rsa"), ("rsa-sha512", "rsa"), ("ecdsa-sha256", "p256"),
        ("ecdsa-sha384", "p384"), ("ecdsa-sha512", "p521"),
    ])
    func signatureOfOtherProgramIsAccepted(name: String, certificate: String) throws {
        let assertion = try Self.verify(name, certificate)
        #expect(assertion.subject == "ada@example.com" && assertion.nameIDFormat == .emailAddress)
        #expect(assertion.attributes == [.init(name: "name", values: ["Ada & Łukasz"])])
        for other in ["rsa", "p256", "p384", "p521"] where other != certificate {
            #expect(samlError { try Self.verify(name, other) } == .invalidSignature)
        }
    }

    @Test(arguments: ["rsa-sha1", "hmac-sha256", "inclusive-c14n"])
    func otherAlgorithmIsRefused(name: String) throws {
        #expect(samlError { try Self.verify(name, "rsa") } == .unsupportedAlgorithm)
    }

    /// The library itself also refuses what the form check refuses.
    @Test(arguments: ["rsa-sha1", "hmac-sha256"])
    func libraryRefusesOtherAlgorithm(name: String) throws {
        let document = try XMLDocument(Array(Self.file("\(name).xml").utf8))
        let assertion = try #require(document.root.soleChild("Assertion", in: XMLNamespace.assertion))
        let signature = try #require(assertion.soleChild("Signature", in: XMLNamespace.signature))
        let key = try SAMLCertificate(Self.file("rsa.pem")).publicKey
        #expect(try !document.isValid(signature, of: assertion, key: key))
    }

    @Test func shortKeyIsRefused() throws {
        #expect(throws: CertificateError.untrusted("the key is not supported")) {
            try SAMLCertificate(Self.file("rsa1024.pem"))
        }
    }
}
